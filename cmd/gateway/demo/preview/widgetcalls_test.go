package preview_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview"
	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/hostile"
	"tomtom-mcp-gateway/fitter"
)

// What a widget may ask for, and what it may not.
func TestWidgetCalls(t *testing.T) {
	up := hostile.New()
	s := show(t, up, nil)
	owner := s.run("hostile-escape", "{}", 0).ID
	tests := []struct {
		name, call, tool string
		approved         bool
		want             int
	}{
		{"an app-only tool", owner, "hostile-app-only", false, http.StatusOK},
		{"a tool for both, approved", owner, "hostile-both", true, http.StatusOK},
		{"a tool for both", owner, "hostile-both", false, http.StatusForbidden},
		{"a tool that says nothing, approved", owner, "hostile-key", true, http.StatusOK},
		{"a tool that says nothing", owner, "hostile-key", false, http.StatusForbidden},
		{"a tool of the agent's", owner, "hostile-model-only", true, http.StatusForbidden},
		{"a tool for nobody", owner, "hostile-nobody", true, http.StatusForbidden},
		{"a tool that is not there", owner, "hostile-nothing", true, http.StatusForbidden},
		{"no tool", owner, "", true, http.StatusForbidden},
		{"the key's tool", owner, "tomtom-get-api-key", true, http.StatusForbidden},
		{"of no call", strings.Repeat("0", 32), "hostile-app-only", false, http.StatusNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := up.Calls(tt.tool)
			body := map[string]any{"call": tt.call, "tool": tt.tool, "arguments": map[string]int{"a": 1}, "approved": tt.approved}
			answer := s.post("/api/widget-calls", body, tt.want)
			ran := up.Calls(tt.tool) - before
			if tt.want != http.StatusOK {
				if ran != 0 {
					t.Error("it ran")
				}
				return
			}
			if ran != 1 {
				t.Errorf("it ran %d times", ran)
			}
			got := decode[struct{ Result json.RawMessage }](t, answer)
			if want := map[bool]string{true: "your key is ********", false: `{\"a\":1}`}[tt.tool == "hostile-key"]; !bytes.Contains(got.Result, []byte(want)) {
				t.Errorf("%s", got.Result)
			}
		})
	}
	for _, body := range []string{`{"call":"` + owner + `","tool":"hostile-app-only","arguments":"x"}`, `{}x`, `{"call":"` + owner + `","tool":"hostile-app-only","again":true}`} {
		s.want(s.request(http.MethodPost, s.page+"/api/widget-calls", body), http.StatusBadRequest)
	}
	if len(decode[[]any](t, s.get("/api/calls", http.StatusOK))) != 1 {
		t.Error("what a widget calls stands in the history")
	}
}

// A slow tool's widget is told in time; the call is not sent again, and holds its turn until it has ended.
func TestSlowWidgetCall(t *testing.T) {
	t.Parallel()
	up := hostile.New()
	s := show(t, up, func(o *preview.Options) { o.WidgetCallTimeout, o.MaxAtOnce = 20*time.Millisecond, 1 })
	owner := s.run("hostile-escape", "{}", 0).ID
	s.post("/api/widget-calls", map[string]any{"call": owner, "tool": "hostile-slow"}, http.StatusGatewayTimeout)
	close(up.Slow)
	s.run("hostile-escape", "{}", 0) // has its turn once the slow one is done
	if n := up.Calls("hostile-slow"); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

// A widget gets no key but one for maps.
func TestMapKey(t *testing.T) {
	t.Parallel()
	body := func(s *shown) map[string]any {
		return map[string]any{"call": s.run("tomtom-geocode", `{"query":"Berlin"}`, 0).ID, "tool": "tomtom-get-api-key", "approved": true}
	}
	without, up := demo(t, upstream.Options{}, nil)
	without.post("/api/widget-calls", body(without), http.StatusForbidden)
	if up.Calls("tomtom-get-api-key") != 0 {
		t.Error("the server was asked for the key")
	}
	with, up := demo(t, upstream.Options{}, func(o *preview.Options) { o.Gateway.MapKey = "for-maps-alone" })
	if got := with.post("/api/widget-calls", body(with), http.StatusOK); !bytes.Contains(got, []byte(`"text":"for-maps-alone"`)) {
		t.Errorf("%s", got)
	}
	if up.Calls("tomtom-get-api-key") != 0 {
		t.Error("the server was asked for the key")
	}
	for s, want := range map[*shown]bool{with: true, without: false} {
		if got := decode[struct{ MapKey bool }](t, s.get("/api/session", http.StatusOK)); got.MapKey != want {
			t.Errorf("mapKey %v", got.MapKey)
		}
	}
}

// The gateway's own app-only tools work for a widget: it reports, and fetches what did not fit.
func TestGatewaysToolsForWidgets(t *testing.T) {
	t.Parallel()
	s, up := demo(t, upstream.Options{}, nil)
	points := strings.Repeat(`{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[4.9,52.37]},\"properties\":{}},`, 200)
	arguments := json.RawMessage(`{"geojson":"{\"type\":\"FeatureCollection\",\"features\":[` + strings.TrimSuffix(points, ",") + `]}","layers":[{"type":"markers"}],"show_ui":true}`)
	c := s.run("tomtom-data-viz", string(arguments), 700)
	if c.Fit.Status != "fetch" {
		t.Fatalf("status %s, %d characters", c.Fit.Status, c.Fit.Characters)
	}
	fetched := s.post("/api/widget-calls", map[string]any{"call": c.ID, "tool": "tomtom-get-app-data", "arguments": arguments}, http.StatusOK)
	if !bytes.Contains(fetched, []byte(`app_data`)) || up.Calls("tomtom-data-viz") != 2 {
		t.Errorf("%d calls: %s", up.Calls("tomtom-data-viz"), clip(string(fetched)))
	}
	report := map[string]any{"tool": "tomtom-data-viz", "outcome": "drawn", "source": "fetched"}
	s.post("/api/widget-calls", map[string]any{"call": c.ID, "tool": "tomtom-report-app-status", "arguments": report}, http.StatusOK)
	if log := string(s.get("/api/log", http.StatusOK)); !strings.Contains(log, `"outcome":"drawn"`) {
		t.Errorf("the report is not in the log: %s", log)
	}
}

// The operator's key is in no answer, whatever the server does with it.
func TestCredentialStaysHere(t *testing.T) {
	t.Parallel()
	up := hostile.New()
	s := show(t, up, nil)
	c := s.run("hostile-key", "{}", 0)
	hidden := strings.Repeat("*", len(credential))
	if len(c.Fit.Agent) != 1 || !strings.Contains(c.Fit.Agent[0], "your key is "+hidden+" ") || !bytes.Contains(c.Fit.Result, []byte(`"key":"`+hidden+`"`)) {
		t.Errorf("%s", c.Fit.Result)
	}
	s.fitAt(c.ID, 20_000)
	s.run("hostile-error", "{}", 0)
	s.get("/api/log", http.StatusOK)
	s.get("/api/calls", http.StatusOK)

	tomtom, _ := demo(t, upstream.Options{}, nil) // its answers about ranges carry the key
	reached := tomtom.run("tomtom-reachable-range", `{"origin":[4.9,52.38],"timeBudgetInSec":1800,"show_ui":true,"response_detail":"full"}`, 0)
	tomtom.fitAt(reached.ID, 20_000)
	reached = tomtom.run("tomtom-reachable-range", `{"origin":[4.9,52.38],"timeBudgetInSec":1800,"show_ui":true}`, 0)
	doc, err := fitter.Decode([]byte(decode[struct {
		Meta struct {
			AppData string `json:"com.tomtom/app-data"`
		} `json:"_meta"`
	}](t, reached.Fit.Result).Meta.AppData), preview.MaxDocument)
	if err != nil || bytes.Contains(doc, []byte(credential)) || len(doc) == 0 {
		t.Errorf("%v, %d bytes of app data", err, len(doc))
	}
	s.preview.Close(context.Background())
	s.post("/api/calls", map[string]any{"tool": "hostile-key"}, http.StatusServiceUnavailable)
}
