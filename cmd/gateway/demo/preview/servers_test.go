package preview_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview"
	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
	"tomtom-mcp-gateway/proxy"
)

// winding is a route of so many vertices.
func winding(vertices int) string {
	var line []string
	for i := range vertices {
		x := float64(i) / 500
		line = append(line, fmt.Sprintf("[%.7f,%.7f]", 4.9+x, 52+math.Sin(9*x)/40+math.Sin(71*x)/900))
	}
	return `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[` + strings.Join(line, ",") +
		`]},"properties":{"index":0,"summary":{},"sections":{"leg":[{"startPointIndex":0,"endPointIndex":` + fmt.Sprint(vertices-1) + `}]}}}]}`
}

const textWithHandle = `{"routes":[{"km":12.50}],"_meta":{"show_ui":true,"viz_id":"a-handle"}}`

// Servers of either era, with and without sessions, are one to the page: what is kept is composed as a call would be.
func TestServersOfBothEras(t *testing.T) {
	t.Parallel()
	servers := map[string]http.Handler{
		"modern":                 testkit.NewModern(textWithHandle, winding(6000), "2026-07-28"),
		"both eras":              testkit.NewModern(textWithHandle, winding(6000)),
		"legacy, with sessions":  testkit.NewModern(textWithHandle, winding(6000), "2025-11-25").WithSessions(),
		"legacy, older revision": testkit.NewModern(textWithHandle, winding(6000), "2025-03-26"),
	}
	for name, up := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls, requests atomic.Int64
			all := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				up.ServeHTTP(w, r)
			})
			s := show(t, counting(all, &calls), nil)
			c := s.run("tomtom-routing", `{"show_ui":true}`, 0)
			if c.Fit.Status != "inline" {
				t.Errorf("status %s", c.Fit.Status)
			}
			s.fitAt(c.ID, 25_000) // a gateway asks what it has to know of a modern server's tools, once
			before := requests.Load()
			at := s.fitAt(c.ID, 20_000)
			if requests.Load() != before {
				t.Errorf("another limit asks the server %d times", requests.Load()-before)
			}
			if at.Status != "fitted" || at.Largest == nil || positions(at.Original) != 6000 {
				t.Errorf("status %s, %d positions: %s", at.Status, positions(at.Original), clip(string(at.Result)))
			}
			if calls.Load() != 2 {
				t.Errorf("%d tool calls for a call and its redemption", calls.Load())
			}
			if !strings.Contains(name, "sessions") { // direct opens none
				want := direct(t, s.server.URL+"/mcp", "tomtom-routing", `{"show_ui":true}`, func(o *proxy.Options) { o.LimitChars = 20_000 })
				same(t, "20,000 characters", at.Result, want)
			}
			s.server.Close() // what was learnt of it is kept with its answer
			same(t, "without the server", s.fitAt(c.ID, 20_000).Result, at.Result)
		})
	}
}

// counting counts the tool calls that reach a server.
func counting(next http.Handler, calls *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		if bytes.Contains(body.Bytes(), []byte(`"tools/call"`)) {
			calls.Add(1)
		}
		r.Body = http.NoBody
		if body.Len() > 0 {
			r.Body = readCloser{&body}
		}
		next.ServeHTTP(w, r)
	})
}

type readCloser struct{ *bytes.Buffer }

func (readCloser) Close() error { return nil }

// A server that was started again knows the session no more. No tool runs on a guess: the page says so, and the next
// call works. What was kept from before is as good as it was.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	var running atomic.Pointer[testkit.Modern]
	start := func() { running.Store(testkit.NewModern(textWithHandle, winding(6000), "2025-11-25").WithSessions()) }
	start()
	var calls atomic.Int64
	s := show(t, counting(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { running.Load().ServeHTTP(w, r) }), &calls), nil)
	before := s.run("tomtom-routing", `{"show_ui":true}`, 0)
	start()
	s.get("/api/session", http.StatusOK) // lists tools, which may be repeated
	s.run("tomtom-routing", `{"show_ui":true}`, 0)
	start()
	calls.Store(0)
	body := s.post("/api/calls", map[string]any{"tool": "tomtom-routing"}, http.StatusBadGateway)
	if !strings.Contains(string(body), "had ended. Nothing was run") || calls.Load() != 1 {
		t.Errorf("%d calls sent: %s", calls.Load(), body)
	}
	s.run("tomtom-routing", `{"show_ui":true}`, 0)
	if got := s.fitAt(before.ID, 20_000); got.Status != "fitted" {
		t.Errorf("status %s", got.Status)
	}
}

// A server that is not there, or takes no key, is a sentence on the page.
func TestServersThatRefuse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"no key":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, `"The MCP server does not take the credential: it answered with status 401 and without a response."`},
		"not MCP":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<h1>Hello</h1>")) }, `"The MCP server's answer holds no response to this request."`},
		"not found":   {http.NotFound, `"The MCP server refused: it answered with status 404 and without a response."`},
		"breaks off":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, `"The MCP server could not be reached or broke off."`},
		"unavailable": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, `status 503 and without a response."`},
		"says no": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not today."}}`))
		}, `"The MCP server refused: not today."`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := show(t, tt.handler, nil)
			if body := s.get("/api/session", http.StatusBadGateway); !strings.Contains(string(body), tt.says) {
				t.Errorf("it says %s", body)
			}
		})
	}
}

// Trust in the server is the operator's, and so is what the server trusts.
func TestServerWithACertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(upstream.New(upstream.Options{}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo) // it is refused, which is the point
	server.StartTLS()
	defer server.Close()
	s := show(t, http.NotFoundHandler(), func(o *preview.Options) {
		trusting := gatewayOptions(t, server.URL+"/mcp")
		trusting.UpstreamTLS = server.Client().Transport.(*http.Transport).TLSClientConfig
		trusting.Token, trusting.AllowedHosts = "for-others", []string{"gateway.example.com"}
		o.Gateway = trusting
	})
	c := s.run("tomtom-routing", lisbonWarsaw, 0)
	if got := s.fitAt(c.ID, 40_000); got.Status != "fitted" {
		t.Errorf("status %s", got.Status)
	}
	without := show(t, http.NotFoundHandler(), func(o *preview.Options) { o.Gateway = gatewayOptions(t, server.URL+"/mcp") })
	without.get("/api/session", http.StatusBadGateway)
}
