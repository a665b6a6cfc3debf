package proxy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// inputName is what the one thing is called that a host is asked for at a time.
const inputName = "input"

// maxHeldCalls bounds how many calls wait for their hosts.
const maxHeldCalls = 64

// heldCall is a request of a modern host that runs at a legacy upstream, which has asked the host for something. The host
// was told so, and its request is over; the upstream's stream stays open until the host tries again, with what it was
// asked for. Then the same call goes on: nothing runs twice.
type heldCall struct {
	x        *exchange
	ctx      context.Context //nolint:containedctx // of the upstream's work, which outlives the host's request
	events   *eventReader
	question message // of the upstream's
	origin   origin
	left     chan struct{} // closed when the host's request is over, and x free
	timer    *time.Timer
}

// origin is what a host's request has in common with its retry: who sent it, and what it is about.
type origin struct {
	caller, method, name string
	args                 [sha256.Size]byte
}

func originOf(h http.Header, m message) origin {
	args := m.raw(m.args)
	args = jsonspan.Apply(nil, args, jsonspan.Minify(args, nil))
	return origin{callerKey(h), m.method, m.name, sha256.Sum256(args)}
}

// heldCalls are the calls that wait for their hosts, each under a requestState that nobody can guess. The zero value is
// ready, and safe for concurrent use.
type heldCalls struct {
	mu     sync.Mutex
	calls  map[string]*heldCall
	closed bool
	ends   sync.WaitGroup // of calls that close gave up
}

// add keeps c under state, and gives it up after the time wait unless it is taken. It is false where too many wait already, or
// none is kept any more.
func (h *heldCalls) add(state string, c *heldCall, wait time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.calls) >= maxHeldCalls || h.closed {
		return false
	}
	if h.calls == nil {
		h.calls = map[string]*heldCall{}
	}
	h.calls[state] = c
	c.timer = time.AfterFunc(wait, func() {
		if h.take(state, c) {
			c.giveUp()
		}
	})
	return true
}

// close gives up all calls, and keeps none from now on. It returns at once; ends says when their upstreams know.
func (h *heldCalls) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.calls {
		c.timer.Stop()
		h.ends.Go(c.giveUp)
	}
	h.calls, h.closed = nil, true
}

// find returns the call that waits under state for a retry from where it came; nil where there is none.
func (h *heldCalls) find(state string, from origin) *heldCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.calls[state]; c != nil && c.origin == from {
		return c
	}
	return nil
}

// take removes c. It is false where somebody else has.
func (h *heldCalls) take(state string, c *heldCall) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calls[state] != c {
		return false
	}
	delete(h.calls, state)
	c.timer.Stop()
	return true
}

// giveUp cancels a call whose host has not come back, and returns when its upstream knows.
func (c *heldCall) giveUp() {
	<-c.left
	x := c.x
	x.held = nil
	x.logUnanswered(c.ctx, statusFailed, "no input from the host")
	x.work.cancel(errHostGone)
	if part := x.end(c.ctx); part != nil {
		part()
	}
}

// holdFor ends the host's request, where ev is something that a legacy upstream asks a modern host for and that the host can
// give: the answer says what, and the call is held. It is false, and nothing has happened, where it is not that, or cannot be
// brought to the host.
func (x *exchange) holdFor(ctx context.Context, events *eventReader, ev event) (held bool) {
	if !x.bridge.toLegacy() || !ev.isMessage() || len(ev.raw) > maxInputBytes || !takesInput(x.requests[0].method) {
		return false
	}
	messages, batch, err := scanMessages(bytes.Clone(ev.data()))
	if err != nil || batch || len(messages) != 1 || !messages[0].isRequest() {
		return false
	}
	m := messages[0]
	if !canBeAsked(x.bridge.part.capabilities, m.body, m.method, m.params) || len(x.requests[0].body) > maxInputBytes {
		return false
	}
	c := &heldCall{
		x: x, ctx: ctx, events: events, question: m,
		origin: originOf(x.r.Header, x.requests[0].message), left: make(chan struct{}),
	}
	state := newNonce()
	if x.rounds >= maxInputRounds || !x.g.held.add(state, c, x.g.inputWait) {
		return false
	}
	x.rounds++
	if x.work.pause() {
		x.g.log.InfoContext(ctx, "call waits for its host", slog.String("method", m.method))
		x.write(newEvent(resultResponse(x.requests[0].hostID(), inputRequired(m, state, x.bridge.info))))
	} else {
		x.hostErr = errHostGone
	}
	if x.hostErr != nil && x.g.held.take(state, c) { // nobody will come back
		x.work.cancel(errHostGone)
		return false
	}
	if events.leave() { // others need the room meanwhile
		x.hold.release()
	}
	x.held = c
	return true
}

// inputRequired is the result by which a modern host is asked for what the question of a legacy upstream asks for.
func inputRequired(question message, state string, info []byte) []byte {
	params := question.raw(question.params)
	if len(params) == 0 {
		params = []byte("{}") // they may be missing, which clients were seen not to understand
	}
	request := object(newMember{"method", quoted(question.method)}, newMember{"params", params})
	return object(
		newMember{memberResultType, quoted(resultInputRequired)},
		newMember{memberInputRequests, object(newMember{inputName, request})},
		newMember{memberRequestState, quoted(state)},
		newMember{"_meta", object(newMember{metaServerInfo, info})},
	)
}

// errNoSuchCall is what a retry gets whose call is not held here.
var errNoSuchCall = &rpcError{
	code: codeInvalidParams,
	message: "Invalid params: no call waits here for this requestState. It has waited too long, was answered before, or waits at another replica of the gateway: " +
		"start again without requestState",
}

// takeUp joins a host's retry to the call that is held for it. It is false where m is no retry.
func (x *exchange) takeUp(ctx context.Context, m message) (is bool) {
	value, stateful := jsonspan.Find(m.body, m.params, memberRequestState)
	_, answers := jsonspan.Find(m.body, m.params, memberInputResponses)
	if !stateful && !answers || !takesInput(m.method) {
		return false
	}
	state := stringAt(m.body, value.Value)
	c := x.g.held.find(state, originOf(x.r.Header, m))
	if c == nil {
		x.answerError(http.StatusOK, x.requests[0], errNoSuchCall)
		return true
	}
	input, given := jsonspan.Lookup(m.body, m.params, memberInputResponses, inputName)
	switch {
	case !given || !jsonspan.IsObject(m.body, input): // asked again, as the specification says
		writeJSON(x.w, http.StatusOK, resultResponse(m.raw(m.id), inputRequired(c.question, state, x.g.serverInfo(x.r.Header))))
	case !x.g.held.take(state, c):
		x.answerError(http.StatusOK, x.requests[0], errNoSuchCall)
	default:
		c.goOn(ctx, x.w, x.r, m, input)
	}
	return true
}

// goOn takes the call up for the host's retry, with the input that it brings.
//
//nolint:contextcheck // the upstream's work has a life of its own, which the retry's request watches
func (c *heldCall) goOn(ctx context.Context, w http.ResponseWriter, r *http.Request, retry message, input jsonspan.Span) {
	<-c.left
	x := c.x
	x.held, x.streams, x.hostErr, x.status = nil, false, nil, 0
	x.w, x.r, x.flush, x.due = w, r, flusher(w), x.resp
	x.started, x.sent = time.Now(), time.Now()
	x.requests[0].reply = bytes.Clone(retry.raw(retry.id))
	x.bridge.retried(retry)
	x.work.resume(r)
	x.conduct(c.ctx, func() {
		if err := x.answerUpstream(ctx, c.question, retry.raw(input)); err != nil {
			x.fail(c.ctx, err)
			return
		}
		x.follow(c.ctx, x.resp, c.events)
	})
}

// retried takes from a retry what it says of itself.
func (b *bridge) retried(retry message) {
	b.level = retry.logLevel()
	token, _ := retry.meta("progressToken")
	b.token = append([]byte{}, retry.raw(token)...)
}

var errAnswerRefused = errors.New("the upstream refused the answer to its request")

// answerUpstream answers a request of the upstream's with a result.
func (x *exchange) answerUpstream(ctx context.Context, question message, result []byte) error {
	ctx, work := x.g.begin(ctx, x.r, false)
	defer work.end()
	work.within(discoveryTimeout)
	header := ownHeader(x.r.Header)
	x.bridge.addressLegacy(header)
	resp, err := x.g.sendOwn(ctx, x.r, nil, http.MethodPost, header, resultResponse(question.raw(question.id), result))
	if err != nil {
		return cause(ctx, err)
	}
	defer closeBody(resp)
	readBehind(ctx, resp.Body).untilEnd() // so that the connection can be used again
	if resp.StatusCode >= http.StatusMultipleChoices {
		return errAnswerRefused
	}
	return nil
}
