package preview_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview"
	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

type logged struct {
	Lines []struct {
		Seq        int64
		Level      string
		Message    string
		Attributes map[string]any
	}
	Next int64
}

// The page shows what the gateway logs; the gateway's log has the calls, and nothing of what another limit was tried for.
func TestLog(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	s, _ := demo(t, upstream.Options{}, func(o *preview.Options) {
		preview.ImpatientPolls(o)
		o.Gateway.Logger = slog.New(slog.NewJSONHandler(&written, nil))
	})
	c := s.run("tomtom-routing", lisbonWarsaw, 0)
	first := decode[logged](t, s.get("/api/log?after=0", http.StatusOK))
	calls := toolCalls(first)
	if len(calls) != 1 || calls[0]["status"] != "fitted" || calls[0]["again"] != nil || calls[0]["tool"] != "tomtom-routing" {
		t.Errorf("%+v", first)
	}
	s.fitAt(c.ID, 40_000)
	second := decode[logged](t, s.get(fmt.Sprintf("/api/log?after=%d", first.Next), http.StatusOK))
	if calls := toolCalls(second); len(calls) != 1 || calls[0]["again"] != true || calls[0]["chars"].(float64) >= 40_000 || len(second.Lines) != 1 {
		t.Errorf("%+v", second)
	}
	if none := decode[logged](t, s.get(fmt.Sprintf("/api/log?after=%d", second.Next), http.StatusOK)); len(none.Lines) != 0 || none.Next != second.Next {
		t.Errorf("%+v", none)
	}
	s.preview.Close(t.Context())
	if n := strings.Count(written.String(), `"msg":"tool call"`); n != 1 {
		t.Errorf("the log has %d calls: %s", n, written.String())
	}
	s.get("/api/log?after=x", http.StatusBadRequest)
}

func toolCalls(l logged) (calls []map[string]any) {
	for _, line := range l.Lines {
		if line.Message == "tool call" {
			calls = append(calls, line.Attributes)
		}
	}
	return calls
}

// A request for lines waits for one, and ends when the preview does.
func TestLogWaits(t *testing.T) {
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, nil)
	s.get("/api/session", http.StatusOK)
	next := decode[logged](t, s.get("/api/log", http.StatusOK)).Next
	poll := func() chan logged {
		lines := make(chan logged, 1)
		r := s.request(http.MethodGet, s.page+fmt.Sprintf("/api/log?after=%d", next), "")
		go func() {
			var l logged
			_ = json.Unmarshal(s.do(r).body, &l)
			lines <- l
		}()
		return lines
	}
	waiting := poll()
	s.run("tomtom-geocode", `{"query":"Berlin"}`, 0)
	got := <-waiting
	if len(toolCalls(got)) != 1 {
		t.Errorf("%+v", got)
	}
	next = got.Next
	waiting = poll()
	s.preview.Quit()
	if got := <-waiting; len(got.Lines) != 0 {
		t.Errorf("%+v", got)
	}
}
