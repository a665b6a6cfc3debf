package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestIDsAsJavaScriptWritesThem: a server that parses an id and writes it again may write another text. Its response is
// still the response, and its handle stays here.
func TestIDsAsJavaScriptWritesThem(t *testing.T) {
	for sent, written := range map[string]string{
		"-0": "0", "-0.0e7": "0", "1.0": "1", "1e400": "null", "-1e400": "null", "9007199254740993": "9007199254740992",
		`"\u0061"`: `"a"`, `{ "a" : [ 1 ] }`: `{"a":[1]}`, "null": "null",
	} {
		t.Run(sent, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
				if in.message.name == "tomtom-routing" {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, eventOf(written, textResultOf(handleText)))
					return
				}
				answerEvent(w, in, textResultOf(routeDoc))
			})
			g := newGateway(t, up.URL)
			got := string(g.post(t, callOf(sent, "tomtom-routing", `{}`)).body)
			if !strings.Contains(got, statusInline) || strings.Contains(got, "a-b") || !strings.Contains(got, `"id":`+written) {
				t.Errorf("host got %s", got)
			}
		})
	}
}

// TestCallsWithoutAnID of tools that are answered here go nowhere: there are no such calls, and an upstream that runs them
// all the same would lead around what is refused.
func TestCallsWithoutAnID(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, textResultOf(routeDoc)) })
	g := newGateway(t, up.URL)
	note := func(tool string) string {
		return `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"` + tool + `","arguments":{"viz_id":"a-b"}}}`
	}
	for _, tool := range []string{"tomtom-get-viz-data", "tomtom-get-dataset", "tomtom-report-app-status", "tomtom-get-app-data"} {
		for _, body := range []string{note(tool), "[" + note(tool) + "," + note(tool) + "]"} {
			if got := g.post(t, body); got.status != http.StatusAccepted || len(got.body) > 0 {
				t.Errorf("%s: %d %s", body, got.status, got.body)
			}
		}
	}
	if n := len(up.requests()); n != 0 {
		t.Errorf("%d requests went upstream", n)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	g.post(t, "["+note("tomtom-get-viz-data")+","+ping+","+note("other")+"]")
	if in := up.requests(); len(in) != 1 || string(in[0].body) != "["+ping+","+note("other")+"]" {
		t.Errorf("upstream got %v", in)
	}
}
