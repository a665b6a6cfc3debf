package peers

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

// host is one MCP host of a revision that every peer speaks, with one connection.
type host struct {
	url     string
	session string
	client  *http.Client
}

const revision = "2025-06-18"

// connect opens a session, where there are any.
func connect(b *testing.B, url string) *host {
	b.Helper()
	h := &host{url: url, client: &http.Client{Transport: &http.Transport{DisableCompression: true}}}
	b.Cleanup(h.client.CloseIdleConnections)
	h.post(b, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+revision+`","capabilities":{},`+
		`"clientInfo":{"name":"peers","version":"1"}}}`)
	h.post(b, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return h
}

// post returns the answer's body and how long it took to have it whole.
func (h *host) post(b *testing.B, message string) ([]byte, time.Duration) {
	b.Helper()
	began := time.Now()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, h.url, strings.NewReader(message))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Tomtom-Api-Key", testkit.Key)
	r.Header.Set("Authorization", "Bearer "+token)
	if h.session != "" {
		r.Header.Set("Mcp-Session-Id", h.session)
		r.Header.Set("Mcp-Protocol-Version", revision)
	}
	answer, err := h.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= http.StatusBadRequest {
		b.Fatalf("%s: %d %.300s, %v", h.url, answer.StatusCode, body, err)
	}
	if session := answer.Header.Get("Mcp-Session-Id"); session != "" {
		h.session = session
	}
	return body, time.Since(began)
}

// call calls a tool that no proxy knows, which answers with a line of text.
func (h *host) call(b *testing.B) time.Duration {
	b.Helper()
	body, took := h.post(b, testkit.CallMessage("7", "test_simple_text", `{}`))
	if !strings.Contains(string(body), "simple text") {
		b.Fatal(fmt.Errorf("%s: not the result: %.300s", h.url, body))
	}
	return took
}
