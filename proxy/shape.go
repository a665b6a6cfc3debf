package proxy

import (
	"net"
	"net/http"
	"strings"
)

// maxHeaderLines bounds how many header lines a request may have. Hosts and what is between send some twenty; their
// size all together is the server's to bound.
const maxHeaderLines = 128

// Strict refuses requests that no MCP host sends, whose only use is to be understood differently here and behind: a
// target with a host of its own, floods of headers, names that the gateway does not go by. net/http refuses before
// what is not HTTP: two lengths, line ends inside of headers, spaces around their names, unknown transfer codings.
//
// Hosts are the names that a Host header may have besides this machine's; with none, it may have any.
func Strict(next http.Handler, hosts []string) http.Handler {
	known := make(map[string]bool, len(hosts))
	for _, host := range hosts {
		known[strings.ToLower(host)] = true
	}
	anyHost := len(hosts) == 0 || known["*"]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
			// Where a Content-Length came with it, someone on the way may have read the request differently, and taken what
			// follows for another one (RFC 9112 section 6.1). Nothing follows.
			w.Header().Set("Connection", "close")
		}
		switch {
		case r.RequestURI != "" && r.RequestURI[0] != '/' && r.Method != http.MethodConnect:
			writeError(w, http.StatusBadRequest, &rpcError{code: codeInvalidRequest, message: "The request's target must be a path"})
		case headerLines(r.Header) > maxHeaderLines:
			writeError(w, http.StatusRequestHeaderFieldsTooLarge, &rpcError{code: codeInvalidRequest, message: "The request has too many headers"})
		case !anyHost && !isNameOfThisMachine(hostName(r.Host)) && !known[hostName(r.Host)]:
			writeError(w, http.StatusForbidden, &rpcError{code: codeServerError, message: "Forbidden: the gateway is not served under this host name"})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func headerLines(h http.Header) (n int) {
	for _, lines := range h {
		n += len(lines)
	}
	return n
}

// hostName returns a Host header without its port, in lower case.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// isNameOfThisMachine reports whether a host's name means the machine that asks: no page of another name can have it.
func isNameOfThisMachine(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}
