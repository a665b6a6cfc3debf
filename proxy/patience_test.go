package proxy

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestHostThatReadsNothing does not keep its answer, and what is held for it, for ever.
func TestHostThatReadsNothing(t *testing.T) {
	ended := make(chan error, 1)
	const size = 64 << 20 // more than any socket takes
	server := httptest.NewServer(patience(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n, err := w.Write(make([]byte, size))
		if n == size {
			t.Error("all was written")
		}
		ended <- err
	}), 20*time.Millisecond))
	t.Cleanup(server.Close)
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !isTimeout(err) {
		t.Errorf("the write ended with %v", err)
	}
}

// TestSlowHostGetsItsAnswer: the bound is on a piece, and starts anew with each. One that is hardly older than the piece
// is left as it is.
func TestSlowHostGetsItsAnswer(t *testing.T) {
	const pieces = 40
	for _, tt := range []struct {
		name      string
		takes     time.Duration // of each piece
		deadlines int
	}{
		{"slow", 50 * time.Second, pieces + 1}, // with the flush; the end is at the same time
		{"quick", time.Millisecond, 1},
		{"in between", time.Minute / 100, pieces/2 + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &deadlines{ResponseRecorder: httptest.NewRecorder(), takes: tt.takes, limit: time.Minute}
				patience(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					if n, err := w.Write(make([]byte, pieces*patientPiece)); n != pieces*patientPiece || err != nil {
						t.Errorf("%d bytes, %v", n, err)
					}
					flusher(w)()
				}), w.limit).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
				if w.set != tt.deadlines || w.Body.Len() != pieces*patientPiece || !w.Flushed || w.short {
					t.Errorf("%d deadlines, one too short: %v, %d bytes", w.set, w.short, w.Body.Len())
				}
			})
		})
	}
}

// deadlines counts the deadlines that are set, of a host that takes some time for each write.
type deadlines struct {
	*httptest.ResponseRecorder
	takes, limit time.Duration
	set          int
	deadline     time.Time
	short        bool // a write had less than limit
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.set++
	d.deadline = at
	return nil
}

func (d *deadlines) Write(b []byte) (int, error) {
	d.short = d.short || time.Until(d.deadline) < d.limit
	time.Sleep(d.takes)
	return d.ResponseRecorder.Write(b)
}

// TestGatewayIsPatient: the bound is there for whatever the gateway answers.
func TestGatewayIsPatient(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{}`) })
	g := newGateway(t, up.URL)
	for _, path := range []string{"/mcp", "/health"} {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder(), limit: hostPatience}
		g.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
		if w.set == 0 || w.short {
			t.Errorf("%s: %d deadlines", path, w.set)
		}
	}
}
