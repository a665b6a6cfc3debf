package upstream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// ServeStdio serves one client over a pair of pipes, a message a line, until in ends and every request is answered. key
// is the credential that the real server takes from its environment. The error is what reading failed with.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, key string) error {
	c := session{s: s, tools: s.tools, key: key, out: &stream{lines: out}}
	if s.opts.Genesis {
		c.tools, c.genesis = s.genesis, true
	}
	calls := stdioCalls{cancels: map[string]context.CancelFunc{}}
	defer calls.running.Wait()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			calls.take(ctx, c, line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// stdioCalls is the requests of a client that run.
type stdioCalls struct {
	running sync.WaitGroup
	mu      sync.Mutex
	cancels map[string]context.CancelFunc
}

// take works on one line. Like the SDK of the real server it says nothing to what is no message.
func (s *stdioCalls) take(ctx context.Context, c session, line []byte) {
	messages, ok := parseMessages(line)
	if !ok {
		return
	}
	for _, m := range messages {
		switch {
		case m.Method == "notifications/cancelled":
			s.cancel(m.Params)
		case m.isRequest():
			id := string(compactJSON(m.ID))
			ctx, cancel := context.WithCancel(ctx)
			s.mu.Lock()
			s.cancels[id] = cancel
			s.mu.Unlock()
			s.running.Go(func() {
				defer s.end(id)
				c.one(ctx, m)
			})
		}
	}
}

func (s *stdioCalls) cancel(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) == nil {
		s.end(string(compactJSON(p.RequestID)))
	}
}

// end gives up what belongs to a request.
func (s *stdioCalls) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.cancels[id]; cancel != nil {
		cancel()
		delete(s.cancels, id)
	}
}
