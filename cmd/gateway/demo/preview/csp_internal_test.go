package preview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestApproved(t *testing.T) {
	t.Parallel()
	type lists struct{ connect, resource, frame, base bool }
	web, all := lists{true, true, true, true}, lists{}
	tests := []struct {
		domain string
		in     lists
	}{
		{"https://api.tomtom.com", web},
		{"http://127.0.0.1:8080", web},
		{"http://localhost:8080", web},
		{"https://*.example.com", web},
		{"https://example.com:*", web},
		{"https://cdn.example.com/tiles/", web},
		{"wss://live.example.com", lists{connect: true}},
		{"blob:", lists{connect: true, resource: true}},
		{"data:", lists{connect: true, resource: true}},
		{"https://*.com", all},
		{"https://*", all},
		{"*", all},
		{"https:", all},
		{"example.com", all},
		{"'self'", all},
		{"'unsafe-eval'", all},
		{"'none'", all},
		{"https://a.example.com;script-src *", all},
		{"https://a.example.com,script-src *", all},
		{"https://a.example.com *", all},
		{"https://a.example.com\tb", all},
		{"https://a.example.com\n", all},
		{"https://a.example.com?x=1", all},
		{"https://user@a.example.com", all},
		{"https://ex\u00e4mple.com", all},
		{"ftp://a.example.com", all},
		{"https://" + strings.Repeat("a.", 300) + "com", all},
		{"", all},
	}
	for _, tt := range tests {
		allowed, refused := csp{[]string{tt.domain}, []string{tt.domain}, []string{tt.domain}, []string{tt.domain}}.approved()
		got := lists{len(allowed.ConnectDomains) == 1, len(allowed.ResourceDomains) == 1, len(allowed.FrameDomains) == 1, len(allowed.BaseURIDomains) == 1}
		if got != tt.in {
			t.Errorf("%q: %+v, want %+v", tt.domain, got, tt.in)
		}
		kept := 0
		for _, in := range []bool{got.connect, got.resource, got.frame, got.base} {
			if in {
				kept++
			}
		}
		if kept+len(refused) != 4 {
			t.Errorf("%q: %d kept, %q refused", tt.domain, kept, refused)
		}
	}
}

// Whatever a resource declares, the policy has the directives that it always has, and each source is one of those that
// were declared and look like sources.
func TestPolicyCannotBeInjected(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{"https://", "a.example.com", ";", ",", " ", "script-src", "*", "'unsafe-eval'", "\r\n", "\x00", "blob:", ":443", "/p", "'none'", "ws://", "%0d%0a", "é"})
	domain := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(pieces, 0, 5).Draw(t, "pieces"), "") })
	rapid.Check(t, func(t *rapid.T) {
		declared := func(name string) []string { return rapid.SliceOfN(domain, 0, 6).Draw(t, name) }
		c := csp{declared("connect"), declared("resource"), declared("frame"), declared("base")}
		allowed, _ := c.approved()
		policy := allowed.policy("http://127.0.0.1:8090")
		if strings.ContainsAny(policy, ",\r\n\x00") {
			t.Fatalf("%q", policy)
		}
		names := []string{
			"default-src", "script-src", "style-src", "connect-src", "img-src", "font-src", "media-src", "frame-src", "object-src",
			"base-uri", "form-action", "frame-ancestors",
		}
		given := slices.Concat(c.ConnectDomains, c.ResourceDomains, c.FrameDomains, c.BaseURIDomains)
		given = append(given, "'self'", "'unsafe-inline'", "data:", "'none'", "http://127.0.0.1:8090")
		for i, directive := range strings.Split(policy, "; ") {
			words := strings.Split(directive, " ")
			if i >= len(names) || words[0] != names[i] || len(words) < 2 {
				t.Fatalf("directive %d is %q", i, directive)
			}
			for _, source := range words[1:] {
				if !slices.Contains(given, source) {
					t.Fatalf("%q stands in %q", source, directive)
				}
			}
		}
	})
}

// Connections are to the hosts of the policy's sources, whatever their paths; an http source of a policy is an https one,
// too.
func TestConnections(t *testing.T) {
	t.Parallel()
	c := csp{
		ConnectDomains:  []string{"wss://live.example.com/a", "ws://live.example.com:81", "data:"},
		ResourceDomains: []string{"https://*.example.com:*/tiles/", "blob:", "http://127.0.0.1:3000"},
		FrameDomains:    []string{"http://127.0.0.1:3000/frame"},
	}
	const want = `("wss://live.example.com" "ws{s}?://live.example.com:81" "https://*.example.com:*" "http{s}?://127.0.0.1:3000");redirects=allow;webrtc=block`
	if got := c.connections(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestTooManyDomains(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range maxDomains + 10 {
		many = append(many, "https://a"+strings.Repeat("b", i%50)+".example.com:"+strings.Repeat("1", 1+i/50))
	}
	allowed, refused := csp{ConnectDomains: many}.approved()
	if len(allowed.ConnectDomains) != maxDomains || len(refused) != 10 {
		t.Errorf("%d kept, %d refused", len(allowed.ConnectDomains), len(refused))
	}
}

// The longest headers that a resource can have made are ones that browsers still take.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	longest := func(list string) (domains []string) {
		host := "http://" + list + strings.Repeat(".a", 100)
		for i := range maxDomains {
			domain := fmt.Sprintf("%s%d/", host, i)
			domains = append(domains, domain+strings.Repeat("a", maxDomainBytes-len(domain)), domain+strings.Repeat("a", maxDomainBytes))
		}
		return domains
	}
	allowed, refused := csp{longest("c"), longest("r"), longest("f"), longest("b")}.approved()
	if len(refused) != 4*maxDomains || len(allowed.BaseURIDomains) != maxDomains {
		t.Errorf("%d refused, %d kept", len(refused), len(allowed.BaseURIDomains))
	}
	if n := len(allowed.policy("http://127.0.0.1:8090")) + len(allowed.connections()); n > 220<<10 {
		t.Errorf("%d bytes", n)
	}
}
