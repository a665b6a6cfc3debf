package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/trace"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// The values of com.tomtom/app-data-status.
const (
	statusInline      = "inline"      // app data is there, exact
	statusFitted      = "fitted"      // app data is there, its route lines altered
	statusTooLarge    = "too_large"   // it did not fit
	statusFetch       = "fetch"       // it did not fit, and the widget can fetch it
	statusText        = "text"        // the text itself is the data
	statusUnavailable = "unavailable" // the upstream no longer had it, or gave something unusable
	statusNone        = "none"        // there is none
)

// Where app data comes from, in logs.
const (
	sourceHandle = "handle"
	sourceText   = "text"
	sourceNone   = "none"
)

// outcome is what becomes of the app data of one result.
type outcome struct {
	status string
	source string
	reason string // why, when there is no app data; short and of few kinds
	err    error  // what went wrong, for the log
	// fit is what the fitter made; zero when it was not asked.
	fit fitter.Result
	// trimmed is the text that stands in place of an untrimmed one, which went into the app data; nil otherwise.
	trimmed []byte
	minify  bool // the text loses its white space
	// ref is what the app data is kept under; "" where it is not.
	ref string
	// text are the edits of the text JSON where they have been made already; nil otherwise.
	text []jsonspan.Edit
}

// errInternal says that the gateway itself failed.
var errInternal = errors.New("internal error")

// finish returns the edits of the result of one tool call, and logs what was done. Whatever fails on the way, the
// agent's text goes out.
func (x *exchange) finish(ctx context.Context, p *response, answered bool) []jsonspan.Edit {
	rec := x.record(p.request)
	defer func() { x.g.logCall(ctx, x.started, rec) }()
	t := p.call
	if t == nil {
		rec.status, rec.reason = statusFailed, "error response"
		if p.result.Len() > 0 {
			rec.reason = "result is no object"
		}
		return nil
	}
	var o outcome
	switch t.kind {
	case kindForeign:
		rec.status, rec.reason = statusPassed, t.reason
		return nil
	case kindError:
		rec.status, rec.reason = statusToolError, t.reason
		return t.withoutHandleIn(p.span, t.errorEdits())
	case kindPlain:
		rec.status, rec.reason = statusNone, t.reason
		return t.withoutHandleIn(p.span, append(t.plainEdits(x.g.options.Text == TextMinify), t.strayHandles()...))
	case kindNone:
		o = outcome{status: statusNone, source: sourceNone, reason: t.reason}
	case kindWhole:
		o = outcome{status: statusText, source: sourceText, reason: t.reason}
	case kindMissing:
		o = outcome{status: statusUnavailable, source: sourceNone, reason: t.reason}
	case kindHandle, kindUntrimmed:
		o = x.provide(ctx, p, answered, rec)
	}
	o.minify = o.minify || x.g.options.Text == TextMinify
	edits := t.outcomeEdits(o)
	rec.take(o, charsAfter(t.doc, jsonspan.UTF16Len(t.object.Of(t.doc)), edits))
	return t.withoutHandleIn(p.span, edits)
}

// errorEdits returns the edits, ordered, that take handles out of an isError result.
func (t *toolResult) errorEdits() []jsonspan.Edit {
	edits := t.strayHandles()
	if t.hasText {
		edits = append(edits, t.text.text.Edits(t.text.withoutHandle())...)
	}
	jsonspan.Sort(edits)
	return edits
}

// provide finds the app data of a result, in a slot for fitting, and fits it.
func (x *exchange) provide(ctx context.Context, p *response, answered bool, rec *record) outcome {
	t := p.call
	// Redeeming and fitting are for the host alone: without it they end in either era.
	ctx, work := x.g.begin(ctx, x.r, false)
	defer work.end()
	o := outcome{status: statusUnavailable, source: sourceHandle}
	if t.kind == kindUntrimmed {
		// Whatever fails, the text is still the data.
		o = outcome{status: statusText, source: sourceText}
	}
	if x.hostErr != nil || x.r.Context().Err() != nil {
		o.reason = reasonOf(errHostGone)
		return o
	}
	release, err := x.g.room.slot(ctx)
	if err != nil {
		o.reason, o.err = "busy", err
		return o
	}
	defer release()
	doc, err := x.source(ctx, p, answered, &o, rec)
	if err != nil {
		o.reason, o.err = reasonOf(err), err
		return o
	}
	ctx, span := x.g.tracing.step(ctx, "fit", trace.SpanKindInternal)
	began := time.Now()
	err = x.g.fit(ctx, t, doc, &o)
	rec.fit = time.Since(began)
	noteFit(span, &o, rec.fit)
	endStep(span, err)
	if err != nil {
		o.trimmed, o.reason, o.err = nil, reasonOf(err), err
	}
	return o
}

// source returns the document that app data is made of: redeemed, or moved out of the text, whose trimmed form it
// leaves in o.
func (x *exchange) source(ctx context.Context, p *response, answered bool, o *outcome, rec *record) ([]byte, error) {
	t := p.call
	if t.kind == kindHandle {
		began := time.Now()
		doc, err := x.redeem(ctx, p, answered)
		rec.redeem = time.Since(began)
		return doc, err
	}
	text := t.text.text.Bytes
	doc := text
	if t.text.hasMeta {
		doc = jsonspan.Apply(nil, text, jsonspan.Remove(nil, text, t.text.root, func(m jsonspan.Member) bool {
			return m.Named(text, memberMeta)
		}))
	}
	trimmed, err := trim(text, t.tool.Compact)
	if err != nil {
		return nil, err
	}
	o.trimmed = trimmed
	return doc, nil
}

// fit makes doc fit beside the text of t and writes what came of it to o. On an error, o is unchanged.
func (g *Gateway) fit(ctx context.Context, t *toolResult, doc []byte, o *outcome) (err error) {
	defer func() {
		// A document that the fitter cannot stand must not cost the agent its text, which is paid for.
		if p := recover(); p != nil {
			g.metrics.failures.Inc()
			g.log.ErrorContext(ctx, "fitting failed", slog.String("tool", t.tool.Name),
				slog.String("err", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
			err = errInternal
		}
	}()
	o.ref = g.recent.newRef()
	defer func() {
		if err != nil {
			o.ref = ""
		}
	}()
	l := g.layout(t, o)
	plan := PlanFor(t.tool, g.maxErrorM(t.tool))
	result, err := fitter.Fit(doc, plan, l.budget)
	if err != nil {
		return fmt.Errorf("fit: %w", err)
	}
	if result.Status != fitter.Exact && result.ExactChars <= l.exact.Chars+l.exact.Extra {
		// ExactChars may be an estimate. What is altered after all has no claim to the room of an exact document.
		plan.Exact = true
		exact, err := fitter.Fit(doc, plan, l.exact)
		if err != nil {
			return fmt.Errorf("fit: %w", err)
		}
		if exact.Status == fitter.Exact {
			result = exact
		}
	}
	g.remember(o.ref, t.tool, doc, result)
	o.fit, o.minify, o.text = result, result.UsedExtra || l.crowded && len(result.AppData) == 0, l.asWritten
	if o.minify {
		o.text = l.minified
	}
	switch {
	case result.Status == fitter.Exact:
		o.status = statusInline
	case result.Status == fitter.Fitted:
		o.status = statusFitted
	case t.tool.Fetchable:
		o.status, o.reason = statusFetch, l.whatIsLong()
	default:
		o.status, o.reason = statusTooLarge, l.whatIsLong()
	}
	return nil
}

// remember keeps what the result carries under ref, or all of doc where it carries nothing: whoever asks by reference
// has no limit.
func (g *Gateway) remember(ref string, tool policy.Tool, doc []byte, result fitter.Result) {
	switch {
	case ref == "":
	case len(result.AppData) > 0:
		g.recent.keep(ref, result.AppData)
	default:
		g.recent.keep(ref, fitter.Encode(withoutAPIKey(doc, tool)))
	}
}

// withoutAPIKey returns doc without members named apiKey, which only a caller's own data may have.
func withoutAPIKey(doc []byte, tool policy.Tool) []byte {
	root, err := jsonspan.Scan(doc)
	if err != nil || tool.Verbatim {
		return doc
	}
	edits := jsonspan.Remove(nil, doc, root, func(m jsonspan.Member) bool { return m.Named(doc, memberAPIKey) })
	return jsonspan.Apply(nil, doc, jsonspan.Merge(edits, cutAPIKeys(doc, root)))
}

// reasonOf is err as one of few words, for logs and metrics.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, ErrGone):
		return "gone"
	case errors.Is(err, errBusy):
		return "busy"
	case errors.Is(err, errHostGone):
		return "host gone"
	case errors.Is(err, errRedeemTimeout), errors.Is(err, errUpstreamTimeout):
		return "timeout"
	case errors.Is(err, fitter.ErrNotJSON):
		return "data is no JSON"
	case errors.Is(err, errInternal):
		return "internal"
	case errors.Is(err, errUnanswered):
		return "not answered"
	}
	return "unusable"
}
