package e2e_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/config"
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

// pages are the Markdown files that people read, by their path below the module's root.
func pages(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.ToSlash(strings.TrimPrefix(path, "../"))] = string(text)
		}
	}
	return all
}

var markdownLink = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)

// TestLinks demands that what a page links to within the repository exists.
func TestLinks(t *testing.T) {
	for page, text := range pages(t) {
		for _, link := range markdownLink.FindAllStringSubmatch(text, -1) {
			target := link[1]
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(page), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", page, target)
			}
		}
	}
}

var variableName = regexp.MustCompile(`\bGATEWAY_[A-Z_]*[A-Z]\b`)

// TestVariablesInPages demands that every variable that a page names exists.
func TestVariablesInPages(t *testing.T) {
	known := map[string]bool{}
	for _, v := range (config.Config{}).Variables() {
		known[v.Name] = true
	}
	for page, text := range pages(t) {
		for _, name := range variableName.FindAllString(text, -1) {
			if !known[name] {
				t.Errorf("%s names %s, which is no variable", page, name)
			}
		}
	}
}
