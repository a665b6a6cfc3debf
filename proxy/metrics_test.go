package proxy

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"tomtom-mcp-gateway/policy"
)

var updateMetrics = flag.Bool("update-metrics", false, "write the golden list of metrics anew")

// recordingRegisterer notes what is registered, which a registry does not tell of metrics without a sample.
type recordingRegisterer struct {
	*prometheus.Registry
	described []string
}

var description = regexp.MustCompile(`fqName: "([^"]*)".*variableLabels: \{([^}]*)\}`)

func (r *recordingRegisterer) Register(c prometheus.Collector) error {
	descriptions := make(chan *prometheus.Desc, 16)
	c.Describe(descriptions)
	close(descriptions)
	for d := range descriptions {
		if found := description.FindStringSubmatch(d.String()); found != nil {
			r.described = append(r.described, found[1]+"{"+found[2]+"}")
		}
	}
	return r.Registry.Register(c)
}

// TestMetricNames: dashboards and alerts of operators name them, and the labels.
func TestMetricNames(t *testing.T) {
	const golden = "testdata/metrics.txt"
	up := newUpstreamServer(t, nil)
	registry := &recordingRegisterer{Registry: prometheus.NewRegistry()}
	newGateway(t, up.URL, func(o *Options) { o.Metrics = registry })
	slices.Sort(registry.described)
	got := strings.Join(registry.described, "\n") + "\n"
	if *updateMetrics {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the metrics are\n%s\nwant\n%s", got, want)
	}
}

// TestCallersChooseNoLabel: whatever names of tools, methods and statuses callers, servers and widgets make up, the
// values of labels stay those that the gateway knows.
func TestCallersChooseNoLabel(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		switch in.message.name {
		case "tomtom-routing":
			answerEvent(w, in, textResultOf(handleText))
		case "tomtom-geocode":
			w.WriteHeader(799)
		default:
			answerEvent(w, in, textResultOf("made up"))
		}
	})
	registry := prometheus.NewRegistry()
	g := newGateway(t, up.URL, func(o *Options) { o.Metrics = registry })
	for i := range 20 {
		madeUp := fmt.Sprintf("made-up-%d", i)
		g.post(t, callOf("1", madeUp, `{}`))
		g.post(t, callOf("1", "tomtom-routing", `{"made":"up"}`))
		g.post(t, callOf("1", "tomtom-geocode", `{"made":"up"}`))
		g.post(t, `{"jsonrpc":"2.0","id":1,"method":"`+madeUp+`"}`)
		g.post(t, callOf("1", policy.ReportAppStatus, `{"tool":"`+madeUp+`","outcome":"error","source":"none","reason":"`+madeUp+`"}`))
		g.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id", madeUp, "X-Request-Id", madeUp)
		g.do(t, http.MethodGet, "/"+madeUp, nil, nil)
		g.do(t, strings.ToUpper("MADE"), "/mcp", nil, nil)
	}
	known := map[string]bool{labelOther: true, labelHTTP: true, "batch": true, "response": true}
	for _, tool := range policy.Tools() {
		known[tool.Name] = true
	}
	for method := range knownMethods {
		known[method] = true
	}
	for _, value := range []string{
		"2xx", "3xx", "4xx", "5xx", statusInline, statusFitted, statusTooLarge, statusFetch, statusText, statusUnavailable, statusNone,
		statusPassed, statusToolError, statusFailed, sourceHandle, sourceText, sourceNone, "fetched", "inline", "drawn", "hidden", "error",
		"upstream", "gateway", "received", "sent", "original", "exact", "redeemed", "gone", "unusable", "data is no JSON",
	} {
		known[value] = true
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := 0
	for _, family := range families {
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				values++
				if !known[l.GetValue()] {
					t.Errorf("%s has %s=%q", family.GetName(), l.GetName(), l.GetValue())
				}
			}
		}
	}
	if values < 20 {
		t.Errorf("only %d values were looked at", values)
	}
}

// TestSharesOfTime: a call's time is the upstream's and the gateway's, one after the other.
func TestSharesOfTime(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeOf(20_000)}))
	registry := prometheus.NewRegistry()
	g := newGateway(t, up.URL, func(o *Options) { o.Metrics = registry })
	for range 5 {
		g.call(t, "tomtom-routing", `{}`)
	}
	for _, line := range g.logged.calls(t) {
		number := func(name string) float64 { return line[name].(float64) }
		parts := number("upstream_ms") + number("redeem_ms") + number("own_ms")
		if number("upstream_ms") <= 0 || number("own_ms") < number("fit_ms") || parts > number("duration_ms")+0.01 || parts < number("duration_ms")-0.01 {
			t.Errorf("line %v", line)
		}
	}
	got := metricsOf(t, registry)
	for name, want := range map[string]float64{
		"gateway_tool_call_share_seconds{share=upstream}":    5,
		"gateway_tool_call_share_seconds{share=gateway}":     5,
		"gateway_fit_vertices{stage=original}":               5,
		"gateway_fit_vertices{stage=drawn}":                  5,
		"gateway_app_data_chars{stage=exact}":                5,
		"gateway_app_data_chars{stage=sent}":                 5,
		"gateway_redemptions_total{outcome=redeemed}":        5,
		"gateway_requests_total{code=2xx,method=tools/call}": 5,
		"gateway_requests_in_flight{}":                       0,
		"gateway_fits_running{}":                             0,
		"gateway_fits_waiting{}":                             0,
		"gateway_fit_slots{}":                                float64(g.room.fits),
		"gateway_buffered_bytes_limit{}":                     256 << 20,
	} {
		if value, there := got[name]; !there || value != want {
			t.Errorf("%s: %v, want %v", name, value, want)
		}
	}
	if got["gateway_upstream_bytes_total{direction=received}"] < 5*20_000 || got["gateway_upstream_bytes_total{direction=sent}"] < 1000 {
		t.Errorf("bytes of the upstream: %v", got)
	}
}

// TestConnectionErrors are counted by kind.
func TestConnectionErrors(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) { dropConnection(w) })
	registry := prometheus.NewRegistry()
	g := newGateway(t, up.URL, func(o *Options) { o.Metrics = registry })
	g.post(t, callOf("1", "tomtom-routing", `{}`))
	broken := metricsOf(t, registry)["gateway_upstream_connection_errors_total{kind=broken}"]
	up.Close()
	g.post(t, callOf("1", "tomtom-routing", `{}`))
	got := metricsOf(t, registry)
	if refused := got["gateway_upstream_connection_errors_total{kind=refused}"]; broken != 1 || refused < 1 {
		t.Errorf("broken %v, refused %v", broken, refused)
	}

	unknown := prometheus.NewRegistry()
	g = newGateway(t, "http://no-such-host.invalid", func(o *Options) { o.Metrics = unknown })
	g.post(t, callOf("1", "tomtom-routing", `{}`))
	if got := metricsOf(t, unknown); got["gateway_upstream_connection_errors_total{kind=name}"] < 1 {
		t.Errorf("a name that does not exist: %v", got)
	}
}
