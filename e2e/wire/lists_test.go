package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// listed is a tools/list entry as a host reads it.
type listed struct {
	Name        string          `json:"name"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Meta        struct {
		UI *struct {
			ResourceURI string   `json:"resourceUri"`
			Visibility  []string `json:"visibility"`
		} `json:"ui"`
		Flat     string `json:"ui/resourceUri"`
		Template string `json:"openai/outputTemplate"`
	} `json:"_meta"`
}

func toolsOf(t *testing.T, r testkit.Result) map[string]listed {
	t.Helper()
	var list struct {
		Tools []listed `json:"tools"`
	}
	if err := json.Unmarshal(r.Raw, &list); err != nil {
		t.Fatal(err)
	}
	byName := map[string]listed{}
	for _, tool := range list.Tools {
		byName[tool.Name] = tool
	}
	if len(byName) != len(list.Tools) {
		t.Errorf("a tool is listed twice in %s", r.Raw)
	}
	return byName
}

// read reads a resource and returns its only content.
func read(t *testing.T, c testkit.Client, uri string) content {
	t.Helper()
	r := c.Post(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri)).Result(t)
	var contents struct {
		Contents []content `json:"contents"`
	}
	if err := json.Unmarshal(r.Raw, &contents); err != nil {
		t.Fatal(err)
	}
	if len(contents.Contents) != 1 {
		t.Fatalf("%s has %d contents", uri, len(contents.Contents))
	}
	return contents.Contents[0]
}

type content struct {
	URI      string    `json:"uri"`
	MIMEType string    `json:"mimeType"`
	Text     string    `json:"text"`
	Meta     metaUICSP `json:"_meta"`
}

type metaUICSP struct {
	UI struct {
		CSP *struct {
			ConnectDomains  []string `json:"connectDomains"`
			ResourceDomains []string `json:"resourceDomains"`
		} `json:"csp"`
	} `json:"ui"`
}

// widgetList is an upstream's list with a tool of each kind. Entries carry odd spellings that must survive.
func widgetList() *testkit.Script {
	return testkit.NewScript(
		testkit.ListedTool("tomtom-routing"), testkit.ListedTool("tomtom-data-viz"), testkit.ListedTool("tomtom-traffic"),
		`{ "name":"someone-elses", "inputSchema":{"type":"object","properties":{"show_ui":{"type":"boolean"}}},"n":1.50,"_meta":{"ui":{"resourceUri":"ui://theirs/x.html"}}}`,
		`{"name":"tomtom-get-api-key","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["app"]}}}`,
		`{"name":"tomtom-get-viz-data","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["app"]}}}`,
		`{"name":"tomtom-get-dataset","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["app"]}}}`,
	)
}

// TestToolsListBindsOneWidget: three spellings of one URI that the gateway serves; app-only tools; no cache tools.
func TestToolsListBindsOneWidget(t *testing.T) {
	p := start(t, widgetList())
	r := p.client().Post(t, listTools).Result(t)
	tools := toolsOf(t, r)
	var uri string
	for _, name := range []string{"tomtom-routing", "tomtom-data-viz", "tomtom-traffic"} {
		m := tools[name].Meta
		if m.UI == nil || m.UI.ResourceURI == "" || m.Flat != m.UI.ResourceURI || m.Template != m.UI.ResourceURI {
			t.Errorf("%s is bound by %+v", name, m)
			continue
		}
		if uri == "" {
			uri = m.UI.ResourceURI
		}
		if m.UI.ResourceURI != uri {
			t.Errorf("%s is bound to %s, others to %s", name, m.UI.ResourceURI, uri)
		}
	}
	if got := read(t, p.client(), uri); got.URI != uri {
		t.Errorf("read under %s", got.URI)
	}
	for _, name := range []string{"tomtom-get-app-data", "tomtom-report-app-status", "tomtom-get-api-key"} {
		if m := tools[name].Meta; m.UI == nil || !slices.Equal(m.UI.Visibility, []string{"app"}) {
			t.Errorf("%s: %+v", name, m.UI)
		}
	}
	for _, name := range []string{"tomtom-get-viz-data", "tomtom-get-dataset"} {
		if _, ok := tools[name]; ok {
			t.Errorf("%s is listed", name)
		}
	}
	testkit.SameJSON(t, "input of tomtom-get-app-data", tools["tomtom-get-app-data"].InputSchema, tools["tomtom-data-viz"].InputSchema)
	if !strings.Contains(string(r.Raw), `{ "name":"someone-elses", "inputSchema":{"type":"object","properties":{"show_ui":{"type":"boolean"}}},"n":1.50,"_meta":{"ui":{"resourceUri":"ui://theirs/x.html"}}}`) {
		t.Errorf("another server's tool changed: %s", r.Raw)
	}
	if !strings.Contains(string(tools["tomtom-routing"].InputSchema), `"show_ui"`) || !strings.Contains(string(r.Raw), `"backend":"tomtom-orbis-maps"`) {
		t.Error("members of a bound tool are lost")
	}
}

// TestListWithoutTheTool: no data-viz upstream, no tool that fetches its data.
func TestListWithoutTheTool(t *testing.T) {
	p := start(t, testkit.NewScript(testkit.ListedTool("tomtom-routing")))
	if _, ok := toolsOf(t, p.client().Post(t, listTools).Result(t))["tomtom-get-app-data"]; ok {
		t.Error("tomtom-get-app-data is listed without the tool it runs")
	}
}

// TestBoundURIsAreServed: a tool bound to a URI that nobody serves would never draw, so each can be read and no mismatch
// is logged.
func TestBoundURIsAreServed(t *testing.T) {
	p := start(t, widgetList())
	for name, tool := range toolsOf(t, p.client().Post(t, listTools).Result(t)) {
		if tool.Meta.UI == nil || tool.Meta.UI.ResourceURI == "" || name == "someone-elses" {
			continue
		}
		if c := read(t, p.client(), tool.Meta.UI.ResourceURI); c.Text == "" {
			t.Errorf("%s: nothing under %s", name, tool.Meta.UI.ResourceURI)
		}
	}
	if strings.Contains(p.LogText(), `"level":"ERROR"`) {
		t.Errorf("an error was logged:\n%s", p.LogText())
	}
}

// TestWidgetResource: one self-contained document with its CSP, equal in listing and reading, under a hashed URI.
func TestWidgetResource(t *testing.T) {
	p := start(t, widgetList())
	uri := toolsOf(t, p.client().Post(t, listTools).Result(t))["tomtom-routing"].Meta.Flat
	if !strings.HasPrefix(uri, "ui://tomtom-mcp-gateway/map-") || !strings.HasSuffix(uri, ".html") {
		t.Errorf("URI %s", uri)
	}
	got := read(t, p.client(), uri)
	if got.MIMEType != "text/html;profile=mcp-app" || got.Meta.UI.CSP == nil {
		t.Fatalf("%s, %+v", got.MIMEType, got.Meta)
	}
	if !strings.Contains(strings.ToLower(got.Text[:200]), "<!doctype html") {
		t.Errorf("no HTML: %q", got.Text[:200])
	}
	for _, outside := range []string{`src="http`, `href="http`, `src='http`, `@import`, `<link`} {
		if strings.Contains(got.Text, outside) {
			t.Errorf("the document is not self-contained: %s", outside)
		}
	}
	r := p.client().Post(t, `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`).Result(t)
	var list struct {
		Resources []content `json:"resources"`
	}
	if err := json.Unmarshal(r.Raw, &list); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, l := range list.Resources {
		if l.URI != uri {
			continue
		}
		found++
		a, _ := json.Marshal(l.Meta.UI)
		b, _ := json.Marshal(got.Meta.UI)
		if l.MIMEType != got.MIMEType || string(a) != string(b) {
			t.Errorf("listed as %s %s, read as %s %s", l.MIMEType, a, got.MIMEType, b)
		}
	}
	if found != 1 {
		t.Errorf("the widget is listed %d times: %s", found, r.Raw)
	}
}

// TestOtherWidgetURIs: another hash and the upstream's own URIs answer with the current widget under the URI asked for.
func TestOtherWidgetURIs(t *testing.T) {
	p := start(t, widgetList())
	current := read(t, p.client(), toolsOf(t, p.client().Post(t, listTools).Result(t))["tomtom-routing"].Meta.Flat)
	p.up.Forget()
	for _, uri := range []string{
		"ui://tomtom-mcp-gateway/map-00000000.html", "ui://tomtom-x/app.html", "ui://tomtom-routing/route-planner/app.html",
	} {
		got := read(t, p.client(), uri)
		if got.URI != uri || got.Text != current.Text || got.MIMEType != current.MIMEType {
			t.Errorf("%s answered as %s", uri, got.URI)
		}
	}
	if n := len(p.up.Exchanges()); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
}

// TestURIHashCoversConfiguration: another tile server is another document, another CSP, another URI; two processes of one
// configuration agree.
func TestURIHashCoversConfiguration(t *testing.T) {
	up := testkit.StartUpstream(t, widgetList())
	uris := map[string]string{}
	for _, tiles := range []string{"https://a.test/{z}/{x}/{y}", "https://b.test/{z}/{x}/{y}", "https://b.test/v2/{z}/{x}/{y}", "https://a.test/{z}/{x}/{y}"} {
		c := testkit.Client{URL: testkit.StartGateway(t, up.URL, "GATEWAY_TILES="+tiles).URL}
		uri := toolsOf(t, c.Post(t, listTools).Result(t))["tomtom-routing"].Meta.Flat
		if before, ok := uris[tiles]; ok && before != uri {
			t.Errorf("%s: %s and %s", tiles, before, uri)
		}
		uris[tiles] = uri
		origin := tiles[:len("https://a.test")]
		if csp := read(t, c, uri).Meta.UI.CSP; !slices.Contains(csp.ConnectDomains, origin) && !slices.Contains(csp.ResourceDomains, origin) {
			t.Errorf("%s is in no CSP: %+v", origin, csp)
		}
	}
	distinct := map[string]bool{}
	for _, uri := range uris {
		distinct[uri] = true
	}
	if len(distinct) != len(uris) {
		t.Errorf("different documents under one URI: %v", uris)
	}
}

// TestInitializeDeclaresTheExtension: and keeps everything else.
func TestInitializeDeclaresTheExtension(t *testing.T) {
	script := testkit.NewScript()
	p := start(t, script)
	for name, capabilities := range map[string]string{
		"none":             `{}`,
		"others":           `{"tools":{"listChanged":true},"x":1.50}`,
		"other extensions": `{"extensions":{"com.example/x":{"n":1.0}}}`,
		"declared already": `{"extensions":{"io.modelcontextprotocol/ui":{}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			script.On("initialize", testkit.Event(`{"protocolVersion":"2025-06-18","capabilities":`+capabilities+`,"serverInfo":{"name":"s","version":"1.0"},"instructions":"\u003cx"}`))
			r := p.client().Post(t, initialize("2025-06-18", `{}`)).Result(t)
			var got struct {
				Capabilities json.RawMessage `json:"capabilities"`
			}
			decode(t, string(r.Raw), &got)
			want := testkit.Tree(t, []byte(capabilities)).(map[string]any)
			have := testkit.Tree(t, got.Capabilities).(map[string]any)
			extensions, _ := want["extensions"].(map[string]any)
			if extensions == nil {
				extensions = map[string]any{}
			}
			extensions["io.modelcontextprotocol/ui"] = map[string]any{}
			want["extensions"] = extensions
			for _, own := range []string{"tools", "resources"} { // the gateway has both, whatever the upstream has
				if _, ok := want[own]; !ok {
					delete(have, own)
				}
			}
			if !reflect.DeepEqual(have, want) {
				t.Errorf("capabilities %s", got.Capabilities)
			}
			if !strings.HasSuffix(string(r.Raw), `,"serverInfo":{"name":"s","version":"1.0"},"instructions":"\u003cx"}`) {
				t.Errorf("the rest changed: %s", r.Raw)
			}
		})
	}
}

// TestConfigurationCannotBreakOutOfTheDocument: what is embedded is data, whatever it contains; a tile template that is
// no URL is refused before that.
func TestConfigurationCannotBreakOutOfTheDocument(t *testing.T) {
	const hostile = `</script><script>alert(1)</script><!--`
	up := testkit.StartUpstream(t, widgetList())
	g := testkit.StartGateway(t, up.URL, "GATEWAY_TILES_ATTRIBUTION=Map © us "+hostile)
	c := testkit.Client{URL: g.URL}
	got := read(t, c, toolsOf(t, c.Post(t, listTools).Result(t))["tomtom-routing"].Meta.Flat).Text
	if strings.Contains(got, hostile) || strings.Contains(got, "<script>alert(1)") {
		t.Error("the attribution stands unescaped in the document")
	}
	if !strings.Contains(got, "Map © us ") {
		t.Error("the attribution is not in the document")
	}
	_, stderr, code := testkit.Run(t, nil, []string{"GATEWAY_UPSTREAM_URL=" + up.URL, "GATEWAY_TILES=https://a.test/{z}/{x}/{y}?q=" + hostile})
	if code != 2 || !strings.Contains(stderr, "GATEWAY_TILES") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
