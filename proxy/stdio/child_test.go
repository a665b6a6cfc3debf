//go:build unix

package stdio

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// shell starts a script as a server.
func shell(t *testing.T, script string, stderr io.Writer) *Child {
	t.Helper()
	child, err := Command{Args: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH"), "A=b"}, Stderr: stderr}.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Stop(context.Background(), Patience{}) })
	return child
}

func TestChild(t *testing.T) {
	var stderr syncBuffer
	child := shell(t, `read line; echo "$line $A $GATEWAY_TOKEN"; echo oops >&2; exit 7`, &stderr)
	_, _ = io.WriteString(child.Stdin, "hello\n")
	out, err := io.ReadAll(child.Stdout)
	if err != nil || string(out) != "hello b \n" {
		t.Errorf("%q %v", out, err)
	}
	<-child.Exited()
	if child.ExitCode() != 7 || stderr.String() != "oops\n" {
		t.Errorf("exit code %d, standard error %q", child.ExitCode(), stderr.String())
	}
	child.Stop(t.Context(), Patience{Close: time.Hour}) // it has ended already
}

// TestChildIsStopped by ever less polite means.
func TestChildIsStopped(t *testing.T) {
	for name, test := range map[string]struct {
		script   string
		patience Patience
		code     int
	}{
		"by the end of its input": {`echo ready; read x; exit 0`, Patience{Close: patience}, 0},
		"by SIGTERM":              {`trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done`, Patience{Terminate: patience}, 5},
		"by SIGTERM, untrapped":   {`echo ready; exec sleep 600`, Patience{Terminate: patience}, 128 + 15},
		"by SIGKILL":              {`trap '' TERM; echo ready; while :; do sleep 0.01; done`, Patience{}, 128 + 9},
	} {
		t.Run(name, func(t *testing.T) {
			child := shell(t, test.script, nil)
			ready := make([]byte, 6)
			if _, err := io.ReadFull(child.Stdout, ready); err != nil {
				t.Fatal(err)
			}
			child.Stop(t.Context(), test.patience)
			if code := child.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
		})
	}
}

// TestChildOfWhichSomethingStays: a pipe that a process outside of the group holds open does not hold up its reader.
func TestChildOfWhichSomethingStays(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	child := shell(t, `setsid sleep 5 & echo done`, nil)
	began := time.Now()
	out, _ := io.ReadAll(child.Stdout)
	if string(out) != "done\n" || time.Since(began) > 4*time.Second {
		t.Errorf("%q after %v", out, time.Since(began))
	}
}

func TestChildThatDoesNotStart(t *testing.T) {
	for program, want := range map[string]string{"no-such-program": "executable file not found in $PATH", "/etc/passwd": "permission denied", "/no/such/program": "no such file or directory"} {
		_, err := Command{Args: []string{program}}.Start()
		if err == nil || err.Error() != "start "+program+": "+want {
			t.Errorf("%s: %v", program, err)
		}
	}
}

func TestChildEnvironment(t *testing.T) {
	got := ChildEnvironment([]string{"A=b", "GATEWAY_TOKEN=secret", "MAPS=x", "GATEWAYS=1"}, "GATEWAY_")
	if !slices.Equal(got, []string{"A=b", "MAPS=x", "GATEWAYS=1"}) || strings.Contains(strings.Join(got, ""), "secret") {
		t.Errorf("%q", got)
	}
}
