package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// badInput are upstreams that misbehave when app data is redeemed. In each case the agent's text arrives, the status
// says why, one line is logged, and the tool ran once.
var badInput = []struct {
	name   string
	redeem func(w http.ResponseWriter, in received)
	reason string
	tries  int
}{
	{"gone", func(w http.ResponseWriter, in received) {
		answerEvent(w, in, `{"content":[{"type":"text","text":"Visualization data not found or expired"}],"isError":true}`)
	}, "gone", 1},
	{"error response", func(w http.ResponseWriter, in received) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(errorResponse(in.message.raw(in.message.id), &rpcError{code: -32602, message: "Tool not found"}))
	}, "unusable", 1},
	{"HTML", func(w http.ResponseWriter, _ received) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>")
	}, "unusable", 1},
	{"413", func(w http.ResponseWriter, _ received) { http.Error(w, "<html>", http.StatusRequestEntityTooLarge) }, "unusable", 1},
	{"429", func(w http.ResponseWriter, _ received) { http.Error(w, "slow down", http.StatusTooManyRequests) }, "unusable", 1},
	{"500", func(w http.ResponseWriter, _ received) { http.Error(w, "boom", http.StatusInternalServerError) }, "unusable", 1},
	{"no JSON", func(w http.ResponseWriter, in received) { answerEvent(w, in, textResultOf(`sorry`)) }, "data is no JSON", 1},
	{"truncated JSON", func(w http.ResponseWriter, in received) {
		answerEvent(w, in, textResultOf(routeDoc[:100]))
	}, "data is no JSON", 1},
	{"no text", func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) }, "unusable", 1},
	{"no result", func(w http.ResponseWriter, in received) { answerEvent(w, in, `5`) }, "unusable", 1},
	{"another id", func(w http.ResponseWriter, _ received) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, eventOf(`"other"`, textResultOf(routeDoc)))
	}, "unusable", 1},
	{"empty", func(w http.ResponseWriter, _ received) {
		w.Header().Set("Content-Type", "text/event-stream")
	}, "unusable", 1},
	{"garbage", func(w http.ResponseWriter, _ received) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{{{")
	}, "unusable", 1},
	{"deeply nested", func(w http.ResponseWriter, in received) {
		answerEvent(w, in, textResultOf(strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)))
	}, "data is no JSON", 1},
	{"larger than allowed", func(w http.ResponseWriter, in received) {
		answerEvent(w, in, textResultOf(`"`+strings.Repeat("x", 300_000)+`"`))
	}, "unusable", 1},
	{"larger than allowed, JSON", func(w http.ResponseWriter, _ received) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bytes.Repeat([]byte("x"), 300_000))
	}, "unusable", 1},
	{"reset", func(w http.ResponseWriter, _ received) { dropConnection(w) }, "not answered", 2},
	{"reset in the answer", func(w http.ResponseWriter, _ received) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: message\ndata: {\"resu")
		flusher(w)()
		dropConnection(w)
	}, "not answered", 2},
}

func TestRedemptionFails(t *testing.T) {
	for _, tt := range badInput {
		t.Run(tt.name, func(t *testing.T) {
			up := newUpstreamServer(t, nil)
			up.answer = func(w http.ResponseWriter, in received) {
				if in.message.name == "tomtom-routing" {
					answerEvent(w, in, textResultOf(handleText))
					return
				}
				tt.redeem(w, in)
			}
			g := newGateway(t, up.URL, func(o *Options) { o.MaxResponseBytes = 200_000 })
			res, doc := parseResult(t, g.call(t, "tomtom-routing", `{}`))
			if doc != nil || res.Meta.Status != statusUnavailable || res.Content[0].Text != plainText {
				t.Errorf("status %q, text %q", res.Meta.Status, res.Content[0].Text)
			}
			if calls, redemptions := len(up.calls("tomtom-routing")), len(up.calls("tomtom-get-viz-data")); calls != 1 || redemptions != tt.tries {
				t.Errorf("%d calls, %d redemptions", calls, redemptions)
			}
			lines := g.logged.calls(t)
			if len(lines) != 1 || lines[0]["status"] != statusUnavailable || lines[0]["reason"] != tt.reason || lines[0]["err"] == nil {
				t.Errorf("log %v", lines)
			}
		})
	}
}

func TestRedemptionSecondTry(t *testing.T) {
	first := true
	up := newUpstreamServer(t, nil)
	up.answer = func(w http.ResponseWriter, in received) {
		switch {
		case in.message.name == "tomtom-routing":
			answerEvent(w, in, textResultOf(handleText))
		case first:
			first = false
			dropConnection(w)
		default:
			answerEvent(w, in, textResultOf(routeDoc))
		}
	}
	g := newGateway(t, up.URL)
	if res, doc := parseResult(t, g.call(t, "tomtom-routing", `{}`)); string(doc) != routeDoc || res.Meta.Status != statusInline {
		t.Errorf("status %s", res.Meta.Status)
	}
	in := up.requests()
	if len(in) != 3 || in[0].remote != in[1].remote || in[1].remote == in[2].remote || bytes.Equal(in[1].body, in[2].body) {
		t.Errorf("%d requests from %s %s %s", len(in), in[0].remote, in[1].remote, in[2].remote)
	}
}

// TestConnectionClosedByTheCall redeems over a new connection where the upstream closes the one of the call.
func TestConnectionClosedByTheCall(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.name == "tomtom-routing" {
			w.Header().Set("Connection", "close")
			answerEvent(w, in, textResultOf(handleText))
			return
		}
		answerEvent(w, in, textResultOf(routeDoc))
	})
	g := newGateway(t, up.URL)
	if _, doc := parseResult(t, g.call(t, "tomtom-routing", `{}`)); string(doc) != routeDoc {
		t.Error("no app data")
	}
	if n := len(up.requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
}
