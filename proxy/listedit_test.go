package proxy

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

func TestEditElements(t *testing.T) {
	for name, test := range map[string]struct{ array, want string }{
		"empty":             {`[]`, `["new"]`},
		"white space":       {`[ ]`, `["new" ]`},
		"all kept":          {`[ 1, 2 ]`, `[ 1, 2,"new" ]`},
		"first goes":        {`[ "x" , 1, 2 ]`, `[ 1, 2,"new" ]`},
		"last goes":         {`[ 1, 2 , "x" ]`, `[ 1, 2,"new" ]`},
		"between":           {`[1 , "x" , 2]`, `[1 , 2,"new"]`},
		"runs":              {`["x","x",1,"x","x",2,"x","x"]`, `[1,2,"new"]`},
		"all go":            {`[ "x", "x" ]`, `["new"  ]`},
		"another kind":      {`{"x":"x"}`, `{"x":"x"}`},
		"nested look alike": {`[["x"],{"x":"x"}]`, `[["x"],{"x":"x"},"new"]`},
	} {
		t.Run(name, func(t *testing.T) {
			doc := []byte(test.array)
			span := jsonspan.Span{End: len(doc)}
			var added [][]byte
			if jsonspan.IsArray(doc, span) {
				added = [][]byte{[]byte(`"new"`)}
			}
			edits := editElements(doc, span, func(s jsonspan.Span) bool { return string(s.Of(doc)) == `"x"` }, added)
			jsonspan.Sort(edits)
			if got := string(jsonspan.Apply(nil, doc, edits)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// drawJSON makes a JSON text of the names and values that lists are made of, with white space, escapes and numbers
// that decoding would change.
func drawJSON(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", "", "", " ", "\n\t"})
		kinds := []string{"scalar", "scalar", "object", "array"}
		if depth == 0 {
			kinds = kinds[:1]
		}
		var parts []string
		switch rapid.SampledFrom(kinds).Draw(t, "kind") {
		case "object":
			for range rapid.IntRange(0, 4).Draw(t, "members") {
				name := rapid.SampledFrom(names).Draw(t, "name")
				parts = append(parts, space.Draw(t, "space")+name+space.Draw(t, "space")+":"+drawJSON(depth-1).Draw(t, "value"))
			}
			return "{" + strings.Join(parts, ",") + space.Draw(t, "space") + "}"
		case "array":
			for range rapid.IntRange(0, 4).Draw(t, "elements") {
				parts = append(parts, drawJSON(depth-1).Draw(t, "element")+space.Draw(t, "space"))
			}
			return "[" + space.Draw(t, "space") + strings.Join(parts, ",") + "]"
		}
		return space.Draw(t, "space") + rapid.SampledFrom(scalars).Draw(t, "scalar")
	})
}

var (
	names = []string{
		`"name"`, `"_meta"`, `"ui"`, `"resourceUri"`, `"ui/resourceUri"`, `"ui\/resourceUri"`, `"visibility"`, `"inputSchema"`,
		`"properties"`, `"required"`, `"show_ui"`, `"uri"`, `"tools"`, `"\u005fmeta"`, `"capabilities"`, `"extensions"`, `"a"`,
	}
	scalars = []string{
		`null`, `true`, `12345678901234567890`, `0.10`, `1e400`, `""`, `"app"`, `"model"`, `"show_ui"`, `"\ud800"`, `"Zürich"`,
		`"tomtom-routing"`, `"tomtom-data-viz"`, `"tomtom-get-api-key"`, `"tomtom-get-viz-data"`, `"tomtom-get-app-data"`,
		`"tomtom-report-app-status"`, `"ui://a"`, `"ui://tomtom-mcp-gateway/x"`,
	}
)

// drawTools makes a tools/list result whose tools are of any shape.
func drawTools() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var tools []string
		for range rapid.IntRange(0, 5).Draw(t, "tools") {
			name := rapid.SampledFrom(scalars).Draw(t, "name")
			tools = append(tools, `{"name":`+name+`,"inputSchema":`+drawJSON(3).Draw(t, "schema")+`,"_meta":`+drawJSON(3).Draw(t, "meta")+`}`)
		}
		tools = append(tools, drawJSON(2).Draw(t, "odd"))
		return `{"tools":[` + strings.Join(tools, " , ") + `],"nextCursor":` + rapid.SampledFrom([]string{"null", `"2"`}).Draw(t, "cursor") + `}`
	})
}

func drawClient(t *rapid.T) client {
	if rapid.Bool().Draw(t, "apps") {
		return withApps
	}
	return withoutApps
}

func TestEditToolsListProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := []byte(drawTools().Draw(t, "result"))
		checkToolsList(t, doc, drawClient(t), rapid.Bool().Draw(t, "follows"))
	})
}

// fataler is what rapid.T and testing.T share.
type fataler interface {
	Fatalf(format string, args ...any)
}

// checkToolsList edits any result and says what must always hold: edits are ordered, the outcome is JSON, editing it
// again changes nothing, and everything the gateway has no say in decodes to the same.
func checkToolsList(t fataler, doc []byte, c client, follows bool) {
	root, err := jsonspan.Scan(doc)
	if err != nil {
		return
	}
	edits, report := editToolsList(doc, root, c, testWidget, follows)
	checkOrdered(t, doc, edits)
	edited := jsonspan.Apply(nil, doc, edits)
	again, err := jsonspan.Scan(edited)
	if err != nil {
		t.Fatalf("edited list is no JSON: %v\n%s\n%s", err, doc, edited)
	}
	if len(report.unserved) > 0 {
		t.Fatalf("not served: %v in %s", report.unserved, edited)
	}
	more, _ := editToolsList(edited, again, c, testWidget, follows)
	if twice := jsonspan.Apply(nil, edited, more); !bytes.Equal(twice, edited) {
		t.Fatalf("edited twice:\n%s\n%s\n%s", doc, edited, twice)
	}
	if before, after := foreignTools(doc, root, c), foreignTools(edited, again, c); !reflect.DeepEqual(before, after) {
		t.Fatalf("tools that are not the gateway's changed:\n%s\n%s", before, after)
	}
}

func checkOrdered(t fataler, doc []byte, edits []jsonspan.Edit) {
	from := 0
	for _, e := range edits {
		if e.Span.Start < from || e.Span.End < e.Span.Start || e.Span.End > len(doc) {
			t.Fatalf("edits overlap or are out of order: %v of %s", edits, doc)
		}
		from = e.Span.End
	}
}

// foreignTools returns, for a client with MCP Apps, the bytes of the elements that the gateway has no word in.
func foreignTools(doc []byte, root jsonspan.Span, c client) []string {
	tools, ok := jsonspan.Lookup(doc, root, "tools")
	if !ok || !c.apps {
		return nil
	}
	var foreign []string
	for tool := range jsonspan.Elements(doc, tools) {
		if !strings.HasPrefix(stringMember(doc, tool, "name"), "tomtom-") {
			foreign = append(foreign, string(tool.Of(doc)))
		}
	}
	return foreign
}

func FuzzEditToolsList(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"tomtom-routing","_meta":{"ui":{}}}]}`), true, false)
	f.Add([]byte(`{"tools":[{"name":"tomtom-get-viz-data"},{"name":"tomtom-data-viz","inputSchema":{"properties":{"show_ui":{}},"required":["show_ui"]}}]}`), false, true)
	f.Fuzz(func(t *testing.T, doc []byte, apps, follows bool) {
		checkToolsList(t, doc, client{apps: apps}, follows)
	})
}

func FuzzEditInitialize(f *testing.F) {
	f.Add([]byte(`{"capabilities":{"extensions":null}}`))
	f.Fuzz(func(t *testing.T, doc []byte) { checkInitialize(t, doc) })
}

func TestEditInitializeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkInitialize(t, []byte(drawJSON(4).Draw(t, "result"))) })
}

func checkInitialize(t fataler, doc []byte) {
	root, err := jsonspan.Scan(doc)
	if err != nil {
		return
	}
	edits := editInitialize(doc, root, withApps)
	checkOrdered(t, doc, edits)
	edited := jsonspan.Apply(nil, doc, edits)
	again, err := jsonspan.Scan(edited)
	if err != nil {
		t.Fatalf("edited result is no JSON: %v\n%s\n%s", err, doc, edited)
	}
	if more := editInitialize(edited, again, withApps); len(more) > 0 {
		t.Fatalf("a declared extension is declared again: %s", edited)
	}
	if !jsonspan.IsObject(doc, root) {
		return
	}
	if _, ok := jsonspan.Lookup(edited, again, "capabilities", "extensions", uiExtension); !ok {
		t.Fatalf("the extension is not declared: %s", edited)
	}
}

func FuzzEditResourcesList(f *testing.F) {
	f.Add([]byte(`{"resources":[{"uri":"ui://tomtom-map/dynamic-map/app.html"},{"uri":"file:///x"}]}`), true)
	s := testWidgets(f)
	f.Fuzz(func(t *testing.T, doc []byte, apps bool) {
		root, err := jsonspan.Scan(doc)
		if err != nil {
			return
		}
		edits := s.editResourcesList(doc, root, client{apps: apps})
		checkOrdered(t, doc, edits)
		if edited := jsonspan.Apply(nil, doc, edits); !json.Valid(edited) && json.Valid(doc) {
			t.Fatalf("edited list is no JSON:\n%s\n%s", doc, edited)
		}
	})
}
