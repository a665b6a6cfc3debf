package attacks

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestOriginsAndHosts: pages of origins that are not listed, and names that are not the gateway's, get nothing
// (DNS rebinding). What looks like a listed one is not.
func TestOriginsAndHosts(t *testing.T) {
	start(t, "GATEWAY_ALLOWED_ORIGINS=https://claude.ai", "GATEWAY_ALLOWED_HOSTS=gateway.example,upstream.test").all(t, originsAndHosts())
}

func originsAndHosts() (all []attack) {
	refused := want{status: 403, code: -32000}
	passes := want{status: 200, says: `{"x":1.50}`, reaches: 1}
	for _, origin := range []string{
		"https://evil.test", "null", "https://claude.ai.evil.test", "https://evilclaude.ai", "https://claude.ai:444", "http://claude.ai", "https://claude.ai@evil.test",
		"https://evil.test#https://claude.ai", "https://evil.test/https://claude.ai", "https://claude.ai/../x", "https://claude.ai, https://evil.test", "https://claude.ai https://evil.test",
		"https://cl\u0430ude.ai", "https://xn--clude-4ve.ai", "*", "http://localhost.evil.test", "http://127.0.0.1.evil.test", "http://127.0.0.1@evil.test", "http://2130706433", "http://0.0.0.0",
		"file://", "chrome-extension://abc", "//localhost", "localhost", "http:localhost",
	} {
		all = append(all, attack{"origin " + origin, testkit.RawPost("/mcp", ping, "Origin: "+origin), refused})
	}
	post := func(host string, more ...string) string {
		return head(append([]string{"POST /mcp HTTP/1.1", "Host: " + host, "Content-Type: application/json", "Accept: application/json, text/event-stream", fmt.Sprintf("Content-Length: %d", len(ping))}, more...)...) + ping
	}
	for _, host := range []string{
		"evil.test", "gateway.example.evil.test", "evilgateway.example", "gateway.example@evil.test", "169.254.169.254", "127.0.0.1.evil.test", "localhost.evil.test", "2130706433",
		"g\u0430teway.example", "",
	} {
		w := refused
		if strings.ContainsAny(host, "@\u0430") {
			w = want{status: 400, closes: true} // no name at all
		}
		all = append(all, attack{"host " + host, post(host), w})
	}
	for _, host := range []string{"gateway.example", "GATEWAY.EXAMPLE:8080", "gateway.example.", "localhost:8080", "127.0.0.1", "[::1]:8080"} {
		all = append(all, attack{"allowed host " + host, post(host), passes})
	}
	return append(all,
		attack{"an allowed origin and another", testkit.RawPost("/mcp", ping, "Origin: https://claude.ai", "Origin: https://evil.test"), refused},
		attack{"an empty origin and another", testkit.RawPost("/mcp", ping, "Origin: ", "Origin: https://evil.test"), refused},
		attack{"another origin's preflight", head("OPTIONS /mcp HTTP/1.1", "Host: gateway.example", "Origin: https://evil.test", "Access-Control-Request-Method: POST"), want{status: 403, code: -32000, hides: "Access-Control-Allow-Origin"}},
		attack{"another origin's stream", head("GET /mcp HTTP/1.1", "Host: gateway.example", "Accept: text/event-stream", "Origin: https://evil.test"), refused},
		attack{"another origin at another path", head("GET /health HTTP/1.1", "Host: gateway.example", "Origin: https://evil.test"), refused},
		attack{"a forwarded host", post("gateway.example", "X-Forwarded-Host: evil.test", "Forwarded: host=evil.test"), passes},
		attack{"a host hidden behind a forwarded one", post("evil.test", "X-Forwarded-Host: gateway.example"), refused},
	)
}

// forged is a session id in the form of the gateway's own, with a checksum that is right.
func forged(apps, upstream string) string {
	body := apps + ".bm9uY2U.ZXZpbA.MQ.MjAyNS0xMS0yNQ." + upstream
	return fmt.Sprintf("tmg1.%08x.%s", crc32.ChecksumIEEE([]byte(body)), body)
}

// TestSessions: a session id says what a client claims of itself. Forged, cut short or of another it opens nothing: what
// comes of it is what the same caller gets by asking the upstream.
func TestSessions(t *testing.T) { start(t).all(t, sessions()) }

func sessions() (all []attack) {
	for name, c := range map[string]struct{ id, arrives string }{
		"a checksum that is wrong":          {"tmg1.00000000.y.bm9uY2U.ZXZpbA.MQ.MQ.theirs", "tmg1.00000000.y.bm9uY2U.ZXZpbA.MQ.MQ.theirs"},
		"cut short":                         {forged("y", "theirs")[:30], forged("y", "theirs")[:30]},
		"the prefix alone":                  {"tmg1.", "tmg1."},
		"too long for one of the gateway's": {forged("y", long(1100)), forged("y", long(1100))},
		"50,000 characters":                 {long(50_000), long(50_000)},
		"no such claim":                     {forged("z", "theirs"), forged("z", "theirs")},
		"another's, wrapped":                {forged("y", "theirs"), "theirs"},
		"another's, wrapped twice":          {forged("y", forged("y", "theirs")), forged("y", "theirs")},
		"a path":                            {"../../theirs", "../../theirs"},
		"outside of ASCII":                  {"th\xe9irs", "th\xe9irs"},
		"nothing in it":                     {forged("y", ""), ""},
	} {
		all = append(all, attack{name, testkit.RawPost("/mcp", ping, "Mcp-Session-Id: "+c.id), want{status: 200, says: `{"x":1.50}`, reaches: 1, arrives: func(t *testing.T, e testkit.Exchange) {
			t.Helper()
			if got := e.Header.Get("Mcp-Session-Id"); got != c.arrives || e.Header.Get("Tomtom-Api-Key") != testkit.Key {
				t.Errorf("session %q arrived with %v", got, e.Header["Tomtom-Api-Key"])
			}
		}}})
	}
	return append(all,
		attack{"70,000 characters", testkit.RawPost("/mcp", ping, "Mcp-Session-Id: "+long(70_000)), want{status: 431, closes: true}},
		attack{"the end of a session that was never opened", head("DELETE /mcp HTTP/1.1", "Host: g", "Mcp-Session-Id: "+forged("y", "")), want{status: 405, code: -32000}},
		attack{"the end of another's session", head("DELETE /mcp HTTP/1.1", "Host: g", "Mcp-Session-Id: theirs"), want{status: 404, reaches: 1}},
		attack{"a refused tool in another's session", testkit.RawPost("/mcp", testkit.CallMessage("1", "tomtom-get-viz-data", `{}`), "Mcp-Session-Id: theirs"), want{status: 200, code: -32602}},
	)
}

// TestCredentials: nobody calls with another's, and what the gateway answers itself asks for one.
func TestCredentials(t *testing.T) { start(t).all(t, credentials()) }

func credentials() []attack {
	const report = `{"tool":"tomtom-routing","outcome":"drawn","source":"inline"}`
	bare := func(body string, lines ...string) string {
		return head(append([]string{"POST /mcp HTTP/1.1", "Host: g", "Content-Type: application/json", "Accept: application/json, text/event-stream", fmt.Sprintf("Content-Length: %d", len(body))}, lines...)...) + body
	}
	own := func(tool, arguments string) string { return testkit.CallMessage("1", tool, arguments) }
	nobodys := want{status: 200, reaches: 1, arrives: without("Tomtom-Api-Key", "Authorization", "Cookie")}
	refused := want{status: 401, code: -32001}
	return []attack{
		{"none, behind others' requests", bare(ping), nobodys},
		{"none, with a call", bare(own("other", `{}`)), nobodys},
		{"one that belongs to the connection", testkit.RawPost("/mcp", ping, "Connection: keep-alive, Tomtom-Api-Key"), nobodys},
		{"one for a proxy", bare(ping, "Proxy-Authorization: Basic eDp5", "Proxy-Connection: keep-alive"), want{status: 200, reaches: 1, arrives: without("Proxy-Authorization", "Proxy-Connection")}},
		{"the length named by the connection", testkit.RawPost("/mcp", ping, "Connection: Content-Length, Host, Transfer-Encoding"), want{status: 200, reaches: 1, arrives: sameBody(ping)}},
		{"none, for a report", bare(own("tomtom-report-app-status", report)), refused},
		{"an empty one, for a report", bare(own("tomtom-report-app-status", report), "Tomtom-Api-Key:   "), refused},
		{"another empty one, for a report", bare(own("tomtom-report-app-status", report), "Authorization: "), refused},
		{"a cookie, for a report", bare(own("tomtom-report-app-status", report), "Cookie: tomtom-api-key=x"), refused},
		{"none, for app data", bare(own("tomtom-get-app-data", `{"geojson":{}}`)), refused},
		{"none, for a refused tool", bare(own("tomtom-get-viz-data", `{}`)), want{status: 200, code: -32602}},
	}
}

// TestHeaderFloods: many and large headers are refused; those that pass arrive.
func TestHeaderFloods(t *testing.T) { start(t).all(t, headerFloods()) }

func headerFloods() []attack {
	lines := func(n int, line string) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = strings.ReplaceAll(line, "N", fmt.Sprint(i))
		}
		return all
	}
	post := func(lines ...string) string { return testkit.RawPost("/mcp", ping, lines...) }
	tooMany := want{status: 431, code: -32600}
	tooLarge := want{status: 431, closes: true}
	passes := want{status: 200, says: `{"x":1.50}`, reaches: 1}
	return []attack{
		{"100 headers", post(lines(100, "X-N: y")...), passes},
		{"200 headers", post(lines(200, "X-N: y")...), tooMany},
		{"200 times one header", post(lines(200, "X-A: y")...), tooMany},
		{"200 sessions", post(lines(200, "Mcp-Session-Id: N")...), tooMany},
		{"20,000 headers", post(lines(20_000, "X-N: y")...), tooLarge},
		{"a value of 60,000 characters", post("X-A: " + long(60_000)), passes},
		{"a value of 100,000 characters", post("X-A: " + long(100_000)), tooLarge},
		{"a name of 100,000 characters", post(long(100_000) + ": x"), tooLarge},
		{"100 headers of 1,000 characters", post(lines(100, "X-N: "+long(1000))...), tooLarge},
		{"10,000 codings", post("Accept-Encoding: " + strings.Repeat("gzip;q=0.001,", 4_000)), passes},
		{"10,000 media types", post("Accept: " + strings.Repeat("a/b,", 10_000)), passes},
		{"10,000 names of the connection", post("Connection: " + strings.Repeat("x-a,", 10_000)), passes},
		{"a charset behind 5,000 parameters", testkit.RawPost("/mcp", ping, "Content-Type: application/json"+strings.Repeat(";a=b", 5_000)+";charset=utf-7"), want{status: 415, code: -32600}},
	}
}
