// Command serve is the hostile server as a program, on a free port of loopback. It prints its MCP endpoint, for
// `gateway preview -upstream`, and ends with its standard input or a signal.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"tomtom-mcp-gateway/e2e/hostile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	packets, err := (&net.ListenConfig{}).ListenPacket(ctx, "udp", l.Addr().String())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	harm := hostile.New()
	go harm.Packets(packets)
	server := &http.Server{Handler: harm, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() {
		_ = server.Close()
		_ = packets.Close()
	})
	fmt.Printf("http://%s/mcp\n", l.Addr())
	_ = server.Serve(l) // until it is closed
}
