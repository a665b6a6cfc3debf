package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// redeemTimeout bounds a redemption with both its tries.
const redeemTimeout = 30 * time.Second

var (
	// ErrGone says that the upstream no longer has the app data of a handle.
	ErrGone = errors.New("the upstream no longer has the app data")
	// ErrUnusable says that an upstream answered a redemption with something that is no app data.
	ErrUnusable = errors.New("the upstream's answer is no app data")

	errUnanswered    = errors.New("the redemption was not answered")
	errRedeemTimeout = errors.New("the redemption took too long")
)

// redeem trades the handle of p for its app data, in at most two tries: the second, over a new connection, only when
// the first was not answered at all. free says that the connection of the call can be used. The bytes are the
// caller's. The error wraps ErrGone or ErrUnusable, or says why there was no answer.
func (x *exchange) redeem(ctx context.Context, p *response, free bool) (document []byte, err error) {
	ctx, span := x.g.tracing.step(ctx, "redeem", trace.SpanKindClient)
	defer func() {
		x.g.metrics.redeemed(err)
		endStep(span, err)
	}()
	t := p.call
	if !jsonspan.IsString(t.text.text.Bytes, t.text.handle) {
		return nil, fmt.Errorf("redeem: %w: the handle is no string", ErrUnusable)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, redeemTimeout, errRedeemTimeout)
	defer cancel()
	l := x.lease
	if !free || !l.usable() {
		if l, err = x.g.upstream.dial(ctx); err != nil {
			return nil, fmt.Errorf("redeem: %w: %w", errUnanswered, cause(ctx, err))
		}
		defer l.close()
	}
	doc, err := x.redeemOver(ctx, l, p)
	if !errors.Is(err, errUnanswered) || ctx.Err() != nil {
		return doc, err
	}
	x.g.metrics.redemptionRetries.Inc()
	again, err := x.g.upstream.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("redeem: %w: %w", errUnanswered, cause(ctx, err))
	}
	defer again.close()
	return x.redeemOver(ctx, again, p)
}

// redeemOver is one try over one connection.
func (x *exchange) redeemOver(ctx context.Context, l *lease, p *response) ([]byte, error) {
	id := newOwnID("")
	header := x.header(methodCallTool, p.call.text.redeemer, true)
	request := x.g.newRequest(ctx, x.r, header, redemptionBody(id, p.call, x.redemptionMeta(p.request.message)))
	resp, err := l.RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("redeem: %w: %w", errUnanswered, cause(ctx, err))
	}
	defer closeBody(resp)
	if resp.StatusCode != http.StatusOK || isEncoded(resp.Header) {
		return nil, fmt.Errorf("redeem: %w: status %d", ErrUnusable, resp.StatusCode)
	}
	doc, err := x.readRedemption(ctx, resp, id)
	if err != nil {
		return nil, fmt.Errorf("redeem: %w", cause(ctx, err))
	}
	return doc, nil
}

// readRedemption finds the response with the given id in an answer and takes the document out of it.
func (x *exchange) readRedemption(ctx context.Context, resp *http.Response, id string) ([]byte, error) {
	if !isMediaType(resp.Header, "text/event-stream") {
		body, err := readHeld(resp.Body, x.limit, x.redemptionGrower(ctx))
		if err != nil {
			return nil, unanswered(err)
		}
		return redeemed(body, id)
	}
	events := newEventReader(resp.Body, int(x.limit), x.redemptionGrower(ctx))
	for {
		ev, err := events.next()
		if err != nil {
			return nil, unanswered(err)
		}
		if !ev.isMessage() {
			continue
		}
		doc, err := redeemed(ev.data(), id)
		if errors.Is(err, errOtherMessage) {
			continue
		}
		events.detach()
		if x.batch { // another redemption may follow on this connection
			readBehind(ctx, resp.Body).untilEnd()
		}
		return doc, err
	}
}

// unanswered says of an error in reading that nothing usable was read, unless it is about its size.
func unanswered(err error) error {
	switch {
	case errors.Is(err, errEventTooLarge):
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	case errors.Is(err, errBusy):
		return err
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: no response in the stream", ErrUnusable)
	}
	return fmt.Errorf("%w: %w", errUnanswered, err)
}

var errOtherMessage = errors.New("another message")

// redeemed takes the document out of a message, which it writes over. The error is errOtherMessage when it is not the
// response to id.
func redeemed(data []byte, id string) ([]byte, error) {
	messages, _, err := scanMessages(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	for _, m := range messages {
		if !m.isResponse() || stringAt(m.body, m.id) != id {
			continue
		}
		res, ok := scanResult(m.body, m.result)
		switch {
		case !ok:
			return nil, fmt.Errorf("%w: an error response", ErrUnusable)
		case res.isError:
			return nil, ErrGone
		}
		return onlyText(res)
	}
	return nil, errOtherMessage
}

// onlyText returns the text of a result's first text item, in place of the result.
func onlyText(res callResult) ([]byte, error) {
	for _, item := range res.items {
		if item.text.Len() == 0 {
			continue
		}
		text, err := jsonspan.DecodeInPlace(res.doc, item.text)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
		}
		return text, nil
	}
	return nil, fmt.Errorf("%w: no text", ErrUnusable)
}

// redemptionMeta are the members of _meta by which a redemption comes from the same client as the call.
func (x *exchange) redemptionMeta(call message) (meta []newMember) {
	switch {
	case x.bridge.toModern():
		return x.bridge.meta()
	case x.bridge.toLegacy():
		return nil
	}
	for _, name := range []string{metaProtocolVersion, metaClientInfo, metaCapabilities} {
		if value, ok := call.meta(name); ok {
			meta = append(meta, newMember{name, call.raw(value)})
		}
	}
	return meta
}

// redemptionBody returns the tools/call that redeems the handle of t.
func redemptionBody(id string, t *toolResult, meta []newMember) []byte {
	body := []byte(`{"jsonrpc":"2.0","id":"` + id + `","method":"tools/call","params":{"name":`)
	body = jsonspan.AppendQuoted(body, []byte(t.text.redeemer))
	body = append(body, `,"arguments":{`...)
	body = jsonspan.AppendQuoted(body, []byte(t.text.handleMember))
	body = append(append(body, ':'), t.text.handle.Of(t.text.text.Bytes)...)
	body = append(body, '}')
	if len(meta) > 0 {
		body = append(append(body, `,"_meta":`...), object(meta...)...)
	}
	return append(body, "}}"...)
}
