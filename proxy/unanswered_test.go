package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

const openError = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The MCP server's answer holds no response to this request"}}`

// plainly answers with bytes.
func plainly(status int, contentType, body string) func(http.ResponseWriter, received) {
	return func(w http.ResponseWriter, _ received) {
		w.Header()["Content-Type"] = []string{contentType}
		if contentType == "" {
			w.Header()["Content-Type"] = nil
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// TestSuccessWithoutAResponse: whoever waits for a response gets an error in its place, beside all that came, unless what
// came says itself why there is none, or that the stream goes on elsewhere.
func TestSuccessWithoutAResponse(t *testing.T) {
	const stream, document = "text/event-stream", "application/json"
	result := textResultOf(`{"a":1,"_meta":{"show_ui":false}}`)
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, received)
		status int
		body   string // what the host gets; {ERROR} stands for the error
	}{
		"another status":        {plainly(202, "", ""), 502, "{ERROR}"},
		"another media type":    {plainly(200, "text/plain", "welcome"), 502, "{ERROR}"},
		"an empty document":     {plainly(200, document, ""), 502, "{ERROR}"},
		"another's response":    {plainly(200, document, `{"jsonrpc":"2.0","id":2,"result":{}}`), 502, "{ERROR}"},
		"an error of its own":   {plainly(200, document, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":null}`), 200, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":null}`},
		"an empty stream":       {plainly(200, stream, ""), 200, "event: message\ndata: {ERROR}\n\n"},
		"progress alone":        {plainly(200, stream, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"), 200, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\nevent: message\ndata: {ERROR}\n\n"},
		"an unfinished event":   {plainly(200, stream, ": hi\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"), 200, ": hi\n\nevent: message\ndata: {ERROR}\n\n"},
		"a stream that goes on": {plainly(200, stream, "id: 7\ndata:\n\n"), 200, "id: 7\ndata:\n\n"},
		"ids without a value":   {plainly(200, stream, "id\ndata:\n\n"), 200, "id\ndata:\n\nevent: message\ndata: {ERROR}\n\n"},
		"another status, said":  {plainly(503, "text/plain", "later"), 503, "later"},
		"a document, untyped":   {plainly(200, "", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`},
		"a page, untyped":       {plainly(200, "", "<html>"), 502, "{ERROR}"},
		"a result":              {plainly(200, document, `{"jsonrpc":"2.0","id":1,"result":{"isError":true,`+result[1:]+`}`), 200, `{"jsonrpc":"2.0","id":1,"result":{"isError":true,` + result[1:] + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, tt.answer)
			g := newGateway(t, up.URL)
			got := g.post(t, callOf("1", "tomtom-routing", `{}`))
			if want := strings.ReplaceAll(tt.body, "{ERROR}", openError); got.status != tt.status || string(got.body) != want {
				t.Errorf("host got %d\n%s\nwant %d\n%s", got.status, got.body, tt.status, want)
			}
			if n := len(up.calls("tomtom-routing")); n != 1 {
				t.Errorf("%d calls", n)
			}
			lines := g.logged.calls(t)
			if len(lines) != 1 || strings.Contains(tt.body, "{ERROR}") && (lines[0]["status"] != statusFailed || lines[0]["reason"] != "no answer") {
				t.Errorf("log %v", lines)
			}
		})
	}
}

// TestBatchAnsweredInPart: those that got no response get an error beside the responses of the others.
func TestBatchAnsweredInPart(t *testing.T) {
	batch := "[" + callOf("1", "tomtom-routing", `{}`) + `,{"jsonrpc":"2.0","id":"p","method":"ping"},` + callOf("2", "tomtom-report-app-status", `{"tool":"tomtom-routing","outcome":"drawn","source":"inline"}`) + "]"
	const pong = `{"jsonrpc":"2.0","id":"p","result":{"n":1.0}}`
	for name, answer := range map[string]func(http.ResponseWriter, received){
		"document": plainly(200, "application/json", "["+pong+"]"), "stream": plainly(200, "text/event-stream", "data: "+pong+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, newUpstreamServer(t, answer).URL)
			got := g.post(t, batch)
			for _, want := range []string{pong, openError, `"text":"ok"`} {
				if !bytes.Contains(got.body, []byte(want)) {
					t.Errorf("no %s in %s", want, got.body)
				}
			}
		})
	}
}

// TestCallsThatNeverLeft are in the log like all others.
func TestCallsThatNeverLeft(t *testing.T) {
	up := newUpstreamServer(t, nil)
	g := newGateway(t, up.URL)
	up.Close()
	if got := g.postModern(t, modernCallOf("1", "tomtom-routing", `{}`)); got.status != http.StatusBadGateway {
		t.Errorf("status %d", got.status)
	}
	if lines := g.logged.calls(t); len(lines) != 1 || lines[0]["status"] != statusFailed || lines[0]["reason"] != "unreachable" {
		t.Errorf("log %v", lines)
	}
}

// TestRedemptionAtNobodys: an upstream that is gone when its data is wanted has given no answer, usable or not.
func TestRedemptionAtNobodys(t *testing.T) {
	var up *fakeUpstream
	up = newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		_ = up.Listener.Close()
		w.Header().Set("Connection", "close")
		answerEvent(w, in, textResultOf(handleText))
	})
	up.versions = dualEra
	g := newGateway(t, up.URL)
	res, _ := parseResult(t, g.call(t, "tomtom-routing", `{}`))
	if res.Meta.Status != statusUnavailable {
		t.Errorf("status %v", res.Meta)
	}
	if lines := g.logged.calls(t); len(lines) != 1 || lines[0]["reason"] != "not answered" {
		t.Errorf("log %v", lines)
	}
}
