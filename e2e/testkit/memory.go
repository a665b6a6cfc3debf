package testkit

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"
)

// StartMemoryProcess serves fixed results from memory in a process of its own: for each tool the result value, as JSON,
// that every call of it gets. Answers are one SSE event with a content-length, written in one go, so that the upstream
// costs next to nothing.
func StartMemoryProcess(tb testing.TB, results map[string]json.RawMessage) *Process {
	tb.Helper()
	dir := tb.TempDir()
	path := dir + "/results.json"
	writeJSONFile(tb, path, results)
	return StartProcess(tb, "memory", path)
}

type memory map[string][]byte

func memoryRole(path string) (http.Handler, error) {
	var results map[string]json.RawMessage
	if err := readJSONFile(path, &results); err != nil {
		return nil, err
	}
	m := memory{}
	for tool, result := range results {
		m[tool] = fmt.Appendf(nil, "event: message\ndata: {\"result\":%s,\"jsonrpc\":\"2.0\",\"id\":", result)
	}
	return m, nil
}

func (m memory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	messages := ParseMessages(body)
	if len(messages) != 1 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	head, ok := m[messages[0].Params.Name]
	if messages[0].Method == "tools/list" {
		head, ok = []byte("event: message\ndata: {\"result\":{\"tools\":[]},\"jsonrpc\":\"2.0\",\"id\":"), true
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	tail := string(messages[0].ID) + "}\n\n"
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(tail)))
	_, _ = w.Write(head)
	_, _ = io.WriteString(w, tail)
}
