package pipes

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

// versions are the protocol revisions that the go-sdk's client asks for; the newest falls back where it has to.
var versions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// connect starts the gateway as a desktop host does, and opens a session of the go-sdk's client with it.
func connect(t *testing.T, version string, env []string, args ...string) *mcp.ClientSession {
	t.Helper()
	capabilities := &mcp.ClientCapabilities{}
	capabilities.AddExtension("io.modelcontextprotocol/ui", map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}})
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e-host", Version: "1"}, &mcp.ClientOptions{Capabilities: capabilities})
	cmd := exec.Command(testkit.Binary(t), append([]string{"--stdio"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	session, err := client.Connect(context.WithoutCancel(t.Context()), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect as %s: %v", version, err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the gateway ended with %v", err)
		}
	})
	return session
}

// TestSDKHostOverStdio: a host made of the go-sdk, in every revision, in front of a server that runs as a command and of
// one that is reached over HTTP.
func TestSDKHostOverStdio(t *testing.T) {
	for _, version := range versions {
		t.Run(version+" command", func(t *testing.T) {
			session := connect(t, version, []string{"TOMTOM_API_KEY=" + testkit.Key, "MAPS=tomtom-orbis-maps"},
				"--", testkit.Binary(t), "demo", "-upstream-stdio", "-seed", "42")
			checkSession(t, session)
		})
		t.Run(version+" HTTP", func(t *testing.T) {
			up := testkit.StartDemo(t, upstream.Options{Seed: 42})
			checkSession(t, connect(t, version, []string{"GATEWAY_UPSTREAM_URL=" + up.URL, "GATEWAY_UPSTREAM_KEY=" + testkit.Key}))
		})
	}
}

// checkSession lists, draws and fetches.
func checkSession(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*mcp.Tool{}
	for _, tool := range list.Tools {
		tools[tool.Name] = tool
	}
	schema, _ := json.Marshal(tools["tomtom-get-app-data"].InputSchema)
	if tools["tomtom-get-viz-data"] != nil || tools["tomtom-report-app-status"] == nil || !strings.Contains(string(schema), `"app_data_ref"`) || strings.Contains(string(schema), `"required":["layers"]`) {
		t.Errorf("tools %v, input %s", tools, schema)
	}
	uri, _ := tools["tomtom-routing"].Meta["ui/resourceUri"].(string)
	if read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil || len(read.Contents) != 1 {
		t.Errorf("widget %q: %v", uri, err)
	}
	for _, arguments := range []string{
		`{"show_ui":true,"locations":[[4.897,52.3779],[13.405,52.52]]}`,
		`{"show_ui":true,"locations":[[-9.1393,38.7223],[21.0122,52.2297]]}`,
	} {
		result := callTool(t, session, "tomtom-routing", arguments)
		data := result.AppData(t)
		if data == nil {
			t.Fatalf("status %s", result.Status(t))
		}
		if limit := 120_000; testkit.Chars(result.Raw) >= limit {
			t.Errorf("%d characters", testkit.Chars(result.Raw))
		}
		// A widget whose host has dropped _meta asks by what stands in the text.
		var text struct {
			Ref string `json:"app_data_ref"`
		}
		if err := json.Unmarshal([]byte(result.OnlyText(t)), &text); err != nil || text.Ref == "" {
			t.Fatalf("no reference: %v", err)
		}
		fetched := callTool(t, session, "tomtom-get-app-data", `{"app_data_ref":"`+text.Ref+`"}`)
		var packed struct {
			AppData string `json:"app_data"`
		}
		if err := json.Unmarshal([]byte(fetched.OnlyText(t)), &packed); err != nil {
			t.Fatal(err)
		}
		testkit.SameBytes(t, "app data by reference", testkit.DecodeAppData(t, packed.AppData), data)
	}
	unknown, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tomtom-get-app-data", Arguments: json.RawMessage(`{"app_data_ref":"x"}`)})
	if err != nil || !unknown.IsError || !strings.Contains(unknown.Content[0].(*mcp.TextContent).Text, "no longer kept") {
		t.Errorf("an unknown reference: %v %+v", err, unknown)
	}
	status := callTool(t, session, "tomtom-report-app-status", `{"tool":"tomtom-routing","outcome":"drawn","source":"fetched"}`)
	if status.OnlyText(t) != "ok" {
		t.Errorf("status %s", status.Raw)
	}
	if key := callTool(t, session, "tomtom-get-api-key", `{}`); key.OnlyText(t) != testkit.Key {
		t.Errorf("key %s", key.Raw)
	}
}

func callTool(t *testing.T, session *mcp.ClientSession, tool, arguments string) testkit.Result {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.ParseResult(t, raw)
}

// TestStdioWithoutMaps: what an older server answers without MAPS has no maps, and passes byte for byte.
func TestStdioWithoutMaps(t *testing.T) {
	binary := testkit.Binary(t)
	message := testkit.CallMessage("1", "tomtom-geocode", `{"query":"Amsterdam"}`)
	direct, _, _ := testkit.Run(t, []byte(message+"\n"), []string{"MAPS=tomtom-maps"}, "demo", "-upstream-stdio")
	through, _, code := testkit.Run(t, []byte(message+"\n"), []string{"MAPS=tomtom-maps"}, "--stdio", "--", binary, "demo", "-upstream-stdio")
	if through != direct || code != 0 || !strings.Contains(direct, `\"results\"`) {
		t.Errorf("exit code %d\nheard  %.300s\ndirect %.300s", code, through, direct)
	}
}
