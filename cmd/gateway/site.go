package main

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"tomtom-mcp-gateway/config"
)

// How slow a client may be. Answers have no such limit: a stream lives as long as the upstream lets it.
const (
	headerTimeout  = 10 * time.Second // for a request's header
	requestTimeout = 30 * time.Second // for the whole request
	idleTimeout    = 2 * time.Minute  // between two requests on a connection
	maxHeaderBytes = 64 << 10
)

// site is the two servers of a gateway and how they end.
type site struct {
	mcp, admin *http.Server
	ready      *readiness
	inFlight   atomic.Int64
	delay      time.Duration // accepting goes on while /readyz says 503
	deadline   time.Duration // requests in flight may take so long after that
	log        *slog.Logger
}

func newSite(c config.Listen, log *slog.Logger, ready *readiness, mcp, admin http.Handler) *site {
	s := &site{ready: ready, delay: c.DrainDelay, deadline: c.DrainTimeout, log: log}
	s.mcp = newServer(s.track(mcp), log)
	s.admin = newServer(admin, log)
	return s
}

func newServer(h http.Handler, log *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // under TLS, too: one request after the other on a connection, as behind an ingress
	return &http.Server{
		Protocols:         protocols,
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          stdlog.New(libraryLog{log}, "", 0),
	}
}

// track counts the requests in flight, and asks hosts to open their next connection elsewhere once the end has begun.
func (s *site) track(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.inFlight.Add(1)
		defer s.inFlight.Add(-1)
		if s.ready.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// run serves until ctx is done, and then until the requests in flight have ended or the deadline has passed. It closes
// the listeners. The admin server outlives the drain, so that /readyz and /metrics tell of it.
func (s *site) run(ctx context.Context, mcp, admin net.Listener) error {
	ended := make(chan error, 2)
	serve := func(name string, server *http.Server, l net.Listener) {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			ended <- fmt.Errorf("serve %s: %w", name, err)
		}
	}
	go serve("MCP", s.mcp, mcp)
	go serve("admin", s.admin, admin)
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = s.drain(ctx, ended)
	}
	_, _ = s.mcp.Close(), s.admin.Close()
	return err
}

// drain ends the MCP server without cutting off what it has begun, within the deadline. ctx is the one that is done.
func (s *site) drain(ctx context.Context, ended <-chan error) error {
	s.ready.drain()
	s.log.Info("draining", slog.Int64("in_flight", s.inFlight.Load()),
		slog.Duration("delay", s.delay), slog.Duration("deadline", s.deadline))
	select {
	case err := <-ended:
		return err
	case <-time.After(s.delay):
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.deadline)
	defer cancel()
	if err := s.mcp.Shutdown(limited); err != nil {
		s.log.Warn("requests cut off", slog.Int64("in_flight", s.inFlight.Load()), slog.String("reason", "the drain deadline passed"))
	}
	s.log.Info("stopped")
	return nil
}
