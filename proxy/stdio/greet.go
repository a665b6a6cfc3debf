package stdio

import (
	"fmt"
	"net/http"
	"sync"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// handshakeVersion is the revision that the gateway asks a server for where no host did.
const handshakeVersion = "2025-11-25"

// greeting is how far a server's handshake is, which the revisions up to 2025-11-25 want once before anything else.
// Hosts that speak to the gateway without sessions bring none.
type greeting struct {
	ordering sync.Mutex // held by whoever completes it
	asked    bool       // an initialize was answered, in whatever way
	finished bool       // notifications/initialized was sent
	own      bool       // the gateway has opened it: by an initialize, or by asking a server of 2026-07-28 what it speaks
	answer   []byte     // the response with the result of it; nil without one
	id       jsonspan.Span
}

// note looks at the answer to q. The pipe's mu is held.
func (g *greeting) note(q *pending, line []byte, m message) {
	_, accepted := jsonspan.Find(line, m.span, "result")
	switch q.method {
	case methodInitialize:
		g.asked, g.own = true, q.own
		if accepted && g.answer == nil {
			g.answer, g.id = line, m.id
		}
	case methodDiscover:
		g.own = g.own || q.own && accepted
	}
}

// openedByGateway reports whether the server's session is the gateway's, and not a host's. Some servers that speak both
// kinds of revisions take no initialize after they have answered server/discover.
func (p *Pipe) openedByGateway() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.greeting.own
}

// state returns what is known under the pipe's lock.
func (p *Pipe) state() (asked, finished bool, answer []byte, id jsonspan.Span) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.greeting.asked, p.greeting.finished, p.greeting.answer, p.greeting.id
}

// greet completes the server's handshake where messages need it to be. resp is the answer to an initialize of the
// gateway's own that the server has given already: servers take one.
func (p *Pipe) greet(r *http.Request, messages []message) (resp *http.Response, err error) {
	needs := false
	for _, m := range messages {
		switch {
		case !m.isRequest(), m.method == methodPing, m.method == methodDiscover, m.version() != "":
		case m.method == methodInitialize:
			_, _, answer, id := p.state()
			if answer != nil && len(messages) == 1 && isOwn(m, p.options.Own) {
				again := jsonspan.Apply(nil, answer, []jsonspan.Edit{{Span: id, With: m.raw(m.id)}})
				return plainResponse(r, http.StatusOK, again), nil
			}
			return nil, nil //nolint:nilnil // nothing to do
		default:
			needs = true
		}
	}
	if asked, finished, _, _ := p.state(); !needs || asked && finished {
		return nil, nil //nolint:nilnil // nothing to do
	}
	p.greeting.ordering.Lock()
	defer p.greeting.ordering.Unlock()
	asked, finished, _, _ := p.state()
	if !asked {
		if err := p.initialize(r); err != nil {
			return nil, err
		}
	}
	if !finished {
		p.mu.Lock()
		p.greeting.finished = true
		p.mu.Unlock()
		if err := p.send(r.Context(), []byte(`{"jsonrpc":"2.0","method":"`+methodInitialized+`"}`)); err != nil {
			return nil, err
		}
	}
	return nil, nil //nolint:nilnil // nothing more to do
}

// initialize opens the server's session in the gateway's own name. What the server answers is not looked at: one that
// needs no handshake knows no such method.
func (p *Pipe) initialize(r *http.Request) error {
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"%s","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"tomtom-mcp-gateway","version":%s}}}`,
		p.handshakeID, handshakeVersion, jsonspan.AppendQuoted(nil, []byte(p.options.Version)))
	messages, _, err := scan(body)
	if err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	x, line, _ := p.register(body, messages)
	defer func() { _ = x.out.Close() }()
	if err := p.send(r.Context(), line); err != nil {
		p.abandon(x)
		return fmt.Errorf("handshake: %w", err)
	}
	select {
	case <-x.out.started:
	case <-p.ended:
		return p.err
	case <-r.Context().Done():
		p.abandon(x)
		return r.Context().Err()
	}
	if err := x.out.failure(); err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	return nil
}
