package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// metricsOf are the samples of a registry, by name and labels.
func metricsOf(t testing.TB, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	samples := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			value := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			samples[family.GetName()+"{"+strings.Join(labels, ",")+"}"] = value
		}
	}
	return samples
}

func TestMetrics(t *testing.T) {
	broken := false
	up := newUpstreamServer(t, nil)
	up.answer = func(w http.ResponseWriter, in received) {
		switch {
		case broken:
			dropConnection(w)
		case in.message.name == "tomtom-routing":
			answerEvent(w, in, textResultOf(handleText))
		case in.message.name == "tomtom-traffic":
			answerEvent(w, in, `{"isError":true,"content":[]}`)
		default:
			answerEvent(w, in, textResultOf(routeOf(40_000)))
		}
	}
	registry := prometheus.NewRegistry()
	g := newGateway(t, up.URL, func(o *Options) { o.Metrics = registry })
	g.call(t, "tomtom-routing", `{}`)
	g.call(t, "tomtom-traffic", `{}`)
	g.options.LimitChars = 1000
	g.call(t, "tomtom-routing", `{}`)
	broken = true
	g.post(t, callOf("1", "tomtom-routing", `{}`))
	got := metricsOf(t, registry)
	for name, want := range map[string]float64{
		"gateway_tool_calls_total{source=handle,status=fitted,tool=tomtom-routing}":    1,
		"gateway_tool_calls_total{source=handle,status=too_large,tool=tomtom-routing}": 1,
		"gateway_tool_calls_total{source=none,status=tool_error,tool=tomtom-traffic}":  1,
		"gateway_tool_calls_total{source=none,status=failed,tool=tomtom-routing}":      1,
		"gateway_app_data_missing_total{reason=data,tool=tomtom-routing}":              1,
		"gateway_upstream_errors_total{kind=unreachable}":                              1,
		"gateway_tool_call_duration_seconds{tool=tomtom-routing}":                      3,
		"gateway_result_chars{tool=tomtom-routing}":                                    2,
		"gateway_redemption_duration_seconds{}":                                        2,
		"gateway_fit_duration_seconds{}":                                               2,
		"gateway_fit_error_metres{}":                                                   1,
		"gateway_redemption_retries_total{}":                                           0,
		"gateway_buffered_bytes{}":                                                     0,
	} {
		if value, there := got[name]; !there || value != want {
			t.Errorf("%s: %v, want %v", name, value, want)
		}
	}
	if _, err := New(Options{Upstream: g.options.Upstream, Widget: testWidget, Metrics: registry}); err == nil {
		t.Error("the metrics were registered twice")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	up := newUpstreamServer(t, nil)
	good := newGateway(t, up.URL).options
	good.Metrics = nil
	for name, spoil := range map[string]func(*Options){
		"no upstream":    func(o *Options) { o.Upstream = nil },
		"other scheme":   func(o *Options) { u := *o.Upstream; u.Scheme = "ftp"; o.Upstream = &u },
		"no host":        func(o *Options) { u := *o.Upstream; u.Host = ""; o.Upstream = &u },
		"no widget":      func(o *Options) { o.Widget = Resource{} },
		"widget's place": func(o *Options) { o.Widget.URI = "ui://elsewhere/x.html" },
	} {
		options := good
		spoil(&options)
		if _, err := New(options); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := New(Options{Upstream: good.Upstream, Widget: testWidget}); err != nil {
		t.Error(err)
	}
}
