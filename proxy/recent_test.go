package proxy

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/policy"
)

// remembering turns on what a gateway of one person does.
func remembering(o *Options) { o.RecentResults, o.OwnCredential = 16, true }

// refOf returns the app_data_ref in the text of a result.
func refOf(t *testing.T, res toolResultOf) string {
	t.Helper()
	var text struct {
		Ref string `json:"app_data_ref"`
	}
	if err := json.Unmarshal([]byte(res.Content[0].Text), &text); err != nil {
		t.Fatal(err)
	}
	return text.Ref
}

// dataUnder asks for the app data under ref as a widget does, without any credential.
func (g *gateway) dataUnder(t *testing.T, ref string) (document, refusal string) {
	t.Helper()
	args, _ := json.Marshal(map[string]string{memberAppDataRef: ref})
	header := mcpHeader()
	header.Del("Tomtom-Api-Key")
	got := g.do(t, http.MethodPost, "/mcp", header, []byte(callOf("1", policy.GetAppData, string(args))))
	res, _ := parseResult(t, resultOf(t, got))
	if res.IsError {
		return "", res.Content[0].Text
	}
	var text struct {
		AppData string `json:"app_data"`
	}
	if err := json.Unmarshal([]byte(res.Content[0].Text), &text); err != nil {
		t.Fatal(err)
	}
	doc, err := fitter.Decode([]byte(text.AppData), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc), ""
}

// TestRecentResults: what the host drops on the way can be asked for, and no tool runs.
func TestRecentResults(t *testing.T) {
	long := routeOf(3000)
	places := `{"type":"FeatureCollection","apiKey":"k","features":[` + strings.TrimSuffix(strings.Repeat(`{"a":"`+strings.Repeat("ü", 90)+`","apiKey":"k"},`, 900), ",") + `]}`
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-geocode": handleText, "tomtom-get-viz-data": long}))
	g := newGateway(t, up.URL, remembering, func(o *Options) {
		o.LimitChars, o.Text = 4000, TextKeep
		o.ToolLimitChars = map[string]int{"tomtom-geocode": 300}
	})

	t.Run("fitted", func(t *testing.T) {
		res, inResult := parseResult(t, g.call(t, "tomtom-routing", `{}`))
		if res.Meta.Status != statusFitted {
			t.Fatalf("status %s", res.Meta.Status)
		}
		ref := refOf(t, res)
		want := strings.TrimSuffix(plainText, "\n}") + ",\n  \"app_data_ref\": \"" + ref + "\"\n}"
		if res.Content[0].Text != want {
			t.Errorf("text %s", res.Content[0].Text)
		}
		before := len(up.requests())
		if doc, refusal := g.dataUnder(t, ref); doc != string(inResult) {
			t.Errorf("%s %.100s", refusal, doc)
		}
		if n := len(up.requests()); n != before {
			t.Errorf("%d requests went upstream", n-before)
		}
	})
	t.Run("too large", func(t *testing.T) {
		up.answer = tomtom(map[string]string{"tomtom-geocode": handleText, "tomtom-get-viz-data": places})
		res, _ := parseResult(t, g.call(t, "tomtom-geocode", `{}`))
		if res.Meta.Status != statusTooLarge {
			t.Fatalf("status %s", res.Meta.Status)
		}
		want := strings.ReplaceAll(strings.ReplaceAll(places, `,"apiKey":"k"`, ""), `"apiKey":"k",`, "")
		if doc, refusal := g.dataUnder(t, refOf(t, res)); doc != want {
			t.Errorf("%s %.200s", refusal, doc)
		}
	})
	for name, text := range map[string]string{
		"not drawn": `{"a":1,"_meta":{"show_ui":false}}`,
		"no handle": `{"a":1,"_meta":{"show_ui":true}}`,
	} {
		t.Run(name, func(t *testing.T) {
			up.answer = tomtom(map[string]string{"tomtom-geocode": text})
			if res, _ := parseResult(t, g.call(t, "tomtom-geocode", `{}`)); refOf(t, res) != "" {
				t.Error("a reference to nothing")
			}
		})
	}
	t.Run("unusable", func(t *testing.T) {
		up.answer = tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": "{"})
		if res, _ := parseResult(t, g.call(t, "tomtom-routing", `{}`)); res.Meta.Status != statusUnavailable || refOf(t, res) != "" {
			t.Error("a reference to nothing")
		}
	})
}

// TestRecentResultsAreTheLastOnes: sixteen are kept, and each reference is its own.
func TestRecentResultsAreTheLastOnes(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL, remembering)
	var refs []string
	for range 18 {
		res, _ := parseResult(t, g.call(t, "tomtom-routing", `{}`))
		refs = append(refs, refOf(t, res))
	}
	seen := map[string]bool{}
	for i, ref := range refs {
		doc, refusal := g.dataUnder(t, ref)
		switch {
		case len(ref) < 22 || seen[ref]:
			t.Errorf("reference %q can be guessed", ref)
		case i < 2 && !strings.Contains(refusal, "no longer kept: the gateway keeps the data of the last 16 results"):
			t.Errorf("result %d: %q %s", i, refusal, doc)
		case i >= 2 && doc != routeDoc:
			t.Errorf("result %d: %q", i, refusal)
		}
		seen[ref] = true
	}
	if _, refusal := g.dataUnder(t, ""); refusal == "" {
		t.Error("an empty reference has data")
	}
}

// TestNothingIsRememberedForMany: a gateway that serves several people has no reference and takes none.
func TestNothingIsRememberedForMany(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL)
	if res, _ := parseResult(t, g.call(t, "tomtom-routing", `{}`)); refOf(t, res) != "" {
		t.Error("a reference")
	}
	got := g.post(t, callOf("1", policy.GetAppData, `{"app_data_ref":"x"}`))
	if !strings.Contains(string(got.body), `"code":-32602`) {
		t.Errorf("%s", got.body)
	}
}

// TestReferenceCountsAgainstTheLimit: the result stays under it with the reference inside.
func TestReferenceCountsAgainstTheLimit(t *testing.T) {
	up := newUpstreamServer(t, nil)
	limit := 0
	g := newGateway(t, up.URL, remembering)
	rapid.Check(t, func(rt *rapid.T) {
		limit = rapid.IntRange(600, 4000).Draw(rt, "limit")
		g.options.LimitChars = limit
		up.answer = tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeOf(rapid.IntRange(2, 600).Draw(rt, "vertices"))})
		raw := g.call(t, "tomtom-routing", `{}`)
		if n := len([]rune(string(raw))); n >= limit {
			rt.Errorf("%d characters, limit %d", n, limit)
		}
	})
}

func TestInputOfTheDataToolTakesAReference(t *testing.T) {
	ref := `"app_data_ref":` + string(refSchema)
	for name, test := range map[string]struct{ schema, want string }{
		"beside the other input": {`{"type":"object", "properties":{"layers":{}},"required":["layers"],"x":1e400}`, `{"type":"object", "properties":{"layers":{},` + ref + `},"x":1e400}`},
		"required first":         {`{"required":["layers"], "properties":{}}`, `{"properties":{` + ref + `}}`},
		"no properties":          {`{"type":"object"}`, `{"type":"object","properties":{` + ref + `}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(withRef([]byte(test.schema))); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		answerEvent(w, in, `{"tools":[{"name":"tomtom-routing","inputSchema":{"type":"object"}}]}`)
	})
	for want, change := range map[bool]func(*Options){true: remembering, false: func(*Options) {}} {
		g := newGateway(t, up.URL, change)
		got := g.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if strings.Contains(string(got.body), policy.GetAppData) != want {
			t.Errorf("listed beside no data tool where references are kept: want %v: %s", want, got.body)
		}
	}
}

// sharedExample is a result and an answer to the reference in it, as the widget's own tests read them too
// (widgets/src/data/recent.test.ts): the gateway and the widget agree on both.
const sharedExample = "../widgets/src/data/testdata/recent.json"

var update = flag.Bool("update", false, "write the shared example anew")

func TestWidgetsReadWhatIsRemembered(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL, remembering, func(o *Options) { o.Text = TextKeep })
	raw := g.call(t, "tomtom-routing", `{}`)
	res, _ := parseResult(t, raw)
	ref := refOf(t, res)
	answer := g.call(t, policy.GetAppData, `{"app_data_ref":"`+ref+`"}`)
	got := strings.ReplaceAll(`{"result":`+string(raw)+`,"answer":`+string(answer)+"}\n", ref, "reference")
	if *update {
		if err := os.WriteFile(sharedExample, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(sharedExample)
	if err != nil {
		t.Fatal(err)
	}
	if unpacked(t, got) != unpacked(t, string(want)) {
		t.Errorf("got  %s\nwant %s\n(go test ./proxy -run Remembered -update writes it anew)", got, want)
	}
}

// unpacked is an example with its app data in plain: how it is packed is no part of what is agreed on.
func unpacked(t *testing.T, example string) string {
	t.Helper()
	return regexp.MustCompile(`H4sI[A-Za-z0-9+/=]*`).ReplaceAllStringFunc(example, func(packed string) string {
		doc, err := fitter.Decode([]byte(packed), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return string(doc)
	})
}
