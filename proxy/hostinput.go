package proxy

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

const (
	// maxInputRounds bounds how often one call of a host's is tried again with input.
	maxInputRounds = 10
	// maxQuestions bounds what a host is asked for at a time.
	maxQuestions = 16
	// questionPrefix begins the ids of what hosts are asked, so that an answer is known for one at any replica.
	questionPrefix = "gateway-question-"
)

// questions are what legacy hosts are asked for on the streams of their calls, by caller and id. The zero value is ready, and
// safe for concurrent use.
type questions struct {
	mu      sync.Mutex
	waiting map[string]chan<- message
}

// expect sends the caller's answer to the question with id to answers, which takes it at once, until done is called.
func (q *questions) expect(h http.Header, id string, answers chan<- message) (done func()) {
	key := runningKey(h, id)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting == nil {
		q.waiting = map[string]chan<- message{}
	}
	q.waiting[key] = answers
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.waiting, key)
	}
}

// answer hands over a caller's answer, once. It is false where nobody waits for it here.
func (q *questions) answer(h http.Header, m message) bool {
	key := runningKey(h, stringAt(m.body, m.id))
	q.mu.Lock()
	defer q.mu.Unlock()
	answers := q.waiting[key]
	if answers == nil {
		return false
	}
	delete(q.waiting, key)
	answers <- m
	return true
}

// takeAnswer takes a legacy host's response to what it was asked for. A modern upstream has asked for nothing itself.
func (x *exchange) takeAnswer(ctx context.Context, m message) {
	if !strings.HasPrefix(stringAt(m.body, m.id), questionPrefix) || x.g.asked.answer(x.r.Header, m) {
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	x.g.log.WarnContext(ctx, "a host's answer came to where nobody waits for it")
	writeError(x.w, http.StatusServiceUnavailable, &rpcError{
		code: codeServerError, message: "No call waits for this answer here: it has waited too long, or waits at another replica of the gateway",
	})
}

// wants reports whether the unit says that a modern upstream wants something of a legacy host before it answers. It is noted
// for satisfy.
func (x *exchange) wants(u *unit) bool {
	if !x.bridge.toModern() || len(x.requests) != 1 || len(u.results) != 1 {
		return false
	}
	p := u.results[0]
	if stringMember(p.body, p.result, memberResultType) != resultInputRequired {
		return false
	}
	x.noteEra(p)
	x.wanted = p
	x.waiting[p.idKey()] = p.request // it is not answered yet
	return true
}

// satisfy asks a legacy host for what its upstream wants, and tries its request again with that. The upstream has asked for
// this one more request, which goes on with the same call.
func (x *exchange) satisfy(ctx context.Context, round int) {
	p := x.wanted
	x.wanted = nil
	body := bytes.Clone(p.raw(p.span))
	p.message = scanMessage(body, jsonspan.Span{End: len(body)})
	resp := x.resp
	x.received()
	x.closeAnswer()
	if len(body) <= maxInputBytes { // others need the room while a person is asked
		x.hold.release()
	}
	responses, failure, err := x.gather(ctx, p, resp, round)
	switch {
	case failure != nil:
		x.answerFailure(ctx, failure)
		return
	case err != nil:
		x.fail(ctx, err)
		return
	}
	x.waiting = map[string]*request{}
	id := quoted("retry-" + newNonce()) // not the first one's, as the specification wants it
	q := p.request
	q.reply = q.raw(q.id)
	x.waiting[idKey(id, jsonspan.Span{End: len(id)})] = q
	retry := x.bridge.retry(q.message, id, responses, p)
	if resp, err = x.send(ctx, retry); err != nil { //nolint:bodyclose // x.resp is closed with the exchange
		x.fail(ctx, err)
		return
	}
	x.resp = resp
	x.answer(ctx, resp)
}

// answerFailure answers what waits with an error: as the stream's last events where one has begun.
func (x *exchange) answerFailure(ctx context.Context, e *rpcError) {
	if x.streams {
		x.failStream(ctx, e.message, e)
		return
	}
	x.logUnanswered(ctx, statusFailed, e.message)
	writeAnswers(x.w, http.StatusOK, x.failures(e), false)
}

// retry returns the request m as it goes to a modern upstream again, with the responses to what p asks for.
func (b *bridge) retry(m message, id, responses []byte, p *response) []byte {
	members := []newMember{{memberInputResponses, responses}}
	if state, ok := jsonspan.Find(p.body, p.result, memberRequestState); ok {
		members = append(members, newMember{memberRequestState, p.raw(state.Value)})
	}
	edits := replace(m.body, m.id, id)
	if jsonspan.IsObject(m.body, m.params) {
		edits = append(edits, insertMembers(m.body, m.params, members)...)
	}
	again := apply(m, edits)
	m = scanMessage(again, jsonspan.Span{End: len(again)})
	return apply(m, b.described(m))
}

// hostQuestion is one thing that a host is asked for.
type hostQuestion struct {
	name, method string // name: under which the upstream wants the answer
	id           string
	answer       []byte // nil before
	over         bool   // the host has answered
}

// gather asks the host on the stream of its request for everything that p, of the answer resp, asks for, and returns the
// responses as one object. failure says what the host's request is answered with where that cannot be, err why it ended.
func (x *exchange) gather(ctx context.Context, p *response, resp *http.Response, round int) (responses []byte, failure *rpcError, err error) {
	asked, bodies, failure := x.questionsOf(p, round)
	if failure != nil {
		return nil, failure, nil
	}
	answers := make(chan message, maxQuestions)
	for i, q := range asked {
		defer x.g.asked.expect(x.r.Header, q.id, answers)()
		if !x.streams {
			x.status = 0
			resp.Header.Set("Content-Type", "text/event-stream")
			x.head(resp, -1)
		}
		x.g.log.InfoContext(ctx, "host is asked", slog.String("method", q.method))
		x.write(newEvent(bodies[i]))
	}
	failure, err = x.await(ctx, asked, answers)
	if failure != nil {
		x.withdraw(asked)
	}
	if failure != nil || err != nil {
		return nil, failure, err
	}
	given := make([]newMember, len(asked))
	for i, q := range asked {
		given[i] = newMember{q.name, q.answer}
	}
	return object(given...), nil, nil
}

// questionsOf returns what p asks for, and the requests to the host for it. failure names what the host cannot give.
func (x *exchange) questionsOf(p *response, round int) (asked []*hostQuestion, bodies [][]byte, failure *rpcError) {
	if round > maxInputRounds || !takesInput(p.request.method) {
		return nil, nil, &rpcError{code: codeInternal, message: "The MCP server asks for input again and again"}
	}
	requests, _ := jsonspan.Lookup(p.body, p.result, memberInputRequests)
	for m := range jsonspan.Members(p.body, requests) {
		method := stringMember(p.body, m.Value, "method")
		params, _ := jsonspan.Lookup(p.body, m.Value, "params")
		if !canBeAsked(x.bridge.part.capabilities, p.body, method, params) {
			return nil, nil, &rpcError{
				code:    codeInternal,
				message: "The MCP server asks for " + firstNonEmpty(shown(method), "more input") + " before it answers, which this host has not declared that it can give",
			}
		}
		if len(asked) == maxQuestions || m.Value.Len() > maxInputBytes {
			return nil, nil, &rpcError{code: codeInternal, message: "The MCP server asks for more than can be asked at once"}
		}
		q := &hostQuestion{name: stringAt(p.body, m.Name), method: method, id: questionPrefix + newNonce()}
		asked = append(asked, q)
		bodies = append(bodies, q.body(p.body, params))
	}
	return asked, bodies, nil
}

// body returns the request by which a legacy host is asked.
func (q *hostQuestion) body(doc []byte, params jsonspan.Span) []byte {
	members := []newMember{{"jsonrpc", quoted("2.0")}, {"id", quoted(q.id)}, {"method", quoted(q.method)}}
	if params.Len() > 0 {
		raw := params.Of(doc)
		if _, has := jsonspan.Find(doc, params, "elicitationId"); !has && stringMember(doc, params, "mode") == "url" {
			edits := insertMembers(doc, params, []newMember{{"elicitationId", quoted(q.id)}}) // 2025-11-25 wants one
			raw = jsonspan.Apply(nil, raw, shift(edits, -params.Start))
		}
		members = append(members, newMember{"params", raw})
	}
	return object(members...)
}

// await waits until the host has answered everything that it was asked.
func (x *exchange) await(ctx context.Context, asked []*hostQuestion, answers <-chan message) (failure *rpcError, err error) {
	x.work.pause()
	defer x.work.resume(x.r)
	patience := time.NewTimer(x.g.inputWait)
	defer patience.Stop()
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for left := len(asked); left > 0; {
		select {
		case m := <-answers:
			id := stringAt(m.body, m.id)
			at := slices.IndexFunc(asked, func(q *hostQuestion) bool { return q.id == id })
			asked[at].over = true
			if m.result.Len() == 0 {
				return &rpcError{code: codeInternal, message: "The host answered what the MCP server asks for with an error: " + shown(errorText(m))}, nil
			}
			asked[at].answer = m.raw(m.result)
			left--
		case <-alive.C:
			x.write([]byte(": \n\n"))
		case <-patience.C:
			return &rpcError{
				code:    codeInternal,
				message: "The host did not answer what the MCP server asks for, or its answer went to another replica of the gateway",
			}, nil
		case <-x.g.streams.Done():
			return &rpcError{
				code:    codeInternal,
				message: "The gateway is shutting down while the MCP server waits for the host's answer, before it has run the tool: call again",
			}, nil
		case <-x.r.Context().Done():
			return nil, errHostGone // nothing runs upstream meanwhile, and nobody is left to answer
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return nil, nil //nolint:nilnil // everything is answered
}

// withdraw tells a host which questions need no answer any more: somebody may still be looking at them.
func (x *exchange) withdraw(asked []*hostQuestion) {
	for _, q := range asked {
		if !q.over {
			x.write(newEvent(requestBody(nil, noteCancelled, []newMember{{"requestId", quoted(q.id)}})))
		}
	}
}

// errorText is the message of an error response.
func errorText(m message) string {
	value, _ := jsonspan.Lookup(m.body, m.span, "error", "message")
	return stringAt(m.body, value)
}
