package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview"
	"tomtom-mcp-gateway/config"
)

// pageBehind is what a preview page is in front of.
type pageBehind struct {
	behind
	credential string // for the upstream; "": none is known
	// ownCredential says that the upstream has one of its own.
	ownCredential bool
	label         string // how the page calls the upstream; "": as that calls itself
	url           string // as the page shows it; "" for a command
}

// pages are the two servers of a preview.
type pages struct {
	preview       *preview.Preview
	page, sandbox *http.Server
	listeners     []net.Listener
	config        config.Config
	log           *slog.Logger
}

// newPages builds the preview in front of up. It closes the listeners: the page's, and then the sandbox's.
func newPages(c config.Config, log *slog.Logger, up pageBehind, listeners []net.Listener) (*pages, error) {
	options, err := proxyOptions(c, log, nil, up.behind)
	if err != nil {
		closeAll(listeners)
		return nil, err
	}
	options.OwnCredential = up.ownCredential
	p, err := preview.New(preview.Options{
		Gateway: options, Credential: up.credential, UpstreamName: up.label, UpstreamURL: up.url,
		PageOrigin: originOf(listeners[0].Addr(), ""), SandboxOrigin: originOf(listeners[1].Addr(), "localhost"),
	})
	if err != nil {
		closeAll(listeners)
		return nil, fmt.Errorf("preview page: %w", err)
	}
	return &pages{
		preview: p, page: newServer(p.Page(), log), sandbox: newServer(p.Sandbox(), log),
		listeners: listeners, config: c, log: log,
	}, nil
}

// originOf is what a browser calls the origin at an address. loopback stands in place of a loopback address, unless it
// is "": to a browser localhost is another site than 127.0.0.1, and gets a process of its own.
func originOf(a net.Addr, loopback string) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() && loopback != "" {
		host = loopback
	}
	if port == "80" {
		return "http://" + strings.TrimSuffix(net.JoinHostPort(host, ""), ":")
	}
	return "http://" + net.JoinHostPort(host, port)
}

// run serves until ctx is done, and then until the requests in flight have ended or the deadline has passed.
func (p *pages) run(ctx context.Context) error {
	defer p.preview.Close(ctx)
	ended := make(chan error, len(p.listeners))
	servers := []*http.Server{p.page, p.sandbox}
	p.page.RegisterOnShutdown(p.preview.Quit)
	var serving sync.WaitGroup
	defer serving.Wait()
	for i, l := range p.listeners {
		server := servers[min(i, 1)]
		serving.Go(func() { ended <- server.Serve(l) })
	}
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.config.Listen.DrainTimeout)
		defer cancel()
		for _, server := range servers {
			if server.Shutdown(limited) != nil {
				p.log.Warn("requests of the preview page cut off", slog.String("reason", "the drain deadline passed"))
			}
		}
	}
	for _, server := range servers {
		_ = server.Close()
	}
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the preview page: %w", err)
	}
	return nil
}

// start runs the pages beside something else. wait returns once they have ended.
func (p *pages) start(ctx context.Context) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := p.run(ctx); err != nil {
			p.log.Error("the preview page is not served any more", slog.Any("err", err))
		}
	}()
	return func() { <-done }
}

// invitation is what stands first in what a command prints.
func (p *pages) invitation() string {
	text := fmt.Sprintf("\nOpen this page to see it work:\n\n    %s\n\n", p.preview.URL())
	if !isLoopbackAddress(p.listeners[0].Addr().String()) {
		text += "Other machines can reach it: whoever has this URL can call tools.\n\n"
	}
	return text
}

// madeUpCredential is a key for an upstream that takes any. It is random, so that nobody takes it for a word.
func madeUpCredential() string {
	var random [12]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand
	return "demo-" + hex.EncodeToString(random[:])
}
