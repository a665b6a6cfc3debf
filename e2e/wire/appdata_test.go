package wire

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestRedemptionUsesTheCallsConnection: so that any TCP load balancer brings it to the same pod, with the caller's
// credentials, also when calls run at the same time and connections are there to be reused.
func TestRedemptionUsesTheCallsConnection(t *testing.T) {
	p := start(t, routing(handleText, routeData))
	done := make(chan struct{})
	const callers = 8
	for range callers {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 5 {
				p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
			}
		}()
	}
	for range callers {
		testkit.Receive(t, "the callers", done)
	}
	calls, redemptions := p.up.Of("tomtom-routing"), p.up.Of("tomtom-get-viz-data")
	if len(calls) != 5*callers || len(redemptions) != 5*callers {
		t.Fatalf("%d calls, %d redemptions", len(calls), len(redemptions))
	}
	byConn := map[int]string{}
	for _, e := range p.up.Exchanges() {
		byConn[e.Conn] += e.Tools[0] + " "
	}
	for conn, tools := range byConn {
		if strings.ReplaceAll(tools, "tomtom-routing tomtom-get-viz-data ", "") != "" {
			t.Errorf("connection %d carried %s", conn, tools)
		}
	}
	for _, e := range redemptions {
		if e.Header.Get("Tomtom-Api-Key") != testkit.Key {
			t.Errorf("redeemed with key %q", e.Header.Get("Tomtom-Api-Key"))
		}
		if !strings.Contains(string(e.Body), vizID) {
			t.Errorf("redeemed by %s", e.Body)
		}
	}
}

// TestBothHandles: the older and the newer name, each with its tool.
func TestBothHandles(t *testing.T) {
	script := testkit.NewScript().
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(`{"by":"viz"}`))).
		Tool("tomtom-get-dataset", testkit.Event(testkit.TextResult(`{"by":"dataset"}`)))
	p := start(t, script)
	for member, want := range map[string]string{"viz_id": `{"by":"viz"}`, "dataset_id": `{"by":"dataset"}`} {
		script.Tool("tomtom-routing", testkit.Event(testkit.TextResult(`{"a":1,"_meta":{"show_ui":true,"`+member+`":"h-1"}}`)))
		p.up.Forget()
		r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
		testkit.SameBytes(t, member, r.AppData(t), []byte(want))
		redeemed := p.up.Exchanges()[1]
		m := testkit.ParseMessages(redeemed.Body)[0]
		testkit.SameJSON(t, "arguments", m.Params.Arguments, []byte(`{"`+member+`":"h-1"}`))
		if strings.Contains(string(r.Raw), "h-1") {
			t.Errorf("the handle reached the host: %s", r.Raw)
		}
	}
}

// TestWhoSaysShowUI: the text JSON, else the call's argument, else true.
func TestWhoSaysShowUI(t *testing.T) {
	script := routing("", routeData)
	p := start(t, script)
	handle := `"viz_id":"` + vizID + `"`
	for name, c := range map[string]struct {
		meta, arguments string
		shown           bool
	}{
		"text true over argument false":  {`{"show_ui":true,` + handle + `}`, `{"show_ui":false}`, true},
		"text false over argument true":  {`{"show_ui":false,` + handle + `}`, `{"show_ui":true}`, false},
		"argument false":                 {`{` + handle + `}`, `{"show_ui":false}`, false},
		"argument true":                  {`{` + handle + `}`, `{"show_ui":true}`, true},
		"nobody":                         {`{` + handle + `}`, `{}`, true},
		"text of a wrong type, argument": {`{"show_ui":"no",` + handle + `}`, `{"show_ui":false}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			p.up.Forget()
			script.Tool("tomtom-routing", testkit.Event(testkit.TextResult(`{"a":1,"_meta":`+c.meta+`}`)))
			r := p.client().Call(t, "tomtom-routing", c.arguments)
			if shown := r.AppData(t) != nil; shown != c.shown {
				t.Errorf("app data is there: %v; %s", shown, r.Raw)
			}
			if want := map[bool]string{true: "inline", false: "none"}[c.shown]; r.Status(t) != want {
				t.Errorf("status %q, want %q", r.Status(t), want)
			}
			if n := p.up.Calls("tomtom-get-viz-data"); n != map[bool]int{true: 1}[c.shown] {
				t.Errorf("redeemed %d times", n)
			}
			if strings.Contains(string(r.Raw), vizID) {
				t.Error("the handle reached the host")
			}
		})
	}
}

// TestUntrimmedTextMoves: an upstream without a cache gives the untrimmed response as text.
func TestUntrimmedTextMoves(t *testing.T) {
	untrimmed := `{"type":"FeatureCollection","bbox":[4.1,52.1,4.2,52.2],"features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[4.1,52.1],[4.2,52.2]]},"properties":{"index":0,"summary":{"lengthInMeters":10},"sections":{"leg":[{"startPointIndex":0,"endPointIndex":1}],"urban":[{"startPointIndex":0,"endPointIndex":1}]},"progress":[{"pointIndex":0}]}}]}`
	script := testkit.NewScript().Tool("tomtom-routing", testkit.Event(testkit.TextResult(untrimmed)))
	p := start(t, script)
	t.Run("compact", func(t *testing.T) {
		p.up.Forget()
		r := p.client().Call(t, "tomtom-routing", `{}`)
		if r.Status(t) != "inline" {
			t.Errorf("status %q", r.Status(t))
		}
		testkit.SameBytes(t, "app data", r.AppData(t), []byte(untrimmed))
		testkit.SameJSON(t, "text", []byte(r.OnlyText(t)), []byte(`{"type":"FeatureCollection","bbox":[4.1,52.1,4.2,52.2],"features":[{"type":"Feature","geometry":{"type":"LineString"},"properties":{"index":0,"summary":{"lengthInMeters":10},"sections":{"leg":[{"startPointIndex":0,"endPointIndex":1}]}}}],"show_ui":true,"tool":"tomtom-routing"}`))
		if n := len(p.up.Exchanges()); n != 1 {
			t.Errorf("%d requests upstream", n)
		}
	})
	for _, detail := range []string{"full", "geometry"} {
		t.Run(detail, func(t *testing.T) {
			r := p.client().Call(t, "tomtom-routing", `{"response_detail":"`+detail+`"}`)
			if r.Status(t) != "text" || r.AppData(t) != nil {
				t.Errorf("status %q", r.Status(t))
			}
			if got := r.OnlyText(t); !strings.HasPrefix(got, untrimmed[:len(untrimmed)-1]) {
				t.Errorf("the text changed: %s", got)
			}
			testkit.SameJSON(t, "text", []byte(r.OnlyText(t)), []byte(untrimmed[:len(untrimmed)-1]+`,"show_ui":true,"tool":"tomtom-routing"}`))
		})
	}
	t.Run("show_ui false", func(t *testing.T) {
		r := p.client().Call(t, "tomtom-routing", `{"show_ui":false}`)
		if r.AppData(t) != nil || r.Status(t) != "none" {
			t.Errorf("%s", r.Raw)
		}
	})
}

// TestGenesisResultsPass: the older back end has the same tool names and no widgets.
func TestGenesisResultsPass(t *testing.T) {
	script := testkit.NewScript()
	p := start(t, script)
	for tool, text := range map[string]string{
		"tomtom-routing":      `{"formatVersion":"0.0.12","routes":[{"summary":{"lengthInMeters":1.0},"legs":[]}]}`,
		"tomtom-fuzzy-search": `{"summary":{"query":"x"},"results":[{"type":"POI","position":{"lat":52.10,"lon":4.9}}]}`,
		"tomtom-traffic":      `{"incidents":[{"type":"Feature","properties":{"iconCategory":6}}]}`,
		"tomtom-geocode":      "{\n  \"results\": []\n}",
	} {
		t.Run(tool, func(t *testing.T) {
			script.Tool(tool, testkit.Event(testkit.TextResult(text)))
			p.same(t, testkit.RawPost("/mcp", testkit.CallMessage("1", tool, `{}`)))
		})
	}
}

// TestTrafficHasNoAppData: its widget draws live traffic; the handle, where there is one, is not redeemed.
func TestTrafficHasNoAppData(t *testing.T) {
	script := testkit.NewScript(testkit.ListedTool("tomtom-traffic")).
		Tool("tomtom-traffic", testkit.Event(testkit.TextResult(`{"incidents":[],"_meta":{"show_ui":true,"viz_id":"`+vizID+`"}}`)))
	p := start(t, script)
	r := p.client().Call(t, "tomtom-traffic", `{"show_ui":true,"bbox":[4,52,5,53]}`)
	if r.Status(t) != "none" || r.AppData(t) != nil || strings.Contains(string(r.Raw), vizID) || r.MetaString(t, "tool") != "tomtom-traffic" || string(r.Meta["show_ui"]) != "true" {
		t.Errorf("%s", r.Raw)
	}
	testkit.SameJSON(t, "text", []byte(r.OnlyText(t)), []byte(`{"incidents":[],"show_ui":true}`))
	if n := len(p.up.Exchanges()); n != 1 {
		t.Errorf("%d requests upstream", n)
	}
}

// TestAPIKeyMembersGo: from text and app data, but not from what a caller gave data-viz.
func TestAPIKeyMembersGo(t *testing.T) {
	data := `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"budget":1.50,"apiKey":"secret-1"},"geometry":{"type":"Polygon","coordinates":[[[4.10,52.1],[4.2,52.2],[4.3,52.1],[4.10,52.1]]]}}]}`
	script := testkit.NewScript(testkit.ListedTool("tomtom-reachable-range"), testkit.ListedTool("tomtom-data-viz")).
		Tool("tomtom-reachable-range", testkit.Event(testkit.TextResult(`{"apiKey":"secret-1","a":[{"apiKey":"secret-1","b":1.0}],"_meta":{"show_ui":true,"viz_id":"`+vizID+`"}}`))).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(data)))
	p := start(t, script)
	r := p.client().Call(t, "tomtom-reachable-range", `{"show_ui":true}`)
	if r.Status(t) != "inline" {
		t.Errorf("status %q", r.Status(t))
	}
	testkit.SameBytes(t, "app data", r.AppData(t), []byte(strings.Replace(data, `,"apiKey":"secret-1"`, "", 1)))
	testkit.SameJSON(t, "text", []byte(r.OnlyText(t)), []byte(`{"a":[{"b":1.0}],"show_ui":true,"tool":"tomtom-reachable-range"}`))
	t.Run("full text", func(t *testing.T) {
		script.Tool("tomtom-reachable-range", testkit.Event(testkit.TextResult(data[:len(data)-1]+`,"_meta":{"show_ui":true}}`)))
		r := p.client().Call(t, "tomtom-reachable-range", `{"show_ui":true,"response_detail":"full"}`)
		if r.Status(t) != "text" || strings.Contains(string(r.Raw), "secret-1") {
			t.Errorf("%s", r.Raw)
		}
		if !strings.HasPrefix(r.OnlyText(t), strings.TrimSuffix(strings.Replace(data, `,"apiKey":"secret-1"`, "", 1), "}")) {
			t.Errorf("text %s", r.OnlyText(t))
		}
	})
	t.Run("data-viz", func(t *testing.T) {
		given := `{"geojson":{"type":"Feature","properties":{"apiKey":"the caller's own column"},"geometry":null}}`
		script.Tool("tomtom-data-viz", testkit.Event(testkit.TextResult(handleText))).
			Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(given)))
		testkit.SameBytes(t, "app data", p.client().Call(t, "tomtom-data-viz", `{"show_ui":true}`).AppData(t), []byte(given))
	})
}

// TestDataVizIsExactOrFetched: never altered; what does not fit is fetched by the widget.
func TestDataVizIsExactOrFetched(t *testing.T) {
	script := testkit.NewScript(testkit.ListedTool("tomtom-data-viz")).
		Tool("tomtom-data-viz", testkit.Event(testkit.TextResult(handleText))).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(`{"geojson":`+wiggly(30_000)+`}`)))
	p := start(t, script)
	r := p.client().Call(t, "tomtom-data-viz", `{"show_ui":true}`)
	if r.Status(t) != "fetch" || r.AppData(t) != nil || r.Simplification(t) != nil {
		t.Errorf("status %q", r.Status(t))
	}
	testkit.SameJSON(t, "text", []byte(r.OnlyText(t)), []byte(`{"features":[],"show_ui":true,"tool":"tomtom-data-viz"}`))
}

// TestCallsNeverRunAgain: whatever fails and however the host marks its request, one call is one call.
func TestCallsNeverRunAgain(t *testing.T) {
	failures := map[string]testkit.Reply{
		"reset": testkit.Reset,
		"503":   testkit.Plain(503, "text/plain", "later", "Retry-After", "0"),
		"502":   testkit.Plain(502, "text/html", "<html>"),
		"429":   testkit.Plain(429, "text/plain", "slow", "Retry-After", "0"),
		"half an answer": func(w http.ResponseWriter, _ *http.Request, _ testkit.Message) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "event: message\ndata: {")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"307": testkit.Plain(307, "text/plain", "", "Location", "/mcp"),
	}
	script := testkit.NewScript().Tool("warm", testkit.Event(`{"content":[]}`))
	p := start(t, script)
	for name, reply := range failures {
		for _, tool := range []string{"tomtom-routing", "unknown-tool"} {
			t.Run(name+"/"+tool, func(t *testing.T) {
				script.Tool(tool, testkit.Event(`{"content":[]}`))
				for range 3 { // connections to reuse
					p.client().Call(t, tool, `{}`)
				}
				p.up.Forget()
				script.Tool(tool, reply)
				response, err := p.client().Start(t, http.MethodPost, testkit.CallMessage("1", tool, `{}`),
					map[string]string{"Idempotency-Key": "1", "X-Idempotency-Key": "1"})
				if err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
				if n := p.up.Calls(tool); n != 1 {
					t.Errorf("the call ran %d times", n)
				}
			})
		}
	}
}

// TestNothingIsKeptBetweenRequests: a second gateway that has never seen a caller serves it, and app data of one call
// is not there for another.
func TestNothingIsKeptBetweenRequests(t *testing.T) {
	script := routing(handleText, routeData)
	p := start(t, script)
	p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
	script.Tool("tomtom-get-viz-data", testkit.Event(`{"content":[{"type":"text","text":"Visualization data not found or expired"}],"isError":true}`))
	r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
	if r.Status(t) != "unavailable" || r.AppData(t) != nil {
		t.Errorf("%s", r.Raw)
	}
}
