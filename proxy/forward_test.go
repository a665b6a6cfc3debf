package proxy

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// passed are requests that the gateway does not own, with answers to match.
var passed = []struct {
	name, method, path, body, answer, contentType string
	status                                        int
}{
	{"health", "GET", "/health", "", `{"status": "ok" , "n": 1.0}`, "application/json; charset=utf-8", 200},
	{"oauth metadata", "GET", "/.well-known/oauth-protected-resource/mcp?a=%2F&b", "", `{"x":1}`, "application/json", 200},
	{"post elsewhere", "POST", "/register", "a=b&c", "done", "text/plain", 201},
	{"unknown method", "POST", "/mcp", `{"jsonrpc":"2.0","id":1e2,"method":"foo/bar","x":1.0}`, "event: message\ndata: {\"id\": 100}\n\n", "text/event-stream", 200},
	{"notification", "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", "", 202},
	{"response", "POST", "/mcp", `{"jsonrpc":"2.0","id":7,"result":{}}`, "", "", 202},
	{"batch", "POST", "/mcp", "[ {\"id\":\"a\",\"method\":\"ping\"},\n{\"method\":\"x\"} , 3, null]", `[{"id":"a","result":{}}]`, "application/json", 200},
	{"empty batch", "POST", "/mcp", `[]`, `{"error":1}`, "application/json", 400},
	{"malformed JSON", "POST", "/mcp", `{"id":1,`, "<!DOCTYPE html>\n<pre>SyntaxError</pre>", "text/html; charset=utf-8", 400},
	{"empty body", "POST", "/mcp", "", "", "", 400},
	{"tool without a policy", "POST", "/mcp", callOf(`"x"`, "somebody-elses", `{"n":12345678901234567890}`), "event: message\ndata: {\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"_meta\\\":{\\\"viz_id\\\":1}}\"}],\"n\":0.10}}\n\n", "text/event-stream", 200},
	{"unauthenticated", "POST", "/mcp", callOf("1", "tomtom-routing", `{}`), `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Authentication required"},"id":1}`, "application/json; charset=utf-8", 401},
	{"not acceptable", "POST", "/mcp", `{"jsonrpc":"2.0","id":256,"method":"tools/list"}`, `{"jsonrpc":"2.0","error":{"code":-32000},"id":null}`, "application/json", 406},
	{"too large upstream", "POST", "/mcp", callOf("1", "tomtom-data-viz", `{}`), "<html>413</html>", "text/html", 413},
	{"get stream", "GET", "/mcp", "", ": hello\n\nid: 1\nretry: 10\ndata:\n\ndata: {\"method\":\"notifications/x\"}\r\n\r\n", "text/event-stream", 200},
	{"no stream", "GET", "/mcp", "", `{"error":1}`, "application/json", 405},
	{"session end", "DELETE", "/mcp", "", "nothing here", "text/plain", 404},
	{"resources/read of another", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}`, `{"jsonrpc":"2.0","id":1,"result":{"contents":[]}}`, "application/json", 200},
	{"redirect", "GET", "/old", "", "moved", "text/plain", 307},
	{"server error", "POST", "/mcp", callOf("1", "tomtom-routing", `{}`), "boom", "text/plain", 500},
}

func TestWhatIsNotOwnedPassesByteForByte(t *testing.T) {
	for _, tt := range passed {
		t.Run(tt.name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) {
				w.Header()["Content-Type"] = nil
				if tt.contentType != "" {
					w.Header().Set("Content-Type", tt.contentType)
				}
				w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://x/.well-known/y"`)
				w.Header().Set("Tomtom-Upstream-Metadata", "eyJ9")
				w.Header().Set("Mcp-Session-Id", "the-upstreams-own")
				w.Header().Add("Set-Cookie", "a=1")
				w.Header().Add("Set-Cookie", "b=2")
				w.Header().Set("Location", "/new")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.answer)
			})
			g := newGateway(t, up.URL)
			g.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			got := g.do(t, tt.method, tt.path, mcpHeader("Mcp-Session-Id", "the-hosts"), []byte(tt.body))

			in := up.requests()
			if len(in) != 1 {
				t.Fatalf("upstream got %d requests", len(in))
			}
			if in[0].method != tt.method || in[0].uri != tt.path || string(in[0].body) != tt.body {
				t.Errorf("upstream got %s %s %q", in[0].method, in[0].uri, in[0].body)
			}
			if in[0].header.Get("Mcp-Session-Id") != "the-hosts" || in[0].header.Get("Tomtom-Api-Key") != "secret-key" {
				t.Errorf("upstream got headers %v", in[0].header)
			}
			if in[0].host != strings.TrimPrefix(up.URL, "http://") {
				t.Errorf("upstream got Host %q", in[0].host)
			}
			if got.status != tt.status || string(got.body) != tt.answer {
				t.Errorf("host got %d %q", got.status, got.body)
			}
			if ct := got.header.Get("Content-Type"); ct != tt.contentType {
				t.Errorf("host got Content-Type %q", ct)
			}
			for name, want := range map[string][]string{
				"Www-Authenticate": {`Bearer resource_metadata="https://x/.well-known/y"`}, "Mcp-Session-Id": {"the-upstreams-own"},
				"Set-Cookie": {"a=1", "b=2"}, "Tomtom-Upstream-Metadata": {"eyJ9"}, "Location": {"/new"},
			} {
				if !slices.Equal(got.header[name], want) {
					t.Errorf("host got %s %q", name, got.header[name])
				}
			}
		})
	}
}

func TestRequestHeaders(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": `{}`}))
	g := newGateway(t, up.URL)
	for name, body := range map[string]string{
		"owned": callOf("1", "tomtom-routing", "{}"), "passed": `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	} {
		t.Run(name, func(t *testing.T) {
			before := len(up.requests())
			g.post(t, body, "Connection", "X-Mine, keep-alive", "X-Mine", "1", "Te", "trailers", "Upgrade", "h2c",
				"X-Kept", "2", "Accept-Encoding", "br", "User-Agent", "")
			h := up.requests()[before].header
			for _, dropped := range []string{"X-Mine", "Te", "Upgrade", "Keep-Alive", "X-Forwarded-For", "Via", "User-Agent"} {
				if v, there := h[dropped]; there {
					t.Errorf("%s: %q", dropped, v)
				}
			}
			coding := "br"
			if name == "owned" {
				coding = "identity"
			}
			if h.Get("X-Kept") != "2" || h.Get("Accept-Encoding") != coding {
				t.Errorf("headers %v", h)
			}
			g.post(t, body, "User-Agent", "Claude-User/1.0")
			if agent := up.requests()[before+1].header.Get("User-Agent"); agent != "Claude-User/1.0" {
				t.Errorf("User-Agent %q", agent)
			}
		})
	}
}

func TestRefusedRequests(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) { w.WriteHeader(http.StatusAccepted) })
	g := newGateway(t, up.URL, func(o *Options) { o.MaxRequestBytes = 100 })
	tests := []struct {
		name   string
		body   io.Reader
		length int64
		coding string
		status int
	}{
		{"too large, length given", bytes.NewReader(make([]byte, 101)), 101, "", 413},
		{"too large, chunked", io.MultiReader(bytes.NewReader(make([]byte, 101))), -1, "", 413},
		{"compressed", strings.NewReader("x"), 1, "gzip", 415},
		{"identity", strings.NewReader("{}"), 2, "identity", 202},
		{"as large as may be", strings.NewReader(strings.Repeat(" ", 98) + "{}"), 100, "", 202},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.server.URL+"/mcp", tt.body)
			if err != nil {
				t.Fatal(err)
			}
			r.ContentLength = tt.length
			if tt.coding != "" {
				r.Header.Set("Content-Encoding", tt.coding)
			}
			before := len(up.requests())
			resp, err := g.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer closeBody(resp)
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != tt.status {
				t.Fatalf("status %d: %s", resp.StatusCode, body)
			}
			if tt.status == http.StatusAccepted {
				return
			}
			if !bytes.HasPrefix(body, []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The request body `)) {
				t.Errorf("body %s", body)
			}
			if len(up.requests()) != before {
				t.Error("the upstream was asked")
			}
		})
	}
}

// TestRefusalReachesAHostThatIsStillSending, which a reset connection would keep from it.
func TestRefusalReachesAHostThatIsStillSending(t *testing.T) {
	up := newUpstreamServer(t, nil)
	g := newGateway(t, up.URL, func(o *Options) { o.MaxRequestBytes = 8 << 20 })
	for range 3 {
		got := g.do(t, http.MethodPost, "/mcp", mcpHeader(), make([]byte, 16<<20))
		if got.status != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d", got.status)
		}
	}
}

// TestStreamsAreFlushedEventByEvent reads each event before the upstream may write the next.
func TestStreamsAreFlushedEventByEvent(t *testing.T) {
	for name, tt := range map[string]struct{ method, body string }{
		"get stream":     {http.MethodGet, ""},
		"passed method":  {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`},
		"owned call":     {http.MethodPost, callOf("1", "tomtom-routing", `{}`)},
		"unowned call":   {http.MethodPost, callOf("1", "other", `{}`)},
		"compressed":     {http.MethodGet, "gzip"},
		"owned list":     {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		"batch of calls": {http.MethodPost, `[` + callOf("1", "tomtom-routing", `{}`) + `,` + callOf("2", "tomtom-traffic", `{}`) + `]`},
	} {
		t.Run(name, func(t *testing.T) {
			next := make(chan string)
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { dictated(w, in, next) })
			g := newGateway(t, up.URL)
			body := tt.body
			r, err := http.NewRequestWithContext(t.Context(), tt.method, g.server.URL+"/mcp", nil)
			if err != nil {
				t.Fatal(err)
			}
			if body == "gzip" {
				r.Header.Set("Accept-Encoding", "gzip")
				g.client.Transport = http.DefaultTransport // adds gzip itself and decompresses
				r.Header.Del("Accept-Encoding")
			} else {
				r.Body = io.NopCloser(strings.NewReader(body))
				r.ContentLength = int64(len(body))
			}
			resp, err := g.client.Do(r) // the head arrives before any event
			if err != nil {
				t.Fatal(err)
			}
			defer closeBody(resp)
			lines := bufio.NewReader(resp.Body)
			for _, event := range []string{
				": comment\n\n", "id: 7\nretry: 100\ndata:\n\n", "event: message\ndata: {\"method\":\"notifications/progress\",\"params\":{\"progress\":1.0}}\n\n",
				"data: {\r\ndata: \"method\":\"x\"}\r\n\r\n", "event: other\ndata: x\n\n",
			} {
				next <- event
				got := make([]byte, len(event))
				if _, err := io.ReadFull(lines, got); err != nil || string(got) != event {
					t.Fatalf("got %q, %v; want %q", got, err, event)
				}
			}
			close(next)
			if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
				t.Errorf("rest %q, %v", rest, err)
			}
		})
	}
}

func TestUpstreamUnreachable(t *testing.T) {
	up := newUpstreamServer(t, nil)
	g := newGateway(t, up.URL)
	up.Close()
	for name, tt := range map[string]struct{ body, want string }{
		"passed":       {`{"jsonrpc":"2.0","id":"a\u0041","method":"ping"}`, `{"jsonrpc":"2.0","id":"a\u0041","error":`},
		"owned":        {callOf("12345678901234567890", "tomtom-routing", "{}"), `{"jsonrpc":"2.0","id":12345678901234567890,"error":`},
		"batch":        {`[` + callOf("1", "tomtom-routing", "{}") + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`, `[{"jsonrpc":"2.0","id":1,"error":`},
		"notification": {`{"jsonrpc":"2.0","method":"notifications/x"}`, `{"jsonrpc":"2.0","id":null,"error":`},
	} {
		t.Run(name, func(t *testing.T) {
			got := g.post(t, tt.body)
			if got.status != http.StatusBadGateway || !bytes.HasPrefix(got.body, []byte(tt.want)) {
				t.Errorf("%d %s", got.status, got.body)
			}
			if bytes.Contains(got.body, []byte("127.0.0.1")) || bytes.Contains(got.body, []byte("secret")) {
				t.Errorf("tells too much: %s", got.body)
			}
		})
	}
}

func TestUpstreamTimeout(t *testing.T) {
	release := make(chan struct{})
	up := newUpstreamServer(t, func(_ http.ResponseWriter, in received) {
		select {
		case <-release:
		case <-in.r.Context().Done():
		}
	})
	defer close(release)
	g := newGateway(t, up.URL, func(o *Options) { o.UpstreamTimeout = 50 * time.Millisecond })
	for _, body := range []string{callOf("1", "tomtom-routing", "{}"), `{"jsonrpc":"2.0","id":1,"method":"ping"}`} {
		if got := g.post(t, body); got.status != http.StatusGatewayTimeout || !strings.Contains(string(got.body), "in time") {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if n := len(up.requests()); n != 2 {
		t.Errorf("the upstream got %d requests", n)
	}
}

// TestNothingIsReplayed answers on a connection that is then reused and reset: what Go's Transport takes for leave to
// send a request again, if it can.
func TestNothingIsReplayed(t *testing.T) {
	for name, body := range map[string]string{
		"tool call":            callOf("1", "tomtom-routing", "{}"),
		"unowned tool call":    callOf("1", "other", "{}"),
		"passed method":        `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`,
		"owned list":           `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"POST without a body":  "",
		"batch with tool call": `[` + callOf("1", "tomtom-routing", "{}") + `]`,
	} {
		t.Run(name, func(t *testing.T) {
			var reset bool
			up := newUpstreamServer(t, nil)
			up.answer = func(w http.ResponseWriter, in received) {
				if reset {
					dropConnection(w)
					return
				}
				answerEvent(w, in, `{}`)
			}
			g := newGateway(t, up.URL)
			g.post(t, `{"jsonrpc":"2.0","id":0,"method":"ping"}`) // leaves a connection to reuse
			reset = true
			got := g.post(t, body, "Idempotency-Key", "k")
			if got.status != http.StatusBadGateway {
				t.Errorf("%d %s", got.status, got.body)
			}
			if n := len(up.requests()); n != 2 {
				t.Errorf("the upstream got %d requests", n)
			}
		})
	}
}

// TestHostGone is about when a host's going away cancels what the upstream does for it.
func TestHostGone(t *testing.T) {
	for name, tt := range map[string]struct {
		version, method, body string
		cancels               bool
	}{
		"modern call":         {"2026-07-28", "POST", modernCallOf("1", "tomtom-routing", "{}"), true},
		"modern other":        {"2026-07-28", "POST", modernRequestOf("1", "x", ""), true},
		"legacy call":         {"2025-06-18", "POST", callOf("1", "tomtom-routing", "{}"), false},
		"legacy unowned call": {"2025-11-25", "POST", callOf("1", "other", "{}"), false},
		"call of no version":  {"", "POST", callOf("1", "tomtom-routing", "{}"), false},
		"legacy get stream":   {"2025-06-18", "GET", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			arrived, release, outcome := make(chan struct{}), make(chan struct{}), make(chan bool, 1)
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
				close(arrived)
				select {
				case <-in.r.Context().Done():
					outcome <- true
				case <-release:
					// More than sockets hold: it can be written only if the gateway goes on reading.
					w.Header().Set("Content-Type", "application/json")
					_, err := w.Write(make([]byte, 32<<20))
					outcome <- err != nil
				}
			})
			up.versions = dualEra
			g := newGateway(t, up.URL)
			noticed := make(chan struct{})
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				context.AfterFunc(r.Context(), func() { close(noticed) })
				g.ServeHTTP(w, r)
			}))
			defer front.Close()
			ctx, leave := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, tt.method, front.URL+"/mcp", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if tt.version != "" {
				r.Header.Set("Mcp-Protocol-Version", tt.version)
			}
			mirrorInto(r.Header, tt.body)
			done := make(chan struct{})
			go func() {
				defer close(done)
				if resp, err := g.client.Do(r); err == nil {
					closeBody(resp)
				}
			}()
			<-arrived
			leave()
			<-done
			<-noticed
			if !tt.cancels {
				close(release)
			}
			if got := <-outcome; got != tt.cancels {
				t.Errorf("cancelled: %v", got)
			}
		})
	}
}
