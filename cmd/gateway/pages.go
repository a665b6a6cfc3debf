package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview"
	"tomtom-mcp-gateway/config"
)

// pageFlags are the flags of commands that serve the preview page.
type pageFlags struct {
	page, sandbox string
	remote        bool
	given         func(flagName string) bool // whether a flag stands on the command line
}

func (f *pageFlags) bind(flags *flag.FlagSet) {
	flags.StringVar(&f.page, "page", "127.0.0.1:8090", "`address` of the preview page")
	flags.StringVar(&f.sandbox, "sandbox", "127.0.0.1:8091", "`address` of the page's second origin, where widgets run")
	flags.BoolVar(&f.remote, "remote", false, "let -page and -sandbox be addresses that other machines reach: whoever has the printed URL can call tools")
	f.given = givenOn(flags)
}

// givenOn tells whether a flag stands on the command line.
func givenOn(flags *flag.FlagSet) func(name string) bool {
	return func(name string) bool {
		found := false
		flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
		return found
	}
}

// address is one that a command listens on.
type address struct{ flag, want string }

func (f *pageFlags) addresses() []address {
	return []address{{"page", f.page}, {"sandbox", f.sandbox}}
}

// check refuses addresses of the page that would open it to others without being asked to.
func (f *pageFlags) check(command string) error {
	for _, a := range f.addresses() {
		host, _, err := net.SplitHostPort(a.want)
		ip, notIP := netip.ParseAddr(host)
		switch {
		case err != nil || host == "" || notIP == nil && ip.IsUnspecified():
			return &usageError{command: command, reason: fmt.Sprintf(
				"-%s %s: name the one address that a browser will ask for, such as 127.0.0.1:8090", a.flag, a.want)}
		case !isLoopbackAddress(a.want) && !f.remote:
			return &usageError{command: command, reason: fmt.Sprintf(
				"-%s %s: other machines may reach it. Whoever has the printed URL can call tools; if that is wanted, add -remote", a.flag, a.want)}
		}
	}
	return nil
}

// listenTo opens a listener for each address, or none. One that is taken and was not asked for by flag is replaced by a
// free one.
func listenTo(ctx context.Context, inv invocation, given func(string) bool, addresses []address) (all []net.Listener, err error) {
	defer func() {
		if err != nil {
			closeAll(all)
		}
	}()
	for _, a := range addresses {
		l, err := listen(ctx, a.want, "-"+a.flag)
		if errors.Is(err, syscall.EADDRINUSE) && !given(a.flag) {
			host, _, _ := net.SplitHostPort(a.want)
			if l, err = listen(ctx, net.JoinHostPort(host, "0"), "-"+a.flag); err == nil {
				_, _ = fmt.Fprintf(inv.err, "gateway: %s is taken, so -%s is %s\n", a.want, a.flag, l.Addr())
			}
		}
		if err != nil {
			return all, err
		}
		all = append(all, l)
	}
	return all, nil
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		_ = l.Close()
	}
}

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

// newPages builds the preview in front of up. Its listeners are the page's and the sandbox's, which it closes.
func newPages(c config.Config, log *slog.Logger, up pageBehind, listeners []net.Listener) (*pages, error) {
	options, err := proxyOptions(c, log, nil, up.behind)
	if err != nil {
		closeAll(listeners)
		return nil, err
	}
	options.OwnCredential = up.ownCredential
	p, err := preview.New(preview.Options{
		Gateway: options, Credential: up.credential, UpstreamName: up.label, UpstreamURL: up.url,
		PageOrigin: originOf(listeners[0], ""), SandboxOrigin: originOf(listeners[1], "localhost"),
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

// originOf is what a browser calls the origin of a listener. loopback stands in place of a loopback address, unless it
// is "": to a browser localhost is another site than 127.0.0.1, and gets a process of its own.
func originOf(l net.Listener, loopback string) string {
	host, port, _ := net.SplitHostPort(l.Addr().String())
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
	ended := make(chan error, 2)
	servers := []*http.Server{p.page, p.sandbox}
	var serving sync.WaitGroup
	defer serving.Wait()
	for i, server := range servers {
		server.RegisterOnShutdown(p.preview.Quit)
		serving.Go(func() { ended <- server.Serve(p.listeners[i]) })
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
	return fmt.Sprintf("\nOpen this page to see it work:\n\n    %s\n\n", p.preview.URL())
}

// madeUpCredential is a key for an upstream that takes any. It is random, so that nobody takes it for a word.
func madeUpCredential() string {
	var random [12]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand
	return "demo-" + hex.EncodeToString(random[:])
}
