package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
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
	if programs.dir != "" {
		_ = os.RemoveAll(programs.dir)
	}
	os.Exit(code)
}

// programs are those that were built for this test process, by package. The lock is held while one is.
var programs = struct {
	sync.Mutex
	dir   string
	built map[string]program
}{built: map[string]program{}}

type program struct {
	path string
	err  error
}

// Binary returns the path of the gateway, built once for the test process.
func Binary(tb testing.TB) string {
	tb.Helper()
	return Program(tb, "tomtom-mcp-gateway/cmd/gateway")
}

// Program returns the path of a main package's program, built once for the test process. The package is one of this
// module or of those that it requires.
func Program(tb testing.TB, pkg string) string {
	tb.Helper()
	programs.Lock()
	defer programs.Unlock()
	p, known := programs.built[pkg]
	if !known {
		p = build(pkg)
		programs.built[pkg] = p
	}
	if p.err != nil {
		tb.Fatal(p.err)
	}
	return p.path
}

func build(pkg string) (p program) {
	if programs.dir == "" {
		if programs.dir, p.err = os.MkdirTemp("", "gateway-e2e-"); p.err != nil {
			return p
		}
	}
	p.path = filepath.Join(programs.dir, path.Base(pkg))
	build := exec.Command("go", "build", "-o", p.path, pkg)
	build.Dir = ModuleRoot()
	if out, err := build.CombinedOutput(); err != nil {
		p.err = fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		return p
	}
	p.err = lookAtSources(pkg)
	return p
}

// lookAtSources asks for the state of each file of this module that a program is built from. No import leads from the tests to
// the program, so that without it a cached pass would outlive a change of the program: go test remembers which files
// a test asked for.
func lookAtSources(pkg string) error {
	const files = `{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}
{{end}}{{end}}{{end}}`
	list := exec.Command("go", "list", "-deps", "-f", files, pkg)
	list.Dir = ModuleRoot()
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the files of %s: %w", pkg, err)
	}
	for file := range strings.Lines(string(out)) {
		if file = strings.TrimSpace(file); file == "" {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			return err
		}
	}
	return nil
}

// ModuleRoot returns the directory that holds go.mod.
func ModuleRoot() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}
