package fitter_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter"
)

// TestSheds goes down the ladder with budgets that get smaller: what is shed comes in the plan's order, each step has lowered the
// error, and the documents are still valid.
func TestSheds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	doc, plan := routeDocument(rng, roadLine(rng, 2000, 7), true), routePlan()
	n := exactChars(t, doc, plan)
	names := []string{"ids", "lanes", "roadShields", "speedLimit", "guidance", "progress"}
	seen := map[string]bool{}
	for part := 2; part <= 24; part += 2 {
		r := checkAll(t, doc, plan, fitter.Budget{Chars: n / part})
		if r.Status == fitter.TooLarge {
			continue
		}
		at := -1
		for _, s := range r.Shed {
			if i := slices.Index(names, s); i <= at {
				t.Fatalf("shed %v", r.Shed)
			} else {
				at = i
			}
			seen[s] = true
		}
		checkSteps(t, r, plan)
		checkShed(t, doc, unpack(t, r.AppData), r.Shed)
	}
	for _, s := range []string{"ids", "lanes", "progress"} {
		if !seen[s] {
			t.Errorf("%s was never shed", s)
		}
	}
}

// checkSteps checks that a step was tried only while the error was above what is comfortable, and kept only if it
// helped. Estimates are held against nothing, but what they led to was measured.
func checkSteps(t *testing.T, r fitter.Result, plan fitter.Plan) {
	t.Helper()
	best, bytes, last := math.Inf(1), math.MaxInt, 0
	for i, s := range r.Steps[1:] {
		if s.Name != "simplify" && best <= plan.ComfortableM {
			t.Fatalf("%s was tried at %v m", s.Name, best)
		}
		helped := s.ErrorM < best || math.IsInf(best, 1) && s.Chars < bytes
		if s.Kept != helped && !s.Estimated && !r.Steps[last].Estimated && s.Kept {
			t.Fatalf("step %+v after %v m", s, best)
		}
		if s.Kept {
			best, bytes, last = s.ErrorM, s.Chars, i+1
		}
	}
	if r.Steps[last].Estimated {
		t.Fatalf("the last step kept was not measured: %+v", r.Steps)
	}
	if best != r.MaxErrorM {
		t.Fatalf("the best step has %v m, the result %v m", best, r.MaxErrorM)
	}
}

// checkShed checks what shedding must not touch, and that ids are short and unique.
func checkShed(t *testing.T, doc, got []byte, shed []string) {
	t.Helper()
	type route struct {
		Sections map[string][]map[string]any
		Progress []map[string]float64
	}
	read := func(b []byte) route {
		var d struct{ Features []struct{ Properties route } }
		if err := json.Unmarshal(b, &d); err != nil {
			t.Fatal(err)
		}
		return d.Features[0].Properties
	}
	was, is := read(doc), read(got)
	ids := map[string]int{}
	for kind, sections := range was.Sections {
		if slices.Contains(shed, kind) {
			if _, there := is.Sections[kind]; there {
				t.Fatalf("%s is still there", kind)
			}
			continue
		}
		if len(is.Sections[kind]) != len(sections) {
			t.Fatalf("%d of %d sections of %s", len(is.Sections[kind]), len(sections), kind)
		}
		for _, s := range is.Sections[kind] {
			if id, ok := s["id"].(string); ok {
				ids[id]++
				if slices.Contains(shed, "ids") != (len(id) < 6) {
					t.Fatalf("id %q with %v shed", id, shed)
				}
			}
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Fatalf("id %q stands %d times", id, n)
		}
	}
	first, last := was.Progress[0], was.Progress[len(was.Progress)-1]
	if is.Progress[0]["distanceInMeters"] != first["distanceInMeters"] || is.Progress[len(is.Progress)-1]["distanceInMeters"] != last["distanceInMeters"] {
		t.Fatal("the ends of progress are gone")
	}
	if halved := len(is.Progress) < len(was.Progress); halved != slices.Contains(shed, "progress") {
		t.Fatalf("%d of %d progress points with %v shed", len(is.Progress), len(was.Progress), shed)
	}
}

// TestIDsThatAreReferredToStay has an id that stands elsewhere too, one that stands twice, one that is short already, and a
// string that a replacement must not repeat.
func TestIDsThatAreReferredToStay(t *testing.T) {
	t.Parallel()
	doc := `{"features":[{"geometry":{"type":"LineString","coordinates":[[4.1234567,52.7654321],[4.2234567,52.9654321],[4.3234567,52.7654321]]},"properties":{"sections":{"leg":[` +
		`{"id":"mx33r2referredto"},{"id":"mx33r2twiceaaaa"},{"id":"mx33r2twiceaaaa"},{"id":"z"},{"id":"mx33r2first00"},{"id":"mx33r2second0"}]},"ref":"mx33r2referredto","a":"0"}}]}`
	plan := routePlan()
	plan.Sheds = plan.Sheds[:1]
	got, r := squeeze(t, []byte(doc), plan)
	want := `"leg":[{"id":"mx33r2referredto"},{"id":"mx33r2twiceaaaa"},{"id":"mx33r2twiceaaaa"},{"id":"z"},{"id":"1"},{"id":"2"}]},"ref":"mx33r2referredto","a":"0"`
	if slices.Contains(r.Shed, "ids") && !strings.Contains(got, want) {
		t.Fatal(got)
	}
	if !slices.Contains(r.Shed, "ids") {
		t.Fatalf("shed %v at %v m", r.Shed, r.MaxErrorM)
	}
}
