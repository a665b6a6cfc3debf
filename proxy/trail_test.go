package proxy

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/policy"
)

// TestTrail: every line about a request has its id, and its trace where the host is in one.
func TestTrail(t *testing.T) {
	const (
		trace = "0af7651916cd43dd8448eb211c80319c"
		other = "4bf92f3577b34da6a3ce929d0e0e4736"
	)
	traceparent := func(trace string) string { return "00-" + trace + "-b7ad6b7169203331-01" }
	withMeta := func(meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{},"_meta":` + meta + `}}`
	}
	plain := callOf("1", "tomtom-routing", `{}`)
	for _, tt := range []struct {
		name, body string
		header     []string
		id, trace  string // "": made here; none
	}{
		{"of nothing", plain, nil, "", ""},
		{"an id of an ingress", plain, []string{"X-Request-Id", "Ab-1_2.3"}, "Ab-1_2.3", ""},
		{"an id that is none", plain, []string{"X-Request-Id", `a" key=b`}, "", ""},
		{"a long id", plain, []string{"X-Request-Id", strings.Repeat("a", 65)}, "", ""},
		{"a trace in a header", plain, []string{"Traceparent", traceparent(trace)}, "", trace},
		{"a trace in the message", withMeta(`{"traceparent":"` + traceparent(trace) + `"}`), nil, "", trace},
		{"both", withMeta(`{"traceparent":"` + traceparent(trace) + `"}`), []string{"Traceparent", traceparent(other)}, "", trace},
		{"a bad one in the message", withMeta(`{"traceparent":7}`), []string{"Traceparent", traceparent(other)}, "", other},
		{"a later version", plain, []string{"Traceparent", "cc-" + trace + "-b7ad6b7169203331-01-what-comes"}, "", trace},
		{"no version", plain, []string{"Traceparent", "ff-" + trace + "-b7ad6b7169203331-01"}, "", ""},
		{"no trace", plain, []string{"Traceparent", traceparent(strings.Repeat("0", 32))}, "", ""},
		{"capitals", plain, []string{"Traceparent", traceparent(strings.ToUpper(trace))}, "", ""},
		{"too short", plain, []string{"Traceparent", "00-" + trace + "-b7ad6b7169203331"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
			g := newGateway(t, up.URL)
			g.post(t, tt.body, tt.header...)
			lines := g.logged.calls(t)
			if len(lines) != 1 {
				t.Fatalf("%d lines", len(lines))
			}
			id, _ := lines[0]["request_id"].(string)
			if traced, _ := lines[0]["trace_id"].(string); traced != tt.trace || tt.id != "" && id != tt.id || tt.id == "" && len(id) != 16 {
				t.Errorf("id %q, trace %q", id, traced)
			}
			// The context goes on as it came, in the header and in the message.
			in := up.requests()[0]
			if in.header.Get("Traceparent") != headerIn(tt.header, "Traceparent") || string(in.body) != tt.body {
				t.Errorf("upstream got %v %s", in.header, in.body)
			}
		})
	}
}

func headerIn(pairs []string, name string) string {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1]
		}
	}
	return ""
}

// TestRequestIDsDiffer, also of requests at the same time.
func TestRequestIDsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		seen[newRequestID()] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d of 1000 differ", len(seen))
	}
}

// TestWhatClientsSayOfThemselves is bounded and has no control characters in a line.
func TestWhatClientsSayOfThemselves(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	up.versions = dualEra
	g := newGateway(t, up.URL)
	name, _ := json.Marshal("Zürich\n\x1b[31m\u202e" + strings.Repeat("🙂", 100))
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":` + string(name) + `,"version":"1"},"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}}}}`
	g.post(t, body, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "tomtom-routing")
	lines := g.logged.calls(t)
	if len(lines) != 1 {
		t.Fatalf("%d lines: %s", len(lines), g.logged)
	}
	client, _ := lines[0]["client"].(string)
	if !strings.HasPrefix(client, "Zürich  [31m ") || len([]rune(client)) != maxClientChars || lines[0]["protocol"] != "2026-07-28" {
		t.Errorf("client %q, protocol %v", client, lines[0]["protocol"])
	}
}

// TestLogSample: of lines about what went well, one of so many is written; of failures, each. Metrics count all.
func TestLogSample(t *testing.T) {
	const sample, calls = 5, 12
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL, func(o *Options) { o.LogSample = sample })
	for i := range calls {
		g.call(t, "tomtom-routing", `{}`)
		g.call(t, "tomtom-geocode", `{}`) // isError
		for _, outcome := range []string{"drawn", "error"} {
			g.post(t, callOf(strconv.Itoa(i), policy.ReportAppStatus, `{"tool":"tomtom-routing","outcome":"`+outcome+`","source":"inline"}`))
		}
	}
	statuses := map[any]int{}
	for _, line := range g.logged.calls(t) {
		statuses[line["status"]]++
	}
	if statuses["inline"] != 3 || statuses["tool_error"] != calls {
		t.Errorf("lines by status: %v", statuses)
	}
	if drawn, failed := strings.Count(g.logged.String(), `"outcome":"drawn"`), strings.Count(g.logged.String(), `"outcome":"error"`); drawn != 3 || failed != calls {
		t.Errorf("%d lines about what was drawn, %d about what was not", drawn, failed)
	}
}

// TestFailuresAreAlwaysLogged, whatever the status.
func TestFailuresAreAlwaysLogged(t *testing.T) {
	for status, want := range map[string]bool{
		statusInline: false, statusFitted: false, statusFetch: false, statusText: false, statusNone: false, statusPassed: false,
		statusTooLarge: true, statusUnavailable: true, statusToolError: true, statusFailed: true,
	} {
		if got := (&record{status: status}).isFailure(); got != want {
			t.Errorf("%s: %v", status, got)
		}
	}
	if !(&record{status: statusPassed, reason: "status 401"}).isFailure() || !(&record{status: statusText, err: http.ErrAbortHandler}).isFailure() {
		t.Error("a status or an error counts as going well")
	}
}
