package upstream

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// stream writes server-sent events, or over stdio lines. Safe for concurrent use: a batch answers as its answers come.
type stream struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	flusher http.Flusher // nil where the writer cannot flush
	begun   bool
	lines   io.Writer // nil for events
}

func newStream(w http.ResponseWriter) *stream {
	f, _ := w.(http.Flusher)
	return &stream{w: w, flusher: f}
}

// begin sends the headers: with a length where the whole body is known, else chunked.
func (s *stream) begin(length int) {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	if length >= 0 {
		h.Set("Content-Length", strconv.Itoa(length))
	}
	s.w.WriteHeader(http.StatusOK)
	s.begun = true
}

// open sends the headers now, so that what follows is chunked.
func (s *stream) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines != nil {
		return
	}
	if !s.begun {
		s.begin(-1)
	}
	s.flush()
}

// send writes one event and flushes it. The first of a stream that was not opened is the whole body.
func (s *stream) send(data []byte) {
	if s.lines != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = s.lines.Write(append(data, '\n')) // a client that went away is no concern of a demonstration
		return
	}
	event := make([]byte, 0, len(data)+23)
	event = append(event, "event: message\ndata: "...)
	event = append(append(event, data...), "\n\n"...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.begin(len(event))
	}
	_, _ = s.w.Write(event) // a client that went away is no concern of a demonstration
	s.flush()
}

func (s *stream) flush() {
	if s.flusher != nil {
		s.flusher.Flush()
	}
}

// result is a response event's data, in the member order of the real server. id is JSON.
func resultData(id json.RawMessage, result []byte) []byte {
	out := make([]byte, 0, len(result)+len(id)+40)
	out = append(append(out, `{"result":`...), result...)
	out = append(append(out, `,"jsonrpc":"2.0","id":`...), id...)
	return append(out, '}')
}

// errorData is a response event's data for a protocol error.
func errorData(id json.RawMessage, code int, text string) []byte {
	return render(object{{"jsonrpc", "2.0"}, {"id", id}, {"error", object{{"code", code}, {"message", text}}}})
}

// progressData is a progress notification in the member order of the real server's SDK.
func progressData(token json.RawMessage, progress, total int, text string) []byte {
	return render(object{
		{"method", "notifications/progress"},
		{"params", object{{"progressToken", token}, {"progress", progress}, {"total", total}, {"message", text}}},
		{"jsonrpc", "2.0"},
	})
}
