package peers

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

// token is what the gateway wants of hosts in front of a command.
const token = "peers-0123456789-0123456789"

// BenchmarkHTTP is proxies in front of a server that is reached over HTTP.
func BenchmarkHTTP(b *testing.B) {
	needPeers(b)
	up := testkit.StartEverything(b, false)
	g := testkit.StartGateway(b, up)
	all := []proxy{{name: "none: the server called directly", url: up}, {name: "gateway", url: g.URL, pid: g.PID()}}
	if p, ok := toolhive(b, strings.TrimSuffix(up, "/mcp")); ok {
		all = append(all, p)
	}
	if p, ok := tbxark(b, map[string]any{"transportType": "streamable-http", "url": up}); ok {
		all = append(all, p)
	}
	compare(b, all)
}

// BenchmarkCommand is proxies that make a server that runs as a command reachable over HTTP.
func BenchmarkCommand(b *testing.B) {
	needPeers(b)
	server := testkit.Program(b, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server")
	g := testkit.StartCommandGateway(b, []string{"GATEWAY_TOKEN=" + token}, server)
	all := []proxy{{name: "gateway", url: g.URL, pid: g.PID()}}
	if path, ok := program(b, "npm-mcp-proxy"); ok {
		address := testkit.FreeAddress(b)
		host, port, _ := net.SplitHostPort(address)
		cmd := exec.Command(path, "--host", host, "--port", port, "--server", "stream", "--", server)
		if p, ok := start(b, "mcp-proxy (npm)", address, "/mcp", cmd); ok {
			all = append(all, p)
		}
	}
	if p, ok := tbxark(b, map[string]any{"command": server}); ok {
		all = append(all, p)
	}
	compare(b, all)
}

func needPeers(b *testing.B) {
	b.Helper()
	if os.Getenv(folderVariable) == "" {
		b.Skip("make peers runs it")
	}
}

// tbxark runs tbxark/mcp-proxy in front of one server.
func tbxark(b *testing.B, server map[string]any) (proxy, bool) {
	b.Helper()
	path, ok := program(b, "tbxark-mcp-proxy")
	if !ok {
		return proxy{}, false
	}
	address := testkit.FreeAddress(b)
	config, err := json.Marshal(map[string]any{
		"mcpProxy": map[string]any{
			"baseURL": "http://" + address, "addr": address, "name": "peer", "version": "1", "type": "streamable-http",
		},
		"mcpServers": map[string]any{"upstream": server},
	})
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "config.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		b.Fatal(err)
	}
	return start(b, "tbxark/mcp-proxy", address, "/upstream/mcp", exec.Command(path, "--config", file))
}

// warmUp is how many rounds run before anything is measured.
const warmUp = 100

// compare calls through all proxies in turns, one call after the other, and prints a row for each.
func compare(b *testing.B, all []proxy) {
	b.Helper()
	hosts := make([]*host, len(all))
	for i, p := range all {
		hosts[i] = connect(b, p.url)
	}
	for range warmUp {
		for _, h := range hosts {
			h.call(b)
		}
	}
	took, before := make([][]time.Duration, len(all)), make([]time.Duration, len(all))
	for i, p := range all {
		before[i] = used(b, p)
	}
	for b.Loop() {
		for i, h := range hosts {
			took[i] = append(took[i], h.call(b))
		}
	}
	b.ReportMetric(0, "ns/op") // a round means nothing
	rows := make([]row, len(all))
	for i, p := range all {
		slices.Sort(took[i])
		rows[i] = row{name: p.name, p50: percentile(took[i], 50), p99: percentile(took[i], 99)}
		if p.pid != 0 {
			rows[i].cpu = (used(b, p) - before[i]) / time.Duration(len(took[i]))
			rows[i].residentMB = float64(testkit.ResidentBytes(b, p.pid)) / (1 << 20)
		}
	}
	own := rows[slices.IndexFunc(rows, func(r row) bool { return r.name == "gateway" })]
	fmt.Print("\n| proxy | p50 | p99 | ratio of p50 | CPU a call | ratio | memory | ratio |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		fmt.Println(r.beside(own))
	}
}

// row is what was measured of one proxy.
type row struct {
	name       string
	p50, p99   time.Duration
	cpu        time.Duration // a call; 0 where there is no proxy
	residentMB float64
}

// beside is a row of a table, with what it is in comparison to own.
func (r row) beside(own row) string {
	text := fmt.Sprintf("| %s | %.2f ms | %.2f ms | %.2f |", r.name, milliseconds(r.p50), milliseconds(r.p99), float64(r.p50)/float64(own.p50))
	if r.cpu == 0 {
		return text + " – | – | – | – |"
	}
	return text + fmt.Sprintf(" %.2f ms | %.2f | %.0f MB | %.2f |", milliseconds(r.cpu), float64(r.cpu)/float64(own.cpu), r.residentMB, r.residentMB/own.residentMB)
}

func used(b *testing.B, p proxy) time.Duration {
	b.Helper()
	if p.pid == 0 {
		return 0
	}
	return testkit.CPUTime(b, p.pid)
}

func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
