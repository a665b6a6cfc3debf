package wire

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

const handleText = `{"features":[],"_meta":{"show_ui":true,"viz_id":"8aebc4ba-6dcd-4516-a2d3-5cb9c3823503"}}`

// routing is a script with a routing call and its redemption.
func routing(text, data string) *testkit.Script {
	return testkit.NewScript().
		Tool("tomtom-routing", testkit.Event(testkit.TextResult(text))).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(data)))
}

const routeData = `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[4.1234567,52.1],[4.2,52.2000]]},"properties":{"sections":{"leg":[{"startPointIndex":0,"endPointIndex":1}]}}}]}`

// TestRequestHeadersReachTheUpstream: everything end to end arrives, on the call and on its redemption, and what
// belongs to the connection does not.
func TestRequestHeadersReachTheUpstream(t *testing.T) {
	p := start(t, routing(handleText, routeData))
	header := []string{
		"User-Agent: claude-user/1.0 (x; y)", "Authorization: Bearer abc.def", "tomtom-maps-backend: tomtom-orbis-maps",
		"MCP-Protocol-Version: 2025-06-18", "X-Request-Id: r-1", "X-Two: a", "X-Two: b", "Traceparent: 00-1-2-01",
		"Accept-Language: nl, en;q=0.5", "Cookie: a=b", "Idempotency-Key: once", "X-Idempotency-Key: once",
		"Connection: keep-alive, X-Hop", "X-Hop: 1", "Keep-Alive: timeout=9", "TE: trailers", "Proxy-Authorization: Basic x",
		"Proxy-Connection: keep-alive", "Upgrade: h2c",
	}
	for name, message := range map[string]string{
		"tool with a policy": testkit.CallMessage("1", "tomtom-routing", `{}`),
		"unknown method":     `{"jsonrpc":"2.0","id":1,"method":"x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			p.up.Forget()
			testkit.SendRaw(t, p.Address, testkit.RawPost("/mcp", message, header...))
			seen := p.up.Exchanges()
			if want := map[string]int{"unknown method": 1}[name]; want != 0 && len(seen) != want || want == 0 && len(seen) != 2 {
				t.Fatalf("%d requests arrived", len(seen))
			}
			for i, e := range seen {
				for _, line := range []string{
					"User-Agent: claude-user/1.0 (x; y)", "Authorization: Bearer abc.def", "Tomtom-Maps-Backend: tomtom-orbis-maps",
					"Mcp-Protocol-Version: 2025-06-18", "X-Request-Id: r-1", "Tomtom-Api-Key: " + testkit.Key, "Cookie: a=b",
					"Traceparent: 00-1-2-01", "Accept-Language: nl, en;q=0.5",
				} {
					name, value, _ := strings.Cut(line, ": ")
					if got := e.Header.Get(name); got != value {
						t.Errorf("request %d: %s arrived as %q, want %q", i, name, got, value)
					}
				}
				if got := e.Header.Values("X-Two"); len(got) != 2 || got[0] != "a" || got[1] != "b" {
					t.Errorf("request %d: X-Two arrived as %q", i, got)
				}
				for _, name := range []string{"X-Hop", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Upgrade"} {
					if got, ok := e.Header[name]; ok {
						t.Errorf("request %d: %s arrived: %q", i, name, got)
					}
				}
			}
			if got := seen[0].Header.Get("Idempotency-Key"); got != "once" {
				t.Errorf("Idempotency-Key arrived as %q", got)
			}
		})
	}
}

// TestNoUserAgentIsInvented: a host without one has none upstream either.
func TestNoUserAgentIsInvented(t *testing.T) {
	p := start(t, routing(handleText, routeData))
	testkit.SendRaw(t, p.Address, testkit.RawPost("/mcp", testkit.CallMessage("1", "tomtom-routing", `{}`)))
	for i, e := range p.up.Exchanges() {
		if got, ok := e.Header["User-Agent"]; ok {
			t.Errorf("request %d: %q", i, got)
		}
	}
}

// TestOwnedAnswersAreAskedUncompressed: the gateway edits bytes, so it asks for bytes; where it edits nothing the host's
// wish passes, and the compressed answer with it.
func TestOwnedAnswersAreAskedUncompressed(t *testing.T) {
	script := routing(handleText, routeData)
	p := start(t, script)
	ask := func(message string) []testkit.Exchange {
		p.up.Forget()
		testkit.SendRaw(t, p.Address, testkit.RawPost("/mcp", message, "Accept-Encoding: gzip, br"))
		return p.up.Exchanges()
	}
	owned := map[string]string{
		"tools/call":     testkit.CallMessage("1", "tomtom-routing", `{}`),
		"tools/list":     `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"resources/list": `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
		"initialize":     `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
	}
	for name, message := range owned {
		t.Run(name, func(t *testing.T) {
			seen := ask(message)
			if len(seen) == 0 {
				t.Fatal("nothing arrived")
			}
			for i, e := range seen {
				if got := e.Header.Get("Accept-Encoding"); got != "identity" {
					t.Errorf("request %d: Accept-Encoding %q, want identity", i, got)
				}
			}
		})
	}
	t.Run("unowned compressed answer", func(t *testing.T) {
		body := gzipped(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		script.On("x", testkit.Plain(200, "application/json", string(body), "Content-Encoding", "gzip"))
		p.same(t, testkit.RawPost("/mcp", `{"jsonrpc":"2.0","id":1,"method":"x"}`, "Accept-Encoding: gzip"))
	})
	t.Run("owned answer compressed against the request", func(t *testing.T) {
		body := gzipped(`{"jsonrpc":"2.0","id":1,"result":` + testkit.TextResult(`{"a":1,"_meta":{"show_ui":false}}`) + `}`)
		script.Tool("tomtom-routing", testkit.Plain(200, "application/json", string(body), "Content-Encoding", "gzip"))
		answer := testkit.SendRaw(t, p.Address, testkit.RawPost("/mcp", testkit.CallMessage("1", "tomtom-routing", `{}`), "Accept-Encoding: gzip"))
		text := answer.Body
		if answer.Value("Content-Encoding") == "gzip" {
			text = gunzipped(t, text)
		}
		if !bytes.Contains(text, []byte(`\"a\":1`)) {
			t.Errorf("the agent's text is lost: %q", text)
		}
	})
}

// TestCompressedRequestGets415: the gateway reads requests and refuses what it would have to unpack.
func TestCompressedRequestGets415(t *testing.T) {
	p := start(t, testkit.NewScript())
	for _, coding := range []string{"gzip", "br", "deflate", "zstd"} {
		a := testkit.SendRaw(t, p.Address, testkit.RawPost("/mcp", "xxxx", "Content-Encoding: "+coding))
		if !strings.Contains(a.StatusLine, " 415 ") {
			t.Errorf("%s: %s", coding, a.StatusLine)
		}
	}
	if n := len(p.up.Exchanges()); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
	a := testkit.SendRaw(t, p.Address, testkit.RawPost("/mcp", `{"jsonrpc":"2.0","id":1,"method":"x"}`, "Content-Encoding: identity"))
	if !strings.Contains(a.StatusLine, " 200 ") {
		t.Errorf("identity: %s", a.StatusLine)
	}
}

// TestLargeRequestGets413: before anything reaches the upstream, with and without a content-length.
func TestLargeRequestGets413(t *testing.T) {
	p := start(t, testkit.NewScript(), "GATEWAY_MAX_REQUEST_BYTES=1000")
	fits := `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"`
	fits += strings.Repeat("a", 1000-len(fits)-3) + `"}}`
	if a := p.client().Post(t, fits); len(fits) != 1000 || a.Status != http.StatusOK {
		t.Errorf("%d bytes got %d", len(fits), a.Status)
	}
	p.up.Forget()
	if a := p.client().Post(t, fits+" "); a.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("1001 bytes got %d", a.Status)
	}
	head := "POST /mcp HTTP/1.1\r\nHost: u\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	a := testkit.SendRaw(t, p.Address, head+"3e9\r\n"+fits+" \r\n0\r\n\r\n")
	if !strings.Contains(a.StatusLine, " 413 ") {
		t.Errorf("1001 bytes in chunks got %s", a.StatusLine)
	}
	if n := len(p.up.Exchanges()); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
}

// TestDefaultRequestLimitIs16MiB: one byte decides.
func TestDefaultRequestLimitIs16MiB(t *testing.T) {
	p := start(t, testkit.NewScript())
	head := `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"`
	fits := head + strings.Repeat("a", 16<<20-len(head)-3) + `"}}`
	if a := p.client().Post(t, fits); a.Status != http.StatusOK {
		t.Errorf("%d bytes got %d", len(fits), a.Status)
	}
	if a := p.client().Post(t, fits+" "); a.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d bytes got %d", len(fits)+1, a.Status)
	}
}

// TestCompressionTowardsTheHost: only for a host that asks, and the same bytes after decoding.
func TestCompressionTowardsTheHost(t *testing.T) {
	text := `{"a":"` + strings.Repeat("the agent's answer ", 2000) + `","_meta":{"show_ui":false}}`
	p := start(t, routing(text, routeData))
	call := testkit.CallMessage("1", "tomtom-routing", `{}`)
	plain := testkit.SendRaw(t, p.Address, testkit.RawPost("/mcp", call))
	if got := plain.Value("Content-Encoding"); got != "" {
		t.Fatalf("not asked for, got %q", got)
	}
	zipped := testkit.SendRaw(t, p.Address, testkit.RawPost("/mcp", call, "Accept-Encoding: gzip"))
	if got := zipped.Value("Content-Encoding"); got != "gzip" {
		t.Fatalf("Content-Encoding %q", got)
	}
	if !strings.Contains(strings.ToLower(strings.Join(zipped.Values("Vary"), ",")), "accept-encoding") {
		t.Errorf("Vary %q", zipped.Values("Vary"))
	}
	testkit.SameBytes(t, "body", gunzipped(t, zipped.Body), plain.Body)
	refused := testkit.SendRaw(t, p.Address, testkit.RawPost("/mcp", call, "Accept-Encoding: gzip;q=0, identity"))
	if got := refused.Value("Content-Encoding"); got != "" {
		t.Errorf("gzip;q=0 got %q", got)
	}
}

// TestSessionIDsPass: one that the gateway did not mint passes both ways.
func TestSessionIDsPass(t *testing.T) {
	script := routing(`{"a":1,"_meta":{"show_ui":false}}`, routeData)
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Mcp-Session-Id", "upstream's own/+=")
		script.ServeHTTP(w, r)
	})
	up := testkit.StartUpstream(t, inner)
	g := testkit.StartGateway(t, up.URL)
	up.Forget()
	for name, message := range map[string]string{
		"unknown method": `{"jsonrpc":"2.0","id":1,"method":"x"}`,
		"tools/list":     `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"tools/call":     testkit.CallMessage("1", "tomtom-routing", `{}`),
	} {
		up.Forget()
		a := testkit.SendRaw(t, g.Address, testkit.RawPost("/mcp", message, "Mcp-Session-Id: not-the-gateways_1.2"))
		if got := a.Value("Mcp-Session-Id"); got != "upstream's own/+=" {
			t.Errorf("%s: host got session %q", name, got)
		}
		for _, e := range up.Exchanges() {
			if got := e.Header.Get("Mcp-Session-Id"); got != "not-the-gateways_1.2" {
				t.Errorf("%s: upstream got session %q", name, got)
			}
		}
	}
}

// TestUpstreamSessionSurvivesTheGateways: the id that initialize gave leads back to the upstream's own.
func TestUpstreamSessionSurvivesTheGateways(t *testing.T) {
	script := testkit.NewScript()
	up := testkit.StartUpstream(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Mcp-Session-Id", "sess-42")
		script.ServeHTTP(w, r)
	}))
	g := testkit.StartGateway(t, up.URL)
	a := testkit.Client{URL: g.URL}.Post(t, initialize("2025-06-18", `{}`))
	id := a.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("initialize gave no session")
	}
	up.Forget()
	client := testkit.Client{URL: g.URL, Header: http.Header{"Mcp-Session-Id": {id}}}
	client.Post(t, `{"jsonrpc":"2.0","id":1,"method":"x"}`)
	client.Do(t, http.MethodDelete, "", nil)
	if len(up.Exchanges()) != 2 {
		t.Fatalf("%d requests arrived", len(up.Exchanges()))
	}
	for _, e := range up.Exchanges() {
		if got := e.Header.Get("Mcp-Session-Id"); got != "sess-42" {
			t.Errorf("%s arrived with session %q, want the upstream's own", e.Method, got)
		}
	}
}

func initialize(version, capabilities string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` +
		capabilities + `,"clientInfo":{"name":"e2e-host","version":"1.2"}}}`
}

func gzipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.Bytes()
}

func gunzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
