package testkit

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// StartBalancer listens on loopback and joins each accepted connection with the next of the addresses in turn, as a TCP
// load balancer does. It returns its own address.
func StartBalancer(tb testing.TB, addresses ...string) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	var n atomic.Uint64
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go join(client, addresses[(n.Add(1)-1)%uint64(len(addresses))])
		}
	}()
	return l.Addr().String()
}

func join(client net.Conn, address string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	var both sync.WaitGroup
	pipe := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		_ = to.(*net.TCPConn).CloseWrite()
	}
	both.Go(func() { pipe(server, client) })
	both.Go(func() { pipe(client, server) })
	both.Wait()
}
