package proxy

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// capture is a recorded call: the result as the real server sent it, minified as on its wire.
type capture struct {
	tool, args string
	result     []byte
}

func readCapture(t testing.TB, name string) capture {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "shared", "captures", name+".json"))
	if err != nil {
		t.Skip("the recorded messages are not here: ../shared/captures, beside the module")
	}
	var file struct {
		Request struct {
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		Response struct{ Result json.RawMessage }
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	var result bytes.Buffer
	if err := json.Compact(&result, file.Response.Result); err != nil {
		t.Fatal(err)
	}
	return capture{file.Request.Params.Name, string(file.Request.Params.Arguments), result.Bytes()}
}

// recorded are calls of the real server with the app data that it had for them, and what the gateway makes of them.
var recorded = []struct{ call, data, status string }{
	{"tomtom-routing-8240-ui-compact", "tomtom-get-viz-data-routing-8240", statusInline},
	{"tomtom-routing-39414-ui-compact", "tomtom-get-viz-data-routing-39414", statusFitted},
	{"tomtom-ev-routing-8240-ui-compact", "tomtom-get-viz-data-ev-routing-8240", statusInline},
	{"tomtom-search-along-route-8240-ui-compact", "tomtom-get-viz-data-search-along-route-8240", statusInline},
	{"tomtom-dynamic-map-routes-ui-compact", "tomtom-get-viz-data-dynamic-map-routes", statusInline},
	{"tomtom-data-viz-points-ui", "tomtom-get-viz-data-data-viz-points", statusInline},
	{"tomtom-data-viz-points-noui", "", statusNone},
	{"tomtom-reachable-range-time-ui-compact", "tomtom-get-viz-data-reachable-range-time", statusInline},
	{"tomtom-reachable-range-time-ui-full", "", statusText},
	{"tomtom-routing-8240-ui-full", "", statusText},
	{"tomtom-ev-routing-8240-ui-full", "", statusText},
	{"tomtom-fuzzy-search-q-ui-compact", "tomtom-get-viz-data-fuzzy-search-q", statusInline},
	{"tomtom-fuzzy-search-q-ui-full", "", statusText},
	{"tomtom-reverse-geocode-q-ui-compact", "tomtom-get-viz-data-reverse-geocode-q", statusInline},
	{"tomtom-area-search-circle-ui-compact", "tomtom-get-viz-data-area-search-circle", statusInline},
	{"tomtom-traffic-bbox-ui-compact", "", statusNone},
	{"tomtom-routing-8240-noui-compact", "", statusNone},
}

func TestRecordedCalls(t *testing.T) {
	for _, tt := range recorded {
		t.Run(tt.call, func(t *testing.T) {
			call, data := readCapture(t, tt.call), capture{}
			if tt.data != "" {
				data = readCapture(t, tt.data)
			}
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
				if in.message.name == call.tool {
					answerEvent(w, in, string(call.result))
					return
				}
				answerEvent(w, in, string(data.result))
			})
			g := newGateway(t, up.URL)
			raw := g.call(t, call.tool, call.args)
			res, doc := parseResult(t, raw)
			if res.Meta.Status != tt.status {
				t.Fatalf("status %s: %v", res.Meta.Status, g.logged.calls(t))
			}
			if bytes.Contains(raw, []byte("viz_id")) || bytes.Contains(raw, []byte("apiKey")) {
				t.Error("a handle or a key reached the host")
			}
			checkRecordedText(t, call, res)
			if tt.status == statusInline {
				want := captureText(t, data)
				if call.tool != "tomtom-data-viz" {
					root, _ := jsonspan.Scan(want)
					want = jsonspan.Apply(nil, want, cutNested(want, root, memberAPIKey))
				}
				if !bytes.Equal(doc, want) {
					t.Errorf("app data differs: %d bytes, want %d", len(doc), len(want))
				}
			}
			media := opened(t, call.tool, call.args, true, string(raw)).mediaChars()
			if chars := jsonspan.UTF16Len(raw) - media; tt.status != statusText && chars >= 120_000 {
				t.Errorf("%d characters", chars)
			}
			calls := up.requests()
			if n := len(up.calls(call.tool)); n != 1 || len(calls) > 2 || len(calls) == 2 && calls[0].remote != calls[1].remote {
				t.Errorf("%d calls, %d requests", n, len(calls))
			}
		})
	}
}

// captureText is the text of a recorded result's last text item.
func captureText(t testing.TB, c capture) []byte {
	t.Helper()
	res, _ := parseResult(t, c.result)
	for _, item := range slices.Backward(res.Content) {
		if item.Type == "text" {
			return []byte(item.Text)
		}
	}
	t.Fatal("no text")
	return nil
}

// checkRecordedText: the text is the recorded one from its first to its last member, and only _meta has become
// show_ui and tool. The other items are the same.
func checkRecordedText(t testing.TB, call capture, res toolResultOf) {
	t.Helper()
	original, _ := parseResult(t, call.result)
	if len(res.Content) != len(original.Content) {
		t.Fatalf("%d items, had %d", len(res.Content), len(original.Content))
	}
	for i, item := range res.Content {
		was := original.Content[i].Text
		before, _, found := strings.Cut(was, `"_meta"`)
		switch {
		case !found && item.Text != was:
			t.Errorf("item %d changed", i)
		case found && strings.Contains(was, "apiKey"):
			continue // cut elsewhere, too; TestKeysGoFromAppData and TestTextJSONKeepsItsBytes
		case found && !strings.HasPrefix(item.Text, before+`"show_ui"`) && res.Meta.Status != statusFitted:
			t.Errorf("item %d: text differs: %.200q", i, item.Text)
		}
	}
}
