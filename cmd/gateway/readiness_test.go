package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

// fakeReadiness answers dials from err and counts them; its clock stands still unless moved.
type fakeReadiness struct {
	readiness
	dials int
	err   error
	clock time.Time
}

func newFakeReadiness() *fakeReadiness {
	f := &fakeReadiness{clock: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	f.dial = func(context.Context) error { f.dials++; return f.err }
	f.now = func() time.Time { return f.clock }
	return f
}

// TestReadiness: one dial that contradicts the verdict does not turn it, two in a row do; and the upstream is asked
// seldom, in doubt a little less so.
func TestReadiness(t *testing.T) {
	ready := newFakeReadiness()
	down := errors.New("down")
	for i, step := range []struct {
		after time.Duration
		err   error // what a dial would say now
		ok    bool
		dials int
	}{
		{0, nil, true, 1}, // the first that reaches it decides
		{agreedFor - time.Millisecond, down, true, 1},
		{time.Millisecond, down, true, 2}, // once
		{doubtedFor - time.Millisecond, down, true, 2},
		{time.Millisecond, nil, true, 3}, // it was a restart
		{agreedFor, down, true, 4},
		{doubtedFor, down, false, 5}, // twice
		{doubtedFor, nil, false, 5},
		{agreedFor, nil, false, 6},
		{doubtedFor, down, false, 7}, // it came up and fell again
		{agreedFor, nil, false, 8},
		{doubtedFor, nil, true, 9},
	} {
		ready.clock = ready.clock.Add(step.after)
		ready.err = step.err
		if err := ready.check(t.Context()); (err == nil) != step.ok || ready.dials != step.dials {
			t.Errorf("step %d, after another %v: %v with %d dials, want %+v", i, step.after, err, ready.dials, step)
		}
	}
	ready.drain()
	ready.clock = ready.clock.Add(time.Hour)
	if err := ready.check(t.Context()); !errors.Is(err, errDraining) || ready.dials != 9 {
		t.Errorf("draining: %v with %d dials", err, ready.dials)
	}
}

// A gateway that comes up before its upstream is ready with the first dial that finds it, and asks often until then.
func TestReadinessComesUpFirst(t *testing.T) {
	ready := newFakeReadiness()
	ready.err = errors.New("down")
	for range 3 {
		if ready.check(t.Context()) == nil {
			t.Error("ready without an upstream")
		}
		ready.clock = ready.clock.Add(doubtedFor)
	}
	ready.err = nil
	if err := ready.check(t.Context()); err != nil || ready.dials != 4 {
		t.Errorf("%v with %d dials", err, ready.dials)
	}
	ready.clock = ready.clock.Add(agreedFor)
	ready.err = errors.New("down")
	if err := ready.check(t.Context()); err != nil {
		t.Errorf("one refusal, once it had been reached: %v", err)
	}
}

func TestReadinessSharesOneDial(t *testing.T) {
	ready := newFakeReadiness()
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if err := ready.check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if ready.dials != 1 {
		t.Errorf("%d dials", ready.dials)
	}
}

// A prober that hung up says nothing about the upstream.
func TestReadinessOutlivesItsProber(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	upstream, err := url.Parse(server.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newReadiness(dialled(upstream)).check(gone); err != nil {
		t.Error(err)
	}
	server.Close()
	if err := newReadiness(dialled(upstream)).check(t.Context()); err == nil || !strings.Contains(err.Error(), "upstream") {
		t.Errorf("with the upstream gone: %v", err)
	}
}

// TestAnyOrder: a gateway that starts before its upstream is up, is not ready, and works as soon as the upstream is there;
// nor does it end with it.
func TestAnyOrder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	record, _, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL=http://"+address+"/mcp")
	admin, mcp := "http://"+record["admin"].(string), "http://"+record["listen"].(string)
	for path, want := range map[string]int{"/startupz": 200, "/healthz": 200, "/readyz": 503} {
		if status, body := fetch(t, admin+path); status != want {
			t.Errorf("%s before there is an upstream: %d %s", path, status, body)
		}
	}
	if status, _ := fetch(t, mcp+"/health"); status != http.StatusBadGateway {
		t.Errorf("a request before there is an upstream: %d", status)
	}
	if l, err = net.Listen("tcp", address); err != nil {
		t.Skipf("another process took the upstream's address: %v", err)
	}
	server := httptest.NewUnstartedServer(upstream.New(upstream.Options{}))
	_ = server.Listener.Close()
	server.Listener = l
	server.Start()
	if status, body := fetch(t, mcp+"/health"); status != http.StatusOK {
		t.Errorf("a request to an upstream that came later: %d %s", status, body)
	}
	server.Close()
	if status, _ := fetch(t, mcp+"/health"); status != http.StatusBadGateway {
		t.Errorf("a request to an upstream that has gone: %d", status)
	}
	if status, _ := fetch(t, admin+"/healthz"); status != http.StatusOK {
		t.Errorf("the gateway went with its upstream: %d", status)
	}
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}
