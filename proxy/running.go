package proxy

import (
	"context"
	"net/http"
	"sync"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// running knows the requests of legacy hosts that are on their way to a modern upstream, so that a notification can
// cancel them: there a request is cancelled by closing its stream, and the notification goes no further. What runs on
// another replica is not cancelled; the protocol allows that. The zero value is ready, and safe for concurrent use.
type running struct {
	mu    sync.Mutex
	calls map[string]*context.CancelCauseFunc
}

// runningKey names a request by its caller.
func runningKey(h http.Header, id string) string { return callerKey(h) + "\x00" + id }

// add notes a request until the returned function is called.
func (r *running) add(h http.Header, m message, cancel context.CancelCauseFunc) (done func()) {
	key := runningKey(h, m.idKey())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[string]*context.CancelCauseFunc{}
	}
	mine := &cancel
	r.calls[key] = mine
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.calls[key] == mine {
			delete(r.calls, key)
		}
	}
}

// end cancels the request that a notification of the same caller names.
func (r *running) end(h http.Header, note message) {
	id, ok := jsonspan.Lookup(note.body, note.params, "requestId")
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.calls[runningKey(h, idKey(note.body, id))]; cancel != nil {
		(*cancel)(errHostGone)
	}
}
