package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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

func get(t testing.TB, h http.Handler, path string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func TestAdminAnswers(t *testing.T) {
	down := errors.New("upstream: connection refused")
	tests := []struct {
		name     string
		dial     error
		draining bool
		path     string
		status   int
		body     string
	}{
		{"alive", nil, false, "/healthz", 200, "alive\n"},
		{"alive without upstream", down, false, "/healthz", 200, "alive\n"},
		{"alive while draining", nil, true, "/healthz", 200, "alive\n"},
		{"ready", nil, false, "/readyz", 200, "ready\n"},
		{"not ready without upstream", down, false, "/readyz", 503, "not ready: upstream: connection refused\n"},
		{"not ready while draining", nil, true, "/readyz", 503, "not ready: draining\n"},
		{"metrics", nil, false, "/metrics", 200, ""},
		{"nothing else", nil, false, "/mcp", 404, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ready := newFakeReadiness()
			ready.err = tt.dial
			if tt.draining {
				ready.drain()
			}
			status, body := get(t, adminHandler(&ready.readiness, prometheus.NewRegistry()), tt.path)
			if status != tt.status || tt.body != "" && body != tt.body {
				t.Errorf("got %d %q", status, body)
			}
		})
	}
}

func TestAdminRefusesOtherMethods(t *testing.T) {
	w := httptest.NewRecorder()
	h := adminHandler(&newFakeReadiness().readiness, prometheus.NewRegistry())
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/readyz", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("got %d", w.Code)
	}
}

func TestReadinessAsksSeldom(t *testing.T) {
	ready := newFakeReadiness()
	steps := []struct {
		after time.Duration
		err   error // what a dial would say now
		ok    bool
		dials int
	}{
		{0, nil, true, 1},
		{readyFor - time.Millisecond, errors.New("down"), true, 1},
		{time.Millisecond, errors.New("down"), false, 2},
		{time.Second, nil, false, 2},
		{readyFor, nil, true, 3},
	}
	for _, step := range steps {
		ready.clock = ready.clock.Add(step.after)
		ready.err = step.err
		if err := ready.check(t.Context()); (err == nil) != step.ok || ready.dials != step.dials {
			t.Errorf("after another %v: %v with %d dials, want %+v", step.after, err, ready.dials, step)
		}
	}
	ready.drain()
	ready.clock = ready.clock.Add(time.Hour)
	if err := ready.check(t.Context()); !errors.Is(err, errDraining) || ready.dials != 3 {
		t.Errorf("draining: %v with %d dials", err, ready.dials)
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
