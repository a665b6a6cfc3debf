package fitter_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter"
)

// marker makes documents in which every object that names a vertex also says in a member that is no index which one that was.
// So it can be checked whatever was shed.
type marker struct{ *rand.Rand }

// line makes the coordinates of n vertices, hard in one way or another.
func (m marker) line(n int) string {
	x, y := m.Float64()*340-170, m.Float64()*160-80
	shape := m.IntN(6)
	switch shape {
	case 0:
		x = 179.9999
	case 1:
		x = m.Float64()*1990 - 995
	case 2:
		x, y = m.Float64()*2e-4, -m.Float64()*2e-4
	}
	step := []float64{1e-6, 1e-5, 1e-4, 1e-3}[m.IntN(4)]
	decimals := []int{3, 5, 6, 7, 7, 9}[m.IntN(6)]
	tails := m.IntN(3) == 0
	heading := m.Float64() * 6
	var b strings.Builder
	for i := range n {
		if shape == 3 { // zigzag
			x, y = x+step, y+step*20*float64(i%2*2-1)
		} else {
			heading += m.NormFloat64() * 0.1
			x += step * math.Cos(heading) * (0.2 + m.Float64())
			y += step * math.Sin(heading) * (0.2 + m.Float64())
		}
		if shape != 1 && x > 180 {
			x -= 360
		}
		fmt.Fprintf(&b, ",[%s,%s", strconv.FormatFloat(x, 'f', decimals, 64), strconv.FormatFloat(min(max(y, -90), 90), 'f', decimals, 64))
		if tails && m.IntN(3) > 0 {
			fmt.Fprintf(&b, ",%d.%d", i, m.IntN(100))
		}
		b.WriteByte(']')
	}
	return "[" + strings.TrimPrefix(b.String(), ",") + "]"
}

// size is mostly about where lines begin to be compressed apart.
func (m marker) size() int {
	switch m.IntN(6) {
	case 0:
		return m.IntN(4)
	case 1:
		return 100 + m.IntN(300)
	case 2:
		return m.IntN(60)
	}
	return 58 + m.IntN(14)
}

// items makes objects that name some of n vertices.
func (m marker) items(n int, index string) string {
	var all []string
	for range m.IntN([]int{2, 8, 50}[m.IntN(3)]) * min(n, 1) {
		a, b := m.IntN(n), m.IntN(n)
		item := fmt.Sprintf(`{%q:%d,"was":%d,"endPointIndex":%d,"end":%d`, index, a, a, b, b)
		if index != "startPointIndex" {
			item = fmt.Sprintf(`{%q:%d,"was":%d`, index, a, a)
		}
		if m.IntN(2) == 0 {
			item += fmt.Sprintf(`,"id":%q`, randomID(m.Rand))
		}
		all = append(all, item+"}")
	}
	return "[" + strings.Join(all, ",") + "]"
}

func (m marker) feature() string {
	n, lines := 0, []string(nil)
	kind, parts := "LineString", 1
	if m.IntN(4) == 0 {
		kind, parts = "MultiLineString", 1+m.IntN(4)
	}
	for range parts {
		size := m.size()
		n += size
		lines = append(lines, m.line(size))
	}
	coordinates := strings.Join(lines, ",")
	if kind != "LineString" {
		coordinates = "[" + coordinates + "]"
	}
	var sections []string
	for _, name := range []string{"lanes", "leg", "roadShields", "traffic", "speedLimit"} {
		if m.IntN(3) > 0 {
			sections = append(sections, fmt.Sprintf("%q:%s", name, m.items(n, "startPointIndex")))
		}
	}
	members := []string{
		`"sections":{` + strings.Join(sections, ",") + `}`,
		`"guidance":{"instructions":` + m.items(n, "pathPointIndex") + `}`,
		`"progress":` + m.items(n, "pointIndex"),
	}
	m.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	both := []string{
		fmt.Sprintf(`"geometry":{"type":%q,"coordinates":%s}`, kind, coordinates),
		`"properties":{` + strings.Join(members[m.IntN(3):], " ,") + `}`,
	}
	m.Shuffle(2, func(i, j int) { both[i], both[j] = both[j], both[i] })
	return `{"type":"Feature",` + strings.Join(both, ",") + "}"
}

func (m marker) document() []byte {
	features := []string{m.feature()}
	for range m.IntN(3) * m.IntN(2) {
		features = append(features, m.feature())
	}
	return []byte(`{"features":[` + strings.Join(features, ",") + `]}`)
}

// checkMarks checks that what names a vertex still names the one that it is marked with.
func checkMarks(t failer, doc, got []byte, plan fitter.Plan) {
	t.Helper()
	var d any
	if err := json.Unmarshal(got, &d); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	before, after := routesOf(t, doc, plan), routesOf(t, got, plan)
	at := 0
	for _, f := range d.(map[string]any)["features"].([]any) {
		was, is := before[at].vertices(), after[at].vertices()
		at++
		walkMarks(f.(map[string]any)["properties"], func(index, mark int) {
			if index >= len(is) || math.Abs(is[index][0]-was[mark][0]) > 0.5001e-5 || math.Abs(is[index][1]-was[mark][1]) > 0.5001e-5 {
				t.Fatalf("vertex %d at %v became %d of %v", mark, was[mark], index, is)
			}
		})
	}
}

func walkMarks(value any, check func(index, mark int)) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			walkMarks(e, check)
		}
	case map[string]any:
		for name, e := range v {
			switch name {
			case "startPointIndex", "pointIndex", "pathPointIndex":
				check(int(e.(float64)), int(v["was"].(float64)))
			case "endPointIndex":
				check(int(e.(float64)), int(v["end"].(float64)))
			default:
				walkMarks(e, check)
			}
		}
	}
}

// TestMarkedDocuments fits small documents of every kind to budgets of every size. Beside what holds for all results, nothing is
// shed where it would be comfortable without.
func TestMarkedDocuments(t *testing.T) { //nolint:tparallel // one subtest after the other: there are many, and each is short
	t.Parallel()
	fitted := 0
	for seed := range uint64(150) {
		m := marker{rand.New(rand.NewPCG(41, seed))}
		doc, plan := m.document(), routePlan()
		plan.LargestM = 1e7
		plan.ComfortableM = []float64{0, 0.7, 10, 100}[m.IntN(4)]
		budget := fitter.Budget{Chars: exactChars(t, doc, plan) * (2 + m.IntN(100)) / 100, Extra: m.IntN(2) * m.IntN(100)}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { //nolint:paralleltest // see above
			r := checkAll(t, doc, plan, budget)
			if r.Status == fitter.TooLarge {
				return
			}
			checkMarks(t, doc, unpack(t, r.AppData), plan)
			if r.Status != fitter.Fitted {
				return
			}
			fitted++
			bare, err := fitter.Fit(doc, noSheds(plan), budget)
			if err != nil {
				t.Fatal(err)
			}
			if bare.Status == fitter.Fitted && bare.MaxErrorM <= plan.ComfortableM && len(r.Shed) > 0 {
				t.Errorf("shed %v, for %v m, although it is %v m without", r.Shed, r.MaxErrorM, bare.MaxErrorM)
			}
		})
	}
	if fitted < 50 {
		t.Errorf("%d documents were fitted", fitted)
	}
}

// TestRoomIsUsed fits lines of several lengths, some so short that they are compressed with everything else, to more and more
// room: the error falls, and where vertices are missing the room is used.
func TestRoomIsUsed(t *testing.T) {
	t.Parallel()
	const best = 0.08 // metres, with six decimals
	for _, each := range []int{20, 60, 66, 200, 2000} {
		rng := rand.New(rand.NewPCG(3, uint64(each)))
		doc := []byte(`{"features":[{"geometry":{"type":"MultiLineString","coordinates":[`)
		for range 4000 / each {
			doc = append(appendLine(doc, roadLine(rng, each, 7)), ',')
		}
		doc = append(doc[:len(doc)-1], `]}}]}`...)
		plan := routePlan()
		chars, last := exactChars(t, doc, plan), math.Inf(1)
		for tenths := 3; tenths < 10; tenths++ {
			r := fitTo(t, doc, plan, chars*tenths/10)
			used := float64(r.Chars) / float64(chars*tenths/10)
			if r.Status != fitter.Fitted || r.MaxErrorM > last || used < 0.995 && r.Points < r.OriginalPoints && r.MaxErrorM > best {
				t.Errorf("lines of %d, %d tenths: status %d, %v m after %v m, %.4f of the room", each, tenths, r.Status, r.MaxErrorM, last, used)
			}
			last = r.MaxErrorM
		}
		if last > best {
			t.Errorf("lines of %d: %v m with nine tenths of the room", each, last)
		}
	}
}

// TestLongNumbers has numbers and white space in coordinates that are longer than the window of deflate.
func TestLongNumbers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, long := range []int{2000, 11000, 40000} {
		pad := strings.Repeat("0", long)
		for _, form := range []string{
			"[%.7f,%.7f,1." + pad + "]", "[%.7f,%.7f,1." + pad + ",5,6,7]", "[%.7f," + strings.Repeat(" ", long) + "%.7f]", "[%.7f" + pad + ",%.7f]",
		} {
			var b strings.Builder
			for _, p := range roadLine(rng, 100, 7) {
				fmt.Fprintf(&b, ","+form, p[0], p[1])
			}
			doc := []byte(`{"features":[{"geometry":{"type":"LineString","coordinates":[` + b.String()[1:] + `]}}]}`)
			for _, chars := range []int{1200, 1 << 26} {
				checkAll(t, doc, routePlan(), fitter.Budget{Chars: chars})
			}
		}
	}
}

// TestHugeShed has a member to be shed of more bits than a 32-bit price can count. What comes after it is not shed, too.
func TestHugeShed(t *testing.T) {
	if testing.Short() {
		t.Skip("moves tens of megabytes")
	}
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/"
	lanes := make([]byte, 22<<20)
	for i := range lanes {
		lanes[i] = digits[rng.Uint32()%64]
	}
	doc := string(routeDocument(rng, roadLine(rng, 20000, 7), false))
	doc = strings.Replace(doc, `"sections":{`, `"sections":{"lanes":[{"x":"`+string(lanes)+`"}],`, 1)
	r := fitTo(t, []byte(doc), routePlan(), 115600)
	if r.Status != fitter.Fitted || !slices.Equal(r.Shed, []string{"lanes"}) {
		t.Errorf("status %d, %v m, shed %v", r.Status, r.MaxErrorM, r.Shed)
	}
}
