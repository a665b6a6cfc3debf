package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// errNoAppData says that a tool answered without app data.
var errNoAppData = errors.New("the tool's answer has no app data")

// fetchAppData runs call, a tools/call of a tool with a policy, once upstream, with the caller's headers, and returns
// its whole app data. The result of a tool that said isError comes back as failed, raw, instead. What is held counts
// as held until the host's request is over. The error wraps errEventTooLarge when an answer has more than
// maxAppDataAnswer bytes.
func (g *Gateway) fetchAppData(host context.Context, r *http.Request, call message) (document, failed []byte, err error) {
	tool, ok := policy.For(call.name)
	if !ok {
		return nil, nil, fmt.Errorf("fetch app data: no policy for %q", call.name)
	}
	ctx, work := g.begin(host, r, false)
	defer work.end()
	q := &request{message: call, route: routeCall, client: client{apps: true}, tool: tool}
	refused := &unheard{header: http.Header{}}
	x := &exchange{
		g: g, w: refused, r: r, host: hostEra(r.Header, []message{call}), again: true,
		requests: []*request{q}, waiting: map[string]*request{call.idKey(): q}, hold: hold{room: g.room},
		limit: max(g.options.MaxResponseBytes, maxAppDataAnswer),
	}
	defer func() {
		x.hold.keep() // the document outlives this call
		context.AfterFunc(host, x.hold.release)
	}()
	if !x.cross(ctx) {
		return nil, nil, fmt.Errorf("fetch app data: %w: status %d", ErrUnusable, refused.status)
	}
	defer func() { x.leave(ctx) }()
	body := call.raw(call.span)
	if x.bridge != nil {
		body = x.bridge.request(g, call)
	}
	defer x.received()
	resp, err := x.send(ctx, body)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch app data: %w", cause(ctx, err))
	}
	defer closeBody(resp)
	p, ended, err := x.only(ctx, resp)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch app data: %w", cause(ctx, err))
	}
	return x.fetched(ctx, p, ended)
}

// only reads the one response of an answer. ended is true when its connection can be used again.
func (x *exchange) only(ctx context.Context, resp *http.Response) (p *response, ended bool, err error) {
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, false, fmt.Errorf("%w: status %d", ErrUnusable, resp.StatusCode)
	case !isMediaType(resp.Header, "text/event-stream"):
		body, err := readHeld(resp.Body, x.limit, x.grower(ctx))
		if err != nil {
			return nil, false, err
		}
		if u := x.open(body); u != nil {
			return u.results[0], true, nil
		}
		return nil, false, errNoAppData
	}
	events := newEventReader(resp.Body, int(x.limit), x.grower(ctx))
	for {
		ev, err := events.next()
		if err != nil {
			return nil, false, err
		}
		if u := x.openEvent(ev); u != nil {
			events.detach()
			_, ended = readBehind(ctx, resp.Body).untilEnd()
			return u.results[0], ended, nil
		}
	}
}

// fetched takes the app data out of a response.
func (x *exchange) fetched(ctx context.Context, p *response, ended bool) (document, failed []byte, err error) {
	t := p.call
	if t == nil {
		return nil, nil, errNoAppData
	}
	switch t.kind {
	case kindError:
		return nil, jsonspan.Apply(nil, t.object.Of(t.doc), shift(t.errorEdits(), -t.object.Start)), nil
	case kindHandle, kindUntrimmed:
		document, err = x.source(ctx, p, ended, &outcome{}, &record{})
		return document, nil, err
	}
	return nil, nil, errNoAppData
}

// unheard takes an answer that a host does not get, since the request was not its own.
type unheard struct {
	header http.Header
	status int
}

// Header implements http.ResponseWriter.
func (u *unheard) Header() http.Header { return u.header }

// WriteHeader implements http.ResponseWriter.
func (u *unheard) WriteHeader(status int) { u.status = status }

// Write implements http.ResponseWriter.
func (u *unheard) Write(p []byte) (int, error) { return len(p), nil }
