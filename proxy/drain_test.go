package proxy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// openStream sends a request and returns the answer's body once its first line is there.
func openStream(t testing.TB, g *gateway, method, body string, header http.Header) *bufio.Reader {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, g.server.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	resp, err := g.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeBody(resp) })
	r := bufio.NewReader(resp.Body)
	if _, err := r.Peek(1); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEndStreams: what only waits for news ends as if the upstream had ended it; a call goes on, and so do new requests.
func TestEndStreams(t *testing.T) {
	for name, modern := range map[string]struct{ host, upstream bool }{
		"a legacy host's stream": {false, false}, "… of a modern server": {false, true},
		"a modern host's subscription": {true, true}, "… at a legacy server": {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			begun, release := make(chan struct{}), make(chan struct{})
			up := newUpstreamServer(t, nil)
			if modern.upstream {
				up.versions = []string{modernVersion}
			}
			up.answer = func(w http.ResponseWriter, in received) {
				switch {
				case in.method == http.MethodGet || in.message.method == methodListen:
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
					flusher(w)()
					<-in.r.Context().Done()
				case in.message.name == "someone-elses":
					close(begun)
					<-release
					answerEvent(w, in, `{"resultType":"complete","content":[]}`)
				default:
					answerEvent(w, in, `{"resultType":"complete","content":[]}`)
				}
			}
			g := newGateway(t, up.URL)
			call := make(chan answer, 1)
			go func() { call <- g.post(t, callOf("1", "someone-elses", `{}`)) }()
			<-begun
			method, body, header := http.MethodGet, "", mcpHeader("Accept", "text/event-stream")
			if modern.host {
				method, body = http.MethodPost, modernRequestOf(`"L"`, methodListen, listenTo)
				header = mcpHeader()
				mirrorInto(header, body)
			}
			stream := openStream(t, g, method, body, header)
			g.EndStreams()
			rest, err := io.ReadAll(stream)
			if err != nil {
				t.Errorf("the stream broke off: %v after %q", err, rest)
			}
			close(release)
			if got := <-call; got.status != http.StatusOK || !strings.Contains(string(got.body), `"content":[]`) {
				t.Errorf("the call in flight: %d %s", got.status, got.body)
			}
			if got := g.post(t, callOf("2", "another", `{}`)); got.status != http.StatusOK {
				t.Errorf("a call after: %d %s", got.status, got.body)
			}
			if strings.Contains(g.logged.String(), "broke off") {
				t.Errorf("log %s", g.logged)
			}
		})
	}
}

// TestServiceUnavailableMeansNothingRan: a gateway that has closed says 503 to what comes then, and sends nothing; what it
// had sent gets another answer, since it may have run.
func TestServiceUnavailableMeansNothingRan(t *testing.T) {
	begun := make(chan struct{}, 1)
	up := newUpstreamServer(t, func(_ http.ResponseWriter, in received) {
		begun <- struct{}{}
		<-in.r.Context().Done()
	})
	for _, tool := range []string{"tomtom-routing", "someone-elses"} {
		g := newGateway(t, up.URL)
		sent := make(chan answer, 1)
		go func() { sent <- g.post(t, callOf("1", tool, `{}`)) }()
		<-begun
		g.Close()
		if got := <-sent; got.status != http.StatusBadGateway || !strings.Contains(string(got.body), "is not known") {
			t.Errorf("%s, sent before: %d %s", tool, got.status, got.body)
		}
		before := len(up.requests())
		if got := g.post(t, callOf("1", tool, `{}`)); got.status != http.StatusServiceUnavailable || len(up.requests()) != before {
			t.Errorf("%s, after: %d %s, %d requests upstream", tool, got.status, got.body, len(up.requests())-before)
		}
	}
	if status, _ := failureOf(errors.Join(errUpstreamTimeout)); status != http.StatusGatewayTimeout {
		t.Errorf("a timeout is %d", status)
	}
}
