package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// Main runs the tests of a package, or, where the test binary was started again as an upstream process, that upstream.
// A package that uses Process or Gateway calls it from TestMain.
func Main(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
	case childRole:
		os.Exit(runChild())
	case sdkRole:
		os.Exit(runSDKChild())
	case grandchildRole:
		os.Exit(runGrandchild())
	default:
		os.Exit(runRole(role, os.Getenv(roleArgsVariable)))
	}
	code := m.Run()
	if binary.dir != "" {
		_ = os.RemoveAll(binary.dir)
	}
	os.Exit(code)
}

var binary struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Binary returns the path of the gateway, built once for the test process.
func Binary(tb testing.TB) string {
	tb.Helper()
	binary.once.Do(buildBinary)
	if binary.err != nil {
		tb.Fatal(binary.err)
	}
	return binary.path
}

func buildBinary() {
	dir, err := os.MkdirTemp("", "gateway-e2e-")
	if err != nil {
		binary.err = fmt.Errorf("build gateway: %w", err)
		return
	}
	binary.dir, binary.path = dir, filepath.Join(dir, "gateway")
	build := exec.Command("go", "build", "-o", binary.path, "./cmd/gateway")
	build.Dir = ModuleRoot()
	if out, err := build.CombinedOutput(); err != nil {
		binary.err = fmt.Errorf("build gateway: %w\n%s", err, out)
	}
}

// ModuleRoot returns the directory that holds go.mod.
func ModuleRoot() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}
