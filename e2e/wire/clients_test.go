package wire

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

const withApps = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`

// sender is a way in which a client is known, as what a request of it looks like.
type sender struct {
	header map[string]string
	path   string
	call   func(tool, arguments string) string
	list   string
}

// legacy opens a session with the capabilities and sends with its id.
func legacy(t *testing.T, p pair, capabilities string) sender {
	t.Helper()
	id := p.client().Post(t, initialize("2025-11-25", capabilities)).Header.Get("Mcp-Session-Id")
	return sender{
		header: map[string]string{"Mcp-Session-Id": id, "Mcp-Protocol-Version": "2025-11-25"},
		call:   func(tool, arguments string) string { return testkit.CallMessage("1", tool, arguments) },
		list:   listTools,
	}
}

// modern says in every request what the client can do.
func modern(capabilities string) sender {
	return sender{
		header: map[string]string{"Mcp-Protocol-Version": "2026-07-28"},
		call: func(tool, arguments string) string {
			return testkit.ModernCallMessage("1", tool, arguments, capabilities)
		},
		list: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"e2e","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}}}`,
	}
}

func (s sender) send(t *testing.T, p pair, message, method, name string) testkit.Answer {
	t.Helper()
	header := map[string]string{}
	maps.Copy(header, s.header)
	if s.header["Mcp-Protocol-Version"] == "2026-07-28" {
		header["Mcp-Method"] = method
		if name != "" {
			header["Mcp-Name"] = name
		}
	}
	c := p.client()
	c.URL += s.path
	return c.Do(t, http.MethodPost, message, header)
}

// TestClientsWithoutApps: from the request or the session, or the operator's word: no widget, no app-only tools, no
// show_ui, no redemption, and the text without the gateway's members.
func TestClientsWithoutApps(t *testing.T) {
	script := widgetList().Tool("tomtom-routing", testkit.Event(testkit.TextResult(oddText+`,"_meta":{"show_ui":true,"viz_id":"`+vizID+`"}}`))).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(routeData))).
		Tool("tomtom-dynamic-map", testkit.Event(`{"content":[{"type":"text","text":"a map"},{"type":"image","data":"iVBO","mimeType":"image/png"},{"type":"text","text":"{\"_meta\":{\"show_ui\":true,\"viz_id\":\"`+vizID+`\"}}"}]}`))
	auto := start(t, script)
	never := pair{testkit.StartGateway(t, auto.up.URL, "GATEWAY_APPS=never"), auto.up}
	for name, c := range map[string]struct {
		p pair
		s sender
	}{
		"session that declares nothing":      {auto, legacy(t, auto, `{}`)},
		"session with another extension":     {auto, legacy(t, auto, `{"roots":{},"extensions":{"com.example/x":{}}}`)},
		"session with other documents alone": {auto, legacy(t, auto, `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/plain"]}}}`)},
		"request that declares nothing":      {auto, modern(`{}`)},
		"GATEWAY_APPS=never":                 {never, legacy(t, never, withApps)},
	} {
		t.Run(name, func(t *testing.T) {
			auto.up.Forget()
			r := c.s.send(t, c.p, c.s.call("tomtom-routing", `{"show_ui":true}`), "tools/call", "tomtom-routing").Result(t)
			if _, ok := r.Meta[testkit.MetaAppData]; ok {
				t.Error("app data was sent")
			}
			if got := r.OnlyText(t); got != oddText+"}" {
				t.Errorf("text %q, want the upstream's without _meta", got)
			}
			if strings.Contains(string(r.Raw), vizID) || strings.Contains(string(r.Raw), "show_ui") {
				t.Errorf("%s", r.Raw)
			}
			if n := auto.up.Calls("tomtom-get-viz-data"); n != 0 {
				t.Errorf("%d redemptions", n)
			}
			m := c.s.send(t, c.p, c.s.call("tomtom-dynamic-map", `{}`), "tools/call", "tomtom-dynamic-map").Result(t)
			if len(m.Content) != 2 || m.Content[0].Text != "a map" || m.Content[1].Type != "image" {
				t.Errorf("the item that would be {} stays: %s", m.Raw)
			}
			list := c.s.send(t, c.p, c.s.list, "tools/list", "").Result(t)
			for name, tool := range toolsOf(t, list) {
				if name == "someone-elses" {
					continue
				}
				if tool.Meta.UI != nil || tool.Meta.Flat != "" || tool.Meta.Template != "" || strings.Contains(string(tool.InputSchema), "show_ui") {
					t.Errorf("%s: %+v %s", name, tool.Meta, tool.InputSchema)
				}
				if strings.HasPrefix(name, "tomtom-get-") || name == "tomtom-report-app-status" {
					t.Errorf("%s is listed", name)
				}
			}
			if !strings.Contains(string(list.Raw), `"other":{"type":"string"}`) {
				t.Errorf("other properties are lost: %s", list.Raw)
			}
		})
	}
}

// TestClientsWithApps: those that declare it, those that nothing is known of, and where the operator says always.
func TestClientsWithApps(t *testing.T) {
	script := widgetList().Tool("tomtom-routing", testkit.Event(testkit.TextResult(handleText))).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(routeData)))
	auto := start(t, script)
	always := pair{testkit.StartGateway(t, auto.up.URL, "GATEWAY_APPS=always"), auto.up}
	other := pair{testkit.StartGateway(t, auto.up.URL), auto.up}
	declared := legacy(t, auto, withApps)
	for name, c := range map[string]struct {
		p pair
		s sender
	}{
		"session":                         {auto, declared},
		"session through another gateway": {other, declared},
		"request":                         {auto, modern(withApps)},
		"unknown":                         {auto, sender{call: declared.call, list: listTools}},
		"unknown session":                 {auto, sender{header: map[string]string{"Mcp-Session-Id": "x"}, call: declared.call, list: listTools}},
		"GATEWAY_APPS=always":             {always, legacy(t, always, `{}`)},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.s.send(t, c.p, c.s.call("tomtom-routing", `{"show_ui":true}`), "tools/call", "tomtom-routing").Result(t)
			if r.Status(t) != "inline" {
				t.Errorf("%s", r.Raw)
			}
			tools := toolsOf(t, c.s.send(t, c.p, c.s.list, "tools/list", "").Result(t))
			if tools["tomtom-routing"].Meta.Flat == "" || tools["tomtom-report-app-status"].Name == "" {
				t.Errorf("%+v", tools)
			}
		})
	}
}

// TestSessionOfAClientWithoutAppsIsKnownEverywhere: the id carries it, no gateway remembers it.
func TestSessionOfAClientWithoutAppsIsKnownEverywhere(t *testing.T) {
	script := routing(handleText, routeData)
	p := start(t, script)
	without := legacy(t, p, `{}`)
	other := pair{testkit.StartGateway(t, p.up.URL), p.up}
	r := without.send(t, other, without.call("tomtom-routing", `{}`), "tools/call", "").Result(t)
	if r.AppData(t) != nil {
		t.Errorf("%s", r.Raw)
	}
}
