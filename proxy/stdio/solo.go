package stdio

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// Solo is the one server of the one host, as an http.RoundTripper. It starts the server at once, and once more only where
// the gateway had to open the server's session to learn what it speaks: a server takes one initialize, and that is the
// host's.
type Solo struct {
	start func() (*Child, *Pipe, error)
	ended chan struct{}

	mu       sync.Mutex
	child    *Child
	pipe     *Pipe
	replaced sync.WaitGroup
}

// NewSolo starts the server.
func NewSolo(start func() (*Child, *Pipe, error)) (*Solo, error) {
	s := &Solo{start: start, ended: make(chan struct{})}
	var err error
	if s.child, s.pipe, err = start(); err != nil {
		return nil, err
	}
	go s.watch(s.pipe)
	return s, nil
}

// watch closes ended when p ends, unless another has taken its place.
func (s *Solo) watch(p *Pipe) {
	<-p.Ended()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipe == p {
		close(s.ended)
	}
}

// Ended is closed when the server's output has ended.
func (s *Solo) Ended() <-chan struct{} { return s.ended }

// RoundTrip implements http.RoundTripper.
func (s *Solo) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	pipe := s.pipe
	s.mu.Unlock()
	if pipe.openedByGateway() {
		opens, body, err := opensSession(r, "", pipe.options.Own)
		if err != nil {
			return nil, err
		}
		if body != nil {
			r = r.Clone(r.Context())
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		if opens {
			if pipe, err = s.replace(r.Context(), pipe); err != nil {
				return nil, err
			}
		}
	}
	return pipe.RoundTrip(r)
}

// replace starts another server in the place of the one behind old.
func (s *Solo) replace(ctx context.Context, old *Pipe) (*Pipe, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipe != old {
		return s.pipe, nil // somebody was quicker
	}
	child, pipe, err := s.start()
	if err != nil {
		return nil, err
	}
	before := s.child
	s.replaced.Go(func() { before.Stop(context.WithoutCancel(ctx), replacedPatience) })
	s.child, s.pipe = child, pipe
	go s.watch(pipe)
	return pipe, nil
}

// replacedPatience is for a server that nobody has asked anything of.
var replacedPatience = Patience{Close: time.Second, Terminate: time.Second}

// Stop ends the server, and returns its exit code.
func (s *Solo) Stop(ctx context.Context, p Patience) (exitCode int) {
	s.mu.Lock()
	child := s.child
	s.mu.Unlock()
	child.Stop(ctx, p)
	s.replaced.Wait()
	return child.ExitCode()
}
