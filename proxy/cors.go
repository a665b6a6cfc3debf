package proxy

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// origins is the rule by which browser origins may use the gateway. It keeps web pages that a user happens to visit
// from reaching a gateway on their own machine or network (DNS rebinding): a request with an Origin that is not
// allowed is refused, one without an Origin does not come from a page and passes.
type origins struct {
	all     bool
	allowed map[string]bool
}

// newOrigins allows the listed origins besides those of this machine; "*" allows all.
func newOrigins(list []string) origins {
	o := origins{allowed: make(map[string]bool, len(list))}
	for _, origin := range list {
		if origin == "*" {
			o.all = true
		}
		o.allowed[normalOrigin(origin)] = true
	}
	return o
}

// normalOrigin spells an origin as browsers do: lower case, without a path and without the scheme's own port.
func normalOrigin(origin string) string {
	origin = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(origin), "/"))
	scheme, _, _ := strings.Cut(origin, ":")
	switch scheme {
	case "http":
		return strings.TrimSuffix(origin, ":80")
	case "https":
		return strings.TrimSuffix(origin, ":443")
	}
	return origin
}

// allows reports whether a page of the origin may use the gateway. "null", the origin of sandboxed frames and files,
// is only among all.
func (o origins) allows(origin string) bool {
	return o.all || o.allowed[normalOrigin(origin)] || isLoopback(origin)
}

// isLoopback reports whether the origin is a page that this machine serves.
func isLoopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" || u.RawQuery != "" {
		return false
	}
	return isNameOfThisMachine(hostName(u.Host))
}

// Headers of the gateway's CORS answers.
const (
	corsMethods = "GET, POST, DELETE, OPTIONS"
	// corsExposed are the response headers that an MCP client in a page needs to read.
	corsExposed = "Mcp-Session-Id, WWW-Authenticate"
	corsMaxAge  = "7200" // seconds; the most that Chromium keeps
	corsVary    = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers, Access-Control-Request-Private-Network"
)

// corsHeaders are the request headers that MCP and TomTom servers read.
var corsHeaders = []string{
	"Accept", "Authorization", "Content-Type", "Last-Event-ID", "Mcp-Method", "Mcp-Name", "MCP-Protocol-Version",
	"Mcp-Session-Id", "tomtom-api-key", "tomtom-maps-backend",
}

// maxRequestedHeaders bounds how many further header names of a preflight are granted.
const maxRequestedHeaders = 32

// guard lets only allowed origins through to next, answers their preflight itself, and puts the CORS headers of an
// allowed origin on whatever next answers.
func (o origins) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := r.Header["Origin"]
		if !slices.ContainsFunc(sent, func(origin string) bool { return origin != "" }) {
			next.ServeHTTP(w, r)
			return
		}
		// One is what a page sends. Of several, the upstream may believe another than the first.
		origin := sent[0]
		if len(sent) > 1 || !o.allows(origin) {
			w.Header().Set("Vary", "Origin")
			writeJSON(w, http.StatusForbidden, errorResponse(nil, &rpcError{code: codeServerError, message: "Forbidden: this origin may not use the gateway"}))
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", corsExposed)
		w.Header().Set("Vary", "Origin")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight(w.Header(), r.Header)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// preflight fills in what the page of an allowed origin may send. Besides the headers of MCP these are the ones that
// it asks for, since the gateway forwards them all: Mcp-Param-* mirror tool arguments and have no fixed names.
func preflight(answer, request http.Header) {
	answer.Set("Access-Control-Allow-Methods", corsMethods)
	answer.Set("Access-Control-Allow-Headers", strings.Join(append(slices.Clone(corsHeaders), requestedHeaders(request)...), ", "))
	answer.Set("Access-Control-Max-Age", corsMaxAge)
	answer.Set("Vary", corsVary)
	answer.Del("Access-Control-Expose-Headers")
	if request.Get("Access-Control-Request-Private-Network") == "true" {
		answer.Set("Access-Control-Allow-Private-Network", "true")
	}
}

// requestedHeaders returns the header names that a preflight asks for and corsHeaders does not have.
func requestedHeaders(request http.Header) []string {
	var names []string
	for _, line := range request["Access-Control-Request-Headers"] {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.TrimSpace(name)
			granted := func(other string) bool { return strings.EqualFold(name, other) }
			if isToken(name) && !slices.ContainsFunc(corsHeaders, granted) && len(names) < maxRequestedHeaders {
				names = append(names, name)
			}
		}
	}
	return names
}

// isToken reports whether s is a header name (RFC 9110 section 5.6.2) of usual length.
func isToken(s string) bool {
	const others = "!#$%&'*+-.^_`|~"
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && !strings.Contains(others, string(rune(c))) {
			return false
		}
	}
	return s != "" && len(s) <= 128
}
