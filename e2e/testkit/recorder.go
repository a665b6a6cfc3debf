package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Exchange is one HTTP request that reached an upstream.
type Exchange struct {
	Conn               int // which connection, counted from 1
	Method, URI, Host  string
	Header             http.Header
	Body               []byte
	RPCMethods, Tools  []string // of each message in the body, in order; Tools only of tools/call
	TransferEncoding   []string
	ContentLengthKnown bool
}

// Recorder hands requests on and remembers them.
type Recorder struct {
	next http.Handler

	mu        sync.Mutex
	exchanges []Exchange
	questions []Exchange // what the gateway asked on its own account, apart from redemptions
	conns     int
}

type connKey struct{}

// Record returns a recorder in front of next, which gets the body whole.
func Record(next http.Handler) *Recorder { return &Recorder{next: next} }

func (rec *Recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	conn, _ := r.Context().Value(connKey{}).(int)
	e := Exchange{
		Conn: conn, Method: r.Method, URI: r.RequestURI, Host: r.Host, Header: r.Header.Clone(), Body: body,
		TransferEncoding: r.TransferEncoding, ContentLengthKnown: r.ContentLength >= 0,
	}
	for _, m := range ParseMessages(body) {
		e.RPCMethods = append(e.RPCMethods, m.Method)
		if m.Method == "tools/call" {
			e.Tools = append(e.Tools, m.Params.Name)
		}
	}
	rec.mu.Lock()
	if isOwnQuestion(body) {
		rec.questions = append(rec.questions, e)
	} else {
		rec.exchanges = append(rec.exchanges, e)
	}
	rec.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	rec.next.ServeHTTP(w, r)
}

// isOwnQuestion reports whether a message is what a gateway asks to learn about its upstream: which revisions it speaks.
// It runs nothing, and comes once.
func isOwnQuestion(body []byte) bool {
	messages := ParseMessages(body)
	return len(messages) == 1 && bytes.HasPrefix(messages[0].ID, []byte(`"gateway-ask-`))
}

// Questions returns what the gateway asked on its own account, redemptions apart, since the start.
func (rec *Recorder) Questions() []Exchange {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return append([]Exchange(nil), rec.questions...)
}

// connContext numbers connections; it belongs into the server's ConnContext.
func (rec *Recorder) connContext(ctx context.Context, _ net.Conn) context.Context {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.conns++
	return context.WithValue(ctx, connKey{}, rec.conns)
}

// Exchanges returns what reached the upstream since the last Forget, in order of arrival.
func (rec *Recorder) Exchanges() []Exchange {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return append([]Exchange(nil), rec.exchanges...)
}

// Forget drops what was recorded.
func (rec *Recorder) Forget() {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.exchanges = nil
}

// Calls counts the tools/call messages of a tool, and Of returns the exchanges that held one.
func (rec *Recorder) Calls(tool string) int { return len(rec.Of(tool)) }

// Of returns the exchanges with a tools/call of a tool, one for each such message.
func (rec *Recorder) Of(tool string) []Exchange {
	var found []Exchange
	for _, e := range rec.Exchanges() {
		for _, t := range e.Tools {
			if t == tool {
				found = append(found, e)
			}
		}
	}
	return found
}

// Upstream is a recorded upstream on a loopback port.
type Upstream struct {
	*Recorder
	// URL is the MCP endpoint, Base the same without its path, Address host and port.
	URL, Base, Address string

	server *httptest.Server
}

// StartUpstream serves h on loopback until the test ends.
func StartUpstream(tb testing.TB, h http.Handler) *Upstream {
	tb.Helper()
	rec := Record(h)
	s := httptest.NewUnstartedServer(rec)
	s.Config.ConnContext = rec.connContext
	s.Config.IdleTimeout = 5 * time.Second // as the real server closes them
	s.Start()
	tb.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return &Upstream{Recorder: rec, URL: s.URL + "/mcp", Base: s.URL, Address: s.Listener.Addr().String(), server: s}
}

// Message is the part of a JSON-RPC message that an upstream looks at.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		URI       string          `json:"uri"`
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// ParseMessages reads one message or a batch; what is no JSON-RPC gives none.
func ParseMessages(body []byte) []Message {
	var one Message
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '[' {
		if json.Unmarshal(body, &one) != nil {
			return nil
		}
		return []Message{one}
	}
	var many []Message
	if json.Unmarshal(body, &many) != nil {
		return nil
	}
	return many
}
