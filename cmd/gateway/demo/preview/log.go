package preview

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	maxLogLines  = 500
	maxLogValue  = 500              // bytes of one value
	pollPatience = 20 * time.Second // of a request for lines that are not there yet
)

// logLine is one line of the gateway's log about this page's calls.
type logLine struct {
	Seq        int64          `json:"seq"` // from 1 on
	Time       time.Time      `json:"time"`
	Level      string         `json:"level"`
	Message    string         `json:"message"`
	Attributes map[string]any `json:"attributes"`
}

// logBook keeps the last lines for the page. It is safe for concurrent use.
type logBook struct {
	mu     sync.Mutex
	lines  []logLine
	last   int64
	grown  chan struct{} // closed by the next line
	closed chan struct{}
	once   sync.Once
}

func newLogBook() *logBook {
	return &logBook{grown: make(chan struct{}), closed: make(chan struct{})}
}

// close ends whoever waits.
func (b *logBook) close() { b.once.Do(func() { close(b.closed) }) }

func (b *logBook) add(line logLine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	line.Seq = b.last
	if len(b.lines) == maxLogLines {
		b.lines = slices.Delete(b.lines, 0, 1)
	}
	b.lines = append(b.lines, line)
	close(b.grown)
	b.grown = make(chan struct{})
}

// since returns the lines after a number, and what is closed when there are more.
func (b *logBook) since(seq int64) (lines []logLine, last int64, grown <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines = []logLine{}
	for _, l := range b.lines {
		if l.Seq > seq {
			lines = append(lines, l)
		}
	}
	return lines, b.last, b.grown
}

// getLog returns the lines after ?after=, at once where there are any, else when there are or after a while.
func (p *Preview) getLog(r *http.Request) (reply, error) {
	after, err := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	if err != nil && r.URL.Query().Has("after") {
		return reply{}, problemf(http.StatusBadRequest, "after has to be a whole number.")
	}
	done, err := p.polls.take(r.Context())
	if err != nil {
		return reply{}, err
	}
	defer done()
	patience := time.NewTimer(p.options.pollPatience)
	defer patience.Stop()
	for {
		lines, last, grown := p.log.since(after)
		answer := reply{members: map[string]any{"lines": lines, "next": last}}
		if len(lines) > 0 || after > last { // the numbers of an earlier run: from the beginning
			return answer, nil
		}
		select {
		case <-grown:
		case <-patience.C:
			return answer, nil
		case <-p.log.closed:
			return answer, nil
		case <-r.Context().Done():
			return reply{}, context.Cause(r.Context())
		}
	}
}

// handler returns a log handler that writes into the book, and to next.
func (b *logBook) handler(next slog.Handler, hide func([]byte) []byte) slog.Handler {
	return &bookHandler{book: b, next: next, hide: hide}
}

// replays returns a log handler for gateways that play tapes: what they say of a tool goes into the book, marked, and
// nothing into the log, where it would look like calls.
func (b *logBook) replays(hide func([]byte) []byte) slog.Handler {
	return &bookHandler{book: b, next: slog.DiscardHandler, hide: hide, onlyTools: true, attrs: []slog.Attr{slog.Bool("again", true)}}
}

// bookHandler takes down what is logged at info level and above.
type bookHandler struct {
	book  *logBook
	next  slog.Handler
	hide  func([]byte) []byte
	attrs []slog.Attr

	onlyTools bool // lines that name no tool are left out
}

// Enabled implements slog.Handler.
func (h *bookHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *bookHandler) Handle(ctx context.Context, record slog.Record) error {
	if record.Level >= slog.LevelInfo {
		line := logLine{Time: record.Time.UTC(), Level: record.Level.String(), Message: record.Message, Attributes: map[string]any{}}
		note := func(a slog.Attr) bool {
			line.Attributes[a.Key] = h.value(a.Value)
			return true
		}
		for _, a := range h.attrs {
			note(a)
		}
		record.Attrs(note)
		if _, tool := line.Attributes["tool"]; tool || !h.onlyTools {
			h.book.add(line)
		}
	}
	if !h.next.Enabled(ctx, record.Level) {
		return nil
	}
	return h.next.Handle(ctx, record)
}

// value is one as JSON has it: numbers and booleans as such, everything else as text.
func (h *bookHandler) value(v slog.Value) any {
	v = v.Resolve()
	switch v.Kind() {
	case slog.KindBool, slog.KindInt64, slog.KindUint64:
		return v.Any()
	case slog.KindFloat64:
		if raw, err := json.Marshal(v.Float64()); err == nil { // no infinity
			return json.RawMessage(raw)
		}
	}
	text := h.hide([]byte(v.String()))
	return string(bytes.ToValidUTF8(text[:min(len(text), maxLogValue)], nil))
}

// WithAttrs implements slog.Handler.
func (h *bookHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	more := *h
	more.attrs = append(slices.Clone(h.attrs), attrs...)
	more.next = h.next.WithAttrs(attrs)
	return &more
}

// WithGroup implements slog.Handler. The gateway groups nothing: a group's members stand beside the others.
func (h *bookHandler) WithGroup(name string) slog.Handler {
	more := *h
	more.next = h.next.WithGroup(name)
	return &more
}
