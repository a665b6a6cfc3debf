package proxy

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"tomtom-mcp-gateway/policy"
)

// tracing makes the spans of requests: one for each, and below it one for the upstream's answer, the redemption and the
// fit. nil makes none, costs nothing, and leaves trace contexts to pass as they are. Spans hold names that the gateway
// knows, statuses, counts and times; no arguments, texts, keys, handles or coordinates.
type tracing struct{ tracer trace.Tracer }

func newTracing(tracer trace.Tracer) *tracing {
	if tracer == nil {
		return nil
	}
	return &tracing{tracer}
}

// noSpan is a span of nothing.
var noSpan = noop.Span{}

const (
	metaTracestate   = "tracestate"
	headerTracestate = "Tracestate"
)

// request begins the span of a host's request. Its parent is the context in the message, else the one in the header: the
// first is the client's own, the second may be any proxy's on the way (OpenTelemetry's conventions for MCP).
func (t *tracing) request(r *http.Request, messages []message, batch bool) (*http.Request, trace.Span) {
	if t == nil {
		return r, noSpan
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), parentOf(r.Header, messages))
	method := methodLabel(messages, batch)
	name, attributes := method, []attribute.KeyValue{attribute.String("mcp.method.name", method)}
	if tool := knownTool(messages); tool != "" && !batch {
		name += " " + tool
		attributes = append(attributes, attribute.String("gen_ai.tool.name", tool))
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
	if known := trailOf(ctx); known != nil {
		span.SetAttributes(attribute.String("request_id", known.id))
		known.traceID = span.SpanContext().TraceID().String()
	}
	return r.WithContext(ctx), span
}

// parentOf is where a request's trace context is read from.
func parentOf(h http.Header, messages []message) propagation.TextMapCarrier {
	for _, m := range messages {
		if parent := traceparentOf(m); traceIDOf(parent) != "" {
			state, _ := m.meta(metaTracestate)
			return propagation.MapCarrier{metaTraceparent: parent, metaTracestate: stringAt(m.body, state)}
		}
	}
	return propagation.HeaderCarrier(h)
}

// knownTool is the name of the tool that a request calls, "" for one that has no policy and is none of the gateway's.
func knownTool(messages []message) string {
	if len(messages) != 1 || messages[0].method != methodCallTool {
		return ""
	}
	name := messages[0].name
	if _, known := policy.For(name); known || name == policy.GetAppData || name == policy.ReportAppStatus || name == policy.GetAPIKey {
		return name
	}
	return ""
}

// answered ends the span of a request.
func (t *tracing) answered(r *http.Request, span trace.Span) {
	if t == nil {
		return
	}
	if known := trailOf(r.Context()); known != nil && known.answer != nil {
		status := known.answer.status
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(status))
		}
	}
	span.End()
}

// step begins a span below that of ctx.
func (t *tracing) step(ctx context.Context, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	if t == nil {
		return ctx, noSpan
	}
	return t.tracer.Start(ctx, name, trace.WithSpanKind(kind))
}

// inject names the span of ctx in the header of a request to the upstream, in place of the host's own: the upstream's
// spans stand below the gateway's. The message keeps what the host wrote into it.
func (t *tracing) inject(ctx context.Context, h http.Header) {
	if t == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return
	}
	h.Del(headerTracestate)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
}

// note puts what is said of a call into the span of ctx.
func (t *tracing) note(ctx context.Context, rec *record) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(
		attribute.String("tomtom.app_data.status", rec.status),
		attribute.String("tomtom.app_data.source", rec.source),
		attribute.String("tomtom.app_data.reason", rec.reason),
		attribute.Int("tomtom.result.chars", rec.chars),
	)
	if rec.lacksData() || rec.status == statusFailed {
		span.SetStatus(codes.Error, rec.reason)
	}
}

// endStep ends a step: with why it came to nothing, or well.
func endStep(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		span.SetStatus(codes.Error, reasonOf(err))
	}
	span.End()
}

// noteFit puts what the fitter made into a span.
func noteFit(span trace.Span, o *outcome, took time.Duration) {
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(
		attribute.Int("tomtom.fit.original_vertices", o.fit.OriginalPoints),
		attribute.Int("tomtom.fit.vertices", o.fit.Points),
		attribute.Float64("tomtom.fit.max_error_m", o.fit.MaxErrorM),
		attribute.Int("tomtom.fit.chars", o.fit.Chars),
		attribute.Float64("tomtom.fit.ms", milliseconds(took)),
	)
}
