package alerts

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/util/teststorage"
)

const rulesFile = "../../helm/files/alerts.yaml"

// loadRules reads the rules as Prometheus does.
func loadRules(t testing.TB) map[string]rulefmt.Rule {
	t.Helper()
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	groups, errs := rulefmt.Parse(text, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	rules := map[string]rulefmt.Rule{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			rules[rule.Alert] = rule
		}
	}
	return rules
}

// healthy are the samples of an hour, one a minute, in which everything works: ten calls a minute, nearly all with a map.
const healthy = `
gateway_ready{namespace="maps",pod="a"} 1x60
gateway_requests_total{namespace="maps",pod="a",method="tools/call",code="2xx"} 0+10x60
gateway_requests_total{namespace="maps",pod="a",method="tools/call",code="5xx"} 0x60
gateway_tool_calls_total{namespace="maps",pod="a",tool="tomtom-routing",status="fitted",source="handle"} 0+10x60
gateway_tool_calls_total{namespace="maps",pod="a",tool="tomtom-routing",status="none",source="none"} 0+10x60
gateway_app_data_missing_total{namespace="maps",pod="a",tool="tomtom-routing",reason="text"} 0+0.1x60
gateway_app_data_missing_total{namespace="maps",pod="a",tool="tomtom-routing",reason="host gone"} 0+9x60
gateway_app_status_total{namespace="maps",pod="a",tool="tomtom-routing",outcome="drawn",source="inline"} 0+9x60
gateway_app_status_total{namespace="maps",pod="a",tool="tomtom-routing",outcome="error",source="inline"} 0+0.1x60
gateway_redemptions_total{namespace="maps",pod="a",outcome="redeemed"} 0+10x60
gateway_redemptions_total{namespace="maps",pod="a",outcome="gone"} 0x60
gateway_upstream_errors_total{namespace="maps",pod="a",kind="host gone"} 0+60x60
gateway_upstream_errors_total{namespace="maps",pod="a",kind="timeout"} 0+1x60
gateway_upstream_connection_errors_total{namespace="maps",pod="a",kind="refused"} 0+1x60
gateway_fits_waiting{namespace="maps",pod="a"} 0 5 0x58
gateway_fit_slots{namespace="maps",pod="a"} 2x60
gateway_buffered_bytes{namespace="maps",pod="a"} 200x60
gateway_buffered_bytes_limit{namespace="maps",pod="a"} 256x60
gateway_tool_call_share_seconds_bucket{namespace="maps",pod="a",share="gateway",le="0.064"} 0+9x60
gateway_tool_call_share_seconds_bucket{namespace="maps",pod="a",share="gateway",le="1.024"} 0+10x60
gateway_tool_call_share_seconds_bucket{namespace="maps",pod="a",share="gateway",le="+Inf"} 0+10x60
gateway_tool_call_share_seconds_bucket{namespace="maps",pod="a",share="upstream",le="+Inf"} 0+10x60
gateway_unserved_widgets_total{namespace="maps",pod="a"} 0x60
gateway_failures_total{namespace="maps",pod="a"} 0x60
`

// troubles are what has to go wrong, in place of series of the healthy hour, for each rule to fire at its end.
var troubles = map[string]string{
	"TomTomGatewayNotReady":            `gateway_ready{namespace="maps",pod="a"} 1x40 0x20`,
	"TomTomGatewayUpstreamUnreachable": `gateway_upstream_connection_errors_total{namespace="maps",pod="a",kind="refused"} 0x40 0+10x20`,
	"TomTomGatewayUpstreamErrors":      `gateway_upstream_errors_total{namespace="maps",pod="a",kind="timeout"} 0x30 0+10x30`,
	"TomTomGatewayErrors":              `gateway_requests_total{namespace="maps",pod="a",method="tools/call",code="5xx"} 0+2x60`,
	"TomTomGatewayHandleGone":          `gateway_redemptions_total{namespace="maps",pod="a",outcome="gone"} 0x50 1x10`,
	"TomTomGatewayMapsMissing":         `gateway_app_data_missing_total{namespace="maps",pod="a",tool="tomtom-routing",reason="text"} 0+1x60`,
	"TomTomGatewayMapsNotDrawn":        `gateway_app_status_total{namespace="maps",pod="a",tool="tomtom-routing",outcome="error",source="inline"} 0+2x60`,
	"TomTomGatewayBusy":                `gateway_fits_waiting{namespace="maps",pod="a"} 0x30 7x30`,
	"TomTomGatewayMemoryTaken":         `gateway_buffered_bytes{namespace="maps",pod="a"} 0x40 250x20`,
	"TomTomGatewaySlow":                `gateway_tool_call_share_seconds_bucket{namespace="maps",pod="a",share="gateway",le="1.024"} 0+9x60`,
	"TomTomGatewayWidgetUnserved":      `gateway_unserved_widgets_total{namespace="maps",pod="a"} 0x58 1x2`,
	"TomTomGatewayFailure":             `gateway_failures_total{namespace="maps",pod="a"} 0x58 1x2`,
}

// TestRulesFire: each rule fires once its trouble has lasted as long as it wants, and not in an hour in which all is well.
func TestRulesFire(t *testing.T) {
	rules := loadRules(t)
	for name := range troubles {
		if _, there := rules[name]; !there {
			t.Errorf("there is no rule %s", name)
		}
	}
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	quiet := load(t, healthy)
	if len(rules) == 0 {
		t.Fatal("there are no rules")
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			trouble, told := troubles[name]
			if !told {
				t.Fatal("no trouble is known in which it has to fire")
			}
			if firing(t, quiet, rule, 60) {
				t.Error("it fires while all is well")
			}
			if !firing(t, load(t, instead(t, healthy, trouble)), rule, 60) {
				t.Errorf("it does not fire with %s", trouble)
			}
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Error("docs/operations.md does not say what to do")
			}
			if rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" || rule.Labels["severity"] == "" {
				t.Errorf("it says too little: %v %v", rule.Labels, rule.Annotations)
			}
		})
	}
}

// instead returns samples with one series replaced.
func instead(t testing.TB, samples, series string) string {
	t.Helper()
	name, _, _ := strings.Cut(series, "} ")
	var lines []string
	replaced := false
	for line := range strings.Lines(samples) {
		if strings.HasPrefix(line, name+"} ") {
			line, replaced = series+"\n", true
		}
		lines = append(lines, line)
	}
	if !replaced {
		t.Fatalf("no series %s", name)
	}
	return strings.Join(lines, "")
}

// minutes is a storage of samples with an engine to ask it.
type minutes struct {
	storage *teststorage.TestStorage
	engine  *promql.Engine
}

// load takes samples, one a minute.
func load(t testing.TB, samples string) minutes {
	t.Helper()
	script := "load 1m\n"
	for line := range strings.Lines(strings.TrimSpace(samples)) {
		script += "  " + line
	}
	return minutes{promqltest.LoadedStorage(t, script+"\n"), promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)}
}

// firing reports whether a rule has been true at every minute for as long as it wants, up to the given one.
func firing(t testing.TB, m minutes, rule rulefmt.Rule, minute int) bool {
	t.Helper()
	wants := int(time.Duration(rule.For).Minutes())
	for at := minute - wants; at <= minute; at++ {
		query, err := m.engine.NewInstantQuery(t.Context(), m.storage, nil, rule.Expr, time.Unix(int64(at)*60, 0))
		if err != nil {
			t.Fatal(err)
		}
		vector, err := query.Exec(t.Context()).Vector()
		if err != nil {
			t.Fatal(err)
		}
		query.Close()
		if len(vector) == 0 {
			return false
		}
	}
	return true
}
