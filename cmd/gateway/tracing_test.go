package main

import (
	"bytes"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

// otlpReceiver takes spans as a collector does.
type otlpReceiver struct {
	*httptest.Server
	mu     sync.Mutex
	spans  []*spans.Span
	text   []byte // all that was sent
	header http.Header
	sender map[string]string // attributes of the resource
}

func newReceiver(t testing.TB) *otlpReceiver {
	t.Helper()
	c := &otlpReceiver{sender: map[string]string{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			http.Error(w, "no spans", http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.text, c.header = append(c.text, body...), r.Header
		for _, of := range request.GetResourceSpans() {
			for _, a := range of.GetResource().GetAttributes() {
				c.sender[a.GetKey()] = a.GetValue().GetStringValue()
			}
			for _, scope := range of.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// named returns the one span of that name.
func (c *otlpReceiver) named(t testing.TB, name string) *spans.Span {
	t.Helper()
	var found []*spans.Span
	var names []string
	for _, s := range c.spans {
		names = append(names, s.GetName())
		if s.GetName() == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are called %q, of %q", len(found), name, names)
	}
	return found[0]
}

func attributeOf(s *spans.Span, name string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == name {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

// withoutTelemetry takes OpenTelemetry's variables out of the environment of a test.
func withoutTelemetry(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
		"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER",
	} {
		t.Setenv(name, "")
	}
}

// TestTraces: a call is a span below its host's, with the upstream's answer, the redemption and the fit below it; the
// upstream is told of the gateway's spans in the header, and gets the message as it was.
func TestTraces(t *testing.T) {
	withoutTelemetry(t)
	c := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-collector-key=k")
	t.Setenv("OTEL_SERVICE_NAME", "maps")
	var mu sync.Mutex
	got := map[string]http.Header{} // by body
	tomtom := upstream.New(upstream.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		got[string(body)] = r.Header
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		tomtom.ServeHTTP(w, r)
	}))
	defer server.Close()
	record, log, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+server.URL+"/mcp")
	if record["traces"] != true {
		t.Errorf("the first line says %v", record)
	}
	const (
		trace   = "0af7651916cd43dd8448eb211c80319c"
		parent  = "b7ad6b7169203331"
		message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{"locations":[[4.98765,52.45678],[5.12345,52.12345]],"show_ui":true},` +
			`"_meta":{"traceparent":"00-` + trace + `-` + parent + `-01","tracestate":"host=1"}}}`
	)
	if answer := callTool(t, "http://"+record["listen"].(string)+"/mcp", message); !strings.Contains(answer, `"com.tomtom/app-data-status":"inline"`) {
		t.Errorf("the call gives %.300s", answer)
	}
	if line := log.await(t, "tool call"); line["trace_id"] != trace {
		t.Errorf("the log says %v", line)
	}
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}

	call, answer, redeem, fit := c.named(t, "tools/call tomtom-routing"), c.named(t, "upstream"), c.named(t, "redeem"), c.named(t, "fit")
	for _, s := range []*spans.Span{call, answer, redeem, fit} {
		if hex.EncodeToString(s.GetTraceId()) != trace || s.GetTraceState() != "host=1" {
			t.Errorf("%s is in the trace %x, %q", s.GetName(), s.GetTraceId(), s.GetTraceState())
		}
		if s != call && !bytes.Equal(s.GetParentSpanId(), call.GetSpanId()) {
			t.Errorf("%s is not below the call", s.GetName())
		}
	}
	if hex.EncodeToString(call.GetParentSpanId()) != parent || call.GetKind() != spans.Span_SPAN_KIND_SERVER || answer.GetKind() != spans.Span_SPAN_KIND_CLIENT {
		t.Errorf("the call is below %x, a %v, and asks as a %v", call.GetParentSpanId(), call.GetKind(), answer.GetKind())
	}
	if attributeOf(call, "tomtom.app_data.status") != "inline" || attributeOf(call, "gen_ai.tool.name") != "tomtom-routing" || attributeOf(call, "request_id") == "" {
		t.Errorf("the call says %v", call.GetAttributes())
	}
	if answer.GetEndTimeUnixNano() > redeem.GetStartTimeUnixNano() || redeem.GetEndTimeUnixNano() > fit.GetStartTimeUnixNano() {
		t.Error("the steps are not one after the other")
	}
	if c.header.Get("X-Collector-Key") != "k" || c.sender["service.name"] != "maps" || c.sender["service.version"] == "" {
		t.Errorf("sent with %v by %v", c.header, c.sender)
	}
	for _, secret := range []string{"caller-key", "4.98765", "52.45678", "viz_id", "locations"} {
		if bytes.Contains(c.text, []byte(secret)) {
			t.Errorf("the spans have %q", secret)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	below := func(body string) string { return got[body].Get("Traceparent") }
	if want := "00-" + trace + "-" + hex.EncodeToString(answer.GetSpanId()) + "-01"; below(message) != want || got[message].Get("Tracestate") != "host=1" {
		t.Errorf("the upstream was told %q, want %q", below(message), want)
	}
	redeemed := 0
	for body, header := range got {
		if strings.Contains(body, "tomtom-get-viz-data") || strings.Contains(body, "tomtom-get-dataset") {
			redeemed++
			if want := "00-" + trace + "-" + hex.EncodeToString(redeem.GetSpanId()) + "-01"; header.Get("Traceparent") != want {
				t.Errorf("the redemption was told %q, want %q", header.Get("Traceparent"), want)
			}
		}
	}
	if redeemed != 1 {
		t.Errorf("%d redemptions", redeemed)
	}
}

// TestTracesOfHeadersAndFailures: without a context in the message the header's counts; an upstream that is not there is
// an error of the span; made-up names make no names of spans.
func TestTracesOfHeadersAndFailures(t *testing.T) {
	withoutTelemetry(t)
	c := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", c.URL+"/v1/traces")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	record, _, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+gone.URL+"/mcp")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+record["listen"].(string)+"/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"made-up","arguments":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	stop()
	wait()
	call := c.named(t, "tools/call")
	if hex.EncodeToString(call.GetTraceId()) != "4bf92f3577b34da6a3ce929d0e0e4736" || call.GetStatus().GetCode() != spans.Status_STATUS_CODE_ERROR {
		t.Errorf("trace %x, status %v", call.GetTraceId(), call.GetStatus())
	}
	if bytes.Contains(c.text, []byte("made-up")) {
		t.Error("a made-up name is in the spans")
	}
}

// TestNoTraces: without a collector, or where it is turned off, nothing is dialled and contexts pass as they came.
func TestNoTraces(t *testing.T) {
	c := newReceiver(t)
	for name, environ := range map[string][]string{
		"nothing said":    nil,
		"no exporter":     {"OTEL_TRACES_EXPORTER=none", "OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL},
		"all turned off":  {"OTEL_SDK_DISABLED=true", "OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL},
		"a name is given": {"OTEL_SERVICE_NAME=maps"},
	} {
		t.Run(name, func(t *testing.T) {
			withoutTelemetry(t)
			for _, set := range environ {
				key, value, _ := strings.Cut(set, "=")
				t.Setenv(key, value)
			}
			up := newSeenUpstream(t)
			record, _, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+up.URL+"/mcp")
			const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
			exchangeRaw(t, record["listen"].(string), "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTraceparent: "+parent+"\r\nTracestate: a=b\r\nConnection: close\r\n"+
				"Content-Length: 40\r\n\r\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			stop()
			wait()
			seen, headers := up.take()
			if record["traces"] != false || len(seen) == 0 {
				t.Fatalf("the first line says %v; the upstream got %q", record, seen)
			}
			if ping := headers[len(headers)-1]; ping.Get("Traceparent") != parent || ping.Get("Tracestate") != "a=b" {
				t.Errorf("the upstream got %q with %v", seen, ping)
			}
		})
	}
	if c.header != nil {
		t.Error("the collector was called")
	}
}

func TestTracesWanted(t *testing.T) {
	for _, tt := range []struct {
		environ map[string]string
		wanted  bool
		doubts  []string
	}{
		{nil, false, nil},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, true, nil},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/v1/traces"}, true, nil},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true, nil},
		{map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, false, []string{"OTEL_TRACES_EXPORTER"}},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, true, []string{"OTEL_EXPORTER_OTLP_PROTOCOL"}},
		{map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, nil},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "TRUE"}, false, nil},
	} {
		wanted, doubts := tracesWanted(func(name string) string { return tt.environ[name] })
		if wanted != tt.wanted || !slices.Equal(doubts, tt.doubts) {
			t.Errorf("%v: %v, %q", tt.environ, wanted, doubts)
		}
	}
}

// TestCollectorThatIsGone: what it cannot take is lost, and said; calls and the end of the gateway do not wait for it.
func TestCollectorThatIsGone(t *testing.T) {
	withoutTelemetry(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", gone.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100")
	var text bytes.Buffer
	tracer, stop, err := startTracing(t.Context(), slog.New(slog.NewTextHandler(&text, nil)))
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(t.Context(), "x")
	span.End()
	stop()
	if !strings.Contains(text.String(), "spans were lost") {
		t.Errorf("the log says %q", text.String())
	}
}
