package upstream

import (
	"encoding/json"
	"slices"
)

const widgetMIMEType = "text/html;profile=mcp-app"

// placeholder is the upstream's own widget: what a host would draw without a gateway. It says what it is.
const placeholder = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>TomTom map (upstream placeholder)</title></head>
<body><p>The upstream's own widget would fetch its data with a second call here.</p></body>
</html>
`

// resources are the widgets, one a tool that has one.
func (c session) resources() list {
	out := list{}
	for _, t := range c.tools {
		if t.resource != "" {
			out = append(out, object{{"uri", t.resource}, {"name", t.resource}, {"mimeType", widgetMIMEType}})
		}
	}
	return out
}

func (c session) readResource(id, params json.RawMessage) {
	var p struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(params, &p) != nil || !slices.ContainsFunc(c.tools, func(t tool) bool { return t.resource != "" && t.resource == p.URI }) {
		c.out.send(errorData(id, -32602, "MCP error -32602: Resource "+p.URI+" not found"))
		return
	}
	csp := object{
		{"connectDomains", list{"https://api.tomtom.com"}},
		{"resourceDomains", list{"https://api.tomtom.com", "blob:", "data:"}},
	}
	c.out.send(resultData(id, render(object{{"contents", list{object{
		{"uri", p.URI},
		{"mimeType", widgetMIMEType},
		{"text", placeholder},
		{"_meta", object{{"ui", object{{"csp", csp}}}}},
	}}}})))
}
