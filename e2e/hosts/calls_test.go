package hosts

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// call is one call of a tool of the demonstration's upstream, and what the gateway makes of it.
type call struct {
	name, tool, arguments string
	status                string
}

const (
	amsterdam = `[4.897,52.3779]`
	berlin    = `[13.405,52.52]`
	hannover  = `[9.732,52.3759]`
	lisbon    = `[-9.1393,38.7223]`
	warsaw    = `[21.0122,52.2297]`
	madrid    = `[-3.7038,40.4168]`
)

var calls = []call{
	{"route", "tomtom-routing", `{"show_ui":true,"locations":[` + amsterdam + `,` + berlin + `]}`, "inline"},
	{"route with stops", "tomtom-routing", `{"show_ui":true,"locations":[` + amsterdam + `,` + hannover + `,` + berlin + `]}`, "inline"},
	{"route with alternatives", "tomtom-routing", `{"show_ui":true,"maxAlternatives":2,"locations":[` + amsterdam + `,` + berlin + `]}`, "fitted"},
	{"route to Madrid", "tomtom-routing", `{"show_ui":true,"locations":[` + amsterdam + `,` + madrid + `]}`, "fitted"},
	{"route to Warsaw", "tomtom-routing", `{"show_ui":true,"locations":[` + lisbon + `,` + warsaw + `]}`, "fitted"},
	{"EV route", "tomtom-ev-routing", `{"show_ui":true,"origin":` + amsterdam + `,"destination":` + berlin + `,"currentChargePercent":80,"maxChargeKWH":75}`, "inline"},
	{"along a route", "tomtom-search-along-route", `{"show_ui":true,"origin":` + amsterdam + `,"destination":` + berlin + `,"query":"coffee"}`, "inline"},
	{"along a long route", "tomtom-search-along-route", `{"show_ui":true,"origin":` + amsterdam + `,"destination":` + madrid + `,"query":"coffee"}`, "fitted"},
	{"reachable range", "tomtom-reachable-range", `{"show_ui":true,"origin":` + amsterdam + `,"timeBudgetInSec":1800}`, "inline"},
	{"fuzzy search", "tomtom-fuzzy-search", `{"show_ui":true,"query":"restaurant amsterdam"}`, "inline"},
	{"geocode", "tomtom-geocode", `{"show_ui":true,"query":"Amsterdam"}`, "inline"},
	{"reverse geocode", "tomtom-reverse-geocode", `{"show_ui":true,"position":` + amsterdam + `}`, "inline"},
	{"poi search", "tomtom-poi-search", `{"show_ui":true,"query":"pharmacy"}`, "inline"},
	{"nearby", "tomtom-nearby", `{"show_ui":true,"position":` + amsterdam + `}`, "inline"},
	{"area search", "tomtom-area-search", `{"show_ui":true,"query":"restaurant","center":` + amsterdam + `,"radius":2000}`, "inline"},
	{"EV search", "tomtom-ev-search", `{"show_ui":true,"position":` + amsterdam + `}`, "inline"},
	{"traffic", "tomtom-traffic", `{"show_ui":true,"bbox":[4.7,52.2,5.1,52.5]}`, "none"},
	{"dynamic map", "tomtom-dynamic-map", `{"show_ui":true,"markers":[{"lat":52.37,"lon":4.9,"label":"A"}],"routePlans":[{"origin":{"lat":52.3779,"lon":4.897},"destination":{"lat":52.52,"lon":13.405}}]}`, "inline"},
	{"data-viz", "tomtom-data-viz", `{"show_ui":true,"layers":[{"type":"markers"}],"geojson":` + testkit.Quote(points(50)) + `}`, "inline"},
	{"large data-viz", "tomtom-data-viz", `{"show_ui":true,"layers":[{"type":"heatmap"}],"geojson":` + testkit.Quote(points(600)) + `}`, "inline"},
	{"without a map", "tomtom-routing", `{"show_ui":false,"locations":[` + amsterdam + `,` + berlin + `]}`, "none"},
	{"full text", "tomtom-routing", `{"show_ui":true,"response_detail":"full","locations":[` + amsterdam + `,` + hannover + `]}`, "text"},
	{"no argument", "tomtom-geocode", `{"query":"Amsterdam"}`, "none"},
}

// points is a caller's own GeoJSON.
func points(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"FeatureCollection","features":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"Feature","properties":{"name":"p%d"},"geometry":{"type":"Point","coordinates":[%d.5,%d.25]}}`, i, i%170, i%80)
	}
	return b.String() + `]}`
}

// fromUpstream calls the tool at an upstream directly and redeems its handle there: the text, and the app data as the
// upstream's own widget would have got it, nil where there is no handle.
func fromUpstream(t *testing.T, upstream, tool, arguments string) (testkit.Result, []byte) {
	t.Helper()
	c := testkit.Client{URL: upstream}
	r := c.Call(t, tool, arguments)
	handle := handleOf(r)
	if handle == "" {
		return r, nil
	}
	return r, []byte(c.Call(t, "tomtom-get-viz-data", `{"viz_id":"`+handle+`"}`).OnlyText(t))
}

// handleOf finds the handle in a result's texts.
func handleOf(r testkit.Result) string {
	for _, item := range r.Content {
		var text struct {
			Meta struct {
				VizID string `json:"viz_id"`
			} `json:"_meta"`
		}
		if json.Unmarshal([]byte(item.Text), &text) == nil && text.Meta.VizID != "" {
			return text.Meta.VizID
		}
	}
	return ""
}

// checkText ends the test unless the gateway's texts are the upstream's, less _meta and apiKey, with show_ui and, where
// the result has app data, tool.
func checkText(t *testing.T, got, want testkit.Result, c call) {
	t.Helper()
	if len(got.Content) != len(want.Content) {
		t.Fatalf("%d content items, upstream gave %d", len(got.Content), len(want.Content))
	}
	for i, item := range want.Content {
		if !strings.HasPrefix(item.Text, "{") {
			if got.Content[i] != item {
				t.Errorf("item %d changed", i)
			}
			continue
		}
		wanted := testkit.Tree(t, []byte(item.Text)).(map[string]any)
		if meta, ok := wanted["_meta"].(map[string]any); ok {
			wanted["show_ui"] = meta["show_ui"]
			delete(wanted, "_meta")
			if c.status != "none" {
				wanted["tool"] = c.tool
			}
		}
		text, err := json.Marshal(withoutAPIKey(wanted))
		if err != nil {
			t.Fatal(err)
		}
		testkit.SameJSON(t, fmt.Sprintf("text %d", i), []byte(got.Content[i].Text), text)
	}
}

func withoutAPIKey(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "apiKey")
		for k := range v {
			v[k] = withoutAPIKey(v[k])
		}
	case []any:
		for i := range v {
			v[i] = withoutAPIKey(v[i])
		}
	}
	return v
}
