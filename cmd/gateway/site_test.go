package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tomtom-mcp-gateway/config"
)

// memoryListener accepts what its dial opens, in memory, so that synctest's clock rules over it.
type memoryListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newMemoryListener() *memoryListener {
	return &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (l *memoryListener) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, errors.New("connection refused")
	}
}

// running is a site that serves in memory inside a synctest bubble.
type running struct {
	mcp, admin *memoryListener
	stop       context.CancelFunc
	ended      chan error
	log        *bytes.Buffer // read it after ended
}

func start(t testing.TB, c config.Listen, mcp http.Handler) *running {
	t.Helper()
	ready := &newFakeReadiness().readiness
	r := &running{mcp: newMemoryListener(), admin: newMemoryListener(), ended: make(chan error, 1), log: &bytes.Buffer{}}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	s := newSite(c, slog.New(slog.NewTextHandler(r.log, nil)), ready, mcp, adminHandler(ready, prometheus.NewRegistry()))
	go func() { r.ended <- s.run(ctx, r.mcp, r.admin) }()
	return r
}

// reply is an answer, read to its end.
type reply struct {
	status int
	closes bool // the connection
	text   string
}

// ask sends one request on a connection of its own.
func ask(t testing.TB, l *memoryListener, method, path string, body io.Reader) (reply, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: l.dial, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(t.Context(), method, "http://gateway"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Close, string(text)}, err
}

var quickDrain = config.Listen{DrainTimeout: 25 * time.Second}

// readBody answers once the body is read, with the error that cut it off.
func readBody(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		http.Error(w, "cut off", http.StatusRequestTimeout)
	}
}

func TestSlowClientsAreCutOff(t *testing.T) {
	tests := []struct {
		name   string
		sends  string // at once; then nothing more
		within time.Duration
	}{
		{"in the header", "POST /mcp HTTP/1.1\r\nHost: gateway\r\n", headerTimeout},
		{"in the body", "POST /mcp HTTP/1.1\r\nHost: gateway\r\nContent-Length: 100\r\n\r\n{", requestTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, quickDrain, http.HandlerFunc(readBody))
				c, err := r.mcp.dial(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if _, err := io.WriteString(c, tt.sends); err != nil {
					t.Fatal(err)
				}
				answer, err := io.ReadAll(c) // ends when the server closes
				if err != nil || strings.Contains(string(answer), "200 OK") {
					t.Errorf("got %q, %v", answer, err)
				}
				if took := time.Since(began); took < tt.within || took > tt.within+time.Second {
					t.Errorf("cut off after %v, want %v", took, tt.within)
				}
				r.stop()
				if err := <-r.ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestIdleConnectionsAreClosed: between two requests a connection is kept for a while, and not for good.
func TestIdleConnectionsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, quickDrain, http.HandlerFunc(readBody))
		c, err := r.mcp.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(c, "GET /mcp HTTP/1.1\r\nHost: gateway\r\n\r\n") }()
		reader := bufio.NewReader(c)
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		began := time.Now()
		if _, err := reader.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("the connection ended with %v", err)
		}
		if took := time.Since(began); took < idleTimeout || took > idleTimeout+time.Second {
			t.Errorf("closed after %v", took)
		}
		r.stop()
		if err := <-r.ended; err != nil {
			t.Error(err)
		}
	})
}

// A body that comes within its time is read, and what the upstream then takes has no limit here: the deadlines of the
// request must not cancel the call that it began.
func TestSlowAnswersAreNotCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, quickDrain, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			readBody(w, r)
			select {
			case <-r.Context().Done():
				http.Error(w, "cancelled", http.StatusInternalServerError)
			case <-time.After(4 * requestTimeout):
				_, _ = io.WriteString(w, "route")
			}
		}))
		body, send := io.Pipe()
		go func() {
			for range 5 {
				time.Sleep(requestTimeout / 6) // of the bubble: it takes no time
				_, _ = io.WriteString(send, "{")
			}
			_ = send.Close()
		}()
		if got, err := ask(t, r.mcp, http.MethodPost, "/mcp", body); err != nil || got.status != 200 || got.text != "route" {
			t.Errorf("got %+v, %v", got, err)
		}
		r.stop()
		if err := <-r.ended; err != nil {
			t.Error(err)
		}
	})
}

func TestDrainLetsRequestsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan struct{}, 1)
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				begun <- struct{}{}
				time.Sleep(20 * time.Second)
			}
			_, _ = io.WriteString(w, "route")
		})
		r := start(t, config.Listen{DrainDelay: 5 * time.Second, DrainTimeout: 25 * time.Second}, slow)
		answered := make(chan string, 1)
		go func() {
			got, err := ask(t, r.mcp, http.MethodGet, "/slow", nil)
			answered <- fmt.Sprint(got.text, err)
		}()
		<-begun
		r.stop()
		synctest.Wait()

		if got, _ := ask(t, r.admin, http.MethodGet, "/readyz", nil); got.text != "not ready: draining\n" {
			t.Errorf("readiness while draining: %+v", got)
		}
		// Within the delay, requests are still taken: a load balancer does not know yet. They are told to go elsewhere next.
		if got, err := ask(t, r.mcp, http.MethodGet, "/quick", nil); err != nil || got.text != "route" || !got.closes {
			t.Errorf("a request within the delay: %+v, %v", got, err)
		}
		time.Sleep(6 * time.Second)
		if _, err := ask(t, r.mcp, http.MethodGet, "/quick", nil); err == nil {
			t.Error("a request after the delay was taken")
		}
		if got, _ := ask(t, r.admin, http.MethodGet, "/readyz", nil); got.text != "not ready: draining\n" {
			t.Errorf("readiness after the delay: %+v", got)
		}
		if got := <-answered; got != "route<nil>" {
			t.Errorf("the request in flight got %s", got)
		}
		if err := <-r.ended; err != nil {
			t.Error(err)
		}
		if log := r.log.String(); !strings.Contains(log, "msg=draining in_flight=1") || !strings.Contains(log, "msg=stopped") ||
			strings.Contains(log, "cut off") {
			t.Errorf("the log says\n%s", log)
		}
	})
}

func TestDrainDeadlineCutsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancelled := make(chan time.Time, 1)
		r := start(t, quickDrain, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done() // a stream that does not end by itself
			cancelled <- time.Now()
		}))
		c, err := r.mcp.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(c, "GET /mcp HTTP/1.1\r\nHost: gateway\r\n\r\n") }()
		if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil { //nolint:bodyclose // the connection is cut
			t.Fatal(err)
		}
		began := time.Now()
		r.stop()
		if err := <-r.ended; err != nil {
			t.Errorf("ending at the deadline is no failure: %v", err)
		}
		if took := time.Since(began); took != quickDrain.DrainTimeout {
			t.Errorf("ended after %v", took)
		}
		if at := <-cancelled; at.Sub(began) != quickDrain.DrainTimeout {
			t.Errorf("the request was cancelled after %v", at.Sub(began))
		}
		if !strings.Contains(r.log.String(), "msg=\"requests cut off\" in_flight=1") {
			t.Errorf("the log says\n%s", r.log)
		}
	})
}

// A listener that fails ends the program with an error rather than leaving half of it behind.
func TestServingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, quickDrain, http.NotFoundHandler())
		_ = r.admin.Close()
		if err := <-r.ended; err == nil || !strings.Contains(err.Error(), "serve admin") {
			t.Errorf("got %v", err)
		}
		r.stop()
	})
}
