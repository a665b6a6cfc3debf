package fitter_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tomtom-mcp-gateway/fitter"
)

// drawNumber spells a coordinate in one of the ways JSON allows.
func drawNumber(t *rapid.T, v float64) string {
	switch rapid.IntRange(0, 9).Draw(t, "spelling") {
	case 0:
		return strconv.FormatFloat(v, 'e', -1, 64)
	case 1:
		return strconv.FormatFloat(v, 'f', 12, 64)
	case 2:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case 3:
		return strconv.FormatFloat(v, 'f', 5, 64)
	default:
		return strconv.FormatFloat(v, 'f', 7, 64)
	}
}

// drawLine makes the coordinates of one line, of a shape that is hard in one way or another.
func drawLine(t *rapid.T, most int) (text string, count int) {
	n := rapid.IntRange(0, most).Draw(t, "vertices")
	shape := rapid.SampledFrom([]string{"walk", "still", "zigzag", "ring", "antimeridian", "pole", "jump"}).Draw(t, "shape")
	altitude := rapid.Bool().Draw(t, "altitude")
	x, y := rapid.Float64Range(-170, 170).Draw(t, "lon"), rapid.Float64Range(-80, 80).Draw(t, "lat")
	switch shape {
	case "antimeridian":
		x = 179.99
	case "pole":
		y = 89.999
	}
	x0, y0 := x, y
	step := rapid.SampledFrom([]float64{1e-6, 1e-4, 1e-2}).Draw(t, "step")
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case shape == "still":
		case shape == "zigzag":
			x, y = x0+step*float64(i), y0+step*float64(i%2)
		case shape == "ring" && i == n-1:
			x, y = x0, y0
		case shape == "jump" && rapid.IntRange(0, 5).Draw(t, "jumps") == 0:
			x, y = rapid.Float64Range(-180, 180).Draw(t, "lon"), rapid.Float64Range(-90, 90).Draw(t, "lat")
		default:
			x += step * rapid.Float64Range(-0.3, 1).Draw(t, "dx")
			y += step * rapid.Float64Range(-1, 1).Draw(t, "dy")
		}
		if x > 180 {
			x -= 360
		}
		y = min(max(y, -90), 90)
		fmt.Fprintf(&b, "[%s,%s", drawNumber(t, x), drawNumber(t, y))
		if altitude && i%3 > 0 {
			fmt.Fprintf(&b, ", %d.50", i)
		}
		b.WriteByte(']')
	}
	b.WriteByte(']')
	return b.String(), n
}

// drawIndex makes a value for an index member: mostly an index, sometimes something that is none.
func drawIndex(t *rapid.T, n int) string {
	return rapid.OneOf(
		rapid.Map(rapid.IntRange(0, n+1), strconv.Itoa),
		rapid.SampledFrom([]string{"-1", "1.5", "1e1", `"3"`, "null", "99999999999999999999", "[1]", `{"startPointIndex":2}`, "true"}),
	).Draw(t, "index")
}

// drawFeature makes a route feature, its members in either order, and things around that must not change.
func drawFeature(t *rapid.T, most int) string {
	parts, n := 1, 0
	kind := rapid.SampledFrom([]string{"LineString", "LineString", "MultiLineString", "Polygon"}).Draw(t, "kind")
	if kind != "LineString" {
		parts = rapid.IntRange(0, 3).Draw(t, "parts")
	}
	var texts []string
	for range parts {
		text, count := drawLine(t, most)
		texts = append(texts, text)
		n += count
	}
	coords := strings.Join(texts, ", ")
	if kind != "LineString" {
		coords = "[" + coords + "]"
	}
	geometry := fmt.Sprintf(`"geometry":{"type":%q, "coordinates":%s}`, kind, coords)
	if rapid.Bool().Draw(t, "type last") {
		geometry = fmt.Sprintf(`"geometry": {"bbox":[1,2,3,4],"coordinates":%s,"type":%q}`, coords, kind)
	}
	var sections, progress []string
	for range rapid.IntRange(0, 3).Draw(t, "sections") {
		sections = append(sections, fmt.Sprintf(`{"startPointIndex":%s,"endPointIndex": %s,"x":{"coordinates":[[1.23456789,2],[3,4]]}}`,
			drawIndex(t, n), drawIndex(t, n)))
	}
	for range rapid.IntRange(0, 3).Draw(t, "progress") {
		progress = append(progress, fmt.Sprintf(`{"pointIndex":%s,"distanceInMeters":%d.0}`, drawIndex(t, n), n))
	}
	properties := fmt.Sprintf(`"properties":{"index":0,"note":"é\u00e9 \"[","sections":{"leg":[%s]},"progress":[%s]}`,
		strings.Join(sections, " , "), strings.Join(progress, ","))
	if rapid.Bool().Draw(t, "properties first") {
		geometry, properties = properties, geometry
	}
	return `{"type":"Feature",` + geometry + `,` + properties + `}`
}

func drawDocument(t *rapid.T, most int) []byte {
	var features []string
	for range rapid.IntRange(1, 3).Draw(t, "features") {
		features = append(features, drawFeature(t, most))
	}
	return []byte(` {"bbox":[0.10,1.0E2],"features":[` + strings.Join(features, ",\n ") + `],"tail":[1.0,-0,"` +
		strings.Repeat("z", rapid.IntRange(0, 9).Draw(t, "z")) + `"]}` + "\n")
}

// checkAll checks what holds for every result.
func checkAll(t failer, doc []byte, plan fitter.Plan, budget fitter.Budget) fitter.Result {
	t.Helper()
	kept := bytes.Clone(doc)
	r, err := fitter.Fit(doc, plan, budget)
	if err != nil {
		t.Fatalf("Fit: %v", err)
	}
	if !bytes.Equal(doc, kept) {
		t.Fatal("the document was changed in place")
	}
	again, err := fitter.Fit(doc, plan, budget)
	if err != nil || !bytes.Equal(again.AppData, r.AppData) {
		t.Fatalf("equal input gave other bytes (%v)", err)
	}
	if r.Chars > budget.Chars+budget.Extra && r.Status != fitter.TooLarge || r.UsedExtra != (r.Status != fitter.TooLarge && r.Chars > budget.Chars) {
		t.Fatalf("%d characters (extra: %v) for a budget of %+v", r.Chars, r.UsedExtra, budget)
	}
	switch r.Status {
	case fitter.TooLarge:
		if r.AppData != nil || r.Points != 0 {
			t.Fatalf("too large, with %d vertices in %d characters", r.Points, len(r.AppData))
		}
		return r
	case fitter.Exact:
		if got := unpack(t, r.AppData); !bytes.Equal(got, doc) && len(plan.Drop) == 0 {
			t.Fatalf("exact, but\n%s\nbecame\n%s", doc, got)
		}
	case fitter.Fitted:
		if r.Shed == nil || r.MaxErrorM > plan.LargestM {
			t.Fatalf("fitted with error %v m and shed %v", r.MaxErrorM, r.Shed)
		}
		checkFitted(t, doc, plan, r)
		checkBudgetUsed(t, doc, plan, budget, r)
	default:
		t.Fatalf("status %d", r.Status)
	}
	if len(r.AppData) != r.Chars {
		t.Fatalf("%d characters, reported %d", len(r.AppData), r.Chars)
	}
	once, err := fitter.Fit(unpack(t, r.AppData), plan, budget)
	if err != nil || once.Status != fitter.Exact || !bytes.Equal(once.AppData, r.AppData) {
		t.Fatalf("fitting it again gave status %d, %d characters instead of %d (%v)", once.Status, once.Chars, r.Chars, err)
	}
	return r
}

func TestFitProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		doc := drawDocument(rt, 60)
		plan := noSheds(routePlan())
		plan.LargestM = rapid.SampledFrom([]float64{1, 1000, 5000}).Draw(rt, "largest")
		budget := fitter.Budget{Chars: rapid.IntRange(100, 2500).Draw(rt, "chars"), Extra: rapid.IntRange(0, 300).Draw(rt, "extra")}
		checkAll(rt, doc, plan, budget)
	})
}

func TestFitLongLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		doc := drawDocument(rt, 400)
		plan := noSheds(routePlan())
		plan.LargestM = 5000
		checkAll(rt, doc, plan, fitter.Budget{Chars: rapid.IntRange(600, 6000).Draw(rt, "chars")})
	})
}
