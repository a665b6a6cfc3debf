package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestLeaseOverTLS: one HTTP/1.1 connection for call and redemption, though the upstream offers HTTP/2.
func TestLeaseOverTLS(t *testing.T) {
	up := &fakeUpstream{answer: tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc})}
	up.Server = httptest.NewUnstartedServer(up)
	up.EnableHTTP2 = true
	up.StartTLS()
	t.Cleanup(up.Close)
	g := newGateway(t, up.URL)
	roots := x509.NewCertPool()
	roots.AddCert(up.Certificate())
	for _, transport := range []*http.Transport{g.upstream.shared, g.upstream.dialer} {
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	if _, doc := parseResult(t, g.call(t, "tomtom-routing", `{}`)); string(doc) != routeDoc {
		t.Error("no app data")
	}
	g.post(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	in := up.requests()
	if len(in) != 3 || in[0].remote != in[1].remote {
		t.Fatalf("%d requests", len(in))
	}
	for _, r := range in {
		if r.r.ProtoMajor != 1 {
			t.Errorf("%s over %s", r.body, r.r.Proto)
		}
	}
}

// TestLeasesAreClosed: no connection of a call stays open, and no two calls share one.
func TestLeasesAreClosed(t *testing.T) {
	closed := make(chan string, 100)
	up := &fakeUpstream{answer: tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc})}
	up.Server = httptest.NewUnstartedServer(up)
	up.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- c.RemoteAddr().String()
		}
	}
	up.Start()
	t.Cleanup(up.Close)
	g := newGateway(t, up.URL)
	const calls = 5
	for range calls {
		g.call(t, "tomtom-routing", `{}`)
	}
	used := map[string]bool{}
	for _, in := range up.requests() {
		used[in.remote] = true
	}
	if len(used) != calls {
		t.Errorf("%d connections for %d calls", len(used), calls)
	}
	for range calls {
		remote := <-closed
		if !used[remote] {
			t.Errorf("%s closed twice, or never used", remote)
		}
		delete(used, remote)
	}
}

// TestOtherTrafficSharesConnections, one request after the other.
func TestOtherTrafficSharesConnections(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.method == http.MethodPost {
			answerEvent(w, in, `{}`)
		}
	})
	g := newGateway(t, up.URL)
	for range 3 {
		g.post(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		g.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		g.do(t, http.MethodGet, "/health", nil, nil)
	}
	used := map[string]bool{}
	for _, in := range up.requests() {
		used[in.remote] = true
	}
	if len(used) != 1 {
		t.Errorf("%d connections", len(used))
	}
}
