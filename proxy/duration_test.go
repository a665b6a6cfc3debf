package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// inMemory is a gateway in front of an upstream, without a network: in a bubble of synctest all that they wait for takes
// no time, and takes exactly as long as it says.
type inMemory struct {
	*Gateway
	logged                    *logBuffer
	calls, redemptions, dials atomic.Int64
	dial                      func() error // nil, or what happens before a connection
}

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l pipeListener) Close() error   { close(l.closed); return nil }
func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// newInMemory answers calls with a handle, and redemptions by redeem.
func newInMemory(t *testing.T, redeem func(w http.ResponseWriter, in received), change ...func(*Options)) *inMemory {
	t.Helper()
	m := &inMemory{logged: &logBuffer{}}
	options := Options{
		Upstream: &url.URL{Scheme: "http", Host: "upstream:80", Path: "/mcp"}, Widget: testWidget,
		Logger: slog.New(slog.NewJSONHandler(m.logged, nil)),
	}
	for _, c := range change {
		c(&options)
	}
	g, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	m.Gateway = g
	g.eras.known = &nature{legacy: new(true)}
	l := pipeListener{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{ReadHeaderTimeout: time.Hour, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := received{r: r, header: r.Header}
		in.body, _ = io.ReadAll(r.Body)
		if messages, _, err := scanMessages(in.body); err == nil {
			in.message = messages[0]
		}
		if in.message.name == "tomtom-get-viz-data" {
			m.redemptions.Add(1)
			redeem(w, in)
			return
		}
		m.calls.Add(1)
		answerEvent(w, in, textResultOf(handleText))
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l)
	}()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		if m.dials.Add(1); m.dial != nil {
			if err := m.dial(); err != nil {
				return nil, err
			}
		}
		ours, theirs := net.Pipe()
		select {
		case l.conns <- theirs:
			return ours, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	g.upstream.dialer.DialContext, g.upstream.shared.DialContext = dial, dial
	t.Cleanup(func() {
		g.Close()
		_ = server.Close()
		<-served
	})
	return m
}

// call runs tomtom-routing and returns the result with how long it took.
func (m *inMemory) call(t *testing.T) (toolResultOf, []byte, time.Duration) {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(callOf("1", "tomtom-routing", "{}")))
	request.Header = mcpHeader()
	w := httptest.NewRecorder()
	began := time.Now()
	m.ServeHTTP(w, request)
	took := time.Since(began)
	var envelope struct{ Result json.RawMessage }
	if err := json.Unmarshal(lastData(t, w.Body.Bytes()), &envelope); err != nil {
		t.Fatal(err)
	}
	res, doc := parseResult(t, envelope.Result)
	if res.Content[0].Text != plainText {
		t.Errorf("text %q", res.Content[0].Text)
	}
	if m.calls.Load() != 1 {
		t.Errorf("%d calls upstream", m.calls.Load())
	}
	if bytes := m.room.held.Load(); bytes != 0 {
		t.Errorf("%d bytes are still held", bytes)
	}
	return res, doc, took
}

// hang answers nothing until its connection goes.
func hang(_ http.ResponseWriter, in received) { <-in.r.Context().Done() }

// hangWithin begins an answer and does not end it.
func hangWithin(w http.ResponseWriter, in received) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "event: message\ndata: {\"result\":{\"content\":[")
	flusher(w)()
	hang(w, in)
}

// TestHangingRedemption: a redemption is given up after 30 s, both tries together, whatever it hangs on.
func TestHangingRedemption(t *testing.T) {
	// breakAfter resets the first redemption's connection after d; the second goes to next.
	breakAfter := func(d time.Duration, next func(http.ResponseWriter, received)) func(http.ResponseWriter, received) {
		first := true
		return func(w http.ResponseWriter, in received) {
			if first {
				first = false
				time.Sleep(d)
				panic(http.ErrAbortHandler)
			}
			next(w, in)
		}
	}
	tests := []struct {
		name   string
		redeem func(http.ResponseWriter, received)
		tries  int64
	}{
		{"no answer", hang, 1},
		{"an answer that stops", hangWithin, 1},
		{"the second try", breakAfter(20*time.Second, hang), 2},
		{"an answer to the second try that stops", breakAfter(29*time.Second, hangWithin), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newInMemory(t, tt.redeem)
				res, doc, took := m.call(t)
				if doc != nil || res.Meta.Status != statusUnavailable {
					t.Errorf("status %s", res.Meta.Status)
				}
				if took != 30*time.Second || m.redemptions.Load() != tt.tries {
					t.Errorf("given up after %v and %d tries", took, m.redemptions.Load())
				}
				lines := m.logged.calls(t)
				if len(lines) != 1 || lines[0]["status"] != statusUnavailable || lines[0]["reason"] != "timeout" {
					t.Errorf("log %v", lines)
				}
			})
		})
	}
}

// TestRedemptionThatCannotConnect: the second try, after the first was not answered, meets an upstream that takes no
// more connections.
func TestRedemptionThatCannotConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newInMemory(t, func(http.ResponseWriter, received) { panic(http.ErrAbortHandler) })
		m.dial = func() error {
			if m.dials.Load() > 1 {
				return errors.New("refused")
			}
			return nil
		}
		if res, _, _ := m.call(t); res.Meta.Status != statusUnavailable || m.redemptions.Load() != 1 {
			t.Errorf("status %s after %d redemptions", res.Meta.Status, m.redemptions.Load())
		}
		if lines := m.logged.calls(t); len(lines) != 1 || lines[0]["status"] != statusUnavailable {
			t.Errorf("log %v", lines)
		}
	})
}

// TestSlowRedemptionIsWaitedFor within the 30 s.
func TestSlowRedemptionIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newInMemory(t, func(w http.ResponseWriter, in received) {
			time.Sleep(29 * time.Second)
			answerEvent(w, in, textResultOf(routeDoc))
		})
		if res, doc, took := m.call(t); string(doc) != routeDoc || res.Meta.Status != statusInline || took != 29*time.Second {
			t.Errorf("status %s after %v", res.Meta.Status, took)
		}
	})
}

// TestWaitingForRoom: a slot or bytes that come free within 3 s are waited for; without them the text goes out alone.
// The slot is taken before redeeming, so that nothing is redeemed without one.
func TestWaitingForRoom(t *testing.T) {
	large := `{"features":[],"pad":"` + strings.Repeat("twelve bytes", 1<<16) + `"}`
	for _, tt := range []struct {
		name   string
		taken  func(r *room) (free func())
		after  time.Duration // the room comes free
		status string
		took   time.Duration
		tries  int64
	}{
		{"bytes in time", allBytes, 2 * time.Second, statusInline, 2 * time.Second, 1},
		{"bytes too late", allBytes, 4 * time.Second, statusUnavailable, 3 * time.Second, 1},
		{"a slot in time", allSlots, 2 * time.Second, statusInline, 2 * time.Second, 1},
		{"a slot too late", allSlots, 4 * time.Second, statusUnavailable, 3 * time.Second, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newInMemory(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, textResultOf(large)) })
				free := tt.taken(m.room)
				freed := time.AfterFunc(tt.after, free)
				res, doc, took := m.call(t)
				if freed.Stop() {
					free()
				}
				if res.Meta.Status != tt.status || (string(doc) == large) != (tt.status == statusInline) {
					t.Errorf("status %s", res.Meta.Status)
				}
				if took != tt.took || m.redemptions.Load() != tt.tries {
					t.Errorf("after %v and %d redemptions", took, m.redemptions.Load())
				}
				lines := m.logged.calls(t)
				if len(lines) != 1 || lines[0]["status"] != tt.status || tt.status == statusUnavailable && lines[0]["reason"] != "busy" {
					t.Errorf("log %v", lines)
				}
			})
		})
	}
}

func allBytes(r *room) (free func()) {
	_ = r.bytes.Acquire(context.Background(), r.max) // it is free
	return func() { r.bytes.Release(r.max) }
}

func allSlots(r *room) (free func()) {
	var releases []func()
	for r.slots.TryAcquire(1) {
		releases = append(releases, func() { r.slots.Release(1) })
	}
	return func() {
		for _, release := range releases {
			release()
		}
	}
}
