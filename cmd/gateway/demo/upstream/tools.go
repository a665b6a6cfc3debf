package upstream

import (
	"bytes"
	"context"
	"encoding/json"
)

// tool is a tool of the server: what tools/list says of it and what a call does.
type tool struct {
	name, title, description string
	input                    []property
	resource                 string // the widget's URI; empty: none
	appOnly                  bool
	closedWorld              bool
	listMeta                 object // replaces the `_meta` that follows from the fields above
	run                      func(*call) answer
	document                 documentTool // for those that runDocument runs
}

// call is one tools/call with accepted arguments.
type call struct {
	*Server
	tool tool
	ctx  context.Context //nolint:containedctx // a call is the scope of one request
	args arguments
	raw  json.RawMessage // the arguments as they came; nil: none
	key  string
}

// listing is the tool's element in tools/list.
func (t tool) listing() object {
	return object{
		{"name", t.name},
		{"title", t.title},
		{"description", t.description},
		{"inputSchema", schemaOf(t.input)},
		{"annotations", object{
			{"title", t.title},
			{"readOnlyHint", true},
			{"destructiveHint", false},
			{"idempotentHint", true},
			{"openWorldHint", !t.appOnly && !t.closedWorld},
		}},
		{"execution", object{{"taskSupport", "forbidden"}}},
		{"_meta", t.meta()},
	}
}

func (t tool) meta() object {
	switch {
	case t.listMeta != nil:
		return t.listMeta
	case t.appOnly:
		return object{{"ui", object{{"visibility", list{"app"}}}}}
	case t.resource == "":
		return object{{"backend", "tomtom-orbis-maps"}}
	}
	return object{
		{"backend", "tomtom-orbis-maps"},
		{"ui/resourceUri", t.resource},
		{"ui", object{{"resourceUri", t.resource}}},
	}
}

// answer is what a tool gives back: content items and, where the server says so, isError.
type answer struct {
	items   []item
	isError *bool
}

// item is a content item. A text stands here escaped, without its quotes, so that a long one is escaped once.
type item struct {
	escaped  [][]byte
	image    []byte // base64; then the item is an image
	mimeType string
}

// escape is s as the inside of a JSON string.
func escape[T ~string | ~[]byte](s T) []byte {
	quoted := appendString(make([]byte, 0, len(s)+len(s)/8+2), s)
	return quoted[1 : len(quoted)-1]
}

func textAnswer(text string) answer {
	return answer{items: []item{{escaped: [][]byte{escape(text)}}}}
}

// apiError is what the real API or server says of a call that it cannot answer, in its own spelling.
type apiError string

func (e apiError) Error() string { return string(e) }

const errPosition = apiError("Coordinates must be within longitude -180 to 180 and latitude -90 to 90")

// failure is a tool error: HTTP 200 with isError.
func failure(text string) answer { return textAnswer(text).withError(true) }

// failureJSON is a tool error in the form of the tools' own handlers.
func failureJSON(text string) answer { return failure(string(render(object{{"error", text}}))) }

func (a answer) withError(is bool) answer {
	a.isError = &is
	return a
}

// result writes the CallToolResult, minified, in the member order of the real server.
func (a answer) result() []byte {
	size := 64
	for _, i := range a.items {
		size += len(i.image) + 64
		for _, e := range i.escaped {
			size += len(e)
		}
	}
	out := append(make([]byte, 0, size), `{"content":[`...)
	for n, i := range a.items {
		if n > 0 {
			out = append(out, ',')
		}
		if i.image != nil {
			out = append(append(out, `{"type":"image","data":"`...), i.image...)
			out = append(append(out, `","mimeType":"`...), i.mimeType...)
			out = append(out, `"}`...)
			continue
		}
		out = append(out, `{"type":"text","text":"`...)
		for _, e := range i.escaped {
			out = append(out, e...)
		}
		out = append(out, `"}`...)
	}
	out = append(out, ']')
	if a.isError != nil {
		out = append(out, `,"isError":`...)
		out = appendJSON(out, *a.isError)
	}
	return append(out, '}')
}

// compactJSON is raw without white space between tokens; raw must be JSON.
func compactJSON(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// pretty is JSON.stringify(v, null, 2) of minified JSON.
func pretty(minified []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, minified, "", "  ") != nil {
		return minified
	}
	return b.Bytes()
}

// orbisTools are the tools of the current back end, in the order of the real list.
func orbisTools(o Options) []tool {
	handle := "viz_id"
	if o.Newer {
		handle = "dataset_id"
	}
	tools := []tool{apiKeyTool(), cachedDataTool(handle)}
	tools = append(tools, searchTools(o)...)
	tools = append(tools, routingTools(o)...)
	tools = append(tools, mapTools(o)...)
	if !o.Untrimmed {
		return tools
	}
	// Servers before 1.2 had no cache, so nothing to read from it, and no widgets.
	kept := tools[:0]
	for _, t := range tools {
		if t.name == cachedDataTool(handle).name {
			continue
		}
		t.resource = ""
		t.input = withoutProperties(t.input, "show_ui", "response_detail")
		kept = append(kept, t)
	}
	return kept
}

// apiKeyTool answers the caller's own key as plain text.
func apiKeyTool() tool {
	return tool{
		name: "tomtom-get-api-key", title: "Get TomTom API Key", appOnly: true,
		description: "For apps only: the TomTom API key of this connection",
		run:         func(c *call) answer { return textAnswer(c.key).withError(false) },
	}
}

// cachedDataTool redeems a handle. The data stays in the cache until it expires, whoever asks.
func cachedDataTool(handle string) tool {
	t := tool{
		name: "tomtom-get-viz-data", title: "Get Visualization Data", appOnly: true,
		description: "For apps only: the cached visualization data behind a viz_id",
		input:       []property{required(handle, text("Visualization ID from the `_meta` of a tool's answer"))},
	}
	missing := "Visualization data not found or expired"
	if handle == "dataset_id" {
		t.name, t.title = "tomtom-get-dataset", "Get Dataset"
		t.description = "For apps only: the cached dataset behind a dataset_id"
		missing = "Dataset not found or expired"
	}
	t.run = func(c *call) answer {
		escaped, ok := c.cache.get(c.args.text(handle))
		if !ok {
			return failure(missing)
		}
		return answer{items: []item{{escaped: [][]byte{escaped}}}}.withError(false)
	}
	return t
}
