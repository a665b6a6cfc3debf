package proxy

import (
	"slices"
	"testing"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/policy"
)

func TestPlanFor(t *testing.T) {
	tests := map[string]struct {
		tool      string
		maxErrorM float64
		lines     []fitter.Path
		largestM  float64
		exact     bool
	}{
		"route":               {tool: "tomtom-routing", lines: []fitter.Path{{"features", "*"}}, largestM: 1000},
		"route, tuned":        {tool: "tomtom-routing", maxErrorM: 25.5, lines: []fitter.Path{{"features", "*"}}, largestM: 25.5},
		"route beside places": {tool: "tomtom-search-along-route", lines: []fitter.Path{{"route", "features", "*"}}, largestM: 1000},
		"map": {
			tool: "tomtom-dynamic-map", largestM: 1000,
			lines: []fitter.Path{{"sources", "routes", "data", "features", "*"}},
		},
		"places":        {tool: "tomtom-fuzzy-search", largestM: 1000},
		"polygons":      {tool: "tomtom-reachable-range", largestM: 1000},
		"caller's data": {tool: "tomtom-data-viz", maxErrorM: 5, largestM: 5, exact: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			plan := PlanFor(mustPolicy(t, tt.tool), tt.maxErrorM)
			if !slices.EqualFunc(plan.Lines, tt.lines, slices.Equal[fitter.Path]) {
				t.Errorf("lines %v, want %v", plan.Lines, tt.lines)
			}
			if plan.LargestM != tt.largestM || plan.ComfortableM != 10 || plan.Exact != tt.exact {
				t.Errorf("tolerances %v and %v m, exact %v", plan.ComfortableM, plan.LargestM, plan.Exact)
			}
			if keepsKey := !slices.Contains(plan.Drop, "apiKey"); keepsKey != tt.exact {
				t.Errorf("drops %v", plan.Drop)
			}
			if hasLines := len(tt.lines) > 0; (len(plan.Indices) > 0) != hasLines || (len(plan.Sheds) > 0) != hasLines {
				t.Errorf("%d index paths and %d sheds for %d lines", len(plan.Indices), len(plan.Sheds), len(tt.lines))
			}
		})
	}
}

func TestPlanShedsInOrder(t *testing.T) {
	want := []fitter.Shed{
		{Name: "ids", Path: fitter.Path{"sections", "*", "*", "id"}, Action: fitter.ShortenIDs},
		{Name: "lanes", Path: fitter.Path{"sections", "lanes"}, Action: fitter.Remove},
		{Name: "roadShields", Path: fitter.Path{"sections", "roadShields"}, Action: fitter.Remove},
		{Name: "speedLimit", Path: fitter.Path{"sections", "speedLimit"}, Action: fitter.Remove},
		{Name: "guidance", Path: fitter.Path{"guidance"}, Action: fitter.Remove},
		{Name: "progress", Path: fitter.Path{"progress"}, Action: fitter.Halve},
	}
	got := PlanFor(mustPolicy(t, "tomtom-routing"), 0).Sheds
	if !slices.EqualFunc(got, want, func(a, b fitter.Shed) bool {
		return a.Name == b.Name && slices.Equal(a.Path, b.Path) && a.Action == b.Action
	}) {
		t.Errorf("sheds %v, want %v", got, want)
	}
	if len(policy.Sheds()) != len(got) {
		t.Errorf("%d steps in the policy, %d in the plan", len(policy.Sheds()), len(got))
	}
}

// A plan leads to what it names in a recorded route: no index of a recorded section stays behind.
func TestPlanIndicesCoverARecordedRoute(t *testing.T) {
	doc := withoutMeta(t, recordedText(t, "tomtom-get-viz-data-routing-39414"))
	feature := doc["features"].([]any)[0].(map[string]any)
	var named int
	var count func(value any)
	count = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, v := range value {
				if slices.Contains([]string{"startPointIndex", "endPointIndex", "pointIndex", "pathPointIndex"}, name) {
					named++
				}
				count(v)
			}
		case []any:
			for _, v := range value {
				count(v)
			}
		}
	}
	count(feature["properties"])
	reached := 0
	for _, path := range PlanFor(mustPolicy(t, "tomtom-routing"), 0).Indices {
		reached += reach(feature["properties"], path)
	}
	if named == 0 || reached != named {
		t.Errorf("paths lead to %d of %d indices", reached, named)
	}
}

// reach counts the values that path leads to.
func reach(value any, path fitter.Path) (n int) {
	if len(path) == 0 {
		return 1
	}
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if path[0] == "*" || path[0] == name {
				n += reach(v, path[1:])
			}
		}
	case []any:
		for _, v := range value {
			if path[0] == "*" {
				n += reach(v, path[1:])
			}
		}
	}
	return n
}
