package stdio

import (
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"sync"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// maxHeldLine is how many bytes of a line are held before it goes out in pieces, with everybody else waiting.
const maxHeldLine = 8 << 20

// lineWriter writes lines to a host, whole ones only.
type lineWriter struct {
	mu     sync.Mutex
	out    io.Writer
	err    error
	failed func(error) // called once, when writing has failed
}

// write writes one line. The line is the writer's.
func (w *lineWriter) write(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.piece(append(oneLine(line), '\n'))
}

// piece writes a part of a line. w.mu is held.
func (w *lineWriter) piece(b []byte) {
	if w.err != nil {
		return
	}
	if _, w.err = w.out.Write(b); w.err != nil {
		w.failed(w.err)
	}
}

// broken is what writing has failed with.
func (w *lineWriter) broken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// turn is one line of a host, or its GET, and the answer to it: an http.ResponseWriter that makes lines of what is
// written to it. open is guarded by the host's mu.
type turn struct {
	h        *host
	messages []message
	open     map[string][]byte // the requests that have no answer, raw ids by key
	cancel   context.CancelFunc
	silent   bool // nothing goes out

	header http.Header
	status int
	events *eventDecoder // of an event stream
	json   bool
	line   []byte // what is held of the current line
	drops  bool   // the current line is not wanted
	pieces bool   // the current line goes out in pieces; out.mu is held
	partly [][]byte
}

// run serves r, and answers what was left without an answer.
func (t *turn) run(r *http.Request) {
	t.header = http.Header{}
	defer t.finish()
	defer func() {
		// The handler breaks an answer off so that it does not look complete.
		if p := recover(); p != nil && p != any(http.ErrAbortHandler) {
			panic(p)
		}
	}()
	t.h.handler.ServeHTTP(t, r)
	if t.json {
		t.endLine()
	}
}

// finish answers the requests that got no answer and that their host still waits for.
func (t *turn) finish() {
	h := t.h
	left := t.partly
	if t.pieces { // it broke off
		t.pieces = false
		h.out.piece([]byte{'\n'})
		h.out.mu.Unlock()
	}
	if t.cancel != nil {
		t.cancel()
	}
	left = append(left, t.settleAll()...)
	text := "The MCP server gave no answer"
	if t.status >= http.StatusBadRequest {
		text = "The MCP server answered with " + statusText(t.status)
	}
	for _, id := range left {
		h.out.write(failure(id, codeInternal, text))
	}
}

// settleAll counts every open request as answered and returns their ids.
func (t *turn) settleAll() (ids [][]byte) {
	t.h.mu.Lock()
	defer t.h.mu.Unlock()
	for key, id := range t.open {
		ids = append(ids, id)
		t.settle(key)
	}
	return ids
}

// settle counts the request with key as answered. It is false when none is open. The host's mu is held.
func (t *turn) settle(key string) bool {
	if _, open := t.open[key]; !open {
		return false
	}
	delete(t.open, key)
	if t.h.turns[key] == t {
		delete(t.h.turns, key)
	}
	return true
}

// initializes reports whether the turn opens a session.
func (t *turn) initializes() bool {
	return len(t.messages) == 1 && t.messages[0].method == methodInitialize
}

// Header implements http.ResponseWriter.
func (t *turn) Header() http.Header { return t.header }

// WriteHeader implements http.ResponseWriter.
func (t *turn) WriteHeader(status int) {
	if t.status != 0 {
		return
	}
	t.status = status
	switch kind, _, _ := mime.ParseMediaType(t.header.Get(headerType)); kind {
	case typeEvents:
		t.events = &eventDecoder{data: t.data, end: t.endLine}
	case typeJSON:
		t.json = true
	}
}

// Flush implements http.Flusher. Lines go out when they are whole.
func (t *turn) Flush() {}

// Write implements http.ResponseWriter.
func (t *turn) Write(b []byte) (int, error) {
	t.WriteHeader(http.StatusOK)
	switch {
	case t.silent:
	case t.events != nil:
		t.events.feed(b)
	case t.json:
		t.data(b)
	}
	if t.pieces {
		return len(b), t.h.out.err
	}
	return len(b), t.h.out.broken()
}

// data takes a piece of a line.
func (t *turn) data(piece []byte) {
	if t.drops {
		return
	}
	t.line = append(t.line, piece...)
	if len(t.line) < maxHeldLine {
		return
	}
	if !t.pieces {
		t.partly = t.settleAll()
		if t.drops = len(t.messages) > 0 && len(t.partly) == 0; t.drops {
			t.line = nil
			return
		}
		t.pieces = true
		t.h.out.mu.Lock()
	}
	t.h.out.piece(oneLine(t.line))
	t.line = t.line[:0]
}

// endLine ends a line.
func (t *turn) endLine() {
	line := t.line
	t.line = nil
	switch {
	case t.drops:
		t.drops = false
	case t.pieces:
		t.pieces, t.partly = false, nil
		t.h.out.piece(append(oneLine(line), '\n'))
		t.h.out.mu.Unlock()
	default:
		t.emit(line)
	}
}

// emit writes one whole line, or what of it the host waits for.
func (t *turn) emit(line []byte) {
	messages, batch, err := scan(line)
	switch {
	case len(line) == 0:
	case err != nil:
		t.h.options.Log.Warn("an answer of the server is no JSON", slog.Int("status", t.status), slog.Int("bytes", len(line)))
	case !batch:
		t.emitOne(line, messages[0])
	case t.settleEach(messages):
		t.h.out.write(line)
	default:
		for _, m := range messages {
			t.emitOne(append([]byte(nil), m.raw(m.span)...), m)
		}
	}
}

// settleEach counts the requests as answered that messages answer, if they answer one each. It is false, and counts
// nothing, when they do not.
func (t *turn) settleEach(messages []message) bool {
	t.h.mu.Lock()
	defer t.h.mu.Unlock()
	for _, m := range messages {
		if _, open := t.open[m.key()]; !open || !m.isResponse() {
			return false
		}
	}
	for _, m := range messages {
		t.settle(m.key())
	}
	return true
}

// emitOne writes one message. A response goes out only if its request is open.
func (t *turn) emitOne(line []byte, m message) {
	h := t.h
	switch {
	case t.status >= http.StatusBadRequest && len(t.messages) == 0:
		return // the host has not asked for this stream, and need not know why there is none
	case m.method != "", m.isResponse() && len(t.messages) == 0:
		h.out.write(line)
		return
	case !m.isResponse():
		return
	}
	h.mu.Lock()
	key := m.key()
	if isNull(m.body, m.id) && t.status >= http.StatusBadRequest && len(t.open) == 1 {
		// Servers that refuse a request early do not read its id.
		for open, id := range t.open {
			key, line = open, withID(line, m, id)
		}
	}
	wanted := t.settle(key)
	h.mu.Unlock()
	if !wanted {
		h.options.Log.Debug("a response that the host does not wait for", slog.Int("status", t.status))
		return
	}
	if t.initializes() {
		if version, ok := jsonspan.Lookup(m.body, m.span, "result", "protocolVersion"); ok {
			h.agreed(t.header.Get(headerSession), stringAt(m.body, version))
		}
	}
	h.out.write(line)
}

// withID returns line, the error response m, under another id.
func withID(line []byte, m message, id []byte) []byte {
	if m.id.Len() > 0 {
		return jsonspan.Apply(nil, line, []jsonspan.Edit{{Span: m.id, With: id}})
	}
	at := jsonspan.Span{Start: m.span.Start + 1, End: m.span.Start + 1}
	with := append(append([]byte(`"id":`), id...), ',')
	return jsonspan.Apply(nil, line, []jsonspan.Edit{{Span: at, With: with}})
}
