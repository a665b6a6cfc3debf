package proxy

import (
	"bytes"
	"net/http"
	"strconv"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// byMessage takes a legacy host's batch to an upstream that has no batches, one message after the other, and answers with an
// event for each response.
func (x *exchange) byMessage() {
	b := &batchAnswer{w: x.w, flush: x.flush}
	var unheard *partAnswer
	for _, q := range x.requests {
		part := &partAnswer{to: b, header: http.Header{}}
		if q.method == methodInitialize {
			writeError(part, http.StatusOK, &rpcError{code: codeInvalidRequest, message: "initialize must not be part of a batch"})
		} else {
			alone := bytes.Clone(q.raw(q.span))
			x.g.exchange(part, x.r, alone, []message{scanMessage(alone, jsonspan.Span{End: len(alone)})}, false)
		}
		if part.end(q.message); b.over {
			return
		}
		if q.isResponse() && part.status >= http.StatusBadRequest {
			unheard = part
		}
	}
	switch {
	case b.begun:
	case unheard != nil: // nobody else tells the host that its answer went nowhere
		unheard.whole()
	default:
		x.w.WriteHeader(http.StatusAccepted)
	}
}

// batchAnswer is the answer to a batch: an event stream, which begins with the first response.
type batchAnswer struct {
	w     http.ResponseWriter
	flush func()
	begun bool
	over  bool  // nothing more is to be written
	err   error // writing has failed
}

func (b *batchAnswer) write(events []byte) {
	if b.err != nil || len(events) == 0 {
		return
	}
	if !b.begun {
		b.begun = true
		b.w.Header().Set("Content-Type", "text/event-stream")
		b.w.Header().Set("Cache-Control", "no-cache")
		b.w.WriteHeader(http.StatusOK)
	}
	if _, b.err = b.w.Write(events); b.err == nil {
		b.flush()
	}
}

// partAnswer is the answer to one message of a batch, as an http.ResponseWriter: its events become the batch's, and so does
// what it has of JSON at its end.
type partAnswer struct {
	to     *batchAnswer
	header http.Header
	status int
	body   []byte
	events bool
}

// Header implements http.ResponseWriter.
func (p *partAnswer) Header() http.Header { return p.header }

// WriteHeader implements http.ResponseWriter.
func (p *partAnswer) WriteHeader(status int) {
	if p.status == 0 {
		p.status, p.events = status, isMediaType(p.header, "text/event-stream")
	}
}

// Write implements http.ResponseWriter.
func (p *partAnswer) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	if p.events {
		p.to.write(b)
		return len(b), p.to.err
	}
	p.body = append(p.body, b...)
	return len(b), nil
}

// FlushError is for http.ResponseController: every write is flushed.
func (p *partAnswer) FlushError() error { return p.to.err }

// end brings what came as JSON to the batch's answer, and an error to a request that got no answer. A refusal that is about
// the caller, and comes before anything else, is the whole batch's.
func (p *partAnswer) end(m message) {
	if !p.to.begun && (p.status == http.StatusUnauthorized || p.status == http.StatusForbidden) {
		p.whole()
		return
	}
	switch messages, batch, err := scanMessages(p.body); {
	case p.events:
	case err == nil && !batch && messages[0].isAnonymousError():
		if m.isRequest() { // else nobody waits for an answer
			p.to.write(newEvent(messages[0].withID(m.raw(m.id))))
		}
	case err == nil && !batch:
		p.to.write(newEvent(p.body))
	case m.isRequest():
		p.to.write(newEvent(errorResponse(m.raw(m.id), &rpcError{
			code: codeInternal, message: "The MCP server answered with HTTP status " + strconv.Itoa(p.status),
		})))
	}
	p.to.over = p.to.err != nil
}

// whole makes the answer that of the whole batch.
func (p *partAnswer) whole() {
	copyResponseHeader(p.to.w.Header(), p.header, true)
	p.to.w.WriteHeader(p.status)
	_, p.to.err = p.to.w.Write(p.body)
	p.to.begun, p.to.over = true, true
}

// withID returns the message, which has no id or null for one, under an id.
func (m message) withID(id []byte) []byte {
	if m.id.Len() > 0 {
		return apply(m, replace(m.body, m.id, id))
	}
	return apply(m, insertMembers(m.body, m.span, []newMember{{"id", id}}))
}
