package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/time/rate"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// codeUnknownMethod is what an upstream answers to a method that it does not have.
const codeUnknownMethod = -32601

// Error codes that MCP servers use for what JSON-RPC has none.
const (
	codeServerError     = -32000
	codeUnauthenticated = -32001
)

// errNoCredential is what the upstream says, too, when a request names no key. Outside of a batch it goes out as
// HTTP 401 (see status).
var errNoCredential = &rpcError{
	code:    codeUnauthenticated,
	message: "Authentication required: provide a tomtom-api-key header or a Bearer token",
}

// status is the HTTP status under which an answer that is this error alone goes out.
func (e *rpcError) status() int {
	if e.code == codeUnauthenticated {
		return http.StatusUnauthorized
	}
	return http.StatusOK
}

// desk answers the tool calls that never go upstream under their own name. It is safe for concurrent use.
type desk struct {
	statuses *statuses
	mapKey   string
	log      *slog.Logger
	data     *rate.Limiter // of tomtom-get-app-data, over all callers
	metrics  *metrics
	good     *sampler // of lines about data that was fetched
	open     bool     // callers need no credential
	recent   *recent  // nil: no app data is kept
	// fetch runs the fetchable tool for its app data alone, see Gateway.fetchAppData.
	fetch fetchFunc
}

// All callers together may call each of the gateway's own tools this often: a credential is asked for, and anybody can make
// one up. A tool has a bucket of its own, so that a flood of reports takes no map away.
const (
	ownPerSecond = 50
	ownAtOnce    = 200
)

func newBucket() *rate.Limiter { return rate.NewLimiter(ownPerSecond, ownAtOnce) }

// fetchFunc runs call, a tools/call of the fetchable tool, once upstream, and returns its app data as a JSON document.
// An upstream's isError result comes back as refusal, raw, instead.
type fetchFunc func(ctx context.Context, r *http.Request, call message) (document, refusal []byte, err error)

// answers reports whether tool answers calls of the tool called name.
func (d *desk) answers(name string) bool {
	switch name {
	case policy.GetAppData, policy.ReportAppStatus:
		return true
	case policy.GetAPIKey:
		return d.mapKey != ""
	}
	return refused(name)
}

// tool answers the tools/call m with a CallToolResult, or with an error. It answers whoever asks: a client without
// MCP Apps is not shown these tools, but a host's app bridge may open a session of its own that declares nothing.
func (d *desk) tool(ctx context.Context, r *http.Request, m message) (result []byte, failed *rpcError) {
	switch {
	case refused(m.name):
		return nil, unknownTool(m.name)
	case !d.open && !hasCredential(r.Header):
		return nil, errNoCredential
	}
	switch m.name {
	case policy.GetAppData:
		if !d.data.Allow() {
			d.metrics.fetches.WithLabelValues("too many").Inc()
			return textResult(policy.GetAppData+": too many at once; this call ran nothing: try again", true), nil
		}
		return d.appData(ctx, r, m)
	case policy.ReportAppStatus:
		return d.statuses.report(ctx, m)
	case policy.GetAPIKey:
		return textResult(d.mapKey, false), nil
	}
	return nil, unknownTool(m.name)
}

// unknownTool is the answer to a call of a tool that does not exist, in the words of the upstream's SDK.
func unknownTool(name string) *rpcError {
	return &rpcError{code: codeInvalidParams, message: "MCP error -32602: Tool " + name + " not found"}
}

// hasCredential reports whether a request names a key or token. What it is worth only the upstream can say.
func hasCredential(h http.Header) bool {
	named := func(value string) bool { return strings.TrimSpace(value) != "" }
	return slices.ContainsFunc(h["Tomtom-Api-Key"], named) || slices.ContainsFunc(h["Authorization"], named)
}

// textResult returns a CallToolResult of one text.
func textResult(text string, isError bool) []byte {
	result := append([]byte(`{"content":[{"type":"text","text":`), jsonspan.AppendQuoted(nil, []byte(text))...)
	if isError {
		return append(result, `}],"isError":true}`...)
	}
	return append(result, `}],"isError":false}`...)
}

// invalidArgument says which argument of a tool of the gateway's own is wrong and why.
func invalidArgument(tool, member, why string) *rpcError {
	return &rpcError{code: codeInvalidParams, message: tool + ": " + member + ": " + why}
}
