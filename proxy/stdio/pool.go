package stdio

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Server is one running server of a pool.
type Server struct {
	Pipe *Pipe
	// Stop ends it.
	Stop func()
}

// Pool is the upstream of any number of hosts: a server for each session, and one more for all requests without a
// session. It is an http.RoundTripper, as Pipe is, and the sessions are those of streamable HTTP. A session whose server
// has ended is over, which its host is told with 404; the server without a session is started again by the next request.
type Pool struct {
	start func() (Server, error)
	most  int
	own   func(id string) bool
	log   *slog.Logger

	mu      sync.Mutex
	servers map[string]*pooled // by session id; "" is the one without
	closed  bool
	stops   sync.WaitGroup
}

type pooled struct {
	Server
	used time.Time
}

var errPoolFull = errors.New("every server has work to do")

// NewPool runs at most so many servers at once. The one that was idle for longest makes room for a new one. own is as in
// PipeOptions: an initialize of the gateway's own opens no session.
func NewPool(most int, own func(id string) bool, start func() (Server, error), log *slog.Logger) *Pool {
	return &Pool{start: start, most: max(1, most), own: own, log: log, servers: map[string]*pooled{}}
}

// RoundTrip implements http.RoundTripper.
func (p *Pool) RoundTrip(r *http.Request) (*http.Response, error) {
	session := r.Header.Get(headerSession)
	opens, body, err := opensSession(r, session, p.own)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	switch {
	case opens:
		session = newSession()
	case session == "" && r.Method == http.MethodGet:
		return plainResponse(r, http.StatusMethodNotAllowed, nil), nil // whose messages it would get nobody knows
	case session != "" && r.Method == http.MethodDelete:
		if !p.drop(session) {
			return plainResponse(r, http.StatusNotFound, nil), nil
		}
		return plainResponse(r, http.StatusNoContent, nil), nil
	}
	s, err := p.server(session, opens || session == "")
	switch {
	case errors.Is(err, errPoolFull):
		return plainResponse(r, http.StatusServiceUnavailable, failure(nil, codeInternal, "Too many sessions have work to do at once; try again later")), nil
	case err != nil:
		return nil, err
	case s == nil:
		return plainResponse(r, http.StatusNotFound, failure(nil, codeInvalidRequest, "There is no such session, or its server has ended: initialize again")), nil
	}
	resp, err := s.Pipe.RoundTrip(r)
	if opens {
		if err != nil {
			p.drop(session)
			return nil, err
		}
		resp.Header.Set(headerSession, session)
	}
	return resp, err
}

// opensSession reports whether r is a host's initialize. body is what was read for that; nil when nothing was.
func opensSession(r *http.Request, session string, own func(id string) bool) (opens bool, body []byte, err error) {
	if r.Method != http.MethodPost || session != "" || r.Body == nil {
		return false, nil, nil
	}
	body, err = io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return false, nil, fmt.Errorf("read the request: %w", err)
	}
	messages, _, err := scan(body)
	if err != nil || len(messages) != 1 {
		return false, body, nil //nolint:nilerr // the pipe says what is wrong with it
	}
	m := messages[0]
	return m.isRequest() && m.method == methodInitialize && !isOwn(m, own), body, nil
}

func newSession() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// server returns the server of a session, and starts one where there is none and starts is true; else nil.
func (p *Pool) server(session string, starts bool) (*pooled, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrEnded
	}
	if s := p.servers[session]; s != nil {
		select {
		case <-s.Pipe.Ended():
			p.remove(session)
		default:
			s.used = time.Now()
			return s, nil
		}
	}
	if !starts {
		return nil, nil //nolint:nilnil // no such session
	}
	if len(p.servers) >= p.most && !p.makeRoom() {
		return nil, errPoolFull
	}
	started, err := p.start()
	if err != nil {
		return nil, err
	}
	started.Pipe.shared = session == ""
	s := &pooled{Server: started, used: time.Now()}
	p.servers[session] = s
	p.log.Info("server started", slog.Int("running", len(p.servers)))
	go p.watch(session, s)
	return s, nil
}

// watch removes a server that has ended.
func (p *Pool) watch(session string, s *pooled) {
	<-s.Pipe.Ended()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.servers[session] == s {
		p.remove(session)
	}
}

// makeRoom ends the server that was idle for longest, if one is. p.mu is held.
func (p *Pool) makeRoom() bool {
	oldest := ""
	var found *pooled
	for session, s := range p.servers {
		if !s.Pipe.busy() && (found == nil || s.used.Before(found.used)) {
			oldest, found = session, s
		}
	}
	if found != nil {
		p.remove(oldest)
	}
	return found != nil
}

// remove ends a server. p.mu is held.
func (p *Pool) remove(session string) {
	s := p.servers[session]
	delete(p.servers, session)
	p.stops.Go(s.Stop)
	p.log.Info("server stopped", slog.Int("running", len(p.servers)))
}

// drop ends the server of a session. It is false when there is none.
func (p *Pool) drop(session string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.servers[session] == nil {
		return false
	}
	p.remove(session)
	return true
}

// Close ends all servers and returns when they have ended, or when ctx is done.
func (p *Pool) Close(ctx context.Context) {
	p.mu.Lock()
	p.closed = true
	for session := range p.servers {
		p.remove(session)
	}
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		p.stops.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
