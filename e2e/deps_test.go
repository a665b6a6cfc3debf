// Package e2e_test checks the gateway from outside, and the house it is built in: which room may import which, and that
// each says what it is for.
package e2e_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "tomtom-mcp-gateway"

// listed is what go list says of one package.
type listed struct {
	ImportPath, Dir           string
	Imports, Deps             []string // of what is built; tests may reach across
	GoFiles                   []string
	TestGoFiles, XTestGoFiles []string
}

// packages lists every package of the module, by its path below the module's root ("." for the root).
func packages(t testing.TB) map[string]listed {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Imports,Deps,GoFiles,TestGoFiles,XTestGoFiles", module+"/...")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string]listed{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		all[below(p.ImportPath)] = p
	}
}

func below(importPath string) string {
	if importPath == module {
		return "."
	}
	return strings.TrimPrefix(importPath, module+"/")
}

// arrows lists what each room may reach of ours, directly or through others, and why no more.
var arrows = []struct {
	room    string
	reaches []string
	why     string
}{
	{"config", nil, "it reads the environment and knows nothing of what it configures"},
	{"policy", nil, "it is data: what each tool is"},
	{"widgets", nil, "it holds one document; whoever serves it knows the protocol"},
	{"fitter/jsonspan", nil, "fitter and proxy share it"},
	{"fitter", []string{"fitter/jsonspan"}, "it takes bytes and a plan, and gives bytes: no tools, no protocol"},
	{"proxy", []string{"policy", "fitter", "fitter/jsonspan"}, "it gets Options and a Resource; the environment and the document are others' matter"},
	{"proxy/stdio", []string{"fitter/jsonspan"}, "it brings lines from one end to the other, and meets the proxy as http.Handler and http.RoundTripper"},
	{"cmd/gateway/demo/preview", []string{"cmd/gateway/demo/preview/page", "proxy", "policy", "fitter", "fitter/jsonspan"}, "it is a host of the gateway: what is behind that, and the environment, are others' matter"},
	{"cmd/gateway/demo/preview/page", nil, "it holds the page's files"},
	{"cmd/gateway/demo/upstream", nil, "it stands in for a foreign server, so it may share nothing with what is tested against it"},
}

// TestArrows holds the direction of dependencies over everything that is built.
func TestArrows(t *testing.T) {
	all := packages(t)
	for _, arrow := range arrows {
		t.Run(arrow.room, func(t *testing.T) {
			p, ok := all[arrow.room]
			if !ok {
				t.Fatalf("there is no package %s", arrow.room)
			}
			for _, dep := range p.Deps {
				if strings.HasPrefix(dep, module+"/") && !slices.Contains(arrow.reaches, below(dep)) {
					t.Errorf("%s reaches %s: %s", arrow.room, below(dep), arrow.why)
				}
			}
		})
	}
}

// bans lists what rooms may not import from outside the module, and why.
var bans = []struct {
	room, pkg string
	deep      bool // not through others either
	why       string
}{
	{"fitter", "net/http", true, "fitting knows no network"},
	{"fitter", "log/slog", true, "fitting returns what it did, and its caller logs it"},
	{"fitter/jsonspan", "encoding/json", false, "spans are found without decoding"},
	{"policy", "net/http", true, "a policy is data"},
	{"policy", "encoding/json", true, "a policy parses nothing"},
	{"widgets", "net/http", true, "the proxy serves the document"},
	{"config", "os", false, "the environment is an argument, and nothing exits"},
	{"proxy", "os", false, "everything comes in Options"},
	{"proxy", "net/http/httputil", false, "its reverse proxy decides about headers, retries and flushing on its own"},
	{"cmd/gateway/demo/preview", "os", false, "everything comes in Options"},
	{"proxy", "go.opentelemetry.io/otel/sdk/trace", true, "it makes spans by what it is given; where they go is the program's to say"},
	{"cmd/gateway", "net/http/pprof", true, "nothing registers handlers behind our back"},
}

func TestBans(t *testing.T) {
	all := packages(t)
	for _, ban := range bans {
		t.Run(ban.room+" without "+ban.pkg, func(t *testing.T) {
			p, ok := all[ban.room]
			if !ok {
				t.Fatalf("there is no package %s", ban.room)
			}
			reached := p.Imports
			if ban.deep {
				reached = p.Deps
			}
			if slices.Contains(reached, ban.pkg) {
				t.Errorf("%s imports %s: %s", ban.room, ban.pkg, ban.why)
			}
		})
	}
}

// TestDemoIsForTheDemo keeps the made-up upstream out of the data path.
func TestDemoIsForTheDemo(t *testing.T) {
	for path, p := range packages(t) {
		if path == "cmd/gateway" || strings.HasPrefix(path, "cmd/gateway/demo") || strings.HasPrefix(path, "e2e") {
			continue
		}
		for _, dep := range p.Deps {
			if strings.HasPrefix(below(dep), "cmd/") {
				t.Errorf("%s reaches %s", path, below(dep))
			}
		}
	}
}
