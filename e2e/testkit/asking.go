//nolint:staticcheck // sampling and roots are deprecated, and servers and hosts use them
package testkit

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// AskingTools are tools that want something of their host before they answer with it: the person's name, words of its model,
// and its roots.
var AskingTools = []string{"ask", "sample", "roots"}

// addAsking adds AskingTools to a server. To hosts of the legacy era each sends a request, of those of 2026-07-28 it asks by
// its result.
func addAsking(server *mcp.Server) {
	add := func(name string, request mcp.InputRequest, send func(context.Context, *mcp.ServerSession) (mcp.InputResponse, error)) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			response, given := r.Params.InputResponses[name]
			if !given {
				if r.Session.InitializeParams().ProtocolVersion >= "2026-07-28" {
					return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{name: request}}, nil
				}
				var err error
				if response, err = send(ctx, r.Session); err != nil {
					return nil, err
				}
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello " + said(response)}}}, nil
		})
	}
	who := &mcp.ElicitParams{
		Message: "Who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}},
	}
	words := &mcp.CreateMessageParams{Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Say a name"}}}, MaxTokens: 9}
	add("ask", who, func(ctx context.Context, s *mcp.ServerSession) (mcp.InputResponse, error) { return s.Elicit(ctx, who) })
	add("sample", words, func(ctx context.Context, s *mcp.ServerSession) (mcp.InputResponse, error) {
		return s.CreateMessage(ctx, words)
	})
	add("roots", &mcp.ListRootsParams{}, func(ctx context.Context, s *mcp.ServerSession) (mcp.InputResponse, error) {
		return s.ListRoots(ctx, &mcp.ListRootsParams{})
	})
}

// said is the name in what a host of AskingClient's answers.
func said(response mcp.InputResponse) string {
	switch r := response.(type) {
	case *mcp.ElicitResult:
		name, _ := r.Content["name"].(string)
		return name
	case *mcp.CreateMessageResult:
		if text, ok := r.Content.(*mcp.TextContent); ok {
			return text.Text
		}
	case *mcp.CreateMessageWithToolsResult:
		if len(r.Content) == 1 {
			if text, ok := r.Content[0].(*mcp.TextContent); ok {
				return text.Text
			}
		}
	case *mcp.ListRootsResult:
		if len(r.Roots) == 1 {
			return r.Roots[0].Name
		}
	}
	return "nobody"
}

// CanBeAsked makes options, which have capabilities, those of a host that answers everything that AskingTools ask for, with
// "Ada". Its roots are GiveRoots's.
func CanBeAsked(options *mcp.ClientOptions) {
	options.Capabilities.RootsV2 = &mcp.RootCapabilities{}
	options.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
	}
	options.CreateMessageHandler = func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
		return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "Ada"}}, nil
	}
}

// GiveRoots gives the host a root with the name "Ada".
func GiveRoots(client *mcp.Client) { client.AddRoots(&mcp.Root{URI: "file:///ada", Name: "Ada"}) }

// wantRoots asks for the host's roots before anything else, of no call, as servers do that work below them.
func wantRoots(ctx context.Context, r *mcp.InitializedRequest) {
	if capabilities := r.Session.InitializeParams().Capabilities; capabilities != nil && capabilities.RootsV2 != nil {
		_, _ = r.Session.ListRoots(ctx, nil)
	}
}
