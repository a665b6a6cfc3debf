package faults

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"syscall"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestFullDisk: a gateway that may not write a single byte to any file, and has no directory for temporary ones, works as
// it always does.
func TestFullDisk(t *testing.T) {
	up := serve(t, shapes[0])
	cmd := exec.Command("sh", "-c", `ulimit -f 0 && exec "$0"`, testkit.Binary(t))
	cmd.Dir = "/"
	cmd.Env = append(testkit.CleanEnvironment(), "GATEWAY_UPSTREAM_URL="+up.URL, "GATEWAY_LISTEN=127.0.0.1:0", "GATEWAY_ADMIN_LISTEN=127.0.0.1:0", "TMPDIR=/nowhere", "HOME=/nowhere")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no shell that limits files: %v", err)
	}
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(log); scan.Scan(); {
			lines <- scan.Text()
		}
		_, _ = io.Copy(io.Discard, log)
	}()
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		for range lines {
			continue // its last words
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	}()
	var serving struct{ Listen string }
	if first := testkit.Receive(t, "the first line of the log", lines); json.Unmarshal([]byte(first), &serving) != nil || serving.Listen == "" {
		t.Fatalf("it does not start: %s", first)
	}
	r := testkit.Client{URL: "http://" + serving.Listen + "/mcp"}.Call(t, callTool, `{"show_ui":true}`)
	if r.OnlyText(t) != wanted || r.Status(t) != "inline" {
		t.Errorf("%s", r.Raw)
	}
}
