package proxy

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestOriginsAllow(t *testing.T) {
	listed := newOrigins([]string{"https://Chat.Example", "https://ide.example:443/", "http://plain.example:80", "app://desk"})
	for origin, want := range map[string]bool{
		"http://localhost":             true,
		"https://localhost:6274":       true,
		"http://sandbox.localhost:1":   true,
		"http://LOCALHOST":             true,
		"http://127.0.0.1:8080":        true,
		"http://127.9.9.9":             true,
		"http://[::1]:3000":            true,
		"https://chat.example":         true,
		"https://CHAT.example":         true,
		"https://ide.example":          true,
		"http://plain.example":         true,
		"app://desk":                   true,
		"http://chat.example":          false,
		"https://chat.example:8443":    false,
		"https://chat.example.evil":    false,
		"https://evil.example":         false,
		"http://localhost.evil":        false,
		"http://127.0.0.1.evil":        false,
		"http://10.0.0.1":              false,
		"http://0.0.0.0":               false,
		"http://localhost@evil":        false,
		"ftp://localhost":              false,
		"http://localhost/x":           false,
		"null":                         false,
		"":                             false,
		"http://[::1":                  false,
		"chrome-extension://localhost": false,
	} {
		if got := listed.allows(origin); got != want {
			t.Errorf("%q: allowed %t, want %t", origin, got, want)
		}
	}
	if all := newOrigins([]string{"*"}); !all.allows("null") || !all.allows("https://evil.example") {
		t.Error("* does not allow all")
	}
}

// guarded sends a request through the origin rule to an upstream that has CORS headers of its own.
func guarded(t *testing.T, method string, request http.Header) (answer *httptest.ResponseRecorder, reached bool) {
	t.Helper()
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached = true
		copyResponseHeader(w.Header(), http.Header{
			"Access-Control-Allow-Origin": {"*"}, "Vary": {"Accept-Encoding"}, "Mcp-Session-Id": {"s"},
		}, false)
		w.WriteHeader(http.StatusOK)
	})
	r := httptest.NewRequest(method, "/mcp", http.NoBody)
	r.Header = request
	w := httptest.NewRecorder()
	newOrigins([]string{"https://chat.example"}).guard(next).ServeHTTP(w, r)
	return w, reached
}

func TestGuard(t *testing.T) {
	t.Run("no origin passes without CORS headers", func(t *testing.T) {
		answer, reached := guarded(t, http.MethodPost, http.Header{})
		if !reached || answer.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("reached %t, headers %v", reached, answer.Header())
		}
	})
	t.Run("an allowed origin gets its own headers", func(t *testing.T) {
		answer, reached := guarded(t, http.MethodPost, http.Header{"Origin": {"https://chat.example"}})
		if got := answer.Header()["Access-Control-Allow-Origin"]; !reached || !slices.Equal(got, []string{"https://chat.example"}) {
			t.Errorf("reached %t, allowed %v", reached, got)
		}
		for _, name := range []string{"Mcp-Session-Id", "WWW-Authenticate"} {
			if !lists(answer.Header()["Access-Control-Expose-Headers"], name) {
				t.Errorf("%s is not exposed", name)
			}
		}
		if vary := answer.Header()["Vary"]; !lists(vary, "Origin") || !lists(vary, "Accept-Encoding") {
			t.Errorf("Vary %v", vary)
		}
	})
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions} {
		t.Run("another origin's "+method+" is refused", func(t *testing.T) {
			answer, reached := guarded(t, method, http.Header{"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}})
			if reached || answer.Code != http.StatusForbidden || answer.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("reached %t, status %d, headers %v", reached, answer.Code, answer.Header())
			}
		})
	}
	t.Run("OPTIONS that is no preflight passes", func(t *testing.T) {
		if _, reached := guarded(t, http.MethodOptions, http.Header{"Origin": {"https://chat.example"}}); !reached {
			t.Error("not passed on")
		}
	})
}

func TestPreflight(t *testing.T) {
	answer, reached := guarded(t, http.MethodOptions, http.Header{
		"Origin": {"https://chat.example"}, "Access-Control-Request-Method": {"POST"},
		"Access-Control-Request-Headers": {"authorization, mcp-param-bbox,traceparent, b@d"}, "Access-Control-Request-Private-Network": {"true"},
	})
	if reached || answer.Code != http.StatusNoContent {
		t.Fatalf("reached %t, status %d", reached, answer.Code)
	}
	allowed := answer.Header()["Access-Control-Allow-Headers"]
	for _, name := range []string{
		"Content-Type", "Accept", "Authorization", "tomtom-api-key", "tomtom-maps-backend", "Mcp-Session-Id",
		"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID", "mcp-param-bbox", "traceparent",
	} {
		if !lists(allowed, name) {
			t.Errorf("%s is not allowed", name)
		}
	}
	if lists(allowed, "b@d") {
		t.Error("what is no header name is allowed")
	}
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if !lists(answer.Header()["Access-Control-Allow-Methods"], method) {
			t.Errorf("%s is not allowed", method)
		}
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "https://chat.example", "Access-Control-Allow-Private-Network": "true", "Access-Control-Max-Age": corsMaxAge,
	} {
		if got := answer.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !lists(answer.Header()["Vary"], "Access-Control-Request-Headers") {
		t.Errorf("Vary %v", answer.Header()["Vary"])
	}
	t.Run("what it grants is bounded", func(t *testing.T) {
		many := http.Header{"Access-Control-Request-Headers": {strings.Repeat("x-a,", 10_000), strings.Repeat("y", 10_000)}}
		if names := requestedHeaders(many); len(names) > maxRequestedHeaders {
			t.Errorf("%d names", len(names))
		}
	})
}

// lists reports whether a header's comma-separated lists have the name, in any case.
func lists(lines []string, name string) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(lines, ","), ","), func(item string) bool {
		return strings.EqualFold(strings.TrimSpace(item), name)
	})
}
