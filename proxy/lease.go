package proxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// dialTimeout bounds a new connection to the upstream, TLS included.
	dialTimeout = 10 * time.Second
	// sharedIdleTimeout is well under the 5 s after which a Node upstream closes an idle connection, so that a
	// request hardly ever meets a connection that is just being closed.
	sharedIdleTimeout = 2 * time.Second
	// maxUpstreamHeader bounds the head of an answer: an upstream's, and what is between it and here adds.
	maxUpstreamHeader = 256 << 10
)

// upstream is the server behind the gateway: its address and the two ways to talk to it. Neither ever repeats a
// request that may have been received.
type upstream struct {
	url *url.URL
	// shared keeps a pool of connections, for everything but calls of tools with a policy.
	shared *http.Transport
	// dialer makes the single connections of leases. Go's Transport repeats a POST on a reused connection when the
	// request has an Idempotency-Key and a GetBody; a connection of its own, without GetBody, cannot.
	dialer  *http.Transport
	metrics *metrics
	// own stands in place of both where it is not nil: a way that always leads to the process that a session belongs to.
	own http.RoundTripper
}

func newUpstream(o Options, m *metrics) *upstream {
	up := &upstream{url: o.Upstream, shared: newTransport(o.UpstreamTLS, m), dialer: newTransport(o.UpstreamTLS, m), own: o.Transport, metrics: m}
	// What comes over a shared connection is passed on as it is read: in few large pieces. A lease lives for one call,
	// whose answer is read into a large buffer past the connection's own.
	up.shared.ReadBufferSize = relayBuffer
	return up
}

// RoundTrip sends r over a connection that others use too, or have used.
func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	if u.own != nil {
		return u.own.RoundTrip(r)
	}
	resp, err := u.shared.RoundTrip(r)
	u.metrics.connection(err)
	return resp, err
}

// newTransport speaks HTTP/1.1 alone: there a response occupies its connection, so that a lease is one request
// after the other on one TCP connection, which any load balancer keeps with one pod.
func newTransport(trust *tls.Config, m *metrics) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}
	received, sent := m.upstreamBytes.WithLabelValues("received"), m.upstreamBytes.WithLabelValues("sent")
	return &http.Transport{
		Protocols: protocols,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return countedConn{conn, received, sent}, nil
		},
		TLSClientConfig:        trust,
		TLSHandshakeTimeout:    dialTimeout,
		DisableCompression:     true, // what the host asked for is what the upstream is asked for
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        sharedIdleTimeout,
		MaxResponseHeaderBytes: maxUpstreamHeader,
	}
}

func (u *upstream) close() { u.shared.CloseIdleConnections() }

// lease is one connection to the upstream that belongs to one request of a host: a tool call and the redemption that
// follows it travel over the same TCP connection, and so reach the same process.
type lease struct {
	conn    connection
	metrics *metrics
}

// connection carries one request after the other to one process of the upstream.
type connection interface {
	http.RoundTripper
	// Available is how many requests the connection can take now.
	Available() int
	Close() error
}

// steady is a connection over upstream.own, which knows by itself where a request belongs and outlives the lease.
type steady struct{ http.RoundTripper }

// Available is 1: whether the process still lives the next request will tell.
func (steady) Available() int { return 1 }

// Close leaves the transport to its owner.
func (steady) Close() error { return nil }

// dial opens a fresh connection. The caller closes the lease.
func (u *upstream) dial(ctx context.Context) (*lease, error) {
	if u.own != nil {
		return &lease{steady{u.own}, u.metrics}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	port := u.url.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.url.Scheme]
	}
	conn, err := u.dialer.NewClientConn(ctx, u.url.Scheme, net.JoinHostPort(u.url.Hostname(), port))
	if err != nil {
		u.metrics.connection(cause(ctx, err))
		return nil, fmt.Errorf("dial: %w", err)
	}
	return &lease{conn, u.metrics}, nil
}

// RoundTrip sends r on the lease's connection, once. It waits until the answer before has been read to its end.
func (l *lease) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.conn.RoundTrip(r)
	l.metrics.connection(err)
	return finalAnswer(resp, err)
}

// usable reports whether the connection can carry one more request now.
func (l *lease) usable() bool { return l.conn.Available() > 0 }

// close ends the connection, and with it whatever is still on its way.
func (l *lease) close() { _ = l.conn.Close() } // nothing is lost with it that anyone waits for
