package hosts

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tomtom-mcp-gateway/e2e/testkit"
)

const (
	eraText = `{"features":[],"n":1.50,"_meta":{"show_ui":true,"viz_id":"8aebc4ba-6dcd-4516-a2d3-5cb9c3823503"}}`
	eraData = `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[4.1234567,52.1],[4.2,52.2000]]},"properties":{}}]}`
)

// eraHost is a go-sdk client with what its handlers heard.
type eraHost struct {
	*mcp.ClientSession
	progress, logged, changed chan string
}

func connectEra(t *testing.T, url, version string) eraHost {
	t.Helper()
	h := eraHost{progress: make(chan string, 16), logged: make(chan string, 16), changed: make(chan string, 16)}
	capabilities := &mcp.ClientCapabilities{}
	capabilities.AddExtension("io.modelcontextprotocol/ui", map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}})
	options := &mcp.ClientOptions{
		Capabilities: capabilities,
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			h.progress <- r.Params.Message
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { //nolint:staticcheck // deprecated, and used by hosts
			text, _ := r.Params.Data.(string)
			h.logged <- text
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { h.changed <- "tools" },
	}
	testkit.CanBeAsked(options)
	client := mcp.NewClient(&mcp.Implementation{Name: "era-host", Version: "1"}, options)
	testkit.GiveRoots(client)
	transport := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withKey{}}, MaxRetries: -1}
	session, err := client.Connect(context.WithoutCancel(t.Context()), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect as %s: %v", version, err)
	}
	t.Cleanup(func() { _ = session.Close() })
	h.ClientSession = session
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	return h
}

// eraUpstreams are the go-sdk's server as each kind of upstream.
var eraUpstreams = map[string]func() *testkit.Modern{
	"modern": func() *testkit.Modern { return testkit.NewModern(eraText, eraData, "2026-07-28") },
	"both":   func() *testkit.Modern { return testkit.NewModern(eraText, eraData) },
	"legacy": func() *testkit.Modern {
		return testkit.NewModern(eraText, eraData, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
	},
	"legacy with sessions": func() *testkit.Modern { return testkit.NewModern(eraText, eraData).WithSessions() },
}

// TestErasWithTheSDK: every kind of host in front of every kind of upstream, both made of the go-sdk.
func TestErasWithTheSDK(t *testing.T) {
	for kind, newUpstream := range eraUpstreams {
		for _, version := range versions {
			t.Run(version+" host, "+kind+" upstream", func(t *testing.T) {
				up := testkit.StartUpstream(t, newUpstream())
				g := testkit.StartGateway(t, up.URL)
				host := connectEra(t, g.URL, version)
				if _, ok := host.InitializeResult().Capabilities.Extensions["io.modelcontextprotocol/ui"]; !ok {
					t.Error("the extension is not declared")
				}
				if info := host.InitializeResult().ServerInfo; info == nil || info.Name != "modern-upstream" || info.Version != "7" {
					t.Errorf("server %+v", info)
				}
				checkEraLists(t, host)
				checkEraCalls(t, host, up)
				checkEraNotifications(t, host)
				checkEraInput(t, host, up, kind, version)
			})
		}
	}
}

func checkEraLists(t *testing.T, host eraHost) {
	t.Helper()
	list, err := host.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "tomtom-routing" })
	if i < 0 || slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "tomtom-get-viz-data" }) {
		t.Fatalf("%d tools", len(list.Tools))
	}
	uri, _ := list.Tools[i].Meta["ui/resourceUri"].(string)
	read, err := host.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil || !strings.HasPrefix(uri, "ui://tomtom-mcp-gateway/") || len(read.Contents) != 1 || read.Contents[0].MIMEType != "text/html;profile=mcp-app" {
		t.Errorf("widget %s: %v", uri, err)
	}
	resources, err := host.ListResources(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(resources.Resources, func(r *mcp.Resource) bool { return r.URI == uri }) ||
		!slices.ContainsFunc(resources.Resources, func(r *mcp.Resource) bool { return r.URI == "file:///a.txt" }) {
		t.Errorf("resources: %v", err)
	}
	if own, err := host.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///a.txt"}); err != nil || own.Contents[0].Text != "a" {
		t.Errorf("the upstream's resource: %v", err)
	}
}

func checkEraCalls(t *testing.T, host eraHost, up *testkit.Upstream) {
	t.Helper()
	up.Forget()
	result, err := host.CallTool(t.Context(), &mcp.CallToolParams{Name: "tomtom-routing", Arguments: map[string]any{"show_ui": true}})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(result)
	got := testkit.ParseResult(t, raw)
	if got.Status(t) != "inline" || string(got.AppData(t)) != eraData || up.Calls("tomtom-routing") != 1 || up.Calls("tomtom-get-viz-data") != 1 {
		t.Errorf("%s, %d calls, %d redemptions", raw, up.Calls("tomtom-routing"), up.Calls("tomtom-get-viz-data"))
	}
	data, err := host.CallTool(t.Context(), &mcp.CallToolParams{Name: "tomtom-get-app-data", Arguments: map[string]any{"geojson": "{}"}})
	if err != nil || data.IsError || up.Calls("tomtom-data-viz") != 1 {
		t.Errorf("app data: %v", err)
	}
	status, err := host.CallTool(t.Context(), &mcp.CallToolParams{Name: "tomtom-report-app-status", Arguments: map[string]any{"tool": "tomtom-routing", "outcome": "drawn", "source": "inline"}})
	if err != nil || status.IsError {
		t.Errorf("status: %v", err)
	}
	if _, err := host.CallTool(t.Context(), &mcp.CallToolParams{Name: "nobody"}); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("an unknown tool: %v", err)
	}
	if _, err := host.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///none"}); err == nil {
		t.Error("an unknown resource was read")
	}
}

func checkEraNotifications(t *testing.T, host eraHost) {
	t.Helper()
	params := &mcp.CallToolParams{Name: "notify", Meta: mcp.Meta{}}
	params.SetProgressToken("p")
	if host.InitializeResult().ProtocolVersion >= "2026-07-28" {
		params.Meta["io.modelcontextprotocol/logLevel"] = "info"
	} else if err := host.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil { //nolint:staticcheck // as above
		t.Errorf("set the level: %v", err)
	}
	if _, err := host.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	if got := testkit.Receive(t, "progress", host.progress); got != "half" {
		t.Errorf("progress %q", got)
	}
	if got := testkit.Receive(t, "a line of the log", host.logged); got != "logged" {
		t.Errorf("logged %q", got)
	}
}

// checkEraInput: what an upstream asks for reaches its host, and the answer reaches the upstream. The go-sdk's server without
// sessions has no way to ask hosts of the legacy era for anything.
func checkEraInput(t *testing.T, host eraHost, up *testkit.Upstream, kind, version string) {
	t.Helper()
	modern := version == "2026-07-28"
	for _, tool := range testkit.AskingTools {
		up.Forget()
		result, err := host.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
		switch {
		case kind == "legacy" || kind == "both" && !modern:
			if err == nil && !result.IsError {
				t.Errorf("%s: %+v", tool, result)
			}
			continue
		case err != nil || len(result.Content) != 1 || result.Content[0].(*mcp.TextContent).Text != "hello Ada":
			t.Errorf("%s: %v %+v", tool, err, result)
		}
		// One call, or, as 2026-07-28 has it, one that asks and one that answers.
		want := 1
		if kind == "modern" || kind == "both" {
			want = 2
		}
		if n := up.Calls(tool); n != want {
			t.Errorf("%s: %d requests reached the upstream, want %d", tool, n, want)
		}
	}
	if err := host.Ping(t.Context(), nil); !modern && err != nil {
		t.Errorf("then ping: %v", err)
	}
}

// TestErasCancelWithTheSDK: a host that gives a call up ends it at its upstream, whichever way either says so.
func TestErasCancelWithTheSDK(t *testing.T) {
	for _, kind := range []string{"modern", "legacy with sessions"} {
		for _, version := range versions {
			t.Run(version+" host, "+kind+" upstream", func(t *testing.T) {
				upstream := eraUpstreams[kind]()
				g := testkit.StartGateway(t, testkit.StartUpstream(t, upstream).URL)
				host := connectEra(t, g.URL, version)
				ctx, giveUp := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() {
					params := &mcp.CallToolParams{Name: "wait", Meta: mcp.Meta{}}
					params.SetProgressToken("w")
					_, err := host.CallTool(ctx, params)
					done <- err
				}()
				testkit.Receive(t, "the call to run", host.progress)
				giveUp()
				testkit.Receive(t, "the upstream to notice", upstream.Cancelled)
				if err := testkit.Receive(t, "the host's call to end", done); err == nil {
					t.Error("no error")
				}
			})
		}
	}
}

// TestErasListChangedWithTheSDK: a change of the upstream's list reaches hosts of either era. (The go-sdk's server has no stream
// for it in the legacy era without sessions.)
func TestErasListChangedWithTheSDK(t *testing.T) {
	for _, kind := range []string{"modern", "legacy with sessions"} {
		for _, version := range versions {
			t.Run(version+" host, "+kind+" upstream", func(t *testing.T) {
				modern := eraUpstreams[kind]()
				up := testkit.StartUpstream(t, modern)
				host := connectEra(t, testkit.StartGateway(t, up.URL).URL, version)
				if _, err := host.ListTools(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				testkit.Eventually(t, "the host's stream to reach the upstream", func() bool { return hasStream(up) })
				modern.AddTool()
				testkit.Receive(t, "the change", host.changed)
				list, err := host.ListTools(t.Context(), nil)
				if err != nil || !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "late" }) {
					t.Errorf("the list after the change: %v", err)
				}
			})
		}
	}
}

// hasStream reports whether the upstream was asked for the changes of its lists.
func hasStream(up *testkit.Upstream) bool {
	return slices.ContainsFunc(append(up.Exchanges(), up.Questions()...), func(e testkit.Exchange) bool {
		return e.Method == http.MethodGet || slices.Contains(e.RPCMethods, "subscriptions/listen")
	})
}
