package e2e_test

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
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
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "e2e/*.md", "helm/*.md", "widgets/*.md"} {
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

var markdownLink = regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)

// TestLinks demands that what a page links to within the repository exists: files, and headings in them.
func TestLinks(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, link := range markdownLink.FindAllStringSubmatch(text, -1) {
			target, anchor := path.Join(path.Dir(page), link[1]), link[2]
			if strings.Contains(link[1], "://") {
				continue
			}
			if link[1] == "" {
				target = page
			}
			if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s links to %s, which is not there", page, link[1])
			}
			if anchor != "" && !slices.Contains(anchors(all[target]), anchor) {
				t.Errorf("%s links to %s, in which no heading is #%s", page, target, anchor)
			}
		}
	}
}

var (
	heading    = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fence      = regexp.MustCompile("(?ms)^```.*?^```")
	notInNames = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchors are the names under which a page's headings can be linked to, as GitHub makes them.
func anchors(text string) []string {
	var names []string
	for _, match := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		name := notInNames.ReplaceAllString(strings.ToLower(match[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// TestPicturesAreShown demands that each picture stands on a page: what no page shows is nobody's to keep up to date.
func TestPicturesAreShown(t *testing.T) {
	files, err := filepath.Glob("../docs/pictures/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d pictures, %v", len(files), err)
	}
	text := strings.Join(slices.Collect(maps.Values(pages(t))), "\n")
	for _, file := range files {
		if !strings.Contains(text, "pictures/"+filepath.Base(file)+")") {
			t.Errorf("no page shows %s", file)
		}
	}
}

var (
	makeTarget    = regexp.MustCompile("(?m)(?:`|^)make ([a-z][a-z0-9-]*)")
	metricName    = regexp.MustCompile("`(gateway_[a-z_]*[a-z])")
	metricDefined = regexp.MustCompile(`(?:Name:\s+|gauge\()"(gateway_[a-z_]+)"`)
)

// TestTargetsInPages demands that every target of make that a page names exists.
func TestTargetsInPages(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for page, text := range pages(t) {
		for _, match := range makeTarget.FindAllStringSubmatch(text, -1) {
			named++
			if !strings.Contains(string(makefile), "\n"+match[1]+":") {
				t.Errorf("%s names make %s, which is no target", page, match[1])
			}
		}
	}
	if named == 0 {
		t.Error("no page names a target")
	}
}

// TestMetricsInPages demands that every metric is told about, and that no other is.
func TestMetricsInPages(t *testing.T) {
	made := map[string]bool{}
	for _, dir := range []string{"../proxy/*.go", "../cmd/gateway/*.go"} {
		files, err := filepath.Glob(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range metricDefined.FindAllStringSubmatch(string(source), -1) {
				made[match[1]] = true
			}
		}
	}
	all := pages(t)
	for name := range made {
		if !strings.Contains(all["docs/operations.md"], "`"+name) {
			t.Errorf("docs/operations.md does not tell of %s", name)
		}
	}
	for page, text := range all {
		for _, match := range metricName.FindAllStringSubmatch(text, -1) {
			if !made[match[1]] {
				t.Errorf("%s names %s, which is no metric", page, match[1])
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

var fittedFigure = regexp.MustCompile(`\| ([\d,]+) vertices, [\d.]+ m`)

// TestFittedFigures demands that the README's figures are those of the page that says how they were measured.
func TestFittedFigures(t *testing.T) {
	all := pages(t)
	figures := fittedFigure.FindAllStringSubmatch(all["README.md"], -1)
	if len(figures) == 0 {
		t.Error("the README has no figures")
	}
	for _, figure := range figures {
		if !strings.Contains(all["docs/fitting.md"], " "+figure[1]+" / ") {
			t.Errorf("%s vertices stand in the README, and not in docs/fitting.md", figure[1])
		}
	}
}
