package proxy

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

func testWidgets(t testing.TB) *widgets {
	t.Helper()
	s, err := newWidgets(testWidget)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadServesTheCurrentWidget(t *testing.T) {
	s := testWidgets(t)
	s.learn(map[string]bool{"ui://tomtom-new/app.html": true, "https://not.a.widget/": true})
	for name, uri := range map[string]string{
		"its own URI":                   testWidget.URI,
		"another hash":                  "ui://tomtom-mcp-gateway/map-ffff.html",
		"a URI that needs escapes":      "ui://tomtom-mcp-gateway/\"\\\n",
		"a widget of the upstream's":    "ui://tomtom-routing/route-planner/app.html",
		"one that its list was seen in": "ui://tomtom-new/app.html",
	} {
		t.Run(name, func(t *testing.T) {
			result, ok := s.read(uri)
			if !ok {
				t.Fatal("left to the upstream")
			}
			var got struct {
				Contents []struct {
					URI      string `json:"uri"`
					MIMEType string `json:"mimeType"`
					Text     string `json:"text"`
					Meta     any    `json:"_meta"`
				} `json:"contents"`
			}
			if err := json.Unmarshal(result, &got); err != nil {
				t.Fatal(err)
			}
			if len(got.Contents) != 1 {
				t.Fatalf("%d content items", len(got.Contents))
			}
			item := got.Contents[0]
			if item.URI != uri || item.MIMEType != uiMIMEType || item.Text != string(testWidget.HTML) {
				t.Errorf("item %+v", item)
			}
			if listing := listedMeta(t, s); !reflect.DeepEqual(item.Meta, listing) {
				t.Errorf("_meta %v differs from the listing's %v", item.Meta, listing)
			}
		})
	}
	for _, uri := range []string{"", "ui://other/app.html", "https://not.a.widget/", "ui://tomtom-routing/route-planner/app.html/x"} {
		if _, ok := s.read(uri); ok {
			t.Errorf("%q is not the gateway's to answer", uri)
		}
	}
}

func listedMeta(t testing.TB, s *widgets) any {
	t.Helper()
	var listing struct {
		Meta any `json:"_meta"`
	}
	if err := json.Unmarshal(s.listing, &listing); err != nil {
		t.Fatal(err)
	}
	return listing.Meta
}

func TestWidgetMetaNamesItsOrigins(t *testing.T) {
	want := map[string]any{
		"ui": map[string]any{"csp": map[string]any{
			"connectDomains":  []any{"https://api.tomtom.com"},
			"resourceDomains": []any{"https://api.tomtom.com", "https://tiles.example"},
		}},
		"openai/widgetCSP": map[string]any{
			"connect_domains":  []any{"https://api.tomtom.com"},
			"resource_domains": []any{"https://api.tomtom.com", "https://tiles.example"},
		},
	}
	if got := listedMeta(t, testWidgets(t)); !reflect.DeepEqual(got, want) {
		t.Errorf("_meta %v, want %v", got, want)
	}
}

func TestNewWidgetsRefusesWhatNoHostDraws(t *testing.T) {
	for name, change := range map[string]func(*Resource){
		"a foreign URI":   func(w *Resource) { w.URI = "ui://elsewhere/map.html" },
		"no document":     func(w *Resource) { w.HTML = nil },
		"plain MIME type": func(w *Resource) { w.MIMEType = "text/html" },
	} {
		t.Run(name, func(t *testing.T) {
			w := testWidget
			change(&w)
			if _, err := newWidgets(w); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestEditResourcesList(t *testing.T) {
	s := testWidgets(t)
	own := string(s.listing)
	const theirs = `{"uri":"ui://tomtom-search/geocode/app.html","name":"x"}`
	for name, test := range map[string]struct {
		result, want string
		c            client
	}{
		"the upstream's widgets give way": {`{"resources":[` + theirs + `, {"uri":"file:///a","size":1.0}]}`, `{"resources":[{"uri":"file:///a","size":1.0},` + own + `]}`, withApps},
		"an empty list":                   {`{"resources":[]}`, `{"resources":[` + own + `]}`, withApps},
		"only on the last page":           {`{"resources":[` + theirs + `],"nextCursor":"2"}`, `{"resources":[],"nextCursor":"2"}`, withApps},
		"a gateway behind the gateway":    {`{"resources":[{"uri":"ui://tomtom-mcp-gateway/map-1.html"}]}`, `{"resources":[` + own + `]}`, withApps},
		"a client that draws nothing":     {`{"resources":[{"uri":"file:///a"},` + theirs + `]}`, `{"resources":[{"uri":"file:///a"}]}`, withoutApps},
		"no list":                         {`{"resources":null}`, `{"resources":null}`, withApps},
	} {
		t.Run(name, func(t *testing.T) {
			doc := []byte(test.result)
			edits := s.editResourcesList(doc, jsonspan.Span{End: len(doc)}, test.c)
			if got := string(jsonspan.Apply(nil, doc, edits)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestReplaceUnknown(t *testing.T) {
	s := testWidgets(t)
	for name, test := range map[string]struct {
		answer, want string
		c            client
	}{
		"an upstream without resources": {
			`{"jsonrpc":"2.0", "error":{"code":-32601,"message":"Method not found"} ,"id":1.0}`,
			`{"jsonrpc":"2.0", "result":{"resources":[` + string(s.listing) + `]} ,"id":1.0}`, withApps,
		},
		"a client that draws nothing": {
			`{"error":{"code":-32601},"id":1}`, `{"result":{"resources":[]},"id":1}`, withoutApps,
		},
		"another error": {`{"id":1,"error":{"code":-32603}}`, `{"id":1,"error":{"code":-32603}}`, withApps},
		"no error":      {`{"id":1}`, `{"id":1}`, withApps},
	} {
		t.Run(name, func(t *testing.T) {
			m := scanned(t, []byte(test.answer))
			if got := string(jsonspan.Apply(nil, m.body, s.replaceUnknown(m, test.c, nil))); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestLearnIsBounded(t *testing.T) {
	s := testWidgets(t)
	for i := range 10 * maxLearned {
		s.learn(map[string]bool{"ui://tomtom-new/" + strconv.Itoa(i): true})
	}
	if n := len(s.aliases); n != len(upstreamWidgets)+maxLearned {
		t.Errorf("%d URIs remembered", n)
	}
	if !s.serves("ui://tomtom-new/0") || s.serves("ui://tomtom-new/"+strconv.Itoa(10*maxLearned-1)) {
		t.Error("want the first ones remembered and the last ones not")
	}
}

func TestEveryUpstreamWidgetLooksLikeOne(t *testing.T) {
	for _, uri := range upstreamWidgets {
		if !strings.HasPrefix(uri, "ui://tomtom-") || strings.HasPrefix(uri, gatewayURIs) {
			t.Errorf("%s", uri)
		}
	}
}
