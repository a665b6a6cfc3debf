package attacks

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestModernRequests: requests of 2026-07-28 whose headers say another thing than their bodies, by which a proxy that looks
// at headers alone would let through what it is to stop.
func TestModernRequests(t *testing.T) { start(t).all(t, modernRequests()) }

func modernRequests() []attack {
	// post is a modern call of other, with some headers in place of its own.
	post := func(body string, header map[string]string) string {
		all := testkit.ModernHeader("other")
		maps.Copy(all, header)
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for value := range strings.SplitSeq(all[name], "|") {
				if value != "" {
					lines = append(lines, name+": "+value)
				}
			}
		}
		return testkit.RawPost("/mcp", body, lines...)
	}
	body := func(tool string) string { return testkit.ModernCallMessage("1", tool, `{}`, `{}`) }
	changed := func(old, with string) string { return strings.Replace(body("other"), old, with, 1) }
	other := body("other")
	mismatch := want{status: 400, code: -32020}
	invalid := want{status: 400, code: -32602}
	return []attack{
		{"as it should be", post(other, nil), want{status: 200, says: `"text":"other"`, reaches: 1}},
		{"a refused tool under another's name", post(body("tomtom-get-viz-data"), nil), mismatch},
		{"another tool under a refused name", post(other, map[string]string{"Mcp-Name": "tomtom-get-viz-data"}), mismatch},
		{"a refused tool under its own name", post(body("tomtom-get-viz-data"), map[string]string{"Mcp-Name": "tomtom-get-viz-data"}), want{status: 200, code: -32602}},
		{"a refused tool under its name, encoded", post(body("tomtom-get-viz-data"), map[string]string{"Mcp-Name": "=?base64?dG9tdG9tLWdldC12aXotZGF0YQ==?="}), want{status: 200, code: -32602}},
		{"another's name, encoded", post(other, map[string]string{"Mcp-Name": "=?base64?dG9tdG9tLWdldC12aXotZGF0YQ==?="}), mismatch},
		{"a name that is not encoded", post(other, map[string]string{"Mcp-Name": "=?base64?!!!?="}), mismatch},
		{"two names", post(other, map[string]string{"Mcp-Name": "other|tomtom-get-viz-data"}), mismatch},
		{"no name", post(other, map[string]string{"Mcp-Name": ""}), mismatch},
		{"a name in capitals", post(other, map[string]string{"Mcp-Name": "OTHER"}), mismatch},
		{"a name outside of ASCII", post(body("ö"), map[string]string{"Mcp-Name": "ö"}), mismatch},
		{"another method", post(other, map[string]string{"Mcp-Method": "tools/list"}), mismatch},
		{"two methods", post(other, map[string]string{"Mcp-Method": "tools/call|tools/list"}), mismatch},
		{"no method", post(other, map[string]string{"Mcp-Method": ""}), mismatch},
		{"the name twice in the body", post(changed(`"name":"other"`, `"name":"other","name":"tomtom-get-viz-data"`), nil), mismatch},
		{"another revision than the body's", post(other, map[string]string{"Mcp-Protocol-Version": "2025-11-25"}), mismatch},
		{"two revisions", post(other, map[string]string{"Mcp-Protocol-Version": "2026-07-28|2025-11-25"}), mismatch},
		{"no revision", post(other, map[string]string{"Mcp-Protocol-Version": ""}), mismatch},
		{"a revision of the future", post(strings.ReplaceAll(other, "2026-07-28", "9999-12-31"), map[string]string{"Mcp-Protocol-Version": "9999-12-31"}), want{status: 400, code: -32022}},
		{"a body without a revision", post(testkit.CallMessage("1", "other", `{}`), nil), invalid},
		{"a revision that is no text", post(changed(`"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"io.modelcontextprotocol/protocolVersion":20260728`), nil), invalid},
		{"capabilities that are a list", post(changed(`"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":[]`), nil), invalid},
		{"a client that is a text", post(changed(`"io.modelcontextprotocol/clientInfo":{"name":"e2e","version":"1"}`, `"io.modelcontextprotocol/clientInfo":"e2e"`), nil), invalid},
		{"a batch", post("["+other+"]", nil), want{status: 400, code: -32600}},
		{"an id of null", post(changed(`"id":1`, `"id":null`), nil), want{status: 400, code: -32600}},
		{"an id that is a list", post(changed(`"id":1`, `"id":[1]`), nil), want{status: 400, code: -32600}},
		{"a response", post(`{"jsonrpc":"2.0","id":1,"result":{}}`, nil), want{status: 400, code: -32600}},
		{"a text", post(`"tools/call"`, nil), want{status: 400, code: -32600}},
		{"a stream", head("GET /mcp HTTP/1.1", "Host: g", "Accept: text/event-stream", "Mcp-Protocol-Version: 2026-07-28"), want{status: 405, code: -32000}},
		{"the end of a session", head("DELETE /mcp HTTP/1.1", "Host: g", "Mcp-Session-Id: theirs", "Mcp-Protocol-Version: 2026-07-28"), want{status: 405, code: -32000}},
		{"a ping, which there is none of", post(changed(`"method":"tools/call"`, `"method":"ping"`), map[string]string{"Mcp-Method": "ping"}), want{status: 404, code: -32601}},
		{"a session, which there is none of", post(changed(`"method":"tools/call"`, `"method":"logging/setLevel"`), map[string]string{"Mcp-Method": "logging/setLevel"}), want{status: 404, code: -32601}},
	}
}
