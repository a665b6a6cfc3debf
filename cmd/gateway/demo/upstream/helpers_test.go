package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// post sends a body to /mcp as a client of MCP does, with changes to its headers (an empty value removes one).
func post(tb testing.TB, s http.Handler, body string, headers map[string]string) *httptest.ResponseRecorder {
	tb.Helper()
	req := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Tomtom-Api-Key", "k")
	for name, value := range headers {
		req.Header.Set(name, value)
		if value == "" {
			req.Header.Del(name)
		}
	}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, req)
	return rec
}

// eventsOf are the data of a stream's events; anything else in the stream is an error.
func eventsOf(tb testing.TB, body []byte) [][]byte {
	tb.Helper()
	var out [][]byte
	for _, event := range bytes.SplitAfter(body, []byte("\n\n")) {
		if len(event) == 0 {
			continue
		}
		data, ok := bytes.CutPrefix(event, []byte("event: message\ndata: "))
		data, closed := bytes.CutSuffix(data, []byte("\n\n"))
		if !ok || !closed || bytes.ContainsRune(data, '\n') || !json.Valid(data) {
			tb.Fatalf("not an event of the real server: %.200q", event)
		}
		out = append(out, data)
	}
	return out
}

// toolResult is a CallToolResult as a client decodes it.
type toolResult struct {
	Content []struct{ Type, Text, Data, MimeType string }
	IsError *bool
}

func (r toolResult) failed() bool { return r.IsError != nil && *r.IsError }

// callTool calls a tool and decodes the answer. arguments is JSON.
func callTool(tb testing.TB, s http.Handler, name, arguments string) toolResult {
	tb.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
	rec := post(tb, s, body, nil)
	events := eventsOf(tb, rec.Body.Bytes())
	if rec.Code != http.StatusOK || len(events) != 1 {
		tb.Fatalf("status %d with %d events: %.300s", rec.Code, len(events), rec.Body)
	}
	var answer struct{ Result *toolResult }
	if err := json.Unmarshal(events[0], &answer); err != nil || answer.Result == nil {
		tb.Fatalf("no result (%v): %.300s", err, events[0])
	}
	return *answer.Result
}

// textOf is the text of a successful answer's first item.
func textOf(tb testing.TB, r toolResult) string {
	tb.Helper()
	if r.failed() || len(r.Content) == 0 {
		tb.Fatalf("the tool failed: %.300v", r)
	}
	return r.Content[0].Text
}

// decoded is the JSON of a text.
func decoded[T any](tb testing.TB, text string) T {
	tb.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		tb.Fatalf("%v in %.200s", err, text)
	}
	return v
}

// appDataOf redeems the handle in the `_meta` of an answer's last item.
func appDataOf(tb testing.TB, s http.Handler, r toolResult) string {
	tb.Helper()
	last := r.Content[len(r.Content)-1].Text
	meta := decoded[struct {
		Meta map[string]any `json:"_meta"`
	}](tb, last).Meta
	if id, ok := meta["dataset_id"]; ok {
		return textOf(tb, callTool(tb, s, "tomtom-get-dataset", fmt.Sprintf(`{"dataset_id":%q}`, id)))
	}
	id, _ := meta["viz_id"].(string)
	if id == "" {
		tb.Fatalf("no handle in %v", meta)
	}
	return textOf(tb, callTool(tb, s, "tomtom-get-viz-data", fmt.Sprintf(`{"viz_id":%q}`, id)))
}

// routesDocument is as much of a Routes FeatureCollection as the tests look at.
type routesDocument struct {
	Features []struct {
		Geometry struct {
			Type        string
			Coordinates [][2]float64
		}
		Properties struct {
			Summary  map[string]any
			Sections map[string][]map[string]any
			Progress []struct{ PointIndex, DistanceInMeters, TravelTimeInSeconds int }
			Guidance *struct {
				Instructions []struct{ PathPointIndex int }
			}
		}
	}
}

const (
	berlinTrip = `{"locations":[[4.897,52.3779],[13.405,52.52]],"show_ui":true`
	warsawTrip = `{"locations":[[-9.1393,38.7223],[21.0122,52.2297]],"show_ui":true`
)
