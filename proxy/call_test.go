package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

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
	up.versions = dualEra
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
	events := newEventReader(resp.Body, 1<<20, newMemory)
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
			if got := g.do(t, http.MethodDelete, "/mcp", mcpHeader("Mcp-Session-Id", id), nil); got.status != http.StatusMethodNotAllowed || len(up.requests()) != before {
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
