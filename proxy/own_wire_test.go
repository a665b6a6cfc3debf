package proxy

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/policy"
)

// ownGateway starts a gateway in front of an upstream that answers every method as the TomTom server does. texts are
// those of its tools.
func ownGateway(t testing.TB, texts map[string]string, change ...func(*Options)) (*gateway, *fakeUpstream) {
	t.Helper()
	call := tomtom(texts)
	u := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		switch in.message.method {
		case methodInitialize:
			answerEvent(w, in, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"T"}}`)
		case methodListTools:
			answerEvent(w, in, `{"tools":[{"name":"tomtom-get-viz-data"},{"name":"tomtom-data-viz","inputSchema":{"properties":{"show_ui":{}}},"_meta":{"ui":{"resourceUri":"ui://their/own"}}}]}`)
		case methodListResources:
			answerEvent(w, in, `{"resources":[{"uri":"ui://tomtom-data-viz/byod/app.html"},{"uri":"file:///a"}]}`)
		case methodCallTool:
			call(w, in)
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	})
	return newGateway(t, u.URL, change...), u
}

func TestInitializeOverTheWire(t *testing.T) {
	g, u := ownGateway(t, nil)
	for name, capabilities := range map[string]string{"with": declares, "without": declaresNot} {
		t.Run("a client "+name, func(t *testing.T) {
			opened := g.post(t, initializeOf("x", capabilities))
			var result struct {
				Capabilities struct {
					Tools      map[string]any
					Resources  map[string]any
					Extensions map[string]any
				}
			}
			if err := json.Unmarshal(resultOf(t, opened), &result); err != nil {
				t.Fatal(err)
			}
			if c := result.Capabilities; c.Extensions[uiExtension] == nil || c.Resources == nil || c.Tools["listChanged"] != true {
				t.Errorf("capabilities %+v", c)
			}
			session := opened.header.Get(headerSession)
			list := string(resultOf(t, g.post(t, bareList, headerSession, session)))
			if got := strings.Contains(list, testWidget.URI); got != (name == "with") {
				t.Errorf("bound to the widget: %t in %s", got, list)
			}
			if got := strings.Contains(list, policy.ReportAppStatus); got != (name == "with") {
				t.Errorf("tools for apps: %t in %s", got, list)
			}
			requests := u.requests()
			if last := requests[len(requests)-1]; last.header.Get(headerSession) != "" {
				t.Errorf("the upstream got a session id that it does not know: %v", last.header)
			}
			if closed := g.do(t, http.MethodDelete, "/mcp", mcpHeader(headerSession, session), nil); closed.status != http.StatusMethodNotAllowed {
				t.Errorf("DELETE: %d", closed.status)
			}
			if len(u.requests()) != len(requests) {
				t.Error("the upstream, which has no sessions, was asked to end one")
			}
		})
	}
	t.Run("without a session", func(t *testing.T) {
		if list := string(resultOf(t, g.post(t, bareList))); !strings.Contains(list, testWidget.URI) {
			t.Errorf("a client that is not known gets no widget: %s", list)
		}
	})
}

func TestSessionOfTheUpstreamGoesThrough(t *testing.T) {
	u := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		w.Header().Set(headerSession, "theirs")
		answerEvent(w, in, `{"tools":[]}`)
	})
	g := newGateway(t, u.URL)
	session := g.post(t, initializeOf("x", declaresNot)).header.Get(headerSession)
	if claims, ok := decodeSession(session); !ok || claims.upstream != "theirs" || claims.apps != claimWithout {
		t.Fatalf("session %q", session)
	}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		got := g.do(t, method, "/mcp", mcpHeader(headerSession, session), []byte(bareList))
		requests := u.requests()
		if last := requests[len(requests)-1]; last.method != method || last.header.Get(headerSession) != "theirs" {
			t.Errorf("%s: the upstream got %s with session %q", method, last.method, last.header.Get(headerSession))
		}
		if got.header.Get(headerSession) != session {
			t.Errorf("%s: the host got session %q", method, got.header.Get(headerSession))
		}
	}
}

func TestWidgetOverTheWire(t *testing.T) {
	g, u := ownGateway(t, nil)
	list := resultOf(t, g.post(t, `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`))
	if got, want := string(list), `{"resources":[{"uri":"file:///a"},`+string(testWidgets(t).listing)+`]}`; got != want {
		t.Errorf("resources/list\n%s\nwant\n%s", got, want)
	}
	g.post(t, bareList) // from which the gateway learns the upstream's own URI
	before := len(u.requests())
	for _, uri := range []string{testWidget.URI, gatewayURIs + "map-of-another-version.html", "ui://tomtom-routing/route-planner/app.html", "ui://their/own"} {
		read := resultOf(t, g.post(t, `{"jsonrpc":"2.0","id":"r","method":"resources/read","params":{"uri":`+strconv.Quote(uri)+`}}`))
		want, _ := testWidgets(t).read(testWidget.URI)
		if got := strings.ReplaceAll(string(read), uri, testWidget.URI); got != string(want) {
			t.Errorf("%s: %s", uri, got)
		}
	}
	if len(u.requests()) != before {
		t.Error("the upstream was asked for the gateway's widget")
	}
	other := g.post(t, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a"}}`)
	if other.status != http.StatusTeapot {
		t.Errorf("another resource is not the upstream's to answer: %d", other.status)
	}
}

func TestOwnToolsOverTheWire(t *testing.T) {
	g, u := ownGateway(t, nil, func(o *Options) { o.MapKey = "map-key" })
	for name, test := range map[string]struct {
		tool, args string
		noKey      bool
		status     int
		want       string
	}{
		"the key":              {policy.GetAPIKey, `{}`, false, http.StatusOK, `"text":"map-key"`},
		"the key, without one": {policy.GetAPIKey, `{}`, true, http.StatusUnauthorized, `"code":-32001`},
		"a report":             {policy.ReportAppStatus, `{"tool":"tomtom-routing","outcome":"drawn","source":"inline"}`, false, http.StatusOK, `"text":"ok"`},
		"a bad report":         {policy.ReportAppStatus, `{"tool":"tomtom-routing","outcome":"drawn","source":"inline","x":1}`, false, http.StatusOK, `\"x\"`},
		"the cache":            {policy.GetVizData, `{"viz_id":"x"}`, false, http.StatusOK, `"code":-32602`},
		"other arguments":      {policy.GetAppData, `{"locations":[]}`, false, http.StatusOK, `data_url or geojson`},
	} {
		t.Run(name, func(t *testing.T) {
			h := mcpHeader()
			if test.noKey {
				h.Del("Tomtom-Api-Key")
			}
			got := g.do(t, http.MethodPost, "/mcp", h, []byte(callOf(`"id"`, test.tool, test.args)))
			if got.status != test.status || !bytes.Contains(got.body, []byte(test.want)) || !bytes.Contains(got.body, []byte(`"id":"id"`)) {
				t.Errorf("status %d: %s", got.status, got.body)
			}
		})
	}
	if n := len(u.requests()); n != 0 {
		t.Errorf("%d requests went upstream", n)
	}
}

func TestAppDataOverTheWire(t *testing.T) {
	const document = `{"geojson":{"type":"FeatureCollection","features":[{"x":1.0,"apiKey":"theirs","n":"Zürich \ud83d\ude00"}]},"layers":[],"bbox":[1e400]}`
	g, u := ownGateway(t, map[string]string{
		"tomtom-data-viz":     `{"feature_count":1,"_meta":{"show_ui":true,"viz_id":"h"}}`,
		"tomtom-get-viz-data": document,
	})
	raw := g.call(t, policy.GetAppData, `{"geojson":"{}","layers":[{"type":"markers"}],"show_ui":false}`)
	if got := fetchedDocument(t, raw); got != document {
		t.Errorf("got %s", got)
	}
	requests := u.requests()
	if len(requests) != 2 || len(u.calls("tomtom-data-viz")) != 1 || requests[0].remote != requests[1].remote {
		t.Fatalf("want one call and its redemption over one connection, got %d requests", len(requests))
	}
	if args := string(requests[0].message.raw(requests[0].message.args)); args != `{"geojson":"{}","layers":[{"type":"markers"}],"show_ui":true}` {
		t.Errorf("arguments %s", args)
	}
	if bytes.Contains(raw, []byte("viz_id")) {
		t.Errorf("the handle reached the host: %s", raw)
	}
}

// fetchedDocument returns what a result of tomtom-get-app-data has packed.
func fetchedDocument(t testing.TB, result json.RawMessage) string {
	t.Helper()
	text, isError := textOf(t, result)
	var got struct {
		AppData string `json:"app_data"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || isError {
		t.Fatalf("error %t: %.200s", isError, text)
	}
	document, err := fitter.Decode([]byte(got.AppData), maxAppDataBytes)
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

func TestAppDataUpstreamRefuses(t *testing.T) {
	const refusal = `{"content":[{"type":"text","text":"{\"error\":\"HTTP 404\"}"}],"isError":true,"x":1.0}`
	u := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, refusal) })
	g := newGateway(t, u.URL)
	if got := g.call(t, policy.GetAppData, `{"data_url":"https://x","layers":[]}`); string(got) != refusal {
		t.Errorf("got %s", got)
	}
	if n := len(u.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestAppDataAtItsLimit fetches GeoJSON of the most bytes that a widget unpacks, every quote of it escaped on the way,
// and of a MiB more.
func TestAppDataAtItsLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("holds some hundred MiB")
	}
	for name, size := range map[string]int{"as much as a widget unpacks": maxAppDataBytes, "a MiB more": maxAppDataBytes + 1<<20} {
		t.Run(name, func(t *testing.T) {
			document := geoJSONOf(size)
			g, u := ownGateway(t, map[string]string{"tomtom-data-viz": `{"_meta":{"show_ui":true,"viz_id":"h"}}`, "tomtom-get-viz-data": document})
			result := g.call(t, policy.GetAppData, `{"data_url":"https://x"}`)
			if n := len(u.calls("tomtom-data-viz")); n != 1 {
				t.Errorf("ran %d times", n)
			}
			if size > maxAppDataBytes {
				if text, isError := textOf(t, result); !isError || !strings.Contains(text, "64 MiB") {
					t.Errorf("error %t: %.200s", isError, text)
				}
				return
			}
			if fetchedDocument(t, result) != document {
				t.Error("the document is another")
			}
		})
	}
}

// geoJSONOf returns a document of exactly size bytes.
func geoJSONOf(size int) string {
	const feature = `{"type":"Feature","properties":{"name":"a"},"geometry":{"type":"Point","coordinates":[4.8951679,52.3702157]}},`
	document := slices.Grow([]byte(`{"features":[`), size)
	for len(document)+len(feature)+4 <= size {
		document = append(document, feature...)
	}
	document = append(document, "0]"...)
	document = append(document, bytes.Repeat([]byte{' '}, size-len(document)-1)...)
	return string(append(document, '}'))
}

func TestOriginsOverTheWire(t *testing.T) {
	g, u := ownGateway(t, nil, func(o *Options) { o.AllowedOrigins = []string{"https://chat.example"} })
	if got := g.post(t, bareList, "Origin", "https://evil.example"); got.status != http.StatusForbidden {
		t.Errorf("status %d", got.status)
	}
	preflight := g.do(t, http.MethodOptions, "/mcp", http.Header{"Origin": {"https://chat.example"}, "Access-Control-Request-Method": {"POST"}}, nil)
	if preflight.status != http.StatusNoContent || !lists(preflight.header["Access-Control-Allow-Headers"], "Mcp-Session-Id") {
		t.Errorf("status %d, %v", preflight.status, preflight.header)
	}
	if n := len(u.requests()); n != 0 {
		t.Fatalf("%d requests went upstream", n)
	}
	got := g.post(t, bareList, "Origin", "https://chat.example")
	if got.status != http.StatusOK || got.header.Get("Access-Control-Allow-Origin") != "https://chat.example" || !lists(got.header["Access-Control-Expose-Headers"], "Mcp-Session-Id") {
		t.Errorf("status %d, %v", got.status, got.header)
	}
}
