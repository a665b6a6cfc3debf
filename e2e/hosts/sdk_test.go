package hosts

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

const seed = 42

// TestSDKHostCallsEveryTool: a host made of the go-sdk, in both revisions, calls each tool through the gateway. What its
// widget gets is what the upstream's own tomtom-get-viz-data gives on a twin of the same seed.
func TestSDKHostCallsEveryTool(t *testing.T) {
	up := testkit.StartDemo(t, upstream.Options{Seed: seed})
	twin := testkit.StartDemo(t, upstream.Options{Seed: seed})
	g := testkit.StartGateway(t, up.URL)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			session := connect(t, g.URL, version, true)
			for _, c := range calls {
				t.Run(c.name, func(t *testing.T) {
					up.Forget()
					result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
					if err != nil {
						t.Fatal(err)
					}
					if n := up.Calls(c.tool); n != 1 {
						t.Errorf("%d calls reached the upstream", n)
					}
					raw, err := json.Marshal(result)
					if err != nil {
						t.Fatal(err)
					}
					got := testkit.ParseResult(t, raw)
					want, data := fromUpstream(t, twin.URL, c.tool, c.arguments)
					checkText(t, got, want, c)
					checkAppData(t, got, data, c)
				})
			}
		})
	}
}

// checkAppData holds a result's app data against what the upstream cached.
func checkAppData(t *testing.T, got testkit.Result, want []byte, c call) {
	t.Helper()
	if got.Status(t) != c.status {
		t.Fatalf("status %q, want %q", got.Status(t), c.status)
	}
	if got.MetaString(t, "tool") != c.tool {
		t.Errorf("_meta.tool %q", got.MetaString(t, "tool"))
	}
	data := got.AppData(t)
	switch c.status {
	case "inline":
		if strings.Contains(string(want), `"apiKey"`) && c.tool != "tomtom-data-viz" {
			stripped, _ := json.Marshal(withoutAPIKey(testkit.Tree(t, want)))
			testkit.SameJSON(t, "app data", data, stripped)
			return
		}
		testkit.SameBytes(t, "app data", data, want)
	case "fitted":
		testkit.CheckFitted(t, data, want, *got.Simplification(t))
	default:
		if data != nil {
			t.Error("app data with status " + c.status)
		}
	}
}

// TestSDKHostSeesOneServer: lists, the widget, and the app-only tools.
func TestSDKHostSeesOneServer(t *testing.T) {
	up := testkit.StartDemo(t, upstream.Options{Seed: seed})
	g := testkit.StartGateway(t, up.URL)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			session := connect(t, g.URL, version, true)
			if _, ok := session.InitializeResult().Capabilities.Extensions["io.modelcontextprotocol/ui"]; !ok {
				t.Error("the extension is not declared, so Claude would not draw")
			}
			list, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]bool{}
			uris := map[string]bool{}
			for _, tool := range list.Tools {
				names[tool.Name] = true
				if uri, ok := tool.Meta["ui/resourceUri"].(string); ok {
					uris[uri] = true
				}
			}
			if names["tomtom-get-viz-data"] || !names["tomtom-get-app-data"] || !names["tomtom-report-app-status"] || !names["tomtom-routing"] {
				t.Errorf("tools %v", names)
			}
			if len(uris) != 1 {
				t.Fatalf("widgets %v", uris)
			}
			for uri := range uris {
				read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if err != nil {
					t.Fatal(err)
				}
				if len(read.Contents) != 1 || read.Contents[0].URI != uri || read.Contents[0].MIMEType != "text/html;profile=mcp-app" || read.Contents[0].Meta["ui"] == nil {
					t.Errorf("%+v", read.Contents)
				}
			}
			resources, err := session.ListResources(t.Context(), nil)
			if err != nil || len(resources.Resources) == 0 {
				t.Errorf("resources: %v", err)
			}
			key, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tomtom-get-api-key"})
			if err != nil || key.Content[0].(*mcp.TextContent).Text != testkit.Key {
				t.Errorf("key: %v", err)
			}
			status, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tomtom-report-app-status", Arguments: map[string]any{
				"tool": "tomtom-routing", "outcome": "drawn", "source": "inline", "duration_ms": 12,
			}})
			if err != nil || status.IsError || status.Content[0].(*mcp.TextContent).Text != "ok" {
				t.Errorf("status: %v %+v", err, status)
			}
			data, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tomtom-get-app-data", Arguments: map[string]any{
				"layers": []any{map[string]any{"type": "markers"}}, "geojson": points(600),
			}})
			if err != nil || data.IsError {
				t.Fatalf("app data: %v %+v", err, data)
			}
			var fetched struct {
				AppData string `json:"app_data"`
			}
			if err := json.Unmarshal([]byte(data.Content[0].(*mcp.TextContent).Text), &fetched); err != nil {
				t.Fatal(err)
			}
			doc := testkit.Tree(t, testkit.DecodeAppData(t, fetched.AppData)).(map[string]any)
			own, _ := json.Marshal(doc["geojson"])
			testkit.SameJSON(t, "the caller's own data", own, []byte(points(600)))
		})
	}
}

// TestSDKHostWithoutApps: the agent's text and nothing else.
func TestSDKHostWithoutApps(t *testing.T) {
	up := testkit.StartDemo(t, upstream.Options{Seed: seed})
	g := testkit.StartGateway(t, up.URL)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			session := connect(t, g.URL, version, false)
			list, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range list.Tools {
				if tool.Meta["ui"] != nil || tool.Name == "tomtom-get-app-data" || tool.Name == "tomtom-get-api-key" {
					t.Errorf("%s %v", tool.Name, tool.Meta)
				}
			}
			up.Forget()
			for _, c := range calls {
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
				if err != nil || result.IsError {
					t.Fatalf("%s: %v", c.name, err)
				}
				raw, _ := json.Marshal(result)
				for _, unwanted := range []string{"com.tomtom/", "viz_id", `\"show_ui\"`, `\"_meta\"`} {
					if strings.Contains(string(raw), unwanted) {
						t.Errorf("%s: %s in the result", c.name, unwanted)
					}
				}
			}
			if n := up.Calls("tomtom-get-viz-data"); n != 0 {
				t.Errorf("%d redemptions", n)
			}
		})
	}
}

// TestLimitsPerToolInFrontOfTheDemo: each result just under its own limit.
func TestLimitsPerToolInFrontOfTheDemo(t *testing.T) {
	up := testkit.StartDemo(t, upstream.Options{Seed: seed})
	g := testkit.StartGateway(t, up.URL, "GATEWAY_RESULT_LIMIT=110000",
		"GATEWAY_TOOL_LIMITS=tomtom-routing=80000,tomtom-search-along-route=70000,tomtom-dynamic-map=60000")
	limits := map[string]int{"tomtom-routing": 80_000, "tomtom-search-along-route": 70_000, "tomtom-dynamic-map": 60_000}
	for _, c := range calls {
		if c.status == "text" {
			continue // the caller asked for all of it as text
		}
		t.Run(c.name, func(t *testing.T) {
			r := testkit.Client{URL: g.URL}.Call(t, c.tool, c.arguments)
			limit, ok := limits[c.tool]
			if !ok {
				limit = 110_000
			}
			chars := testkit.Chars(r.Raw)
			for _, item := range r.Content {
				chars -= len(item.Data)
			}
			if chars >= limit {
				t.Errorf("%d characters, limit %d", chars, limit)
			}
			if status := r.Status(t); status != c.status && (c.status != "inline" || status != "fitted") {
				t.Errorf("status %q", status)
			}
		})
	}
}

// TestOlderAndNewerUpstreams: no cache, another name of the handle, and the Genesis back end.
func TestOlderAndNewerUpstreams(t *testing.T) {
	twin := testkit.StartDemo(t, upstream.Options{Seed: seed})
	const arguments = `{"show_ui":true,"locations":[` + amsterdam + `,` + berlin + `]}`
	_, want := fromUpstream(t, twin.URL, "tomtom-routing", arguments)
	t.Run("newer", func(t *testing.T) {
		g := testkit.StartGateway(t, testkit.StartDemo(t, upstream.Options{Seed: seed, Newer: true}).URL)
		testkit.SameBytes(t, "app data", testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", arguments).AppData(t), want)
	})
	t.Run("untrimmed", func(t *testing.T) {
		g := testkit.StartGateway(t, testkit.StartDemo(t, upstream.Options{Seed: seed, Untrimmed: true}).URL)
		r := testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", `{"locations":[`+amsterdam+`,`+berlin+`]}`)
		data := r.AppData(t)
		if data == nil {
			t.Fatalf("status %q", r.Status(t))
		}
		if r.Status(t) == "inline" {
			testkit.SameJSON(t, "app data", data, want)
		} else {
			testkit.CheckFitted(t, data, want, *r.Simplification(t))
		}
		if strings.Contains(r.OnlyText(t), `"coordinates"`) {
			t.Error("the text still has the line")
		}
	})
	t.Run("genesis", func(t *testing.T) {
		up := testkit.StartDemo(t, upstream.Options{Seed: seed, Genesis: true})
		g := testkit.StartGateway(t, up.URL)
		message := testkit.CallMessage("1", "tomtom-geocode", `{"query":"Amsterdam"}`)
		direct, through := testkit.Client{URL: up.URL}.Post(t, message), testkit.Client{URL: g.URL}.Post(t, message)
		testkit.SameBytes(t, "answer", through.Body, direct.Body)
	})
}
