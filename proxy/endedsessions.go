package proxy

import (
	"net/http"
	"sync"
)

// errSessionEnded is what a request in an ended session gets, in the words of the TypeScript SDK.
var errSessionEnded = &rpcError{code: codeUnauthenticated, message: "Session not found"}

// maxEnded bounds how many ended sessions are remembered.
const maxEnded = 4096

// endedSessions are sessions of the gateway's own that their hosts ended, by nonce: requests in them get 404, as hosts expect
// that end them. They grant nothing, so that this replica remembers the last of them and no other knows of it. The zero
// value is ready, and safe for concurrent use.
type endedSessions struct {
	mu    sync.Mutex
	known map[string]bool
	order []string // a ring of maxEnded
	next  int
}

// end notes a session.
func (e *endedSessions) end(nonce string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known[nonce] {
		return
	}
	if e.known == nil {
		e.known = map[string]bool{}
	}
	if len(e.order) < maxEnded {
		e.order = append(e.order, nonce)
	} else {
		delete(e.known, e.order[e.next])
		e.order[e.next] = nonce
		e.next = (e.next + 1) % maxEnded
	}
	e.known[nonce] = true
}

// has reports whether the session of a request has ended.
func (e *endedSessions) has(h http.Header) bool {
	e.mu.Lock()
	none := len(e.known) == 0
	e.mu.Unlock()
	if none || h.Get(headerSession) == "" {
		return false
	}
	s := sessionOf(h)
	if !s.endsHere() {
		return false // the upstream knows
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known[s.claims.nonce]
}
