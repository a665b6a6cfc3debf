package proxy

import (
	"io"
	"net/http"
	"testing"
)

// TestUndefinedMethodRefusedByLegacyUpstream: a method that no revision has is answered in the modern era's form, however
// a legacy upstream refuses it. What is not about the method says what it is about.
func TestUndefinedMethodRefusedByLegacyUpstream(t *testing.T) {
	const own = `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found: x/y"}}`
	for name, tt := range map[string]struct {
		method          string
		status          int
		mediaType, body string
		wantStatus      int
		want            string
	}{
		"in plain text, as the go-sdk": {"x/y", 400, "text/plain; charset=utf-8", "JSON RPC not handled: \"x/y\" unsupported\n", 404, own},
		"as a page":                    {"x/y", 404, "text/html", "<h1>Not found</h1>", 404, own},
		"in the form itself, under another status": {
			"x/y", 400, "application/json", `{"error":{"message":"no x/y here","code":-32601},"jsonrpc":"2.0","id":"a"}`,
			404, `{"error":{"message":"no x/y here","code":-32601},"jsonrpc":"2.0","id":"a"}`,
		},
		"for its parameters": {
			"x/y", 400, "application/json", `{"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"z is missing"}}`,
			200, `{"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"z is missing"}}`,
		},
		"a method that there is": {"prompts/list", 400, "text/plain", "no prompts today", 400, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"The MCP server refused the request with HTTP status 400"}}`},
		"for its caller":         {"x/y", 403, "text/plain", "not you", 403, "not you"},
		"for the load":           {"x/y", 503, "text/plain", "later", 503, "later"},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) {
				w.Header().Set("Content-Type", tt.mediaType)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			got := newGateway(t, up.URL).postModern(t, modernRequestOf(`"a"`, tt.method, ""))
			if got.status != tt.wantStatus || string(got.body) != tt.want {
				t.Errorf("host got %d\n%s\nwant %d\n%s", got.status, got.body, tt.wantStatus, tt.want)
			}
		})
	}
}
