package testkit

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const sdkRole = "sdk-child"

// SDKChild returns a server of the go-sdk's that runs as a command, and speaks the given revisions, every one that the SDK does
// where none are given: tomtom-routing answers with a handle, and adds a tool to the list each time. It has AskingTools, "notify" and
// "wait" as [NewModern] has, and "cancelled", which answers when a call of "wait" has been cancelled.
func SDKChild(tb testing.TB, versions ...string) (program string, env []string) {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return self, []string{roleVariable + "=" + sdkRole, roleArgsVariable + "=" + strings.Join(versions, ",")}
}

func runSDKChild() int {
	options := &mcp.ServerOptions{InitializedHandler: wantRoots}
	if versions := os.Getenv(roleArgsVariable); versions != "" {
		options.SupportedProtocolVersions = strings.Split(versions, ",")
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk-server", Version: "1"}, options)
	addAsking(server)
	cancelled := make(chan struct{}, 16)
	addTalking(server, cancelled)
	input := map[string]any{"type": "object", "properties": map[string]any{"show_ui": map[string]any{"type": "boolean"}}}
	answer := func(text string) mcp.ToolHandler {
		return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		}
	}
	server.AddTool(&mcp.Tool{Name: "cancelled", InputSchema: input}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-cancelled:
		case <-ctx.Done():
		}
		return answer("cancelled")(ctx, r)
	})
	routing := answer(ChildText)
	added := 0
	server.AddTool(&mcp.Tool{Name: "tomtom-routing", InputSchema: input}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		added++
		server.AddTool(&mcp.Tool{Name: "more-" + string(rune('a'+added)), InputSchema: input}, answer("{}"))
		return routing(ctx, r)
	})
	server.AddTool(&mcp.Tool{Name: "tomtom-get-viz-data", InputSchema: map[string]any{"type": "object"}}, answer(ChildDocument))
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}
