package preview_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/hostile"
)

// The headers of a view, word for word.
func TestViewPolicy(t *testing.T) {
	s := show(t, hostile.New(), nil)
	nothing := "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; connect-src 'none'; " +
		"img-src 'self' data:; font-src 'self'; media-src 'self' data:; frame-src 'none'; object-src 'none'; base-uri 'self'; " +
		"form-action 'none'; frame-ancestors " + s.page
	const kept = "https://tiles.example.com"
	const nowhere, rest = "()", ";redirects=allow;webrtc=block"
	tests := []struct{ name, uri, query, want, connections string }{
		{"nothing declared", hostile.EscapeURI, "", nothing, nowhere},
		{"directives as domains", hostile.InjectURI, "", "default-src 'none'; script-src 'self' 'unsafe-inline' " + kept + "; style-src 'self' 'unsafe-inline' " + kept +
			"; connect-src " + kept + "; img-src 'self' data: " + kept + "; font-src 'self' " + kept + "; media-src 'self' data: " + kept +
			"; frame-src " + kept + "; object-src 'none'; base-uri " + kept + "; form-action 'none'; frame-ancestors " + s.page, `("` + kept + `")`},
		{"a host that honours nothing", hostile.InjectURI, "?csp=strict", nothing, nowhere},
		{"another value", hostile.EscapeURI, "?csp=default-src%20*", nothing, nowhere},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opened := decode[struct {
				View, Sandbox, HTML string
				Refused             []string
			}](t, s.get("/api/resource?uri="+url.QueryEscape(tt.uri), http.StatusOK))
			if tt.uri == hostile.InjectURI && len(opened.Refused) != 4*(len(hostile.InjectedDomains)-1) {
				t.Errorf("refused: %q", opened.Refused)
			}
			r := s.request(http.MethodGet, opened.Sandbox+tt.query, "")
			r.Header = http.Header{"Sec-Fetch-Dest": {"iframe"}}
			answer := s.do(r)
			got := answer.header["Content-Security-Policy"]
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
			if got := answer.header["Connection-Allowlist"]; len(got) != 1 || got[0] != tt.connections+rest {
				t.Errorf("connections %q, want %q", got, tt.connections+rest)
			}
			if answer.status != http.StatusOK || answer.header.Get("Content-Type") != "text/html; charset=utf-8" || answer.header.Get("Set-Cookie") != "" {
				t.Errorf("status %d, %v", answer.status, answer.header)
			}
			if !strings.Contains(string(answer.body), `"`+s.page+`"`) || strings.Contains(string(answer.body), "means harm") {
				t.Errorf("the frame is not the page's: %s", clip(string(answer.body)))
			}
		})
	}
}
