package proxy

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tomtom-mcp-gateway/fitter"
)

// Statuses of calls in logs and metrics, beside those of com.tomtom/app-data-status.
const (
	statusPassed    = "passed"     // the answer was not the gateway's to change
	statusToolError = "tool_error" // the tool said isError
	statusFailed    = "failed"     // the upstream gave no result
)

// record is what there is to say about one tool call: a line of the log, and a few metrics. No arguments, texts, keys,
// handles or coordinates.
type record struct {
	request  *request
	status   string
	source   string
	reason   string
	err      error
	chars    int // of the whole result as written
	fitted   fitter.Result
	minified bool
	took     time.Duration // since the host's request was read
	redeem   time.Duration
	fit      time.Duration
}

func (x *exchange) record(q *request) *record {
	return &record{request: q, source: sourceNone, took: time.Since(x.started)}
}

// take notes what became of the app data, and how many characters the result has with it.
func (rec *record) take(o outcome, chars int) {
	rec.status, rec.source, rec.reason, rec.err = o.status, o.source, o.reason, o.err
	rec.fitted, rec.minified, rec.chars = o.fit, o.minify, chars
}

// logUnanswered records every tool call that waits for its response, which does not come or was not read.
func (x *exchange) logUnanswered(ctx context.Context, status, reason string) {
	for _, q := range x.requests {
		if _, waits := x.waiting[q.idKey()]; !waits || q.route != routeCall {
			continue
		}
		rec := x.record(q)
		rec.status, rec.reason = status, reason
		x.g.logCall(ctx, x.started, rec)
	}
}

// logCall writes the line and the metrics of one tool call.
func (g *Gateway) logCall(ctx context.Context, started time.Time, rec *record) {
	total := time.Since(started)
	tool := rec.request.tool.Name
	g.metrics.calls.WithLabelValues(tool, rec.status, rec.source).Inc()
	g.metrics.duration.WithLabelValues(tool).Observe(total.Seconds())
	if rec.chars > 0 {
		g.metrics.chars.WithLabelValues(tool).Observe(float64(rec.chars))
	}
	if rec.reason != "" && (rec.status == statusTooLarge || rec.status == statusUnavailable || rec.status == statusFetch) {
		g.metrics.withoutData.WithLabelValues(tool, rec.reason).Inc()
	}
	level := slog.LevelInfo
	switch {
	case rec.reason == reasonOf(errHostGone):
	case rec.status == statusTooLarge, rec.status == statusUnavailable, rec.status == statusFailed:
		level = slog.LevelWarn
	}
	attributes := []slog.Attr{
		slog.String("tool", tool),
		slog.String("method", methodCallTool),
		slog.String("status", rec.status),
		slog.String("source", rec.source),
		slog.String("reason", rec.reason),
		slog.Float64("duration_ms", milliseconds(total)),
		slog.Float64("upstream_ms", milliseconds(rec.took)),
		slog.Int("chars", rec.chars),
	}
	attributes = append(attributes, rec.fitAttributes(g.metrics)...)
	if name := rec.request.client.name; name != "" {
		attributes = append(attributes, slog.String("client", clip(name)))
	}
	if rec.err != nil {
		attributes = append(attributes, slog.Any("err", rec.err))
	}
	g.log.LogAttrs(ctx, level, "tool call", attributes...)
}

// fitAttributes are those of a call whose app data was fitted; they go into m, too.
func (rec *record) fitAttributes(m *metrics) []slog.Attr {
	var attributes []slog.Attr
	if rec.redeem > 0 {
		m.redeem.Observe(rec.redeem.Seconds())
		attributes = append(attributes, slog.Float64("redeem_ms", milliseconds(rec.redeem)))
	}
	f := rec.fitted
	if f.Status == 0 {
		return attributes
	}
	m.fit.Observe(rec.fit.Seconds())
	if f.Status == fitter.Fitted {
		m.errorM.Observe(f.MaxErrorM)
	}
	return append(attributes,
		slog.Float64("fit_ms", milliseconds(rec.fit)),
		slog.Int("vertices", f.Points),
		slog.Int("original_vertices", f.OriginalPoints),
		slog.Float64("max_error_m", f.MaxErrorM),
		slog.String("shed", strings.Join(f.Shed, ",")),
		slog.Int("app_data_chars", f.Chars),
		slog.Int("exact_chars", f.ExactChars),
		slog.Bool("minified", rec.minified),
	)
}

// noteList logs what is wrong with a list of tools, and remembers which widgets of the upstream's the gateway's stands
// for now.
func (g *Gateway) noteList(ctx context.Context, p *response, report listReport) {
	g.widgets.learn(report.originals)
	if len(report.unserved) > 0 {
		g.metrics.unserved.Add(float64(len(report.unserved)))
		g.log.ErrorContext(ctx, "tools are bound to a widget that is not served: their maps would not draw",
			slog.String("method", methodListTools), slog.Any("tools", report.unserved))
	}
	if len(report.clashes) > 0 {
		g.log.WarnContext(ctx, "the upstream has tools under names of the gateway's own",
			slog.String("method", methodListTools), slog.Any("tools", report.clashes))
	}
	g.log.DebugContext(ctx, "tool list",
		slog.String("method", methodListTools), slog.Int("tools", report.tools), slog.Bool("apps", p.request.client.apps))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// clip bounds what a client says of itself before it goes into a log.
func clip(text string) string {
	const maxChars = 64
	return text[:min(len(text), maxChars)]
}

// metrics are the Prometheus metrics of the data path.
type metrics struct {
	calls             *prometheus.CounterVec
	withoutData       *prometheus.CounterVec
	duration          *prometheus.HistogramVec
	chars             *prometheus.HistogramVec
	redeem            prometheus.Histogram
	redemptionRetries prometheus.Counter
	fit               prometheus.Histogram
	errorM            prometheus.Histogram
	upstreamErrors    *prometheus.CounterVec
	unserved          prometheus.Counter
}

// newMetrics registers with registerer unless that is nil.
func newMetrics(registerer prometheus.Registerer, r *room) (*metrics, error) {
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_tool_calls_total",
			Help: "Calls of tools with a policy, by what became of their app data and where it came from.",
		}, []string{"tool", "status", "source"}),
		withoutData: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_app_data_missing_total",
			Help: "Results that went out without the app data that they should have had, by reason; text, media or data: what took the room.",
		}, []string{"tool", "reason"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gateway_tool_call_duration_seconds", Help: "From a host's call to its result, the upstream's time included.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 15),
		}, []string{"tool"}),
		chars: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gateway_result_chars", Help: "Characters of whole results as written.",
			Buckets: prometheus.LinearBuckets(10_000, 10_000, 14),
		}, []string{"tool"}),
		redeem: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "gateway_redemption_duration_seconds", Help: "Fetching app data for its handle.",
			Buckets: prometheus.ExponentialBuckets(0.002, 2, 14),
		}),
		redemptionRetries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "gateway_redemption_retries_total", Help: "Redemptions that were not answered and were tried once more.",
		}),
		fit: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "gateway_fit_duration_seconds", Help: "Fitting app data.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 12),
		}),
		errorM: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "gateway_fit_error_metres", Help: "Error of fitted route lines.",
			Buckets: []float64{0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000},
		}),
		upstreamErrors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_upstream_errors_total", Help: "Requests that the upstream did not answer, or not to the end.",
		}, []string{"kind"}),
		unserved: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "gateway_unserved_widgets_total", Help: "Tools in lists that were bound to a widget nobody serves.",
		}),
	}
	if registerer == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{
		m.calls, m.withoutData, m.duration, m.chars, m.redeem, m.redemptionRetries, m.fit, m.errorM, m.upstreamErrors, m.unserved,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "gateway_buffered_bytes", Help: "Bytes of results and app data held now, beyond small ones.",
		}, func() float64 { return float64(r.held.Load()) }),
	} {
		if err := registerer.Register(c); err != nil {
			return nil, fmt.Errorf("gateway metrics: %w", err)
		}
	}
	return m, nil
}
