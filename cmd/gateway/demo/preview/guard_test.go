package preview_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview"
	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

// What another page in the same browser, or another program on the machine, can try.
func TestHostileRequests(t *testing.T) {
	s, up := demo(t, upstream.Options{}, nil)
	view := decode[struct{ Sandbox string }](t, s.get("/api/resource?uri="+s.widgetURI(), http.StatusOK)).Sandbox
	const body = `{"tool":"tomtom-routing","arguments":` + lisbonWarsaw + `}`
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	tests := []struct {
		name, method, address, body string
		change                      func(*http.Request)
		want                        int
	}{
		{"no token", http.MethodGet, s.page + "/api/session", "", set(preview.HeaderToken, ""), http.StatusUnauthorized},
		{"a wrong token", http.MethodGet, s.page + "/api/session", "", set(preview.HeaderToken, strings.Repeat("0", 32)), http.StatusUnauthorized},
		{"the beginning of the token", http.MethodGet, s.page + "/api/session", "", set(preview.HeaderToken, s.token[:31]), http.StatusUnauthorized},
		{"the token in the address alone", http.MethodGet, s.page + "/api/session?token=" + s.token, "", set(preview.HeaderToken, ""), http.StatusUnauthorized},
		{"a call without the token", http.MethodPost, s.page + "/api/calls", body, set(preview.HeaderToken, ""), http.StatusUnauthorized},
		{"a part of the API that is not there, without the token", http.MethodGet, s.page + "/api/secrets", "", set(preview.HeaderToken, ""), http.StatusUnauthorized},
		{"a rebound name", http.MethodGet, s.page + "/api/session", "", host("rebound.example.com"), http.StatusForbidden},
		{"a rebound name with the port", http.MethodGet, s.page + "/", "", host("rebound.example.com:" + port(s.page)), http.StatusForbidden},
		{"localhost for the page", http.MethodGet, s.page + "/", "", host("localhost:" + port(s.page)), http.StatusForbidden},
		{"the sandbox's name for the page", http.MethodGet, s.page + "/", "", host(strings.TrimPrefix(s.sandbox, "http://")), http.StatusForbidden},
		{"a rebound name for the sandbox", http.MethodGet, view, "", host("rebound.example.com"), http.StatusForbidden},
		{"the page's name for the sandbox", http.MethodGet, view, "", host(strings.TrimPrefix(s.page, "http://")), http.StatusForbidden},
		{"a call from another origin", http.MethodPost, s.page + "/api/calls", body, set("Origin", "https://evil.example.com"), http.StatusForbidden},
		{"a call from the sandbox", http.MethodPost, s.page + "/api/calls", body, set("Origin", s.sandbox), http.StatusForbidden},
		{"a call from a widget", http.MethodPost, s.page + "/api/widget-calls", body, set("Origin", "null"), http.StatusForbidden},
		{"a call from two origins", http.MethodPost, s.page + "/api/calls", body, func(r *http.Request) { r.Header.Add("Origin", "https://evil.example.com") }, http.StatusForbidden},
		{"a call from another site", http.MethodPost, s.page + "/api/calls", body, set("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		{"a call from another port", http.MethodPost, s.page + "/api/calls", body, set("Sec-Fetch-Site", "same-site"), http.StatusForbidden},
		{"a form", http.MethodPost, s.page + "/api/calls", body, set("Content-Type", "text/plain"), http.StatusUnsupportedMediaType},
		{"a form without a type", http.MethodPost, s.page + "/api/calls", body, func(r *http.Request) { r.Header.Del("Content-Type") }, http.StatusUnsupportedMediaType},
		{"the sandbox asked by a script", http.MethodGet, view, "", set("Origin", "null"), http.StatusForbidden},
		{"the sandbox asked by the page's script", http.MethodGet, view, "", set("Origin", s.page), http.StatusForbidden},
		{"the API at the sandbox", http.MethodGet, s.sandbox + "/api/session", "", nil, http.StatusNotFound},
		{"the page at the sandbox", http.MethodGet, s.sandbox + "/", "", nil, http.StatusNotFound},
		{"the view at the page", http.MethodGet, s.page + strings.TrimPrefix(view, s.sandbox), "", nil, http.StatusNotFound},
		{"a view that was not opened", http.MethodGet, s.sandbox + "/view/" + strings.Repeat("0", 32), "", nil, http.StatusNotFound},
		{"the sandbox's document at the page", http.MethodGet, s.page + "/sandbox.html", "", nil, http.StatusNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := s.request(tt.method, tt.address, tt.body)
			if tt.change != nil {
				tt.change(r)
			}
			got := s.do(r)
			if got.status != tt.want {
				t.Errorf("status %d, want %d: %s", got.status, tt.want, clip(string(got.body)))
			}
			for name := range got.header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("it answers with %s", name)
				}
			}
			if got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Content-Security-Policy") == "" {
				t.Errorf("headers %v", got.header)
			}
		})
	}
	if n := up.Calls("tomtom-routing"); n != 0 {
		t.Errorf("%d of them ran a tool", n)
	}
}

// A preflight gets nothing that would let a foreign page's request follow.
func TestPreflight(t *testing.T) {
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, nil)
	for _, address := range []string{s.page + "/api/calls", s.page + "/", s.sandbox + "/view/x"} {
		r := s.request(http.MethodOptions, address, "")
		r.Header.Del(preview.HeaderToken)
		r.Header.Set("Origin", "https://evil.example.com")
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		r.Header.Set("Access-Control-Request-Headers", "preview-token")
		got := s.do(r)
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s answers with %s", address, name)
			}
		}
	}
}

func TestPageHeaders(t *testing.T) {
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, nil)
	r := s.request(http.MethodGet, s.page+"/?token="+s.token, "") // as a browser opens it
	r.Header = http.Header{"Sec-Fetch-Site": {"none"}}
	got := s.do(r)
	if got.status != http.StatusOK || !strings.Contains(string(got.body), "<!doctype html>") {
		t.Fatalf("status %d: %s", got.status, clip(string(got.body)))
	}
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
			"frame-src " + s.sandbox + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Cache-Control":                "no-store",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	}
	for name, value := range want {
		if is := got.header.Get(name); is != value {
			t.Errorf("%s: %s\nwant %s", name, is, value)
		}
	}
	if strings.Contains(string(got.body), s.token) {
		t.Error("the page holds the token")
	}
}

// A target with a host of its own leads around no check.
func TestTargetWithAHost(t *testing.T) {
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.page, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "GET %s/ HTTP/1.1\r\nHost: evil.example.com\r\nConnection: close\r\n\r\n", s.page)
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
		t.Errorf("%v: %s", err, clip(string(answer)))
	}
}

// Two previews never have one token.
func TestTokens(t *testing.T) {
	t.Parallel()
	a, _ := demo(t, upstream.Options{}, nil)
	b, _ := demo(t, upstream.Options{}, nil)
	if len(a.token) != 32 || a.token == b.token {
		t.Errorf("%d characters, equal: %v", len(a.token), a.token == b.token)
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, origins := range [][2]string{
		{"http://127.0.0.1:1", "http://127.0.0.1:1"}, {"127.0.0.1:1", "http://localhost:2"}, {"http://127.0.0.1:1/", "http://localhost:2"}, {"", ""},
	} {
		o := preview.Options{Gateway: gatewayOptions(t, "http://127.0.0.1:3000/mcp"), PageOrigin: origins[0], SandboxOrigin: origins[1]}
		if p, err := preview.New(o); err == nil {
			p.Close(t.Context())
			t.Errorf("%q is taken", origins)
		}
	}
}

func port(origin string) string { return origin[strings.LastIndex(origin, ":")+1:] }

// widgetURI is the widget of tomtom-routing.
func (s *shown) widgetURI() string {
	s.t.Helper()
	session := decode[struct {
		Tools []struct {
			Name string
			Meta struct {
				UI struct{ ResourceURI string }
			} `json:"_meta"`
		}
	}](s.t, s.get("/api/session", http.StatusOK))
	for _, tool := range session.Tools {
		if tool.Name == "tomtom-routing" {
			return tool.Meta.UI.ResourceURI
		}
	}
	s.t.Fatal("there is no tomtom-routing")
	return ""
}
