package hosts

import (
	"fmt"
	"slices"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

// shedOrder is the contract's.
var shedOrder = []string{"ids", "lanes", "roadShields", "speedLimit", "guidance", "progress"}

// TestSheddingFollowsTheContract: only what may go goes, in the contract's order, and only while the error is above the
// comfortable one; traffic, tolls, countries, ferries, tunnels and legs stay (CheckFitted counts them).
func TestSheddingFollowsTheContract(t *testing.T) {
	rich := upstream.Options{Seed: seed, RushHour: true, Guidance: true}
	up, twin := testkit.StartDemo(t, rich), testkit.StartDemo(t, rich)
	const arguments = `{"show_ui":true,"locations":[` + lisbon + `,` + warsaw + `],"sectionType":["lanes","traffic","toll","country","tunnel","roadShields","speedLimit"]}`
	_, want := fromUpstream(t, twin.URL, "tomtom-routing", arguments)
	shedAtAll := 0
	for _, limit := range []int{400_000, 300_000, 280_000, 265_000, 250_000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			g := testkit.StartGateway(t, up.URL, fmt.Sprintf("GATEWAY_RESULT_LIMIT=%d", limit))
			r := testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", arguments)
			s := r.Simplification(t)
			if s == nil {
				t.Fatalf("status %q", r.Status(t))
			}
			t.Logf("%+v", *s)
			testkit.CheckFitted(t, r.AppData(t), want, *s)
			last := -1
			for _, name := range s.Shed {
				at := slices.Index(shedOrder, name)
				if at <= last {
					t.Errorf("shed %v, order %v", s.Shed, shedOrder)
				}
				last = at
			}
			shedAtAll += len(s.Shed)
		})
	}
	if shedAtAll == 0 {
		t.Error("no limit led to shedding: the test shows nothing")
	}
}

// TestAlternativesShareOneError: the lines of one result are equally far from their originals, not equally long.
func TestAlternativesShareOneError(t *testing.T) {
	up := testkit.StartDemo(t, upstream.Options{Seed: seed})
	g := testkit.StartGateway(t, up.URL)
	const arguments = `{"show_ui":true,"maxAlternatives":2,"locations":[` + amsterdam + `,` + madrid + `]}`
	_, want := fromUpstream(t, up.URL, "tomtom-routing", arguments)
	r := testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", arguments)
	if r.Status(t) != "fitted" {
		t.Fatalf("status %q", r.Status(t))
	}
	testkit.CheckFitted(t, r.AppData(t), want, *r.Simplification(t))
	errors := testkit.LineErrors(t, r.AppData(t), want)
	t.Logf("errors in metres: %.2f", errors)
	if len(errors) < 2 {
		t.Fatalf("%d routes", len(errors))
	}
	if least, most := slices.Min(errors), slices.Max(errors); least < most*0.8 {
		t.Errorf("errors %.2f are not equal", errors)
	}
}
