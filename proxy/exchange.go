package proxy

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// exchange is one POST with at least one message that the gateway owns, and the answer to it.
type exchange struct {
	g        *Gateway
	w        http.ResponseWriter
	flush    func()
	r        *http.Request
	batch    bool
	host     era
	again    bool    // the upstream's era was asked again on its account
	nature   *nature // of the upstream; nil where it was not needed, or is not known
	bridge   *bridge // nil where host and upstream speak one era
	outlives bool    // the host's going away does not cancel it
	requests []*request
	waiting  map[string]*request // by id, those that the upstream has yet to answer
	answers  [][]byte            // the responses that the gateway gives itself
	lease    *lease              // the connection of a tool call or of a session for it; nil without one
	work     *upstreamWork       // what the upstream is asked for; nil before
	resp     *http.Response      // the upstream's answer; nil before
	due      *http.Response      // the answer whose head is put off; nil once it is sent
	streams  bool                // the host gets events: their head is sent
	wanted   *response           // what a modern upstream wants of a legacy host before it answers; nil where nothing
	held     *heldCall           // it is left until its modern host comes back with what a legacy upstream wants
	rounds   int                 // how often it was left so
	status   int                 // the HTTP status to the host, where it is not the upstream's; 0
	hold     hold
	limit    int64 // bytes of one answer of the upstream that are held
	started  time.Time
	sent     time.Time  // when the upstream was turned to; zero before
	span     trace.Span // of the upstream's answer
	hostErr  error      // writing to the host failed
}

// exchange takes the messages of a POST to where they belong and answers them.
func (g *Gateway) exchange(w http.ResponseWriter, r *http.Request, body []byte, messages []message, batch bool) {
	host := hostEra(r.Header, messages)
	if host == eraModern {
		if wrong := checkModern(r.Header, messages, batch); wrong != nil {
			writeAnswers(w, http.StatusBadRequest, failuresOf(messages)(wrong), batch)
			return
		}
	}
	if g.attempt(w, r, host, body, messages, batch, false) {
		g.attempt(w, r, host, body, messages, batch, true)
	}
}

// attempt is exchange once the message is known to be well formed. retry is true when nothing was answered, because the
// upstream turned out to speak another era than it did: then it is to be tried once more, with again.
func (g *Gateway) attempt(w http.ResponseWriter, r *http.Request, host era, body []byte, messages []message, batch, again bool) (retry bool) {
	x := &exchange{
		g: g, w: w, flush: flusher(w), r: r, batch: batch, host: host, again: again, outlives: host != eraModern,
		waiting: map[string]*request{}, hold: hold{room: g.room}, limit: g.options.MaxResponseBytes, started: time.Now(),
	}
	owned, unique := x.sort(messages)
	upstream := slices.ContainsFunc(x.requests, func(q *request) bool { return !q.staysHere() })
	switch {
	case upstream && !x.cross(r.Context()):
		return false
	case !upstream && host == eraModern && !x.isOwnVersion():
		return false
	}
	switch {
	case !owned && x.bridge == nil:
		g.forward(w, r, body, messages, batch)
		return false
	case !unique:
		// Which response belongs to which of them could only be guessed, and a guess could hand out a handle.
		writeAnswers(w, http.StatusBadRequest, failuresOf(messages)(&rpcError{
			code: codeInvalidRequest, message: "Two requests of the batch have the same id",
		}), batch)
		return false
	}
	status := x.answerHere(r.Context())
	body, some := x.upstreamBody(body)
	if !some {
		x.writeOwn(status)
		return false
	}
	var ctx context.Context
	ctx, x.work = g.begin(r.Context(), r, x.outlives)
	if x.bridge.toModern() {
		defer g.running.add(r.Header, x.requests[0].message, x.work.cancel)()
	}
	x.conduct(ctx, func() { retry = x.run(ctx, body) })
	return retry
}

// conduct takes a step of the exchange, and gives up afterwards what it has open, unless it is held: then whoever takes it
// up does that.
func (x *exchange) conduct(ctx context.Context, step func()) {
	defer func() {
		if c := x.held; c != nil {
			close(c.left)
			return
		}
		x.close(ctx)
	}()
	step()
}

// close gives up what the exchange has open.
func (x *exchange) close(ctx context.Context) {
	if part := x.end(ctx); part != nil {
		go part()
	}
}

// end is close, save for what remains to be said to the upstream, for which part is; nil where that is nothing.
func (x *exchange) end(ctx context.Context) (part func()) {
	x.closeAnswer()
	part = x.parting(ctx)
	x.work.end()
	x.hold.release()
	return part
}

// closeAnswer ends the reading of the upstream's answer.
func (x *exchange) closeAnswer() {
	if x.resp != nil {
		closeBody(x.resp)
		x.resp = nil
	}
}

// sort picks the route of every message. owned is true when one is not just passed on, unique when no two requests that
// go upstream have the same id.
func (x *exchange) sort(messages []message) (owned, unique bool) {
	unique = true
	for _, m := range messages {
		q := x.g.pick(x.r, m)
		x.requests = append(x.requests, q)
		owned = owned || q.route != routePass
		if !q.isRequest() || q.route == routeAnswer {
			continue
		}
		key := q.idKey()
		_, twice := x.waiting[key]
		unique = unique && !twice
		x.waiting[key] = q
	}
	return owned, unique
}

// run sends body upstream and brings the answer back. retry is true when it was refused by an upstream that speaks
// another era now, and may be sent again.
func (x *exchange) run(ctx context.Context, body []byte) (retry bool) {
	defer x.received()
	resp, err := x.send(ctx, body) //nolint:bodyclose // x.resp is closed with the exchange
	if err != nil {
		x.fail(ctx, err)
		return false
	}
	x.resp = resp
	if x.reconsider(ctx, resp.StatusCode) {
		if !x.calls() {
			return true
		}
		x.fail(ctx, errOtherEra)
		return false
	}
	x.answer(ctx, resp)
	for round := 1; x.wanted != nil; round++ {
		x.satisfy(ctx, round)
	}
	return false
}

// received ends the span of the upstream's answer, at the latest when all is done.
func (x *exchange) received() {
	if x.span != nil {
		x.span.End()
	}
}

// answer brings an answer of the upstream's to the host.
func (x *exchange) answer(ctx context.Context, resp *http.Response) {
	if len(x.waiting) > 0 {
		assumeType(resp)
	}
	switch {
	case len(x.waiting) > 0 && isSilent(resp):
		x.fail(ctx, errNoResponse)
	case x.streams && !isAnswer(resp):
		x.failStream(ctx, "status "+strconv.Itoa(resp.StatusCode), &rpcError{
			code: codeInternal, message: "The MCP server answered with HTTP status " + strconv.Itoa(resp.StatusCode),
		})
	case resp.StatusCode == http.StatusAccepted && len(x.answers) > 0:
		x.writeOwn(http.StatusOK)
	case x.bridge.toModern() && isRefusedForm(resp.StatusCode) && isMediaType(resp.Header, "application/json"):
		x.status = http.StatusOK // to a legacy host the status would speak of its session
		x.document(ctx, resp)
	case x.host == eraModern && x.requests[0].method == methodListResources && resp.StatusCode == http.StatusNotFound && isMediaType(resp.Header, "application/json"):
		x.document(ctx, resp) // the gateway has declared resources, whoever is behind it
	case x.bridge.toLegacy() && isRefusedForm(resp.StatusCode) && !isMediaType(resp.Header, "application/json"):
		x.refuseForm(ctx, resp.StatusCode)
	case x.bridge.toLegacy() && isRefusedForm(resp.StatusCode) && !isCoreMethod(x.requests[0].method):
		x.document(ctx, resp) // the modern era has a status of its own for a method that is not known
	case resp.StatusCode != http.StatusOK:
		x.pass(ctx, resp, nil, statusPassed, reasonStatus+strconv.Itoa(resp.StatusCode))
	case isEncoded(resp.Header):
		x.pass(ctx, resp, nil, statusPassed, "compressed answer")
	case isMediaType(resp.Header, "text/event-stream"):
		if !x.streams && !x.holdHead(resp) {
			x.head(resp, -1)
		}
		x.stream(ctx, resp)
	case isMediaType(resp.Header, "application/json"):
		x.document(ctx, resp)
	default:
		x.pass(ctx, resp, nil, statusPassed, "content type")
	}
}

// send sends the request: tool calls on a lease, all else over the shared connections.
func (x *exchange) send(ctx context.Context, body []byte) (*http.Response, error) {
	method := x.requests[0].method
	if x.bridge != nil {
		method = x.bridge.upstreamMethod(x.requests[0].message)
	}
	if x.g.life.Err() != nil {
		return nil, errClosed
	}
	ctx, x.span = x.g.tracing.step(ctx, "upstream", trace.SpanKindClient)
	out := x.g.newRequest(ctx, x.r, x.header(method, x.requests[0].name, false), body)
	x.sent = time.Now()
	if x.lease != nil && x.lease.usable() {
		return x.lease.RoundTrip(out)
	}
	if !x.calls() {
		return x.g.send(out)
	}
	if x.lease != nil {
		x.lease.close()
	}
	var err error
	if x.lease, err = x.g.upstream.dial(ctx); err != nil {
		return nil, err
	}
	return x.lease.RoundTrip(out)
}

// isAnswer reports whether an answer holds messages.
func isAnswer(resp *http.Response) bool {
	json := isMediaType(resp.Header, "application/json")
	return resp.StatusCode == http.StatusOK && (json || isMediaType(resp.Header, "text/event-stream")) || isRefusedForm(resp.StatusCode) && json
}

// calls reports whether x calls a tool.
func (x *exchange) calls() bool {
	return slices.ContainsFunc(x.requests, func(q *request) bool { return q.method == methodCallTool })
}

func isMediaType(h http.Header, want string) bool {
	got, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && got == want
}

// fail answers every request that waits with what went wrong, beside the gateway's own answers.
func (x *exchange) fail(ctx context.Context, err error) {
	if x.streams {
		x.breakOff(ctx, err)
		return
	}
	if errors.Is(cause(ctx, err), errHostGone) && x.r.Context().Err() == nil {
		// The host has cancelled the request and is still there: its stream ends without a response.
		x.w.Header().Set("Content-Type", "text/event-stream")
		x.w.WriteHeader(http.StatusOK)
	}
	x.g.refuse(ctx, x.w, func(e *rpcError) [][]byte { return append(x.failures(e), x.answers...) }, x.batch, err)
	x.logUnanswered(ctx, statusFailed, failureKind(cause(ctx, err)))
}

// failures returns error responses to the requests that wait, in their order.
func (x *exchange) failures(e *rpcError) (answers [][]byte) {
	for _, q := range x.requests {
		if x.waitsFor(q) {
			answers = append(answers, errorResponse(q.hostID(), e))
		}
	}
	return answers
}

// waitsFor reports whether the upstream has yet to answer q.
func (x *exchange) waitsFor(q *request) bool {
	if q.reply == nil {
		return x.waiting[q.idKey()] == q
	}
	return len(x.waiting) > 0 // it is the only one
}

// pass hands an answer that is not what the gateway edits to the host as it is. first are the bytes of its body that
// have been read, status and reason are for the log.
func (x *exchange) pass(ctx context.Context, resp *http.Response, first []byte, status, reason string) {
	x.logUnanswered(ctx, status, reason)
	copyHead(x.w, x.r, resp, false)
	x.relay(ctx, resp, first)
}

// relay brings the rest of an answer that is not held to the host, after what has been read of it.
func (x *exchange) relay(ctx context.Context, resp *http.Response, first []byte) {
	x.hold.endTurn()
	x.g.relay(ctx, x.w, resp, first, x.outlives)
}

// head writes the head of an answer that may be edited. length is that of the body, -1 for a stream.
func (x *exchange) head(resp *http.Response, length int) {
	h := x.w.Header()
	copyResponseHeader(h, resp.Header, true)
	sessionOf(x.r.Header).toHost(h)
	for _, q := range x.requests {
		if claims, opens := opensSession(q.message); opens {
			h[headerSession] = resp.Header[headerSession]
			mint(h, claims)
		}
	}
	if x.bridge != nil && x.bridge.toLegacy() {
		x.keepGreeting(resp)
		h.Del(headerSession)
	}
	if x.streams = length < 0; !x.streams {
		h.Set("Content-Length", strconv.Itoa(length))
	}
	status := resp.StatusCode
	if x.status != 0 {
		status = x.status
	}
	x.w.WriteHeader(status)
}

// write sends b to the host at once. Nothing more is sent once that has failed.
func (x *exchange) write(b []byte) {
	x.hold.endTurn() // a host may read as slowly as it likes
	if x.hostErr != nil {
		return
	}
	x.commit()
	if _, x.hostErr = x.w.Write(b); x.hostErr == nil {
		x.flush()
	}
}

// grower is where readers of answers have their memory from. It is used again when the exchange is over.
func (x *exchange) grower(ctx context.Context) grower {
	return func(b []byte, size int) ([]byte, error) {
		if err := x.hold.takeTurn(ctx, size); err != nil {
			return nil, err
		}
		return x.hold.grow(ctx, b, size)
	}
}

// redemptionGrower is grower for redemptions: whoever has a slot to fit in waits for nobody's turn.
func (x *exchange) redemptionGrower(ctx context.Context) grower {
	return func(b []byte, size int) ([]byte, error) { return x.hold.grow(ctx, b, size) }
}
