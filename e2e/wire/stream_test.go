package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// staged is an upstream reply that writes one piece, waits until it is told to go on, and writes the next.
type staged struct {
	pieces []string
	next   chan struct{}
	gone   chan struct{}
}

func stage(pieces ...string) *staged {
	return &staged{pieces: pieces, next: make(chan struct{}), gone: make(chan struct{}, 1)}
}

func (s *staged) reply(w http.ResponseWriter, r *http.Request, m testkit.Message) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	for i, piece := range s.pieces {
		if i > 0 {
			select {
			case <-s.next:
			case <-r.Context().Done():
				s.gone <- struct{}{}
				return
			}
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(piece, "ID", string(m.ID)))
		_ = flush.Flush()
	}
}

func progressEvent(n int) string {
	return fmt.Sprintf("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\",\"progress\":%d.0}}\n\n", n)
}

// readEvent reads one event, up to and with its empty line.
func readEvent(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	got := make(chan string, 1)
	go func() {
		var b strings.Builder
		for {
			line, err := r.ReadString('\n')
			b.WriteString(line)
			if err != nil || line == "\n" {
				got <- b.String()
				return
			}
		}
	}()
	return testkit.Receive(t, "an event", got)
}

// TestEventsArriveWhenTheyAreSent: the upstream sends the next event only after the host has read the one before, so a
// gateway that holds an event back stops everything.
func TestEventsArriveWhenTheyAreSent(t *testing.T) {
	last := map[string]string{
		"tool with a policy":    `{"result":` + testkit.TextResult(`{"a":1,"_meta":{"show_ui":false}}`) + `,"jsonrpc":"2.0","id":ID}`,
		"tool without a policy": `{"result":{"content":[]},"jsonrpc":"2.0","id":ID}`,
		"unknown method":        `{"result":{},"jsonrpc":"2.0","id":ID}`,
		"tools/list":            `{"result":{"tools":[]},"jsonrpc":"2.0","id":ID}`,
	}
	requests := map[string]string{
		"tool with a policy":    testkit.CallMessage("1", "tomtom-routing", `{}`),
		"tool without a policy": testkit.CallMessage("1", "other", `{}`),
		"unknown method":        `{"jsonrpc":"2.0","id":1,"method":"x"}`,
		"tools/list":            `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	}
	for name, request := range requests {
		for _, coding := range []string{"", "gzip"} {
			t.Run(name+"/accept-encoding "+coding, func(t *testing.T) {
				s := stage(progressEvent(1), ": a comment\n\n", progressEvent(2), "data: "+last[name]+"\n\n")
				script := testkit.NewScript()
				p := start(t, script)
				script.Tool("tomtom-routing", s.reply).Tool("other", s.reply).On("x", s.reply).On("tools/list", s.reply)
				header := map[string]string{"Accept-Encoding": coding}
				response, err := p.client().Start(t, http.MethodPost, request, header)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = response.Body.Close() }()
				r := decoding(t, response)
				for i, piece := range s.pieces {
					got := readEvent(t, r)
					if i < len(s.pieces)-1 && got != piece {
						t.Errorf("event %d: %q, want %q", i, got, piece)
					}
					if i < len(s.pieces)-1 {
						s.next <- struct{}{}
					}
				}
			})
		}
	}
}

// decoding reads a body as its host does.
func decoding(t *testing.T, response *http.Response) *bufio.Reader {
	t.Helper()
	if response.Header.Get("Content-Encoding") == "gzip" {
		return bufio.NewReader(&lazyGzip{from: response.Body})
	}
	return bufio.NewReader(response.Body)
}

// TestGETStreamPasses: events that belong to no request, as they come, byte for byte.
func TestGETStreamPasses(t *testing.T) {
	pieces := []string{
		"id: 1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n",
		": keep-alive\n\n", "retry: 10\nid: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n",
	}
	s := stage(pieces...)
	script := testkit.NewScript().Other(func(w http.ResponseWriter, r *http.Request) { s.reply(w, r, testkit.Message{}) })
	p := start(t, script)
	response, err := p.client().Start(t, http.MethodGet, "", map[string]string{"Accept": "text/event-stream", "Last-Event-ID": "7", "Mcp-Session-Id": "theirs"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	r := bufio.NewReader(response.Body)
	for i, piece := range pieces {
		if got := readEvent(t, r); got != piece {
			t.Errorf("event %d: %q, want %q", i, got, piece)
		}
		if i < len(pieces)-1 {
			s.next <- struct{}{}
		}
	}
	if e := p.up.Exchanges()[0]; e.Header.Get("Last-Event-Id") != "7" || e.Header.Get("Mcp-Session-Id") != "theirs" {
		t.Errorf("arrived with %v", e.Header)
	}
}

// TestHostGoneClosesAGETStream: the upstream is not left with a stream that nobody reads.
func TestHostGoneClosesAGETStream(t *testing.T) {
	s := stage(": here\n\n", "never")
	script := testkit.NewScript().Other(func(w http.ResponseWriter, r *http.Request) { s.reply(w, r, testkit.Message{}) })
	p := start(t, script)
	leave(t, p.client(), http.MethodGet, "", map[string]string{"Accept": "text/event-stream"})
	testkit.Receive(t, "the upstream to notice", s.gone)
}

// TestModernHostGoneCancelsTheCall: closing the answer is how a 2026-07-28 host cancels.
func TestModernHostGoneCancelsTheCall(t *testing.T) {
	for _, tool := range []string{"tomtom-routing", "other"} {
		t.Run(tool, func(t *testing.T) {
			s := stage(progressEvent(1), "never")
			p := start(t, testkit.NewScript().Tool(tool, s.reply))
			leave(t, p.client(), http.MethodPost, testkit.ModernCallMessage("1", tool, `{}`, `{}`), testkit.ModernHeader(tool))
			testkit.Receive(t, "the upstream to notice", s.gone)
		})
	}
}

// TestLegacyHostGoneDoesNotCancel: before 2026-07-28 a closed connection is no cancellation, so the call goes on. The
// upstream then sends more than all buffers on the way hold: a gateway that gave up reading would break it off.
func TestLegacyHostGoneDoesNotCancel(t *testing.T) {
	finished := make(chan error, 1)
	gone := make(chan struct{})
	script := testkit.NewScript().Tool("tomtom-routing", func(w http.ResponseWriter, r *http.Request, _ testkit.Message) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, err := io.WriteString(w, progressEvent(1))
		flush := http.NewResponseController(w)
		_ = flush.Flush()
		<-gone
		for i := 0; i < 200 && err == nil; i++ {
			_, err = io.WriteString(w, ": "+strings.Repeat("x", 1<<16)+"\n\n"+progressEvent(i))
		}
		finished <- errors.Join(err, context.Cause(r.Context()))
	})
	p := start(t, script)
	leave(t, p.client(), http.MethodPost, testkit.CallMessage("1", "tomtom-routing", `{}`), map[string]string{"Mcp-Protocol-Version": "2025-06-18"})
	close(gone)
	if err := testkit.Receive(t, "the call to end", finished); err != nil {
		t.Errorf("the call was cancelled: %v", err)
	}
}

// leave sends a request, waits for the first event and closes the connection.
func leave(t *testing.T, c testkit.Client, method, body string, header map[string]string) {
	t.Helper()
	response, err := c.Start(t, method, body, header)
	if err != nil {
		t.Fatal(err)
	}
	readEvent(t, bufio.NewReader(response.Body))
	_ = response.Body.Close()
}
