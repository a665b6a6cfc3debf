package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// How readiness asks the upstream: a TCP connection that is closed at once, at most one in readyFor.
const (
	readyFor    = 3 * time.Second
	dialTimeout = 2 * time.Second
)

// errDraining is why a gateway that was told to end is not ready.
var errDraining = errors.New("draining")

// readiness knows whether new requests should come here.
type readiness struct {
	dial func(context.Context) error
	now  func() time.Time

	draining atomic.Bool

	mu      sync.Mutex // held while dialling, so that callers at the same time share one answer
	checked time.Time
	err     error
}

// newReadiness returns a readiness that asks by dial.
func newReadiness(dial func(context.Context) error) *readiness {
	return &readiness{now: time.Now, dial: dial}
}

// dialled asks whether the upstream's host takes connections.
func dialled(upstream *url.URL) func(context.Context) error {
	address := upstream.Host
	if upstream.Port() == "" {
		address = net.JoinHostPort(upstream.Hostname(), map[string]string{"http": "80", "https": "443"}[upstream.Scheme])
	}
	return func(ctx context.Context) error {
		dialer := net.Dialer{Timeout: dialTimeout}
		c, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return fmt.Errorf("upstream: %w", err)
		}
		return c.Close()
	}
}

// drain makes the gateway not ready for good.
func (r *readiness) drain() { r.draining.Store(true) }

// check returns nil if requests should come here, else why not. An answer about the upstream holds for readyFor.
func (r *readiness) check(ctx context.Context) error {
	if r.draining.Load() {
		return errDraining
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.now(); r.checked.IsZero() || now.Sub(r.checked) >= readyFor {
		// A prober that hangs up does not make the upstream unreachable for the next one.
		r.err = r.dial(context.WithoutCancel(ctx))
		r.checked = r.now()
	}
	return r.err
}

// adminHandler serves what operators and their machines ask: is it alive, is it ready, what did it count.
func adminHandler(ready *readiness, metrics prometheus.Gatherer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "alive")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := ready.check(r.Context()); err != nil {
			answer(w, http.StatusServiceUnavailable, "not ready: "+err.Error())
			return
		}
		answer(w, http.StatusOK, "ready")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	return mux
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // a prober that is gone needs no answer
}
