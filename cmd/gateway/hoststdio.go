package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"

	"tomtom-mcp-gateway/proxy/stdio"
)

// recentResults is of how many results the app data is kept for a host that drops it on the way: one process, one
// person.
const recentResults = 16

// endedError is the end of the upstream's command with another exit code than 0. It becomes the gateway's own.
type endedError struct{ code int }

func (e *endedError) Error() string { return fmt.Sprintf("the server ended with exit code %d", e.code) }

// serveHost serves the one host on standard input and output, until that closes the input, the server ends, or ctx is
// done. Nothing is started again: a host that wants the server back starts the gateway, and with it a session that the
// server knows nothing of yet.
func (s server) serveHost(ctx context.Context, inv invocation) error {
	// A host that has gone is an error of writing, which is handled, and not the end of the process.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)

	if s.command == nil {
		return s.host(ctx, inv, overHTTP(s.config), nil)
	}
	solo, err := stdio.NewSolo(s.start)
	if err != nil {
		return err
	}
	up := s.behind()
	up.transport = solo
	err = s.host(ctx, inv, up, solo.Ended())
	patience := leisurely
	if ctx.Err() != nil {
		patience = hurried
	}
	code := solo.Stop(context.WithoutCancel(ctx), patience)
	s.log.Info("server ended", slog.Int("exit_code", code))
	switch {
	case err != nil:
		return err
	case code != 0 && (ctx.Err() == nil || code < 128):
		return &endedError{code}
	}
	return nil
}

// host runs a gateway between the host and up. ended is closed when up has ended; nil for one that does not.
func (s server) host(ctx context.Context, inv invocation, up behind, ended <-chan struct{}) error {
	c := s.config
	registry := newRegistry()
	options, err := proxyOptions(c, s.log, registry, up)
	if err != nil {
		return err
	}
	options.RecentResults, options.OwnCredential = recentResults, true
	gateway, end, err := newGateway(ctx, &options, s.log)
	if err != nil {
		return err
	}
	defer end()
	admin, stop, err := s.admin(ctx, up, registry)
	if err != nil {
		return err
	}
	defer stop()
	announce(s.log, c, up, options, "stdio", admin)
	header := http.Header{}
	if c.Upstream.Key != "" && s.command == nil {
		header.Set("Tomtom-Api-Key", c.Upstream.Key)
	}
	err = stdio.ServeHost(ctx, gateway, inv.in, inv.out, stdio.HostOptions{
		Path: up.url.Path, Header: header, MaxLineBytes: c.Bounds.MaxRequestBytes, Drain: c.Listen.DrainTimeout, Ended: ended, Log: s.log,
	})
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// admin serves the admin address where the environment names one. address is "" where it does not.
func (s server) admin(ctx context.Context, up behind, metrics prometheus.Gatherer) (address string, stop func(), err error) {
	if s.config.Listen.AdminAddress == "" {
		return "", func() {}, nil
	}
	l, err := listen(ctx, s.config.Listen.AdminAddress, "GATEWAY_ADMIN_LISTEN")
	if err != nil {
		return "", nil, err
	}
	server := newServer(adminHandler(newReadiness(up.ready), metrics), s.log)
	go s.serveAdmin(server, l)
	return l.Addr().String(), func() { _ = server.Close() }, nil
}

func (s server) serveAdmin(server *http.Server, l net.Listener) {
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		s.log.Error("the admin address is not served any more", slog.Any("err", err))
	}
}
