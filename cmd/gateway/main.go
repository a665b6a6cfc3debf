// Command gateway puts the map data of a TomTom MCP server into each tool result, small enough for the host, so that any
// replica serves any widget. This package wires the rooms together: commands, signals, listeners and exit codes. What
// the gateway does with a message is in proxy.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version is what the build says it is; make build sets it. Without it, buildVersion asks the Go toolchain.
var version string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the default is back: a second one ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Environ(), streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
