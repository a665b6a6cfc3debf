package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// listen opens a TCP listener. setting is what the operator would change to get another address.
func listen(ctx context.Context, address, setting string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("listen on %s: the port is taken; end what uses it, or set %s to another address: %w", address, setting, err)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("listen on %s: ports below 1024 need a privilege; set %s to a higher one: %w", address, setting, err)
	case err != nil:
		return nil, fmt.Errorf("listen on %s, from %s: %w", address, setting, err)
	}
	return l, nil
}

// address is one that a command listens on.
type address struct{ flag, want string }

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
