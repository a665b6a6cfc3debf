package testkit

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// everything is the server with which the go-sdk proves that it conforms: it has a tool, a resource or a prompt for each
// thing that the official suite asks for.
const everything = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// StartEverything serves the go-sdk's conformance server in a process of its own and returns its MCP endpoint. With
// sessions it speaks the revisions up to 2025-11-25; without, 2026-07-28 too, and has no way to ask a host of the earlier
// ones for anything. The process ends with the test.
func StartEverything(tb testing.TB, sessions bool) (url string) {
	tb.Helper()
	path := Program(tb, everything)
	stateless := "-stateless=true"
	if sessions {
		stateless = "-stateless=false"
	}
	for range 5 {
		address, _ := freeAddresses(tb)
		log := StartServer(tb, exec.Command(path, "-http", address, stateless), address)
		if log == "" {
			return "http://" + address + "/mcp"
		}
		if !strings.Contains(log, "address already in use") {
			tb.Fatalf("the conformance server does not start: %s", log)
		}
	}
	tb.Fatal("the conformance server finds no free address")
	return ""
}

// StartServer starts a process that ends with the test, and returns once it listens at address. If it ends before, what
// it wrote is returned. What the command has as its environment is added to the usual one.
func StartServer(tb testing.TB, cmd *exec.Cmd, address string) (log string) {
	tb.Helper()
	file, err := os.CreateTemp(tb.TempDir(), "server-*.log")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = file.Close() }() // the process has its own
	cmd.Env, cmd.Stdout, cmd.Stderr = append(CleanEnvironment(), cmd.Env...), file, file
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-exited
	})
	Eventually(tb, "a server at "+address, func() bool {
		select {
		case <-exited:
			text, _ := os.ReadFile(file.Name())
			log = "it ended: " + string(text)
			return true
		default:
		}
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return log
}
