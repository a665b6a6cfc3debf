package proxy

import (
	"testing"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

func TestEditInitialize(t *testing.T) {
	const ui = `"io.modelcontextprotocol/ui":{}`
	for name, test := range map[string]struct{ result, want string }{
		"nothing":           {`{}`, `{"capabilities":{"extensions":{` + ui + `},"resources":{},"tools":{}}}`},
		"no extensions":     {`{"capabilities":{"tools":{"listChanged":true},"resources":{}} ,"serverInfo":{}}`, `{"capabilities":{"tools":{"listChanged":true},"resources":{},"extensions":{` + ui + `}} ,"serverInfo":{}}`},
		"other extensions":  {`{"capabilities":{"extensions":{"x":{"n":1.0}},"tools":{},"resources":{}}}`, `{"capabilities":{"extensions":{"x":{"n":1.0},` + ui + `},"tools":{},"resources":{}}}`},
		"declared already":  {`{"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{"a":1}},"tools":{},"resources":{}}}`, `{"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{"a":1}},"tools":{},"resources":{}}}`},
		"declared as null":  {`{"capabilities":{"extensions":{"io.modelcontextprotocol/ui":null},"tools":{},"resources":{}}}`, `{"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}},"tools":{},"resources":{}}}`},
		"null extensions":   {`{"capabilities":{"extensions":null,"tools":{},"resources":{}}}`, `{"capabilities":{"extensions":{` + ui + `},"tools":{},"resources":{}}}`},
		"null capabilities": {`{"capabilities":null}`, `{"capabilities":{"extensions":{` + ui + `},"resources":{},"tools":{}}}`},
		"repeated":          {`{"capabilities":7,"capabilities":{"tools":{},"resources":{}}}`, `{"capabilities":7,"capabilities":{"tools":{},"resources":{},"extensions":{` + ui + `}}}`},
		"no object":         {`[{"capabilities":{}}]`, `[{"capabilities":{}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			doc := []byte(test.result)
			edits := editInitialize(doc, jsonspan.Span{End: len(doc)}, withoutApps)
			if got := string(jsonspan.Apply(nil, doc, edits)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	for _, cause := range []appsCause{causeSetting, causeQuery} {
		t.Run("widgets off by "+string(cause), func(t *testing.T) {
			doc := []byte(`{"capabilities":{}}`)
			if edits := editInitialize(doc, jsonspan.Span{End: len(doc)}, client{because: cause}); edits != nil {
				t.Errorf("edits %v", edits)
			}
		})
	}
}
