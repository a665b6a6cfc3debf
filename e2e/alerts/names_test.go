package alerts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
)

// asked is an expression that somebody sees the answer of.
type asked struct{ where, expr string }

// dashboard is what there is to check of a Grafana dashboard.
type dashboard struct {
	Panels []struct {
		ID          int
		Type, Title string
		GridPos     struct{ X, Y, W, H int }
		Targets     []struct{ RefID, Expr, LegendFormat string }
	}
}

func loadDashboard(t testing.TB) dashboard {
	t.Helper()
	text, err := os.ReadFile("../../helm/files/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// questions are the expressions of rules and dashboard, with Grafana's variables filled in.
func questions(t testing.TB) []asked {
	t.Helper()
	var all []asked
	for name, rule := range loadRules(t) {
		all = append(all, asked{name, rule.Expr})
	}
	variables := strings.NewReplacer("$__rate_interval", "5m", "$namespace", ".*")
	for _, panel := range loadDashboard(t).Panels {
		for _, target := range panel.Targets {
			all = append(all, asked{panel.Title, variables.Replace(target.Expr)})
		}
	}
	if len(all) < 40 {
		t.Errorf("only %d expressions were read", len(all))
	}
	return all
}

var (
	goldenMetric  = regexp.MustCompile(`^(\w+)\{(.*)\}$`)
	definedMetric = regexp.MustCompile(`Name:\s+"(gateway_\w+)"`)
)

// metrics are the labels of each metric that the gateway has: as proxy's golden list says, and those of the process.
func metrics(t testing.TB) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../proxy/testdata/metrics.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		found := goldenMetric.FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			t.Fatalf("line %q", line)
		}
		all[found[1]] = strings.Split(found[2], ",")
	}
	sources, err := filepath.Glob("../../cmd/gateway/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range definedMetric.FindAllSubmatch(source, -1) {
			all[string(found[1])] = []string{"version", "go"}
		}
	}
	for _, name := range []string{ // of Prometheus' own collectors
		"process_resident_memory_bytes", "process_cpu_seconds_total", "process_open_fds",
		"go_memstats_heap_inuse_bytes", "go_gc_gomemlimit_bytes", "go_sched_gomaxprocs_threads", "go_goroutines",
	} {
		all[name] = nil
	}
	return all
}

// scraped are the labels that scraping adds.
var scraped = []string{"namespace", "pod", "le", "__name__"}

// TestMetricsExist: what rules and dashboard ask for, the gateway has: metrics, and labels on them.
func TestMetricsExist(t *testing.T) {
	have := metrics(t)
	for _, q := range questions(t) {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(q.expr)
		if err != nil {
			t.Errorf("%s: %v in %s", q.where, err, q.expr)
			continue
		}
		known := slices.Clone(scraped)
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			selector, ok := node.(*parser.VectorSelector)
			if !ok {
				return nil
			}
			labels, there := have[strings.TrimSuffix(selector.Name, "_bucket")]
			if !there {
				t.Errorf("%s asks for %s, which is no metric", q.where, selector.Name)
			}
			known = append(known, labels...)
			for _, matcher := range selector.LabelMatchers {
				if !slices.Contains(labels, matcher.Name) && !slices.Contains(scraped, matcher.Name) {
					t.Errorf("%s asks for %s by %s, which it has not", q.where, selector.Name, matcher.Name)
				}
			}
			return nil
		})
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if sum, ok := node.(*parser.AggregateExpr); ok {
				for _, label := range sum.Grouping {
					if !slices.Contains(known, label) {
						t.Errorf("%s groups by %s, which nothing there has", q.where, label)
					}
				}
			}
			return nil
		})
	}
}

// TestPanels: no two lie on each other, and each says what it shows.
func TestPanels(t *testing.T) {
	panels := loadDashboard(t).Panels
	ids := map[int]bool{}
	for i, a := range panels {
		if ids[a.ID] || a.Title == "" || a.Type != "row" && len(a.Targets) == 0 {
			t.Errorf("panel %d, %q: an id twice, or nothing in it", a.ID, a.Title)
		}
		ids[a.ID] = true
		p := a.GridPos
		for _, b := range panels[:i] {
			q := b.GridPos
			if p.X < q.X+q.W && q.X < p.X+p.W && p.Y < q.Y+q.H && q.Y < p.Y+p.H {
				t.Errorf("%q lies on %q", a.Title, b.Title)
			}
		}
		refs := map[string]bool{}
		for _, target := range a.Targets {
			if refs[target.RefID] || target.LegendFormat == "" {
				t.Errorf("%q: a target twice, or without a name", a.Title)
			}
			refs[target.RefID] = true
		}
	}
}
