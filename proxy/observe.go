package proxy

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

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
	upstream time.Duration // from the connection for the call to its answer, read
	redeem   time.Duration
	fit      time.Duration
}

// lacksData reports whether the result should have had app data and has none.
func (rec *record) lacksData() bool {
	return rec.status == statusTooLarge || rec.status == statusUnavailable || rec.status == statusFetch
}

// isFailure reports whether something went wrong that somebody may want to look into. Its line is always written.
func (rec *record) isFailure() bool {
	switch rec.status {
	case statusInline, statusFitted, statusFetch, statusText, statusNone:
		return rec.err != nil
	case statusPassed:
		return strings.HasPrefix(rec.reason, reasonStatus)
	}
	return true
}

// reasonStatus begins the reason of an answer that passed because of its HTTP status.
const reasonStatus = "status "

// times are those of one call.
type times struct{ total, upstream, gateway time.Duration }

func (rec *record) times(started time.Time) times {
	t := times{total: time.Since(started), upstream: rec.upstream}
	t.gateway = max(0, t.total-rec.upstream-rec.redeem)
	return t
}

func (x *exchange) record(q *request) *record {
	rec := &record{request: q, source: sourceNone}
	if !x.sent.IsZero() {
		rec.upstream = time.Since(x.sent)
	}
	x.received()
	return rec
}

// take notes what became of the app data, and how many characters the result has with it.
func (rec *record) take(o outcome, chars int) {
	rec.status, rec.source, rec.reason, rec.err = o.status, o.source, o.reason, o.err
	rec.fitted, rec.minified, rec.chars = o.fit, o.minify, chars
}

// logUnanswered records every tool call that waits for its response, which does not come or was not read. Of what the
// gateway asks for itself, whoever asked says what came of it.
func (x *exchange) logUnanswered(ctx context.Context, status, reason string) {
	if x.started.IsZero() {
		return
	}
	for _, q := range x.requests {
		if !x.waitsFor(q) || q.route != routeCall {
			continue
		}
		rec := x.record(q)
		rec.status, rec.reason = status, reason
		x.g.logCall(ctx, x.started, rec)
	}
}

// logCall writes the line and the metrics of one tool call.
func (g *Gateway) logCall(ctx context.Context, started time.Time, rec *record) {
	t := rec.times(started)
	g.metrics.of(rec, t)
	g.tracing.note(ctx, rec)
	level := slog.LevelInfo
	switch {
	case rec.reason == reasonOf(errHostGone):
	case rec.status == statusTooLarge, rec.status == statusUnavailable, rec.status == statusFailed:
		level = slog.LevelWarn
	}
	if !g.log.Enabled(ctx, level) || !rec.isFailure() && !g.calls.take() {
		return
	}
	attributes := []slog.Attr{
		slog.String("tool", rec.request.tool.Name),
		slog.String("method", methodCallTool),
		slog.String("status", rec.status),
		slog.String("source", rec.source),
		slog.String("reason", rec.reason),
		slog.Float64("duration_ms", milliseconds(t.total)),
		slog.Float64("upstream_ms", milliseconds(t.upstream)),
		slog.Float64("own_ms", milliseconds(t.gateway)),
		slog.Int("chars", rec.chars),
	}
	attributes = append(attributes, rec.fitAttributes()...)
	if name := rec.request.client.name; name != "" {
		attributes = append(attributes, slog.String("client", plain(name, maxClientChars)))
	}
	if protocol := rec.request.client.protocol; protocol != "" {
		attributes = append(attributes, slog.String("protocol", plain(protocol, maxProtocolChars)))
	}
	if rec.err != nil {
		attributes = append(attributes, slog.Any("err", rec.err))
	}
	g.log.LogAttrs(ctx, level, "tool call", attributes...)
}

// fitAttributes are those of a call whose app data was fitted.
func (rec *record) fitAttributes() []slog.Attr {
	var attributes []slog.Attr
	if rec.redeem > 0 {
		attributes = append(attributes, slog.Float64("redeem_ms", milliseconds(rec.redeem)))
	}
	f := rec.fitted
	if f.Status == 0 {
		return attributes
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

// sampler lets one of so many lines through: those of calls that went well are alike, and a busy gateway has many.
type sampler struct {
	every uint64 // 0 and 1: all
	seen  atomic.Uint64
}

// take reports whether this one is written. The first is.
func (s *sampler) take() bool { return s.every <= 1 || (s.seen.Add(1)-1)%s.every == 0 }
