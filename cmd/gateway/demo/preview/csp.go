package preview

import (
	"regexp"
	"slices"
	"strings"
)

// csp is a resource's _meta.ui.csp (MCP Apps, 2026-01-26): the origins that its document may use.
type csp struct {
	ConnectDomains  []string `json:"connectDomains,omitempty"`
	ResourceDomains []string `json:"resourceDomains,omitempty"`
	FrameDomains    []string `json:"frameDomains,omitempty"`
	BaseURIDomains  []string `json:"baseUriDomains,omitempty"`
}

// A header is not to be made arbitrarily long: browsers take about 256 KiB of them all, and draw nothing beyond that.
const (
	maxDomains     = 64 // of a list
	maxDomainBytes = 256
)

var (
	// host sources: a scheme of the web, a host that may begin with a wildcard before a name of two parts, a port, a path.
	webSource    = regexp.MustCompile(`^https?://` + hostSource)
	socketSource = regexp.MustCompile(`^wss?://` + hostSource)
)

const hostSource = `(?:\*\.[a-zA-Z0-9-]+\.)?[a-zA-Z0-9-]{1,63}(?:\.[a-zA-Z0-9-]{1,63})*(?::[0-9]{1,5}|:\*)?(?:/[a-zA-Z0-9._~%/-]*)?$`

// approved returns what of c goes into a policy. Whatever is no plain source is refused, and named: a source with a
// semicolon, a comma or white space would begin a directive or a policy of its own, one in quotes is a keyword that
// loosens what is here, and a lone scheme or wildcard is no domain.
func (c csp) approved() (allowed csp, refused []string) {
	keep := func(domains []string, is func(string) bool) (kept []string) {
		for _, d := range domains {
			switch {
			case len(d) > maxDomainBytes || !is(d) || len(kept) == maxDomains:
				refused = append(refused, clip(d))
			case !slices.Contains(kept, d):
				kept = append(kept, d)
			}
		}
		return kept
	}
	isWeb := webSource.MatchString
	isLocal := func(d string) bool { return d == "blob:" || d == "data:" }
	return csp{
		ConnectDomains:  keep(c.ConnectDomains, func(d string) bool { return isWeb(d) || socketSource.MatchString(d) || isLocal(d) }),
		ResourceDomains: keep(c.ResourceDomains, func(d string) bool { return isWeb(d) || isLocal(d) }),
		FrameDomains:    keep(c.FrameDomains, isWeb),
		BaseURIDomains:  keep(c.BaseURIDomains, isWeb),
	}, refused
}

// policy is the Content-Security-Policy of a document with these domains, approved ones. It is the one that the MCP Apps
// specification builds under "CSP Construction from Metadata", but for one source: no connection to 'self', which is the
// sandbox here and has nothing for a widget. What has no fallback to default-src and the specification does not name
// comes last.
func (c csp) policy(pageOrigin string) string {
	sources := func(always string, domains []string) string {
		return strings.Join(append([]string{always}, domains...), " ")
	}
	instead := func(fallback string, domains []string) string {
		if len(domains) == 0 {
			return fallback
		}
		return strings.Join(domains, " ")
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + sources("'self' 'unsafe-inline'", c.ResourceDomains),
		"style-src " + sources("'self' 'unsafe-inline'", c.ResourceDomains),
		"connect-src " + instead("'none'", c.ConnectDomains),
		"img-src " + sources("'self' data:", c.ResourceDomains),
		"font-src " + sources("'self'", c.ResourceDomains),
		"media-src " + sources("'self' data:", c.ResourceDomains),
		"frame-src " + instead("'none'", c.FrameDomains),
		"object-src 'none'",
		"base-uri " + instead("'self'", c.BaseURIDomains),
		"form-action 'none'",
		"frame-ancestors " + pageOrigin,
	}, "; ")
}

// connections is the Connection-Allowlist of a document with these domains, approved ones. The policy knows nothing of
// WebRTC, whose servers may be anywhere and are told whatever a widget likes; nor of names that are looked up early. A
// browser that has this header (WICG, Connection Allowlists) leaves both out. Paths and what a redirect leads to are the
// policy's.
func (c csp) connections() string {
	var patterns []string
	for _, source := range slices.Concat(c.ConnectDomains, c.ResourceDomains, c.FrameDomains, c.BaseURIDomains) {
		scheme, rest, isRemote := strings.Cut(source, "://")
		if !isRemote {
			continue // blob: and data: go nowhere
		}
		if scheme == "http" || scheme == "ws" {
			scheme += "{s}?" // in a policy http is https, too, and ws wss
		}
		host, _, _ := strings.Cut(rest, "/")
		if pattern := `"` + scheme + "://" + host + `"`; !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return "(" + strings.Join(patterns, " ") + ");redirects=allow;webrtc=block"
}
