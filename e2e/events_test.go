package e2e_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// vocabulary is what the gateway can write into its log: messages, each with the package that writes it, and attributes.
type vocabulary struct {
	messages   map[string]bool
	attributes map[string]bool
}

// spoken reads the vocabulary from the sources of what runs as the gateway.
func spoken(t testing.TB) vocabulary {
	t.Helper()
	v := vocabulary{map[string]bool{}, map[string]bool{}}
	for _, dir := range []string{"../proxy", "../proxy/stdio", "../cmd/gateway"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources in %s: %v", dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					v.read(call)
				}
				return true
			})
		}
	}
	return v
}

// messageAt is where the methods of a slog.Logger have the message.
var messageAt = map[string]int{
	"Debug": 0, "Info": 0, "Warn": 0, "Error": 0,
	"DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1,
	"Log": 2, "LogAttrs": 2,
}

// read takes a line of the log, or an attribute of one, from a call.
func (v vocabulary) read(call *ast.CallExpr) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	if of, isName := selector.X.(*ast.Ident); isName && of.Name == "slog" {
		if key := literal(call, 0); key != "" {
			v.attributes[key] = true
		}
		return
	}
	if at, logs := messageAt[selector.Sel.Name]; logs {
		if message := literal(call, at); message != "" {
			v.messages[message] = true
		}
	}
}

// literal returns the string that stands at an argument's place, "" where none does.
func literal(call *ast.CallExpr, at int) string {
	if at >= len(call.Args) {
		return ""
	}
	value, ok := call.Args[at].(*ast.BasicLit)
	if !ok || value.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(value.Value)
	return text
}

var (
	tableRow = regexp.MustCompile("(?m)^\\| (`[^|]*) \\|")
	code     = regexp.MustCompile("`([^`]+)`")
)

// firstColumn returns what stands as code in the first column of the table below a heading.
func firstColumn(t testing.TB, page, heading string) []string {
	t.Helper()
	_, section, found := strings.Cut(page, "\n"+heading+"\n")
	if !found {
		t.Fatalf("no heading %q", heading)
	}
	if end := strings.Index(section, "\n#"); end >= 0 {
		section = section[:end]
	}
	var names []string
	for _, row := range tableRow.FindAllStringSubmatch(section, -1) {
		for _, name := range code.FindAllStringSubmatch(row[1], -1) {
			names = append(names, name[1])
		}
	}
	return names
}

// TestEventsInPages demands that docs/operations.md lists each line that the gateway can write, and each attribute that
// one can have, and no other: what reads the log relies on them.
func TestEventsInPages(t *testing.T) {
	page := pages(t)["docs/operations.md"]
	v := spoken(t)
	for _, field := range []string{"tool", "outcome", "source", "reason", "detail", "duration_ms", "widget"} {
		v.attributes[field] = true // of reports, which are made from a table
	}
	for heading, written := range map[string]map[string]bool{"### Lines": v.messages, "### Attributes": v.attributes} {
		told := firstColumn(t, page, heading)
		if len(written) < 20 {
			t.Errorf("%s: only %d were found in the sources", heading, len(written))
		}
		for name := range written {
			if !slices.Contains(told, name) {
				t.Errorf("%s: `%s` is missing", heading, name)
			}
		}
		for _, name := range told {
			if !written[name] {
				t.Errorf("%s: `%s` is written nowhere", heading, name)
			}
		}
	}
}
