package attacks

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestRedirects: the gateway follows no redirect, so that no credential goes where the upstream points. The host gets it
// as it is; what the gateway asks for itself counts as not answered.
func TestRedirects(t *testing.T) {
	var trapped atomic.Int64
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { trapped.Add(1) }))
	defer trap.Close()
	s := start(t)
	requests := map[string]struct{ method, path, body string }{
		"a call": {"POST", "/mcp", testkit.CallMessage("1", "tomtom-routing", `{}`)}, "a call of another tool": {"POST", "/mcp", testkit.CallMessage("1", "other", `{}`)},
		"a list": {"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}, "another message": {"POST", "/mcp", ping},
		"a stream": {"GET", "/mcp", ""}, "another path": {"GET", "/.well-known/oauth-protected-resource", ""},
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		redirect := testkit.Plain(status, "text/plain", "there", "Location", trap.URL+"/mcp")
		s.script.Tool("tomtom-routing", redirect).Tool("other", redirect).On("tools/list", redirect).On("x", redirect).
			Other(func(w http.ResponseWriter, r *http.Request) { redirect(w, r, testkit.Message{}) })
		for name, r := range requests {
			t.Run(fmt.Sprintf("%s/%d", name, status), func(t *testing.T) {
				a := testkit.Client{URL: s.Gateway.URL[:len(s.Gateway.URL)-len("/mcp")] + r.path}.Do(t, r.method, r.body, nil)
				if a.Status != status || a.Header.Get("Location") != trap.URL+"/mcp" {
					t.Errorf("%d to %q", a.Status, a.Header.Get("Location"))
				}
			})
		}
		t.Run(fmt.Sprintf("a redemption/%d", status), func(t *testing.T) {
			s.endure(t, hostile{redeem: redirect, status: "unavailable"})
		})
	}
	if n := trapped.Load(); n != 0 {
		t.Errorf("%d requests went where the upstream pointed", n)
	}
}

// TestHeadersOfAnswers: what an upstream puts beside its answer goes to the caller that it is for, and no further; what
// belongs to a connection ends with it.
func TestHeadersOfAnswers(t *testing.T) {
	s := start(t)
	hostileHeaders := []string{
		"Set-Cookie", "session=victims; Path=/", "Access-Control-Allow-Origin", "*", "Access-Control-Allow-Credentials", "true", "Connection", "X-Hop, Keep-Alive",
		"X-Hop", "1", "Keep-Alive", "timeout=99999", "Proxy-Authenticate", "Basic", "Proxy-Connection", "keep-alive", "Upgrade", "h2c", "Trailer", "X-Later", "X-Kept", "1",
	}
	for name, message := range map[string]string{"owned": testkit.CallMessage("1", "tomtom-routing", `{}`), "not owned": ping} {
		t.Run(name, func(t *testing.T) {
			body := `{"jsonrpc":"2.0","id":1,"result":` + testkit.TextResult(`{"a":1.50,`+handle+`}`) + `}`
			if name == "not owned" {
				body = `{"jsonrpc":"2.0","id":1,"result":{}}`
			}
			reply := testkit.Plain(200, "application/json", body, hostileHeaders...)
			s.script.Tool("tomtom-routing", reply).On("x", reply)
			a := testkit.Client{URL: s.URL}.Post(t, message)
			if a.Status != 200 || a.Header.Get("Set-Cookie") == "" || a.Header.Get("X-Kept") != "1" {
				t.Errorf("%d %v", a.Status, a.Header)
			}
			for _, header := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "X-Hop", "Keep-Alive", "Proxy-Authenticate", "Proxy-Connection", "Upgrade"} {
				if got := a.Header.Get(header); got != "" {
					t.Errorf("%s: %s reached the host", header, got)
				}
			}
			s.behaves()
			s.up.Forget()
			conn, r := s.dial(t)
			honestly(t, conn, r)
			testkit.Client{URL: s.URL}.Post(t, ping)
			for _, e := range s.up.Exchanges() {
				if e.Header.Get("Cookie") != "" {
					t.Error("the cookie came back with another request")
				}
			}
		})
	}
}

// raw answers with bytes, and closes the connection.
func raw(answer string) testkit.Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ testkit.Message) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, answer)
		_ = conn.Close()
	}
}

// TestAnswersOfNoHTTP: bytes that two readers could take for different answers become one answer, or an error of the
// gateway's own.
func TestAnswersOfNoHTTP(t *testing.T) {
	s := start(t)
	body := `{"jsonrpc":"2.0","id":1,"result":` + testkit.TextResult(`{"a":1.50,`+handle+`}`) + `}`
	answer := func(lines ...string) string {
		return head(append([]string{"HTTP/1.1 200 OK", "Content-Type: application/json"}, lines...)...) + body
	}
	length := fmt.Sprintf("Content-Length: %d", len(body))
	failed := want{status: 502, code: -32603}
	passes := want{status: 200, says: `"com.tomtom/app-data-status":"inline"`}
	for name, c := range map[string]struct {
		answer string
		want   want
	}{
		"a CR inside of a header":        {answer(length, "X-A: b\rSet-Cookie: c"), failed},
		"a NUL inside of a header":       {answer(length, "X-A: b\x00c"), failed},
		"a folded header":                {answer(length, "X-A: b\r\n Set-Cookie: c"), passes},
		"a line without a colon":         {answer(length, "garbage"), failed},
		"a space before the colon":       {answer("Content-Length : 3", length), want{status: 200, says: "inline", hides: "Content-Length "}},
		"a length with a sign":           {answer(fmt.Sprintf("Content-Length: +%d", len(body))), failed},
		"a negative length":              {answer("Content-Length: -1"), failed},
		"two lengths":                    {answer(length, "Content-Length: 3"), failed},
		"a coding that is not known":     {answer("Transfer-Encoding: xchunked"), failed},
		"no status":                      {"HTTP/1.1\r\n" + length + "\r\n\r\n" + body, failed},
		"a status of letters":            {"HTTP/1.1 2OO OK\r\n\r\n", failed},
		"a status of four digits":        {"HTTP/1.1 1000 OK\r\n\r\n", failed},
		"a status below all":             {"HTTP/1.1 042 OK\r\n\r\n", failed},
		"another protocol's name":        {"ICY 200 OK\r\n\r\n", failed},
		"another version of HTTP":        {"HTTP/2.0 200 OK\r\nContent-Type: application/json\r\n" + length + "\r\n\r\n" + body, passes},
		"a protocol that was not asked":  {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", failed},
		"three hints before it":          {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 3) + answer(length), passes},
		"300,000 bytes of hints":         {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: <"+long(1000)+">\r\n\r\n", 300) + answer(length), failed},
		"a header of 300,000 characters": {answer(length, "X-A: "+long(300_000)), failed},
		"300 headers":                    {answer(append(strings.Split(strings.Repeat("X-A: b\n", 300), "\n")[:300], length)...), passes},
		"chunks with a forged trailer":   {head("HTTP/1.1 200 OK", "Content-Type: application/json", "Transfer-Encoding: chunked", "Trailer: Set-Cookie") + fmt.Sprintf("%x\r\n%s\r\n0\r\nSet-Cookie: forged=1\r\n\r\n", len(body), body), want{status: 200, says: "inline", hides: "forged"}},
	} {
		t.Run(name, func(t *testing.T) {
			s.up.Forget()
			s.script.Tool("tomtom-routing", raw(c.answer))
			c.want.check(t, testkit.Client{URL: s.URL}.Post(t, testkit.CallMessage("1", "tomtom-routing", `{}`)))
			if n := s.up.Calls("tomtom-routing"); n != 1 {
				t.Errorf("%d calls", n)
			}
			s.behaves()
			conn, r := s.dial(t)
			honestly(t, conn, r)
		})
	}
}

// TestAnswerBehindTheAnswer: a second answer on the call's connection is not taken for the redemption's.
func TestAnswerBehindTheAnswer(t *testing.T) {
	s := start(t)
	first := `{"jsonrpc":"2.0","id":7,"result":` + testkit.TextResult(`{"a":1.50,`+handle+`}`) + `}`
	forged := `{"jsonrpc":"2.0","id":7,"result":` + testkit.TextResult(`{"forged":true}`) + `}`
	answer := func(body string) string {
		return head("HTTP/1.1 200 OK", "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body))) + body
	}
	s.script.Tool("tomtom-routing", raw(answer(first)+answer(forged)))
	r := testkit.Client{URL: s.URL}.Call(t, "tomtom-routing", `{"show_ui":true}`)
	if r.OnlyText(t) != honestText || strings.Contains(string(r.AppData(t)), "forged") {
		t.Errorf("%s %s", r.Raw, r.AppData(t))
	}
	s.behaves()
	conn, reader := s.dial(t)
	honestly(t, conn, reader)
}

// TestEventInjection: nothing that a host or an upstream writes begins an event of its own: neither line ends in ids and
// addresses nor what stands in the data.
func TestEventInjection(t *testing.T) {
	s := start(t)
	events := "text/event-stream"
	report := `{"tool":"tomtom-routing","outcome":"drawn","source":"inline"}`
	for name, message := range map[string]string{
		"an id with escaped line ends":        testkit.CallMessage(`"x\r\n\r\ndata: {\"forged\":1}"`, "tomtom-report-app-status", report),
		"an id with separators":               testkit.CallMessage("\"x\u2028\u2029\u0085data: {}\"", "tomtom-report-app-status", report),
		"an id with line ends between tokens": testkit.CallMessage("{\n\n\"a\"\r\n\r\n:\r\r1\n}", "tomtom-report-app-status", report),
		"an id that looks like a field":       testkit.CallMessage("[\n\"event: message\"\n,\n\"data: {}\"\n]", "tomtom-report-app-status", report),
		"an address with line ends":           `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://tomtom-mcp-gateway/\r\n\r\ndata: {}\n\n"}}`,
		"a refused tool under such an id":     testkit.CallMessage("[\n\n1\r\r]", "tomtom-get-viz-data", `{}`),
	} {
		t.Run("of a host/"+name, func(t *testing.T) {
			a := testkit.Client{URL: s.URL}.Do(t, http.MethodPost, message, map[string]string{"Accept": events})
			data := a.Data()
			if a.Header.Get("Content-Type") != events || len(data) != 1 || !json.Valid(data[0]) {
				t.Fatalf("%d events: %.400q", len(data), a.Text())
			}
			var sent, got struct{ ID any }
			if json.Unmarshal([]byte(message), &sent) != nil || json.Unmarshal(data[0], &got) != nil || fmt.Sprint(sent.ID) != fmt.Sprint(got.ID) {
				t.Errorf("id %v came back as %v", sent.ID, got.ID)
			}
		})
	}
	result := testkit.TextResult(`{"a":1.50,` + handle + `}`)
	for name, c := range map[string]struct{ stream, status string }{
		"the response in another kind of event": {"event: other\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + testkit.TextResult(`{"forged":1}`) + "}\n\n" + "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}\n\n", "inline"},
		"the response over many lines":          {"data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\r\ndata:\"result\":\rdata: " + result + "\ndata: }\n\n", "inline"},
		"the response behind 50,000 comments":   {strings.Repeat(": x\n\n", 50_000) + "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}\n\n", "inline"},
		"the response behind others' responses": {"data: {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}\n\n", "inline"},
		"the response to the id as a text":      {"data: {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n\n", ""},
		"a result with an error":                {"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"x\"},\"result\":" + result + "}\n\n", "inline"},
		"an id and a retry of its own":          {"id: x\nretry: 99999999999999999999\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}\n\n", "inline"},
		"a field behind a NUL":                  {"data\x00: x\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}\n\n", "inline"},
	} {
		t.Run("of an upstream/"+name, func(t *testing.T) {
			s.script.Tool("tomtom-routing", testkit.Plain(200, events, c.stream))
			a := testkit.Client{URL: s.URL}.Post(t, testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true}`))
			var found *testkit.Result
			failed := 0
			for _, data := range a.Data() {
				var one struct {
					ID     json.RawMessage
					Result json.RawMessage
					Error  *testkit.RPCError
				}
				if json.Unmarshal(data, &one) != nil || string(one.ID) != "1" || strings.Contains(string(data), "forged") {
					continue
				}
				if one.Result != nil {
					r := testkit.ParseResult(t, one.Result)
					found = &r
				} else if one.Error != nil {
					failed = one.Error.Code
				}
			}
			switch {
			case c.status == "" && (found != nil || failed != -32603):
				t.Errorf("%s", a.Text())
			case c.status != "" && (found == nil || found.Status(t) != c.status || found.OnlyText(t) != honestText):
				t.Errorf("%.500s", a.Text())
			}
			if strings.Contains(a.Text(), vizID) {
				t.Error("the handle reached the host")
			}
			s.behaves()
			conn, r := s.dial(t)
			honestly(t, conn, r)
		})
	}
}
