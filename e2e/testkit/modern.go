package testkit

import (
	"context"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Modern is an upstream made of the go-sdk's server, which speaks 2026-07-28: a routing tool in the TomTom server's form,
// and others that notify, ask and wait.
type Modern struct {
	http.Handler
	server *mcp.Server
	// Cancelled has a value for each call of "wait" that was cancelled.
	Cancelled chan struct{}
	added     sync.Once
}

// NewModern returns an upstream that speaks the given revisions, all of them where none are given. text is what
// tomtom-routing answers, data what tomtom-get-viz-data does.
func NewModern(text, data string, versions ...string) *Modern {
	m := &Modern{Cancelled: make(chan struct{}, 16)}
	m.server = mcp.NewServer(&mcp.Implementation{Name: "modern-upstream", Version: "7"}, &mcp.ServerOptions{SupportedProtocolVersions: versions, InitializedHandler: wantRoots})
	answers := func(text string) mcp.ToolHandler {
		return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		}
	}
	bound := mcp.Meta{"backend": "tomtom-orbis-maps", "ui/resourceUri": "ui://tomtom-x/app.html", "ui": map[string]any{"resourceUri": "ui://tomtom-x/app.html"}}
	m.add("tomtom-routing", bound, answers(text))
	m.add("tomtom-data-viz", bound, answers(text))
	m.add("tomtom-get-viz-data", nil, answers(data))
	addTalking(m.server, m.Cancelled)
	addAsking(m.server)
	m.server.AddResource(&mcp.Resource{URI: "file:///a.txt", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "file:///a.txt", Text: "a"}}}, nil
	})
	m.Handler = m.over(&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return m
}

func (m *Modern) over(options *mcp.StreamableHTTPOptions) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m.server }, options)
}

// WithSessions makes it a server that keeps sessions, which the go-sdk's does in the legacy era alone.
func (m *Modern) WithSessions() *Modern {
	m.Handler = m.over(&mcp.StreamableHTTPOptions{})
	return m
}

func (m *Modern) add(name string, meta mcp.Meta, handler mcp.ToolHandler) {
	m.server.AddTool(&mcp.Tool{Name: name, Meta: meta, InputSchema: map[string]any{
		"type": "object", "properties": map[string]any{"show_ui": map[string]any{"type": "boolean"}},
	}}, handler)
}

// addTalking adds tools to a server: "notify" reports progress and logs before it answers; "wait" reports progress and answers
// nothing until it is cancelled, which puts a value into cancelled.
func addTalking(server *mcp.Server, cancelled chan<- struct{}) {
	progress := func(ctx context.Context, r *mcp.CallToolRequest, done float64, message string) {
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Message: message})
		}
	}
	input := map[string]any{"type": "object"}
	server.AddTool(&mcp.Tool{Name: "notify", InputSchema: input}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		progress(ctx, r, 0.5, "half")
		_ = r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: "logged"}) //nolint:staticcheck // deprecated, and used by servers
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	})
	server.AddTool(&mcp.Tool{Name: "wait", InputSchema: input}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		progress(ctx, r, 0.1, "waiting")
		<-ctx.Done()
		cancelled <- struct{}{}
		return nil, ctx.Err()
	})
}

// AddTool changes the list of tools, once.
func (m *Modern) AddTool() {
	m.added.Do(func() {
		m.add("late", nil, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	})
}
