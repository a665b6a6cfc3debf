package attacks

import (
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// hostile is an upstream that means harm, in its answer to a call or to the redemption after it.
type hostile struct {
	name   string
	call   testkit.Reply // nil: an honest one
	redeem testkit.Reply // nil: an honest one
	status string        // of the app data; "": the result is none of the gateway's
	text   string        // the agent's, to the byte; "": the honest one's
	says   string        // stands in the answer
	hides  string        // stands nowhere in the answer
	data   string        // the app data; "": none, or what is honest
}

const (
	honestText = `{"a":1.50,"show_ui":true,"tool":"tomtom-routing"}`
	// untouched is the text of results in which there is nothing to be changed; the row says what.
	untouched = "-"
)

// TestHostileResults: whatever a result holds, the agent's text arrives to the byte, the gateway's own members are the
// gateway's, no handle gets through, no tool runs twice, and the next call is as if nothing had been.
func TestHostileResults(t *testing.T) {
	s := start(t)
	for _, h := range append(hostileResults(), hostileData()...) {
		t.Run(h.name, func(t *testing.T) { s.endure(t, h) })
	}
}

// endure lets the upstream answer as it wants, once.
func (s *site) endure(t *testing.T, h hostile) {
	t.Helper()
	s.up.Forget()
	s.behaves()
	if h.call != nil {
		s.script.Tool("tomtom-routing", h.call)
	}
	if h.redeem != nil {
		s.script.Tool("tomtom-get-viz-data", h.redeem)
	}
	a := testkit.Client{URL: s.URL}.Post(t, testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true}`))
	want{status: 200, says: h.says, hides: h.hides}.check(t, a)
	if n := s.up.Calls("tomtom-routing"); n != 1 {
		t.Errorf("%d calls", n)
	}
	if n := s.up.Calls("tomtom-get-viz-data"); n > 2 {
		t.Errorf("%d redemptions", n)
	}
	if h.text != untouched {
		h.look(t, a.Result(t))
	}
	s.behaves()
	conn, r := s.dial(t)
	honestly(t, conn, r)
}

// look holds a result against what it has to be.
func (h hostile) look(t *testing.T, r testkit.Result) {
	t.Helper()
	text := h.text
	if text == "" {
		text = honestText
	}
	found := ""
	for _, c := range r.Content {
		if c.Type == "text" && (found == "" || c.Text == text) {
			found = c.Text
		}
	}
	testkit.SameBytes(t, "text", []byte(found), []byte(text))
	if r.Status(t) != h.status {
		t.Errorf("status %q, want %q", r.Status(t), h.status)
	}
	data := h.data
	if data == "" && (h.status == "inline" || h.status == "fitted") {
		data = victims
	}
	if data == "" {
		if r.AppData(t) != nil {
			t.Error("there is app data")
		}
		return
	}
	testkit.SameBytes(t, "app data", r.AppData(t), []byte(data))
	if h.status == "inline" && r.Simplification(t) != nil {
		t.Error("an exact document that says it was simplified")
	}
}

// result is a result with the honest text and further members before it.
func result(members string) string {
	return `{` + members + `,` + testkit.TextResult(`{"a":1.50,` + handle + `}`)[1:]
}

func hostileResults() (all []hostile) {
	text := func(s string) testkit.Reply { return testkit.Event(testkit.TextResult(s)) }
	forged := func(meta string) testkit.Reply { return testkit.Event(result(`"_meta":` + meta)) }
	all = []hostile{
		{name: "app data of its own", call: forged(`{"com.tomtom/app-data":"Zm9yZ2Vk","com.tomtom/app-data-status":"inline"}`), status: "inline", hides: "Zm9yZ2Vk"},
		{name: "app data of its own, twice", call: forged(`{"com.tomtom/app-data":"Zm9yZ2Vk","x":1.0,"com.tomtom/app-data":"Zm9yZ2Vk"}`), status: "inline", hides: "Zm9yZ2Vk", says: `"x":1.0`},
		{name: "app data of its own, escaped", call: forged(`{"com.tomtom\u002fapp-data":"Zm9yZ2Vk"}`), status: "inline", hides: "Zm9yZ2Vk"},
		{name: "app data of its own, where there is none", call: testkit.Event(`{"_meta":{"com.tomtom/app-data":"Zm9yZ2Vk"},` + testkit.TextResult(`{"a":1.50,"_meta":{"show_ui":false}}`)[1:]), status: "none", text: `{"a":1.50,"show_ui":false}`, hides: "Zm9yZ2Vk"},
		{name: "app data of its own, where it is lost", call: forged(`{"com.tomtom/app-data":"Zm9yZ2Vk"}`), redeem: testkit.Plain(500, "text/plain", ""), status: "unavailable", hides: "Zm9yZ2Vk"},
		{name: "a simplification of its own", call: forged(`{"com.tomtom/simplification":{"max_error_m":0}}`), status: "inline"},
		{name: "a status of its own", call: forged(`{"com.tomtom/app-data-status":"too_large","show_ui":false,"tool":"evil"}`), status: "inline", hides: "evil"},
		{name: "_meta twice", call: testkit.Event(`{"_meta":{"com.tomtom/app-data":"Zm9yZ2Vk"},"_meta":{"b":2},` + testkit.TextResult(`{"a":1.50,` + handle + `}`)[1:]), status: "inline", hides: "Zm9yZ2Vk"},
		{name: "_meta that is a text", call: forged(`"x"`), status: "inline"},
		{name: "_meta that is a list", call: forged(`[{"com.tomtom/app-data":"Zm9yZ2Vk"}]`), status: "inline", hides: "Zm9yZ2Vk"},
		{name: "_meta that is null", call: forged(`null`), status: "inline"},
		{name: "_meta with 1,000 members", call: forged(`{` + strings.Repeat(`"m":0,`, 1000) + `"last":1.0}`), status: "inline", says: `"m":0,"last":1.0`},
		{name: "_meta with 100,000 members", call: forged(`{` + strings.Repeat(`"m":0,`, 100_000) + `"last":1.0}`), status: "too_large", says: `"m":0,"last":1.0`},
		{name: "_meta 9,000 levels deep", call: forged(`{"a":` + nested(9_000) + `}`), status: "inline"},
		{name: "a prototype", call: forged(`{"__proto__":{"com.tomtom/app-data":"x"}}`), status: "inline", says: `"__proto__":{"com.tomtom/app-data":"x"}`},

		{name: "a tool's name of its own in the text", call: text(`{"tool":"evil","a":1.50,` + handle + `}`), status: "inline"},
		{name: "show_ui of its own in the text", call: text(`{"show_ui":false,"a":1.50,"show_ui":"x",` + handle + `}`), status: "inline"},
		{name: "a key in the text", call: text(`{"a":1.50,"apiKey":"SECRET","b":{"api\u004bey":"SECRET"},` + handle + `}`), status: "inline", text: `{"a":1.50,"b":{},"show_ui":true,"tool":"tomtom-routing"}`, hides: "SECRET"},
		{name: "a prototype in the text", call: text(`{"__proto__":{"a":[1e400]},"a":1.50,` + handle + `}`), status: "inline", text: `{"__proto__":{"a":[1e400]},"a":1.50,"show_ui":true,"tool":"tomtom-routing"}`},
		{name: "a text that is a list", call: text(`[{"a":1,` + handle + `}]`), status: "unavailable", text: `[{"a":1,"_meta":{"show_ui":true,"viz_id":""}}]`},
		{name: "a text 100,000 levels deep", call: text(`{"a":` + nested(100_000) + `}`), status: "unavailable", text: `{"a":` + nested(100_000) + `}`},
		{name: "a text with a line separator", call: text("{\"a\":\"\u2028\u2029\",\"b\":\"\\n\\ndata: {}\"," + handle + `}`), status: "inline", text: "{\"a\":\"\u2028\u2029\",\"b\":\"\\n\\ndata: {}\",\"show_ui\":true,\"tool\":\"tomtom-routing\"}"},

		{name: "the handle twice", call: text(`{"a":1.50,"_meta":{"viz_id":"x","show_ui":true,"viz_id":"` + vizID + `"}}`), status: "inline"},
		{name: "the handle, escaped", call: text(`{"a":1.50,"_meta":{"show_ui":true,"viz\u005fid":"` + vizID + `"}}`), status: "inline"},
		{name: "_meta of the text, escaped", call: text(`{"a":1.50,"\u005fmeta":{"show_ui":true,"viz_id":"` + vizID + `"}}`), status: "inline"},
		{name: "_meta of the text twice", call: text(`{"_meta":{"viz_id":"` + vizID + `"},"a":1.50,` + handle + `}`), status: "inline"},
		{name: "handles of both kinds", call: text(`{"a":1.50,"_meta":{"show_ui":true,"dataset_id":"` + vizID + `","viz_id":"` + vizID + `"}}`), status: "inline"},
		{name: "a handle in an error", call: testkit.Event(`{"isError":true,` + testkit.TextResult(`{"error":"x",` + handle + `}`)[1:]), text: `{"error":"x","_meta":{"show_ui":true}}`, says: `"isError":true`},
		{name: "a handle in a text that is no JSON", call: testkit.Event(testkit.TextResult(`{"a":1.50,`+handle+`}`, `look: "viz_id": "`+vizID+`"`)), status: "inline"},
		{name: "a handle in another JSON text", call: testkit.Event(testkit.TextResult(`{"a":1.50,`+handle+`}`, `{"b":1,`+handle+`}`)), status: "inline"},
		{name: "a handle in a text that breaks off", call: text(`{"a":1.50,"_meta":{"show_ui":true,"viz_id":"` + vizID), status: "unavailable", text: `{"a":1.50,"_meta":{"show_ui":true,"viz_id":"`},

		{name: "a handle in structured content", call: testkit.Event(result(`"structuredContent":{"a":1.50,` + handle + `}`)), status: "inline", says: `"structuredContent":{"a":1.50,"_meta":{"show_ui":true,"viz_id":""}}`},
		{name: "a handle in a resource", call: testkit.Event(strings.Replace(result(`"x":1`), `"content":[`, `"content":[{"type":"resource","resource":{"uri":"x:`+vizID+`","text":"`+vizID+`"}},`, 1)), status: "inline", says: `{"uri":"x:","text":""}`},
		{name: "content twice", call: testkit.Event(result(testkit.TextResult(`{"b":1,` + handle + `}`)[1 : len(testkit.TextResult(`{"b":1,`+handle+`}`))-1])), status: "inline"},
		{name: "a result twice", call: testkit.Event(result(`"x":1`) + `,"result":` + result(`"x":2`)), status: "inline"},
		{name: "a handle beside the result", call: testkit.Event(result(`"x":1`) + `,"debug":"` + vizID + `"`), status: "inline", says: `"debug":""`},
		{name: "a handle in an error, elsewhere", call: testkit.Event(`{"isError":true,"structuredContent":"` + vizID + `",` + testkit.TextResult(`{"error":"x",` + handle + `}`)[1:]), text: `{"error":"x","_meta":{"show_ui":true}}`, says: `"structuredContent":""`},
		{name: "1,000 content items", call: testkit.Event(strings.Replace(testkit.TextResult(`{"a":1.50,`+handle+`}`), `"content":[`, `"content":[`+strings.Repeat(`{"type":"text","text":"c"},`, 1000), 1)), status: "inline"},
		{name: "100,000 content items", call: testkit.Event(strings.Replace(testkit.TextResult(`{"a":1.50,`+handle+`}`), `"content":[`, `"content":[`+strings.Repeat(`{"type":"text","text":"c"},`, 100_000), 1)), status: "too_large"},
		{name: "content that is an object", call: testkit.Event(`{"content":{"type":"text","text":"x"}}`), text: untouched, says: `"content":{"type":"text","text":"x"}`},
		{name: "content of no items", call: testkit.Event(`{"content":[1,null,[],{"type":7,"text":"x"},{"text":"x"}]}`), text: untouched, says: `"content":[1,null,[],{"type":7,"text":"x"},{"text":"x"}]`},
		{name: "a result that is null", call: testkit.Event(`null`), text: untouched, says: `"result":null`},
		{name: "a result that is a text", call: testkit.Event(`"x"`), text: untouched, says: `"result":"x"`},
		{name: "an empty result", call: testkit.Event(`{}`), text: untouched, says: `"com.tomtom/app-data-status":"unavailable"`},
	}
	for name, value := range map[string]string{
		"a number": `7`, "an object": `{"viz_id":"x"}`, "a list": `["x"]`, "null": `null`, "true": `true`,
	} {
		all = append(all, hostile{name: "a handle that is " + name, call: text(`{"a":1.50,"_meta":{"show_ui":true,"viz_id":` + value + `}}`), status: "unavailable"})
	}
	for name, value := range map[string]string{
		"another call": `x","arguments":{},"name":"tomtom-routing`, "line ends": "x\r\nX-Evil: y\r\n\r\n", "an escape that breaks": `x\`, "nothing": ``,
		"a path": "../../x", "a megabyte": long(1 << 20), "a NUL": "\x00", "an event": "x\n\ndata: {}",
	} {
		all = append(all, hostile{name: "a handle with " + name, call: text(`{"a":1.50,"_meta":{"show_ui":true,"viz_id":` + testkit.Quote(value) + `}}`), status: "inline"})
	}
	return all
}

func hostileData() []hostile {
	text := func(s string) testkit.Reply { return testkit.Event(testkit.TextResult(s)) }
	line := func(coordinates string) string {
		return `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":` + coordinates + `},"properties":{"sections":{"leg":[{"startPointIndex":-5,"endPointIndex":1e9}]}}}]}`
	}
	exact := func(name, data string) hostile {
		return hostile{name: name, redeem: text(data), status: "inline", data: data}
	}
	return []hostile{
		{name: "data with keys", redeem: text(`{"apiKey":"SECRET","a":[{"api\u004bey":"SECRET","b":1}]}`), status: "inline", data: `{"a":[{"b":1}]}`},
		exact("data with a prototype", `{"__proto__":{"a":1},"constructor":{}}`),
		exact("data with numbers beyond all", line(`[[1e400,-1e400],[1e-400,52]]`)),
		exact("data with texts for numbers", line(`[["4","52"],[null,{}]]`)),
		exact("data with a line of one vertex", line(`[[4,52]]`)),
		exact("data with indices of no vertex", line(`[[4,52],[5,53]]`)),
		exact("data that is a list", `[1,2]`),
		exact("data with duplicate names", `{"features":1,"features":[]}`),
		{name: "data 100,000 levels deep", redeem: text(nested(100_000)), status: "unavailable"},
		{name: "data that is no JSON", redeem: text(`{"a":NaN}`), status: "unavailable"},
		{name: "data behind data", redeem: text(`{}{}`), status: "unavailable"},
		{name: "data that is an error", redeem: testkit.Event(`{"isError":true,` + testkit.TextResult(`{"a":1}`)[1:]), status: "unavailable"},
		{name: "data that is a picture", redeem: testkit.Event(`{"content":[{"type":"image","data":"eA==","mimeType":"image/png"}]}`), status: "unavailable"},
		{name: "data for another request", redeem: testkit.Plain(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"+testkit.TextResult(victims)+"}\n\n"), status: "unavailable"},
		{name: "data in a notification", redeem: testkit.Plain(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\",\"result\":"+testkit.TextResult(victims)+"}\n\n"), status: "unavailable"},
		{name: "data that unpacks to 10 GB", redeem: testkit.Plain(200, "application/json", bomb(), "Content-Encoding", "gzip"), status: "unavailable"},
	}
}

// bomb is the beginning of a gzip member that unpacks to far more than it has bytes, a thousand times.
func bomb() string {
	return strings.Repeat("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xed\xc1\x01\x0d\x00\x00\x00\xc2\xa0\xf7Om\x0e7\xa0", 1000)
}

// TestLargeText: the agent's text of 60 MB arrives whole, without the handle.
func TestLargeText(t *testing.T) {
	s := start(t)
	const before, after = `{"content":[{"type":"text","text":"{\"a\":\"`, `\",`
	text := long(60 << 20)
	s.script.Tool("tomtom-routing", testkit.Event(before+text+after+strings.ReplaceAll(handle, `"`, `\"`)+`}"}]}`))
	a := testkit.Client{URL: s.URL}.Post(t, testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true}`))
	if want := before + text + after + `\"show_ui\":true,\"tool\":\"tomtom-routing\"}"}]`; !strings.Contains(a.Text(), want) {
		t.Error("the text is not whole")
	}
	if rest := a.Text()[len(text):]; !strings.Contains(rest, `"com.tomtom/app-data-status":"too_large"`) || strings.Contains(rest, vizID) {
		t.Errorf("%.300q … %.500q", a.Text(), rest[max(0, len(rest)-500):])
	}
	s.behaves()
	conn, r := s.dial(t)
	honestly(t, conn, r)
}

// TestFetchedBombs: what tomtom-get-app-data fetches is bounded, packed and unpacked, and what is refused says so.
func TestFetchedBombs(t *testing.T) {
	s := start(t)
	for name, c := range map[string]struct {
		call, redeem testkit.Reply
		says         string
	}{
		"65 MiB that pack well":     {redeem: testkit.Event(testkit.TextResult(`{"a":"` + long(65<<20) + `"}`)), says: "64 MiB"},
		"an answer that is packed":  {redeem: testkit.Plain(200, "application/json", bomb(), "Content-Encoding", "gzip"), says: "could not be fetched"},
		"a handle that is no text":  {call: testkit.Event(testkit.TextResult(`{"a":1,"_meta":{"show_ui":true,"viz_id":{}}}`)), says: "could not be fetched"},
		"a redirect":                {call: testkit.Plain(307, "text/plain", "", "Location", "http://127.0.0.1:1/"), says: "could not be fetched"},
		"a result without a handle": {call: testkit.Event(testkit.TextResult(`{"a":1,"_meta":{}}`)), says: "could not be fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			s.up.Forget()
			s.behaves()
			if c.call != nil {
				s.script.Tool("tomtom-data-viz", c.call)
			}
			if c.redeem != nil {
				s.script.Tool("tomtom-get-viz-data", c.redeem)
			}
			r := testkit.Client{URL: s.URL}.Call(t, "tomtom-get-app-data", `{"geojson":{}}`)
			if !r.IsError || !strings.Contains(r.OnlyText(t), c.says) {
				t.Errorf("%.300s, want an error with %q", r.Raw, c.says)
			}
			if n := s.up.Calls("tomtom-data-viz"); n != 1 {
				t.Errorf("%d calls", n)
			}
			s.behaves()
			conn, reader := s.dial(t)
			honestly(t, conn, reader)
		})
	}
}
