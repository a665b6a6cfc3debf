package wire

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// wildcard is an upstream that allows everyone, as TomTom's does.
func wildcard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		h.ServeHTTP(w, r)
	})
}

func tokens(values []string) []string {
	var all []string
	for v := range strings.SplitSeq(strings.ToLower(strings.Join(values, ",")), ",") {
		all = append(all, strings.TrimSpace(v))
	}
	return all
}

// TestPreflight: answered by the gateway, with the headers that MCP needs, for allowed origins only.
func TestPreflight(t *testing.T) {
	up := testkit.StartUpstream(t, wildcard(testkit.NewScript()))
	g := testkit.StartGateway(t, up.URL, "GATEWAY_ALLOWED_ORIGINS=https://claude.ai,https://chatgpt.com")
	up.Forget()
	preflight := func(origin string) testkit.RawAnswer {
		return testkit.SendRaw(t, g.Address, "OPTIONS /mcp HTTP/1.1\r\nHost: g\r\nOrigin: "+origin+"\r\n"+
			"Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type,mcp-method\r\n\r\n")
	}
	for _, origin := range []string{"https://claude.ai", "https://chatgpt.com", "http://localhost:6274", "http://127.0.0.1:1", "http://[::1]:8080"} {
		a := preflight(origin)
		if !strings.Contains(a.StatusLine, " 204 ") && !strings.Contains(a.StatusLine, " 200 ") {
			t.Errorf("%s: %s", origin, a.StatusLine)
		}
		if got := a.Value("Access-Control-Allow-Origin"); got != origin && got != "*" {
			t.Errorf("%s: allowed %q", origin, got)
		}
		allowed := tokens(a.Values("Access-Control-Allow-Headers"))
		for _, name := range []string{"content-type", "accept", "authorization", "tomtom-api-key", "tomtom-maps-backend", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id"} {
			if !slices.Contains(allowed, name) && !slices.Contains(allowed, "*") {
				t.Errorf("%s: header %s is not allowed by %q", origin, name, allowed)
			}
		}
		methods := tokens(a.Values("Access-Control-Allow-Methods"))
		for _, m := range []string{"post", "get", "delete"} {
			if !slices.Contains(methods, m) {
				t.Errorf("%s: method %s is not allowed by %q", origin, m, methods)
			}
		}
	}
	for _, origin := range []string{"https://evil.test", "https://claude.ai.evil.test", "http://localhost.evil.test", "null", "http://claude.ai"} {
		a := preflight(origin)
		if got := a.Value("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s: allowed %q", origin, got)
		}
	}
	if n := len(up.Exchanges()); n != 0 {
		t.Errorf("%d preflights reached the upstream", n)
	}
}

// TestOriginRule: other origins get 403 before anything runs; no Origin, a loopback one and a listed one pass, and their
// answers expose what a browser host must read.
func TestOriginRule(t *testing.T) {
	up := testkit.StartUpstream(t, wildcard(routing(handleText, routeData)))
	g := testkit.StartGateway(t, up.URL, "GATEWAY_ALLOWED_ORIGINS=https://claude.ai")
	c := testkit.Client{URL: g.URL}
	for _, message := range []string{testkit.CallMessage("1", "tomtom-routing", `{}`), `{"jsonrpc":"2.0","id":1,"method":"x"}`, listTools} {
		up.Forget()
		if a := c.Do(t, http.MethodPost, message, map[string]string{"Origin": "https://evil.test"}); a.Status != http.StatusForbidden {
			t.Errorf("evil origin got %d", a.Status)
		}
		if n := len(up.Exchanges()); n != 0 {
			t.Errorf("%d requests of a refused origin reached the upstream", n)
		}
		for _, origin := range []string{"https://claude.ai", "http://localhost:5173"} {
			a := c.Do(t, http.MethodPost, message, map[string]string{"Origin": origin})
			if a.Status != http.StatusOK {
				t.Errorf("%s got %d", origin, a.Status)
			}
			if got := a.Header.Values("Access-Control-Allow-Origin"); len(got) != 1 || got[0] != origin && got[0] != "*" {
				t.Errorf("%s: Access-Control-Allow-Origin %q", origin, got)
			}
			exposed := tokens(a.Header.Values("Access-Control-Expose-Headers"))
			if !slices.Contains(exposed, "mcp-session-id") || !slices.Contains(exposed, "www-authenticate") {
				t.Errorf("%s: exposed %q", origin, exposed)
			}
		}
		if a := c.Post(t, message); a.Status != http.StatusOK {
			t.Errorf("no origin got %d", a.Status)
		}
	}
}

// TestAllOriginsBySetting: * for all.
func TestAllOriginsBySetting(t *testing.T) {
	up := testkit.StartUpstream(t, testkit.NewScript())
	g := testkit.StartGateway(t, up.URL, "GATEWAY_ALLOWED_ORIGINS=*")
	a := testkit.Client{URL: g.URL}.Do(t, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"x"}`, map[string]string{"Origin": "https://any.test"})
	if got := a.Header.Get("Access-Control-Allow-Origin"); a.Status != http.StatusOK || got != "*" && got != "https://any.test" {
		t.Errorf("%d, %q", a.Status, got)
	}
}

// TestErrorAnswersCarryCORS: a browser host must be able to read a 401 and where it leads.
func TestErrorAnswersCarryCORS(t *testing.T) {
	script := testkit.NewScript().Tool("tomtom-routing", testkit.Plain(401, "application/json", `{}`, "WWW-Authenticate", `Bearer resource_metadata="x"`)).
		Other(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	p := start(t, script)
	a := p.client().Do(t, http.MethodPost, testkit.CallMessage("1", "tomtom-routing", `{}`), map[string]string{"Origin": "http://localhost:1"})
	if a.Status != 401 || a.Header.Get("Www-Authenticate") == "" || a.Header.Get("Access-Control-Allow-Origin") == "" ||
		!slices.Contains(tokens(a.Header.Values("Access-Control-Expose-Headers")), "www-authenticate") {
		t.Errorf("%d %v", a.Status, a.Header)
	}
}
