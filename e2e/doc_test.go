package e2e_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPackageComments demands of every package a comment that says what the room is for, in its own words: more than
// its name. Packages of tests alone are asked too.
func TestPackageComments(t *testing.T) {
	for path, p := range packages(t) {
		t.Run(path, func(t *testing.T) {
			comment := packageComment(t, p)
			if words := len(strings.Fields(comment)); words < 8 {
				t.Errorf("the package comment has %d words: %q", words, comment)
			}
		})
	}
}

// packageComment returns the comments above the package clauses, joined.
func packageComment(t testing.TB, p listed) string {
	t.Helper()
	files := p.GoFiles
	if len(files) == 0 {
		files = slices.Concat(p.TestGoFiles, p.XTestGoFiles)
	}
	var comments []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Doc != nil {
			comments = append(comments, file.Doc.Text())
		}
	}
	return strings.Join(comments, "\n")
}
