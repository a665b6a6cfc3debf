package proxy

import (
	"net/http"
	"strconv"
	"testing"
)

// sessionUpstream is a legacy upstream that opens a session for every initialize, and knows no request without one.
type sessionUpstream struct {
	*fakeUpstream
	prefix    string
	call      func(w http.ResponseWriter, in received) // nil: an empty result
	cancelled chan received
	ended     chan string
	opened    int
}

// newSessionUpstream names its sessions after prefix; "": it has none.
func newSessionUpstream(t *testing.T, prefix string) *sessionUpstream {
	t.Helper()
	up := &sessionUpstream{prefix: prefix, cancelled: make(chan received, 9), ended: make(chan string, 9)}
	up.fakeUpstream = newUpstreamServer(t, up.serve)
	up.questions = up.greet
	return up
}

func (up *sessionUpstream) greet(w http.ResponseWriter, in received) (answered bool) {
	if in.message.method == methodInitialize {
		up.open(w)
	}
	return false
}

func (up *sessionUpstream) open(w http.ResponseWriter) {
	if up.prefix == "" {
		return
	}
	up.mu.Lock()
	defer up.mu.Unlock()
	id := up.prefix
	if up.opened++; up.opened > 1 {
		id += "-" + strconv.Itoa(up.opened)
	}
	w.Header().Set(headerSession, id)
}

func (up *sessionUpstream) serve(w http.ResponseWriter, in received) {
	switch {
	case in.method == http.MethodDelete:
		up.ended <- in.header.Get(headerSession)
		w.WriteHeader(http.StatusNoContent)
	case in.message.method == methodInitialize:
		up.open(w)
		answerEvent(w, in, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`)
	case up.prefix != "" && in.header.Get(headerSession) == "":
		writeError(w, http.StatusBadRequest, &rpcError{code: codeServerError, message: "Bad Request: Mcp-Session-Id header is required"})
	case in.message.method == noteCancelled:
		up.cancelled <- in
		w.WriteHeader(http.StatusAccepted)
	case in.message.id.Len() == 0:
		w.WriteHeader(http.StatusAccepted)
	case up.call != nil:
		up.call(w, in)
	default:
		answerEvent(w, in, `{"content":[]}`)
	}
}

// TestModernHostLegacySessions: an upstream with sessions gets one for each request, with the caller's own credentials, over
// the connection of the request, and ended after it.
func TestModernHostLegacySessions(t *testing.T) {
	up := newSessionUpstream(t, "s")
	g := newGateway(t, up.URL)
	for i, key := range []string{"key-a", "key-b"} {
		got := g.postModern(t, modernCallOf("1", "tomtom-traffic", "{}"), "Tomtom-Api-Key", key)
		if got.status != 200 || got.header.Get(headerSession) != "" {
			t.Fatalf("%d %v %s", got.status, got.header, got.body)
		}
		ended := <-up.ended
		in := up.requests()
		in = in[len(in)-3:]
		for j, want := range []string{"notifications/initialized", "tools/call", ""} {
			if in[j].message.method != want || in[j].header.Get(headerSession) != ended || in[j].header.Get("Tomtom-Api-Key") != key || in[j].remote != in[0].remote || in[j].header.Get(headerVersion) != "2025-11-25" {
				t.Errorf("call %d: %s %s with %v", i, in[j].method, in[j].body, in[j].header)
			}
		}
	}
	if up.opened != 2 {
		t.Errorf("%d sessions", up.opened)
	}
	if got := g.postModern(t, modernRequestOf("1", "server/discover", "")); got.status != 200 || got.header.Get(headerSession) != "" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if ended := <-up.ended; ended != "s-3" {
		t.Errorf("discovery left the session open: %s", ended)
	}
}
