package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

const (
	begins = "<!-- seen by the tests: begin -->\n"
	ends   = "<!-- seen by the tests: end -->\n"
)

// checkDocument holds docs/faults.md against what was seen, or writes it.
func checkDocument(t *testing.T, calls, redemptions *table) {
	t.Helper()
	path := filepath.Join(testkit.ModuleRoot(), "docs", "faults.md")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), begins)
	_, after, ok2 := strings.Cut(rest, ends)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for what was seen", path)
	}
	text := before + begins + calls.markdown("The call meets it", true) + "\n" + redemptions.markdown("Only the redemption meets it", false) + ends + after
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	testkit.SameBytes(t, "docs/faults.md (go generate ./e2e/faults writes it)", old, []byte(text))
}

// markdown is a table with a row for each fault and each thing that came of it.
func (tb *table) markdown(title string, withCalls bool) string {
	var b strings.Builder
	columns := []string{"fault", "the host gets", "in the log", "counted"}
	if withCalls {
		columns = slices.Insert(columns, 2, "runs of the tool")
	}
	fmt.Fprintf(&b, "## %s\n\n| %s |\n|%s\n", title, strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, f := range list {
		row, ok := tb.rows[f.name]
		if !ok {
			continue
		}
		for _, g := range grouped(row) {
			name := f.name
			if len(g.shapes) < len(shapes) {
				name += " (" + named(g.shapes) + ")"
			}
			cells := []string{name, g.host, g.log, g.metrics}
			if withCalls {
				cells = slices.Insert(cells, 2, fmt.Sprint(g.calls))
			}
			b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		}
	}
	return b.String()
}

// group is what was seen alike over some shapes.
type group struct {
	seen
	shapes []shape
}

func grouped(row map[shape]seen) (groups []group) {
	for _, s := range shapes {
		i := slices.IndexFunc(groups, func(g group) bool { return g.seen == row[s] })
		if i < 0 {
			groups = append(groups, group{seen: row[s]})
			i = len(groups) - 1
		}
		groups[i].shapes = append(groups[i].shapes, s)
	}
	return groups
}

// named says which shapes they are, in as few words as do.
func named(some []shape) string {
	for word, all := range map[string]func(shape) bool{
		"stream": func(s shape) bool { return s.stream }, "document": func(s shape) bool { return !s.stream },
		"legacy host": func(s shape) bool { return !s.modern }, "modern host": func(s shape) bool { return s.modern },
	} {
		if len(some) == 2 && !slices.ContainsFunc(some, func(s shape) bool { return !all(s) }) {
			return word
		}
	}
	names := make([]string, len(some))
	for i, s := range some {
		names[i] = s.String()
	}
	return strings.Join(names, "; ")
}
