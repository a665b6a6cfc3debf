package proxy

import (
	"net"

	"github.com/prometheus/client_golang/prometheus"
)

// countedConn counts the bytes that go over a connection.
type countedConn struct {
	net.Conn
	received, sent prometheus.Counter
}

// Read implements net.Conn.
func (c countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.Add(float64(n))
	return n, err
}

// Write implements net.Conn.
func (c countedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.sent.Add(float64(n))
	return n, err
}

// Counted returns l with the bytes on its connections counted as those of hosts. Below TLS, they are what is on the wire.
func (g *Gateway) Counted(l net.Listener) net.Listener {
	bytes := g.metrics.hostBytes
	return countedListener{l, bytes.WithLabelValues("received"), bytes.WithLabelValues("sent")}
}

type countedListener struct {
	net.Listener
	received, sent prometheus.Counter
}

// Accept implements net.Listener.
func (l countedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countedConn{conn, l.received, l.sent}, nil
}
