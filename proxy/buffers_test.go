package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// TestMain writes over every buffer that is given back: an answer that still needs one would not be JSON any more.
func TestMain(m *testing.M) {
	wipe = func(b []byte) {
		for i := range b {
			b[i] = '#'
		}
	}
	os.Exit(m.Run())
}

// newMemory is a grower that never refuses.
func newMemory(b []byte, size int) ([]byte, error) { return append(make([]byte, 0, size), b...), nil }

func TestBufferSizes(t *testing.T) {
	for _, tt := range []struct{ size, want int }{
		{0, smallestBuffer},
		{smallestBuffer, smallestBuffer},
		{smallestBuffer + 1, 2 * smallestBuffer},
		{3 * smallestBuffer, 4 * smallestBuffer},
		{16 << 20, 16 << 20},
		{16<<20 + 1, 16<<20 + 1},
	} {
		b := takeBuffer(tt.size)
		if len(b) != 0 || cap(b) != tt.want {
			t.Errorf("for %d bytes: %d of %d, want %d", tt.size, len(b), cap(b), tt.want)
		}
		giveBuffer(b)
	}
}

// TestReadingTakesLittleNewMemory: what one call has read into is there for the next.
func TestReadingTakesLittleNewMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector empties pools
	const calls, size = 40, 1 << 20
	stream := []byte(eventOf("1", textResultOf(strings.Repeat("x", size))))
	read := func() {
		h := hold{room: newRoom(4 * size)}
		defer h.release()
		grow := func(b []byte, size int) ([]byte, error) { return h.grow(t.Context(), b, size) }
		if ev, err := newEventReader(bytes.NewReader(stream), 2*size, grow).next(); err != nil || len(ev.raw) != len(stream) {
			t.Fatal(err)
		}
		if body, err := readHeld(bytes.NewReader(stream), 2*size, grow); err != nil || len(body) != len(stream) {
			t.Fatal(err)
		}
	}
	read()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		read()
	}
	runtime.ReadMemStats(&after)
	// Without the pools it is 8 MiB a call. They lose some of what they are given under the race detector.
	if perCall := (after.TotalAlloc - before.TotalAlloc) / calls; perCall > 4<<20 {
		t.Errorf("%d bytes of new memory a call", perCall)
	}
}

// TestLongBatchTakesTheMemoryOfOneResult: what was sent is not held until the last response of a batch.
func TestLongBatchTakesTheMemoryOfOneResult(t *testing.T) {
	const calls = 50
	g := newGateway(t, "http://127.0.0.1:1")
	var body, stream []string
	for i := range calls {
		body = append(body, callOf(strconv.Itoa(i), "tomtom-traffic", "{}"))
		stream = append(stream, eventOf(strconv.Itoa(i), textResultOf(`{"a":"`+strings.Repeat("x", 2*smallestBuffer)+`","_meta":{"show_ui":true}}`)))
	}
	messages, _, err := scanMessages([]byte("[" + strings.Join(body, ",") + "]"))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	x := &exchange{
		g: g.Gateway, w: w, flush: func() {}, r: httptest.NewRequest(http.MethodPost, "/mcp", nil), batch: true,
		waiting: map[string]*request{}, hold: hold{room: g.room}, limit: 1 << 20,
	}
	if owned, unique := x.sort(messages); !owned || !unique {
		t.Fatal("the calls are not the gateway's")
	}
	x.stream(t.Context(), &http.Response{Body: io.NopCloser(strings.NewReader(strings.Join(stream, "")))})
	if n := strings.Count(w.Body.String(), statusNone); n != calls || len(x.waiting) > 0 {
		t.Errorf("%d of %d responses", n, calls)
	}
	if n := len(x.hold.buffers); n > 2 {
		t.Errorf("%d buffers are held after %d responses", n, calls)
	}
	x.hold.release()
}

// TestHoldGrows: what a hold grows keeps its bytes, is accounted for beyond the first buffer, and can be taken away.
func TestHoldGrows(t *testing.T) {
	ctx := context.Background()
	h := hold{room: newRoom(smallestBuffer)}
	b, err := h.grow(ctx, nil, smallestBuffer)
	if err != nil || h.taken != 0 {
		t.Fatalf("first: %v, %d bytes taken", err, h.taken)
	}
	b = append(b, "abc"...)
	if b, err = h.grow(ctx, b, 2*smallestBuffer); err != nil || string(b) != "abc" || cap(b) != 2*smallestBuffer {
		t.Fatalf("grown: %q of %d, %v", b, cap(b), err)
	}
	if h.taken != smallestBuffer || len(h.buffers) != 1 {
		t.Errorf("%d bytes taken, %d buffers", h.taken, len(h.buffers))
	}
	if _, err := h.grow(ctx, b, 4*smallestBuffer); !errors.Is(err, errBusy) {
		t.Errorf("more than the room has: %v", err)
	}
	h.keep()
	h.release()
	if h.taken != 0 || h.room.held.Load() != 0 || len(h.buffers) != 0 {
		t.Errorf("after release: %d bytes taken", h.taken)
	}
	if other := takeBuffer(2 * smallestBuffer)[:3]; &other[0] == &b[0] {
		t.Error("a buffer that was kept was given to another")
	}
}
