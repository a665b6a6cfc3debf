package testkit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

const (
	roleVariable     = "E2E_ROLE"
	roleArgsVariable = "E2E_ROLE_ARGS"
)

// roles are the upstreams that can run as a process of their own, by name. args is what StartProcess was given.
var roles = map[string]func(args string) (http.Handler, error){"demo": demoRole, "memory": memoryRole}

// AddRole makes StartProcess know one more upstream. It is called before Main.
func AddRole(name string, serve func(args string) (http.Handler, error)) { roles[name] = serve }

// Process is an upstream that runs in a process of its own.
type Process struct {
	// URL is its MCP endpoint, Address host and port.
	URL, Address string

	cmd  *exec.Cmd
	wait func() // until it has ended
}

// Kill ends the process at once, as a machine that fails does, and returns when it is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	p.wait()
}

// Seen is what an upstream process says about itself.
type Seen struct {
	Calls       map[string]int // tools/call messages by tool
	Connections int
}

// Seen asks the process what it saw so far.
func (p *Process) Seen(tb testing.TB) Seen {
	tb.Helper()
	a := Client{URL: "http://" + p.Address + seenPath}.Do(tb, http.MethodGet, "", nil)
	var s Seen
	if err := json.Unmarshal(a.Body, &s); err != nil {
		tb.Fatalf("upstream process: %v", err)
	}
	return s
}

const seenPath = "/e2e/seen"

// StartProcess starts this test binary again as the upstream called role and returns when it listens. The process ends
// with the test, and by itself when this process dies.
func StartProcess(tb testing.TB, role, args string) *Process {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(CleanEnvironment(), roleVariable+"="+role, roleArgsVariable+"="+args)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatalf("start %s: %v", role, err)
	}
	wait := sync.OnceFunc(func() { _ = cmd.Wait() })
	tb.Cleanup(func() {
		_ = stdin.Close()
		wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		tb.Fatalf("%s process said nothing: %v (does the package call testkit.Main?)", role, err)
	}
	address := strings.TrimSpace(line)
	return &Process{URL: "http://" + address + "/mcp", Address: address, cmd: cmd, wait: wait}
}

// runRole serves a role until standard input ends, which it does when the parent goes.
func runRole(role, args string) int {
	serve, ok := roles[role]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such role:", role)
		return 2
	}
	h, err := serve(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
		return 1
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	count := &counter{calls: map[string]int{}, next: h}
	server := &http.Server{Handler: count, IdleTimeout: upstream.IdleTimeout, ConnState: count.connState} //nolint:gosec // loopback, for a test
	go func() { _ = server.Serve(l) }()
	fmt.Println(l.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = server.Close()
	return 0
}
