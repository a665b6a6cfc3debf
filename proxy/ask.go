package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

const (
	// maxQuestionAnswer bounds the answer to a question of the gateway's own.
	maxQuestionAnswer = 4 << 20
	// farewellTimeout bounds what nobody waits for: the end of a session, a cancellation.
	farewellTimeout = 5 * time.Second
)

// question is a request that the gateway sends to the upstream on a caller's behalf and for its own use. None of them
// runs a tool.
type question struct {
	id, method string
	params     []newMember
	version    string // MCP-Protocol-Version; "" for none
	session    string // the upstream's own id; "" for none
	meta       bool   // carries what describes a client of the modern era
}

func (g *Gateway) question(method string, params []newMember) question {
	return question{id: newOwnID("ask-"), method: method, params: params}
}

// ownClient is the Implementation by which the gateway calls itself.
func (g *Gateway) ownClient() []byte {
	version := g.options.Version
	if version == "" {
		version = "unknown"
	}
	return object(newMember{"name", quoted("tomtom-mcp-gateway")}, newMember{"version", quoted(version)})
}

// ask sends q with the headers of r, over l or a shared connection, and returns the response. Where that came under
// another HTTP status than 200, or did not come at all (errNoAnswer), answer holds what came instead.
func (g *Gateway) ask(r *http.Request, l *lease, q question) (reply message, answer *refusal, err error) {
	ctx, work := g.begin(r.Context(), r, false)
	defer work.end()
	work.within(discoveryTimeout)
	params := q.params
	if q.meta {
		params = append(slices.Clone(params), newMember{"_meta", object(
			newMember{metaProtocolVersion, quoted(q.version)},
			newMember{metaClientInfo, g.ownClient()},
			newMember{metaCapabilities, []byte("{}")})})
	}
	body := requestBody(quoted(q.id), q.method, params)
	resp, err := g.sendOwn(ctx, r, l, http.MethodPost, questionHeader(r.Header, q), body)
	if err != nil {
		return message{}, nil, fmt.Errorf("%s: %w", q.method, cause(ctx, err))
	}
	defer closeBody(resp)
	reply, read, err := readReply(ctx, resp, q.id, l != nil)
	if err != nil {
		err = fmt.Errorf("%s: %w", q.method, cause(ctx, err))
	}
	if resp.StatusCode != http.StatusOK || err != nil {
		answer = &refusal{status: resp.StatusCode, header: resp.Header, body: read, id: q.id}
	}
	if answer != nil && reply.body != nil {
		err = nil
	}
	return reply, answer, err
}

// requestBody returns a JSON-RPC request; a notification where id is nil.
func requestBody(id []byte, method string, params []newMember) []byte {
	members := []newMember{{"jsonrpc", quoted("2.0")}}
	if id != nil {
		members = append(members, newMember{"id", id})
	}
	members = append(members, newMember{"method", quoted(method)})
	if params != nil {
		members = append(members, newMember{"params", object(params...)})
	}
	return object(members...)
}

// sendOwn sends a request of the gateway's own once, to the endpoint as r names it.
func (g *Gateway) sendOwn(ctx context.Context, r *http.Request, l *lease, method string, header http.Header, body []byte) (*http.Response, error) {
	out := g.newRequest(ctx, r, header, body)
	out.Method = method
	if l != nil {
		return l.RoundTrip(out)
	}
	return g.send(out)
}

// questionHeader returns the headers of q: the caller's, less what belongs to its request alone.
func questionHeader(host http.Header, q question) http.Header {
	h := ownHeader(host)
	for _, name := range []string{headerName, headerMethod, headerVersion} {
		h.Del(name)
	}
	setSession(h, q.session)
	if q.version != "" {
		h.Set(headerVersion, q.version)
	}
	if q.meta {
		h.Set(headerMethod, q.method)
	}
	return h
}

// setSession names the upstream's session in h, or none.
func setSession(h http.Header, id string) {
	h.Del(headerSession)
	if id != "" {
		h.Set(headerSession, id)
	}
}

// ownHeader returns the headers of a request that the gateway adds to a caller's own: credentials, service, protocol
// version and User-Agent are the same, what belongs to the one request of the caller's alone is gone.
func ownHeader(host http.Header) http.Header {
	h := requestHeader(host, true)
	for name := range h {
		if strings.HasPrefix(name, headerParamPrefix) {
			h.Del(name)
		}
	}
	h.Del("Idempotency-Key")
	h.Del("X-Idempotency-Key")
	h.Del("Last-Event-Id")
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	return h
}

// readReply finds the response to id in an answer of any status. drain says that the connection is to be used again.
// read is what the body holds where that is not an event stream.
func readReply(ctx context.Context, resp *http.Response, id string, drain bool) (reply message, read []byte, err error) {
	if !isMediaType(resp.Header, "text/event-stream") {
		read, err = io.ReadAll(io.LimitReader(resp.Body, maxQuestionAnswer))
		if err != nil {
			return message{}, read, err
		}
		reply, ok := findReply(read, id)
		if !ok {
			return message{}, read, errNoAnswer
		}
		return reply, read, nil
	}
	events := newEventReader(resp.Body, maxQuestionAnswer, uncounted)
	for {
		ev, err := events.next()
		switch {
		case err == io.EOF: //nolint:errorlint // what next returns at the end of a stream
			return message{}, nil, errNoAnswer
		case err != nil:
			return message{}, nil, err
		case !ev.isMessage():
			continue
		}
		if reply, ok := findReply(bytes.Clone(ev.data()), id); ok {
			if drain {
				readBehind(ctx, resp.Body).untilEnd()
			}
			return reply, nil, nil
		}
	}
}

// findReply finds the response to id, or an error response that names no request: servers that refuse a request early
// do not read its id.
func findReply(data []byte, id string) (message, bool) {
	messages, _, err := scanMessages(data)
	if err != nil {
		return message{}, false
	}
	for _, m := range messages {
		if m.method == "" && (stringAt(m.body, m.id) == id || m.isAnonymousError()) {
			return m, true
		}
	}
	return message{}, false
}

// isAnonymousError reports whether m is an error response without an id.
func (m message) isAnonymousError() bool {
	if m.id.Len() > 0 && string(m.raw(m.id)) != "null" {
		return false
	}
	_, ok := jsonspan.Lookup(m.body, m.span, "error")
	return ok
}

// relayRefusal answers a host's request with what the upstream answered to a question, under the request's own id.
func (x *exchange) relayRefusal(ctx context.Context, f *refusal) {
	body, asJSON := f.body, false
	messages, batch, err := scanMessages(f.body)
	switch {
	case err == nil && !batch && messages[0].isResponse():
		m := messages[0]
		if stringAt(m.body, m.id) == f.id && len(x.requests) > 0 && x.requests[0].isRequest() {
			q := x.requests[0]
			body = jsonspan.Apply(nil, f.body, []jsonspan.Edit{{Span: m.id, With: q.raw(q.id)}})
		}
		asJSON = true
	case f.status < http.StatusMultipleChoices: // a page, or nothing, where a response belongs
		x.refuseCall(ctx, errUndecided)
		return
	}
	x.logUnanswered(ctx, statusPassed, "status "+strconv.Itoa(f.status))
	h := x.w.Header()
	copyResponseHeader(h, f.header, true)
	h.Del(headerSession)
	if asJSON { // it may have come as an event
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(f.status)
	_, _ = x.w.Write(body) // a host that has gone needs no answer
}

// uncounted is the grower of what is small and of the gateway's own asking.
func uncounted(b []byte, size int) ([]byte, error) {
	return append(make([]byte, 0, size), b...), nil
}
