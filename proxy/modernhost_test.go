package proxy

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
)

// ofModernClient are the members of _meta by which a modern request describes a client that draws widgets.
const ofModernClient = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x", "version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}`

// modernRequestOf is a modern request; params are the members before _meta, with a comma behind them.
func modernRequestOf(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `"_meta":{` + ofModernClient + `}}}`
}

// modernCallOf is a tools/call of the modern era.
func modernCallOf(id, tool, args string) string {
	return modernRequestOf(id, "tools/call", `"name":`+strconv.Quote(tool)+`,"arguments":`+args+`,`)
}

// mirrorInto puts into h what a modern request's headers repeat of its body; nothing for one that is not modern.
func mirrorInto(h http.Header, body string) {
	messages, _, err := scanMessages([]byte(body))
	if err != nil || len(messages) != 1 {
		return
	}
	m := messages[0]
	version, ok := m.meta(metaProtocolVersion)
	if !ok {
		return
	}
	h.Set(headerVersion, stringAt(m.body, version))
	h.Set(headerMethod, m.method)
	if hasName(m.method) {
		h.Set(headerName, encodeHeaderValue(m.name))
	}
}

// postModern sends a modern request with the headers that go with it.
func (g *gateway) postModern(t testing.TB, body string, more ...string) answer {
	t.Helper()
	h := mcpHeader()
	mirrorInto(h, body)
	for pair := range slices.Chunk(more, 2) {
		if h.Set(pair[0], pair[1]); pair[1] == "" {
			h.Del(pair[0])
		}
	}
	return g.do(t, http.MethodPost, "/mcp", h, []byte(body))
}
