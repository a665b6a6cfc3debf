package hosts

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

const (
	vizID  = "8aebc4ba-6dcd-4516-a2d3-5cb9c3823503"
	handle = `"_meta":{"show_ui":true,"viz_id":"` + vizID + `"}`
	small  = `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[4.1,52.1],[4.2,52.2]]},"properties":{}}]}`
)

// startScript puts a gateway in front of a script.
func startScript(t *testing.T, script *testkit.Script, env ...string) (*testkit.Gateway, *testkit.Upstream) {
	t.Helper()
	up := testkit.StartUpstream(t, script)
	g := testkit.StartGateway(t, up.URL, env...)
	up.Forget()
	return g, up
}

// oneLine returns the only log line about a call of the tool, which comes when the call has ended.
func oneLine(t *testing.T, g *testkit.Gateway, tool string, before int) map[string]any {
	t.Helper()
	lines := func() []map[string]any { return g.LogLines(t, map[string]any{"tool": tool}) }
	testkit.Eventually(t, "the log line", func() bool { return len(lines()) > before })
	if n := len(lines()) - before; n != 1 {
		t.Errorf("%d log lines about one call:\n%s", n, g.LogText())
	}
	return lines()[before]
}

// TestUnusableTexts: whatever the text is, it arrives as the upstream sent it, less the handle.
func TestUnusableTexts(t *testing.T) {
	script := testkit.NewScript().Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(small)))
	g, up := startScript(t, script)
	for name, c := range map[string]struct {
		result, text string // text: what the host's first text must be; "" as sent
		// What the log line says. The result says the same status, unless it has no room for one.
		status, reason string
	}{
		"no JSON":               {testkit.TextResult("Route found: <640 km> ünï"), "", "unavailable", "text is no JSON"},
		"unparseable":           {testkit.TextResult(`{"a":1,"_meta":{"show_ui":true,`), "", "unavailable", "text is no JSON"},
		"an array":              {testkit.TextResult(`[{"a":1}]`), "", "unavailable", "text is no JSON"},
		"a string":              {testkit.TextResult(`"a"`), "", "unavailable", "text is no JSON"},
		"empty":                 {testkit.TextResult(``), "", "unavailable", "text is no JSON"},
		"text after JSON":       {testkit.TextResult(`{"a":1} and more`), "", "unavailable", "text is no JSON"},
		"1e400":                 {testkit.TextResult(`{"n":1e400,` + handle + `}`), `{"n":1e400,`, "inline", ""},
		"duplicate keys":        {testkit.TextResult(`{"a":1,"a":2,` + handle + `}`), `{"a":1,"a":2,`, "inline", ""},
		"lone surrogate":        {`{"content":[{"type":"text","text":` + `"{\"a\":\"\ud800\",` + strings.ReplaceAll(handle, `"`, `\"`) + `}"}]}`, "", "inline", ""},
		"_meta is no object":    {testkit.TextResult(`{"a":1,"_meta":7}`), "", "unavailable", "no handle"},
		"handle is no text":     {testkit.TextResult(`{"a":1,"_meta":{"show_ui":true,"viz_id":7}}`), `{"a":1,`, "unavailable", "unusable"},
		"handle is empty":       {testkit.TextResult(`{"a":1,"_meta":{"show_ui":true,"viz_id":""}}`), `{"a":1,`, "inline", ""},
		"two handles":           {testkit.TextResult(`{"a":1,"_meta":{"show_ui":true,"dataset_id":"d","viz_id":"` + vizID + `"}}`), `{"a":1,`, "inline", ""},
		"deeply nested":         {testkit.TextResult(`{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`), "", "unavailable", "text is no JSON"},
		"no content":            {`{"structuredContent":{"a":1.0}}`, "", "unavailable", "text is no JSON"},
		"content is null":       {`{"content":null}`, "", "unavailable", "text is no JSON"},
		"empty content":         {`{"content":[]}`, "", "unavailable", "text is no JSON"},
		"content of numbers":    {`{"content":[1,{"type":"text"},{"type":"text","text":7},null]}`, "", "unavailable", "text is no JSON"},
		"an empty result":       {`{}`, "", "unavailable", "text is no JSON"},
		"result is a string":    {`"x"`, "", "failed", "result is no object"},
		"an image alone":        {`{"content":[{"type":"image","data":"iVBO","mimeType":"image/png"}]}`, "", "unavailable", "text is no JSON"},
		"its own _meta":         {`{"_meta":{"com.tomtom/app-data":"theirs","x":1.0},` + testkit.TextResult(`{"a":1,` + handle + `}`)[1:], `{"a":1,`, "inline", ""},
		"_meta of a wrong type": {`{"_meta":[1],` + testkit.TextResult(`{"a":1,` + handle + `}`)[1:], `{"a":1,`, "inline", ""},
		"several texts":         {testkit.TextResult("first", `{"a":1,`+handle+`}`, `last`), "first", "inline", ""},
		"two JSON texts":        {testkit.TextResult(`{"b":2}`, `{"a":1,`+handle+`}`), `{"b":2}`, "inline", ""},
	} {
		t.Run(name, func(t *testing.T) {
			up.Forget()
			before := len(g.LogLines(t, map[string]any{"tool": "tomtom-routing"}))
			script.Tool("tomtom-routing", testkit.Event(c.result))
			a := testkit.Client{URL: g.URL}.Post(t, testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true}`))
			if a.Status != http.StatusOK {
				t.Fatalf("%d %s", a.Status, a.Text())
			}
			if strings.Contains(a.Text(), vizID) {
				t.Errorf("the handle reached the host: %.500s", a.Text())
			}
			if line := oneLine(t, g, "tomtom-routing", before); line["status"] != c.status || line["reason"] != c.reason {
				t.Errorf("the log says %v, %v", line["status"], line["reason"])
			}
			if n := up.Calls("tomtom-routing"); n != 1 {
				t.Errorf("%d calls", n)
			}
			if !strings.HasPrefix(c.result, "{") {
				if !strings.Contains(a.Text(), `"result":`+c.result) {
					t.Errorf("%s", a.Text())
				}
				return
			}
			if name == "content of numbers" {
				if !strings.Contains(a.Text(), `[1,{"type":"text"},{"type":"text","text":7},null]`) {
					t.Errorf("%s", a.Text())
				}
				return
			}
			if name == "_meta of a wrong type" {
				if !strings.Contains(a.Text(), `\"a\":1`) {
					t.Errorf("%s", a.Text())
				}
				return
			}
			got, sent := a.Result(t), testkit.ParseResult(t, []byte(c.result))
			if len(got.Content) != len(sent.Content) {
				t.Fatalf("%d items, sent %d", len(got.Content), len(sent.Content))
			}
			if got.Status(t) != c.status {
				t.Errorf("status %q, want %q", got.Status(t), c.status)
			}
			if c.text != "" && !strings.HasPrefix(got.Content[0].Text, c.text) {
				t.Errorf("text %.200q", got.Content[0].Text)
			}
			if c.text == "" && c.status != "inline" && len(sent.Content) > 0 && !strings.HasPrefix(got.Content[0].Text, strings.TrimSuffix(strings.TrimSuffix(sent.Content[0].Text, `,"_meta":7}`), "}")) {
				t.Errorf("text %.200q, sent %.200q", got.Content[0].Text, sent.Content[0].Text)
			}
			if name == "lone surrogate" && !strings.Contains(string(got.Raw), `\ud800`) {
				t.Errorf("the surrogate is lost: %s", got.Raw)
			}
		})
	}
}

// TestUnusableAppData: the text arrives with the status that says why, after one call and at most two redemptions.
func TestUnusableAppData(t *testing.T) {
	script := testkit.NewScript()
	g, up := startScript(t, script)
	text := `{"a":[1.50,"ünï"],` + handle + `}`
	for name, c := range map[string]struct {
		reply          testkit.Reply
		status, reason string
	}{
		"isError":           {testkit.Event(`{"content":[{"type":"text","text":"Visualization data not found or expired"}],"isError":true}`), "unavailable", "gone"},
		"JSON-RPC error":    {testkit.EventError(-32603, "broken"), "unavailable", "unusable"},
		"unknown tool":      {testkit.EventError(-32602, "Unknown tool"), "unavailable", "unusable"},
		"HTML":              {testkit.Plain(200, "text/html", "<html>login</html>"), "unavailable", "unusable"},
		"413":               {testkit.Plain(413, "text/html", "<pre>PayloadTooLargeError</pre>"), "unavailable", "unusable"},
		"429":               {testkit.Plain(429, "text/plain", "slow down", "Retry-After", "1"), "unavailable", "unusable"},
		"500":               {testkit.Plain(500, "text/html", "<html>"), "unavailable", "unusable"},
		"401":               {testkit.Plain(401, "application/json", `{}`), "unavailable", "unusable"},
		"reset":             {testkit.Reset, "unavailable", "not answered"},
		"no JSON":           {testkit.Event(testkit.TextResult("hello")), "unavailable", "data is no JSON"},
		"truncated JSON":    {testkit.Event(testkit.TextResult(small[:100])), "unavailable", "data is no JSON"},
		"empty text":        {testkit.Event(testkit.TextResult("")), "unavailable", "data is no JSON"},
		"no content":        {testkit.Event(`{}`), "unavailable", "unusable"},
		"an image":          {testkit.Event(`{"content":[{"type":"image","data":"iVBO","mimeType":"image/png"}]}`), "unavailable", "unusable"},
		"deeply nested":     {testkit.Event(testkit.TextResult(strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000))), "unavailable", "data is no JSON"},
		"truncated answer":  {truncated, "unavailable", "not answered"},
		"empty answer":      {testkit.Plain(200, "text/event-stream", ""), "unavailable", "unusable"},
		"another id":        {testkit.Plain(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":\"someone else's\",\"result\":"+testkit.TextResult(small)+"}\n\n"), "unavailable", "unusable"},
		"60 MB":             {testkit.Event(testkit.TextResult(`{"a":"` + strings.Repeat(noise(2<<20), 30) + `"}`)), "too_large", "data"},
		"60 MB of nonsense": {testkit.Event(testkit.TextResult(`{"a":"` + noise(2<<20) + `"}`)), "too_large", "data"},
		"above the limit":   {testkit.Event(testkit.TextResult(`{"a":"` + strings.Repeat("x", 68<<20) + `"}`)), "unavailable", "unusable"},
		"an empty document": {testkit.Event(testkit.TextResult(`{}`)), "inline", ""},
		"empty lines":       {testkit.Event(testkit.TextResult(`{"features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[]},"properties":null},{"geometry":null},7,null]}`)), "inline", ""},
	} {
		t.Run(name, func(t *testing.T) {
			up.Forget()
			before := len(g.LogLines(t, map[string]any{"tool": "tomtom-routing"}))
			script.Tool("tomtom-routing", testkit.Event(testkit.TextResult(text))).Tool("tomtom-get-viz-data", c.reply)
			r := testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", `{"show_ui":true}`)
			if r.Status(t) != c.status {
				t.Errorf("status %q, want %q", r.Status(t), c.status)
			}
			if (r.AppData(t) == nil) != (r.Status(t) != "inline" && r.Status(t) != "fitted") {
				t.Errorf("status %q, app data there: %v", r.Status(t), r.AppData(t) != nil)
			}
			testkit.SameJSON(t, "text", []byte(r.OnlyText(t)), []byte(`{"a":[1.50,"ünï"],"show_ui":true,"tool":"tomtom-routing"}`))
			if !strings.HasPrefix(r.OnlyText(t), `{"a":[1.50,"ünï"],`) {
				t.Errorf("text %s", r.OnlyText(t))
			}
			if n := up.Calls("tomtom-routing"); n != 1 {
				t.Errorf("%d calls", n)
			}
			if n := up.Calls("tomtom-get-viz-data"); n < 1 || n > 2 {
				t.Errorf("%d redemptions", n)
			}
			if line := oneLine(t, g, "tomtom-routing", before); line["status"] != c.status || line["reason"] != c.reason {
				t.Errorf("the log says %v, %v", line["status"], line["reason"])
			}
		})
	}
}

func truncated(w http.ResponseWriter, _ *http.Request, _ testkit.Message) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Content-Length", "5000")
	_, _ = io.WriteString(w, "event: message\ndata: {\"result\":{\"content\":[")
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// noise is text that no compressor makes much smaller.
func noise(n int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	b := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = digits[x>>58]
	}
	return string(b)
}

// TestHangingRedemption: given up after a while, well before the host gives up; the text arrives.
func TestHangingRedemption(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 30 s")
	}
	t.Parallel()
	script := testkit.NewScript().Tool("tomtom-routing", testkit.Event(testkit.TextResult(`{"a":1,`+handle+`}`))).
		Tool("tomtom-get-viz-data", testkit.Hang)
	g, up := startScript(t, script)
	began := time.Now()
	r := testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", `{"show_ui":true}`)
	if took := time.Since(began); took > 50*time.Second { // the contract's 30 s, on a busy machine; the call may take 120
		t.Errorf("given up after %v", took)
	}
	if r.Status(t) != "unavailable" || !strings.HasPrefix(r.OnlyText(t), `{"a":1,`) {
		t.Errorf("%s", r.Raw)
	}
	if n := up.Calls("tomtom-routing"); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestRedemptionSurvivesOneFailure: it is no billed call, and is tried again where it was not answered.
func TestRedemptionSurvivesOneFailure(t *testing.T) {
	failed := false
	script := testkit.NewScript().Tool("tomtom-routing", testkit.Event(testkit.TextResult(`{"a":1,`+handle+`}`)))
	g, up := startScript(t, script)
	script.Tool("tomtom-get-viz-data", func(w http.ResponseWriter, r *http.Request, m testkit.Message) {
		if !failed {
			failed = true
			testkit.Reset(w, r, m)
			return
		}
		testkit.Event(testkit.TextResult(small))(w, r, m)
	})
	r := testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", `{"show_ui":true}`)
	if n := up.Calls("tomtom-get-viz-data"); n != 2 || r.Status(t) != "inline" {
		t.Errorf("status %q after %d redemptions", r.Status(t), n)
	}
	if n := up.Calls("tomtom-routing"); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestTextTooLongForAnyAppData: the log says which of the two took the room.
func TestTextTooLongForAnyAppData(t *testing.T) {
	script := testkit.NewScript().Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(small)))
	g, _ := startScript(t, script)
	for name, n := range map[string]int{"just below the limit": 119_700, "above the limit": 300_000} {
		t.Run(name, func(t *testing.T) {
			before := len(g.LogLines(t, map[string]any{"tool": "tomtom-routing"}))
			text := `{"a":"` + strings.Repeat("x", n) + `",` + handle + `}`
			script.Tool("tomtom-routing", testkit.Event(testkit.TextResult(text)))
			r := testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", `{"show_ui":true}`)
			if r.Status(t) != "too_large" || r.AppData(t) != nil {
				t.Errorf("status %q", r.Status(t))
			}
			if !strings.HasPrefix(r.OnlyText(t), text[:n]) {
				t.Error("the text changed")
			}
			if line := fmt.Sprint(oneLine(t, g, "tomtom-routing", before)); !strings.Contains(line, "text") {
				t.Errorf("the log does not say that the text took the room: %s", line)
			}
		})
	}
	t.Run("data", func(t *testing.T) {
		before := len(g.LogLines(t, map[string]any{"tool": "tomtom-routing"}))
		script.Tool("tomtom-routing", testkit.Event(testkit.TextResult(`{"a":1,`+handle+`}`))).
			Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(`{"a":"`+noise(300_000)+`"}`)))
		if r := (testkit.Client{URL: g.URL}).Call(t, "tomtom-routing", `{"show_ui":true}`); r.Status(t) != "too_large" {
			t.Errorf("status %q", r.Status(t))
		}
		if line := fmt.Sprint(oneLine(t, g, "tomtom-routing", before)); !strings.Contains(line, "data") {
			t.Errorf("the log does not say that the data took the room: %s", line)
		}
	})
}

// TestLargeOwnedAnswersPass: above the response limit unaltered, and the log says so.
func TestLargeOwnedAnswersPass(t *testing.T) {
	script := testkit.NewScript()
	g, up := startScript(t, script, "GATEWAY_MAX_RESPONSE_BYTES=100000")
	text := `{"a":"` + strings.Repeat("x", 200_000) + `",` + handle + `}`
	for name, reply := range map[string]testkit.Reply{"event": testkit.Event(testkit.TextResult(text)), "JSON": testkit.JSON(testkit.TextResult(text))} {
		t.Run(name, func(t *testing.T) {
			up.Forget()
			script.Tool("tomtom-routing", reply)
			request := testkit.RawPost("/mcp", testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true}`))
			before := len(g.LogLines(t, map[string]any{"tool": "tomtom-routing"}))
			through := testkit.SendRaw(t, g.Address, request)
			if n := len(up.Exchanges()); n != 1 {
				t.Errorf("%d requests upstream", n)
			}
			direct := testkit.SendRaw(t, up.Address, request)
			testkit.SameBytes(t, "body", through.Body, direct.Body)
			if line := fmt.Sprint(oneLine(t, g, "tomtom-routing", before)); !strings.Contains(line, "unavailable") {
				t.Errorf("%s", line)
			}
		})
	}
}

// TestBufferedBytesAreBounded: a call that would need more than all may have goes out without app data, text whole.
func TestBufferedBytesAreBounded(t *testing.T) {
	script := testkit.NewScript().Tool("tomtom-routing", testkit.Event(testkit.TextResult(`{"a":1,`+handle+`}`))).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(`{"a":"`+strings.Repeat("x", 8<<20)+`"}`)))
	g, _ := startScript(t, script, "GATEWAY_MAX_BUFFERED_BYTES=1000000")
	r := testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", `{"show_ui":true}`)
	if r.Status(t) != "unavailable" || r.AppData(t) != nil || !strings.HasPrefix(r.OnlyText(t), `{"a":1,`) {
		t.Errorf("%.300s", r.Raw)
	}
	script.Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(small)))
	if r := (testkit.Client{URL: g.URL}).Call(t, "tomtom-routing", `{"show_ui":true}`); r.Status(t) != "inline" {
		t.Errorf("the room was not given back: status %q", r.Status(t))
	}
}

// TestGetAppDataRefusesOtherArguments: it runs data-viz alone, so what is no data-viz input fails there or here, and
// nothing else runs.
func TestGetAppDataRefusesOtherArguments(t *testing.T) {
	script := testkit.NewScript(testkit.ListedTool("tomtom-data-viz")).
		Tool("tomtom-data-viz", testkit.Event(`{"content":[{"type":"text","text":"MCP error -32602: Input validation error: layers"}],"isError":true}`))
	g, up := startScript(t, script)
	for name, arguments := range map[string]string{
		"of another tool": `{"locations":[[4,52],[13,52]]}`, "none": `{}`, "a tool's name": `{"tool":"tomtom-routing","arguments":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			up.Forget()
			a := testkit.Client{URL: g.URL}.Post(t, testkit.CallMessage("1", "tomtom-get-app-data", arguments))
			if !strings.Contains(a.Text(), `"isError":true`) && !strings.Contains(a.Text(), "-32602") {
				t.Errorf("%s", a.Text())
			}
			for _, e := range up.Exchanges() {
				for _, tool := range e.Tools {
					if tool != "tomtom-data-viz" {
						t.Errorf("%s ran", tool)
					}
				}
			}
		})
	}
	t.Run("without arguments", func(t *testing.T) {
		a := testkit.Client{URL: g.URL}.Post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-get-app-data"}}`)
		if !strings.Contains(a.Text(), `"isError":true`) && !strings.Contains(a.Text(), "-32602") {
			t.Errorf("%s", a.Text())
		}
	})
}
