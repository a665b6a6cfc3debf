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
