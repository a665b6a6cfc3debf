package testkit

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
)

// counter counts what reaches an upstream process; unlike a Recorder it keeps no bodies.
type counter struct {
	next http.Handler

	mu    sync.Mutex
	calls map[string]int
	conns int
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == seenPath {
		c.mu.Lock()
		defer c.mu.Unlock()
		_ = json.NewEncoder(w).Encode(Seen{Calls: c.calls, Connections: c.conns})
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	for _, m := range ParseMessages(body) {
		if m.Method == "tools/call" {
			c.calls[m.Params.Name]++
		}
	}
	c.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	c.next.ServeHTTP(w, r)
}

func (c *counter) connState(_ net.Conn, s http.ConnState) {
	if s == http.StateNew {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.conns++
	}
}
