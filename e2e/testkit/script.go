package testkit

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Reply answers one message of a request.
type Reply func(w http.ResponseWriter, r *http.Request, m Message)

// Script is an upstream that answers as it is told, in the framing of the TomTom server. Its keys are a method, or
// "tools/call NAME" for the calls of a tool. A method without an entry gets −32601, a notification 202.
type Script struct {
	mu      sync.Mutex
	replies map[string]Reply
	other   http.HandlerFunc
}

// NewScript returns a script that lists the given tools, or two TomTom tools where none are given.
func NewScript(tools ...string) *Script {
	if len(tools) == 0 {
		tools = []string{ListedTool("tomtom-routing"), ListedTool("tomtom-get-viz-data")}
	}
	s := &Script{replies: map[string]Reply{}}
	s.On("tools/list", Event(`{"tools":[`+strings.Join(tools, ",")+`]}`))
	s.On("resources/list", Event(`{"resources":[]}`))
	s.On("initialize", Event(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},`+
		`"serverInfo":{"name":"script","version":"1"}}`))
	return s
}

// ListedTool is a tools/list entry in the TomTom server's form.
func ListedTool(name string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"show_ui":{"type":"boolean","default":false},`+
		`"other":{"type":"string"}}},"_meta":{"backend":"tomtom-orbis-maps","ui/resourceUri":"ui://tomtom-x/app.html",`+
		`"ui":{"resourceUri":"ui://tomtom-x/app.html"}}}`, name)
}

// On sets the reply of a key.
func (s *Script) On(key string, reply Reply) *Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies[key] = reply
	return s
}

// Tool sets the reply to the calls of a tool.
func (s *Script) Tool(name string, reply Reply) *Script { return s.On("tools/call "+name, reply) }

// Other sets the handler of requests that are no POST of JSON-RPC to /mcp.
func (s *Script) Other(h http.HandlerFunc) *Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other = h
	return s
}

func (s *Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	messages := ParseMessages(body)
	if r.Method != http.MethodPost || r.URL.Path != "/mcp" || len(messages) == 0 {
		s.mu.Lock()
		other := s.other
		s.mu.Unlock()
		if other == nil {
			other = http.NotFound
		}
		other(w, r)
		return
	}
	answered := false
	for _, m := range messages {
		if reply := s.reply(m); reply != nil {
			reply(w, r, m)
			answered = true
		}
	}
	if !answered {
		w.WriteHeader(http.StatusAccepted)
	}
}

// reply is nil for a notification that the script has no reply to.

func (s *Script) reply(m Message) Reply {
	key := m.Method
	if key == "tools/call" {
		key += " " + m.Params.Name
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch reply, ok := s.replies[key]; {
	case ok:
		return reply
	case m.ID == nil:
		return nil
	default:
		return EventError(-32601, "Method not found")
	}
}

// Event answers with a result as one SSE event, members in the TomTom server's order.
func Event(result string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, m Message) {
		writeEvent(w, fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, result, m.ID))
	}
}

// EventError answers with a JSON-RPC error as one SSE event.
func EventError(code int, message string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, m Message) {
		writeEvent(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, message))
	}
}

func writeEvent(w http.ResponseWriter, data string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = io.WriteString(w, "event: message\ndata: "+data+"\n\n")
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// JSON answers with a result as one JSON body.
func JSON(result string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, m Message) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}
}

// Plain answers with a status and a body that is no JSON-RPC.
func Plain(status int, contentType, body string, header ...string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Message) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Reset breaks the connection without an answer.
func Reset(w http.ResponseWriter, _ *http.Request, _ Message) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// Hang answers nothing until the caller goes.
func Hang(_ http.ResponseWriter, r *http.Request, _ Message) { <-r.Context().Done() }

// TextResult is a result with the given text blocks.
func TextResult(texts ...string) string {
	blocks := make([]string, len(texts))
	for i, text := range texts {
		blocks[i] = `{"type":"text","text":` + Quote(text) + `}`
	}
	return `{"content":[` + strings.Join(blocks, ",") + `]}`
}

// Quote is a JSON string that leaves every character readable, as the TomTom server's does.
func Quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}
