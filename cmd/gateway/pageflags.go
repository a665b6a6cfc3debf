package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
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

// listen opens the page's listener and the sandbox's: one, or two. A browser goes to localhost at [::1] or at 127.0.0.1:
// whoever else on the machine had the other one could show a widget of theirs in the page.
func (f *pageFlags) listen(ctx context.Context, inv invocation) ([]net.Listener, error) {
	all, err := listenTo(ctx, inv, f.given, f.addresses())
	if err != nil {
		return nil, err
	}
	for range sandboxTries {
		twin, err := listenTwin(ctx, all[1].Addr())
		if !errors.Is(err, syscall.EADDRINUSE) {
			if twin != nil {
				all = append(all, twin)
			}
			return all, nil
		}
		taken := all[1].Addr().String()
		_ = all[1].Close()
		if f.given("sandbox") && !strings.HasSuffix(f.sandbox, ":0") {
			closeAll(all)
			return nil, fmt.Errorf("listen on %s: another program has this port of localhost; end it, or set -sandbox to another port: %w", taken, err)
		}
		if all[1], err = listen(ctx, "127.0.0.1:0", "-sandbox"); err != nil {
			closeAll(all[:1])
			return nil, err
		}
	}
	closeAll(all)
	return nil, errors.New("no port of localhost is free for the sandbox: set -sandbox to one that is")
}

const sandboxTries = 10

// listenTwin listens at [::1] where a listener has 127.0.0.1. Both are nil where it has another address. The error is not
// EADDRINUSE where the machine has no such address.
func listenTwin(ctx context.Context, a net.Addr) (net.Listener, error) {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.Equal(net.IPv4(127, 0, 0, 1)) {
		return nil, nil //nolint:nilnil // no twin is wanted
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp6", net.JoinHostPort("::1", strconv.Itoa(tcp.Port)))
}
