package testkit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// StdioGateway is a gateway process whose host is the test: lines go in and come out.
type StdioGateway struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte
	log    string
	exited chan struct{}
}

// StartStdio starts the built gateway with the given arguments, such as "--stdio". It ends with the test, and a failed
// test shows its standard error.
func StartStdio(tb testing.TB, env []string, args ...string) *StdioGateway {
	tb.Helper()
	log, err := os.CreateTemp(tb.TempDir(), "stderr-*.log")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	g := &StdioGateway{cmd: exec.Command(Binary(tb), args...), lines: make(chan []byte, 100_000), log: log.Name(), exited: make(chan struct{})}
	g.cmd.Env = append(CleanEnvironment(), env...)
	g.cmd.Stderr = log
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := g.cmd.Start(); err != nil {
		tb.Fatalf("start gateway: %v", err)
	}
	go g.read(out)
	tb.Cleanup(func() {
		_ = g.in.Close()
		select {
		case <-g.exited:
		case <-time.After(Patience):
			tb.Errorf("the gateway did not end within %v of the end of its input", Patience)
			_ = g.cmd.Process.Kill()
			<-g.exited
		}
		if strings.Contains(g.LogText(), Key) {
			tb.Error("the caller's key is in the log")
		}
		if tb.Failed() {
			tb.Logf("standard error:\n%s", clip(g.LogText(), 2000))
		}
	})
	return g
}

func (g *StdioGateway) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			g.lines <- bytes.TrimSuffix(line, []byte{'\n'})
		}
		if err != nil {
			break
		}
	}
	close(g.lines)
	_ = g.cmd.Wait()
	close(g.exited)
}

// Say writes lines of the host's.
func (g *StdioGateway) Say(tb testing.TB, lines ...string) {
	tb.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(g.in, line+"\n"); err != nil {
			tb.Fatalf("write to the gateway: %v", err)
		}
	}
}

// Hear returns the next line that the host gets.
func (g *StdioGateway) Hear(tb testing.TB) string {
	tb.Helper()
	line := Receive(tb, "a line of the gateway", g.lines)
	if line == nil {
		tb.Fatal("the gateway's output has ended")
	}
	return string(line)
}

// HearResponse returns the next line that answers the request with id, raw, and the lines before it.
func (g *StdioGateway) HearResponse(tb testing.TB, id string) (response string, before []string) {
	tb.Helper()
	for {
		line := g.Hear(tb)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			tb.Fatalf("no JSON on standard output: %.200s", line)
		}
		if string(m.ID) == id && m.Method == "" {
			return line, before
		}
		before = append(before, line)
	}
}

// Ask sends a request and returns the response to it.
func (g *StdioGateway) Ask(tb testing.TB, id, line string) string {
	tb.Helper()
	g.Say(tb, line)
	response, _ := g.HearResponse(tb, id)
	return response
}

// CallResult calls a tool and returns its result.
func (g *StdioGateway) CallResult(tb testing.TB, tool, arguments string) Result {
	tb.Helper()
	var envelope struct{ Result json.RawMessage }
	line := g.Ask(tb, "7", CallMessage("7", tool, arguments))
	if err := json.Unmarshal([]byte(line), &envelope); err != nil || envelope.Result == nil {
		tb.Fatalf("no result: %.300s", line)
	}
	return ParseResult(tb, envelope.Result)
}

// Initialize opens a session as a host with MCP Apps.
func (g *StdioGateway) Initialize(tb testing.TB) (response string) {
	tb.Helper()
	response = g.Ask(tb, "0", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}},"clientInfo":{"name":"e2e","version":"1"}}}`)
	g.Say(tb, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return response
}

// CloseInput closes the gateway's input, as a host that ends does.
func (g *StdioGateway) CloseInput() { _ = g.in.Close() }

// Signal sends a signal to the gateway alone.
func (g *StdioGateway) Signal(s syscall.Signal) { _ = g.cmd.Process.Signal(s) }

// Ended waits for the gateway to end, and returns what it still wrote and its exit code.
func (g *StdioGateway) Ended(tb testing.TB) (rest []string, code int) {
	tb.Helper()
	select {
	case <-g.exited:
	case <-time.After(Patience):
		tb.Fatalf("the gateway goes on for more than %v", Patience)
	}
	for line := range g.lines {
		rest = append(rest, string(line))
	}
	return rest, g.cmd.ProcessState.ExitCode()
}

// PID is the process id.
func (g *StdioGateway) PID() int { return g.cmd.Process.Pid }

// LogText is everything that the process wrote to standard error so far.
func (g *StdioGateway) LogText() string {
	text, err := os.ReadFile(g.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
