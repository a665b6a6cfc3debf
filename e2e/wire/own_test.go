package wire

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestGetAppDataRunsDataVizOnce: whole and exact, as text, by one call upstream.
func TestGetAppDataRunsDataVizOnce(t *testing.T) {
	data := `{"geojson":` + wiggly(40_000) + `,"apiKey":"the caller's own"}`
	script := widgetList().Tool("tomtom-data-viz", testkit.Event(testkit.TextResult(handleText))).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(data)))
	p := start(t, script)
	arguments := `{"data_url":"https://a.test/x.json","n":1.50}`
	r := p.client().Call(t, "tomtom-get-app-data", arguments)
	var answer struct {
		AppData string `json:"app_data"`
	}
	decode(t, r.OnlyText(t), &answer)
	testkit.SameBytes(t, "app data", testkit.DecodeAppData(t, answer.AppData), []byte(data))
	calls := p.up.Of("tomtom-data-viz")
	if len(calls) != 1 || len(p.up.Of("tomtom-get-viz-data")) != 1 || len(p.up.Exchanges()) != 2 {
		t.Fatalf("%d calls, %d requests", len(calls), len(p.up.Exchanges()))
	}
	m := testkit.ParseMessages(calls[0].Body)[0]
	want := `{"data_url":"https://a.test/x.json","n":1.50}`
	got := testkit.Tree(t, m.Params.Arguments).(map[string]any)
	delete(got, "show_ui")
	if fmt.Sprint(got) != fmt.Sprint(testkit.Tree(t, []byte(want))) {
		t.Errorf("called with %s", m.Params.Arguments)
	}
	if calls[0].Header.Get("Tomtom-Api-Key") != testkit.Key {
		t.Error("called with other credentials")
	}
	if calls[0].Conn != p.up.Of("tomtom-get-viz-data")[0].Conn {
		t.Error("redeemed on another connection")
	}
}

// TestGetAppDataFailuresAreTheUpstreams: an error of data-viz is the widget's answer.
func TestGetAppDataFailuresAreTheUpstreams(t *testing.T) {
	script := widgetList().Tool("tomtom-data-viz", testkit.Event(`{"content":[{"type":"text","text":"{\"error\":\"no such URL\"}"}],"isError":true}`))
	p := start(t, script)
	r := p.client().Call(t, "tomtom-get-app-data", `{"data_url":"x"}`)
	if !r.IsError || !strings.Contains(r.OnlyText(t), "no such URL") {
		t.Errorf("%s", r.Raw)
	}
	if n := p.up.Calls("tomtom-data-viz"); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestGetAppDataTooLarge: above 64 MiB decompressed, a clear error.
func TestGetAppDataTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("65 MiB through two processes")
	}
	data := `{"geojson":{"a":"` + strings.Repeat("x", 65<<20) + `"}}`
	script := widgetList().Tool("tomtom-data-viz", testkit.Event(testkit.TextResult(handleText))).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(data)))
	p := start(t, script, "GATEWAY_MAX_RESPONSE_BYTES=150000000", "GATEWAY_MAX_BUFFERED_BYTES=1000000000")
	for name, env := range map[string]pair{"above the data's own limit": p, "above the answer's limit": {testkit.StartGateway(t, p.up.URL), p.up}} {
		t.Run(name, func(t *testing.T) {
			r := env.client().Call(t, "tomtom-get-app-data", `{"data_url":"x"}`)
			text := strings.ToLower(r.OnlyText(t))
			if !r.IsError || !strings.Contains(text, "large") && !strings.Contains(text, "limit") && !strings.Contains(text, "mib") && !strings.Contains(text, "bytes") {
				t.Errorf("%.300s", r.Raw)
			}
		})
	}
}

// TestReportAppStatus: logged and counted once it is valid.
func TestReportAppStatus(t *testing.T) {
	p := start(t, widgetList())
	r := p.client().Call(t, "tomtom-report-app-status", `{"tool":"tomtom-routing","outcome":"error","source":"inline","reason":"decode","detail":"ünï","duration_ms":12.5,"widget":"map-1"}`)
	if r.IsError || r.OnlyText(t) != "ok" {
		t.Fatalf("%s", r.Raw)
	}
	lines := p.LogLines(t, map[string]any{"tool": "tomtom-routing", "outcome": "error", "source": "inline", "reason": "decode", "detail": "ünï"})
	if len(lines) != 1 {
		t.Errorf("%d log lines:\n%s", len(lines), p.LogText())
	}
	metrics := p.AdminText(t, "/metrics")
	found := false
	for line := range strings.Lines(metrics) {
		found = found || strings.Contains(line, `outcome="error"`) && strings.Contains(line, `tool="tomtom-routing"`) && strings.HasSuffix(strings.TrimSpace(line), " 1")
	}
	if !found {
		t.Error("not counted")
	}
	if n := len(p.up.Exchanges()); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
}

// TestReportAppStatusRefusesWhatItDoesNotKnow: every member is bounded; the error names it.
func TestReportAppStatusRefusesWhatItDoesNotKnow(t *testing.T) {
	p := start(t, widgetList())
	for name, c := range map[string]struct{ arguments, names string }{
		"unknown member":     {`{"tool":"tomtom-routing","outcome":"drawn","source":"inline","surplus":1}`, "surplus"},
		"outcome":            {`{"tool":"tomtom-routing","outcome":"exploded","source":"inline"}`, "outcome"},
		"source":             {`{"tool":"tomtom-routing","outcome":"drawn","source":7}`, "source"},
		"no tool":            {`{"outcome":"drawn","source":"inline"}`, "tool"},
		"control characters": {`{"tool":"tomtom-routing","outcome":"drawn","source":"inline","detail":"a\u0007\nlevel=ERROR"}`, "detail"},
		"megabytes":          {`{"tool":"tomtom-routing","outcome":"drawn","source":"inline","detail":"` + strings.Repeat("x", 2<<20) + `"}`, ""},
		"long reason":        {`{"tool":"tomtom-routing","outcome":"drawn","source":"inline","reason":"` + strings.Repeat("x", 3000) + `"}`, "reason"},
		"negative duration":  {`{"tool":"tomtom-routing","outcome":"drawn","source":"inline","duration_ms":-1}`, "duration_ms"},
		"no object":          {`[1]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := p.client().Post(t, testkit.CallMessage("1", "tomtom-report-app-status", c.arguments))
			var message string
			if strings.Contains(a.Text(), `"error"`) {
				e := a.Error(t)
				if e.Code != -32602 {
					t.Errorf("code %d", e.Code)
				}
				message = e.Message + string(e.Data)
			} else if r := a.Result(t); r.IsError {
				message = r.OnlyText(t)
			} else {
				t.Fatalf("accepted: %s", a.Text())
			}
			if !strings.Contains(message, c.names) {
				t.Errorf("%q does not name %s", message, c.names)
			}
			if len(a.Body) > 4096 {
				t.Errorf("the error has %d bytes", len(a.Body))
			}
		})
	}
	if strings.Contains(p.LogText(), `"outcome":"drawn"`) || strings.Contains(p.AdminText(t, "/metrics"), `outcome="drawn"`) {
		t.Error("a refused report was logged or counted")
	}
}

// TestReportAppStatusNeedsACredential: as the upstream's tools do.
func TestReportAppStatusNeedsACredential(t *testing.T) {
	p := start(t, widgetList())
	body := testkit.CallMessage("1", "tomtom-report-app-status", `{"tool":"tomtom-routing","outcome":"drawn","source":"inline"}`)
	if a := p.client().Do(t, http.MethodPost, body, map[string]string{"Tomtom-Api-Key": ""}); a.Status != http.StatusUnauthorized {
		t.Errorf("without one: %d %s", a.Status, a.Text())
	}
	a := p.client().Do(t, http.MethodPost, body, map[string]string{"Tomtom-Api-Key": "", "Authorization": "Bearer x"})
	if got := a.Result(t).OnlyText(t); got != "ok" {
		t.Errorf("with a bearer token: %s", a.Text())
	}
}

// TestReportAppStatusIsBoundedForAll: a flood is dropped, not logged.
func TestReportAppStatusIsBoundedForAll(t *testing.T) {
	p := start(t, widgetList())
	reports := make([]string, 3000)
	for i := range reports {
		reports[i] = testkit.CallMessage(strconv.Itoa(i), "tomtom-report-app-status", `{"tool":"tomtom-routing","outcome":"hidden","source":"none"}`)
	}
	body := "[" + strings.Join(reports, ",") + "]"
	p.client().Post(t, body)
	if n := len(p.LogLines(t, map[string]any{"outcome": "hidden"})); n == 0 || n > 1500 {
		t.Errorf("%d of 3000 reports were logged", n)
	}
}

// TestCacheToolsAreRefused: their cache is not bound to a caller.
func TestCacheToolsAreRefused(t *testing.T) {
	script := widgetList().Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(`{"someone":"else's"}`))).
		Tool("tomtom-get-dataset", testkit.Event(testkit.TextResult(`{"someone":"else's"}`)))
	p := start(t, script)
	for _, tool := range []string{"tomtom-get-viz-data", "tomtom-get-dataset"} {
		for version, header := range map[string]map[string]string{"2025-06-18": {"Mcp-Protocol-Version": "2025-06-18"}, "2026-07-28": testkit.ModernHeader(tool)} {
			message := testkit.CallMessage("1", tool, `{"viz_id":"x"}`)
			if version == "2026-07-28" {
				message = testkit.ModernCallMessage("1", tool, `{"viz_id":"x"}`, `{}`)
			}
			a := p.client().Do(t, http.MethodPost, message, header)
			if strings.Contains(a.Text(), "someone") {
				t.Fatalf("%s %s: the cache was read", version, tool)
			}
			if version == "2026-07-28" {
				if e := a.Error(t); e.Code != -32602 {
					t.Errorf("%s %s: code %d, want −32602 as for an unknown tool", version, tool, e.Code)
				}
			}
		}
	}
	if n := len(p.up.Exchanges()); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
}

// TestAPIKeyTool: passes, unless a map key is set; then the account's key never reaches a widget.
func TestAPIKeyTool(t *testing.T) {
	script := widgetList().Tool("tomtom-get-api-key", testkit.Event(`{"content":[{"type":"text","text":"account-key"}],"isError":false}`))
	t.Run("passes", func(t *testing.T) {
		p := start(t, script)
		p.same(t, testkit.RawPost("/mcp", testkit.CallMessage("1", "tomtom-get-api-key", `{}`)))
	})
	t.Run("map key", func(t *testing.T) {
		p := start(t, script, "GATEWAY_MAP_KEY=restricted-map-key")
		if got := p.client().Call(t, "tomtom-get-api-key", `{}`).OnlyText(t); got != "restricted-map-key" {
			t.Errorf("got %q", got)
		}
		body := testkit.CallMessage("1", "tomtom-get-api-key", `{}`)
		a := p.client().Do(t, http.MethodPost, body, map[string]string{"Tomtom-Api-Key": ""})
		if a.Status != http.StatusUnauthorized || strings.Contains(a.Text(), "restricted-map-key") {
			t.Errorf("without a credential: %d %s", a.Status, a.Text())
		}
		if n := p.up.Calls("tomtom-get-api-key"); n != 0 {
			t.Errorf("%d calls reached the upstream", n)
		}
		if strings.Contains(p.LogText(), "restricted-map-key") {
			t.Error("the key is in the log")
		}
	})
}

// TestUnknownToolInTheModernEra: −32602.
func TestUnknownToolInTheModernEra(t *testing.T) {
	script := widgetList().Tool("nobody", testkit.EventError(-32602, "Unknown tool: nobody"))
	p := start(t, script)
	a := p.client().Do(t, http.MethodPost, testkit.ModernCallMessage("1", "nobody", `{}`, `{}`), testkit.ModernHeader("nobody"))
	if e := a.Error(t); e.Code != -32602 {
		t.Errorf("code %d", e.Code)
	}
}
