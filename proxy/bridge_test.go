package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// fakeInfo is how the fake upstream calls itself.
const fakeInfo = `"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}`

// jsonAnswer answers a request with a JSON body.
func jsonAnswer(w http.ResponseWriter, in received, status int, member string) {
	writeJSON(w, status, []byte(`{"jsonrpc":"2.0","id":`+string(in.message.raw(in.message.id))+`,`+member+`}`))
}

// TestModernHostLegacyUpstream: what a legacy upstream gets of a modern request, and what the host gets of its answer.
// Every byte that the gateway does not own stays.
func TestModernHostLegacyUpstream(t *testing.T) {
	const (
		complete = `"resultType":"complete",`
		cached   = complete + `"ttlMs":0,"cacheScope":"private",`
	)
	for name, tt := range map[string]struct {
		request, sent  string // the host's, and what of it goes upstream
		answer, result string // the members of the upstream's response, and of the host's
		status         int
	}{
		"call of a tool without a policy": {
			request: modernRequestOf("1", "tools/call", `"name":"other","arguments":{ "n":1.50 },`),
			sent:    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{ "n":1.50 }}}`,
			answer:  `"result":{"content":[],"x":12345678901234567890}`,
			result:  `"result":{` + complete + `"content":[],"x":12345678901234567890,"_meta":{` + fakeInfo + `}}`,
		},
		"other members of _meta stay": {
			request: `{"id":"a","method":"x","params":{"_meta":{"progressToken":1.0,` + ofModernClient + `,"traceparent":"00-1" ,"io.modelcontextprotocol/logLevel":"info"},"z":[]},"jsonrpc":"2.0"}`,
			sent:    `{"id":"a","method":"x","params":{"_meta":{"progressToken":1.0,"traceparent":"00-1"},"z":[]},"jsonrpc":"2.0"}`,
			answer:  `"result":{ "_meta": {"a":1} }`,
			result:  `"result":{` + complete + ` "_meta": {"a":1,` + fakeInfo + `} }`,
		},
		"empty result": {
			request: modernRequestOf("1", "completion/complete", ""),
			sent:    `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`,
			answer:  `"result":{}`,
			result:  `"result":{` + complete + `"_meta":{` + fakeInfo + `}}`,
		},
		"a type, a time and a server that are there already": {
			request: modernRequestOf("1", "prompts/list", ""),
			sent:    `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{}}`,
			answer:  `"result":{"prompts":[],"ttlMs":7,"resultType":"complete","cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"y"}}}`,
			result:  `"result":{"prompts":[],"ttlMs":7,"resultType":"complete","cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"y"}}}`,
		},
		"list of prompts": {
			request: modernRequestOf("1", "prompts/list", `"cursor":"c",`),
			sent:    `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"c"}}`,
			answer:  `"result":{"prompts":[ ]}`,
			result:  `"result":{` + cached + `"prompts":[ ],"_meta":{` + fakeInfo + `}}`,
		},
		"resource": {
			request: modernRequestOf("1", "resources/read", `"uri":"file:///ä",`),
			sent:    `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///ä"}}`,
			answer:  `"result":{"contents":[]}`,
			result:  `"result":{` + cached + `"contents":[],"_meta":{` + fakeInfo + `}}`,
		},
		"discovery": {
			request: modernRequestOf("9", "server/discover", ""),
			sent: `{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
				`"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},"clientInfo":{"name":"x", "version":"1"}}}`,
			answer: `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{},"extensions":{"io.modelcontextprotocol/ui":{}}},"serverInfo":{"name":"T" },"instructions":"i"}`,
			result: `"result":{` + cached + `"supportedVersions":["2026-07-28","2025-06-18"],"capabilities":{"tools":{"listChanged":true},"resources":{},"extensions":{"io.modelcontextprotocol/ui":{}}},` +
				`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"T" }},"instructions":"i"}`,
		},
		"unknown method": {
			request: modernRequestOf("1", "nope", ""), sent: `{"jsonrpc":"2.0","id":1,"method":"nope","params":{}}`,
			answer: `"error":{"code":-32601,"message":"Method not found"}`, result: `"error":{"code":-32601,"message":"Method not found"}`, status: 404,
		},
		"unknown tool as the TypeScript SDK says it": {
			request: modernRequestOf("1", "tools/call", `"name":"nobody",`),
			sent:    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nobody"}}`,
			answer:  `"result":{"content":[{"type":"text","text":"MCP error -32602: Tool nobody not found"}],"isError":true}`,
			result:  `"error":{"code":-32602,"message":"MCP error -32602: Tool nobody not found"}`,
		},
		"unknown resource under the old code": {
			request: modernRequestOf("1", "resources/read", `"uri":"file:///x",`),
			sent:    `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}`,
			answer:  `"error":{"code":-32002,"message":"Resource not found","data":{"uri":"file:///x"}}`,
			result:  `"error":{"code":-32602,"message":"Resource not found","data":{"uri":"file:///x"}}`,
		},
	} {
		for _, framing := range []string{"event", "JSON"} {
			t.Run(name+", "+framing, func(t *testing.T) {
				up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
					if framing == "JSON" {
						jsonAnswer(w, in, http.StatusOK, tt.answer)
						return
					}
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":"+string(in.message.raw(in.message.id))+","+tt.answer+"}\n\n")
				})
				g := newGateway(t, up.URL)
				got := g.postModern(t, tt.request, "Mcp-Param-Region", "eu")
				if want := max(tt.status, 200); got.status != want {
					t.Errorf("status %d, want %d", got.status, want)
				}
				data := got.body
				if strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") {
					data = lastData(t, data)
				}
				messages, _, _ := scanMessages([]byte(tt.request))
				if want := `{"jsonrpc":"2.0","id":` + string(messages[0].raw(messages[0].id)) + `,` + tt.result + `}`; string(data) != want {
					t.Errorf("host got\n%s\nwant\n%s", data, want)
				}
				in := up.requests()
				if len(in) != 1 || string(in[0].body) != tt.sent {
					t.Fatalf("%d requests upstream, the first\n%s\nwant\n%s", len(in), in[0].body, tt.sent)
				}
				for _, header := range []string{"Mcp-Method", "Mcp-Name", "Mcp-Session-Id"} {
					if value, there := in[0].header[header]; there {
						t.Errorf("%s: %s went upstream", header, value)
					}
				}
				wantVersion := "2025-11-25"
				if name == "discovery" {
					wantVersion = ""
				}
				if in[0].header.Get(headerVersion) != wantVersion || in[0].header.Get("Mcp-Param-Region") != "eu" || in[0].header.Get("Tomtom-Api-Key") != "secret-key" {
					t.Errorf("headers %v", in[0].header)
				}
			})
		}
	}
}

// TestModernResultStaysUnderTheLimit: what the modern era adds to a result counts.
func TestModernResultStaysUnderTheLimit(t *testing.T) {
	for _, limit := range []int{1600, 1700, 1800} {
		var line strings.Builder
		for i := range 400 {
			line.WriteString(",[4." + strconv.Itoa(1000000+i*7919%900000) + ",52." + strconv.Itoa(1000000+i*i%900000) + "]")
		}
		document := `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[` + line.String()[1:] + `]},"properties":{}}]}`
		up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": document}))
		g := newGateway(t, up.URL, func(o *Options) { o.LimitChars, o.MaxErrorM = limit, 1e7 })
		got := g.postModern(t, modernCallOf("1", "tomtom-routing", "{}"))
		result := resultOf(t, got)
		if n := jsonspan.UTF16Len(result); n >= limit || n < limit-200 {
			t.Errorf("%d characters, limit %d", n, limit)
		}
		if !bytes.HasPrefix(result, []byte(`{"resultType":"complete","content":[`)) || !bytes.Contains(result, []byte(fakeInfo)) || bytes.Count(result, []byte(`"_meta"`)) != 1 {
			t.Errorf("%.300s", result)
		}
		if res, doc := parseResult(t, result); res.Meta.Status != statusFitted || doc == nil {
			t.Errorf("status %s", res.Meta.Status)
		}
		if in := up.requests(); len(in) != 2 || bytes.Contains(in[1].body, []byte("_meta")) || in[1].header.Get(headerVersion) != "2025-11-25" || in[1].header.Get(headerName) != "" {
			t.Errorf("redemption %s", in[len(in)-1].body)
		}
	}
}

// TestModernOwnAnswers: what the gateway answers itself is of the host's era, too, whatever the upstream's.
func TestModernOwnAnswers(t *testing.T) {
	for name, versions := range map[string][]string{"legacy upstream": nil, "modern upstream": {modernVersion}} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
				status := http.StatusOK
				if versions != nil {
					status = http.StatusNotFound
				}
				jsonAnswer(w, in, status, `"error":{"code":-32601,"message":"no"}`)
			})
			up.versions = versions
			g := newGateway(t, up.URL)
			list := resultOf(t, g.postModern(t, modernRequestOf("1", "resources/list", "")))
			if !strings.HasPrefix(string(list), `{"resultType":"complete","ttlMs":0,"cacheScope":"private","resources":[{"uri":"ui://`) || !strings.Contains(string(list), `"_meta":{`+fakeInfo+`}}`) {
				t.Errorf("list %s", list)
			}
			read := string(resultOf(t, g.postModern(t, modernRequestOf("1", "resources/read", `"uri":"`+testWidget.URI+`",`))))
			if !strings.HasPrefix(read, `{"resultType":"complete","ttlMs":3600000,"cacheScope":"public","contents":[{"uri":`) || !strings.HasSuffix(read, `}],"_meta":{`+fakeInfo+`}}`) {
				t.Errorf("read %s", read)
			}
			old := string(resultOf(t, g.postModern(t, modernRequestOf("1", "resources/read", `"uri":"ui://tomtom-mcp-gateway/old.html",`))))
			if !strings.HasPrefix(old, `{"resultType":"complete","ttlMs":0,"cacheScope":"private",`) {
				t.Errorf("read %s", old)
			}
			status := string(resultOf(t, g.postModern(t, modernCallOf("1", "tomtom-report-app-status", `{"tool":"tomtom-routing","outcome":"drawn","source":"inline"}`))))
			if status != `{"resultType":"complete","content":[{"type":"text","text":"ok"}],"isError":false,"_meta":{`+fakeInfo+`}}` {
				t.Errorf("status %s", status)
			}
			refused := g.postModern(t, modernCallOf("1", "tomtom-get-viz-data", "{}"))
			if refused.status != 200 || !strings.Contains(string(refused.body), "-32602") {
				t.Errorf("%d %s", refused.status, refused.body)
			}
		})
	}
}

// TestModernFetch: tomtom-get-app-data, which runs a tool for the widget, in front of either upstream.
func TestModernFetch(t *testing.T) {
	for name, tt := range map[string]struct {
		versions []string
		modern   bool // the host
	}{
		"modern host, legacy upstream": {nil, true},
		"modern host, modern upstream": {[]string{modernVersion}, true},
		"legacy host, modern upstream": {[]string{modernVersion}, false},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-data-viz": handleText, "tomtom-get-viz-data": routeDoc}))
			up.versions = tt.versions
			g := newGateway(t, up.URL)
			var got answer
			if tt.modern {
				got = g.postModern(t, modernCallOf("1", "tomtom-get-app-data", `{"geojson":"{}"}`))
			} else {
				got = g.post(t, callOf("1", "tomtom-get-app-data", `{"geojson":"{}"}`))
			}
			if !strings.Contains(string(resultOf(t, got)), `{\"app_data\":\"`) {
				t.Fatalf("%s", got.body)
			}
			for _, in := range up.requests() {
				described := strings.Contains(string(in.body), metaProtocolVersion)
				if modern := tt.versions != nil; described != modern || (in.header.Get(headerName) == in.message.name) != modern || (in.header.Get(headerVersion) == modernVersion) != modern {
					t.Errorf("upstream got %s with %v", in.body, in.header)
				}
			}
		})
	}
}

// TestInputRequiredPasses: a modern upstream's question to a modern host passes as it is, and tells a legacy
// host that has declared nothing what is missing.
func TestInputRequiredPasses(t *testing.T) {
	const result = `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{ "mode":"form"}}},"requestState":"s"}`
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, result) })
	up.versions = []string{modernVersion}
	g := newGateway(t, up.URL)
	for _, tool := range []string{"tomtom-routing", "other"} {
		if got := resultOf(t, g.postModern(t, modernCallOf("1", tool, "{}"))); string(got) != result {
			t.Errorf("%s: %s", tool, got)
		}
		got := g.post(t, callOf("1", tool, "{}"))
		if data := string(lastData(t, got.body)); data != `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The MCP server asks for elicitation/create before it answers, which this host has not declared that it can give"}}` {
			t.Errorf("%s: %s", tool, data)
		}
	}
	if n := len(up.calls("tomtom-routing")) + len(up.calls("other")); n != 4 {
		t.Errorf("%d calls upstream", n)
	}
}

// TestModernHostModernUpstream: messages pass byte for byte, less what the gateway owns.
func TestModernHostModernUpstream(t *testing.T) {
	const answerText = `{ "id":1,"result":{"resultType":"x","n":1.0},"jsonrpc":"2.0"}`
	up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) { writeJSON(w, http.StatusOK, []byte(answerText)) })
	up.versions = dualEra
	g := newGateway(t, up.URL)
	for _, body := range []string{modernRequestOf("1", "x", ""), modernCallOf("1", "other", "{}")} {
		got := g.postModern(t, body, "Mcp-Param-Region", "eu")
		in := up.requests()
		last := in[len(in)-1]
		if string(got.body) != answerText || string(last.body) != body || last.header.Get(headerVersion) != modernVersion || last.header.Get("Mcp-Param-Region") != "eu" {
			t.Errorf("%s\n%s\n%v", got.body, last.body, last.header)
		}
	}
}

// TestStreamToAModernHost: of what a legacy upstream sends before its answer only that goes on which belongs there.
func TestStreamToAModernHost(t *testing.T) {
	const (
		progress = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":0.50}}\n\n"
		debug    = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"debug\"}}\n\n"
		warning  = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"warning\"}}\n\n"
		changed  = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"
		asks     = "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{}}\n\n"
	)
	refused := make(chan received, 1)
	next := make(chan string, 6)
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.method == "" {
			refused <- in
			w.WriteHeader(http.StatusAccepted)
			return
		}
		dictated(w, in, next)
	})
	g := newGateway(t, up.URL)
	for name, tt := range map[string]struct{ level, want string }{
		"no logging":       {"", progress},
		"logging":          {"info", progress + warning},
		"all of logging":   {"debug", progress + debug + warning},
		"less of logging":  {"error", progress},
		"just so much":     {"warning", progress + warning},
		"an unknown level": {"loud", ""},
	} {
		t.Run(name, func(t *testing.T) {
			level := ""
			if tt.level != "" {
				level = `"io.modelcontextprotocol/logLevel":"` + tt.level + `",`
			}
			body := strings.Replace(modernCallOf("1", "other", "{}"), `"_meta":{`, `"_meta":{`+level, 1)
			if tt.want == "" {
				if got := g.postModern(t, body); got.status != 400 || !strings.Contains(string(got.body), "-32602") {
					t.Errorf("%d %s", got.status, got.body)
				}
				return
			}
			for _, event := range []string{progress, debug, changed, warning, asks, eventOf("1", `{"content":[]}`)} {
				next <- event
			}
			done := make(chan answer)
			go func() { done <- g.postModern(t, body) }()
			in := <-refused
			if !strings.HasPrefix(string(in.body), `{"jsonrpc":"2.0","id":"q","error":{"code":-32601,`) {
				t.Errorf("the upstream's question got %s", in.body)
			}
			next <- "" // the answer has been read by now; another event keeps the stream from an end that would be a race
			close(next)
			got := <-done
			next = make(chan string, 6)
			if text := string(got.body); !strings.HasPrefix(text, tt.want+"event: message\ndata: {\"result\":{\"resultType\"") {
				t.Errorf("host got %q", text)
			}
		})
	}
}

// TestModernHostGoneCancelsLegacyCall: closing the stream cancels; to a legacy upstream that has to be said.
func TestModernHostGoneCancelsLegacyCall(t *testing.T) {
	for _, session := range []string{"", "s-1"} {
		for _, tool := range []string{"tomtom-routing", "other"} {
			t.Run(tool+session, func(t *testing.T) {
				up := newSessionUpstream(t, session)
				up.call = func(w http.ResponseWriter, in received) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "data: {\"method\":\"notifications/progress\"}\n\n")
					flusher(w)()
					<-in.r.Context().Done()
				}
				g := newGateway(t, up.URL)
				resp, leave := open(t, g, modernCallOf(`"c 1"`, tool, "{}"))
				if _, err := newEventReader(resp.Body, 1<<20, newMemory).next(); err != nil {
					t.Fatal(err)
				}
				leave()
				closeBody(resp)
				cancelled := <-up.cancelled
				if id, _ := jsonspan.Lookup(cancelled.body, cancelled.message.params, "requestId"); string(id.Of(cancelled.body)) != `"c 1"` {
					t.Errorf("cancelled %s", cancelled.body)
				}
				if cancelled.header.Get(headerSession) != session || cancelled.header.Get("Tomtom-Api-Key") != "secret-key" {
					t.Errorf("headers %v", cancelled.header)
				}
				if session != "" {
					<-up.ended
				}
				if n := len(up.calls(tool)); n != 1 {
					t.Errorf("%d calls", n)
				}
			})
		}
	}
}
