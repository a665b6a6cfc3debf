package wire

import (
	"fmt"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

const vizID = "8aebc4ba-6dcd-4516-a2d3-5cb9c3823503"

// oddText is a text JSON whose every spelling matters: white space, escapes, numbers, order, non-ASCII, duplicates.
const oddText = "{\n  \"b\" : 1.50, \"a\":[ 1e2,\t-0, 12345678901234567890, 1e400 ],\r\n \"ünï\": \"\\u00e9\\/\\ud83d\\ude00 \\ud800 <&> 日本\",\"dup\":1,\"dup\":2"

// TestTextJSONKeepsItsBytes: the text loses _meta, gains show_ui and tool, and is otherwise what the upstream wrote.
func TestTextJSONKeepsItsBytes(t *testing.T) {
	script := routing("", routeData)
	p := start(t, script)
	metas := map[string]string{
		"last":          oddText + `,"_meta":{"show_ui":true,"viz_id":"` + vizID + `"}}`,
		"pretty":        oddText + ",\n  \"_meta\": {\n    \"show_ui\": true,\n    \"viz_id\": \"" + vizID + "\"\n  }\n}\n",
		"first":         `{"_meta":{"show_ui":true,"viz_id":"` + vizID + `"},` + oddText[1:] + `}`,
		"in the middle": oddText + `,"_meta":{"viz_id":"` + vizID + `","show_ui":true},"z":null}`,
		"twice":         oddText + `,"_meta":{"x":1},"_meta":{"viz_id":"` + vizID + `","show_ui":true}}`,
	}
	for name, text := range metas {
		t.Run(name, func(t *testing.T) {
			script.Tool("tomtom-routing", testkit.Event(testkit.TextResult(text)))
			got := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`).OnlyText(t)
			if strings.Contains(got, "viz_id") || strings.Contains(got, vizID) || strings.Contains(got, `"_meta"`) {
				t.Errorf("the text still has _meta or the handle: %s", got)
			}
			body := strings.TrimSuffix(strings.TrimPrefix(oddText, "{"), "}")
			if !strings.Contains(got, body) {
				t.Errorf("the text's bytes changed:\ngot  %q\nwant %q inside", got, body)
			}
			for _, member := range []string{`"show_ui"`, `"tool"`} {
				if strings.Count(got, member) != 1 {
					t.Errorf("%s stands %d times in %s", member, strings.Count(got, member), got)
				}
			}
			if name == "last" {
				rest := strings.TrimPrefix(got, oddText)
				testkit.SameJSON(t, "what follows", []byte("{"+strings.TrimPrefix(strings.TrimSpace(rest), ",")), []byte(`{"show_ui":true,"tool":"tomtom-routing"}`))
			}
		})
	}
}

// TestResultMeta: what stands beside the content of a successful result.
func TestResultMeta(t *testing.T) {
	script := routing(handleText, routeData)
	p := start(t, script)
	r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
	if got := r.Status(t); got != "inline" {
		t.Errorf("status %q", got)
	}
	testkit.SameBytes(t, "app data", r.AppData(t), []byte(routeData))
	if got := r.MetaString(t, "tool"); got != "tomtom-routing" {
		t.Errorf("_meta.tool %q", got)
	}
	if got := string(r.Meta["show_ui"]); got != "true" {
		t.Errorf("_meta.show_ui %s", got)
	}
	if r.Simplification(t) != nil {
		t.Error("an inline result says it was simplified")
	}
	t.Run("show_ui false", func(t *testing.T) {
		p.up.Forget()
		script.Tool("tomtom-routing", testkit.Event(testkit.TextResult(`{"a":1,"_meta":{"show_ui":false}}`)))
		r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
		if r.Status(t) != "none" || r.AppData(t) != nil || string(r.Meta["show_ui"]) != "false" || r.MetaString(t, "tool") != "tomtom-routing" {
			t.Errorf("_meta %s", r.Raw)
		}
		text := testkit.Tree(t, []byte(r.OnlyText(t))).(map[string]any)
		if text["show_ui"] != false || text["_meta"] != nil || fmt.Sprint(text["a"]) != "1" {
			t.Errorf("text %s", r.OnlyText(t))
		}
		if _, ok := text["tool"]; ok {
			t.Errorf("no app data, and tool in the text: %s", r.OnlyText(t))
		}
	})
	t.Run("the upstream's own members stay", func(t *testing.T) {
		script.Tool("tomtom-routing", testkit.Event(`{"_meta":{"theirs":1.50,"io.modelcontextprotocol/serverInfo":{"name":"x"}},"zzz":[1e2],`+testkit.TextResult(handleText)[1:]))
		r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
		for _, want := range []string{`"theirs":1.50`, `"io.modelcontextprotocol/serverInfo":{"name":"x"}`, `"zzz":[1e2]`} {
			if !strings.Contains(string(r.Raw), want) {
				t.Errorf("%s is lost in %s", want, r.Raw)
			}
		}
		if strings.Count(string(r.Raw), `"_meta"`) != 1 {
			t.Errorf("not one _meta: %s", r.Raw)
		}
		testkit.SameBytes(t, "app data", r.AppData(t), []byte(routeData))
	})
	t.Run("empty _meta", func(t *testing.T) {
		script.Tool("tomtom-routing", testkit.Event(`{"_meta":{},`+testkit.TextResult(handleText)[1:]))
		r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
		testkit.SameBytes(t, "app data", r.AppData(t), []byte(routeData))
	})
}

// TestEnvelopeKeepsItsBytes: only the result's spans change, in events and in JSON bodies, whatever stands around.
func TestEnvelopeKeepsItsBytes(t *testing.T) {
	script := routing(handleText, routeData)
	p := start(t, script)
	result := testkit.TextResult(handleText)
	for name, c := range map[string]struct{ contentType, before, after string }{
		"event":                            {"text/event-stream", "id: 7\nretry: 10\nevent: message\ndata: {\"x\": 1.0, \"result\":", ",\"jsonrpc\":\"2.0\",\"id\":1}\n\n"},
		"event after comment and progress": {"text/event-stream", ": hi\n\n" + progressEvent(3) + "data:{\"jsonrpc\":\"2.0\",\"id\":1 ,\"result\": ", " , \"y\":[1e2]}\n\n: bye\n\n"},
		"CRLF":                             {"text/event-stream", "event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":", "}\r\n\r\n"},
		"JSON":                             {"application/json", "{ \"jsonrpc\":\"2.0\",\n \"id\":1, \"u\":{\"z\":0.10},\"result\" : ", ",\"extra\":\"\\u003c\"}\n"},
		"JSON with charset":                {"application/json; charset=utf-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":", "}"},
	} {
		t.Run(name, func(t *testing.T) {
			script.Tool("tomtom-routing", testkit.Plain(200, c.contentType, c.before+result+c.after, "X-Kept", "yes"))
			a := p.client().Post(t, testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true}`))
			if a.Header.Get("Content-Type") != c.contentType || a.Header.Get("X-Kept") != "yes" {
				t.Errorf("headers %v", a.Header)
			}
			if !strings.HasPrefix(a.Text(), c.before) || !strings.HasSuffix(a.Text(), c.after) {
				t.Fatalf("the envelope changed:\ngot  %q\nwant %q … %q", a.Text(), c.before, c.after)
			}
			if c.contentType == "text/event-stream" && name != "event" {
				return // more than one message
			}
			testkit.SameBytes(t, "app data", testkit.ParseResult(t, []byte(a.Text()[len(c.before):len(a.Text())-len(c.after)])).AppData(t), []byte(routeData))
		})
	}
	t.Run("data over several lines", func(t *testing.T) {
		script.Tool("tomtom-routing", testkit.Plain(200, "text/event-stream", "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\ndata: \"result\":"+result+"\ndata: }\n\n"))
		testkit.SameBytes(t, "app data", p.client().Post(t, testkit.CallMessage("1", "tomtom-routing", `{}`)).Result(t).AppData(t), []byte(routeData))
	})
}

// TestIDsAreCopied: whatever JSON an id is, it comes back as it was written.
func TestIDsAreCopied(t *testing.T) {
	p := start(t, routing(handleText, routeData))
	for _, id := range []string{`1`, `-1.50e1`, `12345678901234567890`, `"a\u00e9\/"`, `""`} {
		a := p.client().Post(t, testkit.CallMessage(id, "tomtom-routing", `{"show_ui":true}`))
		r, ok := a.Results(t)[id]
		if !ok {
			t.Errorf("no answer to id %s: %s", id, a.Text())
			continue
		}
		if r.Status(t) != "inline" {
			t.Errorf("id %s: status %q", id, r.Status(t))
		}
	}
	for _, e := range p.up.Of("tomtom-routing") {
		if !strings.Contains(string(e.Body), `"arguments":{"show_ui":true}`) {
			t.Errorf("the call arrived as %s", e.Body)
		}
	}
}

// TestErrorResultsPass: isError passes unchanged, save a handle.
func TestErrorResultsPass(t *testing.T) {
	script := routing("", routeData)
	p := start(t, script)
	for name, result := range map[string]string{
		"JSON":           `{"isError":true,` + testkit.TextResult(`{"error":"no route","apiKey":"k","n":1.0}`)[1:],
		"plain":          `{"content":[{"type":"text","text":"MCP error -32602: bad"}],"isError":true}`,
		"with own _meta": `{"content":[],"_meta":{"a":1.0}, "isError" : true}`,
		"_meta in text":  `{"isError":true,` + testkit.TextResult(`{"error":"x","_meta":{"show_ui":true}}`)[1:],
	} {
		t.Run(name, func(t *testing.T) {
			script.Tool("tomtom-routing", testkit.Event(result))
			p.same(t, testkit.RawPost("/mcp", testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true}`)))
		})
	}
	t.Run("with a handle", func(t *testing.T) {
		p.up.Forget()
		script.Tool("tomtom-routing", testkit.Event(`{"isError":true,`+testkit.TextResult(oddText + `,"_meta":{"show_ui":true,"viz_id":"` + vizID + `"}}`)[1:]))
		r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
		if strings.Contains(string(r.Raw), vizID) || !r.IsError || !strings.HasPrefix(r.OnlyText(t), oddText) {
			t.Errorf("result %s", r.Raw)
		}
		if n := p.up.Calls("tomtom-get-viz-data"); n != 0 {
			t.Errorf("a failed call's handle was redeemed %d times", n)
		}
	})
}

// TestUnknownToolsPassUntouched: no policy, no change, even where the result looks like TomTom's.
func TestUnknownToolsPassUntouched(t *testing.T) {
	script := testkit.NewScript().Tool("someone-elses", testkit.Event(testkit.TextResult(handleText)))
	p := start(t, script)
	p.same(t, testkit.RawPost("/mcp", testkit.CallMessage("1", "someone-elses", `{"show_ui":true,"n":1.0}`)))
}

// TestSeveralContentItems: only the item that holds the JSON changes; images and other texts are copied.
func TestSeveralContentItems(t *testing.T) {
	state := `{"style":"main","view":{"center":[4.9,52.3],"zoom":7},"sources":{},"layers":[],"options":{}}`
	script := testkit.NewScript(testkit.ListedTool("tomtom-dynamic-map")).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(state)))
	p := start(t, script)
	first := `{"type":"text","text":"A map, ünï \u003c","annotations":{"priority":0.50}}`
	image := `{"type":"image","data":"` + strings.Repeat("iVBORw0K", 20000) + `","mimeType":"image/png"}`
	last := `{"type":"text","text":"{\"_meta\":{\"show_ui\":true,\"viz_id\":\"` + vizID + `\"}}"}`
	script.Tool("tomtom-dynamic-map", testkit.Event(`{"content":[`+first+`, `+image+`,`+last+`]}`))
	r := p.client().Call(t, "tomtom-dynamic-map", `{"show_ui":true}`)
	if !strings.Contains(string(r.Raw), `{"content":[`+first+`, `+image+`,`) {
		t.Error("the text or the picture changed")
	}
	if len(r.Content) != 3 {
		t.Fatalf("%d items", len(r.Content))
	}
	testkit.SameJSON(t, "the third item", []byte(r.Content[2].Text), []byte(`{"show_ui":true,"tool":"tomtom-dynamic-map"}`))
	testkit.SameBytes(t, "app data", r.AppData(t), []byte(state))
	if r.Status(t) != "inline" {
		t.Errorf("status %q: a picture counts against its own limit", r.Status(t))
	}
}

// TestBatches: every message of a batch gets its own treatment.
func TestBatches(t *testing.T) {
	script := routing(handleText, routeData)
	p := start(t, script)
	batch := `[` + testkit.CallMessage(`"a"`, "tomtom-routing", `{"show_ui":true}`) + `,{"jsonrpc":"2.0","method":"notifications/x"},` +
		testkit.CallMessage("2", "other", `{}`) + `,` + testkit.CallMessage("3", "tomtom-report-app-status", `{"tool":"tomtom-routing","outcome":"drawn","source":"inline"}`) + `]`
	script.Tool("other", testkit.Event(`{"content":[],"n":1.0}`))
	a := p.client().Post(t, batch)
	results := a.Results(t)
	if len(results) != 3 {
		t.Fatalf("%d results: %s", len(results), a.Text())
	}
	testkit.SameBytes(t, "app data", results[`"a"`].AppData(t), []byte(routeData))
	testkit.SameBytes(t, "unowned result", results["2"].Raw, []byte(`{"content":[],"n":1.0}`))
	if got := results["3"].OnlyText(t); got != "ok" {
		t.Errorf("own tool answered %q", got)
	}
	if n := p.up.Calls("tomtom-routing"); n != 1 {
		t.Errorf("%d calls", n)
	}
	if n := p.up.Calls("tomtom-report-app-status"); n != 0 {
		t.Errorf("the gateway's own tool reached the upstream")
	}
}
