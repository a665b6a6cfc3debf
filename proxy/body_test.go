package proxy

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestBodyOfUnknownLength: a body in chunks is read to its end, and not beyond the limit; one that breaks off is none.
func TestBodyOfUnknownLength(t *testing.T) {
	const limit = 1 << 20
	for _, length := range []int{0, 1, smallestBuffer - 1, smallestBuffer, smallestBuffer + 1, firstBodyBuffer, 4 * firstBodyBuffer, limit - 1, limit} {
		want := strings.Repeat("abc", length/3+1)[:length]
		held := &hold{room: newRoom(8 * limit)}
		for name, reader := range map[string]io.Reader{"whole": strings.NewReader(want), "in halves": iotest.HalfReader(strings.NewReader(want))} {
			r := &http.Request{ContentLength: -1, Body: io.NopCloser(reader), URL: &url.URL{}}
			if body, err := readBody(nil, r, limit, held); err != nil || string(body) != want {
				t.Errorf("%d bytes %s: %d read, %v", length, name, len(body), err)
			}
			broken := io.MultiReader(strings.NewReader(want), iotest.ErrReader(io.ErrUnexpectedEOF))
			r = &http.Request{ContentLength: -1, Body: io.NopCloser(broken), URL: &url.URL{}}
			if _, err := readBody(nil, r, limit, held); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d bytes that break off: %v", length, err)
			}
		}
		held.release()
	}
	r := &http.Request{ContentLength: -1, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", limit+1))), URL: &url.URL{}}
	if _, err := readBody(nil, r, limit, &hold{room: newRoom(2 * limit)}); err == nil {
		t.Error("a body beyond the limit was read")
	} else if _, tooLarge := errors.AsType[*http.MaxBytesError](err); !tooLarge {
		t.Error(err)
	}
}

// TestBodiesCountAsHeld: large requests count against what the gateway may hold; without room they are refused before
// anything went upstream, and what was held for them is free again.
func TestBodiesCountAsHeld(t *testing.T) {
	large := callOf("1", "tomtom-data-viz", `{"geojson":{"x":"`+strings.Repeat("x", 4*firstBodyBuffer)+`"}}`)
	seen := make(chan int64, 1)
	up := newUpstreamServer(t, nil)
	g := newGateway(t, up.URL)
	up.answer = func(w http.ResponseWriter, in received) {
		seen <- g.room.held.Load()
		answerEvent(w, in, `{"content":[]}`)
	}
	g.call(t, "tomtom-data-viz", `{"geojson":{"x":"`+strings.Repeat("x", 4*firstBodyBuffer)+`"}}`)
	if held := <-seen; held < 3*firstBodyBuffer || held > 5*firstBodyBuffer {
		t.Errorf("%d bytes held for a request of %d", held, len(large))
	}
	if held := g.room.held.Load(); held != 0 {
		t.Errorf("%d bytes are still held", held)
	}

	g.room.wait = time.Millisecond
	full := hold{room: g.room}
	if err := full.reserve(t.Context(), int(g.room.max)-firstBodyBuffer); err != nil {
		t.Fatal(err)
	}
	before := len(up.requests())
	got := g.post(t, large)
	if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" || len(up.requests()) != before {
		t.Errorf("status %d, headers %v, %d requests upstream: %s", got.status, got.header, len(up.requests())-before, got.body)
	}
	full.release()
	go func() { <-seen }()
	if got := g.post(t, large); got.status != http.StatusOK {
		t.Errorf("once there is room: %d", got.status)
	}
}

// TestTooManyRequests: what is more than may be worked on at once is refused before anything went upstream.
func TestTooManyRequests(t *testing.T) {
	const most = 3
	begun, release := make(chan struct{}, most), make(chan struct{})
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		begun <- struct{}{}
		<-release
		answerEvent(w, in, `{"content":[]}`)
	})
	g := newGateway(t, up.URL, func(o *Options) { o.MaxRequests = most })
	answers := make(chan int, most)
	for i := range most {
		go func() { answers <- g.post(t, callOf(strconv.Itoa(i), "someone-elses", `{}`)).status }()
	}
	for range most {
		<-begun
	}
	got := g.post(t, callOf("9", "someone-elses", `{}`))
	if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" || len(up.requests()) != most {
		t.Errorf("status %d, headers %v, %d requests upstream", got.status, got.header, len(up.requests()))
	}
	close(release)
	for range most {
		if status := <-answers; status != http.StatusOK {
			t.Errorf("one that fits: %d", status)
		}
	}
	if got := g.post(t, callOf("9", "someone-elses", `{}`)); got.status != http.StatusOK {
		t.Errorf("once there is room: %d", got.status)
	}
}
