package e2e_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rooms are the directories of end-to-end tests that stand in the table.
var rooms = []string{
	"wire",
	"hosts",
	"clients",
	"pipes",
	"faults",
	"attacks",
	"load",
	"chaos",
	"conformance",
}

// TestEveryPromiseHasItsTest: each row of the table in README.md names tests, all of them exist, and every end-to-end
// test stands in some row, so that the table is what is tested.
func TestEveryPromiseHasItsTest(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z0-9]+)`")
	exist := map[string][]string{"proxy": testsIn(t, "../proxy"), "stdio": testsIn(t, "../proxy/stdio"), "gateway": testsIn(t, "../cmd/gateway"), "preview": testsIn(t, "../cmd/gateway/demo/preview")}
	for _, room := range rooms {
		exist[room] = testsIn(t, room)
	}
	seen := map[string]bool{}
	rows := 0
	for line := range strings.Lines(string(readme)) {
		if !regexp.MustCompile(`^\| [1-7–] \|`).MatchString(line) {
			continue
		}
		rows++
		names := named.FindAllStringSubmatch(line, -1)
		if len(names) == 0 {
			t.Errorf("no test in the row %s", line)
		}
		for _, n := range names {
			seen[n[1]+"."+n[2]] = true
			if !slices.Contains(exist[n[1]], n[2]) {
				t.Errorf("%s.%s does not exist", n[1], n[2])
			}
		}
	}
	if rows < 50 {
		t.Errorf("only %d rows were read", rows)
	}
	for _, room := range rooms {
		for _, name := range exist[room] {
			if !seen[room+"."+name] {
				t.Errorf("%s.%s stands in no row", room, name)
			}
		}
	}
}

// testsIn returns the names of the tests in a directory.
func testsIn(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	var names []string
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}
