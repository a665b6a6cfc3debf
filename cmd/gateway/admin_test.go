package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

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
		{"started", nil, false, "/startupz", 200, "started\n"},
		{"started without upstream", down, false, "/startupz", 200, "started\n"},
		{"started while draining", nil, true, "/startupz", 200, "started\n"},
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
			if asked := ready.dials > 0; asked != (tt.path == "/readyz" && !tt.draining) {
				t.Errorf("the upstream was asked: %v", asked)
			}
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
