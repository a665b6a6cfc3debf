package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// steps notes in which order an answer is written and flushed.
type steps struct {
	*httptest.ResponseRecorder
	taken []string
}

func (s *steps) Write(b []byte) (int, error) {
	s.taken = append(s.taken, "write")
	return s.ResponseRecorder.Write(b)
}

func (s *steps) Flush() { s.taken = append(s.taken, "flush") }

// TestRelayWritesLargePieces: each piece is a system call, and wakes the host. Only the head of an answer that has no
// known length goes ahead of its body, which the upstream may not have yet.
func TestRelayWritesLargePieces(t *testing.T) {
	const pieces = 3
	body := bytes.Repeat([]byte("0123456789abcdef"), pieces*relayBuffer/16)
	stream := []string{"write", "flush", "write", "flush", "write", "flush"}
	for _, tt := range []struct {
		name, contentType string
		length            int64
		want              []string
	}{
		{"events of a known length", "text/event-stream", int64(len(body)), stream},
		{"events", "text/event-stream", -1, append([]string{"flush"}, stream...)},
		{"document", "application/json", int64(len(body)), []string{"write", "write", "write"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, "http://127.0.0.1:1")
			w := &steps{ResponseRecorder: httptest.NewRecorder()}
			g.relay(t.Context(), w, &http.Response{
				Header: http.Header{"Content-Type": {tt.contentType}}, ContentLength: tt.length,
				Body: io.NopCloser(bytes.NewReader(body)),
			}, nil, false)
			if !slices.Equal(w.taken, tt.want) {
				t.Errorf("%v, want %v", w.taken, tt.want)
			}
			if !bytes.Equal(w.Body.Bytes(), body) {
				t.Error("the body differs")
			}
		})
	}
}

// TestRelayThatBreaksOff: a host has to see that an answer is not whole, and the log says why; that it ends because the
// gateway does is no cause for alarm.
func TestRelayThatBreaksOff(t *testing.T) {
	for name, tt := range map[string]struct {
		why   error
		level string
	}{
		"the upstream":             {nil, "WARN"},
		"the upstream is too slow": {errUpstreamTimeout, "WARN"},
		"the gateway closes":       {errClosing, "INFO"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, "http://127.0.0.1:1")
			ctx, cancel := context.WithCancelCause(t.Context())
			if tt.why != nil {
				cancel(tt.why)
			}
			defer cancel(nil)
			defer func() {
				if reason, ok := recover().(error); !ok || !errors.Is(reason, http.ErrAbortHandler) {
					t.Errorf("the answer ended with %v", reason)
				}
				if log := g.logged.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, `"level":"`+tt.level+`","msg":"upstream answer broke off"`) {
					t.Errorf("want one line of level %s: %s", tt.level, log)
				}
			}()
			body := io.MultiReader(strings.NewReader("data: 1\n\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
			g.relay(ctx, httptest.NewRecorder(), &http.Response{Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(body)}, nil, false)
		})
	}
}
