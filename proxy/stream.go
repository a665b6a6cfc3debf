package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// endWait is how long a call with a handle waits for the end of the stream that the handle came in. An upstream ends
// it right after the last response; only then is its connection free for the redemption.
const endWait = time.Second

// stream brings an event stream to the host, event by event as they arrive. Results whose app data has to be redeemed
// are held until the connection is free for that.
func (x *exchange) stream(ctx context.Context, resp *http.Response) {
	x.writeOwnEvents()
	if resp.ContentLength < 0 && x.due == nil { // else the upstream had the whole stream before it began to send
		x.flush()
	}
	x.follow(ctx, resp, newEventReader(resp.Body, int(x.limit), x.grower(ctx)))
}

// follow brings what comes of a stream to the host, until the last response, or until the host is asked for something.
func (x *exchange) follow(ctx context.Context, resp *http.Response, events *eventReader) {
	var held []*unit
	for len(held) == 0 || len(x.waiting) > 0 {
		ev, err := events.next()
		if err != nil {
			x.endStream(ctx, resp, events, held, err)
			return
		}
		u := x.openEvent(ev)
		switch {
		case u == nil && x.holdFor(ctx, events, ev):
			return
		case u == nil:
			x.relayEvent(ev)
		case x.wants(u):
			return
		case u.redeems():
			events.detach()
			held = append(held, u)
		default:
			x.deliver(ctx, u, false)
		}
	}
	x.awaitEnd(ctx, resp, events.rest(), held)
}

func (x *exchange) openEvent(ev event) *unit {
	if !ev.isMessage() || len(x.waiting) == 0 {
		return nil
	}
	u := x.open(ev.data())
	if u != nil {
		u.event = ev
	}
	return u
}

// deliver settles a unit and sends its event. What it took for that it gives up at once: of a batch, many may follow.
func (x *exchange) deliver(ctx context.Context, u *unit, answered bool) {
	data := x.settle(ctx, u, answered)
	defer x.hold.drop(data) // unless it is u's own, which is no buffer's beginning
	if x.deliverAlone(u, data) {
		return
	}
	event := u.event.appendWith(x.hold.buffer(len(data)+len(u.event.raw)-len(u.data)+64), data)
	x.write(event)
	x.hold.drop(event)
}

// awaitEnd waits for the end of a stream that has nothing more to say, delivers what was held for it, and then
// whatever did come behind it, at last even without an end. first has been read already.
func (x *exchange) awaitEnd(ctx context.Context, resp *http.Response, first []byte, held []*unit) {
	rest := readBehind(ctx, resp.Body)
	behind, ended := rest.untilEnd()
	for _, u := range held {
		x.deliver(ctx, u, ended)
	}
	x.write(first)
	x.write(behind)
	for chunk := range rest.chunks {
		x.write(chunk)
	}
}

// endStream ends a stream that next gave no more events of. What is held is delivered in any case.
func (x *exchange) endStream(ctx context.Context, resp *http.Response, events *eventReader, held []*unit, err error) {
	for _, u := range held {
		x.deliver(ctx, u, errors.Is(err, io.EOF))
	}
	switch {
	case errors.Is(err, io.EOF) && len(x.waiting) > 0 && (!events.resumable || x.host == eraModern):
		x.breakOff(ctx, errNoResponse)
	case errors.Is(err, io.EOF):
		x.logUnanswered(ctx, statusFailed, "no answer") // it may come when the host takes the stream up again
		x.commit()
	case x.requests[0].reply != nil && (errors.Is(err, errEventTooLarge) || errors.Is(err, errBusy)):
		x.failStream(ctx, holdReason(err), &rpcError{code: codeInternal, message: "The MCP server's answer is too large"}) // to be given another id
	case errors.Is(err, errEventTooLarge), errors.Is(err, errBusy):
		// Too large to hold: the rest goes on as it comes. What it says nobody can redeem but the gateway.
		x.logUnanswered(ctx, statusUnavailable, holdReason(err))
		x.commit()
		x.relay(ctx, resp, events.rest())
	default:
		x.breakOff(ctx, err)
	}
}

// breakOff ends a stream that the upstream broke off: whoever waits for a response gets an error.
func (x *exchange) breakOff(ctx context.Context, err error) {
	err = cause(ctx, err)
	x.logUnanswered(ctx, statusFailed, failureKind(err))
	if errors.Is(err, errHostGone) {
		return
	}
	x.g.metrics.upstreamErrors.WithLabelValues(failureKind(err)).Inc()
	x.g.doubtEra()
	_, failure := failureOf(err)
	for _, answer := range x.failures(failure) {
		x.write(newEvent(answer))
	}
}

// holdReason says in logs why an answer could not be held.
func holdReason(err error) string {
	if errors.Is(err, errBusy) {
		return "no room to hold the answer"
	}
	return "answer too large"
}

// document brings a JSON body to the host.
func (x *exchange) document(ctx context.Context, resp *http.Response) {
	body, err := readHeld(resp.Body, x.limit, x.grower(ctx))
	switch {
	case x.streams && (errors.Is(err, errEventTooLarge) || errors.Is(err, errBusy)):
		x.failStream(ctx, holdReason(err), &rpcError{code: codeInternal, message: "The MCP server's answer is too large"})
		return
	case errors.Is(err, errEventTooLarge), errors.Is(err, errBusy):
		x.pass(ctx, resp, body, statusUnavailable, holdReason(err))
		return
	case err != nil:
		x.fail(ctx, err)
		return
	}
	waited := len(x.waiting)
	u := x.open(body)
	if u != nil && x.wants(u) {
		return
	}
	switch {
	case !x.leavesOpen(resp, body):
	case len(x.waiting) == waited:
		x.fail(ctx, errNoResponse)
		return
	default:
		x.answerOpen(ctx)
	}
	if u == nil && x.streams {
		x.failStream(ctx, "no answer", &rpcError{code: codeInternal, message: "The MCP server gave no answer"})
		return
	}
	if u == nil && len(x.answers) == 0 {
		x.pass(ctx, resp, body, statusPassed, "no answer")
		return
	}
	if u != nil {
		body = x.settle(ctx, u, true)
		if x.host == eraModern {
			x.status = u.modernStatus(body)
		}
	}
	if x.streams {
		x.write(newEvent(body))
		return
	}
	body = x.join(body)
	x.head(resp, len(body))
	x.write(body)
}

// failStream ends a stream to the host with an error to whoever waits.
func (x *exchange) failStream(ctx context.Context, reason string, e *rpcError) {
	x.logUnanswered(ctx, statusFailed, reason)
	for _, answer := range x.failures(e) {
		x.write(newEvent(answer))
	}
}

// join adds the gateway's own answers to a JSON body: into its array, or into one around its object.
func (x *exchange) join(body []byte) []byte {
	if len(x.answers) == 0 {
		return body
	}
	answers := x.answers
	messages, batch, err := scanMessages(body)
	switch {
	case err != nil:
		return body
	case !batch:
		answers = append([][]byte{body}, answers...)
	default:
		var there [][]byte
		for _, m := range messages {
			there = append(there, m.raw(m.span))
		}
		answers = append(there, answers...)
	}
	return joinArray(answers)
}

// readHeld reads a whole body into memory of grow's. The error is errEventTooLarge beyond limit bytes, that of grow when
// the bytes cannot be held, or what reading failed with; what was read comes with it.
func readHeld(src io.Reader, limit int64, grow grower) ([]byte, error) {
	buf, err := grow(nil, firstEventBuffer)
	if err != nil {
		return nil, err
	}
	for {
		if int64(len(buf)) > limit {
			return buf, errEventTooLarge
		}
		if len(buf) == cap(buf) {
			grown, err := grow(buf, 2*cap(buf))
			if err != nil {
				return buf, err
			}
			buf = grown
		}
		n, err := src.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			if int64(len(buf)) > limit {
				return buf, errEventTooLarge
			}
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// behind reads the rest of a body beside whatever else happens.
type behind struct {
	chunks chan []byte // closed at the end of the body, or when reading failed
}

func readBehind(ctx context.Context, body io.Reader) behind {
	b := behind{chunks: make(chan []byte, 4)}
	go func() {
		defer close(b.chunks)
		for {
			chunk := make([]byte, 4<<10)
			n, err := body.Read(chunk)
			if n > 0 {
				select {
				case b.chunks <- chunk[:n]:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return b
}

// untilEnd collects what comes within endWait. ended is true when that was all.
func (b behind) untilEnd() (read []byte, ended bool) {
	timer := time.NewTimer(endWait)
	defer timer.Stop()
	for {
		select {
		case chunk, more := <-b.chunks:
			if !more {
				return read, true
			}
			read = append(read, chunk...)
		case <-timer.C:
			return read, false
		}
	}
}
