// Package conformance runs programs of others against the built gateway: the official MCP conformance suite, against a
// server directly and through the gateway, and the MCP Inspector's command line as host. They run on Node.js.
package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// modules is where npm puts what package.json names.
const modules = "node_modules"

// nodeJS returns the path of a Node.js that is new enough, of those that .ci/install.sh has installed or the machine has.
var nodeJS = sync.OnceValues(func() (path string, err error) {
	var found []string
	for _, candidate := range []string{filepath.Join(testkit.ModuleRoot(), "bin", "node", "bin", "node"), "node"} {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		version, err := exec.Command(path, "--version").Output()
		if err != nil {
			continue
		}
		text := strings.TrimSpace(string(version))
		if isNewEnough(text) {
			return path, nil
		}
		found = append(found, text)
	}
	return "", fmt.Errorf("the MCP Inspector needs Node.js 22.19 or newer; there is %v", found)
})

// isNewEnough reports whether a version of Node.js, such as v22.19.0, is one that the Inspector asks for.
func isNewEnough(version string) bool {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	return errA == nil && errB == nil && (a > 22 || a == 22 && b >= 19)
}

// script returns a command that runs a JavaScript file, by its path below this directory, in an environment without a
// person: no home, no proxies, nothing of the gateway's. The test is skipped where there is no Node.js or nothing is
// installed, save in CI.
func script(t *testing.T, path string, args ...string) *exec.Cmd {
	t.Helper()
	missing := func(reason any) {
		t.Helper()
		if os.Getenv("CI") == "true" {
			t.Fatalf("%v: run `make conformance`", reason)
		}
		t.Skipf("%v: `make conformance` installs what is missing", reason)
	}
	node, err := nodeJS()
	if err != nil {
		missing(err)
	}
	if _, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err != nil {
		missing(err)
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{path}, args...)...)
	cmd.Env = append(testkit.CleanEnvironment(), "HOME="+t.TempDir(), "NO_COLOR=1")
	return cmd
}
