package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// What a server says unasked and nobody is there to hear is kept up to this many lines and bytes, the oldest go first.
const (
	maxBacklog      = 64
	maxBacklogBytes = 1 << 20
)

// read takes in the server's lines until they end.
func (p *Pipe) read(lines *lineReader) {
	var err error
	for {
		var line []byte
		line, err = lines.next()
		if tooLong, is := errors.AsType[*tooLongError](err); is {
			p.refuseLong(tooLong)
			continue
		}
		if err != nil {
			break
		}
		p.take(line)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	p.end(err)
}

// end tells everybody that waits that the server has gone.
func (p *Pipe) end(err error) {
	p.err = ErrEnded
	if err != nil {
		p.err = fmt.Errorf("%w: %w", ErrEnded, err)
	}
	close(p.ended)
	p.mu.Lock()
	open, listener := p.open, p.listener
	p.open, p.listener = nil, nil
	p.waiting, p.tokens = map[string]*pending{}, map[string]*progress{}
	p.mu.Unlock()
	for _, x := range open {
		x.out.end(p.err)
	}
	if listener != nil {
		listener.end(nil)
	}
}

// take brings one line of the server to where it belongs.
func (p *Pipe) take(line []byte) {
	messages, batch, err := scan(line)
	switch {
	case len(line) == 0:
	case err != nil:
		// What it says may be anybody's: it is no part of a log.
		p.options.Log.Warn("a line of the server is no JSON and goes nowhere", slog.Int("bytes", len(line)))
	case len(messages) == 0:
		p.noMessage(line)
	case !batch:
		p.takeOne(line, messages[0], false)
	default:
		p.takeBatch(line, messages)
	}
}

func (p *Pipe) noMessage(line []byte) {
	p.options.Log.Warn("a line of the server is no message and goes nowhere", slog.Int("bytes", len(line)))
}

// takeBatch takes an array: whole, where all of it answers one batch, else message by message.
func (p *Pipe) takeBatch(line []byte, messages []message) {
	p.mu.Lock()
	var x *exchange
	one := len(messages) > 0
	for _, m := range messages {
		q := p.waiting[m.key()]
		if one = one && m.isResponse() && q != nil && string(q.onPipe) == string(q.id) && (x == nil || x == q.exchange); !one {
			break
		}
		x = q.exchange
	}
	if !one {
		p.mu.Unlock()
		for _, m := range messages {
			p.takeOne(m.raw(m.span), message{}, true)
		}
		return
	}
	for _, m := range messages {
		if key := m.key(); p.waiting[key] != nil {
			p.drop(key, p.waiting[key])
		}
	}
	last := x.left == 0
	p.mu.Unlock()
	x.out.push(line, last)
}

// takeOne takes one message. again says that it stood in an array, and m is still to be read.
func (p *Pipe) takeOne(line []byte, m message, again bool) {
	if again {
		messages, _, err := scan(line)
		if err != nil || len(messages) != 1 {
			return
		}
		m = messages[0]
	}
	switch {
	case m.isResponse() && !isNull(m.body, m.id):
		p.answer(line, m)
	case m.isResponse():
		p.unasked(line, m)
	case m.method == "":
		p.noMessage(line)
	case m.method == methodProgress:
		p.progress(line, m)
	case m.method == methodCancelled && p.endSubscription(line, m):
	default:
		p.notify(line, m)
	}
}

// answer brings a response to the exchange that waits for it, under the id that its sender wrote. A response that nobody
// waits for, such as one that came too late, goes nowhere: it may hold a handle.
func (p *Pipe) answer(line []byte, m message) {
	p.mu.Lock()
	key := m.key()
	q := p.waiting[key]
	if q == nil {
		p.mu.Unlock()
		p.options.Log.Debug("a response that nobody waits for", slog.Int("bytes", len(line)))
		return
	}
	p.drop(key, q)
	last := q.exchange.left == 0
	p.greeting.note(q, line, m)
	p.mu.Unlock()
	q.exchange.out.push(q.restored(line, m), last)
}

// restored returns line, the response m to q, under the id that the sender of q wrote; that of a subscription repeats it.
func (q *pending) restored(line []byte, m message) []byte {
	if string(q.onPipe) == string(q.id) {
		return line
	}
	edits := []jsonspan.Edit{{Span: m.id, With: q.id}}
	if q.method == methodListen {
		if s, ok := jsonspan.Lookup(m.body, m.span, "result", "_meta", metaSubscriptionID); ok {
			edits = append(edits, jsonspan.Edit{Span: s, With: q.id})
		}
	}
	jsonspan.Sort(edits)
	return jsonspan.Apply(nil, line, edits)
}

// progress brings a progress notification to the exchange that asked for it, under the token that its sender wrote.
func (p *Pipe) progress(line []byte, m message) {
	token := m.param("progressToken")
	p.mu.Lock()
	t := p.tokens[jsonspan.ScalarKey(m.body, token)]
	p.mu.Unlock()
	if t == nil {
		p.options.Log.Debug("progress that nobody waits for", slog.Int("bytes", len(line)))
		return
	}
	if t.made {
		line = jsonspan.Apply(nil, line, []jsonspan.Edit{{Span: token, With: t.token}})
	}
	t.exchange.out.push(line, false)
}

// notify brings a message that names the subscription it belongs to there, and any other to whoever can take it.
func (p *Pipe) notify(line []byte, m message) {
	subscription := m.param("_meta", metaSubscriptionID)
	if subscription.Len() == 0 {
		p.unasked(line, m)
		return
	}
	p.mu.Lock()
	q := p.waiting[jsonspan.ScalarKey(m.body, subscription)]
	p.mu.Unlock()
	if q == nil {
		return
	}
	if string(q.onPipe) != string(q.id) {
		line = jsonspan.Apply(nil, line, []jsonspan.Edit{{Span: subscription, With: q.id}})
	}
	q.exchange.out.push(line, false)
}

// endSubscription ends the subscription that the server has ended: by naming its request, and without a response to it. It
// is false where there is none.
func (p *Pipe) endSubscription(line []byte, m message) bool {
	id := m.param("requestId")
	key := jsonspan.ScalarKey(m.body, id)
	p.mu.Lock()
	q := p.waiting[key]
	if q == nil || q.method != methodListen {
		p.mu.Unlock()
		return false
	}
	p.drop(key, q)
	last := q.exchange.left == 0
	p.mu.Unlock()
	q.exchange.out.push(jsonspan.Apply(nil, line, []jsonspan.Edit{{Span: id, With: q.id}}), false)
	if last {
		q.exchange.out.end(nil)
	}
	return true
}

// unasked brings what the server says of its own to the call that runs, the newest of several, else to the listener. A
// request of the server's is best on the stream of the call that it is about, and only where one runs alone is it known
// which that is. What is about no call goes to the listener first.
func (p *Pipe) unasked(line []byte, m message) {
	p.mu.Lock()
	to, takers := p.listener, 0
	for _, x := range p.open {
		if x.takes && (p.listener == nil || !isNews(m.method)) {
			to = x.out
			takers++
		}
	}
	if p.shared && takers > 1 {
		p.mu.Unlock()
		p.nobodys(m)
		return
	}
	if to != nil {
		p.mu.Unlock()
		to.push(line, false)
		return
	}
	if m.isRequest() && m.method == methodPing || p.shared {
		p.mu.Unlock()
		p.nobodys(m)
		return
	}
	p.backlog = append(p.backlog, line)
	size := 0
	for i, kept := range slices.Backward(p.backlog) {
		if size += len(kept); size > maxBacklogBytes || len(p.backlog)-i > maxBacklog {
			p.backlog = append([][]byte(nil), p.backlog[i+1:]...)
			break
		}
	}
	p.mu.Unlock()
}

// handOver brings what the server asked when nobody was there to the first call that can take it: hosts of 2026-07-28 listen to
// nothing else, and a server may do nothing before it has its answer. p.mu is held.
func (p *Pipe) handOver(x *exchange) {
	p.backlog = slices.DeleteFunc(p.backlog, func(line []byte) bool {
		messages, _, err := scan(line)
		asks := err == nil && len(messages) == 1 && messages[0].isRequest()
		if asks {
			x.out.push(line, false)
		}
		return asks
	})
}

// nobodys deals with what the server says unasked to none or to any of several callers. Its requests are answered, so that
// it does not wait.
func (p *Pipe) nobodys(m message) {
	switch {
	case m.isRequest() && m.method == methodPing:
		pong := append([]byte(`{"jsonrpc":"2.0","id":`), m.raw(m.id)...)
		p.tell(append(pong, `,"result":{}}`...))
	case m.isRequest():
		p.tell(failure(m.raw(m.id), codeInternal, "Several callers share this session: nobody can tell whom this is for"))
	}
}

// isNews reports whether a notification is about the server, and not about a call.
func isNews(method string) bool {
	return strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated"
}

// listen answers a GET. A new listener takes the place of the one before.
func (p *Pipe) listen(r *http.Request) *http.Response {
	s := newStream()
	p.mu.Lock()
	before := p.listener
	p.listener = s
	backlog := p.backlog
	p.backlog = nil
	select {
	case <-p.ended:
		p.listener = nil
		s.end(nil)
	default:
	}
	p.mu.Unlock()
	if before != nil {
		before.end(nil)
	}
	for _, line := range backlog {
		s.push(line, false)
	}
	leave := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.listener == s {
			p.listener = nil
		}
	}
	stop := context.AfterFunc(r.Context(), func() {
		leave()
		s.end(r.Context().Err())
	})
	s.onClose = func() {
		stop()
		leave()
	}
	s.whole = false
	return streamResponse(r, s)
}

// refuseLong answers the request whose answer cannot be held.
func (p *Pipe) refuseLong(e *tooLongError) {
	p.options.Log.Warn("a line of the server is too long and goes nowhere", slog.Int64("limit", e.limit))
	if e.id == nil {
		return
	}
	p.take(failure(e.id, codeInternal, fmt.Sprintf("The MCP server's answer has more than %d bytes", e.limit)))
}
