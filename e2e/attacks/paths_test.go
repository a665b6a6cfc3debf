package attacks

import (
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestPathTricks: a spelling of the endpoint's path that some router or proxy behind the gateway may take for it does not
// lead around what the gateway refuses. Every other path goes on as it was written.
func TestPathTricks(t *testing.T) { start(t).all(t, paths()) }

func paths() []attack {
	steal := testkit.CallMessage("1", "tomtom-get-viz-data", `{"viz_id":"`+vizID[:8]+`"}`)
	refused := want{status: 200, code: -32602, says: "tomtom-get-viz-data not found"}
	var all []attack
	for name, path := range map[string]string{
		"as it is": "/mcp", "a slash at the end": "/mcp/", "two slashes": "//mcp", "three slashes": "///mcp", "slashes at the end": "/mcp//",
		"capitals": "/MCP", "a dot": "/./mcp", "a dot at the end": "/mcp/.", "up and down": "/x/../mcp", "above the root": "/../../mcp",
		"down and up": "/mcp/x/..", "encoded letters": "/%6d%63%70", "an encoded slash": "/mcp%2f", "an encoded slash before": "/%2fmcp", "encoded dots": "/%2e%2e/mcp",
		"encoded dots and slash": "/x%2f%2e%2e%2fmcp", "a query": "/mcp?path=/x", "an empty query": "/mcp?", "a parameter": "/mcp;jsessionid=1", "a parameter of a folder": "/x;/..;/mcp",
		"a backslash": `/x\..\mcp`, "an encoded backslash": "/x%5c..%5cmcp", "encoded twice": "/%256dcp", "a slash encoded twice": "/mcp%252f",
		"a space behind": "/mcp%20", "a NUL behind": "/mcp%00", "a line end behind": "/mcp%0d%0a",
	} {
		all = append(all, attack{name, testkit.RawPost(path, steal), refused})
	}
	for name, path := range map[string]string{
		"another path": "/mcpx", "below it": "/mcp/x", "above it": "/x/mcp", "beside it": "/mcp.json", "out of it": "/mcp/../x", "a look-alike": "/m%D1%81p",
	} {
		all = append(all, attack{"not the endpoint: " + name, testkit.RawPost(path, ping), want{status: 404, reaches: 1, arrives: func(t *testing.T, e testkit.Exchange) {
			if e.URI != path {
				t.Errorf("arrived at %s, sent to %s", e.URI, path)
			}
		}}})
	}
	return append(all,
		attack{"a path that is no UTF-8", testkit.RawPost("/%ff%fe", ping), want{status: 404, reaches: 1}},
		attack{"an encoding that breaks off", testkit.RawPost("/mcp%2", steal), want{status: 400, closes: true}},
		attack{"a line end in the path", testkit.RawPost("/mcp\nX: y", steal), want{status: 400, closes: true}},
		attack{"a path of 70,000 characters", testkit.RawPost("/mcp/"+long(70_000), ping), want{status: 431, closes: true}},
	)
}
