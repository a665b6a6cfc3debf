package testkit

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Balancer joins each connection that it accepts with the next of its members in turn, as a TCP load balancer does. A
// member that refuses is passed over.
type Balancer struct {
	// Address is its own.
	Address string

	mu      sync.Mutex
	members []string // "" for one that is out
	next    int
}

// StartBalancer listens on loopback, until the test ends, with the given addresses as members. It returns its own.
func StartBalancer(tb testing.TB, addresses ...string) string {
	tb.Helper()
	return NewBalancer(tb, addresses...).Address
}

// NewBalancer is StartBalancer for members that change.
func NewBalancer(tb testing.TB, addresses ...string) *Balancer {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	b := &Balancer{Address: l.Addr().String(), members: addresses}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go b.join(client)
		}
	}()
	return b
}

// Set replaces a member, counted from 0. "" takes it out; connections that it has stay.
func (b *Balancer) Set(member int, address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members[member] = address
}

// turn returns the members, beginning with the one whose turn it is.
func (b *Balancer) turn() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.next % len(b.members)
	b.next++
	return append(append([]string{}, b.members[at:]...), b.members[:at]...)
}

func (b *Balancer) join(client net.Conn) {
	defer func() { _ = client.Close() }()
	for _, address := range b.turn() {
		if address == "" {
			continue
		}
		server, err := net.Dial("tcp", address)
		if err == nil {
			join(client, server)
			return
		}
	}
}

// join passes on what either end sends until both have ended. It closes server.
func join(client, server net.Conn) {
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
