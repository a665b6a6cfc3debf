package proxy

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

var updateLists = flag.Bool("update-lists", false, "write the golden lists anew")

var (
	testWidget = Resource{
		URI: "ui://tomtom-mcp-gateway/map-0123456789.html", Name: "tomtom-map", MIMEType: uiMIMEType,
		HTML:           []byte("<!doctype html><title>\"Map\"</title>\n"),
		ConnectDomains: []string{"https://api.tomtom.com"}, ResourceDomains: []string{"https://api.tomtom.com", "https://tiles.example"},
	}
	withApps    = client{apps: true, because: causeDeclared}
	withoutApps = client{because: causeDeclared}
)

// editedTools applies editToolsList to a result that stands in a response, and returns the result.
func editedTools(t testing.TB, result string, c client, follows bool) (string, listReport) {
	t.Helper()
	const before, after = `{"result":`, `,"jsonrpc":"2.0","id":1}`
	doc := []byte(before + result + after)
	m := scanned(t, doc)
	edits, report := editToolsList(doc, m.result, c, testWidget, follows)
	edited := string(jsonspan.Apply(nil, doc, edits))
	if !strings.HasPrefix(edited, before) || !strings.HasSuffix(edited, after) {
		t.Fatalf("bytes outside of the result changed: %s", edited)
	}
	return edited[len(before) : len(edited)-len(after)], report
}

// scanned returns the one message of a body.
func scanned(t testing.TB, body []byte) message {
	t.Helper()
	messages, _, err := scanMessages(body)
	if err != nil || len(messages) != 1 {
		t.Fatalf("scan %s: %d messages, %v", body, len(messages), err)
	}
	return messages[0]
}

const (
	u         = `"ui://tomtom-mcp-gateway/map-0123456789.html"`
	boundMeta = `"_meta":{"ui":{"resourceUri":` + u + `},"ui/resourceUri":` + u + `,"openai/outputTemplate":` + u + `}`
)

func TestEditToolsListBinds(t *testing.T) {
	status := "," + string(statusTool)
	for name, test := range map[string]struct{ tools, want string }{
		"without _meta":         {`[{"name":"tomtom-routing"}]`, `[{"name":"tomtom-routing",` + boundMeta + `}` + status + `]`},
		"null _meta":            {`[{"_meta":null,"name":"tomtom-routing"}]`, `[{` + boundMeta + `,"name":"tomtom-routing"}` + status + `]`},
		"_meta of another kind": {`[{"name":"tomtom-routing","_meta":[1]}]`, `[{"name":"tomtom-routing",` + boundMeta + `}` + status + `]`},
		"empty _meta":           {`[{"name":"tomtom-routing","_meta":{ }}]`, `[{"name":"tomtom-routing","_meta":{` + boundMeta[len(`"_meta":{`):len(boundMeta)-1] + ` }}` + status + `]`},
		"members are replaced where they stand": {
			`[{"name":"tomtom-routing","_meta":{"ui/resourceUri" : "ui://x/y" ,"backend":"tomtom-orbis-maps","ui":{"a":1.0,"resourceUri":"ui://x/y","visibility":["model","app"]}}}]`,
			`[{"name":"tomtom-routing","_meta":{"ui/resourceUri" : ` + u + ` ,"backend":"tomtom-orbis-maps","ui":{"a":1.0,"resourceUri":` + u + `,"visibility":["model","app"]},"openai/outputTemplate":` + u + `}}` + status + `]`,
		},
		"null ui":         {`[{"name":"tomtom-routing","_meta":{"ui":null,"ui/resourceUri":7}}]`, `[{"name":"tomtom-routing","_meta":{"ui":{"resourceUri":` + u + `},"ui/resourceUri":` + u + `,"openai/outputTemplate":` + u + `}}` + status + `]`},
		"escaped names":   {`[{"\u006eame":"tomtom\u002drouting","\u005fmeta":{"\u0075i":{"resource\u0055ri":"a"},"ui\/resourceUri":"b","openai/outputTemplate":"c"}}]`, `[{"\u006eame":"tomtom\u002drouting","\u005fmeta":{"\u0075i":{"resource\u0055ri":` + u + `},"ui\/resourceUri":` + u + `,"openai/outputTemplate":` + u + `}}` + status + `]`},
		"repeated _meta":  {`[{"_meta":{"ui":{"resourceUri":"a"}},"name":"tomtom-routing","_meta":null}]`, `[{"_meta":{"ui":{"resourceUri":` + u + `},"ui/resourceUri":` + u + `,"openai/outputTemplate":` + u + `},"name":"tomtom-routing",` + boundMeta + `}` + status + `]`},
		"repeated member": {`[{"name":"tomtom-routing","_meta":{"ui":1,"ui":{"resourceUri":"a","resourceUri":"b"},"ui/resourceUri":"a","openai/outputTemplate":"a"}}]`, `[{"name":"tomtom-routing","_meta":{"ui":{"resourceUri":` + u + `},"ui":{"resourceUri":` + u + `,"resourceUri":` + u + `},"ui/resourceUri":` + u + `,"openai/outputTemplate":` + u + `}}` + status + `]`},
		"white space stays": {
			"[ {\n \"name\" : \"tomtom-routing\" }\n]",
			"[ {\n \"name\" : \"tomtom-routing\"," + boundMeta + " }" + status + "\n]",
		},
		"unknown tools stay":                {`[{"name":"foo","_meta":{"ui":{"resourceUri":"ui://foo"}}},7,null,"tomtom-routing",{}]`, `[{"name":"foo","_meta":{"ui":{"resourceUri":"ui://foo"}}},7,null,"tomtom-routing",{}]`},
		"the classic service has no widget": {`[{"name":"tomtom-routing","_meta":{"backend":"tomtom-maps"}}]`, `[{"name":"tomtom-routing","_meta":{"backend":"tomtom-maps"}}]`},
		"an empty list":                     {`[]`, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			got, report := editedTools(t, `{"tools":`+test.tools+`}`, withApps, false)
			if want := `{"tools":` + test.want + `}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if len(report.unserved) > 0 {
				t.Errorf("reported as not served: %v", report.unserved)
			}
		})
	}
}

func TestEditToolsListOwnTools(t *testing.T) {
	const schema = `{"type":"object", "properties":{"layers":{"type":"array"},"show_ui":{"default":false}},"x":1e400}`
	const viz = `{"name":"tomtom-data-viz","inputSchema":` + schema + `}`
	const bound = `{"name":"tomtom-data-viz","inputSchema":` + schema + `,` + boundMeta + `}`
	data, status := string(appDataTool([]byte(schema))), string(statusTool)
	for name, test := range map[string]struct {
		result, want string
		follows      bool
		clashes      []string
	}{
		"with the data tool":                {result: `{"tools":[` + viz + `]}`, want: `{"tools":[` + bound + `,` + data + `,` + status + `]}`},
		"the cache's tools go":              {result: `{"tools":[{"name":"tomtom-get-viz-data"} , ` + viz + ` ,{"name":"tomtom-get-dataset"}]}`, want: `{"tools":[` + bound + `,` + data + `,` + status + `]}`},
		"nothing but the cache's tools":     {result: `{"tools":[ {"name":"tomtom-get-viz-data"} , {"name":"tomtom-get-dataset"} ]}`, want: `{"tools":[  ]}`},
		"a page that is followed":           {result: `{"tools":[` + viz + `],"nextCursor":"2"}`, want: `{"tools":[` + bound + `,` + data + `],"nextCursor":"2"}`},
		"a page that follows":               {result: `{"tools":[{"name":"foo"}]}`, follows: true, want: `{"tools":[{"name":"foo"},` + status + `]}`},
		"a page in the middle":              {result: `{"tools":[{"name":"foo"}],"nextCursor":"3"}`, follows: true, want: `{"tools":[{"name":"foo"}],"nextCursor":"3"}`},
		"a null cursor":                     {result: `{"tools":[` + viz + `],"nextCursor":null}`, want: `{"tools":[` + bound + `,` + data + `,` + status + `],"nextCursor":null}`},
		"an upstream that has the same two": {result: `{"tools":[{"name":"tomtom-report-app-status"},` + viz + `,{"name":"tomtom-get-app-data","x":1}]}`, want: `{"tools":[` + bound + `,` + data + `,` + status + `]}`, clashes: []string{"tomtom-report-app-status", "tomtom-get-app-data"}},
		"the data tool without a schema":    {result: `{"tools":[{"name":"tomtom-data-viz"}]}`, want: `{"tools":[{"name":"tomtom-data-viz",` + boundMeta + `},` + string(appDataTool([]byte(`{"type":"object"}`))) + `,` + status + `]}`},
		"the key's tool is for apps only":   {result: `{"tools":[{"name":"tomtom-get-api-key","_meta":{"ui":{"visibility":["app"]}}}]}`, want: `{"tools":[{"name":"tomtom-get-api-key","_meta":{"ui":{"visibility":["app"]}}}]}`},
		"the key's tool becomes so":         {result: `{"tools":[{"name":"tomtom-get-api-key"},{"name":"tomtom-get-api-key","_meta":{"ui":{"visibility":["model","app"]},"a":1}}]}`, want: `{"tools":[{"name":"tomtom-get-api-key","_meta":{"ui":{"visibility":["app"]}}},{"name":"tomtom-get-api-key","_meta":{"ui":{"visibility":["app"]},"a":1}}]}`},
		"no list":                           {result: `{"tools":{"name":"tomtom-get-viz-data"}}`, want: `{"tools":{"name":"tomtom-get-viz-data"}}`},
		"no result of a list":               {result: `"tools"`, want: `"tools"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, report := editedTools(t, test.result, withApps, test.follows)
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if !slices.Equal(report.clashes, test.clashes) {
				t.Errorf("clashes %v, want %v", report.clashes, test.clashes)
			}
		})
	}
}

func TestEditToolsListWithoutApps(t *testing.T) {
	for name, test := range map[string]struct{ tools, want string }{
		"widget metadata goes": {
			`[{"name":"tomtom-routing","_meta":{"backend":"tomtom-orbis-maps", "ui/resourceUri":"ui://a" , "ui":{"resourceUri":"ui://a"},"openai/outputTemplate":"ui://a"}}]`,
			`[{"name":"tomtom-routing","_meta":{"backend":"tomtom-orbis-maps"}}]`,
		},
		"of every tool": {`[{"name":"foo","_meta":{"ui":{"resourceUri":"ui://a"},"a":1}}]`, `[{"name":"foo","_meta":{"a":1}}]`},
		"tools for apps go": {
			`[{"name":"tomtom-get-api-key"},{"name":"tomtom-get-viz-data"},{"name":"tomtom-report-app-status"},{"name":"x","_meta":{"ui":{"visibility":["app"]}}},{"name":"y","_meta":{"ui":{"visibility":["model","app"]}}}]`,
			`[{"name":"y","_meta":{}}]`,
		},
		"show_ui goes": {
			`[{"name":"tomtom-routing","inputSchema":{"properties":{"a":{},"show_ui":{"type":"boolean"}, "b":{}},"required":["show_ui", "a"]}}]`,
			`[{"name":"tomtom-routing","inputSchema":{"properties":{"a":{}, "b":{}},"required":["a"]}}]`,
		},
		"show_ui alone":             {`[{"name":"tomtom-routing","inputSchema":{"properties":{"sh\u006fw_ui":{}},"required":["show_ui"]}}]`, `[{"name":"tomtom-routing","inputSchema":{"properties":{},"required":[]}}]`},
		"show_ui of another's tool": {`[{"name":"foo","inputSchema":{"properties":{"show_ui":{}}}}]`, `[{"name":"foo","inputSchema":{"properties":{"show_ui":{}}}}]`},
		"the data tool alone":       {`[{"name":"tomtom-data-viz","inputSchema":{}}]`, `[{"name":"tomtom-data-viz","inputSchema":{}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := editedTools(t, `{"tools":`+test.tools+`}`, withoutApps, false); got != `{"tools":`+test.want+`}` {
				t.Errorf("got  %s\nwant {\"tools\":%s}", got, test.want)
			}
		})
	}
}

func TestEditToolsListReportsOriginals(t *testing.T) {
	_, report := editedTools(t, `{"tools":[
		{"name":"tomtom-routing","_meta":{"ui":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://b"}},
		{"name":"tomtom-geocode","_meta":{"ui":{"resourceUri":"ui://shared"}}},
		{"name":"foo","_meta":{"ui":{"resourceUri":"ui://shared"}}}]}`, withApps, false)
	if want := map[string]bool{"ui://a": true, "ui://b": true}; !equalSets(report.originals, want) {
		t.Errorf("originals %v, want %v: what a tool is still bound to is not the gateway's", report.originals, want)
	}
}

func equalSets(a, b map[string]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestUnservedFindsWhatWouldNotDraw(t *testing.T) {
	for name, test := range map[string]struct {
		tool string
		want bool
	}{
		"all three":         {`{"name":"tomtom-routing",` + boundMeta + `}`, false},
		"one is missing":    {`{"name":"tomtom-routing","_meta":{"ui":{"resourceUri":` + u + `},"ui/resourceUri":` + u + `}}`, true},
		"one differs":       {`{"name":"tomtom-routing","_meta":{"ui":{"resourceUri":"ui://x"},"ui/resourceUri":` + u + `,"openai/outputTemplate":` + u + `}}`, true},
		"not bound":         {`{"name":"tomtom-routing"}`, true},
		"not the gateway's": {`{"name":"foo","_meta":{"ui":{"resourceUri":"ui://x"}}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			doc := []byte(`{"tools":[` + test.tool + `]}`)
			if got := unserved(doc, jsonspan.Span{End: len(doc)}, testWidget.URI); (len(got) == 1) != test.want {
				t.Errorf("unserved: %v", got)
			}
		})
	}
}

// TestEditToolsListGolden edits a small list that has the shapes of the real one.
func TestEditToolsListGolden(t *testing.T) {
	list, err := os.ReadFile("testdata/tools-list.json")
	if err != nil {
		t.Fatal(err)
	}
	result := string(bytes.TrimSpace(list))
	for name, c := range map[string]client{"apps": withApps, "text": withoutApps} {
		t.Run(name, func(t *testing.T) {
			got, _ := editedTools(t, result, c, false)
			golden := filepath.Join("testdata", "tools-list."+name+".golden.json")
			if *updateLists {
				if err := os.WriteFile(golden, []byte(got+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(bytes.TrimSpace(want)) {
				t.Errorf("differs from %s:\n%s", golden, got)
			}
		})
	}
}

// TestEditToolsListCaptured edits the list that a real server answered.
func TestEditToolsListCaptured(t *testing.T) {
	doc := captured(t, "_tools-list.sse.txt")
	m := scanned(t, doc)
	for name, c := range map[string]client{"apps": withApps, "text": withoutApps} {
		t.Run(name, func(t *testing.T) {
			edits, report := editToolsList(doc, m.result, c, testWidget, false)
			edited := jsonspan.Apply(nil, doc, edits)
			if len(report.unserved)+len(report.clashes) > 0 {
				t.Errorf("report %+v", report)
			}
			if c.apps {
				checkWithApps(t, doc, edited, report)
			} else {
				checkWithoutApps(t, edited)
			}
		})
	}
}

// listedTool is a tool as a host decodes it.
type listedTool struct {
	Name        string         `json:"name"`
	InputSchema map[string]any `json:"inputSchema"`
	Meta        map[string]any `json:"_meta"`
}

func listed(t testing.TB, doc []byte) []listedTool {
	t.Helper()
	var response struct {
		Result struct {
			Tools []listedTool `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(doc, &response); err != nil {
		t.Fatal(err)
	}
	return response.Result.Tools
}

func checkWithApps(t *testing.T, doc, edited []byte, report listReport) {
	t.Helper()
	tools := listed(t, edited)
	if want := len(listed(t, doc)) - 1 + 2; len(tools) != want || report.tools != 15 || len(report.originals) != 15 {
		t.Errorf("%d tools, %d bound, %d originals; want %d, 15, 15", len(tools), report.tools, len(report.originals), want)
	}
	for uri := range report.originals {
		if !slices.Contains(upstreamWidgets, uri) {
			t.Errorf("%s is missing from the known widget URIs", uri)
		}
	}
	for _, tool := range tools {
		if known, ok := policy.For(tool.Name); ok && known.Widget {
			ui, _ := tool.Meta["ui"].(map[string]any)
			for _, uri := range []any{ui["resourceUri"], tool.Meta[metaFlatURI], tool.Meta[metaOutputTemplate]} {
				if uri != testWidget.URI {
					t.Errorf("%s is bound to %v", tool.Name, uri)
				}
			}
			if tool.Meta["backend"] != "tomtom-orbis-maps" {
				t.Errorf("%s lost its service", tool.Name)
			}
		}
	}
	if again, _ := editToolsList(edited, scanned(t, edited).result, withApps, testWidget, false); !bytes.Equal(jsonspan.Apply(nil, edited, again), edited) {
		t.Error("editing an edited list changed it")
	}
}

func checkWithoutApps(t *testing.T, edited []byte) {
	t.Helper()
	for _, word := range []string{`"ui"`, "ui/resourceUri", metaOutputTemplate, policy.GetAPIKey, policy.GetVizData, policy.GetAppData, policy.ReportAppStatus} {
		if bytes.Contains(edited, []byte(word)) {
			t.Errorf("the list still has %s", word)
		}
	}
	for _, tool := range listed(t, edited) {
		properties, _ := tool.InputSchema["properties"].(map[string]any)
		if _, there := properties[showUI]; there {
			t.Errorf("%s still takes show_ui", tool.Name)
		}
	}
}

// captured returns the JSON of the last event of a recorded answer. Recordings stay beside the module.
func captured(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "shared", "captures", name))
	if err != nil {
		t.Skipf("no recordings beside the module: %v", err)
	}
	_, data, found := bytes.Cut(file, []byte("\ndata: "))
	if !found {
		t.Fatalf("%s: no data line", name)
	}
	return bytes.TrimSpace(data)
}
