package proxy

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
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

// TestSlowHostGetsItsAnswer: the bound is on a piece, and starts anew with each.
func TestSlowHostGetsItsAnswer(t *testing.T) {
	const pieces = 40
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	patience(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n, err := w.Write(make([]byte, pieces*patientPiece)); n != pieces*patientPiece || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		flusher(w)()
	}), time.Hour).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.set != pieces+2 || w.Body.Len() != pieces*patientPiece || !w.Flushed { // with the flush, and the end
		t.Errorf("%d deadlines, %d bytes", w.set, w.Body.Len())
	}
}

// deadlines counts the deadlines that are set.
type deadlines struct {
	*httptest.ResponseRecorder
	set int
}

func (d *deadlines) SetWriteDeadline(time.Time) error {
	d.set++
	return nil
}

// TestGatewayIsPatient: the bound is there for whatever the gateway answers.
func TestGatewayIsPatient(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{}`) })
	g := newGateway(t, up.URL)
	for _, path := range []string{"/mcp", "/health"} {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		g.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
		if w.set < 2 {
			t.Errorf("%s: %d deadlines", path, w.set)
		}
	}
}
