// Package clients puts the TypeScript SDKs' clients, as hosts use them, in front of the built gateway and servers of both
// eras. It needs Node.js and the packages of package.json: make clients.
package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	text = `{"features":[],"_meta":{"show_ui":true,"viz_id":"8aebc4ba-6dcd-4516-a2d3-5cb9c3823503"}}`
	data = `{"type":"FeatureCollection","features":[]}`
)

// found is what host.mjs prints.
type found struct {
	Era, Server  string
	Apps, Listed bool
	Tools        []string
	URI          string
	Widget       struct {
		Contents, Chars int
		MIMEType        string `json:"mimeType"`
	}
	Progress int
	Result   json.RawMessage
	Unknown  outcome
	Asked    *outcome // of a tool that asks the host for a name; nil where there is none
}

type outcome struct {
	IsError bool
	Code    int
	Text    string
}

// checkAsked: what the server asks of its host reaches it, and its answer the server.
func (f found) checkAsked(t *testing.T, has bool) {
	t.Helper()
	if (f.Asked != nil) != has || has && f.Asked.Text != "hello Ada" {
		t.Errorf("asked: %+v", f.Asked)
	}
}

// hosts are the clients, each in every way that it has to open.
type host struct{ sdk, mode, era string }

var hosts = []host{
	{"sdk1", "legacy", "legacy"},
	{"sdk2", "legacy", "legacy"},
	{"sdk2", "auto", "modern"},
	{"sdk2", "2026-07-28", "modern"},
}

var upstreams = map[string]func(t *testing.T) string{
	"demonstration": func(t *testing.T) string {
		t.Helper()
		return testkit.StartDemo(t, upstream.Options{Seed: 42}).URL
	},
	"modern": func(t *testing.T) string {
		t.Helper()
		return testkit.StartUpstream(t, testkit.NewModern(text, data, "2026-07-28")).URL
	},
	"both eras": func(t *testing.T) string {
		t.Helper()
		return testkit.StartUpstream(t, testkit.NewModern(text, data)).URL
	},
	"legacy with sessions": func(t *testing.T) string {
		t.Helper()
		return testkit.StartUpstream(t, testkit.NewModern(text, data).WithSessions()).URL
	},
}

// eachPair runs each client, with MCP Apps or without, in front of each kind of server.
func eachPair(t *testing.T, apps bool, check func(t *testing.T, kind string, host host, f found)) {
	t.Helper()
	needsNode(t)
	for kind, start := range upstreams {
		g := testkit.StartGateway(t, start(t))
		for _, host := range hosts {
			t.Run(host.sdk+" "+host.mode+", "+kind, func(t *testing.T) {
				check(t, kind, host, run(t, host.sdk, host.mode, g.URL, strconv.FormatBool(apps)))
			})
		}
	}
}

// TestTypeScriptHosts: each client, in each era, in front of each kind of server, finds one server with a map.
func TestTypeScriptHosts(t *testing.T) {
	eachPair(t, true, func(t *testing.T, kind string, host host, f found) {
		t.Helper()
		if f.Era != host.era || f.Server == "" || f.Server == "tomtom-mcp-gateway" || !f.Apps {
			t.Errorf("era %q, server %q, apps %v", f.Era, f.Server, f.Apps)
		}
		if f.Widget.Contents != 1 || f.Widget.MIMEType != "text/html;profile=mcp-app" || f.Widget.Chars < 1000 || !f.Listed {
			t.Errorf("widget %s: %+v, listed %v", f.URI, f.Widget, f.Listed)
		}
		if slices.Contains(f.Tools, "tomtom-get-viz-data") || !slices.Contains(f.Tools, "tomtom-report-app-status") {
			t.Errorf("tools %v", f.Tools)
		}
		r := testkit.ParseResult(t, f.Result)
		if status := r.Status(t); status != "inline" && status != "fitted" || r.AppData(t) == nil {
			t.Errorf("status %q", status)
		}
		if kind == "demonstration" && f.Progress == 0 {
			t.Error("no progress")
		}
		f.checkUnknown(t, kind)
		// The go-sdk's server of both eras keeps no sessions, and so cannot ask hosts of the legacy one.
		if kind != "both eras" || f.Era == "modern" {
			f.checkAsked(t, kind != "demonstration")
		}
	})
}

// checkUnknown: a tool that does not exist is an error in the modern era; a legacy server says it in its own way.
func (f found) checkUnknown(t *testing.T, kind string) {
	t.Helper()
	if !strings.Contains(f.Unknown.Text, "nobody") {
		t.Errorf("unknown tool: %+v", f.Unknown)
	}
	if f.Unknown.IsError != (f.Era == "legacy" && kind == "demonstration") || !f.Unknown.IsError && f.Unknown.Code != -32602 {
		t.Errorf("unknown tool: %+v", f.Unknown)
	}
}

// TestTypeScriptHostsWithoutApps get the text, and nothing of a map.
func TestTypeScriptHostsWithoutApps(t *testing.T) {
	eachPair(t, false, func(t *testing.T, _ string, _ host, f found) {
		t.Helper()
		if f.URI != "" || slices.Contains(f.Tools, "tomtom-report-app-status") {
			t.Errorf("widget %q, tools %v", f.URI, f.Tools)
		}
		for _, unwanted := range []string{"com.tomtom/", "viz_id", "show_ui"} {
			if bytes.Contains(f.Result, []byte(unwanted)) {
				t.Errorf("%s in the result", unwanted)
			}
		}
	})
}

// needsNode skips where make clients has not prepared the directory, and fails there where that has run.
func needsNode(t *testing.T) {
	t.Helper()
	_, err := os.Stat("node_modules")
	if err == nil {
		_, err = exec.LookPath("node")
	}
	switch {
	case err != nil && os.Getenv("E2E_CLIENTS") != "":
		t.Fatal(err)
	case err != nil:
		t.Skip("the TypeScript clients are not installed: make clients")
	}
}

func run(t *testing.T, args ...string) (f found) {
	t.Helper()
	args = append([]string{"host.mjs"}, append(args[:3:3], testkit.Key, args[3])...)
	command := exec.CommandContext(t.Context(), "node", args...)
	var out, failed bytes.Buffer
	command.Stdout, command.Stderr = &out, &failed
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %v\n%.3000s", args, err, failed.String())
	}
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		t.Fatalf("%v: %.2000s", err, out.String())
	}
	return f
}
