package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"tomtom-mcp-gateway/policy"
)

// canaries are values that stand where secrets do: each in one place of a request or an answer.
var canaries = []string{
	"KeyCanary0123456789abcdef", "TokenCanary.eyJhbGciOi.J9", "CookieCanary42", "SessionCanary7f", "QueryCanary=x", "PathCanary",
	"HandleCanary-6f2d-11ee", "52.7654321", "4.8765432", "TextCanary", "ArgumentCanary", "DataCanary", "ErrorCanary", "ProgressCanary",
	"HeaderCanary", "DetailCanary0123456789", "PromptCanary", "MethodCanary", "ToolCanary",
}

// canaryUpstream answers with canaries in everything that an upstream can say: results, errors, progress, headers, what
// is no HTTP, what is no JSON.
func canaryUpstream(how string) func(http.ResponseWriter, received) {
	const text = `{"summary":"TextCanary","position":[4.8765432,52.7654321],"_meta":{"show_ui":true,"viz_id":"HandleCanary-6f2d-11ee"}}`
	data := strings.Replace(strings.Replace(routeDoc, "4.1234567,52.0", "4.8765432,52.7654321", 1), `"sections":{}`, `"name":"DataCanary"`, 1)
	return func(w http.ResponseWriter, in received) {
		w.Header().Set("X-Upstream", "HeaderCanary")
		redemption := in.message.name == "tomtom-get-viz-data"
		switch {
		case how == "fine" && redemption:
			answerEvent(w, in, textResultOf(data))
		case how == "gone" && redemption:
			answerEvent(w, in, `{"content":[{"type":"text","text":"ErrorCanary HandleCanary-6f2d-11ee"}],"isError":true}`)
		case how == "no JSON" && redemption:
			answerEvent(w, in, textResultOf("DataCanary 4.8765432,52.7654321"))
		case how == "cut short" && redemption:
			answerEvent(w, in, textResultOf(data[:len(data)-20]))
		case how == "an error" && redemption:
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(in.message.raw(in.message.id))+`,"error":{"code":-1,"message":"ErrorCanary"}}`)
		case how == "broken" && redemption, how == "unreachable":
			dropConnection(w)
		case how == "refused":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":"ErrorCanary"}`)
		case how == "no HTTP":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "TextCanary KeyCanary0123456789abcdef\r\n\r\n")
				_ = conn.Close()
			}
		case how == "tool error":
			answerEvent(w, in, `{"content":[{"type":"text","text":"ErrorCanary"}],"isError":true}`)
		case how == "breaks off":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"message\":\"ProgressCanary\"}}\n\ndata: {\"TextCanary")
			flusher(w)()
			dropConnection(w)
		default:
			answerEvent(w, in, textResultOf(text))
		}
	}
}

// TestNoSecretsAnywhere sends canaries through every path there is, in everything that a host, a widget or a server can
// say, and finds none of them in the log at its finest, nor in the metrics.
func TestNoSecretsAnywhere(t *testing.T) {
	header := []string{
		"Tomtom-Api-Key", "KeyCanary0123456789abcdef", "Authorization", "Bearer TokenCanary.eyJhbGciOi.J9", "Cookie", "a=CookieCanary42",
		"Mcp-Session-Id", "SessionCanary7f", "X-Other", "HeaderCanary", "User-Agent", "HeaderCanary", "X-Request-Id", "HeaderCanary 1", "Traceparent", "HeaderCanary",
	}
	arguments := `{"locations":[[4.8765432,52.7654321]],"query":"ArgumentCanary","show_ui":true}`
	report := func(detail string) string {
		return callOf("1", policy.ReportAppStatus, `{"tool":"tomtom-routing","outcome":"error","source":"none","reason":"network","detail":"`+detail+`"}`)
	}
	bodies := []string{
		callOf("1", "tomtom-routing", arguments), callOf(`"ArgumentCanary"`, "tomtom-data-viz", `{"geojson":{"a":"ArgumentCanary"},"show_ui":true}`),
		callOf("1", "tomtom-traffic", arguments), callOf("1", "ToolCanary", arguments), "[" + callOf("1", "tomtom-routing", arguments) + "," + callOf("2", "tomtom-routing", arguments) + "]",
		callOf("1", "tomtom-get-viz-data", `{"viz_id":"HandleCanary-6f2d-11ee"}`), callOf("1", policy.GetAppData, `{"geojson":{"a":"ArgumentCanary"}}`),
		callOf("1", policy.GetAppData, `{"nothing":"ArgumentCanary"}`), callOf("1", policy.GetAPIKey, `{}`),
		report("GET https://t.example/tiles?QueryCanary=x at 52.7654321,4.8765432 with DetailCanary0123456789"), report(`\u0007`),
		`{"jsonrpc":"2.0","id":1,"method":"MethodCanary","params":{"a":"ArgumentCanary"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"PromptCanary"}}`, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://PathCanary"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`,
		`TextCanary`, strings.Repeat("[", 11_000) + "ArgumentCanary", "[" + callOf("1", "tomtom-routing", arguments) + "," + callOf("1", "tomtom-routing", arguments) + "]",
	}
	for _, how := range []string{"fine", "gone", "no JSON", "cut short", "an error", "broken", "unreachable", "refused", "no HTTP", "tool error", "breaks off"} {
		t.Run(how, func(t *testing.T) {
			up := newUpstreamServer(t, canaryUpstream(how))
			registry := prometheus.NewRegistry()
			g := newGateway(t, up.URL, func(o *Options) { o.Metrics, o.MaxRequestBytes = registry, 1<<20 })
			for _, modern := range []bool{false, true} {
				for _, body := range append(bodies, strings.Repeat("ArgumentCanary", 1<<17)) {
					h := mcpHeader(header...)
					if modern {
						h.Set(headerVersion, modernVersion)
					}
					postRaw(t, g, "/mcp?QueryCanary=x", h, body)
				}
			}
			for _, path := range []string{"/mcp?QueryCanary=x", "/PathCanary?QueryCanary=x"} {
				h := mcpHeader(header...)
				h.Set("Accept", "application/json")
				requestRaw(t, g, http.MethodGet, path, h, "")
			}
			log := g.logged.String()
			families, err := registry.Gather()
			if err != nil || strings.Count(log, "\n") < 10 {
				t.Fatalf("%d lines of log, %v", strings.Count(log, "\n"), err)
			}
			counted := fmt.Sprint(families)
			for _, canary := range canaries {
				if strings.Contains(log, canary) {
					t.Errorf("%q is in the log: %s", canary, lineWith(log, canary))
				}
				if strings.Contains(counted, canary) {
					t.Errorf("%q is in the metrics", canary)
				}
			}
		})
	}
}

func lineWith(log, text string) string {
	for line := range strings.Lines(log) {
		if strings.Contains(line, text) {
			return line[:min(len(line), 1000)]
		}
	}
	return ""
}

func postRaw(t testing.TB, g *gateway, path string, h http.Header, body string) {
	t.Helper()
	requestRaw(t, g, http.MethodPost, path, h, body)
}

// requestRaw sends a request whose answer does not matter, nor whether there is one.
func requestRaw(t testing.TB, g *gateway, method, path string, h http.Header, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, g.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = h
	resp, err := g.client.Do(request)
	if err != nil {
		return
	}
	defer closeBody(resp)
	_, _ = io.Copy(io.Discard, resp.Body)
}

// TestConnectionsCarryNoIdentity: callers that share a connection to the upstream share nothing else. Each request has
// its own caller's credentials or none, and no cookie comes back that another caller was given.
func TestConnectionsCarryNoIdentity(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		w.Header().Set("Set-Cookie", "session=of-"+in.header.Get("Tomtom-Api-Key"))
		w.Header().Set("Www-Authenticate", "Bearer")
		answerEvent(w, in, `{"content":[]}`)
	})
	g := newGateway(t, up.URL)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	g.do(t, http.MethodPost, "/mcp", http.Header{"Content-Type": {"application/json"}, "Tomtom-Api-Key": {"of-a"}, "Authorization": {"Bearer a"}, "Cookie": {"c=a"}}, []byte(ping))
	g.do(t, http.MethodPost, "/mcp", http.Header{"Content-Type": {"application/json"}}, []byte(ping))
	g.do(t, http.MethodPost, "/mcp", http.Header{"Content-Type": {"application/json"}, "Tomtom-Api-Key": {"of-b"}}, []byte(ping))
	in := up.requests()
	if len(in) != 3 || in[0].remote != in[1].remote || in[1].remote != in[2].remote {
		t.Fatalf("%d requests, not all on one connection", len(in))
	}
	for i, want := range []http.Header{
		{"Tomtom-Api-Key": {"of-a"}, "Authorization": {"Bearer a"}, "Cookie": {"c=a"}}, {}, {"Tomtom-Api-Key": {"of-b"}},
	} {
		for _, name := range []string{"Tomtom-Api-Key", "Authorization", "Cookie"} {
			if got := in[i].header.Get(name); got != want.Get(name) {
				t.Errorf("request %d has %s %q, want %q", i, name, got, want.Get(name))
			}
		}
	}
}

// TestGetAppDataIsBoundedForAll: with other credentials it is the same bucket; what is refused runs nothing, and reports
// have a bucket of their own.
func TestGetAppDataIsBoundedForAll(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.name == "tomtom-get-viz-data" {
			answerEvent(w, in, textResultOf(`{"type":"FeatureCollection","features":[]}`))
			return
		}
		answerEvent(w, in, textResultOf(handleText))
	})
	registry := prometheus.NewRegistry()
	g := newGateway(t, up.URL, func(o *Options) { o.Metrics = registry })
	g.desk.data.SetLimit(0)
	g.desk.data.SetBurst(2)
	refusals := 0
	for i := range 5 {
		got := g.post(t, callOf("1", policy.GetAppData, `{"geojson":{}}`), "Tomtom-Api-Key", fmt.Sprint("caller-", i))
		if strings.Contains(string(got.body), "too many at once") {
			refusals++
		}
	}
	if calls := len(up.calls("tomtom-data-viz")); refusals != 3 || calls != 2 {
		t.Errorf("%d refusals, %d calls", refusals, calls)
	}
	counted := metricsOf(t, registry)
	if counted["gateway_app_data_fetches_total{outcome=fetched}"] != 2 || counted["gateway_app_data_fetches_total{outcome=too many}"] != 3 ||
		strings.Count(g.logged.String(), `"app data fetched"`) != 2 {
		t.Errorf("counted %v, logged %s", counted, g.logged)
	}
	got := g.post(t, callOf("1", policy.ReportAppStatus, `{"tool":"tomtom-routing","outcome":"drawn","source":"inline"}`))
	if !strings.Contains(string(got.body), `"ok"`) {
		t.Errorf("a report got %s", got.body)
	}
}
