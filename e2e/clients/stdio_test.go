package clients

import (
	"encoding/json"
	"slices"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

// command is how host.mjs starts a server.
type command struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

func (c command) url(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return "stdio:" + string(text)
}

// TestTypeScriptHostsOverStdio: each client, in each era, starts the gateway as a desktop host does, in front of servers of
// both eras that run as commands, and of one that is reached over HTTP.
func TestTypeScriptHostsOverStdio(t *testing.T) {
	needsNode(t)
	binary := testkit.Binary(t)
	sdk := func(revisions ...string) command {
		program, env := testkit.SDKChild(t, revisions...)
		return command{binary, append(append([]string{"--stdio", "--", "/usr/bin/env"}, env...), program), nil}
	}
	env := map[string]string{"TOMTOM_API_KEY": testkit.Key, "MAPS": "tomtom-orbis-maps"}
	for kind, c := range map[string]command{
		"demonstration": {binary, []string{"--stdio", "--", binary, "demo", "-upstream-stdio"}, env},
		"both eras":     sdk(),
		"modern":        sdk("2026-07-28"),
		"legacy":        sdk("2025-11-25", "2025-06-18"),
		"HTTP": {binary, []string{"--stdio"}, map[string]string{
			"GATEWAY_UPSTREAM_URL": testkit.StartDemo(t, upstream.Options{Seed: 42}).URL, "GATEWAY_UPSTREAM_KEY": testkit.Key,
		}},
	} {
		for _, host := range hosts {
			t.Run(host.sdk+" "+host.mode+", "+kind, func(t *testing.T) {
				f := run(t, host.sdk, host.mode, c.url(t), "true")
				if f.Era != host.era || f.Server == "" || f.Server == "tomtom-mcp-gateway" || !f.Apps {
					t.Errorf("era %q, server %q, apps %v", f.Era, f.Server, f.Apps)
				}
				if f.Widget.Contents != 1 || f.Widget.MIMEType != "text/html;profile=mcp-app" || !f.Listed {
					t.Errorf("widget %s: %+v, listed %v", f.URI, f.Widget, f.Listed)
				}
				if slices.Contains(f.Tools, "tomtom-get-viz-data") || !slices.Contains(f.Tools, "tomtom-get-app-data") {
					t.Errorf("tools %v", f.Tools)
				}
				if r := testkit.ParseResult(t, f.Result); r.AppData(t) == nil {
					t.Errorf("status %q", r.Status(t))
				}
				if (kind == "demonstration" || kind == "HTTP") != (f.Progress > 0) {
					t.Errorf("%d notifications of progress", f.Progress)
				}
				f.checkAsked(t, kind != "demonstration" && kind != "HTTP")
			})
		}
	}
}
