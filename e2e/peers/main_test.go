// Package peers measures other MCP proxies beside the gateway: what each adds to the same small tool result, the processor
// time it takes for that, and its memory, in turns in one run. make peers builds those that can be built; the rest is
// skipped, and the output says why. Figures are in docs/benchmarks.md.
package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// folderVariable is where build.sh has put the programs.
const folderVariable = "E2E_PEERS"

// proxy is a proxy as it runs.
type proxy struct {
	name string
	url  string
	pid  int // of the proxy alone: not of a server that it has started; 0 for none
}

// program returns the path of a program that build.sh has built. ok is false, and the reason said, where it could not.
func program(b *testing.B, name string) (path string, ok bool) {
	b.Helper()
	path = filepath.Join(os.Getenv(folderVariable), name)
	if _, err := os.Stat(path); err == nil {
		return path, true
	}
	reason, err := os.ReadFile(path + ".skipped")
	if err != nil {
		reason = []byte("it was not built")
	}
	fmt.Printf("%s: skipped: %s\n", name, strings.TrimSpace(string(reason)))
	return "", false
}

// start starts a peer that serves an address.
func start(b *testing.B, name, address, path string, cmd *exec.Cmd) (proxy, bool) {
	b.Helper()
	if log := testkit.StartServer(b, cmd, address); log != "" {
		fmt.Printf("%s: skipped: %s\n", name, log)
		return proxy{}, false
	}
	return proxy{name: name, url: "http://" + address + path, pid: cmd.Process.Pid}, true
}
