package chart_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

// confine lets a command run /program in a root file system, as the image's user.
func confine(cmd *exec.Cmd, root string) {
	cmd.Path, cmd.Dir = "/program", "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
}

// openTempDir is a folder that ends with the test, which every user may read.
func openTempDir(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	for at := dir; at != os.TempDir() && len(at) > 1; at = filepath.Dir(at) {
		_ = os.Chmod(at, 0o755)
	}
	return dir
}

// writeFile writes a file that every user may read, and the folders above it.
func writeFile(tb testing.TB, path string, data []byte, mode os.FileMode) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		tb.Fatal(err)
	}
}

// confined is a process in the image's root file system.
type confined struct {
	cmd    *exec.Cmd
	log    string
	exited chan struct{}
}

// startChroot starts the image's entry point with only the environment given, as the image's user, in root. It ends with the test.
func startChroot(tb testing.TB, root string, environ []string, args ...string) *confined {
	tb.Helper()
	log, err := os.Create(filepath.Join(tb.TempDir(), "log"))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command("/gateway", args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = append([]string{}, environ...), "/", log, log
	confine(cmd, root)
	cmd.Path = "/gateway"
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	p := &confined{cmd, log.Name(), make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.exited)
	}()
	tb.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.exited:
		case <-time.After(testkit.Patience):
			tb.Error("the process did not end")
			_ = cmd.Process.Kill()
			<-p.exited
		}
		if tb.Failed() {
			tb.Log(p.logText())
		}
	})
	return p
}

func (p *confined) logText() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// awaitReady waits for /readyz of an admin address.
func (p *confined) awaitReady(tb testing.TB, admin string) {
	tb.Helper()
	testkit.Eventually(tb, "the gateway is ready", func() bool {
		response, err := http.Get("http://" + admin + "/readyz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}
