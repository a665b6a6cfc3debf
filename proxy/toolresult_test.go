package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
)

// opened is the result of a call of tool with args, as one of a client with or without widgets would get it.
func opened(t testing.TB, tool, args string, apps bool, result string) *toolResult {
	t.Helper()
	q := &request{message: scanned(t, []byte(callOf("1", tool, args))), route: routeCall, client: client{apps: apps}, tool: mustPolicy(t, tool)}
	m := scanned(t, []byte(`{"jsonrpc":"2.0","id":1,"result":`+result+`}`))
	got := openResult(q, m)
	if got == nil {
		t.Fatal("no result")
	}
	return got
}

// rewritten is the result with edits of its document made.
func rewritten(res *toolResult, edits []jsonspan.Edit) string {
	jsonspan.Sort(edits)
	return string(jsonspan.Apply(nil, res.object.Of(res.doc), shift(edits, -res.object.Start)))
}

const ourMeta = `"_meta":{"com.tomtom/app-data-status":"none","show_ui":false,"tool":"tomtom-routing"}`

// TestTextJSONKeepsItsBytes gives texts as the upstream writes them, unescaped, and as they become for status none.
func TestTextJSONKeepsItsBytes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"pretty, _meta last", "{\n  \"a\": 1.0,\n  \"_meta\": {\n    \"show_ui\": false\n  }\n}", "{\n  \"a\": 1.0,\n  \"show_ui\": false\n}"},
		{"minified, _meta last", `{"a":1e2,"_meta":{"show_ui":false}}`, `{"a":1e2,"show_ui":false}`},
		{"_meta first", "{\n\t\"_meta\" : {\"show_ui\":false} ,\n\t\"a\" : 1\n}", "{\n\t\"show_ui\" : false ,\n\t\"a\" : 1\n}"},
		{"_meta in the middle", `{"a":1, "_meta":{"show_ui":false}, "b":2}`, `{"a":1, "show_ui":false, "b":2}`},
		{"_meta alone", `{"_meta":{"show_ui":false}}`, `{"show_ui":false}`},
		{"repeated _meta, the last counts", `{"_meta":{"show_ui":true,"viz_id":"x"},"a":1,"_meta":{"show_ui":false}}`, `{"a":1,"show_ui":false}`},
		{"handle beside show_ui false", `{"a":1,"_meta":{"show_ui":false,"viz_id":"x"}}`, `{"a":1,"show_ui":false}`},
		{"escapes, non-ASCII, order", `{"ü":"é\u00e9\/\ud83d","b":12345678901234567890,"a":0.10,"_meta":{"show_ui":false}}`, `{"ü":"é\u00e9\/\ud83d","b":12345678901234567890,"a":0.10,"show_ui":false}`},
		{"apiKey at any depth", `{"apiKey":"s","a":[{"apiKey":"s","b":1,"apiKey":2},{"apiKey":[{"apiKey":1}]}],"_meta":{"show_ui":false}}`, `{"a":[{"b":1},{}],"show_ui":false}`},
		{"apiKey with escapes", `{"a":{"\u0061piKey":"s","k":"apiKey"},"_meta":{"show_ui":false}}`, `{"a":{"k":"apiKey"},"show_ui":false}`},
		{"apiKey beside _meta", `{"a":1,"apiKey":1,"_meta":{"show_ui":false},"apiKey":2}`, `{"a":1,"show_ui":false}`},
		{"own show_ui and tool", `{"show_ui":"mine","tool":"hammer","_meta":{"show_ui":false}}`, `{"tool":"hammer","show_ui":false}`},
		{"white space around", " \r\n{\"a\":1,\"_meta\":{\"show_ui\":false}}\n", " \r\n{\"a\":1,\"show_ui\":false}\n"},
		{"numbers beyond", `{"a":1e400,"_meta":{"show_ui":false}}`, `{"a":1e400,"show_ui":false}`},
		{"repeated members", `{"a":1,"a":2,"_meta":{"show_ui":false}}`, `{"a":1,"a":2,"show_ui":false}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := opened(t, "tomtom-routing", `{"show_ui":true}`, true, textResultOf(tt.text))
			if res.kind != kindNone {
				t.Fatalf("kind %d: %s", res.kind, res.reason)
			}
			got := rewritten(res, res.outcomeEdits(outcome{status: statusNone}))
			want := strings.TrimSuffix(textResultOf(tt.want), "}") + "," + ourMeta + "}"
			if got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			minified := rewritten(res, res.outcomeEdits(outcome{status: statusNone, minify: true}))
			var compact bytes.Buffer
			if err := json.Compact(&compact, []byte(tt.want)); err == nil && !strings.Contains(minified, string(jsonspan.AppendQuoted(nil, compact.Bytes()))) {
				t.Errorf("minified %s", minified)
			}
		})
	}
}

// TestEscapesAroundTheTextStay: the string that holds the text JSON keeps its spelling, whatever it is.
func TestEscapesAroundTheTextStay(t *testing.T) {
	result := `{"content":[{"type":"text","text":"{\u0022a\":\"\\u00e9\u00e9\/\",\u000a\"\u005fmeta\": {\"show_ui\":false}}"}]}`
	res := opened(t, "tomtom-routing", `{}`, true, result)
	got := rewritten(res, res.outcomeEdits(outcome{status: statusNone}))
	want := `{"content":[{"type":"text","text":"{\u0022a\":\"\\u00e9\u00e9\/\",\u000a\"show_ui\": false}"}],` + ourMeta + `}`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestResultMeta(t *testing.T) {
	text := textResultOf(`{"_meta":{"show_ui":false}}`)
	content := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	content = strings.Replace(content, `\"_meta\":{\"show_ui\":false}`, `\"show_ui\":false`, 1)
	tests := []struct{ name, in, want string }{
		{"none", `{` + content[:0] + text[1:], `{` + content + `,` + ourMeta + `}`},
		{"after other members", strings.TrimSuffix(text, "}") + ` , "isError" : false }`, `{` + content + ` , "isError" : false,` + ourMeta + ` }`},
		{"existing members stay", `{"_meta":{ "x" : 1.0, "y":[ ] },` + text[1:], `{"_meta":{ "x" : 1.0, "y":[ ],` + ourMeta[9:] + `,` + content + `}`},
		{"ours give way", `{"_meta":{"tool":"other","x":1,"com.tomtom/app-data":"old"},` + text[1:], `{"_meta":{"x":1,` + ourMeta[9:] + `,` + content + `}`},
		{"only ours", `{"_meta":{"tool":"other"},` + text[1:], `{"_meta":{` + ourMeta[9:] + `,` + content + `}`},
		{"empty", `{"_meta":{ },` + text[1:], `{"_meta":{` + ourMeta[9:] + `,` + content + `}`},
		{"null", `{"_meta":null,` + text[1:], `{"_meta":{` + ourMeta[9:] + `,` + content + `}`},
		{"repeated: the last counts", `{"_meta":{"x":1},"_meta":{"y":2},` + text[1:], `{"_meta":{"x":1},"_meta":{"y":2,` + ourMeta[9:] + `,` + content + `}`},
		{"unknown members", `{"zz":{"a":[1.50]},` + text[1:], `{"zz":{"a":[1.50]},` + content + `,` + ourMeta + `}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := opened(t, "tomtom-routing", `{}`, true, tt.in)
			if got := rewritten(res, res.outcomeEdits(outcome{status: statusNone})); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestWhatAResultIs covers the order in which app data is looked for, and what has none.
func TestWhatAResultIs(t *testing.T) {
	const line = `"features":[{"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}]`
	tests := []struct {
		name, tool, args, result string
		kind                     resultKind
		showUI                   bool
	}{
		{"handle", "tomtom-routing", `{}`, textResultOf(`{"_meta":{"show_ui":true,"viz_id":"x"}}`), kindHandle, true},
		{"newer handle", "tomtom-routing", `{}`, textResultOf(`{"_meta":{"show_ui":true,"dataset_id":"x"}}`), kindHandle, true},
		{"handle without show_ui, not asked", "tomtom-routing", `{}`, textResultOf(`{"_meta":{"viz_id":"x"}}`), kindHandle, true},
		{"handle without show_ui, argument false", "tomtom-routing", `{"show_ui":false}`, textResultOf(`{"_meta":{"viz_id":"x"}}`), kindNone, false},
		{"show_ui is no boolean", "tomtom-routing", `{"show_ui":"no"}`, textResultOf(`{"_meta":{"show_ui":1,"viz_id":"x"}}`), kindHandle, true},
		{"the text's show_ui before the argument's", "tomtom-routing", `{"show_ui":false}`, textResultOf(`{"_meta":{"show_ui":true,"viz_id":"x"}}`), kindHandle, true},
		{"handle before full", "tomtom-routing", `{"response_detail":"full"}`, textResultOf(`{` + line + `,"_meta":{"show_ui":true,"viz_id":"x"}}`), kindHandle, true},
		{"full", "tomtom-routing", `{"response_detail":"full"}`, textResultOf(`{` + line + `,"_meta":{"show_ui":true}}`), kindWhole, true},
		{"full of an older server", "tomtom-routing", `{"response_detail":"full"}`, textResultOf(`{` + line + `}`), kindWhole, true},
		{"geometry", "tomtom-routing", `{"response_detail":"geometry"}`, textResultOf(`{"geometry":{},"_meta":{"show_ui":true}}`), kindWhole, true},
		{"full without the widget", "tomtom-routing", `{"response_detail":"full"}`, textResultOf(`{` + line + `,"_meta":{"show_ui":false}}`), kindNone, false},
		{"untrimmed", "tomtom-routing", `{}`, textResultOf(`{` + line + `}`), kindUntrimmed, true},
		{"untrimmed, not to be drawn", "tomtom-routing", `{"show_ui":false}`, textResultOf(`{` + line + `}`), kindNone, false},
		{"Genesis", "tomtom-routing", `{"show_ui":true}`, textResultOf(`{"routes":[{"legs":[]}]}`), kindForeign, true},
		{"Genesis, full", "tomtom-routing", `{"response_detail":"full"}`, textResultOf(`{"routes":[{"legs":[]}]}`), kindForeign, true},
		{"Genesis traffic", "tomtom-traffic", `{}`, textResultOf(`{"incidents":[]}`), kindForeign, true},
		{"traffic", "tomtom-traffic", `{}`, textResultOf(`{"incidents":[],"_meta":{"show_ui":true}}`), kindNone, true},
		{"compact without a handle", "tomtom-routing", `{}`, textResultOf(`{"features":[],"_meta":{"show_ui":true}}`), kindMissing, true},
		{"text is no JSON", "tomtom-routing", `{}`, textResultOf(`sorry`), kindMissing, true},
		{"text is broken JSON", "tomtom-routing", `{}`, textResultOf(`{"a":`), kindMissing, true},
		{"text is an array", "tomtom-routing", `{}`, textResultOf(`[{"_meta":{"viz_id":"x"}}]`), kindMissing, true},
		{"text is no JSON, not to be drawn", "tomtom-routing", `{"show_ui":false}`, textResultOf(`sorry`), kindNone, false},
		{"no content", "tomtom-routing", `{}`, `{}`, kindMissing, true},
		{"content is no array", "tomtom-routing", `{}`, `{"content":{"text":"x"}}`, kindMissing, true},
		{"items are no objects", "tomtom-routing", `{}`, `{"content":[1,null,[],"x",{"type":1},{"type":"text"},{"type":"text","text":5}]}`, kindMissing, true},
		{"third item", "tomtom-dynamic-map", `{}`, `{"content":[{"type":"text","text":"Map"},{"type":"image","data":"AA=="},{"type":"text","text":"{\"_meta\":{\"viz_id\":\"x\"}}"}]}`, kindHandle, true},
		{"the item with _meta, not the first JSON", "tomtom-routing", `{}`, `{"content":[{"type":"text","text":"{\"a\":1}"},{"type":"text","text":"{\"_meta\":{\"viz_id\":\"x\"}}"}]}`, kindHandle, true},
		{"isError", "tomtom-routing", `{}`, `{"isError":true,"content":[{"type":"text","text":"{\"_meta\":{\"viz_id\":\"x\"}}"}]}`, kindError, true},
		{"input required", "tomtom-routing", `{}`, `{"resultType":"input_required","inputRequests":{}}`, kindForeign, true},
		{"complete", "tomtom-routing", `{}`, `{"resultType":"complete",` + textResultOf(`{"_meta":{"viz_id":"x"}}`)[1:], kindHandle, true},
		{"inlined by the upstream itself", "tomtom-routing", `{}`, `{"_meta":{"com.tomtom/app-data":"H4"},` + textResultOf(`{"show_ui":true,"tool":"tomtom-routing"}`)[1:], kindForeign, true},
		{"_meta is no object", "tomtom-routing", `{}`, textResultOf(`{"_meta":7}`), kindMissing, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := opened(t, tt.tool, tt.args, true, tt.result)
			if res.kind != tt.kind || tt.kind != kindForeign && tt.kind != kindError && res.showUI != tt.showUI {
				t.Errorf("kind %d (%s), show_ui %v", res.kind, res.reason, res.showUI)
			}
		})
	}
}

// TestNoHandleStays, wherever a result has one: in repeated members, under both names, in more than one text.
func TestNoHandleStays(t *testing.T) {
	const meta = `"_meta":{"viz_id":"SECRET","show_ui":true,"dataset_id":"SECRET"}`
	const withHandle = `{"c":1,` + meta + `}`
	texts := map[string][]string{
		"one":                  {withHandle},
		"repeated _meta":       {`{` + meta + `,"c":1,` + meta + `}`},
		"repeated handle":      {`{"c":1,"_meta":{"viz_id":"SECRET","x":1,"viz_id":"SECRET"}}`},
		"escaped names":        {`{"c":1,"\u005fmeta":{"viz\u005fid":"SECRET","show_ui":true}}`},
		"several texts":        {`{"b":1}`, `{"a":1,` + meta + `}`, `no JSON`, withHandle, withHandle},
		"a text without _meta": {`{"b":1}`, `{"_meta":7}`, withHandle},
		"nothing else":         {`{` + meta + `}`, withHandle},
	}
	outcomes := []outcome{{status: statusInline}, {status: statusUnavailable}, {status: statusNone}, {status: statusText, trimmed: []byte(`{"c":1}`)}}
	for name, items := range texts {
		for _, failed := range []bool{false, true} {
			for _, apps := range []bool{false, true} {
				result := fmt.Sprintf(`{"isError":%t,"content":[`, failed)
				for i, text := range items {
					result += strings.Repeat(",", min(i, 1)) + `{"type":"text","text":` + strconv.Quote(text) + `}`
				}
				r := opened(t, "tomtom-routing", `{}`, apps, result+"]}")
				var all [][]jsonspan.Edit
				switch r.kind {
				case kindError:
					all = append(all, r.errorEdits())
				case kindPlain:
					all = append(all, append(r.plainEdits(false), r.strayHandles()...), append(r.plainEdits(true), r.strayHandles()...))
				default:
					for _, o := range outcomes {
						all = append(all, r.outcomeEdits(o))
					}
				}
				for _, edits := range all {
					if r.kind != kindError { // whose edits are used as they are
						jsonspan.Sort(edits)
					}
					got := jsonspan.Apply(nil, r.doc, edits)
					if _, err := jsonspan.Scan(got); err != nil || bytes.Contains(got, []byte("SECRET")) {
						t.Errorf("%s, kind %d: %v in %s", name, r.kind, err, got)
					}
					if !bytes.Contains(got, []byte(`\"c\":1`)) {
						t.Errorf("%s, kind %d: a text is lost: %s", name, r.kind, got)
					}
				}
			}
		}
	}
}

func TestToolErrorLosesItsHandleOnly(t *testing.T) {
	for in, want := range map[string]string{
		`{ "error": "x", "apiKey":"k", "_meta": { "show_ui": true, "viz_id": "v", "dataset_id":1 } }`: `{ "error": "x", "apiKey":"k", "_meta": { "show_ui": true } }`,
		`{"error":"x","_meta":{"viz_id":"v"}}`:                                                        `{"error":"x","_meta":{}}`,
		`{"error":"x"}`:                                                                               `{"error":"x"}`,
		`MCP error -32602: no`:                                                                        `MCP error -32602: no`,
	} {
		result := strings.TrimSuffix(textResultOf(in), "}") + `,"isError":true}`
		res := opened(t, "tomtom-routing", `{}`, true, result)
		if got, want := rewritten(res, res.errorEdits()), strings.TrimSuffix(textResultOf(want), "}")+`,"isError":true}`; got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}

func TestClientWithoutApps(t *testing.T) {
	tests := []struct{ name, tool, result, want string }{
		{
			"text loses _meta and show_ui", "tomtom-routing",
			textResultOf("{\n  \"show_ui\": 1,\n  \"a\": 1,\n  \"_meta\": {\n    \"viz_id\": \"x\"\n  }\n}"), textResultOf("{\n  \"a\": 1\n}"),
		},
		{
			"an item that is left empty goes", "tomtom-dynamic-map",
			`{"content":[{"type":"text","text":"Map"}, {"type":"image","data":"AA=="}, {"type":"text","text":"{ \"_meta\": {\"viz_id\":\"x\"} }"}],"n":1.0}`,
			`{"content":[{"type":"text","text":"Map"}, {"type":"image","data":"AA=="}],"n":1.0}`,
		},
		{"an empty object of the upstream's stays", "tomtom-routing", textResultOf("{ }"), textResultOf("{ }")},
		{"untrimmed text stays whole", "tomtom-routing", textResultOf(`{"features":[{"geometry":{"coordinates":[[1,2]]}}]}`), textResultOf(`{"features":[{"geometry":{"coordinates":[[1,2]]}}]}`)},
		{"the caller's key goes", "tomtom-reachable-range", textResultOf(`{"a":[{"apiKey":"k"}],"_meta":{}}`), textResultOf(`{"a":[{}]}`)},
		{"no JSON", "tomtom-routing", textResultOf(`hello`), textResultOf(`hello`)},
		{"existing _meta stays", "tomtom-routing", `{"_meta":{"x":1},` + textResultOf(`{"_meta":{},"a":1}`)[1:], `{"_meta":{"x":1},` + textResultOf(`{"a":1}`)[1:]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := opened(t, tt.tool, `{"show_ui":true}`, false, tt.result)
			if res.kind != kindPlain {
				t.Fatalf("kind %d", res.kind)
			}
			if got := rewritten(res, res.plainEdits(false)); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestStatusesInTheResult: what each outcome leaves in _meta and in the text.
func TestStatusesInTheResult(t *testing.T) {
	fitted := fitter.Result{AppData: []byte("H4sI"), Points: 10, OriginalPoints: 20, MaxErrorM: 2.01, Shed: []string{"ids", "lanes"}}
	tests := []struct {
		o          outcome
		meta, text string
	}{
		{outcome{status: statusInline, fit: fitter.Result{AppData: []byte("H4sI")}}, `{"com.tomtom/app-data":"H4sI","com.tomtom/app-data-status":"inline","show_ui":true,"tool":"tomtom-routing"}`, `{"a":1,"show_ui":true,"tool":"tomtom-routing"}`},
		{outcome{status: statusFitted, fit: fitted}, `{"com.tomtom/app-data":"H4sI","com.tomtom/app-data-status":"fitted","com.tomtom/simplification":{"original_points":20,"points":10,"max_error_m":2.1,"shed":["ids","lanes"]},"show_ui":true,"tool":"tomtom-routing"}`, `{"a":1,"show_ui":true,"tool":"tomtom-routing"}`},
		{outcome{status: statusTooLarge}, `{"com.tomtom/app-data-status":"too_large","show_ui":true,"tool":"tomtom-routing"}`, `{"a":1,"show_ui":true,"tool":"tomtom-routing"}`},
		{outcome{status: statusFetch}, `{"com.tomtom/app-data-status":"fetch","show_ui":true,"tool":"tomtom-routing"}`, `{"a":1,"show_ui":true,"tool":"tomtom-routing"}`},
		{outcome{status: statusText}, `{"com.tomtom/app-data-status":"text","show_ui":true,"tool":"tomtom-routing"}`, `{"a":1,"show_ui":true,"tool":"tomtom-routing"}`},
		{outcome{status: statusUnavailable}, `{"com.tomtom/app-data-status":"unavailable","show_ui":true,"tool":"tomtom-routing"}`, `{"a":1,"show_ui":true,"tool":"tomtom-routing"}`},
		{outcome{status: statusNone}, `{"com.tomtom/app-data-status":"none","show_ui":true,"tool":"tomtom-routing"}`, `{"a":1,"show_ui":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.o.status, func(t *testing.T) {
			res := opened(t, "tomtom-routing", `{}`, true, textResultOf(`{"a":1,"_meta":{"show_ui":true,"viz_id":"x"}}`))
			want := strings.TrimSuffix(textResultOf(tt.text), "}") + `,"_meta":` + tt.meta + "}"
			if got := rewritten(res, res.outcomeEdits(tt.o)); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestRoundUpM(t *testing.T) {
	for in, want := range map[float64]float64{0: 0, 2: 2, 2.0000001: 2.1, 0.69: 0.7, 9.99: 10, 0.1: 0.1, 1000: 1000} {
		if got := roundUpM(in); got != want {
			t.Errorf("%v: %v, want %v", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Float64Range(0, 2000).Draw(t, "m")
		if got := roundUpM(m); got < m || got > m+0.11 {
			t.Fatalf("%v: %v", m, got)
		}
	})
}

// TestCutNestedAgainstATree compares with a plain walk over parsed JSON.
func TestCutNestedAgainstATree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := []byte(`{"a":` + drawNamed(3).Draw(t, "doc") + `}`)
		root, err := jsonspan.Scan(doc)
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		got := jsonspan.Apply(nil, doc, cutNested(doc, root, memberAPIKey))
		if _, err := jsonspan.Scan(got); err != nil {
			t.Fatalf("%s became %s", doc, got)
		}
		var before, after any
		if json.Unmarshal(doc, &before) != nil || json.Unmarshal(got, &after) != nil {
			t.Skip("encoding/json does not read it")
		}
		if want, have := withoutKeys(before), after; !reflect.DeepEqual(want, have) {
			t.Fatalf("%s became %s", doc, got)
		}
	})
}

func withoutKeys(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, memberAPIKey)
		for k, inner := range v {
			v[k] = withoutKeys(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = withoutKeys(inner)
		}
	}
	return v
}

// drawNamed draws JSON in which apiKey is a common name.
func drawNamed(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := func() string { return rapid.SampledFrom([]string{"", " ", "\n  "}).Draw(t, "space") }
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		if depth == 0 {
			kind = 0
		}
		if kind == 0 {
			return rapid.SampledFrom([]string{`1.0`, `"apiKey"`, `null`, `"a\"b,{"`, `[]`, `{}`, `"\\"`}).Draw(t, "leaf")
		}
		n := rapid.IntRange(0, 4).Draw(t, "n")
		var parts []string
		for range n {
			value := drawNamed(depth-1).Draw(t, "value")
			if kind == 1 {
				parts = append(parts, space()+value+space())
				continue
			}
			name := rapid.SampledFrom([]string{`"apiKey"`, `"a"`, `"b"`, `"\u0061piKey"`, `"apiKeys"`}).Draw(t, "name")
			parts = append(parts, space()+name+space()+":"+space()+value+space())
		}
		if kind == 1 {
			return "[" + strings.Join(parts, ",") + "]"
		}
		return "{" + strings.Join(parts, ",") + "}"
	})
}
