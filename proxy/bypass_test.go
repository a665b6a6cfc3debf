package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// exchangeRaw sends bytes to a server as they are and reads one answer.
func exchangeRaw(t testing.TB, address, request string) (status int, header http.Header, body string) {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBody(resp)
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(read)
}

func rawPost(target, body string, header ...string) string {
	lines := append([]string{"POST " + target + " HTTP/1.1", "Host: gateway", "Tomtom-Api-Key: k", fmt.Sprintf("Content-Length: %d", len(body))}, header...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

const refusedTool = "MCP error -32602: Tool tomtom-get-viz-data not found"

// TestNoSpellingOfThePathLeadsAround: whatever a router or a proxy may take for the endpoint is the endpoint here.
func TestNoSpellingOfThePathLeadsAround(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.name == "tomtom-routing" {
			answerEvent(w, in, textResultOf(handleText))
			return
		}
		answerEvent(w, in, textResultOf(routeDoc))
	})
	g := newGateway(t, up.URL)
	address := g.server.Listener.Addr().String()
	for _, target := range []string{
		"/mcp", "/mcp/", "/mcp//", "//mcp", "/MCP", "/Mcp/", "/%6dcp", "/mcp%2F", "/./mcp", "/mcp/.", "/x/../mcp", "/%2e%2e/mcp",
		"/mcp?x=/y",
		"/mcp;v=1", "/x;/..;/mcp", `/x\..\mcp`, "/x%5c..%5cmcp", "/%256dcp", "/mcp%252f", "/mcp%20", "/mcp%00.html", "/mcp%0d%0a",
	} {
		t.Run(target, func(t *testing.T) {
			before := len(up.requests())
			if _, _, body := exchangeRaw(t, address, rawPost(target, callOf("1", "tomtom-get-viz-data", `{"viz_id":"a-b"}`))); !strings.Contains(body, refusedTool) {
				t.Errorf("answer %s", body)
			}
			if n := len(up.requests()) - before; n != 0 {
				t.Errorf("%d requests went upstream", n)
			}
			if _, _, body := exchangeRaw(t, address, rawPost(target, callOf("1", "tomtom-routing", `{}`))); strings.Contains(body, "a-b") || !strings.Contains(body, statusInline) {
				t.Errorf("answer %s", body)
			}
			if in := up.requests()[before]; in.host != up.Listener.Addr().String() {
				t.Errorf("went to %s", in.host)
			}
		})
	}
	for _, target := range []string{"/mcpx", "/mcp/x", "/x/mcp", "/", "/.well-known/mcp"} {
		before := len(up.requests())
		exchangeRaw(t, address, rawPost(target, callOf("1", "tomtom-get-viz-data", `{}`)))
		if in := up.requests()[before:]; len(in) != 1 || in[0].uri != target {
			t.Errorf("%s: %d requests", target, len(in))
		}
	}
}

// TestNoEncodingOfTheBodyLeadsAround: what the TomTom server's framework reads as JSON is read here, or refused.
func TestNoEncodingOfTheBodyLeadsAround(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL)
	call := callOf("1", "tomtom-get-viz-data", `{"viz_id":"a-b"}`)
	var utf16LE []byte
	for _, unit := range utf16.Encode([]rune(call)) {
		utf16LE = append(utf16LE, byte(unit), byte(unit>>8))
	}
	deep := func(levels int) string {
		return strings.Replace(call, `"a-b"`, `"a-b","pad":`+strings.Repeat("[", levels)+strings.Repeat("]", levels), 1)
	}
	const plain = "application/json"
	tests := []struct {
		name, contentType, body string
		status                  int
	}{
		{"UTF-8", plain, call, http.StatusOK},
		{"charset UTF-8", plain + `; Charset="UTF-8"`, call, http.StatusOK},
		{"ASCII", plain + ";charset=us-ascii", call, http.StatusOK},
		{"no type", "", call, http.StatusOK},
		{"byte order mark", plain, "\xef\xbb\xbf" + call, http.StatusOK},
		{"not UTF-8 within a string", plain, strings.Replace(call, "a-b", "\xff", 1), http.StatusOK},
		{"escapes in the names", plain, strings.Replace(strings.Replace(call, `"method"`, `"\u006dethod"`, 1), "tomtom-get", `tomtom\u002dget`, 1), http.StatusOK},
		{"members that come twice", plain, strings.Replace(call, `"name":`, `"name":"tomtom-geocode","name":`, 1), http.StatusOK},
		{"UTF-16", plain + "; charset=utf-16le", string(utf16LE), http.StatusUnsupportedMediaType},
		{"UTF-16 in other letters", plain + "; CHARSET=UTF-16", string(utf16LE), http.StatusUnsupportedMediaType},
		{"UTF-7", plain + "; charset=utf-7", strings.Replace(call, "viz-data", "viz+AC0-data", 1), http.StatusUnsupportedMediaType},
		{"two charsets", plain + "; charset=utf-7; charset=utf-8", call, http.StatusUnsupportedMediaType},
		{"unreadable parameters", plain + `; charset="utf-7`, call, http.StatusUnsupportedMediaType},
		{"as deep as can be read", plain, deep(jsonspan.MaxDepth - 3), http.StatusOK},
		{"deeper", plain, deep(jsonspan.MaxDepth), http.StatusBadRequest},
		{"a million levels", plain, strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000), http.StatusBadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := g.post(t, tt.body, "Content-Type", tt.contentType)
			if got.status != tt.status || len(up.requests()) != 0 {
				t.Errorf("status %d, %d requests upstream: %.200s", got.status, len(up.requests()), got.body)
			}
			if tt.status == http.StatusOK && !bytes.Contains(got.body, []byte(refusedTool)) {
				t.Errorf("answer %.200s", got.body)
			}
		})
	}
}

// TestByteOrderMarkStays in what is passed on, and is no obstacle in what is owned.
func TestByteOrderMarkStays(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		in.message.id = jsonspan.Span{}
		w.Header().Set("Content-Type", "text/event-stream")
		result := textResultOf(handleText)
		if bytes.Contains(in.body, []byte("tomtom-get-viz-data")) {
			result = textResultOf(routeDoc)
		}
		id := "1"
		if _, after, ok := bytes.Cut(in.body, []byte(`"id":"`)); ok {
			before, _, _ := bytes.Cut(after, []byte(`"`))
			id = `"` + string(before) + `"`
		}
		_, _ = io.WriteString(w, eventOf(id, result))
	})
	g := newGateway(t, up.URL)
	for _, body := range []string{"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "\xef\xbb\xbf" + callOf("1", "tomtom-routing", `{}`)} {
		before := len(up.requests())
		got := g.post(t, body)
		if in := up.requests()[before]; string(in.body) != body {
			t.Errorf("the upstream got %q", in.body)
		}
		if strings.Contains(body, "tomtom-routing") && (bytes.Contains(got.body, []byte("a-b")) || !bytes.Contains(got.body, []byte(statusInline))) {
			t.Errorf("answer %s", got.body)
		}
	}
}

// TestRequestShapes are requests that servers and proxies read differently.
func TestRequestShapes(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL)
	call := callOf("1", "tomtom-routing", `{}`)
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n", len(call), call)
	tests := []struct {
		name, request string
		status, sent  int // sent: requests that go upstream; a call has two
	}{
		{"plain", rawPost("/mcp", call), 200, 2},
		{"chunked, with a trailer", "POST /mcp HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked\r\nTrailer: Tomtom-Api-Key\r\n\r\n" + chunked + "Tomtom-Api-Key: k\r\n\r\n", 200, 2},
		{"a length beside chunks", "POST /mcp HTTP/1.1\r\nHost: g\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + "\r\n", 200, 2},
		{"two lengths", rawPost("/mcp", call, "Content-Length: 4"), 400, 0},
		{"two codings", "POST /mcp HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked, identity\r\n\r\n" + chunked + "\r\n", 501, 0},
		{"a sign in the length", "POST /mcp HTTP/1.1\r\nHost: g\r\nContent-Length: +4\r\n\r\n" + call, 400, 0},
		{"HTTP/1.0", "POST /mcp HTTP/1.0\r\nContent-Length: " + fmt.Sprint(len(call)) + "\r\n\r\n" + call, 200, 2},
		{"a folded header", rawPost("/mcp", call, "X-A: b\r\n c"), 200, 2},
		{"a space before the colon", rawPost("/mcp", call, "Tomtom-Api-Key : k"), 400, 0},
		{"CONNECT", "CONNECT other.example:80 HTTP/1.1\r\nHost: other.example:80\r\n\r\n", 405, 0},
		{"CONNECT to a path", "CONNECT /mcp HTTP/1.1\r\nHost: g\r\n\r\n", 405, 0},
		{"OPTIONS of the server", "OPTIONS * HTTP/1.1\r\nHost: g\r\n\r\n", 200, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := len(up.requests())
			status, _, body := exchangeRaw(t, g.server.Listener.Addr().String(), tt.request)
			in := up.requests()[before:]
			if status != tt.status || len(in) != tt.sent {
				t.Fatalf("status %d, %d requests upstream: %s", status, len(in), body)
			}
			if tt.sent == 2 && (string(in[0].body) != call || in[0].length != int64(len(call)) || !strings.Contains(body, statusInline) || strings.Contains(body, "a-b")) {
				t.Errorf("upstream got %q, host %s", in[0].body, body)
			}
		})
	}
}

// TestExpectationEndsHere: the gateway has told the host to go on, and has the body. An upstream that knows nothing of
// it is not waited for.
func TestExpectationEndsHere(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{}`) })
	g := newGateway(t, up.URL)
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, callOf("1", "tomtom-traffic", `{}`)} {
		if got := g.post(t, body, "Expect", "100-continue"); got.status != http.StatusOK {
			t.Errorf("status %d", got.status)
		}
		requests := up.requests()
		if in := requests[len(requests)-1]; in.header.Get("Expect") != "" || string(in.body) != body {
			t.Errorf("upstream got %v %s", in.header, in.body)
		}
	}
}

// TestKeepAliveAfterARefusal: the next request on a connection is read where it begins.
func TestKeepAliveAfterARefusal(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"n":1}`) })
	g := newGateway(t, up.URL)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, first := range map[string]string{
		"403": rawPost("/mcp", ping, "Origin: https://other.example"), "415": rawPost("/mcp", ping, "Content-Encoding: gzip"),
		"405": "CONNECT /mcp HTTP/1.1\r\nHost: g\r\n\r\n", "400": rawPost("/mcp", strings.Repeat("[", jsonspan.MaxDepth+1)),
	} {
		t.Run(name, func(t *testing.T) {
			c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", g.server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if _, err := io.WriteString(c, first+rawPost("/mcp", ping)); err != nil {
				t.Fatal(err)
			}
			reader := bufio.NewReader(c)
			for _, want := range []string{name, "200"} {
				resp, err := http.ReadResponse(reader, nil)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				closeBody(resp)
				if fmt.Sprint(resp.StatusCode) != want || want == "200" && !bytes.Contains(body, []byte(`"n":1`)) {
					t.Errorf("status %d, want %s: %s", resp.StatusCode, want, body)
				}
			}
		})
	}
}

// TestUpstreamThatSwitchesProtocols gets an error, not a stream without an end.
func TestUpstreamThatSwitchesProtocols(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello")
		t.Cleanup(func() { _ = conn.Close() })
	})
	g := newGateway(t, up.URL)
	for name, request := range map[string]string{
		"GET":           "GET /mcp HTTP/1.1\r\nHost: g\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"a call":        rawPost("/mcp", callOf("1", "tomtom-routing", "{}")),
		"another":       rawPost("/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`),
		"without bytes": "DELETE /mcp HTTP/1.1\r\nHost: g\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			if status, _, body := exchangeRaw(t, g.server.Listener.Addr().String(), request); status != http.StatusBadGateway || !strings.Contains(body, `"error"`) {
				t.Errorf("status %d: %s", status, body)
			}
			requests := up.requests()
			if in := requests[len(requests)-1]; in.header.Get("Upgrade") != "" || in.header.Get("Connection") == "Upgrade" {
				t.Errorf("upstream was asked for it: %v", in.header)
			}
		})
	}
}

// TestAnswersThatAreNoHTTP get an error of the gateway's. No piece of them is in the log, since it could be one of a text.
func TestAnswersThatAreNoHTTP(t *testing.T) {
	for name, answer := range map[string]string{
		"no status line":   "secret text\r\n\r\n",
		"a bad header":     "HTTP/1.1 200 OK\r\nsecret text\r\n\r\n",
		"a bad length":     "HTTP/1.1 200 OK\r\nContent-Length: secret text\r\n\r\n",
		"a bad coding":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: secret text\r\n\r\n",
		"a status below":   "HTTP/1.1 099 secret text\r\nContent-Length: 0\r\n\r\n",
		"too many headers": "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: secret text"+strings.Repeat("x", 1000)+"\r\n", 11_000) + "\r\n",
		"nothing":          "",
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(conn, answer)
				_ = conn.Close()
			})
			g := newGateway(t, up.URL)
			for _, tool := range []string{"tomtom-routing", "other"} {
				got := g.post(t, callOf("1", tool, "{}"))
				if got.status != http.StatusBadGateway || !bytes.Contains(got.body, []byte(`"id":1,"error":{"code":-32603`)) || bytes.Contains(got.body, []byte("secret")) {
					t.Errorf("status %d: %s", got.status, got.body)
				}
				if len(up.calls(tool)) != 1 {
					t.Errorf("%d calls of %s", len(up.calls(tool)), tool)
				}
			}
			if lines := g.logged.calls(t); len(lines) != 1 || lines[0]["status"] != statusFailed {
				t.Errorf("log %v", lines)
			}
			if strings.Contains(g.logged.String(), "secret") {
				t.Errorf("log %.500s", g.logged)
			}
		})
	}
}

// TestOneOrigin: a request with several origins comes from no page that could be allowed.
func TestOneOrigin(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{}`) })
	g := newGateway(t, up.URL)
	for _, tt := range []struct {
		origins []string
		status  int
	}{
		{[]string{"http://localhost:3000"}, 200},
		{[]string{""}, 200},
		{[]string{"http://localhost", "https://other.example"}, 403},
		{[]string{"", "https://other.example"}, 403},
		{[]string{"http://localhost, https://other.example"}, 403},
		{[]string{"http://localhost.other.example"}, 403},
		{[]string{"http://127.0.0.1:1@other.example"}, 403},
		{[]string{"http://127.0.0.1.other.example"}, 403},
		{[]string{"null"}, 403},
		{[]string{"file://localhost"}, 403},
		{[]string{"http://localhost/x"}, 403},
		{[]string{"http://other.example#localhost"}, 403},
		{[]string{"http://0.0.0.0"}, 403},
	} {
		header := mcpHeader()
		header["Origin"] = tt.origins
		if got := g.do(t, http.MethodPost, "/mcp", header, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); got.status != tt.status {
			t.Errorf("%q: status %d, want %d", tt.origins, got.status, tt.status)
		}
	}
}

// TestHostsCannotForgeLogLines: what a client calls itself and what it calls stay values, of bounded length.
func TestHostsCannotForgeLogLines(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL)
	forged := "x\n{\"msg\":\"tool call\",\"status\":\"forged\"}\r\x1b[2J" + strings.Repeat("ü", 1<<20)
	name := string(jsonspan.AppendQuoted(nil, []byte(forged)))
	meta := `"_meta":{"io.modelcontextprotocol/clientInfo":{"name":` + name + `,"version":"1"},"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}}`
	g.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{},`+meta+`}}`)
	g.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+name+`,"arguments":{}}}`)
	g.post(t, `{"jsonrpc":"2.0","id":1,"method":`+name+`}`)
	logged := g.logged.String()
	if lines := g.logged.calls(t); len(lines) != 1 || lines[0]["status"] != statusInline {
		t.Errorf("lines %.300v", lines)
	}
	if len(logged) > 4096 || strings.ContainsAny(logged, "\r\x1b") || !utf8.ValidString(logged) {
		t.Errorf("%d bytes: %.500q", len(logged), logged)
	}
}
