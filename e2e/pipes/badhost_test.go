package pipes

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

// rawHost starts the gateway with pipes that the test holds itself.
func rawHost(t *testing.T) (cmd *exec.Cmd, in io.WriteCloser, out, errs *os.File) {
	t.Helper()
	program, env := testkit.ScriptedChild(t)
	cmd = exec.Command(testkit.Binary(t), "--stdio", "--", program)
	cmd.Env = append(os.Environ(), env...)
	pipe := func() (read, write *os.File) {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = read.Close() })
		return read, write
	}
	outRead, outWrite := pipe()
	errRead, errWrite := pipe()
	cmd.Stdout, cmd.Stderr = outWrite, errWrite
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = outWrite.Close(), errWrite.Close()
	return cmd, in, outRead, errRead
}

// ends waits for the gateway.
func ends(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // how it ended is no matter here
	}()
	select {
	case <-done:
	case <-time.After(testkit.Patience):
		_ = cmd.Process.Kill()
		t.Error("the gateway goes on")
	}
}

// TestStdioHostThatReadsNoStandardError: a flood there holds up neither the server nor the gateway.
func TestStdioHostThatReadsNoStandardError(t *testing.T) {
	cmd, in, out, errs := rawHost(t)
	lines := bufio.NewReader(out)
	for i := range 3 {
		_, _ = io.WriteString(in, do(fmt.Sprint(i), fmt.Sprintf("stderr %d", 4<<20))+"\n")
		if err := out.SetReadDeadline(time.Now().Add(testkit.Patience)); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, fmt.Sprintf(`"id":%d}`, i)) {
			t.Fatalf("%v: %.200s", err, line)
		}
	}
	said := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(errs)
		said <- string(text)
	}()
	_ = in.Close()
	ends(t, cmd)
	if text := testkit.Receive(t, "standard error", said); !strings.Contains(text, " lines were lost here: nobody read fast enough\n") {
		t.Errorf("%d bytes, and no word of what was lost", len(text))
	}
}

// TestStdioHostThatIsGone: a host whose end of the output is closed is none, and its server goes with it.
func TestStdioHostThatIsGone(t *testing.T) {
	cmd, in, out, errs := rawHost(t)
	go func() { _, _ = io.Copy(io.Discard, errs) }()
	lines := bufio.NewReader(out)
	_, _ = io.WriteString(in, do("1", "pid")+"\n")
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	server, _ := strconv.Atoi(textOf(t, line))
	_ = out.Close()
	_, _ = io.WriteString(in, do("2", "pid")+"\n")
	ends(t, cmd)
	testkit.AwaitGone(t, "the server", server)
}
