package fitter_test

import (
	"encoding/json"
	"math"
	"slices"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
)

// route is one route feature as a plain reader sees it: an independent twin of what the scanner finds.
type route struct {
	parts   [][][]float64
	spans   []jsonspan.Span // of the coordinates, a part each
	indices []jsonspan.Span // every value that the plan calls an index, whatever it is
}

// vertices returns the vertices of all parts in order.
func (r route) vertices() [][]float64 { return slices.Concat(r.parts...) }

// follow yields the values at which a path ends.
func follow(doc []byte, at jsonspan.Span, path fitter.Path, yield func(jsonspan.Span)) {
	if len(path) == 0 {
		yield(at)
		return
	}
	for m := range jsonspan.Members(doc, at) {
		if path[0] == "*" || m.Named(doc, path[0]) {
			follow(doc, m.Value, path[1:], yield)
		}
	}
	if path[0] == "*" {
		for e := range jsonspan.Elements(doc, at) {
			follow(doc, e, path[1:], yield)
		}
	}
}

// routesOf reads the route features of a document.
func routesOf(tb failer, doc []byte, plan fitter.Plan) []route {
	tb.Helper()
	root, err := jsonspan.Scan(doc)
	if err != nil {
		tb.Fatalf("not JSON: %v", err)
	}
	var routes []route
	for _, path := range plan.Lines {
		follow(doc, root, path, func(f jsonspan.Span) {
			var r route
			coords, ok := jsonspan.Lookup(doc, f, "geometry", "coordinates")
			kind, _ := jsonspan.Lookup(doc, f, "geometry", "type")
			if !ok {
				return
			}
			switch string(kind.Of(doc)) {
			case `"LineString"`:
				r.spans = []jsonspan.Span{coords}
			case `"MultiLineString"`:
				r.spans = slices.Collect(jsonspan.Elements(doc, coords))
			default:
				return
			}
			for _, s := range r.spans {
				var part [][]float64
				if err := json.Unmarshal(s.Of(doc), &part); err != nil {
					return
				}
				r.parts = append(r.parts, part)
			}
			if props, ok := jsonspan.Find(doc, f, "properties"); ok {
				for _, path := range plan.Indices {
					follow(doc, props.Value, path, func(s jsonspan.Span) { r.indices = append(r.indices, s) })
				}
			}
			slices.SortFunc(r.indices, func(a, b jsonspan.Span) int { return a.Start - b.Start })
			routes = append(routes, r)
		})
	}
	return routes
}

// skeleton is a document with the coordinates and the vertex indices of its routes blanked.
func skeleton(doc []byte, routes []route) []byte {
	var edits []jsonspan.Edit
	for _, r := range routes {
		n := len(r.vertices())
		for _, s := range r.spans {
			edits = append(edits, jsonspan.Edit{Span: s, With: []byte("#")})
		}
		for _, s := range r.indices {
			if _, ok := vertexAt(doc, s, n); ok {
				edits = append(edits, jsonspan.Edit{Span: s, With: []byte("#")})
			}
		}
	}
	jsonspan.Sort(edits)
	return jsonspan.Apply(nil, doc, edits)
}

// vertexAt reads a value as an index into n vertices. The number of vertices means the last one.
func vertexAt(doc []byte, s jsonspan.Span, n int) (int, bool) {
	text := s.Of(doc)
	v := 0
	for _, c := range text {
		if c < '0' || c > '9' || v > n {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	if v > n || n == 0 {
		return 0, false
	}
	return min(v, n-1), true
}

// unwrapped makes longitudes continuous.
func unwrapped(part [][]float64) [][2]float64 {
	out := make([][2]float64, len(part))
	turned := 0.0
	for i, p := range part {
		x := p[0] + turned
		if i > 0 {
			for x-out[i-1][0] > 180 {
				x, turned = x-360, turned-360
			}
			for x-out[i-1][0] < -180 {
				x, turned = x+360, turned+360
			}
		}
		out[i] = [2]float64{x, p[1]}
	}
	return out
}

// hausdorff is the largest distance in metres from a vertex of the one line to the other line, by brute force: every
// vertex against every segment, on a sphere of mean radius, flattened at the vertex.
func hausdorff(from, to [][]float64) float64 {
	a, b := unwrapped(from), unwrapped(to)
	worst := 0.0
	for _, p := range a {
		nearest := math.Inf(1)
		for i := range b {
			nearest = min(nearest, segmentDistance(p, b[max(i-1, 0)], b[i]))
		}
		worst = max(worst, nearest)
	}
	return worst
}

func segmentDistance(p, a, b [2]float64) float64 {
	const perDegree = 6371008.8 * math.Pi / 180
	k := perDegree * math.Max(0, math.Cos(p[1]*math.Pi/180))
	ax, ay := (a[0]-p[0])*k, (a[1]-p[1])*perDegree
	dx, dy := (b[0]-a[0])*k, (b[1]-a[1])*perDegree
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = math.Max(0, math.Min(1, -(ax*dx+ay*dy)/l))
	}
	return math.Hypot(ax+t*dx, ay+t*dy)
}

// checkFitted checks what a fitted document must keep, against the one that it came from. With sheds only what is still
// there is compared.
func checkFitted(tb failer, doc []byte, plan fitter.Plan, r fitter.Result) {
	tb.Helper()
	got := unpack(tb, r.AppData)
	before, after := routesOf(tb, doc, plan), routesOf(tb, got, plan)
	if len(before) != len(after) {
		tb.Fatalf("%d routes, had %d", len(after), len(before))
	}
	was, is := 0, 0
	for i := range before {
		b, a := before[i], after[i]
		was, is = was+len(b.vertices()), is+len(a.vertices())
		if len(a.parts) != len(b.parts) {
			tb.Fatalf("route %d: %d lines, had %d", i, len(a.parts), len(b.parts))
		}
		for j := range b.parts {
			if d := hausdorff(b.parts[j], a.parts[j]); d > r.MaxErrorM+1e-12 { // a float's noise
				tb.Fatalf("route %d line %d: the error is %v m, reported %v m", i, j, d, r.MaxErrorM)
			}
		}
		if len(r.Shed) == 0 {
			checkIndices(tb, doc, got, b, a)
		}
	}
	if r.OriginalPoints != was || r.Points != is {
		tb.Fatalf("reported %d of %d vertices, have %d of %d", r.Points, r.OriginalPoints, is, was)
	}
	if len(r.Shed) == 0 {
		if b, a := skeleton(doc, before), skeleton(got, after); string(a) != string(b) {
			tb.Fatalf("outside of lines and indices\n%s\nbecame\n%s", b, a)
		}
	}
}

// checkIndices checks that every index still names the vertex that it named, less rounding, and that what is no index is
// as it was.
func checkIndices(tb failer, doc, got []byte, before, after route) {
	tb.Helper()
	was, is := before.vertices(), after.vertices()
	if len(before.indices) != len(after.indices) {
		tb.Fatalf("%d indices, had %d", len(after.indices), len(before.indices))
	}
	for i, s := range before.indices {
		old, ok := vertexAt(doc, s, len(was))
		if !ok {
			if text := after.indices[i].Of(got); string(text) != string(s.Of(doc)) {
				tb.Fatalf("%s, which is no index, became %s", s.Of(doc), text)
			}
			continue
		}
		now, ok := vertexAt(got, after.indices[i], len(is))
		if !ok {
			tb.Fatalf("index %s became %s", s.Of(doc), after.indices[i].Of(got))
		}
		for k := range 2 {
			if d := math.Abs(was[old][k] - is[now][k]); d > 0.500001e-5 {
				tb.Fatalf("index %d at %v became %d at %v", old, was[old], now, is[now])
			}
		}
		if !slices.Equal(was[old][2:], is[now][2:]) {
			tb.Fatalf("altitude of vertex %d: %v became %v", old, was[old], is[now])
		}
	}
}
