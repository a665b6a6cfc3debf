package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

const (
	handleText = "{\n  \"summary\": \"ü\",\n  \"_meta\": {\n    \"show_ui\": true,\n    \"viz_id\": \"a-b\"\n  }\n}"
	plainText  = "{\n  \"summary\": \"ü\",\n  \"show_ui\": true,\n  \"tool\": \"tomtom-routing\"\n}"
	routeDoc   = `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[4.1234567,52.0],[4.2,52.2000]]},"properties":{"sections":{}}}]}`
)

// routeOf is a Routes document with a line of n vertices that no simplification makes straight.
func routeOf(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		x := float64(i) * 0.0007
		fmt.Fprintf(&b, "[%.7f,%.7f]", 4+x, 52+0.01*math.Sin(40*x)+0.0004*math.Sin(900*x)+0.00001*float64(i*7919%97))
	}
	b.WriteString(`]},"properties":{"summary":{"lengthInMeters":1},"sections":{"leg":[{"startPointIndex":0,"endPointIndex":` + strconv.Itoa(n-1) + `}]}}}]}`)
	return b.String()
}

func TestCallWithHandle(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL)
	got := g.post(t, callOf(`"\u0061"`, "tomtom-routing", `{"show_ui":true}`),
		"Authorization", "Bearer b", "Tomtom-Maps-Backend", "tomtom-orbis-maps", "MCP-Protocol-Version", "2025-06-18",
		"User-Agent", "Claude-User", "Idempotency-Key", "once")
	res, doc := parseResult(t, resultOf(t, got))
	if string(doc) != routeDoc || res.Meta.Status != statusInline || res.Content[0].Text != plainText || res.Meta.Tool != "tomtom-routing" || !*res.Meta.ShowUI {
		t.Errorf("status %s, text %q, data %s", res.Meta.Status, res.Content[0].Text, doc)
	}
	if !bytes.HasPrefix(got.body, []byte("event: message\ndata: {\"result\":{\"content\":[")) || !bytes.HasSuffix(got.body, []byte(`},"jsonrpc":"2.0","id":"\u0061"}`+"\n\n")) {
		t.Errorf("envelope %s", got.body)
	}
	if bytes.Contains(got.body, []byte("a-b")) {
		t.Error("the handle reached the host")
	}

	in := up.requests()
	if len(in) != 2 || len(up.calls("tomtom-routing")) != 1 {
		t.Fatalf("%d requests", len(in))
	}
	if in[0].remote != in[1].remote {
		t.Errorf("call from %s, redemption from %s", in[0].remote, in[1].remote)
	}
	want := `{"jsonrpc":"2.0","id":"`
	if !strings.HasPrefix(string(in[1].body), want) || !strings.HasSuffix(string(in[1].body), `","method":"tools/call","params":{"name":"tomtom-get-viz-data","arguments":{"viz_id":"a-b"}}}`) {
		t.Errorf("redemption %s", in[1].body)
	}
	for _, name := range []string{"Authorization", "Tomtom-Api-Key", "Tomtom-Maps-Backend", "Mcp-Protocol-Version", "User-Agent", "Content-Type", "Accept"} {
		if in[1].header.Get(name) == "" || in[1].header.Get(name) != in[0].header.Get(name) {
			t.Errorf("redemption's %s: %q", name, in[1].header.Get(name))
		}
	}
	if in[0].header.Get("Idempotency-Key") != "once" || in[1].header.Get("Idempotency-Key") != "" {
		t.Error("Idempotency-Key of the call and of the redemption")
	}

	lines := g.logged.calls(t)
	if len(lines) != 1 || lines[0]["status"] != "inline" || lines[0]["source"] != "handle" || lines[0]["tool"] != "tomtom-routing" ||
		lines[0]["vertices"] != 2.0 || lines[0]["chars"] != float64(jsonspan.UTF16Len(resultOf(t, got))) {
		t.Errorf("log %v", lines)
	}
	for _, secret := range []string{"secret-key", "Bearer b", "a-b", "4.1234567", "52.2", "summary"} {
		if strings.Contains(g.logged.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// TestModernRedemption carries what the 2026-07-28 revision wants on every request.
func TestModernRedemption(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": strings.Replace(handleText, "viz_id", "dataset_id", 1), "tomtom-get-dataset": routeDoc}))
	g := newGateway(t, up.URL)
	const ours = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x", "version":"1"},"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}`
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{},"_meta":{"progressToken":5,` + ours + `}}}`
	got := g.post(t, body, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "tomtom-routing", "Mcp-Param-Region", "eu")
	if res, doc := parseResult(t, resultOf(t, got)); string(doc) != routeDoc || res.Meta.Status != statusInline {
		t.Errorf("%s", got.body)
	}
	in := up.requests()[1]
	if !strings.HasSuffix(string(in.body), `"params":{"name":"tomtom-get-dataset","arguments":{"dataset_id":"a-b"},"_meta":{`+ours+`}}}`) {
		t.Errorf("redemption %s", in.body)
	}
	if in.header.Get("Mcp-Name") != "tomtom-get-dataset" || in.header.Get("Mcp-Method") != "tools/call" || in.header.Get("Mcp-Param-Region") != "" {
		t.Errorf("headers %v", in.header)
	}
}

// TestAnswerShapes sends the same result in every framing that MCP allows.
func TestAnswerShapes(t *testing.T) {
	const id = `7`
	result := textResultOf(handleText)
	message := `{"jsonrpc":"2.0","id":7.0,"result":` + result + `,"x":1.0}`
	half := strings.Index(message, `"result"`)
	tests := []struct{ name, contentType, before, body, after string }{
		{"event", "text/event-stream", "", "event: message\ndata: " + message + "\n\n", ""},
		{"event with more fields", "text/event-stream; charset=utf-8", ": c\r\n\r\nid: 1\r\nretry: 5\r\ndata: \r\n\r\n", "id: 2\r\nevent: message\r\ndata:" + message + "\r\nx: y\r\n\r\n", ": bye\n\n"},
		{"CR alone", "text/event-stream", "", "data: " + message + "\r\r", ""},
		{"several data lines", "text/event-stream", "data: {\"method\":\"notifications/progress\"}\n\n", "data: " + message[:half] + "\nid: 3\ndata: " + message[half:] + "\n\n", ""},
		{"byte order mark", "text/event-stream", "", "\ufeffdata: " + message + "\n\n", ""},
		{"array in an event", "text/event-stream", "", "data: [ {\"method\":\"x\"} , " + message + "]\n\n", ""},
		{"JSON", "application/json", "", message, ""},
		{"JSON array", "application/json; charset=utf-8", "", " [" + message + "]\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
				if in.message.name != "tomtom-routing" {
					answerEvent(w, in, textResultOf(routeDoc))
					return
				}
				w.Header().Set("Content-Type", tt.contentType)
				w.Header().Set("ETag", `"x"`)
				_, _ = io.WriteString(w, tt.before+tt.body+tt.after)
			})
			g := newGateway(t, up.URL)
			got := g.post(t, callOf(id, "tomtom-routing", `{}`))
			if got.header.Get("ETag") != "" || got.header.Get("Content-Type") != tt.contentType {
				t.Errorf("headers %v", got.header)
			}
			// What the result has become is checked elsewhere: put the old one back, and all must be as it was.
			start := bytes.Index(got.body, []byte(`{"content":`))
			root := start
			for end := start + 1; end <= len(got.body); end++ {
				if _, err := jsonspan.Scan(got.body[start:end]); err == nil {
					root = end
					break
				}
			}
			res, doc := parseResult(t, got.body[start:root])
			if string(doc) != routeDoc || res.Content[0].Text != plainText {
				t.Errorf("result %s", got.body[start:root])
			}
			restored := string(got.body[:start]) + result + string(got.body[root:])
			want := tt.before + tt.body + tt.after
			if tt.name == "several data lines" { // become one, where the first was
				want = tt.before + "data: " + message[:half] + "\ndata: " + message[half:] + "\nid: 3\n\n"
			}
			if restored != want {
				t.Errorf("\n got %q\nwant %q", restored, want)
			}
			if in := up.requests(); len(in) != 2 || in[0].remote != in[1].remote {
				t.Errorf("%d requests, remotes differ", len(in))
			}
		})
	}
}

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

// TestStreamThatDoesNotEnd: the response is delivered all the same, and what comes behind it too.
func TestStreamThatDoesNotEnd(t *testing.T) {
	release := make(chan struct{})
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.name != "tomtom-routing" {
			answerEvent(w, in, textResultOf(routeDoc))
			return
		}
		answerEvent(w, in, textResultOf(handleText))
		_, _ = io.WriteString(w, ": one\n\n")
		flusher(w)()
		<-release
		_, _ = io.WriteString(w, ": two\n\n")
	})
	g := newGateway(t, up.URL)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.server.URL+"/mcp", strings.NewReader(callOf("1", "tomtom-routing", `{}`)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := g.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBody(resp)
	events := newEventReader(resp.Body, 1<<20, nil)
	ev, err := events.next()
	if err != nil {
		t.Fatal(err)
	}
	if _, doc := parseResult(t, resultOf(t, answer{header: resp.Header, body: ev.raw})); string(doc) != routeDoc {
		t.Errorf("event %s", ev.raw)
	}
	for i, want := range []string{": one\n\n", ": two\n\n"} {
		ev, err := events.next()
		if err != nil || string(ev.raw) != want {
			t.Errorf("%q, %v", ev.raw, err)
		}
		if i == 0 {
			close(release)
		}
	}
	if in := up.requests(); len(in) != 2 || in[0].remote == in[1].remote {
		t.Errorf("%d requests", len(in))
	}
}

func TestBatchOfCalls(t *testing.T) {
	texts := map[string]string{"tomtom-routing": handleText, "tomtom-ev-routing": strings.ReplaceAll(handleText, "a-b", "c-d"), "tomtom-traffic": `{"_meta":{"show_ui":true}}`}
	for _, framing := range []string{"events", "array"} {
		t.Run(framing, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
				messages, batch, _ := scanMessages(in.body)
				if !batch {
					answerEvent(w, in, textResultOf(strings.Replace(routeDoc, "FeatureCollection", string(in.message.raw(in.message.args))[11:14], 1)))
					return
				}
				var all [][]byte
				w.Header().Set("Content-Type", "text/event-stream")
				if framing == "array" {
					w.Header().Set("Content-Type", "application/json")
				}
				for _, m := range slices.Backward(messages) {
					response := resultResponse(m.raw(m.id), []byte(textResultOf(texts[m.name])))
					if m.name == "" {
						response = []byte(`{"jsonrpc":"2.0","id":9,"result":{ }}`)
					}
					all = append(all, response)
					if framing == "events" {
						_, _ = w.Write(appendEvent(nil, response))
						flusher(w)()
					}
				}
				if framing == "array" {
					_, _ = w.Write(joinArray(all))
				}
			})
			g := newGateway(t, up.URL)
			got := g.post(t, `[`+callOf("1", "tomtom-routing", "{}")+`,`+callOf(`"2"`, "tomtom-ev-routing", "{}")+`,`+callOf("3", "tomtom-traffic", "{}")+
				`,`+callOf("4", "tomtom-get-viz-data", `{"viz_id":"a-b"}`)+`,`+`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"`+testWidget.URI+`"}},{"jsonrpc":"2.0","id":9,"method":"ping"}]`)
			answers := map[string]message{}
			collect := func(data []byte) {
				messages, _, err := scanMessages(data)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range messages {
					answers[string(m.raw(m.id))] = m
				}
			}
			if framing == "array" {
				collect(got.body)
			} else {
				events := newEventReader(bytes.NewReader(got.body), 1<<20, nil)
				for {
					ev, err := events.next()
					if err != nil {
						break
					}
					collect(bytes.Clone(ev.data()))
				}
			}
			for id, want := range map[string]string{"1": "a-b", `"2"`: "c-d"} {
				m := answers[id]
				_, doc := parseResult(t, m.raw(m.result))
				if !strings.Contains(string(doc), want) {
					t.Errorf("id %s has data %q", id, doc)
				}
			}
			three, five := answers["3"], answers["5"]
			if res, _ := parseResult(t, three.raw(three.result)); res.Meta.Status != statusNone || res.Content[0].Text != `{"show_ui":true}` {
				t.Errorf("traffic: %+v", res)
			}
			if four := answers["4"]; four.result.Len() != 0 || !bytes.Contains(four.raw(four.span), []byte("-32602")) {
				t.Error("a cache tool was not refused")
			}
			if !bytes.Contains(five.raw(five.result), []byte(testWidget.URI)) {
				t.Error("no widget")
			}
			if nine := answers["9"]; string(nine.raw(nine.span)) != `{"jsonrpc":"2.0","id":9,"result":{ }}` {
				t.Error("a message that is not owned changed")
			}
			in := up.requests()
			if len(in) != 3 || in[0].remote != in[1].remote || in[1].remote != in[2].remote {
				t.Errorf("%d requests", len(in))
			}
			if bytes.Contains(in[0].body, []byte("get-viz-data")) || bytes.Contains(in[0].body, []byte("resources/read")) {
				t.Errorf("upstream got %s", in[0].body)
			}
		})
	}
}

// TestBatchAnsweredHere needs no upstream.
func TestBatchAnsweredHere(t *testing.T) {
	up := newUpstreamServer(t, nil)
	g := newGateway(t, up.URL)
	read := `{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"` + testWidget.URI + `"}}`
	for name, tt := range map[string]struct{ body, accept, prefix string }{
		"single":      {read, "application/json, text/event-stream", `{"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":`},
		"batch":       {"[" + read + "]", "*/*", `[{"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":`},
		"events only": {read, "text/event-stream", "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":"},
	} {
		t.Run(name, func(t *testing.T) {
			got := g.post(t, tt.body, "Accept", tt.accept)
			if got.status != 200 || !bytes.HasPrefix(got.body, []byte(tt.prefix)) {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	if len(up.requests()) != 0 {
		t.Error("the upstream was asked")
	}
}

// TestUpstreamBreaksOff ends the stream with an error for whoever waits; before the head, with a status.
func TestUpstreamBreaksOff(t *testing.T) {
	tests := []struct {
		name, written string
		status        int
		want          string
	}{
		{"before the head", "", 502, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,`},
		{"in an event", "data: {\"method\":\"notifications/progress\"}\n\ndata: {\"jso", 200, "data: {\"method\":\"notifications/progress\"}\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"},
		{"in a body", "{", 502, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) {
				w.Header().Set("Content-Type", "text/event-stream")
				if tt.written == "{" {
					w.Header().Set("Content-Type", "application/json")
				}
				if tt.written != "" {
					_, _ = io.WriteString(w, tt.written)
					flusher(w)()
				}
				dropConnection(w)
			})
			g := newGateway(t, up.URL)
			got := g.post(t, callOf("1", "tomtom-routing", `{}`))
			if got.status != tt.status || !strings.HasPrefix(string(got.body), tt.want) {
				t.Errorf("%d %q", got.status, got.body)
			}
			if n := len(up.requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
			if lines := g.logged.calls(t); len(lines) != 1 || lines[0]["status"] != statusFailed || lines[0]["reason"] != "unreachable" {
				t.Errorf("log %v", lines)
			}
		})
	}
}

// TestPassedStreamBreaksOff must not look complete to the host.
func TestPassedStreamBreaksOff(t *testing.T) {
	for _, coding := range []string{"identity", "gzip"} {
		t.Run(coding, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, ": x\n\n")
				flusher(w)()
				dropConnection(w)
			})
			g := newGateway(t, up.URL)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.server.URL+"/mcp", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", coding)
			resp, err := g.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer closeBody(resp)
			if _, err := io.ReadAll(resp.Body); err == nil {
				t.Error("the answer looks complete")
			}
		})
	}
}

func TestUntrimmedText(t *testing.T) {
	untrimmed := "{\n  \"type\": \"FeatureCollection\",\n  \"features\": [\n    {\n      \"geometry\": {\n        \"type\": \"LineString\",\n        \"coordinates\": [[1.50, 2], [3, 4]]\n      },\n      \"properties\": {\n        \"summary\": 1e0,\n        \"progress\": []\n      }\n    }\n  ]\n}"
	compact := "{\n  \"type\": \"FeatureCollection\",\n  \"features\": [\n    {\n      \"geometry\": {\n        \"type\": \"LineString\"\n      },\n      \"properties\": {\n        \"summary\": 1e0\n      }\n    }\n  ],\n  \"show_ui\": true,\n  \"tool\": \"tomtom-routing\"\n}"
	whole := strings.TrimSuffix(untrimmed, "\n}") + ",\n  \"show_ui\": true,\n  \"tool\": \"tomtom-routing\"\n}"
	for name, tt := range map[string]struct{ args, status, text, doc string }{
		"moved":         {`{}`, statusInline, compact, untrimmed},
		"full":          {`{"response_detail":"full"}`, statusText, whole, ""},
		"not drawn":     {`{"show_ui":false}`, statusNone, strings.TrimSuffix(untrimmed, "\n}") + ",\n  \"show_ui\": false\n}", ""},
		"compact asked": {`{"response_detail":"compact"}`, statusInline, compact, untrimmed},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": untrimmed}))
			g := newGateway(t, up.URL, func(o *Options) { o.Text = TextKeep })
			res, doc := parseResult(t, g.call(t, "tomtom-routing", tt.args))
			if res.Meta.Status != tt.status || res.Content[0].Text != tt.text || string(doc) != tt.doc {
				t.Errorf("status %s\n text %q\n want %q\n data %q", res.Meta.Status, res.Content[0].Text, tt.text, doc)
			}
			if n := len(up.requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	long := func(n int) string {
		return `{"a":"` + strings.Repeat("ü", n) + `","_meta":{"show_ui":true,"viz_id":"x"}}`
	}
	pretty := "{\n" + strings.Repeat("        \n", 3000) + "  \"_meta\": {\n    \"show_ui\": true,\n    \"viz_id\": \"x\"\n  }\n}"
	image := func(n int) string {
		return `{"content":[{"type":"image","data":"` + strings.Repeat("A", n) + `","mimeType":"image/png"},` + textResultOf(handleText)[len(`{"content":[`):]
	}
	tests := []struct {
		name   string
		result string
		doc    string
		set    func(*Options)
		status string
		reason string
	}{
		{"fits", textResultOf(long(10)), routeOf(2000), nil, statusInline, ""},
		{"does not fit exactly", textResultOf(long(10)), routeOf(40_000), nil, statusFitted, ""},
		{"text takes the room", textResultOf(long(119_800)), routeOf(2000), nil, statusTooLarge, "text"},
		{"text above the limit", textResultOf(long(200_000)), routeOf(2000), nil, statusTooLarge, "text"},
		{"largest error", textResultOf(long(10)), routeOf(20_000), func(o *Options) { o.MaxErrorM, o.LimitChars = 0.8, 20_000 }, statusTooLarge, "data"},
		{"largest error of the tool", textResultOf(long(10)), routeOf(20_000), func(o *Options) {
			o.LimitChars, o.ToolMaxErrorM = 20_000, map[string]float64{"tomtom-routing": 0.8}
		}, statusTooLarge, "data"},
		{"limit of the tool", textResultOf(long(10)), routeOf(2000), func(o *Options) { o.ToolLimitChars = map[string]int{"tomtom-routing": 9_000} }, statusFitted, ""},
		{"minified for room", textResultOf(pretty), routeOf(2000), func(o *Options) { o.LimitChars = 40_000 }, statusInline, ""},
		{"an image counts apart", image(500_000), routeOf(2000), nil, statusInline, ""},
		{"the second limit", image(999_900), routeOf(2000), nil, statusTooLarge, "media"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
				if in.message.name == "tomtom-routing" {
					answerEvent(w, in, tt.result)
					return
				}
				answerEvent(w, in, textResultOf(tt.doc))
			})
			options := func(o *Options) {
				if tt.set != nil {
					tt.set(o)
				}
			}
			g := newGateway(t, up.URL, options)
			raw := g.call(t, "tomtom-routing", `{}`)
			res, doc := parseResult(t, raw)
			if res.Meta.Status != tt.status {
				t.Fatalf("status %s, log %v", res.Meta.Status, g.logged.calls(t))
			}
			line := g.logged.calls(t)[0]
			if line["reason"] != tt.reason {
				t.Errorf("reason %v", line["reason"])
			}
			limit := g.limitChars(mustPolicy(t, "tomtom-routing"))
			chars := jsonspan.UTF16Len(raw)
			if strings.Contains(tt.name, "image") {
				chars -= 500_000
			}
			if tt.status != statusTooLarge && chars >= limit {
				t.Errorf("%d characters of %d", chars, limit)
			}
			switch tt.status {
			case statusInline:
				if string(doc) != tt.doc {
					t.Error("the data is not exact")
				}
				if res.Meta.Simplification != nil {
					t.Error("says it was simplified")
				}
			case statusFitted:
				if s := res.Meta.Simplification; s == nil || s.Points >= s.OriginalPoints || s.Shed == nil || s.MaxErrorM <= 0 {
					t.Errorf("simplification %+v", s)
				}
				if float64(chars) < 0.9*float64(limit) {
					t.Errorf("%d characters of %d: more would fit", chars, limit)
				}
			}
			if tt.name == "minified for room" && !strings.Contains(string(raw), `"text":"{\"show_ui\":true,\"tool\":\"tomtom-routing\"}"`) {
				t.Errorf("not minified: %.200s", raw)
			}
		})
	}
}

// TestExactUpToTheLastCharacter: a document that leaves the result one below the limit is inline, though a fitted one
// would need room for com.tomtom/simplification too.
func TestExactUpToTheLastCharacter(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeOf(2000)}))
	whole := jsonspan.UTF16Len(newGateway(t, up.URL).call(t, "tomtom-routing", `{}`))
	for limit, want := range map[int]string{whole + 1: statusInline, whole: statusFitted} {
		g := newGateway(t, up.URL, func(o *Options) { o.LimitChars, o.Text = limit, TextKeep })
		raw := g.call(t, "tomtom-routing", `{}`)
		if res, _ := parseResult(t, raw); res.Meta.Status != want || jsonspan.UTF16Len(raw) >= limit {
			t.Errorf("limit %d: status %s, %d characters", limit, res.Meta.Status, jsonspan.UTF16Len(raw))
		}
	}
}

func TestTextModes(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	minified := `{"summary":"ü","show_ui":true,"tool":"tomtom-routing"}`
	for mode, want := range map[TextMode]string{TextKeep: plainText, TextMinify: minified, TextAuto: plainText} {
		g := newGateway(t, up.URL, func(o *Options) { o.Text = mode })
		if res, _ := parseResult(t, g.call(t, "tomtom-routing", `{}`)); res.Content[0].Text != want {
			t.Errorf("%s: %q", mode, res.Content[0].Text)
		}
	}
}

func TestDataVizIsExactOrFetched(t *testing.T) {
	text := `{"summary":1,"_meta":{"show_ui":true,"viz_id":"x"}}`
	small := `{"geojson":{"type":"FeatureCollection","features":[]},"apiKey":"theirs"}`
	for doc, want := range map[string]string{small: statusInline, routeOf(40_000): statusFetch} {
		up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-data-viz": text, "tomtom-get-viz-data": doc}))
		g := newGateway(t, up.URL)
		res, got := parseResult(t, g.call(t, "tomtom-data-viz", `{"show_ui":true}`))
		if res.Meta.Status != want || want == statusInline && string(got) != doc || !strings.Contains(res.Content[0].Text, `"tool":"tomtom-data-viz"`) {
			t.Errorf("status %s, text %s", res.Meta.Status, res.Content[0].Text)
		}
	}
}

func TestKeysGoFromAppData(t *testing.T) {
	doc := `{"type":"FeatureCollection","features":[{"properties":{"apiKey":"secret","budget":1}}]}`
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-reachable-range": handleText, "tomtom-get-viz-data": doc}))
	g := newGateway(t, up.URL)
	res, got := parseResult(t, g.call(t, "tomtom-reachable-range", `{}`))
	if res.Meta.Status != statusInline || string(got) != strings.Replace(doc, `"apiKey":"secret",`, "", 1) {
		t.Errorf("status %s, data %s", res.Meta.Status, got)
	}
}

// TestAnswerTooLarge passes unaltered, and the log says why.
func TestAnswerTooLarge(t *testing.T) {
	text := `{"a":"` + strings.Repeat("x", 100_000) + `","_meta":{"show_ui":true,"viz_id":"x"}}`
	for _, framing := range []string{"events", "JSON"} {
		for _, limits := range []struct {
			response, buffered int64
			reason             string
		}{{50_000, 1 << 20, "answer too large"}, {1 << 20, 50_000, "no room to hold the answer"}} {
			t.Run(framing+" "+limits.reason, func(t *testing.T) {
				var want string
				up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) {
					if framing == "events" {
						want = ": before\n\n" + eventOf("1", textResultOf(text)) + ": behind\n\n"
						w.Header().Set("Content-Type", "text/event-stream")
					} else {
						want = string(resultResponse([]byte("1"), []byte(textResultOf(text))))
						w.Header().Set("Content-Type", "application/json")
					}
					_, _ = io.WriteString(w, want)
				})
				g := newGateway(t, up.URL, func(o *Options) { o.MaxResponseBytes, o.MaxBufferedBytes = limits.response, limits.buffered })
				got := g.post(t, callOf("1", "tomtom-routing", `{}`))
				if string(got.body) != want {
					t.Errorf("the answer changed: %.100q … %d of %d bytes", got.body, len(got.body), len(want))
				}
				lines := g.logged.calls(t)
				if len(lines) != 1 || lines[0]["reason"] != limits.reason || lines[0]["status"] != statusUnavailable {
					t.Errorf("log %v", lines)
				}
				if held := g.room.held.Load(); held != 0 {
					t.Errorf("%d bytes still held", held)
				}
			})
		}
	}
}

// TestNoSlot: without a slot for fitting the result goes out without app data, and nothing is redeemed.
func TestNoSlot(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL)
	g.room.wait = time.Millisecond
	for g.room.slots.TryAcquire(1) {
	}
	res, _ := parseResult(t, g.call(t, "tomtom-routing", `{}`))
	if res.Meta.Status != statusUnavailable || res.Content[0].Text != plainText {
		t.Errorf("status %s", res.Meta.Status)
	}
	if lines := g.logged.calls(t); len(lines) != 1 || lines[0]["reason"] != "busy" {
		t.Errorf("log %v", lines)
	}
	if n := len(up.calls("tomtom-get-viz-data")); n != 0 {
		t.Errorf("%d redemptions", n)
	}
}

// TestClientWithoutAppsIsNotRedeemedFor goes over the wire.
func TestClientWithoutAppsIsNotRedeemedFor(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText}))
	g := newGateway(t, up.URL, func(o *Options) { o.Apps = AppsNever })
	if got := string(g.call(t, "tomtom-routing", `{}`)); got != textResultOf("{\n  \"summary\": \"ü\"\n}") {
		t.Errorf("%s", got)
	}
	if n := len(up.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestListsAndInitializeAreEdited(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		switch in.message.method {
		case methodListTools:
			answerEvent(w, in, `{"tools":[{"name":"tomtom-routing","inputSchema":{"type":"object"},"_meta":{"ui":{"resourceUri":"ui://x"}}}]}`)
		case methodListResources:
			answerEvent(w, in, `{"resources":[]}`)
		case methodInitialize:
			answerEvent(w, in, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x"}}`)
		}
	})
	g := newGateway(t, up.URL)
	for _, tt := range []struct{ request, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `"openai/outputTemplate":"` + testWidget.URI + `"`},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, `"uri":"` + testWidget.URI + `"`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},"clientInfo":{"name":"c"}}}`, `"extensions":{"io.modelcontextprotocol/ui":{}}`},
	} {
		got := g.post(t, tt.request)
		if !bytes.Contains(got.body, []byte(tt.want)) || !bytes.HasSuffix(got.body, []byte(",\"jsonrpc\":\"2.0\",\"id\":1}\n\n")) {
			t.Errorf("%s", got.body)
		}
		if id := got.header.Get("Mcp-Session-Id"); strings.Contains(tt.request, "initialize") != (id != "") {
			t.Errorf("session id %q", id)
		} else if id != "" {
			g.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id", id)
			if sent := up.requests()[len(up.requests())-1].header.Get("Mcp-Session-Id"); sent != "" {
				t.Errorf("upstream got the session id %q", sent)
			}
			before := len(up.requests())
			if got := g.do(t, http.MethodDelete, "/mcp", mcpHeader("Mcp-Session-Id", id), nil); got.status != http.StatusNoContent || len(up.requests()) != before {
				t.Errorf("DELETE: %d", got.status)
			}
		}
	}
}

// TestOldIDsMatch: responses are matched to requests by the value of their id.
func TestIDsMatchByValue(t *testing.T) {
	for request, response := range map[string]string{
		`1`: `1`, `1.0`: `1`, `1e2`: `100`, `"\u0061"`: `"a"`, `12345678901234567890`: `12345678901234567000`, `null`: `null`, `"1"`: `"1"`, `-0.50`: `-0.5`, `[1]`: `[1]`,
	} {
		up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
			if in.message.name == "tomtom-routing" {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, eventOf(`"1 no"`, `{}`)+eventOf(response, textResultOf(handleText)))
				return
			}
			answerEvent(w, in, textResultOf(routeDoc))
		})
		g := newGateway(t, up.URL)
		got := g.post(t, callOf(request, "tomtom-routing", `{}`))
		if _, doc := parseResult(t, resultOf(t, got)); string(doc) != routeDoc || !bytes.HasPrefix(got.body, []byte(eventOf(`"1 no"`, `{}`))) {
			t.Errorf("id %s: %s", request, got.body)
		}
	}
}

func TestJSONAnswerHasItsLength(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		w.Header().Set("Content-Type", "application/json")
		if in.message.name == "tomtom-routing" {
			_, _ = w.Write(resultResponse([]byte("1"), []byte(textResultOf(handleText))))
			return
		}
		_, _ = w.Write(resultResponse(in.message.raw(in.message.id), []byte(textResultOf(routeDoc))))
	})
	g := newGateway(t, up.URL)
	got := g.post(t, callOf("1", "tomtom-routing", `{}`))
	if !json.Valid(got.body) || got.header.Get("Content-Length") != strconv.Itoa(len(got.body)) {
		t.Errorf("length %s of %d", got.header.Get("Content-Length"), len(got.body))
	}
}
