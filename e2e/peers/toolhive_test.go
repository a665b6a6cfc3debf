package peers

import (
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// toolhive runs `thv proxy`, which passes HTTP on. It insists on a container runtime although it starts no container then:
// a socket that says it is one will do. It is not to look for updates or to tell how it is used.
func toolhive(b *testing.B, upstream string) (proxy, bool) {
	b.Helper()
	path, ok := program(b, "toolhive")
	if !ok {
		return proxy{}, false
	}
	home := b.TempDir()
	address := testkit.FreeAddress(b)
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(path, "proxy", "upstream", "--target-uri", upstream, "--port", port)
	cmd.Env = []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_RUNTIME_DIR=" + home,
		"CI=true", "TOOLHIVE_SKIP_UPDATE_CHECK=true", "TOOLHIVE_USAGE_METRICS_ENABLED=false",
		"TOOLHIVE_DOCKER_SOCKET=" + containerRuntime(b),
	}
	return start(b, "toolhive, thv proxy", address, "/mcp", cmd)
}

// containerRuntime answers as a container runtime that is well and has nothing to do. It returns its socket.
func containerRuntime(b *testing.B) string {
	b.Helper()
	socket := filepath.Join(b.TempDir(), "runtime.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: testkit.Patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.45")
		if filepath.Base(r.URL.Path) == "_ping" {
			_, _ = io.WriteString(w, "OK")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
	})}
	go func() { _ = server.Serve(l) }()
	b.Cleanup(func() { _ = server.Close() })
	return socket
}
