package upstream

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func routesOf(t *testing.T, o Options, tool, arguments string) routesDocument {
	t.Helper()
	s := New(o)
	return decoded[routesDocument](t, appDataOf(t, s, callTool(t, s, tool, arguments)))
}

func TestRoutesHaveTheRealSize(t *testing.T) {
	tests := []struct {
		name, arguments string
		least, most     int
	}{
		{"Amsterdam to Berlin", berlinTrip + "}", 7500, 8700},
		{"Amsterdam to Madrid", `{"locations":[[4.897,52.3779],[-3.7038,40.4168]],"show_ui":true}`, 19500, 22000},
		{"Lisbon to Warsaw", warsawTrip + "}", 37500, 41500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := routesOf(t, Options{}, "tomtom-routing", tt.arguments).Features[0]
			n := len(f.Geometry.Coordinates)
			if n < tt.least || n > tt.most {
				t.Errorf("%d vertices, want %d to %d", n, tt.least, tt.most)
			}
			if perKm := float64(n) / f.Properties.Summary["lengthInMeters"].(float64) * 1000; perKm < 11 || perKm > 13.5 {
				t.Errorf("%.1f vertices a km", perKm)
			}
			checkDensities(t, n, f.Properties.Sections, len(f.Properties.Progress))
			if f.Properties.Sections["lanes"] != nil {
				t.Error("lanes without being asked for")
			}
		})
	}
}

// checkDensities compares how often things come with a real route of 5,601 vertices.
func checkDensities(t *testing.T, vertices int, sections map[string][]map[string]any, progress int) {
	t.Helper()
	for kind, inReal := range map[string]float64{"speedLimit": 79, "urban": 43, "roadShields": 35, "tunnel": 24, "progress": 124} {
		n := float64(len(sections[kind]))
		if kind == "progress" {
			n = float64(progress)
		}
		if ratio := n / (float64(vertices) * inReal / 5601); ratio < 0.7 || ratio > 1.5 {
			t.Errorf("%v of %s, %.2f times as many as a real route has", n, kind, ratio)
		}
	}
}

// TestIndicesAreValid checks every vertex index of every kind of route.
func TestIndicesAreValid(t *testing.T) {
	tests := []struct {
		name, tool, arguments string
		legs, features        int
	}{
		{"two stops", "tomtom-routing", berlinTrip + "}", 1, 1},
		{"long", "tomtom-routing", warsawTrip + `,"sectionType":["lanes"]}`, 1, 1},
		{"across the street", "tomtom-routing", `{"locations":[[4.897,52.3779],[4.8971,52.378]],"show_ui":true}`, 1, 1},
		{"nowhere", "tomtom-routing", `{"locations":[[4.897,52.3779],[4.897,52.3779]],"show_ui":true}`, 1, 1},
		{"stops and alternatives", "tomtom-routing", `{"locations":[[4.897,52.3779],[5.12,52.09],[7.4653,51.5136],[13.405,52.52]],"maxAlternatives":3,"show_ui":true}`, 3, 4},
		{"no motorways", "tomtom-routing", berlinTrip + `,"avoid":["motorways","tollRoads"]}`, 1, 1},
		{"electric", "tomtom-ev-routing", `{"origin":[4.897,52.3779],"destination":[13.405,52.52],"currentChargePercent":80,"maxChargeKWH":75,"show_ui":true}`, 3, 1},
		{"electric with a stop", "tomtom-ev-routing", `{"origin":[4.897,52.3779],"destination":[13.405,52.52],"waypoints":[[9.732,52.3759]],"currentChargePercent":20,"maxChargeKWH":40,"show_ui":true}`, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := routesOf(t, Options{Guidance: true, RushHour: true}, tt.tool, tt.arguments)
			if len(doc.Features) != tt.features {
				t.Fatalf("%d features", len(doc.Features))
			}
			for _, f := range doc.Features {
				last := len(f.Geometry.Coordinates) - 1
				for kind, sections := range f.Properties.Sections {
					checkSections(t, kind, sections, last)
				}
				checkLegs(t, f.Properties.Sections["leg"], tt.legs, last)
				progress := f.Properties.Progress
				for i := 1; i < len(progress); i++ {
					a, b := progress[i-1], progress[i]
					if b.PointIndex <= a.PointIndex || b.DistanceInMeters < a.DistanceInMeters || b.TravelTimeInSeconds < a.TravelTimeInSeconds {
						t.Fatalf("progress goes back from %v to %v", a, b)
					}
				}
				if progress[0].PointIndex != 0 || progress[len(progress)-1].PointIndex != last {
					t.Errorf("progress from %v to %v of %d", progress[0], progress[len(progress)-1], last)
				}
				for _, i := range f.Properties.Guidance.Instructions {
					if i.PathPointIndex < 0 || i.PathPointIndex > last {
						t.Errorf("instruction at vertex %d of %d", i.PathPointIndex, last)
					}
				}
			}
		})
	}
}

func checkSections(t *testing.T, kind string, sections []map[string]any, last int) {
	t.Helper()
	for _, s := range sections {
		start, end := int(s["startPointIndex"].(float64)), int(s["endPointIndex"].(float64))
		if start < 0 || end < start || end > last {
			t.Errorf("%s from %d to %d, the last vertex is %d", kind, start, end, last)
		}
		if id, _ := s["id"].(string); len(id) < 18 || len(id) > 20 || !strings.HasPrefix(id, "m") {
			t.Errorf("%s has the id %q", kind, id)
		}
	}
}

func checkLegs(t *testing.T, legs []map[string]any, want, last int) {
	t.Helper()
	if want > 0 && len(legs) != want {
		t.Errorf("%d legs, want %d", len(legs), want)
	}
	at := 0.0
	for _, l := range legs {
		if l["startPointIndex"] != at {
			t.Errorf("a leg starts at %v, the one before ends at %v", l["startPointIndex"], at)
		}
		at = l["endPointIndex"].(float64)
	}
	if int(at) != last {
		t.Errorf("the legs end at %v of %d", at, last)
	}
}

func TestLegsRepeatTheBoundaryVertex(t *testing.T) {
	f := routesOf(t, Options{}, "tomtom-routing", `{"locations":[[4.897,52.3779],[5.12,52.09],[13.405,52.52]],"show_ui":true}`).Features[0]
	end := int(f.Properties.Sections["leg"][0]["endPointIndex"].(float64))
	if c := f.Geometry.Coordinates; c[end] != [2]float64{5.12, 52.09} || c[end+1] != c[end] {
		t.Errorf("around the stop: %v", c[end-1:end+3])
	}
}

func TestAlternativesLeaveAndRejoin(t *testing.T) {
	doc := routesOf(t, Options{}, "tomtom-routing", berlinTrip+`,"maxAlternatives":2}`)
	best := doc.Features[0].Geometry.Coordinates
	for i, f := range doc.Features[1:] {
		c := f.Geometry.Coordinates
		leaves, rejoins := 0, 0
		for leaves < min(len(best), len(c)) && best[leaves] == c[leaves] {
			leaves++
		}
		for rejoins < min(len(best), len(c)) && best[len(best)-1-rejoins] == c[len(c)-1-rejoins] {
			rejoins++
		}
		if leaves < 100 || rejoins < 100 || leaves+rejoins > len(best)*3/4 {
			t.Errorf("alternative %d shares %d vertices at the start and %d at the end of %d", i+1, leaves, rejoins, len(best))
		}
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	tests := []struct{ name, tool, arguments string }{
		{"routing", "tomtom-routing", berlinTrip + `,"maxAlternatives":1}`},
		{"electric routing", "tomtom-ev-routing", `{"origin":[4.897,52.3779],"destination":[13.405,52.52],"currentChargePercent":80,"maxChargeKWH":75,"show_ui":true}`},
		{"along a route", "tomtom-search-along-route", `{"origin":[4.897,52.3779],"destination":[13.405,52.52],"query":"coffee","show_ui":true}`},
		{"range", reachableRange, `{"origin":[4.897,52.3779],"timeBudgetInSec":1800,"show_ui":true}`},
		{"search", "tomtom-fuzzy-search", `{"query":"restaurants in Amsterdam","show_ui":true}`},
		{"traffic", "tomtom-traffic", `{"bbox":[4.7,52.2,5.1,52.5],"show_ui":true}`},
		{"map", "tomtom-dynamic-map", `{"routePlans":[{"origin":{"lat":52.3779,"lon":4.897},"destination":{"lat":52.52,"lon":13.405}}],"show_ui":true}`},
		{"stations", "tomtom-ev-search", `{"position":[4.897,52.3779],"show_ui":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ask := func(seed uint64) string {
				s := New(Options{Seed: seed})
				return appDataOf(t, s, callTool(t, s, tt.tool, tt.arguments))
			}
			first := ask(5)
			if ask(5) != first {
				t.Error("the same seed gave other bytes")
			}
			if ask(6) == first {
				t.Error("another seed gave the same bytes")
			}
		})
	}
}

func TestDepartureAndArrival(t *testing.T) {
	summary := func(arguments string) map[string]any {
		return routesOf(t, Options{}, "tomtom-routing", berlinTrip+arguments).Features[0].Properties.Summary
	}
	leave := summary(`,"departAt":"2026-07-01T10:00:00Z"}`)
	if leave["departureTime"] != "2026-07-01T10:00:00.000Z" {
		t.Errorf("departs at %v", leave["departureTime"])
	}
	arrive, err := time.Parse(timeLayout, summary(`,"arriveAt":"2026-07-02T18:00:00+02:00"}`)["arrivalTime"].(string))
	if d := time.Until(arrive) - time.Until(time.Date(2026, 7, 2, 16, 0, 0, 0, time.UTC)); err != nil || d.Abs() > 2*time.Second {
		t.Errorf("arrives at %v (%v)", arrive, err)
	}
	s := New(Options{})
	if r := callTool(t, s, "tomtom-routing", berlinTrip+`,"departAt":"tomorrow"}`); !r.failed() || !strings.HasPrefix(r.Content[0].Text, `{"error":"Invalid value`) {
		t.Errorf("a departure that is no time: %v", r)
	}
	for _, other := range []string{`,"traffic":"historical"}`, `}`} {
		f := routesOf(t, Options{RushHour: true}, "tomtom-routing", berlinTrip+other).Features[0]
		if jammed := f.Properties.Sections["traffic"] != nil; jammed == strings.Contains(other, "historical") {
			t.Errorf("%s: traffic %v", other, jammed)
		}
	}
}

func TestEVRouteKeepsItsCharge(t *testing.T) {
	f := routesOf(t, Options{}, "tomtom-ev-routing",
		`{"origin":[-9.1393,38.7223],"destination":[21.0122,52.2297],"currentChargePercent":60,"maxChargeKWH":82,"show_ui":true}`).Features[0]
	legs := f.Properties.Sections["leg"]
	if len(legs) < 8 {
		t.Errorf("%d legs for 3,000 km", len(legs))
	}
	for i, l := range legs {
		summary := l["summary"].(map[string]any)
		least := 10.0
		if i == len(legs)-1 {
			least = 20
		}
		if left := summary["remainingChargeAtArrivalInPCT"].(float64); left < least-1e-9 || left > 100 {
			t.Errorf("leg %d arrives with %v %%", i, left)
		}
		station, charges := summary["chargingInformationAtEndOfLeg"].(map[string]any)
		if charges == (i == len(legs)-1) {
			t.Errorf("leg %d of %d charges: %v", i, len(legs), charges)
		}
		if !charges {
			continue
		}
		at := station["geometry"].(map[string]any)["coordinates"].([]any)
		end := f.Geometry.Coordinates[int(l["endPointIndex"].(float64))]
		if d := distanceM(position{at[0].(float64), at[1].(float64)}, end); d > 300 {
			t.Errorf("leg %d charges %.0f m from its end", i, d)
		}
	}
}

func TestRushHourMakesCompactTextLong(t *testing.T) {
	quiet := len(textOf(t, callTool(t, New(Options{}), "tomtom-routing", warsawTrip+"}")))
	rush := len(textOf(t, callTool(t, New(Options{RushHour: true}), "tomtom-routing", warsawTrip+"}")))
	if quiet > 30000 || rush < 80000 {
		t.Errorf("%d characters, at rush hour %d", quiet, rush)
	}
}

func TestImpossibleRoutes(t *testing.T) {
	tests := []struct{ name, tool, arguments, want string }{
		{"off the globe", "tomtom-routing", `{"locations":[[200,1],[3,4]]}`, "Coordinates must be"},
		{"across an ocean", "tomtom-routing", `{"locations":[[4.9,52.4],[139.7,35.7]]}`, "NO_ROUTE_FOUND"},
		{"tiny battery", "tomtom-ev-routing", `{"origin":[4.9,52.4],"destination":[13.4,52.5],"currentChargePercent":80,"maxChargeKWH":1}`, "NO_ROUTE_FOUND"},
		{"no battery", "tomtom-ev-routing", `{"origin":[4.9,52.4],"destination":[13.4,52.5],"currentChargePercent":80,"maxChargeKWH":0}`, "maxChargeKWH"},
		{"no budget", reachableRange, `{"origin":[4.9,52.4]}`, "budget parameter"},
		{"no box", "tomtom-traffic", `{}`, "bbox"},
		{"nothing to draw", "tomtom-dynamic-map", `{}`, "Provide"},
		{"no area", "tomtom-area-search", `{"query":"x"}`, "search area"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := callTool(t, New(Options{}), tt.tool, tt.arguments)
			if text := r.Content[0].Text; !r.failed() || !strings.HasPrefix(text, `{"error":"`) || !strings.Contains(text, tt.want) {
				t.Errorf("got %v", r)
			}
		})
	}
}

func TestCountriesAreOnTheWay(t *testing.T) {
	var codes []string
	for _, c := range routesOf(t, Options{}, "tomtom-routing", warsawTrip+"}").Features[0].Properties.Sections["country"] {
		codes = append(codes, fmt.Sprint(c["countryCodeISO3"]))
	}
	if codes[0] != "PRT" || codes[1] != "ESP" || codes[2] != "FRA" || codes[len(codes)-1] != "POL" || slices.Contains(codes, "GBR") {
		t.Errorf("through %v", codes)
	}
}

func TestCoordinatesHaveSevenDecimals(t *testing.T) {
	long := 0
	for _, p := range routesOf(t, Options{}, "tomtom-routing", berlinTrip+"}").Features[0].Geometry.Coordinates {
		for _, v := range p {
			scaled := v * 1e7
			if math.Abs(scaled-math.Round(scaled)) > 1e-3 {
				t.Fatalf("%v has more than seven decimals", v)
			}
			if math.Abs(v*1e5-math.Round(v*1e5)) > 1e-3 {
				long++
			}
		}
	}
	if long < 10000 {
		t.Errorf("only %d numbers have more than five decimals", long)
	}
}

// BenchmarkLongRoute answers Lisbon to Warsaw: computed for the first time, and from memory.
func BenchmarkLongRoute(b *testing.B) {
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			callTool(b, New(Options{}), "tomtom-routing", warsawTrip+"}")
		}
	})
	b.Run("again", func(b *testing.B) {
		s := New(Options{})
		b.ReportAllocs()
		for b.Loop() {
			callTool(b, s, "tomtom-routing", warsawTrip+"}")
		}
	})
	b.Run("redeem", func(b *testing.B) {
		s := New(Options{})
		r := callTool(b, s, "tomtom-routing", warsawTrip+"}")
		b.ReportAllocs()
		for b.Loop() {
			appDataOf(b, s, r)
		}
	})
}
