package fitter_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"tomtom-mcp-gateway/fitter"
)

const benchChars = 115_700

func BenchmarkFit(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	docs := []struct {
		name string
		doc  func(testing.TB) []byte
	}{
		{"captured-39414", func(tb testing.TB) []byte { return capturedText(tb, "tomtom-get-viz-data-routing-39414.json") }},
		{"osm-52778", func(tb testing.TB) []byte { return sharedFile(tb, "data/osm-route-52778.geojson") }},
		{"plain-20571", func(testing.TB) []byte { return routeDocument(rng, roadLine(rng, 20571, 7), false) }},
		{"plain-39414", func(testing.TB) []byte { return routeDocument(rng, roadLine(rng, 39414, 7), false) }},
		{"rich-39414", func(testing.TB) []byte { return routeDocument(rng, roadLine(rng, 39414, 7), true) }},
	}
	for _, d := range docs {
		for _, ladder := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/ladder=%v", d.name, ladder), func(b *testing.B) {
				doc, plan := d.doc(b), routePlan()
				if !ladder {
					plan = noSheds(plan)
				}
				var r fitter.Result
				var ownTime, level1 time.Duration
				b.ReportAllocs()
				b.SetBytes(int64(len(doc)))
				for b.Loop() {
					var err error
					began := time.Now()
					if r, err = fitter.Fit(doc, plan, fitter.Budget{Chars: benchChars}); err != nil {
						b.Fatal(err)
					}
					ownTime += time.Since(began)
					level1 += gzipLevel1(b, doc)
				}
				b.ReportMetric(float64(ownTime)/float64(level1), "x_gzip1")
				b.ReportMetric(float64(ownTime.Microseconds())/float64(b.N)/1000, "fit_ms")
				b.ReportMetric(float64(r.Points), "vertices")
				b.ReportMetric(r.MaxErrorM, "error_m")
				b.ReportMetric(float64(r.Chars)*100/benchChars, "budget_pct")
				if b.N > 0 && testing.Verbose() {
					for _, s := range r.Steps {
						b.Logf("%+v", s)
					}
				}
			})
		}
	}
}

// gzipLevel1 is how long one klauspost gzip level 1 takes over the same bytes: the yardstick of the machine's speed.
func gzipLevel1(tb testing.TB, doc []byte) time.Duration {
	tb.Helper()
	began := time.Now()
	w, err := gzip.NewWriterLevel(io.Discard, 1)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Write(doc); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return time.Since(began)
}
