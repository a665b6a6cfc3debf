package proxy

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the Prometheus metrics of the data path. No caller chooses a label's value: what a request, an upstream or
// a widget names is looked up among known values, and otherwise is "other".
type metrics struct {
	requests  *prometheus.CounterVec
	inFlight  prometheus.Gauge
	hostBytes *prometheus.CounterVec

	calls       *prometheus.CounterVec
	withoutData *prometheus.CounterVec
	duration    *prometheus.HistogramVec
	share       *prometheus.HistogramVec
	chars       *prometheus.HistogramVec

	redemptions       *prometheus.CounterVec
	redeem            prometheus.Histogram
	redemptionRetries prometheus.Counter

	fetches *prometheus.CounterVec

	fit          prometheus.Histogram
	errorM       prometheus.Histogram
	vertices     *prometheus.HistogramVec
	appDataChars *prometheus.HistogramVec

	upstreamErrors   *prometheus.CounterVec
	connectionErrors *prometheus.CounterVec
	upstreamBytes    *prometheus.CounterVec
	unserved         prometheus.Counter
	failures         prometheus.Counter
}

// newMetrics registers with registerer unless that is nil.
func newMetrics(registerer prometheus.Registerer, r *room) (*metrics, error) {
	m := &metrics{}
	m.ofRequests()
	m.ofCalls()
	m.ofAppData()
	m.ofUpstream()
	if registerer == nil {
		return m, nil
	}
	all := []prometheus.Collector{
		m.requests, m.inFlight, m.hostBytes,
		m.calls, m.withoutData, m.duration, m.share, m.chars,
		m.redemptions, m.redeem, m.redemptionRetries, m.fetches,
		m.fit, m.errorM, m.vertices, m.appDataChars,
		m.upstreamErrors, m.connectionErrors, m.upstreamBytes, m.unserved, m.failures,
	}
	for _, c := range append(all, r.gauges()...) {
		if err := registerer.Register(c); err != nil {
			return nil, fmt.Errorf("gateway metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) ofRequests() {
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_requests_total",
		Help: "HTTP requests of hosts that were answered, by MCP method (batch: several at once; http: none) and class of the status.",
	}, []string{"method", "code"})
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "gateway_requests_in_flight",
		Help: "HTTP requests of hosts that are worked on now, open streams among them.",
	})
	m.hostBytes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_host_bytes_total", Help: "Bytes on connections of hosts, by direction.",
	}, []string{"direction"})
}

func (m *metrics) ofCalls() {
	m.calls = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_tool_calls_total",
		Help: "Calls of tools with a policy, by what became of their app data and where it came from.",
	}, []string{"tool", "status", "source"})
	m.withoutData = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_app_data_missing_total",
		Help: "Results that went out without the app data that they should have had, by reason; text, media or data: what took the room.",
	}, []string{"tool", "reason"})
	m.duration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gateway_tool_call_duration_seconds", Help: "From a host's call to its result, the upstream's time included.",
		Buckets: prometheus.ExponentialBuckets(0.005, 2, 15),
	}, []string{"tool"})
	m.share = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "gateway_tool_call_share_seconds",
		Help:    "The same time in two parts: upstream, from the call's connection to its answer, and its app data, read; gateway, all else.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2, 17),
	}, []string{"share"})
	m.chars = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gateway_result_chars", Help: "Characters of whole results as written.",
		Buckets: prometheus.LinearBuckets(10_000, 10_000, 14),
	}, []string{"tool"})
}

func (m *metrics) ofAppData() {
	m.redemptions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_redemptions_total",
		Help: "Handles that were traded for app data, by outcome: redeemed, or why not.",
	}, []string{"outcome"})
	for _, outcome := range []string{outcomeRedeemed, reasonOf(ErrGone)} {
		m.redemptions.WithLabelValues(outcome) // what alerts look at is there from the start: the first miss is an increase
	}
	m.redeem = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "gateway_redemption_duration_seconds", Help: "Fetching app data for its handle.",
		Buckets: prometheus.ExponentialBuckets(0.002, 2, 14),
	})
	m.redemptionRetries = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "gateway_redemption_retries_total", Help: "Redemptions that were not answered and were tried once more.",
	})
	m.fetches = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_app_data_fetches_total",
		Help: "Calls of tomtom-get-app-data, by outcome: fetched, kept (from a recent result), or why not.",
	}, []string{"outcome"})
	m.fit = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "gateway_fit_duration_seconds", Help: "Fitting app data.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2, 12),
	})
	m.errorM = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "gateway_fit_error_metres", Help: "Error of fitted route lines.",
		Buckets: []float64{0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000},
	})
	m.vertices = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gateway_fit_vertices", Help: "Vertices of route lines, original and as drawn.",
		Buckets: prometheus.ExponentialBuckets(100, 2, 11),
	}, []string{"stage"})
	m.appDataChars = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gateway_app_data_chars", Help: "Characters of app data, exact and as sent.",
		Buckets: prometheus.ExponentialBuckets(1_000, 2, 12),
	}, []string{"stage"})
}

func (m *metrics) ofUpstream() {
	m.upstreamErrors = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_upstream_errors_total", Help: "Requests that the upstream did not answer, or not to the end.",
	}, []string{"kind"})
	m.connectionErrors = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_upstream_connection_errors_total",
		Help: "Connections to the upstream that could not be opened, or were lost before an answer began, by kind.",
	}, []string{"kind"})
	m.upstreamBytes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_upstream_bytes_total", Help: "Bytes on connections to the upstream, by direction.",
	}, []string{"direction"})
	m.unserved = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "gateway_unserved_widgets_total", Help: "Tools in lists that were bound to a widget nobody serves.",
	})
	m.failures = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "gateway_failures_total", Help: "Failures of the gateway's own: results that went out without app data because of them.",
	})
}

// of counts one call.
func (m *metrics) of(rec *record, t times) {
	tool := rec.request.tool.Name // of a policy: nobody else's word
	m.calls.WithLabelValues(tool, rec.status, rec.source).Inc()
	m.duration.WithLabelValues(tool).Observe(t.total.Seconds())
	m.share.WithLabelValues("upstream").Observe((t.upstream + rec.redeem).Seconds())
	m.share.WithLabelValues("gateway").Observe(t.gateway.Seconds())
	if rec.chars > 0 {
		m.chars.WithLabelValues(tool).Observe(float64(rec.chars))
	}
	if rec.reason != "" && rec.lacksData() {
		m.withoutData.WithLabelValues(tool, rec.reason).Inc()
	}
	if rec.redeem > 0 {
		m.redeem.Observe(rec.redeem.Seconds())
	}
	m.ofFit(rec)
}

// ofFit counts what the fitter made.
func (m *metrics) ofFit(rec *record) {
	f := rec.fitted
	if f.Status == 0 {
		return
	}
	m.fit.Observe(rec.fit.Seconds())
	if rec.status == statusFitted {
		m.errorM.Observe(f.MaxErrorM)
	}
	if f.OriginalPoints > 0 {
		m.vertices.WithLabelValues("original").Observe(float64(f.OriginalPoints))
		m.vertices.WithLabelValues("drawn").Observe(float64(f.Points))
	}
	m.appDataChars.WithLabelValues("exact").Observe(float64(f.ExactChars))
	if rec.status == statusInline || rec.status == statusFitted {
		m.appDataChars.WithLabelValues("sent").Observe(float64(f.Chars))
	}
}

const outcomeRedeemed = "redeemed"

// redeemed counts a redemption with its outcome.
func (m *metrics) redeemed(err error) {
	outcome := outcomeRedeemed
	if err != nil {
		outcome = reasonOf(err)
	}
	m.redemptions.WithLabelValues(outcome).Inc()
}

// connection counts what went wrong on the way to the upstream.
func (m *metrics) connection(err error) {
	if kind := connectionErrorKind(err); kind != "" {
		m.connectionErrors.WithLabelValues(kind).Inc()
	}
}

// ofRequest counts one request of a host.
func (m *metrics) ofRequest(method string, status int) {
	m.requests.WithLabelValues(method, statusClass(status)).Inc()
}
