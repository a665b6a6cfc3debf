package fitter_test

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tomtom-mcp-gateway/fitter"
)

var update = flag.Bool("update", false, "write testdata/*.golden anew")

// fitTo fits doc and fails the test on an error.
func fitTo(tb testing.TB, doc []byte, plan fitter.Plan, chars int) fitter.Result {
	tb.Helper()
	r, err := fitter.Fit(doc, plan, fitter.Budget{Chars: chars})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// exactChars is how many characters a document takes as it is.
func exactChars(tb testing.TB, doc []byte, plan fitter.Plan) int {
	tb.Helper()
	r := fitTo(tb, doc, plan, 1<<30)
	if r.Status != fitter.Exact {
		tb.Fatalf("status %d with all the room there is", r.Status)
	}
	return r.Chars
}

// squeeze fits doc into the smallest budget that it fits at all and returns the new document.
func squeeze(tb testing.TB, doc []byte, plan fitter.Plan) (string, fitter.Result) {
	tb.Helper()
	var best fitter.Result
	for chars := exactChars(tb, doc, plan) - 4; ; chars -= 4 {
		r := fitTo(tb, doc, plan, chars)
		if r.Status != fitter.Fitted {
			break
		}
		best = r
	}
	if best.AppData == nil {
		tb.Fatal("it fits only as it is")
	}
	return string(unpack(tb, best.AppData)), best
}

// TestGeometry fits single features whose coordinates are special in one way each.
func TestGeometry(t *testing.T) {
	t.Parallel()
	feature := func(kind, coordinates, rest string) string {
		return `{"features":[{"geometry":{"type":"` + kind + `","coordinates":` + coordinates + `},"properties":{` + rest + `}}]}`
	}
	cases := []struct{ name, doc, want string }{
		{
			"rounds half up and trims zeros",
			feature("LineString", `[[4.1234567,52.9999996],[4.1000000,52.5],[-0.0000012,-0.0000049],[1e1,2.5E-1]]`, `"progress":[{"pointIndex":1},{"pointIndex":2}]`),
			feature("LineString", `[[4.12346,53],[4.1,52.5],[0,0],[10,0.25]]`, `"progress":[{"pointIndex":1},{"pointIndex":2}]`),
		},
		{
			"copies altitudes as text",
			feature("LineString", `[[4.1234567,52.7126543, 10.50],[4.9823471,52.2345876,1e2,7]]`, ``),
			feature("LineString", `[[4.12346,52.71265,10.50],[4.98235,52.23459,1e2,7]]`, ``),
		},
		{
			"crosses the antimeridian",
			feature("LineString", `[[179.9999904,1.0000001],[-179.9999996,1.0000001],[-179.5000001,1.5000001]]`, `"progress":[{"pointIndex":1}]`),
			feature("LineString", `[[179.99999,1],[-180,1],[-179.5,1.5]]`, `"progress":[{"pointIndex":1}]`),
		},
		{
			"keeps a closed ring closed",
			feature("LineString", `[[4.0000001,52.0000001],[4.1000001,52.0000001],[4.1000001,52.1000001],[4.0000001,52.0000001]]`, `"progress":[{"pointIndex":1},{"pointIndex":2}]`),
			feature("LineString", `[[4,52],[4.1,52],[4.1,52.1],[4,52]]`, `"progress":[{"pointIndex":1},{"pointIndex":2}]`),
		},
		{
			"numbers the vertices of all parts",
			feature("MultiLineString", `[[[4.0000001,52.0000001],[4.0500001,52.0000001],[4.1000001,52.0000001]], [],[[5.0000001,52.0000001],[5.0000001,53.0000001]]]`,
				`"sections":{"leg":[{"startPointIndex":0,"endPointIndex":2},{"startPointIndex":3,"endPointIndex":5}]}`),
			feature("MultiLineString", `[[[4,52],[4.1,52]], [],[[5,52],[5,53]]]`,
				`"sections":{"leg":[{"startPointIndex":0,"endPointIndex":1},{"startPointIndex":2,"endPointIndex":3}]}`),
		},
		{
			"takes the number of vertices for the last one and leaves alone what is no index",
			feature("LineString", `[[4.0000001,52.0000001],[4.0500001,52.0000001],[4.1000001,52.0000001]]`,
				`"progress":[{"pointIndex":3},{"pointIndex":4},{"pointIndex":-1},{"pointIndex":1.0},{"pointIndex":"1"},{"pointIndex":null}]`),
			feature("LineString", `[[4,52],[4.1,52]]`,
				`"progress":[{"pointIndex":1},{"pointIndex":4},{"pointIndex":-1},{"pointIndex":1.0},{"pointIndex":"1"},{"pointIndex":null}]`),
		},
		{
			"leaves GeoJSON inside properties alone",
			feature("LineString", `[[4.0000001,52.0000001],[4.0500001,52.0000001],[4.1000001,52.0000001]]`,
				`"stop":{"geometry":{"type":"LineString","coordinates":[[1.23456789, 2],[3,4]]}},"index":1,"sections":{"leg":[{"endPointIndex":2,"x":{"endPointIndex":1}}]}`),
			feature("LineString", `[[4,52],[4.1,52]]`,
				`"stop":{"geometry":{"type":"LineString","coordinates":[[1.23456789, 2],[3,4]]}},"index":1,"sections":{"leg":[{"endPointIndex":1,"x":{"endPointIndex":1}}]}`),
		},
		{
			"reads properties before the geometry, and a type after its coordinates",
			`{"features":[ {"properties":{"progress":[{"pointIndex":2}]} ,"geometry":{"coordinates":[[4.0000001,52.0000001],[4.0500001,52.0000001],[4.1000001,52.0000001]],"type":"LineString"}}]}`,
			`{"features":[ {"properties":{"progress":[{"pointIndex":1}]} ,"geometry":{"coordinates":[[4,52],[4.1,52]],"type":"LineString"}}]}`,
		},
		{
			"lets the last of two geometries count",
			`{"features":[{"geometry":{"type":"LineString","coordinates":[[4.1234567,52],[5,53]]},"geometry":{"type":"LineString","coordinates":[[4.1234567,52.7654321],[4.7198237,52.9871235],[5.1982734,53.6184923]]},"properties":{"progress":[{"pointIndex":1}]}}]}`,
			`{"features":[{"geometry":{"type":"LineString","coordinates":[[4.1234567,52],[5,53]]},"geometry":{"type":"LineString","coordinates":[[4.12346,52.76543],[4.71982,52.98712],[5.19827,53.61849]]},"properties":{"progress":[{"pointIndex":1}]}}]}`,
		},
		{
			"follows the paths of other tools",
			`{"route":{"features":[{"geometry":{"type":"LineString","coordinates":[[4.1234567,52.7654321],[4.7198237,52.9871235],[5.1982734,53.6184923]]},"properties":{"progress":[{"pointIndex":1}]}}]},"pois":{"features":[{"geometry":{"type":"LineString","coordinates":[[1.5,2.5],[3.5,4.5000000]]}}]}}`,
			`{"route":{"features":[{"geometry":{"type":"LineString","coordinates":[[4.12346,52.76543],[4.71982,52.98712],[5.19827,53.61849]]},"properties":{"progress":[{"pointIndex":1}]}}]},"pois":{"features":[{"geometry":{"type":"LineString","coordinates":[[1.5,2.5],[3.5,4.5000000]]}}]}}`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan := noSheds(routePlan())
			if got, _ := squeeze(t, []byte(c.doc), plan); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestLeftAlone has documents with nothing that may be altered: they fit as they are or not at all.
func TestLeftAlone(t *testing.T) {
	t.Parallel()
	line := `[[4.1234567,52.7654321],[5.1234567,53.7654321],[6.1234567,54.7654321]]`
	for name, doc := range map[string]string{
		"polygon":              `{"features":[{"geometry":{"type":"Polygon","coordinates":[` + line + `]}}]}`,
		"point":                `{"features":[{"geometry":{"type":"Point","coordinates":[4.1234567,52.7654321]}}]}`,
		"a line by type only":  `{"features":[{"geometry":{"type":"LineString","coordinates":[` + line + `]}}]}`,
		"several by type only": `{"features":[{"geometry":{"type":"MultiLineString","coordinates":` + line + `}}]}`,
		"no position":          `{"features":[{"geometry":{"type":"LineString","coordinates":[[4.1234567],[5.1234567,53.7654321]]}}]}`,
		"no number":            `{"features":[{"geometry":{"type":"LineString","coordinates":[["4.1234567",52],[5.1234567,53.7654321]]}}]}`,
		"beyond any map":       `{"features":[{"geometry":{"type":"LineString","coordinates":[[1e400,52],[5.1234567,53.7654321]]}}]}`,
		"no geometry":          `{"features":[{"coordinates":` + line + `}]}`,
		"an array":             `{"features":[[{"geometry":{"type":"LineString","coordinates":` + line + `}}]]}`,
		"elsewhere":            `{"incidents":[{"geometry":{"type":"LineString","coordinates":` + line + `}}]}`,
		"empty line":           `{"features":[{"geometry":{"type":"LineString","coordinates":[ ]},"properties":{"progress":[{"pointIndex":0}]}}]}`,
		"null":                 `null`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := routePlan()
			n := exactChars(t, []byte(doc), plan)
			if r := fitTo(t, []byte(doc), plan, n); r.Status != fitter.Exact || string(unpack(t, r.AppData)) != doc {
				t.Fatalf("status %d in %d characters", r.Status, n)
			}
			if r := fitTo(t, []byte(doc), plan, n-4); r.Status != fitter.TooLarge {
				t.Fatalf("status %d in %d characters", r.Status, n-4)
			}
		})
	}
}

func TestNotJSON(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		"", " ", "{", `{"a":}`, `{"a":1,}`, `[1,]`, "01", "1.", `"\x"`, "\"\n\"", "nul", "{}x",
		`{"features":[{"geometry":{"type":"LineString","coordinates":[[1,2],[03,4]]}}]}`,
		`{"features":[{"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]}}]}`, strings.Repeat("[", 20_000),
	} {
		if _, err := fitter.Fit([]byte(doc), routePlan(), fitter.Budget{Chars: 1000}); !errors.Is(err, fitter.ErrNotJSON) {
			t.Errorf("%.40q: %v", doc, err)
		}
	}
}

func TestDroppedMembersLeaveTheDocumentExact(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		`{"apiKey":"k","a":1}`:                     `{"a":1}`,
		`{"a":1, "apiKey":"k"}`:                    `{"a":1}`,
		`{"a":1,"apiKey":{"x":[1]}, "b":2}`:        `{"a":1, "b":2}`,
		`{"apiKey":1,"apiKey":2}`:                  `{}`,
		`{ "apiKey" : 1 , "b":2}`:                  `{ "b":2}`,
		`[{"x":{"api\u004bey":"k","y":"apiKey"}}]`: `[{"x":{"y":"apiKey"}}]`,
	} {
		r := fitTo(t, []byte(doc), routePlan(), 1000)
		if got := string(unpack(t, r.AppData)); r.Status != fitter.Exact || got != want {
			t.Errorf("%s: status %d, %s", doc, r.Status, got)
		}
		plan := routePlan()
		plan.Exact, plan.Drop = true, nil
		if got := string(unpack(t, fitTo(t, []byte(doc), plan, 1000).AppData)); got != doc {
			t.Errorf("%s became %s without anything to drop", doc, got)
		}
	}
}

func TestExactPlanIsNeverAltered(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	doc := routeDocument(rng, roadLine(rng, 500, 7), true)
	plan := routePlan()
	plan.Exact = true
	n := exactChars(t, doc, plan)
	if r := fitTo(t, doc, plan, n-4); r.Status != fitter.TooLarge || r.AppData != nil {
		t.Fatalf("status %d", r.Status)
	}
}

func TestExtraIsUsedOnlyWhenNeeded(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	doc, plan := routeDocument(rng, roadLine(rng, 2000, 7), false), routePlan()
	n := exactChars(t, doc, plan)
	for _, c := range []struct {
		budget fitter.Budget
		status fitter.Status
		extra  bool
	}{
		{fitter.Budget{Chars: n, Extra: 400}, fitter.Exact, false},
		{fitter.Budget{Chars: n - 400, Extra: 400}, fitter.Exact, true},
		{fitter.Budget{Chars: n / 2, Extra: 400}, fitter.Fitted, true},
		{fitter.Budget{Chars: n / 2}, fitter.Fitted, false},
		{fitter.Budget{Chars: -5, Extra: 3}, fitter.TooLarge, false},
	} {
		r := checkAll(t, doc, plan, c.budget)
		if r.Status != c.status || r.UsedExtra != c.extra {
			t.Errorf("%+v: status %d, extra %v, %d characters", c.budget, r.Status, r.UsedExtra, r.Chars)
		}
	}
}

// TestGolden compares whole documents with the ones reviewed before.
func TestGolden(t *testing.T) {
	t.Parallel()
	inputs, err := filepath.Glob("testdata/*.json")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no golden documents: %v", err)
	}
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			t.Parallel()
			doc, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			// The number before the extension is the budget.
			parts := strings.Split(filepath.Base(input), ".")
			chars, err := strconv.Atoi(parts[1])
			if err != nil {
				t.Fatal(err)
			}
			r := fitTo(t, doc, routePlan(), chars)
			var got bytes.Buffer
			got.WriteString(strings.Join(append([]string{"shed:"}, r.Shed...), " ") + "\n")
			got.Write(unpack(t, r.AppData))
			golden := strings.TrimSuffix(input, ".json") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || !bytes.Equal(want, got.Bytes()) {
				t.Errorf("got\n%s\nwant\n%s (%v)", got.Bytes(), want, err)
			}
		})
	}
}

// TestConcurrentFits fits different documents at once: pooled memory must not leak from one to another.
func TestConcurrentFits(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 22))
	var docs [][]byte
	var want []fitter.Result
	for i := range 6 {
		docs = append(docs, routeDocument(rng, roadLine(rng, 200+600*i, 7), i%2 == 0))
		want = append(want, fitTo(t, docs[i], routePlan(), 3000+1000*i))
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for k := range 18 {
				i := (worker + k) % len(docs)
				r, err := fitter.Fit(docs[i], routePlan(), fitter.Budget{Chars: 3000 + 1000*i})
				if err != nil || !bytes.Equal(r.AppData, want[i].AppData) || r.MaxErrorM != want[i].MaxErrorM {
					t.Errorf("document %d came out otherwise (%v)", i, err)
				}
			}
		})
	}
	wg.Wait()
}
