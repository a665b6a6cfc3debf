package fitter_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tomtom-mcp-gateway/fitter"
)

// TestHalfTheReferenceError sets Fit beside the published method: at most half its error, or the error that rounding alone
// makes, in no more characters.
func TestHalfTheReferenceError(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the published method takes seconds")
	}
	const floorM = 0.8
	for _, d := range benchDocuments() {
		if d.name != "osm-39414" && d.name != "plain-39414" && d.name != "osm-52778" {
			continue // the benchmarks have the others
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			doc, plan := d.doc(t), routePlan()
			points, errorM, _ := referenceFit(t, doc, plan, benchChars)
			r := fitTo(t, doc, plan, benchChars)
			if r.Status != fitter.Fitted {
				t.Fatalf("status %d", r.Status)
			}
			if points > 0 && r.MaxErrorM > max(errorM/2, floorM) {
				t.Errorf("error %v m, the published method has %v m", r.MaxErrorM, errorM)
			}
			if r.Points < points*13/10 && r.Points < r.OriginalPoints {
				t.Errorf("%d vertices, the published method has %d", r.Points, points)
			}
			if r.Chars*1000 < benchChars*995 && r.Points < r.OriginalPoints {
				t.Errorf("%d characters of %d", r.Chars, benchChars)
			}
		})
	}
}

// TestLinesShareTheError has three routes of different kinds: their errors come out alike.
func TestLinesShareTheError(t *testing.T) {
	t.Parallel()
	for _, d := range benchDocuments() {
		if d.name != "plain-3-routes-61571" {
			continue
		}
		doc, plan := d.doc(t), noSheds(routePlan())
		r := fitTo(t, doc, plan, benchChars)
		before, after := routesOf(t, doc, plan), routesOf(t, unpack(t, r.AppData), plan)
		for i := range before {
			errorM := nearHausdorff(before[i].vertices(), after[i].vertices())
			if errorM > r.MaxErrorM || errorM < r.MaxErrorM*0.98 {
				t.Errorf("route %d has %v m of %v m", i, errorM, r.MaxErrorM)
			}
		}
	}
}

// nearHausdorff is hausdorff for lines so long that each vertex is compared only with the segments around its place: those from
// the last kept vertex that it equals, less rounding, to some after it.
func nearHausdorff(from, to [][]float64) float64 {
	a, b := unwrapped(from), unwrapped(to)
	worst, at := 0.0, 0
	for _, p := range a {
		if at+1 < len(b) && math.Abs(p[0]-b[at+1][0]) < 0.6e-5 && math.Abs(p[1]-b[at+1][1]) < 0.6e-5 {
			at++
		}
		nearest := math.Inf(1)
		for k := max(at-1, 0); k < min(at+2, len(b)-1); k++ {
			nearest = min(nearest, segmentDistance(p, b[k], b[k+1]))
		}
		worst = max(worst, nearest)
	}
	return worst
}

// pathological lines make Douglas–Peucker quadratic, or leave a tolerance nothing to tell vertices apart by.
func pathological(kind string, n int) [][2]float64 {
	line := make([][2]float64, n)
	for i := range line {
		f := float64(i)
		switch kind {
		case "zigzag":
			line[i] = [2]float64{4 + f*1e-5, 52 + float64(i%2)*1e-3}
		case "growing":
			line[i] = [2]float64{4 + f*1e-5, 52 + float64(i%2)*f*1e-6}
		case "still":
			line[i] = [2]float64{4.1234567, 52.1234567}
		case "spiral":
			line[i] = [2]float64{4 + f*1e-5*math.Cos(f/30), 52 + f*1e-5*math.Sin(f/30)}
		}
	}
	return line
}

func TestPathologicalLines(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"zigzag", "growing", "still", "spiral"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(3, 4))
			doc := routeDocument(rng, pathological(kind, 4000), false)
			plan := noSheds(routePlan())
			plan.LargestM = 1e6
			for _, chars := range []int{4000, 8000, 16000} {
				checkAll(t, doc, plan, fitter.Budget{Chars: chars})
			}
		})
	}
}

// TestAllocations holds Fit to memory that it reuses: what it allocates is the answer and its steps. It is not parallel, since it counts
// for the whole process.
func TestAllocations(t *testing.T) { //nolint:paralleltest // see above
	rng := rand.New(rand.NewPCG(3, 4))
	doc := routeDocument(rng, roadLine(rng, 20_000, 7), true)
	plan := routePlan()
	fitTo(t, doc, plan, benchChars/2)
	allocations := testing.AllocsPerRun(3, func() { fitTo(t, doc, plan, benchChars/2) })
	if allocations > 50 {
		t.Errorf("a call allocates %v times", allocations)
	}
}

func BenchmarkPathological(b *testing.B) {
	for _, kind := range []string{"zigzag", "growing", "still", "spiral"} {
		benchLine(b, kind, pathological(kind, 50_000))
	}
	benchLine(b, "road", roadLine(rand.New(rand.NewPCG(3, 3)), 50_000, 7))
}

func BenchmarkGrowth(b *testing.B) {
	for n := 1000; n <= 1_000_000; n *= 10 {
		benchLine(b, fmt.Sprint(n), roadLine(rand.New(rand.NewPCG(3, 3)), n, 7))
	}
}

// benchLine fits one line without properties into a tenth of what it takes, at most the usual budget.
func benchLine(b *testing.B, name string, line [][2]float64) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		doc := []byte(`{"features":[{"geometry":{"type":"LineString","coordinates":` + string(appendLine(nil, line)) + `},"properties":{}}]}`)
		plan := noSheds(routePlan())
		plan.LargestM = 1e7
		benchFit(b, doc, plan, min(benchChars, len(doc)/10))
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(line)), "ns/vertex")
	})
}

// TestRecordedDocuments fits recorded documents of every kind into several budgets.
func TestRecordedDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"routing-8240", "ev-routing-8240", "search-along-route-8240", "dynamic-map-routes"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := capturedText(t, "tomtom-get-viz-data-"+name+".json")
			for _, chars := range []int{120_000, 60_000, 30_000} {
				plan := routePlan()
				r := fitTo(t, doc, plan, chars)
				if r.Status == fitter.TooLarge || r.Chars > chars {
					t.Fatalf("status %d, %d characters for %d, %v m", r.Status, r.Chars, chars, r.MaxErrorM)
				}
				once := fitTo(t, unpack(t, r.AppData), plan, chars)
				if once.Status != fitter.Exact || string(once.AppData) != string(r.AppData) {
					t.Fatalf("fitting it again: status %d", once.Status)
				}
				if r = fitTo(t, doc, noSheds(plan), chars); r.Status == fitter.Fitted {
					checkIndicesOnly(t, doc, plan, r)
				}
			}
		})
	}
}

// checkIndicesOnly is checkFitted without the brute-force distances, which take too long for long lines.
func checkIndicesOnly(t *testing.T, doc []byte, plan fitter.Plan, r fitter.Result) {
	t.Helper()
	got := unpack(t, r.AppData)
	before, after := routesOf(t, doc, plan), routesOf(t, got, plan)
	for i := range before {
		checkIndices(t, doc, got, before[i], after[i])
	}
	if a, b := skeleton(doc, before), skeleton(got, after); string(a) != string(b) {
		t.Fatal("something outside of lines and indices changed")
	}
}
