package faults

import (
	"context"
	"encoding/binary"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
	"tomtom-mcp-gateway/proxy"
)

// movingName is a name server that knows one address for every name.
type movingName struct{ address atomic.Pointer[netip.Addr] }

// resolver asks it and nobody else.
func (m *movingName) resolver(tb testing.TB) *net.Resolver {
	tb.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = server.Close() })
	go func() {
		query := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(m.answer(query[:n]), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// answer answers a question for an A record with the address, and others with nothing (RFC 1035 section 4.1).
func (m *movingName) answer(query []byte) []byte {
	const header, kindA, classIN = 12, 1, 1
	end := header
	for end < len(query) && query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 1 + 4 // the root, the type, the class
	if end > len(query) {
		return nil
	}
	reply := append([]byte(nil), query[:end]...)
	copy(reply[2:header], []byte{0x84, 0, 0, 1, 0, 0, 0, 0, 0, 0}) // the answer of who knows, to one question
	if binary.BigEndian.Uint16(query[end-4:]) != kindA {
		return reply
	}
	reply[7] = 1
	reply = append(reply, 0xc0, header, 0, kindA, 0, classIN, 0, 0, 0, 0, 0, 4) // the question's name, for 0 seconds
	return append(reply, m.address.Load().AsSlice()...)
}

// TestNameOfTheUpstreamMoves: a name that leads to another address does so from the next call on, whether the server at
// the old one is still there or not. The gateway runs in this process, for which alone a name can be made to move.
func TestNameOfTheUpstreamMoves(t *testing.T) {
	name := &movingName{}
	before := net.DefaultResolver
	net.DefaultResolver = name.resolver(t)
	t.Cleanup(func() { net.DefaultResolver = before })

	first, port := serveAt(t, "127.0.0.1:0")
	second, _ := serveAt(t, "127.0.0.2:"+port)
	to := func(address string) {
		a := netip.MustParseAddr(address)
		name.address.Store(&a)
	}
	to("127.0.0.1")
	target := &url.URL{Scheme: "http", Host: "upstream.test:" + port, Path: "/mcp"}
	gateway, err := proxy.New(proxy.Options{Upstream: target, Logger: slog.New(slog.DiscardHandler), Widget: proxy.Resource{
		URI: "ui://tomtom-mcp-gateway/map-0.html", MIMEType: "text/html;profile=mcp-app", HTML: []byte("<html>"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer gateway.Close()
	front := httptest.NewServer(gateway)
	defer front.Close()
	host := testkit.Client{URL: front.URL + "/mcp"}
	call := func(want *testkit.Recorder) {
		t.Helper()
		first.Forget()
		second.Forget()
		if r := host.Call(t, callTool, `{"show_ui":true}`); r.OnlyText(t) != wanted || r.Status(t) != "inline" {
			t.Errorf("%s", r.Raw)
		}
		if n := want.Calls(callTool); n != 1 || first.Calls(callTool)+second.Calls(callTool) != 1 {
			t.Errorf("%d calls at the right address, %d and %d in all", n, first.Calls(callTool), second.Calls(callTool))
		}
	}
	call(first.Recorder)
	to("127.0.0.2")
	call(second.Recorder)
	first.server.CloseClientConnections()
	first.server.Close()
	call(second.Recorder)
	if a := host.Post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(a.Text(), callTool) {
		t.Errorf("%d %s", a.Status, a.Text())
	}
}

// placed is an upstream at an address of its own.
type placed struct {
	*testkit.Recorder
	server *httptest.Server
}

func serveAt(t *testing.T, address string) (p placed, port string) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("no second address of this machine: %v", err)
	}
	p.Recorder = testkit.Record(testkit.NewScript().Tool(callTool, testkit.Event(testkit.TextResult(served))).Tool(redeemTool, testkit.Event(testkit.TextResult(data))))
	p.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: p.Recorder}} //nolint:gosec // loopback, for a test
	p.server.Start()
	t.Cleanup(p.server.Close)
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return p, port
}
