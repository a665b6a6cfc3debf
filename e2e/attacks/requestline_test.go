package attacks

import (
	"fmt"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestRequestLines: methods, versions, targets and hosts that no MCP host sends. The gateway is no proxy for whoever asks.
func TestRequestLines(t *testing.T) { start(t).all(t, requestLines()) }

func requestLines() []attack {
	length := fmt.Sprintf("Content-Length: %d", len(ping))
	line := func(first string, lines ...string) string { return head(append([]string{first}, lines...)...) }
	refused := want{status: 400, closes: true}
	notHere := want{status: 400, code: -32600}
	return []attack{
		{"CONNECT to another host", line("CONNECT other.example:443 HTTP/1.1", "Host: other.example:443"), want{status: 405, code: -32600}},
		{"CONNECT to the endpoint", line("CONNECT /mcp HTTP/1.1", "Host: g"), want{status: 405, code: -32600}},
		{"another host as target", line("POST http://other.example/mcp HTTP/1.1", "Host: g", length) + ping, notHere},
		{"this host as target", line("POST http://g/mcp HTTP/1.1", "Host: g", length) + ping, notHere},
		{"a target without a scheme", line("POST g:80 HTTP/1.1", "Host: g", length) + ping, notHere},
		{"a file as target", line("GET file:///etc/passwd HTTP/1.1", "Host: g"), notHere},
		{"the server as target", line("POST * HTTP/1.1", "Host: g", length) + ping, notHere},
		{"OPTIONS of the server", line("OPTIONS * HTTP/1.1", "Host: g"), want{status: 200}},
		{"no target", line("POST HTTP/1.1", "Host: g", length) + ping, refused},
		{"two spaces", line("POST  /mcp HTTP/1.1", "Host: g", length) + ping, refused},
		{"a tab", line("POST\t/mcp HTTP/1.1", "Host: g", length) + ping, refused},
		{"more behind the version", line("POST /mcp HTTP/1.1 X: y", "Host: g", length) + ping, refused},
		{"HTTP/0.9", "GET /mcp\r\n\r\n", refused},
		{"HTTP/2 without agreement", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", want{status: 400, code: -32600, closes: true}},
		{"HTTP/9.9", line("POST /mcp HTTP/9.9", "Host: g", length) + ping, want{status: 505, closes: true}},
		{"HTTP/1.0 that wants to stay", line("POST /mcp HTTP/1.0", "Host: g", "Connection: keep-alive", length) + ping + smuggled, want{status: 200, reaches: 1, closes: true}},
		{"no Host", line("POST /mcp HTTP/1.1", length) + ping, refused},
		{"two Hosts", line("POST /mcp HTTP/1.1", "Host: g", "Host: other.example", length) + ping, refused},
		{"a Host with a path", line("POST /mcp HTTP/1.1", "Host: g/../x", length) + ping, refused},
		{"a Host with a space", line("POST /mcp HTTP/1.1", "Host: g other", length) + ping, refused},
		{"a method that is no word", line("P(ST /mcp HTTP/1.1", "Host: g", length) + ping, refused},
		{"a method in small letters", line("post /mcp HTTP/1.1", "Host: g", length) + ping, want{status: 404, reaches: 1}},
		{"TRACE", line("TRACE /mcp HTTP/1.1", "Host: g", "Tomtom-Api-Key: k"), want{status: 404, reaches: 1, hides: "Tomtom-Api-Key"}},
		{"HEAD", line("HEAD /mcp HTTP/1.1", "Host: g"), want{status: 404, reaches: 1}},
		{"PUT", line("PUT /mcp HTTP/1.1", "Host: g", length) + ping, want{status: 404, reaches: 1}},
		{"an upgrade to a WebSocket", line("GET /mcp HTTP/1.1", "Host: g", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA=="), want{status: 404, reaches: 1, arrives: without("Upgrade", "Connection")}},
		{"an upgrade to HTTP/2", testkit.RawPost("/mcp", ping, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"), want{status: 200, reaches: 1, arrives: without("Upgrade", "Http2-Settings")}},
		{"an expectation of nobody's", testkit.RawPost("/mcp", ping, "Expect: the-impossible"), want{status: 417, closes: true}},
	}
}

// without fails the test where a header arrives.
func without(names ...string) func(*testing.T, testkit.Exchange) {
	return func(t *testing.T, e testkit.Exchange) {
		t.Helper()
		for _, name := range names {
			if got, ok := e.Header[name]; ok {
				t.Errorf("%s arrived as %q", name, got)
			}
		}
	}
}

// TestPipelining: requests in one piece are answered one by one, in their order, each with its own.
func TestPipelining(t *testing.T) {
	s := start(t)
	conn, r := s.dial(t)
	var all strings.Builder
	for i := range 50 {
		all.WriteString(testkit.RawPost("/mcp", strings.Replace(ping, `"id":1`, fmt.Sprintf(`"id":"n%d"`, i), 1)))
	}
	if _, err := conn.Write([]byte(all.String())); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		a, err := read(r, "POST")
		if err != nil || !strings.Contains(a.Text(), fmt.Sprintf(`"id":"n%d"`, i)) {
			t.Fatalf("answer %d: %v %s", i, err, a.Text())
		}
	}
	honestly(t, conn, r)
}

// TestHeldBackBody: a host that is asked to go on before it sends its body is asked once, and only for what is not refused.
func TestHeldBackBody(t *testing.T) {
	s := start(t, "GATEWAY_MAX_REQUEST_BYTES=1000")
	for name, c := range map[string]struct{ length, want string }{"small": {fmt.Sprint(len(ping)), "HTTP/1.1 100"}, "too large": {"1001", "HTTP/1.1 413"}} {
		t.Run(name, func(t *testing.T) {
			conn, r := s.dial(t)
			if _, err := conn.Write([]byte(head("POST /mcp HTTP/1.1", "Host: g", "Accept: application/json, text/event-stream", "Expect: 100-continue", "Content-Length: "+c.length))); err != nil {
				t.Fatal(err)
			}
			line, err := r.ReadString('\n')
			if err != nil || !strings.HasPrefix(line, c.want) {
				t.Fatalf("%q, %v", line, err)
			}
			if name != "small" {
				return
			}
			if _, err := r.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			_, _ = conn.Write([]byte(ping))
			if a, err := read(r, "POST"); err != nil || a.Status != 200 {
				t.Errorf("%v %d", err, a.Status)
			}
			honestly(t, conn, r)
		})
	}
}
