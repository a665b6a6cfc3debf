package proxy

import (
	"maps"
	"net/http"
	"net/textproto"
	"strings"
)

// hopByHop are the headers that belong to one connection (RFC 9110 section 7.6.1, and what is deployed beside it).
// Those that Connection names join them.
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// removeHopByHop takes away the headers that end at this connection, in place.
func removeHopByHop(h http.Header) {
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			if name = textproto.TrimString(name); name != "" {
				h.Del(name)
			}
		}
	}
	for _, name := range hopByHop {
		h.Del(name)
	}
}

// requestHeader returns the headers of the request to the upstream for a request of a host: all of the host's, less
// those of the connection, and of the body's way here: its length and what its sender expected before. A session id of the gateway's own becomes the
// upstream's. plain asks the upstream for no compression, as for every answer that the gateway reads. The host's
// headers are not changed.
func requestHeader(host http.Header, plain bool) http.Header {
	h := host.Clone()
	if h == nil {
		h = make(http.Header)
	}
	removeHopByHop(h)
	h.Del("Content-Length")
	h.Del("Expect") // of 100-continue, which the gateway gave when it read the body
	sessionOf(host).toUpstream(h)
	if plain {
		h.Set("Accept-Encoding", "identity")
	}
	if _, named := h["User-Agent"]; !named {
		h["User-Agent"] = []string{""} // keeps net/http from adding its own name
	}
	return h
}

// copyResponseHeader adds to h, the headers of the answer to the host, those of the upstream's answer, less those of
// the connection. The Access-Control-* of the upstream go: the gateway answers by its own origin rule, which has
// put its own into h before. owned also leaves out what describes the upstream's bytes, which the gateway replaces.
func copyResponseHeader(h, upstream http.Header, owned bool) {
	kept := maps.Clone(upstream) // its values are copied below
	removeHopByHop(kept)
	if owned {
		for _, name := range []string{"Content-Length", "Etag", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest", "Last-Modified", "Accept-Ranges"} {
			kept.Del(name)
		}
	}
	for name, values := range kept {
		if !strings.HasPrefix(name, "Access-Control-") {
			h[name] = append(h[name], values...)
		}
	}
}
