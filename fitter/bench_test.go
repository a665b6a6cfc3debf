package fitter_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"tomtom-mcp-gateway/fitter"
)

const benchChars = 115_700

// benchDocument is one of the documents that figures are given for. plan is routePlan unless it says otherwise.
type benchDocument struct {
	name string
	doc  func(testing.TB) []byte
}

func benchDocuments() []benchDocument {
	captured := func(name string) func(testing.TB) []byte {
		return func(tb testing.TB) []byte { tb.Helper(); return capturedText(tb, name) }
	}
	generated := func(rich bool, counts ...int) func(testing.TB) []byte {
		return func(tb testing.TB) []byte {
			tb.Helper()
			rng := rand.New(rand.NewPCG(1, 2))
			var features [][]byte
			for _, n := range counts {
				features = append(features, routeFeature(rng, roadLine(rng, n, 7), rich))
			}
			return []byte(`{"type":"FeatureCollection","features":[` + string(bytes.Join(features, []byte(","))) + `]}`)
		}
	}
	return []benchDocument{
		{"recorded-39414", captured("tomtom-get-viz-data-routing-39414.json")},
		{"osm-52778", func(tb testing.TB) []byte { tb.Helper(); return sharedFile(tb, "data/osm-route-52778.geojson") }},
		{"osm-39414", func(tb testing.TB) []byte { tb.Helper(); return firstVertices(tb, 39414) }},
		{"plain-15000", generated(false, 15000)},
		{"plain-20571", generated(false, 20571)},
		{"plain-24000", generated(false, 24000)},
		{"plain-27000", generated(false, 27000)},
		{"plain-39414", generated(false, 39414)},
		{"plain-3-routes-61571", generated(false, 20571, 20500, 20500)},
		{"rich-39414", generated(true, 39414)},
	}
}

// firstVertices is the recorded road track, cut off after n vertices.
func firstVertices(tb testing.TB, n int) []byte {
	tb.Helper()
	doc := sharedFile(tb, "data/osm-route-52778.geojson")
	for at := 0; ; n-- {
		next := bytes.Index(doc[at:], []byte("],["))
		if next < 0 {
			tb.Fatal("the road track has fewer vertices")
		}
		if at += next; n == 1 {
			return append(bytes.Clone(doc[:at]), "]]}}"...)
		}
		at += 3
	}
}

// BenchmarkReference sets the published method beside Fit on the same documents.
func BenchmarkReference(b *testing.B) {
	for _, d := range benchDocuments() {
		b.Run(d.name, func(b *testing.B) {
			doc, plan := d.doc(b), routePlan()
			var points, chars int
			var errorM float64
			for b.Loop() {
				points, errorM, chars = referenceFit(b, doc, plan, benchChars)
			}
			b.ReportMetric(float64(points), "vertices")
			b.ReportMetric(errorM, "error_m")
			b.ReportMetric(float64(chars)*100/benchChars, "budget_pct")
		})
	}
}

func BenchmarkFit(b *testing.B) {
	docs := benchDocuments()
	for _, d := range docs {
		for _, ladder := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/ladder=%v", d.name, ladder), func(b *testing.B) {
				doc, plan := d.doc(b), routePlan()
				if !ladder {
					plan = noSheds(plan)
				}
				r := benchFit(b, doc, plan, benchChars)
				if b.N > 0 && testing.Verbose() {
					for _, s := range r.Steps {
						b.Logf("%+v", s)
					}
				}
			})
		}
	}
}

// benchFit fits doc again and again and reports the median processor time as a multiple of that of one klauspost gzip level 1 over the same
// bytes, taken in turns: other processes on the machine then change little.
func benchFit(b *testing.B, doc []byte, plan fitter.Plan, chars int) fitter.Result {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var ownTime, level1 []time.Duration
	b.ReportAllocs()
	r := fitTo(b, doc, plan, chars)
	for b.Loop() {
		began := threadTime(b)
		r = fitTo(b, doc, plan, chars)
		between := threadTime(b)
		yardstick, err := gzip.NewWriterLevel(io.Discard, 1)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := yardstick.Write(doc); err != nil {
			b.Fatal(err)
		}
		if err := yardstick.Close(); err != nil {
			b.Fatal(err)
		}
		ownTime, level1 = append(ownTime, between-began), append(level1, threadTime(b)-between)
	}
	slices.Sort(ownTime)
	slices.Sort(level1)
	own, level := ownTime[len(ownTime)/2], level1[len(level1)/2]
	b.ReportMetric(float64(own)/float64(level), "x_gzip1")
	b.ReportMetric(float64(own.Microseconds())/1000, "cpu_ms")
	b.ReportMetric(float64(r.Points), "vertices")
	b.ReportMetric(r.MaxErrorM, "error_m")
	b.ReportMetric(float64(r.Chars)*100/float64(chars), "budget_pct")
	return r
}
