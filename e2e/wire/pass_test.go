package wire

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestRequestsPassByteForByte holds every kind of message that the gateway does not own against what arrives.
func TestRequestsPassByteForByte(t *testing.T) {
	p := start(t, testkit.NewScript())
	messages := map[string]string{
		"unknown method":        `{"jsonrpc":"2.0","id":1,"method":"foo/bar","params":{"b":1,"a":[]}}`,
		"notification":          `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x","reason":"Ünï ☃ <&>"}}`,
		"response of a client":  `{"jsonrpc":"2.0","id":"s-1","result":{"roots":[]}}`,
		"error of a client":     `{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"no"}}`,
		"string id":             `{"jsonrpc":"2.0","id":"a\"b\u00e9","method":"x"}`,
		"null id":               `{"jsonrpc":"2.0","id":null,"method":"x"}`,
		"large id":              `{"jsonrpc":"2.0","id":12345678901234567890,"method":"x"}`,
		"fraction id":           `{"jsonrpc":"2.0","id":1.50,"method":"x"}`,
		"object id":             `{"jsonrpc":"2.0","id":{"k":[1]},"method":"x"}`,
		"boolean id":            `{"jsonrpc":"2.0","id":true,"method":"x"}`,
		"number spelling":       `{"jsonrpc":"2.0","id":1e0,"method":"x","params":{"a":0.1000,"b":1E+2,"c":-0,"d":12345678901234567890,"e":1e400}}`,
		"escapes":               `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\u003c\/\ud83d\ude00\ud800 \u0000"}}`,
		"duplicate keys":        `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1,"a":2},"params":{"a":3}}`,
		"unknown members":       `{"x":1,"jsonrpc":"2.0","id":1,"method":"x","zzz":{"y":null}}`,
		"white space":           " \t\r\n{ \"jsonrpc\" : \"2.0\" ,\n\t\"id\" : 1 , \"method\" : \"x\" } \n",
		"key order":             `{"method":"x","params":{},"id":1,"jsonrpc":"2.0"}`,
		"tool without a policy": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{"n":0.10,"m":1e2}}}`,
		"call without a name":   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`,
		"name of a wrong type":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`,
		"ping":                  `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"prompts":               `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"tomtom-routing"}}`,
		"completion":            `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`,
		"logging":               `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`,
		"discover":              `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`,
		"other resource":        `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a%20b"}}`,
		"batch": `[{"jsonrpc":"2.0","id":1,"method":"x"}, {"jsonrpc":"2.0","method":"notifications/initialized"},` +
			"\n" + `{"jsonrpc":"2.0","id":"2","method":"y","params":{"v":1.0}}]`,
		"empty batch":         `[]`,
		"malformed JSON":      `{"jsonrpc":"2.0","id":1,"method":`,
		"no JSON":             `hello`,
		"JSON but no message": `"text"`,
		"empty body":          ``,
		"invalid UTF-8":       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\xff\xfe\"}}",
		"deep nesting":        `{"jsonrpc":"2.0","id":1,"method":"x","params":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`,
	}
	for name, message := range messages {
		t.Run(name, func(t *testing.T) { p.same(t, testkit.RawPost("/mcp", message)) })
	}
	t.Run("chunked", func(t *testing.T) {
		head := "POST /mcp HTTP/1.1\r\nHost: u\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
			"Tomtom-Api-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n"
		p.same(t, head+"9\r\n{\"jsonrpc\r\n1b\r\n\":\"2.0\",\"id\":1,\"method\":\"x\"\r\n1\r\n}\r\n0\r\n\r\n")
	})
}

// TestAnswersPassByteForByte holds answers that the gateway has nothing to change in against what the host gets.
func TestAnswersPassByteForByte(t *testing.T) {
	const stream = "text/event-stream"
	answers := map[string]testkit.Reply{
		"events with comments, id and retry": testkit.Plain(200, stream,
			": welcome\n\nid: 41\nretry: 1500\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":0.10}}\n\n"+
				": still there\n:\nevent: other\ndata: no JSON\n\nid\ndata: {\"jsonrpc\":\"2.0\", \"id\":1,\ndata:  \"result\":{\"z\":1.0,\"a\":1e2}}\n\n"),
		"CRLF lines":          testkit.Plain(200, stream, "event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n\r\n"),
		"CR lines":            testkit.Plain(200, stream, "event: message\rdata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\r"),
		"byte order mark":     testkit.Plain(200, stream, "\ufeffdata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"),
		"unfinished event":    testkit.Plain(200, stream, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"),
		"request to the host": testkit.Plain(200, stream, "data: {\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"sampling/createMessage\",\"params\":{\"x\":1.00}}\n\n"),
		"JSON":                testkit.Plain(200, "application/json", "{ \"id\":1, \"jsonrpc\":\"2.0\",\"result\":{\"n\":12345678901234567890,\"s\":\"\\u003c\\/\"} }\n"),
		"JSON batch":          testkit.Plain(200, "application/json", `[{"id":1,"jsonrpc":"2.0","result":{}},{"id":2,"jsonrpc":"2.0","error":{"code":-1,"message":"x"}}]`),
		"input required":      testkit.Event(`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}},"requestState":"s"}`),
		"accepted":            testkit.Plain(202, "", ""),
		"no content type":     testkit.Plain(200, "", "bytes \x00\xff"),
		"401":                 testkit.Plain(401, "application/json", `{"jsonrpc":"2.0","error":{"code":-32001,"message":"key"},"id":255}`, "WWW-Authenticate", `Bearer resource_metadata="https://a.test/.well-known/oauth-protected-resource/mcp", scope="a b"`),
		"403":                 testkit.Plain(403, "application/json", `{}`, "WWW-Authenticate", `Bearer error="insufficient_scope"`),
		"404 of a session":    testkit.Plain(404, "application/json", `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}`),
		"406":                 testkit.Plain(406, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable"},"id":null}`),
		"413 HTML":            testkit.Plain(413, "text/html; charset=utf-8", "<!DOCTYPE html>\n<pre>PayloadTooLargeError</pre>\n"),
		"429":                 testkit.Plain(429, "text/plain", "slow down", "Retry-After", "17"),
		"500 HTML":            testkit.Plain(500, "text/html", "<html>Internal &amp; broken</html>"),
		"503":                 testkit.Plain(503, "text/plain", "", "Retry-After", "Fri, 31 Dec 2027 23:59:59 GMT"),
		"redirect":            testkit.Plain(307, "text/plain", "there", "Location", "https://a.test/mcp"),
		"own headers":         testkit.Plain(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`, "Tomtom-Upstream-Metadata", "eyJh", "X-Powered-By", "Express", "ETag", `W/"89"`, "Cache-Control", "no-cache"),
	}
	script := testkit.NewScript()
	p := start(t, script)
	methods := map[string]string{
		"unknown method": "x/y", "tool without a policy": "tools/call",
	}
	for name, reply := range answers {
		for way, method := range methods {
			t.Run(way+"/"+name, func(t *testing.T) {
				script.On("x/y", reply).Tool("other", reply)
				p.same(t, testkit.RawPost("/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":"other","arguments":{}}}`, method)))
			})
		}
	}
}

// ownedRequests are one of each method whose result the gateway edits.
var ownedRequests = map[string]string{
	"tools/call":     testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true}`),
	"tools/list":     `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	"resources/list": `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
	"initialize":     `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
}

// TestOwnedMessagesGetAResponse: a success without a response would leave the host waiting. It gets an error that says so.
func TestOwnedMessagesGetAResponse(t *testing.T) {
	script := testkit.NewScript()
	p := start(t, script)
	for name, reply := range map[string]testkit.Reply{
		"200 HTML":     testkit.Plain(200, "text/html", "<html>login</html>"),
		"202":          testkit.Plain(202, "", ""),
		"no stream":    testkit.Plain(200, "text/event-stream", ""),
		"broken event": testkit.Plain(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\n\n"),
		"broken JSON":  testkit.Plain(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":`),
	} {
		for method, request := range ownedRequests {
			t.Run(method+"/"+name, func(t *testing.T) {
				script.On(method, reply).Tool("tomtom-routing", reply)
				a := p.client().Post(t, request)
				if !strings.Contains(a.Text(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The MCP server's answer holds no response to this request"}}`) {
					t.Errorf("%d %s", a.Status, a.Text())
				}
			})
		}
	}
}

// TestFailuresOfOwnedMessagesPass: what is no result passes also for the methods that the gateway edits.
func TestFailuresOfOwnedMessagesPass(t *testing.T) {
	script := testkit.NewScript()
	p := start(t, script)
	answers := map[string]testkit.Reply{
		"JSON-RPC error": testkit.EventError(-32602, "Ünknown <tool>"),
		"401":            testkit.Plain(401, "application/json", `{"jsonrpc":"2.0","error":{"code":-32001,"message":"key"},"id":255}`, "WWW-Authenticate", `Bearer x="y"`),
		"413 HTML":       testkit.Plain(413, "text/html; charset=utf-8", "<pre>PayloadTooLargeError</pre>"),
		"429":            testkit.Plain(429, "text/plain", "slow down", "Retry-After", "17"),
		"500 HTML":       testkit.Plain(500, "text/html", "<html>broken</html>"),
	}
	for method, request := range ownedRequests {
		for name, reply := range answers {
			t.Run(method+"/"+name, func(t *testing.T) {
				script.On(method, reply).Tool("tomtom-routing", reply)
				direct, through := p.both(t, testkit.RawPost("/mcp", request))
				if method == "initialize" { // the header is written before the answer is known
					through = through.Without("Mcp-Session-Id")
				}
				testkit.SameAnswer(t, through, direct)
			})
		}
	}
}

// TestOtherPathsPass: everything else of the upstream's HTTP surface.
func TestOtherPathsPass(t *testing.T) {
	script := testkit.NewScript().Other(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Seen", r.Method+" "+r.RequestURI)
		w.WriteHeader(map[string]int{"/health": 200, "/gone": 410}[r.URL.Path] + map[bool]int{true: 201}[r.URL.Path != "/health" && r.URL.Path != "/gone"])
		if r.Method != http.MethodHead {
			_, _ = fmt.Fprintf(w, `{"path":%q,"n":1.0,"body":%q}`, r.RequestURI, body)
		}
	})
	p := start(t, script)
	for _, path := range []string{
		"/health", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server",
		"/.well-known/openid-configuration?a=1&b=%2f", "/gone", "/a%2Fb/../c?x=%20y;z", "/mcp/sub",
	} {
		t.Run("GET "+path, func(t *testing.T) { p.same(t, "GET "+path+" HTTP/1.1\r\nHost: u\r\nAccept: */*\r\n\r\n") })
	}
	t.Run("HEAD /health", func(t *testing.T) { p.same(t, "HEAD /health HTTP/1.1\r\nHost: u\r\n\r\n") })
	t.Run("POST /token", func(t *testing.T) {
		p.same(t, "POST /token HTTP/1.1\r\nHost: u\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 17\r\n\r\ncode=a%20b&x=y+z&")
	})
	t.Run("PUT /x", func(t *testing.T) { p.same(t, "PUT /x HTTP/1.1\r\nHost: u\r\nContent-Length: 3\r\n\r\nabc") })
	t.Run("DELETE /mcp", func(t *testing.T) {
		p.same(t, "DELETE /mcp HTTP/1.1\r\nHost: u\r\nMcp-Session-Id: theirs\r\n\r\n")
		for _, e := range p.up.Exchanges() {
			if e.Header.Get("Mcp-Session-Id") != "theirs" {
				t.Errorf("session id arrived as %q", e.Header.Get("Mcp-Session-Id"))
			}
		}
	})
	t.Run("GET /mcp", func(t *testing.T) {
		p.same(t, "GET /mcp HTTP/1.1\r\nHost: u\r\nAccept: text/event-stream\r\nLast-Event-ID: 7\r\n\r\n")
	})
}

// TestPathIsTheUpstreams: the endpoint's path is that of GATEWAY_UPSTREAM_URL.
func TestPathIsTheUpstreams(t *testing.T) {
	seen := make(chan string, 1)
	up := testkit.StartUpstream(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case seen <- r.URL.Path:
		default:
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	g := testkit.StartGateway(t, up.Base+"/deep/tomtom")
	for len(seen) > 0 {
		<-seen
	}
	if !strings.HasSuffix(g.URL, "/deep/tomtom") {
		t.Fatal(g.URL)
	}
	testkit.Client{URL: g.URL}.Post(t, `{"jsonrpc":"2.0","method":"notifications/x"}`)
	if got := testkit.Receive(t, "the request", seen); got != "/deep/tomtom" {
		t.Errorf("arrived at %s", got)
	}
}
