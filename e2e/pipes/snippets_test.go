package pipes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestSnippets: what the README has for desktop hosts is JSON that starts the gateway in front of TomTom's server with the
// variables that it needs. Here the made-up server stands in its place.
func TestSnippets(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(testkit.ModuleRoot(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Type, Command string
		Args          []string
		Env           map[string]string
	}
	snippets := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(snippets) != 3 {
		t.Fatalf("%d snippets", len(snippets))
	}
	for _, snippet := range snippets {
		var config struct{ MCPServers, Servers map[string]entry }
		if err := json.Unmarshal(snippet[1], &config); err != nil {
			t.Fatalf("%v in %s", err, snippet[1])
		}
		e, ok := config.MCPServers["tomtom"]
		if !ok {
			e = config.Servers["tomtom"]
		}
		if e.Env["MAPS"] != "tomtom-orbis-maps" || e.Env["TOMTOM_API_KEY"] == "" || filepath.Base(e.Command) != "gateway" {
			t.Errorf("%+v", e)
		}
		at := slices.Index(e.Args, "npx")
		if at < 0 || e.Args[at+2] != "@tomtom-org/tomtom-mcp@latest" {
			t.Fatalf("%q", e.Args)
		}
		args := append(e.Args[:at:at], testkit.Binary(t), "demo", "-upstream-stdio")
		g := testkit.StartStdio(t, []string{"MAPS=" + e.Env["MAPS"], "TOMTOM_API_KEY=" + testkit.Key}, args...)
		g.Initialize(t)
		if r := g.CallResult(t, "tomtom-geocode", `{"query":"Amsterdam","show_ui":true}`); r.Status(t) != "inline" {
			t.Errorf("status %s", r.Status(t))
		}
	}
}
