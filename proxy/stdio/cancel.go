package stdio

import (
	"slices"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// abandon gives up what x still waits for, and tells the server. The end of x is its reader's to notice.
func (p *Pipe) abandon(x *exchange) {
	if x == nil {
		return
	}
	p.mu.Lock()
	var lines [][]byte
	for key, q := range p.waiting {
		if q.exchange != x {
			continue
		}
		p.drop(key, q)
		if q.method != methodInitialize { // which must not be cancelled
			lines = append(lines, cancellation(q.onPipe))
			p.giveUp(key)
		}
	}
	p.mu.Unlock()
	for _, line := range lines {
		p.tell(line)
	}
}

// tell brings a line to the server that nobody waits for. It is given up only with the server itself.
func (p *Pipe) tell(line []byte) {
	go func() {
		select {
		case p.writes <- outgoing{line, make(chan error, 1)}:
		case <-p.ended:
		}
	}()
}

// cancellation tells a server that a request is not waited for any more.
func cancellation(id []byte) []byte {
	line := append([]byte(`{"jsonrpc":"2.0","method":"`+methodCancelled+`","params":{"requestId":`), id...)
	return append(line, `}}`...)
}

// giveUp notes that the server knows that nobody waits for a request any more: it need not hear that twice, from a host
// that cancels and from whoever works for it. p.mu is held.
func (p *Pipe) giveUp(key string) {
	const kept = 64
	p.given = append(p.given, key)
	p.given = p.given[max(0, len(p.given)-kept):]
}

// cancel looks for the request that m cancels. It is given up: no answer to it reaches anybody. ended is its exchange
// where that waits for nothing else. passes is false where m must not reach the server, because it would hit a request of
// somebody else's, as where several callers share the pipe, whose ids are alike: there closing the answer cancels.
// p.mu is held.
func (p *Pipe) cancel(m message) (edits []jsonspan.Edit, ended *exchange, passes bool) {
	if p.shared {
		return nil, nil, false
	}
	id := m.param("requestId")
	want := jsonspan.ScalarKey(m.body, id)
	var found *pending
	var at string
	several := false
	for key, q := range p.waiting {
		if q.key == want && !q.own && q.method != methodInitialize {
			several = found != nil
			found, at = q, key
		}
	}
	switch {
	case several:
		return nil, nil, false
	case found == nil:
		_, others := p.waiting[want]
		return nil, nil, !others && !slices.Contains(p.given, want)
	}
	p.giveUp(at)
	if at != want {
		edits = []jsonspan.Edit{{Span: id, With: found.onPipe}}
	}
	p.drop(at, found)
	if found.exchange.left == 0 {
		ended = found.exchange
	}
	return edits, ended, true
}
