package testkit

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// A plain reading of routes, to hold fitted app data against the original. It knows nothing of how the gateway fits.

// Feature is a route feature.
type Feature struct {
	Geometry struct {
		Coordinates [][]float64 `json:"coordinates"`
	} `json:"geometry"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// collection is where the features of each shape of app data are.
type collection struct {
	Features []Feature `json:"features"`
	Route    *struct {
		Features []Feature `json:"features"`
	} `json:"route"`
	Sources *struct {
		Routes *struct {
			Data struct {
				Features []Feature `json:"features"`
			} `json:"data"`
		} `json:"routes"`
	} `json:"sources"`
}

// Routes returns the route features of app data of the routing, search along route and dynamic map tools.
func Routes(tb testing.TB, doc []byte) []Feature {
	tb.Helper()
	var c collection
	if err := json.Unmarshal(doc, &c); err != nil {
		tb.Fatalf("routes: %v", err)
	}
	switch {
	case c.Route != nil:
		return c.Route.Features
	case c.Sources != nil && c.Sources.Routes != nil:
		return c.Sources.Routes.Data.Features
	default:
		return c.Features
	}
}

// Vertices counts the vertices of all route lines.
func Vertices(features []Feature) int {
	n := 0
	for _, f := range features {
		n += len(f.Geometry.Coordinates)
	}
	return n
}

// reference is a vertex that a property points at: where it stands and what it belongs to.
type reference struct {
	owner string // the entry without its indices, so that it is the same before and after fitting
	index int
}

// references lists what points at vertices, by the member it stands in: "traffic.startPointIndex", "progress".
func (f Feature) references(tb testing.TB) map[string][]reference {
	tb.Helper()
	all := map[string][]reference{}
	var sections map[string][]map[string]any
	unmarshalMember(tb, f.Properties, "sections", &sections)
	for kind, entries := range sections {
		for _, e := range entries {
			collect(all, kind, e, "startPointIndex", "endPointIndex")
		}
	}
	var progress []map[string]any
	unmarshalMember(tb, f.Properties, "progress", &progress)
	for _, e := range progress {
		collect(all, "progress", e, "pointIndex")
	}
	var guidance struct {
		Instructions []map[string]any `json:"instructions"`
	}
	unmarshalMember(tb, f.Properties, "guidance", &guidance)
	for _, e := range guidance.Instructions {
		collect(all, "guidance", e, "pathPointIndex")
	}
	return all
}

func unmarshalMember(tb testing.TB, in map[string]json.RawMessage, name string, to any) {
	tb.Helper()
	if raw, ok := in[name]; ok {
		if err := json.Unmarshal(raw, to); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
	}
}

func collect(all map[string][]reference, kind string, entry map[string]any, members ...string) {
	rest := map[string]any{}
	for k, v := range entry {
		if !isIndex(k) && k != "id" {
			rest[k] = v
		}
	}
	owner, _ := json.Marshal(rest)
	for _, m := range members {
		if v, ok := entry[m].(float64); ok {
			all[kind+"."+m] = append(all[kind+"."+m], reference{owner: string(owner), index: int(v)})
		}
	}
}

// shedKinds are the members that may be gone once their name stands in shed.
var shedKinds = map[string]string{"lanes": "lanes", "roadShields": "roadShields", "speedLimit": "speedLimit", "guidance": "guidance", "progress": "progress"}

// CheckFitted ends the test unless fitted draws the routes of original: every index points at the coordinate it pointed
// at (within half a unit of the fifth decimal), nothing is missing but what shed names, every vertex of the original is
// within said.MaxErrorM of the drawn line, and the counts are right.
func CheckFitted(tb testing.TB, fitted, original []byte, said Simplification) {
	tb.Helper()
	got, want := Routes(tb, fitted), Routes(tb, original)
	if len(got) != len(want) || len(want) == 0 {
		tb.Fatalf("%d routes, want %d", len(got), len(want))
	}
	if n := Vertices(want); said.OriginalPoints != n {
		tb.Errorf("original_points %d, counted %d", said.OriginalPoints, n)
	}
	if n := Vertices(got); said.Points != n {
		tb.Errorf("points %d, counted %d", said.Points, n)
	}
	if said.Shed == nil {
		tb.Error("shed is no array")
	}
	for i := range want {
		if err := checkIndices(tb, got[i], want[i], said.Shed); err != nil {
			tb.Errorf("route %d: %v", i, err)
		}
		worst, err := lineError(got[i].Geometry.Coordinates, want[i].Geometry.Coordinates)
		if err != nil {
			tb.Errorf("route %d: %v", i, err)
		}
		if worst > said.MaxErrorM+1e-6 {
			tb.Errorf("route %d: error %.2f m, said %.2f", i, worst, said.MaxErrorM)
		}
	}
	if len(said.Shed) == 0 {
		SameJSON(tb, "what is no route line", unrouted(tb, fitted), unrouted(tb, original))
	}
}

// LineErrors measures each route of fitted against original: the largest distance in metres of an original vertex to
// the drawn line.
func LineErrors(tb testing.TB, fitted, original []byte) []float64 {
	tb.Helper()
	got, want := Routes(tb, fitted), Routes(tb, original)
	all := make([]float64, len(want))
	for i := range want {
		var err error
		if all[i], err = lineError(got[i].Geometry.Coordinates, want[i].Geometry.Coordinates); err != nil {
			tb.Fatalf("route %d: %v", i, err)
		}
	}
	return all
}

// unrouted is a document without the coordinates of its route lines and without what points at their vertices.
func unrouted(tb testing.TB, doc []byte) []byte {
	tb.Helper()
	tree := Tree(tb, doc).(map[string]any)
	features := tree["features"]
	if route, ok := tree["route"].(map[string]any); ok {
		features = route["features"]
	}
	if sources, ok := tree["sources"].(map[string]any); ok {
		features = sources["routes"].(map[string]any)["data"].(map[string]any)["features"]
	}
	for _, f := range features.([]any) {
		feature := f.(map[string]any)
		delete(feature["geometry"].(map[string]any), "coordinates")
		withoutIndices(feature["properties"])
	}
	rest, err := json.Marshal(tree)
	if err != nil {
		tb.Fatal(err)
	}
	return rest
}

func withoutIndices(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if isIndex(k) {
				delete(v, k)
			} else {
				withoutIndices(v[k])
			}
		}
	case []any:
		for _, e := range v {
			withoutIndices(e)
		}
	}
}

// isIndex is true for the members that point at vertices.
func isIndex(name string) bool { return name == "pointIndex" || strings.HasSuffix(name, "PointIndex") }

func checkIndices(tb testing.TB, got, want Feature, shed []string) error {
	tb.Helper()
	have := got.references(tb)
	for member, refs := range want.references(tb) {
		kind, _, _ := strings.Cut(member, ".")
		mayShrink := false
		for _, name := range shed {
			mayShrink = mayShrink || shedKinds[name] == kind
		}
		now := have[member]
		if len(now) != len(refs) && !mayShrink {
			return fmt.Errorf("%s: %d entries, want %d", member, len(now), len(refs))
		}
		if err := matchReferences(member, now, refs, got, want); err != nil {
			return err
		}
	}
	return nil
}

// matchReferences walks both lists: each entry left must be the next one of the original with the same content, at the
// same place.
func matchReferences(member string, now, was []reference, got, want Feature) error {
	j := 0
	for i, ref := range now {
		for j < len(was) && was[j].owner != ref.owner {
			j++
		}
		if j == len(was) {
			return fmt.Errorf("%s entry %d is not of the original: %s", member, i, ref.owner)
		}
		a, okA := vertex(got.Geometry.Coordinates, ref.index)
		b, okB := vertex(want.Geometry.Coordinates, was[j].index)
		if !okA || !okB {
			return fmt.Errorf("%s entry %d: index %d of %d, was %d of %d", member, i,
				ref.index, len(got.Geometry.Coordinates), was[j].index, len(want.Geometry.Coordinates))
		}
		if !near(a, b) {
			return fmt.Errorf("%s entry %d: index %d is at %v, was %d at %v", member, i, ref.index, a, was[j].index, b)
		}
		j++
	}
	return nil
}

// vertex returns the vertex an index points at; the end may be one past the last.
func vertex(line [][]float64, i int) ([]float64, bool) {
	if i == len(line) {
		i--
	}
	if i < 0 || i >= len(line) {
		return nil, false
	}
	return line[i], true
}

// near is true within half a unit of the fifth decimal.
func near(a, b []float64) bool {
	const half = 0.5e-5 + 1e-9
	return math.Abs(a[0]-b[0]) <= half && math.Abs(a[1]-b[1]) <= half
}

// lineError finds drawn's vertices in the original, in order, and measures every original vertex against the segments
// around its own: the largest distance in metres.
func lineError(drawn, original [][]float64) (float64, error) {
	if len(drawn) == 0 {
		return 0, fmt.Errorf("nothing drawn of %d vertices", len(original))
	}
	at := 0
	segment := make([]int, len(original))
	for i, v := range original {
		if at < len(drawn) && near(v, drawn[at]) {
			at++
		}
		segment[i] = max(at-1, 0)
	}
	if at != len(drawn) {
		return 0, fmt.Errorf("drawn vertex %d at %v is none of the original's", at, drawn[at])
	}
	worst := 0.0
	for i, v := range original {
		best := math.Inf(1)
		for s := max(0, segment[i]-40); s <= min(len(drawn)-1, segment[i]+40); s++ {
			best = min(best, metres(v, drawn[s], drawn[min(s+1, len(drawn)-1)]))
		}
		worst = max(worst, best)
	}
	return worst, nil
}

// metres is the distance of p to the segment a–b on a local plane.
func metres(p, a, b []float64) float64 {
	const perDegree = 6371008.8 * math.Pi / 180
	cos := math.Cos(p[1] * math.Pi / 180)
	ax, ay := (a[0]-p[0])*cos*perDegree, (a[1]-p[1])*perDegree
	bx, by := (b[0]-p[0])*cos*perDegree, (b[1]-p[1])*perDegree
	dx, dy := bx-ax, by-ay
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = min(1, max(0, -(ax*dx+ay*dy)/l))
	}
	return math.Hypot(ax+t*dx, ay+t*dy)
}
