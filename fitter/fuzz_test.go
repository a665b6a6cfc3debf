package fitter_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
)

func fuzzSeeds(f *testing.F) {
	f.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	for _, seed := range []string{
		``, `{}`, `[`, `{"features":[]}`, `{"features":[{"geometry":null,"properties":null}]}`,
		`{"features":[{"geometry":{"type":"LineString","coordinates":[[1e400,2],[3,4]]},"properties":{}}]}`,
		`{"features":[{"properties":{"progress":[{"pointIndex":2}]},"geometry":{"coordinates":[[1.5,2,3],[1.6,2],[1.7,2,-5e-3]],"type":"LineString"}}]}`,
		`{"features":[{"geometry":{"type":"MultiLineString","coordinates":[[],[[1,2]],[[179.9,1],[-179.9,2],[179.8,3]]]},"properties":{"apiKey":"k"}}]}`,
		`{"features":[{"geometry":{"type":"Polygon","coordinates":[[[1,2],[3,4],[1,2]]]}}],"\u0061piKey":{"x":[1]}}`,
		`{"features":[{"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]},"geometry":{"type":"LineString","coordinates":[[5,6],[7,8]]}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Add(routeDocument(rng, roadLine(rng, 300, 7), true))
}

// FuzzFit feeds Fit anything. What is JSON comes out as JSON within the budget and fits again as it is; what is not is an
// error, as jsonspan has it.
func FuzzFit(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		plan := routePlan()
		budget := fitter.Budget{Chars: 160 + len(doc)%700, Extra: len(doc) % 50}
		r, err := fitter.Fit(doc, plan, budget)
		if _, scanErr := jsonspan.Scan(doc); (err == nil) != (scanErr == nil) {
			t.Fatalf("Fit says %v, jsonspan %v", err, scanErr)
		}
		if err != nil || r.Status == fitter.TooLarge {
			return
		}
		got := unpack(t, r.AppData)
		if json.Valid(doc) && !json.Valid(got) {
			t.Fatalf("%s became %s", doc, got)
		}
		if len(r.AppData) > budget.Chars+budget.Extra {
			t.Fatalf("%d characters for %+v", len(r.AppData), budget)
		}
		again, err := fitter.Fit(got, plan, budget)
		if err != nil || again.Status != fitter.Exact || string(again.AppData) != string(r.AppData) {
			t.Fatalf("fitting %s again: status %d, %v", got, again.Status, err)
		}
	})
}

// FuzzScan sets the scanner beside jsonspan: both call the same texts JSON, and what Fit does not touch stays as it is.
func FuzzScan(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		plan := routePlan()
		plan.Drop = nil
		r, err := fitter.Fit(doc, plan, fitter.Budget{Chars: 1 << 30})
		if _, scanErr := jsonspan.Scan(doc); (err == nil) != (scanErr == nil) {
			t.Fatalf("Fit says %v, jsonspan %v", err, scanErr)
		}
		if err == nil && string(unpack(t, r.AppData)) != string(doc) {
			t.Fatalf("%q came back otherwise", doc)
		}
	})
}
