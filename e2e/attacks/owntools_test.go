package attacks

import (
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestOwnTools: arguments by which an agent or a page would get at another's data, at another tool, or into the log.
func TestOwnTools(t *testing.T) { start(t).all(t, ownTools()) }

// runs fails the test where another tool than those arrives.
func runs(tools ...string) func(*testing.T, testkit.Exchange) {
	return func(t *testing.T, e testkit.Exchange) {
		t.Helper()
		for _, tool := range e.Tools {
			if !slices.Contains(tools, tool) {
				t.Errorf("%s ran", tool)
			}
		}
		if strings.Contains(string(e.Body), "victims-handle") && e.Tools[0] == "tomtom-get-viz-data" {
			t.Errorf("a handle of the caller's own was redeemed: %s", e.Body)
		}
	}
}

func ownTools() (all []attack) {
	call := func(tool, arguments string) string {
		return testkit.RawPost("/mcp", testkit.CallMessage("1", tool, arguments))
	}
	refused := want{status: 200, code: -32602}
	fetched := want{status: 200, says: `app_data`, reaches: 2, arrives: runs("tomtom-data-viz", "tomtom-get-viz-data")}
	routed := want{status: 200, says: `"com.tomtom/app-data-status":"inline"`, reaches: 2, arrives: runs("tomtom-routing", "tomtom-get-viz-data")}
	all = []attack{
		{"another's handle in a call's arguments", call("tomtom-routing", `{"viz_id":"victims-handle","_meta":{"viz_id":"victims-handle"}}`), routed},
		{"another's dataset in a call's arguments", call("tomtom-routing", `{"dataset_id":"victims-handle"}`), routed},
		{"show_ui that is no truth", call("tomtom-routing", `{"show_ui":"true","show_ui":{"viz_id":"victims-handle"}}`), routed},
		{"app data by a reference that was guessed", call("tomtom-get-app-data", `{"app_data_ref":"AAAAAAAAAAAAAAAAAAAAAA"}`), refused},
		{"app data by an empty reference", call("tomtom-get-app-data", `{"app_data_ref":""}`), refused},
		{"app data by a reference that is a pattern", call("tomtom-get-app-data", `{"app_data_ref":["*"]}`), refused},
		{"app data by a handle", call("tomtom-get-app-data", `{"viz_id":"victims-handle"}`), refused},
		{"app data by a reference beside data", call("tomtom-get-app-data", `{"app_data_ref":"x","geojson":{}}`), fetched},
		{"app data of another tool", call("tomtom-get-app-data", `{"tool":"tomtom-routing","arguments":{}}`), refused},
		{"app data of another tool, beside data", call("tomtom-get-app-data", `{"name":"tomtom-routing","geojson":{}}`), fetched},
		{"app data, the tool's name twice", testkit.RawPost("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","name":"tomtom-get-app-data","arguments":{"geojson":{}}}}`), fetched},
		{"app data, the arguments twice", testkit.RawPost("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"x":1},"name":"tomtom-get-app-data","arguments":{"geojson":{}}}}`), fetched},
		{"app data of nothing", call("tomtom-get-app-data", `{}`), refused},
		{"app data of a list", call("tomtom-get-app-data", `[{"geojson":{}}]`), refused},
		{"app data of a text", call("tomtom-get-app-data", `"{\"geojson\":{}}"`), refused},
		{"app data of a prototype", call("tomtom-get-app-data", `{"__proto__":{"geojson":{}}}`), refused},
		{"app data of itself, packed", call("tomtom-get-app-data", `{"geojson":"H4sIAAAAAAAA/+3BAQ0AAADCoPdPbQ8HFAAAAAAAAAAAAAAAAHwZwO8TGQAAEAA="}`), fetched},
	}
	const valid = `"tool":"tomtom-routing","outcome":"drawn","source":"inline"`
	for name, arguments := range map[string]string{
		"a line of its own":            `{` + valid + `,"detail":"x\n{\"level\":\"ERROR\"}"}`,
		"an escape sequence":           `{` + valid + `,"detail":"\u001b[2J"}`,
		"a line separator of one byte": `{` + valid + `,"reason":"a\u0085b"}`,
		"a NUL":                        `{` + valid + `,"widget":"a\u0000"}`,
		"10,000 characters":            `{` + valid + `,"detail":"` + long(10_000) + `"}`,
		"501 characters":               `{` + valid + `,"detail":"` + long(501) + `"}`,
		"an endless duration":          `{` + valid + `,"duration_ms":1e400}`,
		"a duration before the start":  `{` + valid + `,"duration_ms":-1}`,
		"a duration that is a text":    `{` + valid + `,"duration_ms":"1"}`,
		"an outcome of its own":        `{"tool":"tomtom-routing","outcome":"stolen","source":"inline"}`,
		"a source of its own":          `{"tool":"tomtom-routing","outcome":"drawn","source":"elsewhere"}`,
		"a prototype":                  `{` + valid + `,"__proto__":{}}`,
		"a member too many":            `{` + valid + `,"level":"ERROR"}`,
		"no tool":                      `{"outcome":"drawn","source":"inline"}`,
		"a tool of 65 characters":      `{"tool":"` + long(65) + `","outcome":"drawn","source":"inline"}`,
		"a list":                       `[` + `{` + valid + `}` + `]`,
		"nothing":                      `null`,
	} {
		all = append(all, attack{"a report with " + name, call("tomtom-report-app-status", arguments), refused})
	}
	return all
}

// TestResources: addresses by which somebody would read what is no widget, or have the widget under a name that does harm.
func TestResources(t *testing.T) { start(t).all(t, resources()) }

func resources() (all []attack) {
	read := func(uri string) string {
		return testkit.RawPost("/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":`+uri+`}}`)
	}
	for name, uri := range map[string]string{
		"above": "ui://tomtom-mcp-gateway/../../etc/passwd", "encoded": "ui://tomtom-mcp-gateway/%2e%2e/%2fetc", "another hash": "ui://tomtom-mcp-gateway/map-0000.html",
		"a script": `ui://tomtom-mcp-gateway/"><script>alert(1)</script>`, "line ends": "ui://tomtom-mcp-gateway/\r\n\r\ndata: {}\r\n\r\n", "a NUL": "ui://tomtom-mcp-gateway/\x00",
		"a page of the upstream's": "ui://tomtom-routing/route-planner/app.html", "a megabyte": "ui://tomtom-mcp-gateway/" + long(1<<20), "nothing more": "ui://tomtom-mcp-gateway/",
	} {
		all = append(all, attack{"the widget under an address with " + name, read(testkit.Quote(uri)), want{
			status: 200, says: `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":` + testkit.Quote(uri) + `,"mimeType":"text/html;profile=mcp-app","text":"<!`, hides: "\ndata: {}",
		}})
	}
	for name, uri := range map[string]string{
		"a file": `"file:///etc/passwd"`, "the metadata of a cloud": `"http://169.254.169.254/latest/meta-data/"`, "the admin address": `"http://127.0.0.1:9090/metrics"`,
		"capitals": `"UI://TOMTOM-MCP-GATEWAY/map.html"`, "a look-alike": `"ui://tomtom-mcp-gateway.evil.test/map.html"`, "no slash": `"ui://tomtom-mcp-gateway"`,
		"another scheme": `"data:text/html,<script>"`, "nothing": `null`, "an empty text": `""`,
	} {
		all = append(all, attack{"the upstream is asked for " + name, read(uri), want{status: 200, code: -32002, reaches: 1}})
	}
	return all
}
