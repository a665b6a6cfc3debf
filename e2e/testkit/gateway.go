package testkit

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Gateway is a gateway process in front of one upstream.
type Gateway struct {
	// URL is the MCP endpoint; Address its host and port; Admin the URL of the admin address, without a path.
	URL, Address, Admin string

	cmd    *exec.Cmd
	log    string // file that the process writes to, so that a line is there once it has been written
	exited chan struct{}
}

// StartGateway starts the built gateway in front of the upstream's MCP endpoint and returns once /readyz says so. env
// holds further variables as NAME=value. The process ends with the test, and a failed test shows its log.
func StartGateway(tb testing.TB, upstream string, env ...string) *Gateway {
	tb.Helper()
	path := Binary(tb)
	return startReady(tb, func() *Gateway { return launch(tb, path, upstream, env) })
}

// startReady starts a gateway until one is ready: another process may have taken an address that was free.
func startReady(tb testing.TB, start func() *Gateway) *Gateway {
	tb.Helper()
	for range 5 {
		g := start()
		if g.awaitReady(tb) {
			return g
		}
		if !strings.Contains(g.LogText(), "address already in use") {
			break
		}
	}
	tb.Fatal("the gateway does not start: its log follows")
	return nil
}

// StartCommandGateway starts the built gateway for HTTP hosts in front of a server that runs as a command.
func StartCommandGateway(tb testing.TB, env []string, command ...string) *Gateway {
	tb.Helper()
	return startReady(tb, func() *Gateway {
		address, admin := freeAddresses(tb)
		g := &Gateway{
			URL: "http://" + address + "/mcp", Address: address, Admin: "http://" + admin,
			cmd: exec.Command(Binary(tb), append([]string{"--"}, command...)...), exited: make(chan struct{}),
		}
		g.cmd.Env = append(CleanEnvironment(), "GATEWAY_LISTEN="+address, "GATEWAY_ADMIN_LISTEN="+admin)
		g.cmd.Env = append(g.cmd.Env, env...)
		g.run(tb)
		return g
	})
}

func launch(tb testing.TB, path, upstream string, env []string) *Gateway {
	tb.Helper()
	target, err := url.Parse(upstream)
	if err != nil {
		tb.Fatal(err)
	}
	address, admin := freeAddresses(tb)
	g := &Gateway{
		URL: "http://" + address + target.Path, Address: address, Admin: "http://" + admin,
		cmd: exec.Command(path), exited: make(chan struct{}),
	}
	g.cmd.Env = append(CleanEnvironment(),
		"GATEWAY_UPSTREAM_URL="+upstream, "GATEWAY_LISTEN="+address, "GATEWAY_ADMIN_LISTEN="+admin,
		"GATEWAY_ALLOWED_HOSTS=*") // tests name hosts as they like
	g.cmd.Env = append(g.cmd.Env, env...)
	g.run(tb)
	return g
}

// run starts the process and ends it with the test.
func (g *Gateway) run(tb testing.TB) {
	tb.Helper()
	log, err := os.CreateTemp(tb.TempDir(), "gateway-*.log")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = log.Close() }() // the process has its own
	g.log, g.cmd.Stdout, g.cmd.Stderr = log.Name(), log, log
	if err := g.cmd.Start(); err != nil {
		tb.Fatalf("start gateway: %v", err)
	}
	go func() {
		_ = g.cmd.Wait()
		close(g.exited)
	}()
	tb.Cleanup(func() {
		g.stop(tb)
		if strings.Contains(g.LogText(), Key) { // of no test's gateway, whatever it went through
			tb.Error("the caller's key is in the log")
		}
		if tb.Failed() {
			tb.Logf("gateway log:\n%s", clip(g.LogText(), 2000))
		}
	})
}

// StartDemoCommand starts `gateway demo` on free ports. What it prints is its log. It ends with the test.
func StartDemoCommand(tb testing.TB) *Gateway {
	tb.Helper()
	g := &Gateway{
		cmd:    exec.Command(Binary(tb), "demo", "-listen", "127.0.0.1:0", "-admin", "127.0.0.1:0", "-upstream", "127.0.0.1:0"),
		exited: make(chan struct{}),
	}
	g.cmd.Env = CleanEnvironment()
	g.run(tb)
	return g
}

// awaitReady is false when the process ended before it was ready.
func (g *Gateway) awaitReady(tb testing.TB) bool {
	tb.Helper()
	ready, ended := false, false
	Eventually(tb, "gateway ready", func() bool {
		select {
		case <-g.exited:
			ended = true
			return true
		default:
		}
		response, err := http.Get(g.Admin + "/readyz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		ready = response.StatusCode == http.StatusOK
		return ready
	})
	return ready && !ended
}

func (g *Gateway) stop(tb testing.TB) {
	tb.Helper()
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-g.exited:
		return
	case <-time.After(Patience):
		tb.Errorf("the gateway did not end within %v of SIGTERM", Patience)
	}
	_ = g.cmd.Process.Kill()
	<-g.exited
}

// End sends the process a signal and returns when it has ended.
func (g *Gateway) End(tb testing.TB, sig os.Signal) {
	tb.Helper()
	_ = g.cmd.Process.Signal(sig) // it may have ended already
	Receive(tb, "the end of the gateway", g.exited)
}

// PID is the process id, to read what the process used.
func (g *Gateway) PID() int { return g.cmd.Process.Pid }

// LogText is everything that the process wrote so far.
func (g *Gateway) LogText() string {
	text, err := os.ReadFile(g.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// LogLines returns the log's records that have all the given members, in order. Values compare as JSON text does:
// strings by content, numbers by value.
func (g *Gateway) LogLines(tb testing.TB, want map[string]any) []map[string]any {
	tb.Helper()
	var lines []map[string]any
	for line := range strings.Lines(g.LogText()) {
		var record map[string]any
		if json.Unmarshal([]byte(line), &record) != nil {
			continue
		}
		match := true
		for k, v := range want {
			match = match && record[k] == v
		}
		if match {
			lines = append(lines, record)
		}
	}
	return lines
}

// AdminText fetches a path of the admin address.
func (g *Gateway) AdminText(tb testing.TB, path string) string {
	tb.Helper()
	return Client{URL: g.Admin + path}.Do(tb, http.MethodGet, "", nil).Text()
}

// Run runs a command of the gateway to its end and returns what it wrote and its exit code. stdin may be nil.
func Run(tb testing.TB, stdin []byte, env []string, args ...string) (stdout, stderr string, code int) {
	tb.Helper()
	cmd := exec.Command(Binary(tb), args...)
	cmd.Env = append(CleanEnvironment(), env...)
	cmd.Dir = tb.TempDir()
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		tb.Fatalf("gateway %v: %v", args, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// CleanEnvironment is the test's own environment without the gateway's variables and without proxies.
func CleanEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GATEWAY_") || strings.HasSuffix(strings.ToLower(name), "_proxy")
	})
}

// freeAddresses are two loopback addresses that were free a moment ago.
func freeAddresses(tb testing.TB) (one, other string) {
	tb.Helper()
	var addresses [2]string
	for i := range addresses {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		defer func() { _ = l.Close() }() // not before both are known, or they might be one
		addresses[i] = l.Addr().String()
	}
	return addresses[0], addresses[1]
}

// FreeAddress is a loopback address that was free a moment ago.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	address, _ := freeAddresses(tb)
	return address
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return "…" + s[len(s)-n:]
}
