package proxy

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

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
						_, _ = w.Write(newEvent(response))
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
				events := newEventReader(bytes.NewReader(got.body), 1<<20, newMemory)
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

// TestBatchWithOneIDTwice is refused where the gateway would have to guess whose a response is. Nothing runs.
func TestBatchWithOneIDTwice(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		w.Header().Set("Content-Type", "text/event-stream")
		messages, _, _ := scanMessages(in.body)
		for _, m := range messages {
			result := textResultOf(handleText)
			if m.name == "tomtom-get-viz-data" {
				result = textResultOf(routeDoc)
			}
			_, _ = io.WriteString(w, eventOf(string(m.raw(m.id)), result))
		}
	})
	g := newGateway(t, up.URL)
	for _, tt := range []struct {
		name, first, second, tool string
		status, sent              int
	}{
		{"equal", "1", "1", "tomtom-routing", 400, 0},
		{"the same number", "1", "1.0", "tomtom-routing", 400, 0},
		{"numbers that JavaScript cannot tell apart", "9007199254740993", "9007199254740992", "tomtom-routing", 400, 0},
		{"the same text", `"a"`, `"\u0061"`, "tomtom-routing", 400, 0},
		{"null", "null", "null", "tomtom-routing", 400, 0},
		{"a number and a text", "1", `"1"`, "tomtom-routing", 200, 3},
		{"null and a text", "null", `"null"`, "tomtom-routing", 200, 3},
		{"not far apart", "1", "1.5", "tomtom-routing", 200, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := len(up.requests())
			got := g.post(t, "["+callOf(tt.first, "tomtom-routing", "{}")+","+callOf(tt.second, tt.tool, "{}")+"]")
			if n := len(up.requests()) - before; got.status != tt.status || n != tt.sent {
				t.Fatalf("status %d, %d requests upstream: %s", got.status, n, got.body)
			}
			if bytes.Contains(got.body, []byte("a-b")) {
				t.Errorf("a handle reached the host: %s", got.body)
			}
			if tt.status == 400 && (!bytes.Contains(got.body, []byte(`"id":`+tt.first+`,"error"`)) || !bytes.Contains(got.body, []byte(`"id":`+tt.second+`,"error"`))) {
				t.Errorf("answer %s", got.body)
			}
			if tt.status == 200 && bytes.Count(got.body, []byte(`"com.tomtom/app-data":`)) != 2 {
				t.Errorf("answer %s", got.body)
			}
		})
	}
	t.Run("one of them is answered here", func(t *testing.T) {
		got := g.post(t, "["+callOf("1", "tomtom-routing", "{}")+","+callOf("1", "tomtom-get-viz-data", "{}")+"]")
		if got.status != http.StatusOK || bytes.Contains(got.body, []byte("a-b")) || !bytes.Contains(got.body, []byte(statusInline)) || !bytes.Contains(got.body, []byte(refusedTool)) {
			t.Errorf("status %d: %s", got.status, got.body)
		}
	})
	t.Run("passes where nothing is owned", func(t *testing.T) {
		body := `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`
		if got := g.post(t, body); got.status != http.StatusOK || bytes.Count(got.body, []byte(`"id":1`)) != 2 {
			t.Errorf("status %d: %s", got.status, got.body)
		}
	})
}

// TestBatchOfAThousandLists costs what a thousand lists cost: the time is that of the bytes, not of their square.
func TestBatchOfAThousandLists(t *testing.T) {
	const lists = 1000
	var doc bytes.Buffer
	results := make([]jsonspan.Span, lists)
	for i := range results {
		doc.WriteByte(" ["[min(1, max(0, 1-i))])
		results[i].Start = doc.Len()
		doc.WriteString(`{"tools":[{"name":"tomtom-routing","inputSchema":{"type":"object"}}]}`)
		results[i].End = doc.Len()
	}
	last := results[lists-1]
	bytesOf := func(span jsonspan.Span) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, report := editToolsList(doc.Bytes(), span, client{apps: true}, testWidget, false)
		runtime.ReadMemStats(&after)
		if report.tools != 1 || len(report.unserved) != 0 {
			t.Errorf("report %+v", report)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	bytesOf(results[0])
	if first, at := bytesOf(results[0]), bytesOf(last); at > 2*first+10_000 {
		t.Errorf("a list at the end of a batch takes %d bytes, one at its start %d", at, first)
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

// TestBatchPassesWhileItHolds: a result whose app data has to wait for the end of the batch holds back nothing else,
// and keeps its bytes meanwhile.
func TestBatchPassesWhileItHolds(t *testing.T) {
	next := make(chan string)
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.name == "tomtom-get-viz-data" {
			answerEvent(w, in, textResultOf(routeDoc))
			return
		}
		dictated(w, in, next)
	})
	g := newGateway(t, up.URL)
	body := `[` + callOf("1", "tomtom-routing", "{}") + `,` + callOf("2", "tomtom-traffic", "{}") + `]`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.server.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := g.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBody(resp)
	events := newEventReader(resp.Body, 1<<20, newMemory)
	read := func() string {
		ev, err := events.next()
		if err != nil {
			t.Fatal(err)
		}
		return string(ev.raw)
	}
	next <- eventOf("1", textResultOf(handleText))
	for i := range 3 {
		progress := "data: {\"method\":\"notifications/progress\",\"n\":" + strconv.Itoa(i) + ",\"x\":\"" + strings.Repeat("x", 500) + "\"}\n\n"
		next <- progress
		if got := read(); got != progress {
			t.Fatalf("got %q", got)
		}
	}
	next <- eventOf("2", textResultOf(`{"_meta":{"show_ui":false}}`))
	if got := read(); !strings.HasSuffix(got, `"id":2}`+"\n\n") {
		t.Fatalf("got %q", got)
	}
	close(next)
	if res, doc := parseResult(t, resultOf(t, answer{header: resp.Header, body: []byte(read())})); string(doc) != routeDoc || res.Content[0].Text != plainText {
		t.Errorf("text %q, data %q", res.Content[0].Text, doc)
	}
}
