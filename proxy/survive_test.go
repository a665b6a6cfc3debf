package proxy

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// failingLog fails on one message, as anything may that a request passes through.
type failingLog struct {
	slog.Handler
	on string
}

func (h failingLog) Handle(ctx context.Context, line slog.Record) error {
	if line.Message == h.on {
		panic("made to fail")
	}
	return h.Handler.Handle(ctx, line)
}

// TestSurvives: a failure that nobody foresaw is one clear error for its own host, a line and a count; others go on.
func TestSurvives(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	registry, logged := prometheus.NewRegistry(), &logBuffer{}
	g := newGateway(t, up.URL, func(o *Options) {
		o.Metrics = registry
		o.Logger = slog.New(failingLog{slog.NewJSONHandler(logged, nil), "tool call"})
	})
	plainAnswer := up.answer
	up.answer = func(w http.ResponseWriter, in received) { // as JSON, so that the answer has not begun
		if in.message.name != "tomtom-routing" {
			plainAnswer(w, in)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(in.message.raw(in.message.id))+`,"result":`+textResultOf(handleText)+`}`)
	}
	got := g.post(t, callOf("7", "tomtom-routing", `{}`))
	if got.status != http.StatusInternalServerError || !strings.Contains(string(got.body), `"id":7,"error":{"code":-32603`) || strings.Contains(string(got.body), "made to fail") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if log := logged.String(); strings.Count(log, `"msg":"request failed"`) != 1 || !strings.Contains(log, "survive_test.go") {
		t.Errorf("log %s", log)
	}
	if failures := metricsOf(t, registry)["gateway_failures_total{}"]; failures != 1 {
		t.Errorf("%v failures", failures)
	}
	if held := g.room.held.Load(); held != 0 {
		t.Errorf("%d bytes are still held", held)
	}
	if got := g.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); got.status != http.StatusOK {
		t.Errorf("the next request: %d", got.status)
	}

	// In a stream the answer has begun: it must not look complete.
	up.answer = plainAnswer
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.server.URL+"/mcp", strings.NewReader(callOf("8", "tomtom-traffic", `{}`)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = mcpHeader()
	resp, err := g.client.Do(request)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		closeBody(resp)
	}
	if err == nil {
		t.Error("an answer that failed half-way looks complete")
	}
}
