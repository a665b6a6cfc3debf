package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

const listenTo = `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":false,"resourceSubscriptions":["file:///a","file:///refused"]},`

// open posts a modern host's message, and returns the answer as it begins and how to go away.
func open(t *testing.T, g *gateway, body string) (*http.Response, context.CancelFunc) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	t.Cleanup(leave)
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, g.server.URL+"/mcp", strings.NewReader(body))
	r.Header = mcpHeader()
	mirrorInto(r.Header, body)
	resp, err := g.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeBody(resp) })
	return resp, leave
}

// listening opens a subscription and returns the reader of its events.
func listening(t *testing.T, g *gateway, body string) (*eventReader, context.CancelFunc) {
	t.Helper()
	resp, leave := open(t, g, body) //nolint:bodyclose // open closes it
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("X-Accel-Buffering") != "no" || resp.Header.Get(headerSession) != "" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	return newEventReader(resp.Body, 1<<20, newMemory), leave
}

func nextData(t *testing.T, events *eventReader) string {
	t.Helper()
	ev, err := events.next()
	if err != nil {
		t.Fatal(err)
	}
	return string(ev.data())
}

// TestSubscription over the GET stream of a legacy upstream with sessions: the host gets what it asked for and the upstream
// declares, marked with the subscription; nothing else; and the session ends with it.
func TestSubscription(t *testing.T) {
	next := make(chan string)
	up := newSessionUpstream(t, "s")
	up.questions = func(w http.ResponseWriter, in received) bool {
		up.open(w)
		if in.message.method == methodInitialize {
			answerEvent(w, in, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`)
			return true
		}
		return false
	}
	asked := make(chan received, 1)
	plain := up.answer
	up.answer = func(w http.ResponseWriter, in received) {
		switch {
		case in.method == http.MethodGet:
			dictated(w, in, next)
		case in.message.method == methodSubscribe && strings.Contains(string(in.body), "refused"):
			jsonAnswer(w, in, 200, `"error":{"code":-32002,"message":"no"}`)
		case in.message.method == methodSubscribe:
			answerEvent(w, in, `{}`)
		case in.message.method == "" && in.method == http.MethodPost:
			asked <- in
			w.WriteHeader(http.StatusAccepted)
		default:
			plain(w, in)
		}
	}
	g := newGateway(t, up.URL)
	events, leave := listening(t, g, modernRequestOf(`"L"`, methodListen, listenTo))
	if got := nextData(t, events); got != `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}}}` {
		t.Errorf("acknowledged %s", got)
	}
	for _, note := range []string{
		`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error"}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///b"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"roots/list"}`,
		`nonsense`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"method":"notifications/resources/updated","params":{"uri":"file:///a","n":1.0,"_meta":{"x":[]}},"jsonrpc":"2.0"}`,
	} {
		next <- "data: " + note + "\n\n"
	}
	for _, want := range []string{
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}`,
		`{"method":"notifications/resources/updated","params":{"uri":"file:///a","n":1.0,"_meta":{"x":[],"io.modelcontextprotocol/subscriptionId":"L"}},"jsonrpc":"2.0"}`,
	} {
		if got := nextData(t, events); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if in := <-asked; !strings.Contains(string(in.body), `"id":4,"error":{"code":-32601`) {
		t.Errorf("the upstream's question got %s", in.body)
	}
	leave()
	if ended := <-up.ended; ended == "" {
		t.Error("no session ended")
	}
}

// TestSubscriptionEnds: with the upstream's stream, and at once where it has none; each time with a response.
func TestSubscriptionEnds(t *testing.T) {
	const ended = `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":7,"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}}}`
	t.Run("with the stream", func(t *testing.T) {
		next := make(chan string)
		up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { dictated(w, in, next) })
		events, _ := listening(t, newGateway(t, up.URL), modernRequestOf("7", methodListen, listenTo))
		if got := nextData(t, events); !strings.Contains(got, `"notifications":{"toolsListChanged":true}`) {
			t.Errorf("acknowledged %s", got)
		}
		close(next)
		if got := nextData(t, events); got != ended {
			t.Errorf("got %s", got)
		}
		if _, err := events.next(); !errors.Is(err, io.EOF) {
			t.Errorf("then %v", err)
		}
	})
	t.Run("without a stream", func(t *testing.T) {
		up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) { w.WriteHeader(http.StatusMethodNotAllowed) })
		events, _ := listening(t, newGateway(t, up.URL), modernRequestOf("7", methodListen, listenTo))
		if got := nextData(t, events); !strings.Contains(got, `"notifications":{}`) {
			t.Errorf("acknowledged %s", got)
		}
		if got := nextData(t, events); got != ended {
			t.Errorf("got %s", got)
		}
	})
}
