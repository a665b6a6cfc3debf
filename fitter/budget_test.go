package fitter_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
)

// TestBudgetIsUsed fits documents for which a tolerance alone leaves room: ties, lines near the length from which they are compressed apart,
// altitudes. Each budget is large enough for a vertex to be less than 0.5 % of it.
func TestBudgetIsUsed(t *testing.T) {
	t.Parallel()
	one := func(line [][2]float64) []byte {
		return []byte(`{"features":[{"geometry":{"type":"LineString","coordinates":` + string(appendLine(nil, line)) + `},"properties":{}}]}`)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	altitudes := func(n int) []byte {
		doc := one(roadLine(rng, n, 7))
		at := 0
		return regexp.MustCompile(`\d\]`).ReplaceAllFunc(doc, func(b []byte) []byte {
			at++
			return fmt.Appendf(nil, "%c,%d.5]", b[0], at%7*1000+at)
		})
	}
	many := func(n, count int) []byte {
		var features [][]byte
		for range n {
			features = append(features, routeFeature(rng, roadLine(rng, count, 7), false))
		}
		return []byte(`{"features":[` + string(bytes.Join(features, []byte(","))) + `]}`)
	}
	for _, c := range []struct {
		name  string
		doc   []byte
		chars int
	}{
		{"zigzag", one(pathological("zigzag", 4000)), 2700},
		{"long zigzag", one(pathological("zigzag", 20_000)), 10_000},
		{"growing zigzag", one(pathological("growing", 4000)), 2600},
		{"one place", one(pathological("still", 20_000)), 2500},
		{"spiral", one(pathological("spiral", 4000)), 7000},
		{"altitudes", altitudes(1000), 4500},
		{"lines near 64 vertices", many(20, 130), 16_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan := noSheds(routePlan())
			plan.LargestM = 1e6
			for chars := c.chars; chars < c.chars*5/4; chars += c.chars / 20 {
				r := fitTo(t, c.doc, plan, chars)
				if r.Status != fitter.Fitted || r.Points == r.OriginalPoints || r.Chars*1000 < chars*995 {
					t.Errorf("status %d, %d of %d vertices in %d of %d characters", r.Status, r.Points, r.OriginalPoints, r.Chars, chars)
				}
			}
		})
	}
}

// checkBudgetUsed checks that 99.5 % of the budget or more is used where something was left out. What [fitter.Fit] says of
// exceptions is computed, not believed: every vertex that is missing is put back alone, and either the document with it is
// above the budget or the error is larger.
func checkBudgetUsed(t failer, doc []byte, plan fitter.Plan, budget fitter.Budget, r fitter.Result) {
	t.Helper()
	chars := budget.Chars + budget.Extra
	if r.Status != fitter.Fitted || r.Chars*1000 >= chars*995 {
		return
	}
	if r.Points == r.OriginalPoints {
		checkShedForNothing(t, doc, plan, budget, r)
		return
	}
	got := unpack(t, r.AppData)
	before, after := routesOf(t, doc, plan), routesOf(t, got, plan)
	decimals := 0
	for _, s := range r.Steps {
		if s.Kept {
			decimals = s.Decimals
		}
	}
	for i := range before {
		l := newLeftOut(doc, got, before[i], after[i], decimals, len(r.Shed) == 0)
		l.each(func(k, v int) {
			if l.errorWith(k, v) > r.MaxErrorM {
				return
			}
			s, err := fitter.Fit(l.putBack(k, v), fitter.Plan{Lines: plan.Lines, Exact: true}, budget)
			if err != nil || s.Status == fitter.Exact {
				t.Fatalf("%d characters of %d, and with vertex %d of route %d it would be %d, of %d vertices with %v m (%v)",
					r.Chars, chars, v, i, s.Chars, r.OriginalPoints, r.MaxErrorM, err)
			}
		})
	}
}

// checkShedForNothing checks that of a document that has all its vertices the last shed was needed: without it the error is not
// comfortable, or nothing fits.
func checkShedForNothing(t failer, doc []byte, plan fitter.Plan, budget fitter.Budget, r fitter.Result) {
	t.Helper()
	if len(r.Shed) == 0 {
		return
	}
	last := slices.IndexFunc(plan.Sheds, func(s fitter.Shed) bool { return s.Name == r.Shed[len(r.Shed)-1] })
	plan.Sheds = plan.Sheds[:last]
	if r, err := fitter.Fit(doc, plan, budget); err != nil || r.Status == fitter.Fitted && r.MaxErrorM <= plan.ComfortableM {
		t.Fatalf("without shedding it has %v m (%v)", r.MaxErrorM, err)
	}
}

// leftOut is a route and what became of it.
type leftOut struct {
	doc, got      []byte
	before, after route
	decimals      int

	at    [][2]float64 // vertices, longitudes continuous within a part
	now   [][2]float64 // the written ones
	stays []int        // by written position: its vertex, −1 where it may be one or another
}

// newLeftOut finds the vertices that stayed: the ends of parts, those that an index names if indices can be compared, and between
// these the ones where the written ones are.
func newLeftOut(doc, got []byte, before, after route, decimals int, indices bool) *leftOut {
	l := &leftOut{doc: doc, got: got, before: before, after: after, decimals: decimals}
	was, is := before.vertices(), after.vertices()
	fixed := make([]int, len(is))
	for k := range fixed {
		fixed[k] = -1
	}
	first, written := 0, 0
	for j, part := range before.parts {
		l.at = append(l.at, unwrapped(part)...)
		if len(part) > 0 {
			fixed[written] = first
			first, written = first+len(part), written+len(after.parts[j])
			fixed[written-1] = first - 1
		}
	}
	for i, s := range before.indices {
		if v, ok := vertexAt(doc, s, len(was)); ok && indices {
			now, _ := vertexAt(got, after.indices[i], len(is))
			fixed[now] = v
		}
	}
	l.embed(fixed)
	for _, part := range after.parts {
		l.now = append(l.now, unwrapped(part)...)
	}
	return l
}

// embed finds the vertices that stayed: of those that may have, the first and the last, which have to be one.
func (l *leftOut) embed(fixed []int) {
	was, is := l.before.vertices(), l.after.vertices()
	same := func(v, k int) bool {
		return fixed[k] == v || fixed[k] < 0 && l.round(was[v][0]) == is[k][0] && l.round(was[v][1]) == is[k][1] && slices.Equal(was[v][2:], is[k][2:])
	}
	l.stays = make([]int, len(is))
	for k, v := 0, 0; k < len(is); k, v = k+1, v+1 {
		for !same(v, k) {
			v++
		}
		l.stays[k] = v
	}
	for k, v := len(is)-1, len(was)-1; k >= 0; k, v = k-1, v-1 {
		for !same(v, k) {
			v--
		}
		if l.stays[k] != v {
			l.stays[k] = -1
		}
	}
}

// each calls f with the vertices that were left out, and the written positions before which they were.
func (l *leftOut) each(f func(k, v int)) {
	k := 0
	for _, part := range l.after.parts {
		for i := range part {
			if i > 0 && l.stays[k-1] >= 0 && l.stays[k] >= 0 {
				for v := l.stays[k-1] + 1; v < l.stays[k]; v++ {
					f(k, v)
				}
			}
			k++
		}
	}
}

func (l *leftOut) round(x float64) float64 {
	scale := math.Pow10(l.decimals)
	return math.Floor(x*scale+0.5) / scale
}

// errorWith is the error of the chords that a vertex put back would make, no less than Fit would say of them.
func (l *leftOut) errorWith(k, v int) float64 {
	worst, middle := 0.0, [2]float64{l.round(l.at[v][0]), l.round(l.at[v][1])}
	for _, c := range []struct {
		first, last int
		from, to    [2]float64
	}{{l.stays[k-1], v, l.now[k-1], middle}, {v, l.stays[k], middle, l.now[k]}} {
		if math.Abs(c.from[0]-c.to[0]) >= 180 {
			return math.Inf(1)
		}
		for i := c.first; i <= c.last; i++ {
			worst = max(worst, generousDistance(l.at[i], c.from, c.to))
		}
	}
	return worst
}

// generousDistance is segmentDistance where the earth is flattest, and with the longest degree of longitude around.
func generousDistance(p, a, b [2]float64) float64 {
	const perDegree = 6399593.6258 * math.Pi / 180
	lat := min(math.Abs(p[1]), math.Abs(a[1]), math.Abs(b[1]))
	if a[1] > 0 != (b[1] > 0) {
		lat = 0
	}
	k := math.Cos(min(lat, 90)*math.Pi/180) + 1e-6
	ax, ay := (a[0]-p[0])*k, a[1]-p[1]
	dx, dy := (b[0]-a[0])*k, b[1]-a[1]
	along := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		along = math.Max(0, math.Min(1, -(ax*dx+ay*dy)/length))
	}
	return perDegree * math.Hypot(ax+along*dx, ay+along*dy) * (1 + 1e-6)
}

// putBack is the written document with one vertex more, before a written position.
func (l *leftOut) putBack(at, v int) []byte {
	inPart, first, j := at, 0, 0
	for ; inPart >= len(l.after.parts[j]); j++ {
		inPart -= len(l.after.parts[j])
		first += len(l.before.parts[j])
	}
	var b bytes.Buffer
	b.WriteByte('[')
	k := 0
	for e := range jsonspan.Elements(l.got, l.after.spans[j]) {
		if k > 0 {
			b.WriteByte(',')
		}
		if k == inPart {
			l.writePosition(&b, j, v-first)
			b.WriteByte(',')
		}
		b.Write(e.Of(l.got))
		k++
	}
	b.WriteByte(']')
	edits := []jsonspan.Edit{{Span: l.after.spans[j], With: b.Bytes()}}
	for _, s := range l.after.indices {
		if v, ok := vertexAt(l.got, s, len(l.after.vertices())); ok && v >= at {
			edits = append(edits, jsonspan.Edit{Span: s, With: strconv.AppendInt(nil, int64(v+1), 10)})
		}
	}
	jsonspan.Sort(edits)
	return jsonspan.Apply(nil, l.got, edits)
}

// writePosition writes a position of a part as Fit would.
func (l *leftOut) writePosition(b *bytes.Buffer, part, n int) {
	k := 0
	for e := range jsonspan.Elements(l.doc, l.before.spans[part]) {
		if k++; k <= n {
			continue
		}
		sep := byte('[')
		var tail []byte
		i := 0
		for number := range jsonspan.Elements(l.doc, e) {
			switch {
			case i < 2:
				v, _ := strconv.ParseFloat(string(number.Of(l.doc)), 64)
				b.WriteByte(sep)
				b.Write(strconv.AppendFloat(nil, l.round(v)+0, 'f', -1, 64))
				sep = ','
			case i == 2:
				tail = l.doc[number.Start:]
				tail = tail[:e.End-1-number.Start]
			}
			i++
		}
		if tail != nil {
			b.WriteByte(',')
			b.Write(bytes.TrimRight(tail, " \t\r\n"))
		}
		b.WriteByte(']')
		return
	}
}
