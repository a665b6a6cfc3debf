package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

const (
	routing   = "tomtom-routing"
	routeCall = `{"locations":[[-9.1393,38.7223],[-8.6291,41.1579]],"show_ui":true}`
	// Exit code of the Inspector where a tool has no app.
	noApp = 2
)

// inspector is the Inspector's command line in front of one server.
type inspector struct {
	era  string
	apps bool
	// The server: options before, a command behind.
	options, command []string
}

// overHTTP returns the options by which the Inspector finds a server.
func overHTTP(url string) []string {
	return []string{"--server-url", url, "--transport", "http", "--header", "tomtom-api-key: " + testkit.Key}
}

// run runs one method and returns what the Inspector printed, and its exit code.
func (i inspector) run(t *testing.T, args ...string) (out []byte, code int) {
	t.Helper()
	all := append([]string{"--cli", "--format", "json", "--quiet", "--protocol-era", i.era}, i.options...)
	if i.apps {
		all = append(all, "--advertise-apps")
	}
	all = append(all, args...)
	if len(i.command) > 0 {
		all = append(append(all, "--"), i.command...)
	}
	cmd := script(t, filepath.Join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js"), all...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if code != 0 && code != noApp {
		t.Fatalf("the Inspector ended with %d: %s", code, stderr.Bytes())
	}
	return stdout.Bytes(), code
}

// result runs one method and decodes the result into v.
func (i inspector) result(t *testing.T, v any, args ...string) {
	t.Helper()
	out, code := i.run(t, args...)
	envelope := struct{ Result any }{v}
	if err := json.Unmarshal(out, &envelope); err != nil || code != 0 {
		t.Fatalf("the Inspector ended with %d: %v: %s", code, err, out[:min(len(out), 500)])
	}
}

// TestInspector: the Inspector's command line in front of the gateway, in every era that it can be told, with and without
// MCP Apps.
func TestInspector(t *testing.T) {
	t.Parallel()
	gateway := testkit.StartGateway(t, testkit.StartDemo(t, upstream.Options{Seed: 1}).URL)
	for _, era := range []string{"legacy", "auto", "modern"} {
		for _, apps := range []bool{true, false} {
			name := era + " without apps"
			if apps {
				name = era + " with apps"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				host := inspector{era: era, apps: apps, options: overHTTP(gateway.URL)}
				host.checkTools(t)
				host.checkCall(t)
				host.checkResources(t)
				host.checkAppInfo(t)
			})
		}
	}
}

// TestInspectorInFrontOfAModernServer: the same host, in every era, where the server speaks 2026-07-28 alone.
func TestInspectorInFrontOfAModernServer(t *testing.T) {
	t.Parallel()
	const text, data = `{"summary":1,"_meta":{"show_ui":true,"viz_id":"8aebc4ba-6dcd-4516-a2d3-5cb9c3823503"}}`, `{"type":"FeatureCollection","features":[]}`
	gateway := testkit.StartGateway(t, testkit.StartUpstream(t, testkit.NewModern(text, data, "2026-07-28")).URL)
	for _, era := range []string{"legacy", "auto", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			host := inspector{era: era, apps: true, options: overHTTP(gateway.URL)}
			host.checkTools(t)
			host.checkAppInfo(t)
			var raw json.RawMessage
			host.result(t, &raw, "--method", "tools/call", "--tool-name", routing, "--tool-args-json", `{"show_ui":true}`)
			testkit.SameBytes(t, "app data", testkit.ParseResult(t, raw).AppData(t), []byte(data))
		})
	}
}

// TestInspectorOverStdio: as the server that the Inspector starts, with another one behind it.
func TestInspectorOverStdio(t *testing.T) {
	t.Parallel()
	program := testkit.Binary(t)
	for _, host := range []inspector{{era: "legacy"}, {era: "modern", apps: true}, {era: "auto", apps: true}} {
		t.Run(host.era, func(t *testing.T) {
			t.Parallel()
			host.command = []string{program, "--stdio", "--", program, "demo", "-upstream-stdio"}
			host.checkCall(t)
		})
	}
}

type listedTool struct {
	Name        string
	InputSchema struct{ Properties map[string]any }
	Meta        map[string]any `json:"_meta"`
}

// checkTools: tools of TomTom's are bound to the widget for hosts with apps, and say nothing of one for others.
func (i inspector) checkTools(t *testing.T) {
	t.Helper()
	var list struct{ Tools []listedTool }
	i.result(t, &list, "--method", "tools/list")
	names := map[string]bool{}
	for _, tool := range list.Tools {
		names[tool.Name] = true
		_, asks := tool.InputSchema.Properties["show_ui"]
		_, bound := tool.Meta["ui"]
		_, flat := tool.Meta["ui/resourceUri"]
		_, template := tool.Meta["openai/outputTemplate"]
		switch {
		case !i.apps && (asks || bound || flat || template):
			t.Errorf("%s speaks of a widget: %v", tool.Name, tool.Meta)
		case i.apps && tool.Name == routing && (!asks || !bound || !flat || !template):
			t.Errorf("%s has no widget: %v", tool.Name, tool.Meta)
		}
	}
	for name, want := range map[string]bool{routing: true, "tomtom-get-app-data": i.apps, "tomtom-report-app-status": i.apps} {
		if names[name] != want {
			t.Errorf("%s is listed: %t", name, names[name])
		}
	}
}

// checkCall: a route's result holds its map for hosts with apps, and the agent's text alone for others.
func (i inspector) checkCall(t *testing.T) {
	t.Helper()
	var raw json.RawMessage
	i.result(t, &raw, "--method", "tools/call", "--tool-name", routing, "--tool-args-json", routeCall)
	result := testkit.ParseResult(t, raw)
	text := result.OnlyText(t)
	if !i.apps {
		if strings.Contains(string(raw), "com.tomtom/") || strings.Contains(text, "show_ui") || strings.Contains(text, "_meta") || !strings.Contains(text, "summary") {
			t.Errorf("result %s", raw[:min(len(raw), 500)])
		}
		return
	}
	if status := result.Status(t); status != "inline" {
		t.Errorf("status %q", status)
	}
	if routes := testkit.Routes(t, result.AppData(t)); testkit.Vertices(routes) < 100 {
		t.Errorf("app data with %d vertices", testkit.Vertices(routes))
	}
	if result.MetaString(t, "tool") != routing || !strings.Contains(text, `"show_ui"`) {
		t.Errorf("the widget is not told of its tool: %s", raw[:min(len(raw), 500)])
	}
}

// checkResources: the widget is listed, and read, for hosts with apps.
func (i inspector) checkResources(t *testing.T) {
	t.Helper()
	type resource struct {
		URI, MIMEType, Text string
		Meta                json.RawMessage `json:"_meta"`
	}
	var list struct{ Resources []resource }
	i.result(t, &list, "--method", "resources/list")
	at := slices.IndexFunc(list.Resources, func(r resource) bool { return strings.HasPrefix(r.URI, "ui://") })
	if i.apps != (at >= 0) {
		t.Fatalf("resources %v", list.Resources)
	}
	if !i.apps {
		return
	}
	var read struct{ Contents []resource }
	i.result(t, &read, "--method", "resources/read", "--uri", list.Resources[at].URI)
	if len(read.Contents) != 1 {
		t.Fatalf("%d contents", len(read.Contents))
	}
	got := read.Contents[0]
	if got.URI != list.Resources[at].URI || got.MIMEType != "text/html;profile=mcp-app" || !strings.HasPrefix(got.Text, "<!doctype html>") {
		t.Errorf("read %s, %s, %.100s", got.URI, got.MIMEType, got.Text)
	}
	testkit.SameJSON(t, "_meta of the widget, read and listed", got.Meta, list.Resources[at].Meta)
}

// checkAppInfo: the Inspector itself finds the tool's app, or says that there is none.
func (i inspector) checkAppInfo(t *testing.T) {
	t.Helper()
	out, code := i.run(t, "--method", "tools/call", "--tool-name", routing, "--app-info")
	var probe struct {
		AppInfo struct {
			HasApp                                  bool
			ToolName, ResourceURI, ResourceMIMEType string
			CSP                                     struct{ ConnectDomains, ResourceDomains []string }
		}
	}
	if err := json.Unmarshal(out, &probe); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	info := probe.AppInfo
	switch {
	case info.HasApp != i.apps || info.ToolName != routing || (code == noApp) == i.apps:
		t.Errorf("exit code %d: %s", code, out)
	case i.apps && (info.ResourceMIMEType != "text/html;profile=mcp-app" || len(info.CSP.ConnectDomains) == 0 || len(info.CSP.ResourceDomains) == 0 || !strings.HasPrefix(info.ResourceURI, "ui://")):
		t.Errorf("app %s", out)
	}
}
