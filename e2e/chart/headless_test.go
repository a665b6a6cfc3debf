package chart_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

// TestHeadlessService puts the image in front of a name with the addresses of two servers, as a headless Service has it: calls spread
// over both, and each is redeemed where it was made, or its map would be missing.
func TestHeadlessService(t *testing.T) {
	t.Parallel()
	image := hostImage(t)
	root := image.root(t)
	const calls = 40
	addresses := [][4]byte{{127, 0, 0, 2}, {127, 0, 0, 3}}
	port := freePort(t)
	served := make([]atomic.Int32, len(addresses))
	for i, address := range addresses {
		servePod(t, net.IP(address[:]).String()+":"+port, uint64(i), &served[i])
	}
	serveNames(t, "127.0.0.77:53", addresses)
	if err := os.WriteFile(filepath.Join(root, "etc/resolv.conf"), []byte("nameserver 127.0.0.77\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	address, admin := "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t)
	gateway := startChroot(t, root, []string{
		"GATEWAY_UPSTREAM_URL=http://tomtom-mcp.maps.svc.cluster.local:" + port + "/mcp",
		"GATEWAY_LISTEN=" + address, "GATEWAY_ADMIN_LISTEN=" + admin,
	})
	gateway.awaitReady(t, admin)
	for range calls {
		r := testkit.Client{URL: "http://" + address + "/mcp"}.Call(t, "tomtom-routing", `{"locations":[[4.8952,52.3702],[4.4777,51.9244]],"show_ui":true}`)
		if status := r.Status(t); status != "inline" && status != "fitted" {
			t.Fatalf("status %q\n%s", status, gateway.logText())
		}
	}
	one, other := served[0].Load(), served[1].Load()
	if one+other != calls || one == 0 || other == 0 {
		t.Errorf("the servers had %d and %d calls of %d", one, other, calls)
	}
}

// servePod serves one server with a memory of its own, and counts the calls of its tool.
func servePod(tb testing.TB, address string, seed uint64, calls *atomic.Int32) {
	tb.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	pod := upstream.New(upstream.Options{Seed: seed})
	server := &http.Server{Handler: countCalls(pod, calls), ReadHeaderTimeout: testkit.Patience}
	go func() { _ = server.Serve(l) }()
	tb.Cleanup(func() { _ = server.Close() })
}

// serveNames answers questions for names at a UDP address: every name has the addresses, each time another one first, as cluster DNS
// gives them.
func serveNames(tb testing.TB, listen string, addresses [][4]byte) {
	tb.Helper()
	socket, err := net.ListenPacket("udp", listen)
	if err != nil {
		tb.Skipf("no place for a name server: %v", err)
	}
	tb.Cleanup(func() { _ = socket.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for turn := 0; ; turn++ {
			n, from, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			var question dnsmessage.Message
			if question.Unpack(buffer[:n]) != nil || len(question.Questions) != 1 {
				continue
			}
			if answer, err := namesAnswer(question, addresses, turn).Pack(); err == nil {
				_, _ = socket.WriteTo(answer, from)
			}
		}
	}()
}

func namesAnswer(question dnsmessage.Message, addresses [][4]byte, turn int) *dnsmessage.Message {
	asked := question.Questions[0]
	answer := &dnsmessage.Message{
		Header:    dnsmessage.Header{ID: question.ID, Response: true, Authoritative: true, RecursionAvailable: true},
		Questions: question.Questions,
	}
	if asked.Type != dnsmessage.TypeA || !strings.HasSuffix(asked.Name.String(), ".svc.cluster.local.") {
		return answer
	}
	for i := range addresses {
		answer.Answers = append(answer.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: asked.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET, TTL: 5},
			Body:   &dnsmessage.AResource{A: addresses[(turn+i)%len(addresses)]},
		})
	}
	return answer
}

// countCalls counts the requests that call the tool, and passes all on.
func countCalls(next http.Handler, calls *atomic.Int32) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if bytes.Contains(body, []byte(`"tomtom-routing"`)) {
			calls.Add(1)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
