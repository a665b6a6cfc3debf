package hosts

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestRecordedServerBehindTheGateway replays the exchanges recorded with TomTom's own server: each recorded call goes
// through the gateway, and its app data is what was recorded for its handle.
func TestRecordedServerBehindTheGateway(t *testing.T) {
	captures := testkit.Captures(t)
	up := testkit.StartUpstream(t, testkit.Replay(t, captures))
	g := testkit.StartGateway(t, up.URL)
	data := recordedData(t, captures)
	redeemed := 0
	for _, c := range captures {
		m := c.Message(t)
		if m.Method != "tools/call" || strings.HasPrefix(m.Params.Name, "tomtom-get-") || c.Result == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			up.Forget()
			got := testkit.Client{URL: g.URL}.Post(t, string(c.Request)).Result(t)
			sent := testkit.ParseResult(t, c.Result)
			if n := up.Calls(m.Params.Name); n != 1 {
				t.Errorf("%d calls", n)
			}
			handle := handleOf(sent)
			want := call{tool: m.Params.Name, status: got.Status(t)}
			checkText(t, got, sent, want)
			if handle != "" && strings.Contains(string(got.Raw), handle) {
				t.Error("the handle reached the host")
			}
			checkRecorded(t, got, data[handle], handle, want)
			if got.AppData(t) != nil {
				redeemed++
			}
		})
	}
	if redeemed < 8 {
		t.Errorf("only %d recorded calls came with app data", redeemed)
	}
}

// recordedData is what was recorded for each handle.
func recordedData(t *testing.T, captures []testkit.Capture) map[string][]byte {
	t.Helper()
	data := map[string][]byte{}
	for _, c := range captures {
		m := c.Message(t)
		if m.Params.Name != "tomtom-get-viz-data" {
			continue
		}
		var arguments struct {
			VizID string `json:"viz_id"`
		}
		if err := json.Unmarshal(m.Params.Arguments, &arguments); err != nil {
			t.Fatal(err)
		}
		if r := testkit.ParseResult(t, c.Result); !r.IsError {
			data[arguments.VizID] = []byte(r.OnlyText(t))
		}
	}
	return data
}

// checkRecorded holds a result against the recorded app data.
func checkRecorded(t *testing.T, got testkit.Result, want []byte, handle string, c call) {
	t.Helper()
	if chars := testkit.Chars(got.Raw); chars >= 120_000 && c.status != "text" && c.tool != "tomtom-dynamic-map" {
		t.Errorf("%d characters", chars)
	}
	switch c.status {
	case "inline", "fitted":
		if want == nil {
			t.Fatalf("status %q, and nothing was recorded for %q", c.status, handle)
		}
		checkAppData(t, got, want, c)
	case "none":
		if c.tool != "tomtom-traffic" && strings.Contains(string(got.Raw), `"show_ui":true`) {
			t.Errorf("no app data, and show_ui: %.300s", got.Raw[:min(300, len(got.Raw))])
		}
	case "text":
		if handle != "" {
			t.Errorf("status text, and there was a handle")
		}
	case "unavailable":
		if want != nil {
			t.Error("the recorded data was not used")
		}
	default:
		t.Errorf("status %q", c.status)
	}
}

// TestRecordedListBindsTheWidget: the real list, edited.
func TestRecordedListBindsTheWidget(t *testing.T) {
	captures := testkit.Captures(t)
	script := testkit.Replay(t, captures)
	list := recordedList(t)
	script.On("tools/list", testkit.Event(list))
	g := testkit.StartGateway(t, testkit.StartUpstream(t, script).URL)
	got := testkit.Client{URL: g.URL}.Post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Result(t)
	before, after := toolNames(t, []byte(list)), toolNames(t, got.Raw)
	for name := range before {
		if hidden := name == "tomtom-get-viz-data"; after[name] == hidden {
			t.Errorf("%s listed: %v", name, after[name])
		}
	}
	for _, own := range []string{"tomtom-get-app-data", "tomtom-report-app-status"} {
		if !after[own] {
			t.Errorf("%s is not listed", own)
		}
	}
	if strings.Contains(string(got.Raw), `"ui://tomtom-routing/`) {
		t.Error("a tool is still bound to the upstream's own widget")
	}
}

// recordedList is the result of the recorded tools/list.
func recordedList(t *testing.T) string {
	t.Helper()
	var r struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(testkit.SampleData(t, "_tools-list.sse.txt"), &r); err != nil {
		t.Fatal(err)
	}
	return string(r.Result)
}

func toolNames(t *testing.T, list []byte) map[string]bool {
	t.Helper()
	var l struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(list, &l); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, tool := range l.Tools {
		names[tool.Name] = true
	}
	return names
}

// TestRecordedErrorsPass: the answers that were recorded for bad requests, status and body.
func TestRecordedErrorsPass(t *testing.T) {
	for _, name := range []string{"err-nokey", "err-noaccept", "err-badmethod"} {
		t.Run(name, func(t *testing.T) {
			c := testkit.LoadCapture(t, name)
			body, contentType := string(c.Response), c.HTTP.Headers["content-type"]
			if strings.HasPrefix(contentType, "text/event-stream") {
				body = fmt.Sprintf("event: message\ndata: %s\n\n", body)
			}
			script := testkit.NewScript()
			reply := testkit.Plain(c.HTTP.Status, contentType, body, "Tomtom-Upstream-Metadata", "eyJh", "X-Powered-By", "Express")
			script.On(c.Message(t).Method, reply)
			up := testkit.StartUpstream(t, script)
			g := testkit.StartGateway(t, up.URL)
			request := testkit.RawPost("/mcp", string(c.Request))
			testkit.SameAnswer(t, testkit.SendRaw(t, g.Address, request), testkit.SendRaw(t, up.Address, request))
		})
	}
}
