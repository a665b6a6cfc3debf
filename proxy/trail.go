package proxy

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"unicode"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// trail is by what the lines of the log about one request of a host are found together, here and elsewhere. It is
// filled in before anything else works on the request.
type trail struct {
	id      string // the host's, or an ingress's, X-Request-Id; else made here
	traceID string // of W3C's trace context; "" where the request is in no trace
	method  string // a label, see methodLabel
	answer  *watchedWriter
}

type trailKey struct{}

// trailOf returns the trail of the request that ctx belongs to, nil where it belongs to none.
func trailOf(ctx context.Context) *trail {
	t, _ := ctx.Value(trailKey{}).(*trail)
	return t
}

const (
	headerRequestID   = "X-Request-Id"
	headerTraceparent = "Traceparent"
	metaTraceparent   = "traceparent"
	maxRequestIDChars = 64
)

// withTrail gives a request its trail.
func withTrail(r *http.Request) (*http.Request, *trail) {
	t := &trail{id: r.Header.Get(headerRequestID), method: labelHTTP, traceID: traceIDOf(r.Header.Get(headerTraceparent))}
	if !isPlainID(t.id) {
		t.id = newRequestID()
	}
	return r.WithContext(context.WithValue(r.Context(), trailKey{}, t)), t
}

// isPlainID reports whether what a request calls itself is fit for a line of the log.
func isPlainID(id string) bool {
	return id != "" && len(id) <= maxRequestIDChars && !strings.ContainsFunc(id, func(c rune) bool {
		return (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c != '-' && c != '_' && c != '.'
	})
}

// newRequestID returns 16 hexadecimal digits. They are no secret, and need only differ.
func newRequestID() string {
	const digits = "0123456789abcdef"
	var id [16]byte
	for i, n := 0, rand.Uint64(); i < len(id); i, n = i+1, n>>4 { //nolint:gosec // no secret
		id[i] = digits[n&15]
	}
	return string(id[:])
}

// read takes what the messages of a request say of themselves. The trace context in params._meta is the client's own;
// a header may come from any proxy on the way.
func (t *trail) read(body []byte, messages []message, batch bool) {
	if t == nil {
		return
	}
	t.method = methodLabel(messages, batch)
	if !bytes.Contains(body, []byte(metaTraceparent)) {
		return
	}
	for _, m := range messages {
		if id := traceIDOf(traceparentOf(m)); id != "" {
			t.traceID = id
			return
		}
	}
}

// traceparentOf returns the trace context that a message carries (SEP-414), "" where there is none.
func traceparentOf(m message) string {
	value, ok := m.meta(metaTraceparent)
	if !ok || !jsonspan.IsString(m.body, value) {
		return ""
	}
	return stringAt(m.body, value)
}

// traceIDOf returns the trace id in a traceparent (W3C Trace Context, section 3.2.2): 00-<32 digits>-<16 digits>-<2
// digits>, "" where that is not one.
func traceIDOf(traceparent string) string {
	const version, id, parent = 2, 32, 16
	if len(traceparent) < version+1+id+1+parent+3 || traceparent[version] != '-' || traceparent[:version] == "ff" ||
		traceparent[version+1+id] != '-' || traceparent[version+1+id+1+parent] != '-' {
		return ""
	}
	found := traceparent[version+1 : version+1+id]
	hexadecimal := func(c rune) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
	if strings.ContainsFunc(found, func(c rune) bool { return !hexadecimal(c) }) || strings.Trim(found, "0") == "" {
		return ""
	}
	return found
}

// trailed returns log with the trail of each line's request on it.
func trailed(log *slog.Logger) *slog.Logger { return slog.New(trailHandler{log.Handler()}) }

type trailHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h trailHandler) Handle(ctx context.Context, line slog.Record) error {
	if t := trailOf(ctx); t != nil {
		line.AddAttrs(slog.String("request_id", t.id))
		if t.traceID != "" {
			line.AddAttrs(slog.String("trace_id", t.traceID))
		}
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h trailHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return trailHandler{h.Handler.WithAttrs(attributes)}
}

// WithGroup implements slog.Handler.
func (h trailHandler) WithGroup(name string) slog.Handler {
	return trailHandler{h.Handler.WithGroup(name)}
}

// What a caller says of itself, as long as a line of the log has it.
const (
	maxClientChars   = 64
	maxProtocolChars = 32
)

// plain is what a caller says of itself, fit for a line of the log: bounded, and of characters that can be seen.
func plain(text string, maxChars int) string {
	var b strings.Builder
	for _, c := range text {
		if maxChars == 0 {
			break
		}
		if c == unicode.ReplacementChar || !unicode.IsPrint(c) {
			c = ' '
		}
		b.WriteRune(c)
		maxChars--
	}
	return b.String()
}
