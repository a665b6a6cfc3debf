package upstream

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recordings is where messages of the real server are kept, beside the module.
const recordings = "../../../../../shared/captures"

// recorded is a recorded call: its arguments and the text of each content item of its answer.
type recorded struct {
	arguments string
	texts     []string
}

func readRecorded(t *testing.T, name string) recorded {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(recordings, name+".json"))
	if err != nil {
		t.Skipf("no recordings of the real server here: %v", err)
	}
	m := decoded[struct {
		Request struct {
			Params struct{ Arguments json.RawMessage }
		}
		Response struct{ Result toolResult }
	}](t, string(raw))
	r := recorded{arguments: string(m.Request.Params.Arguments)}
	for _, c := range m.Response.Result.Content {
		r.texts = append(r.texts, c.Text)
	}
	return r
}

// membersOf collects the paths of all members of a JSON text; array elements count as one.
func membersOf(t *testing.T, text string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				out[path+"."+name] = true
				walk(path+"."+name, inner)
			}
		case []any:
			for _, e := range v {
				walk(path+"[]", e)
			}
		}
	}
	walk("", decoded[any](t, text))
	return out
}

// TestShapesOfTheRealServer asks what was asked of the real server and compares the members of the answers: the same
// ones, save those that depend on chance or that a stubbed API left out.
func TestShapesOfTheRealServer(t *testing.T) {
	// Kinds of sections come with the road; a place may have more than the recorded stub gave.
	vague := regexp.MustCompile(`\.sections\.(carTrain|ferry|unpaved|toll|tollVignette|tunnel|lowEmissionZone|traffic|importantRoadStretch)\b` +
		`|\.tec\.causes|\.poi\.(classifications|categorySet)|\.summary\.chargingInformationAtEndOfLeg` +
		`|\.incidentsByIconCategory\.|\.tmc\.|\.address\.(streetNumber|streetName|postalCode|municipalitySubdivision)$` +
		`|^\.layers\[\]|\.chargingConnectionInfo`)
	tests := []struct{ call, data, tool string }{
		{"tomtom-routing-8240-ui-compact", "tomtom-get-viz-data-routing-8240", "tomtom-routing"},
		{"tomtom-routing-39414-ui-compact", "tomtom-get-viz-data-routing-39414", "tomtom-routing"},
		{"tomtom-routing-8240-noui-compact", "", "tomtom-routing"},
		{"tomtom-routing-8240-ui-full", "", "tomtom-routing"},
		{"tomtom-ev-routing-8240-ui-compact", "tomtom-get-viz-data-ev-routing-8240", "tomtom-ev-routing"},
		{"tomtom-ev-routing-8240-ui-full", "", "tomtom-ev-routing"},
		{"tomtom-search-along-route-8240-ui-compact", "tomtom-get-viz-data-search-along-route-8240", "tomtom-search-along-route"},
		{"tomtom-reachable-range-time-ui-compact", "tomtom-get-viz-data-reachable-range-time", reachableRange},
		{"tomtom-reachable-range-time-ui-full", "", reachableRange},
		{"tomtom-fuzzy-search-q-ui-compact", "tomtom-get-viz-data-fuzzy-search-q", "tomtom-fuzzy-search"},
		{"tomtom-fuzzy-search-q-ui-full", "", "tomtom-fuzzy-search"},
		{"tomtom-area-search-circle-ui-compact", "tomtom-get-viz-data-area-search-circle", "tomtom-area-search"},
		{"tomtom-geocode-q-ui-compact", "", "tomtom-geocode"},
		{"tomtom-reverse-geocode-q-ui-compact", "tomtom-get-viz-data-reverse-geocode-q", "tomtom-reverse-geocode"},
		{"tomtom-traffic-bbox-ui-compact", "tomtom-get-viz-data-traffic-bbox", "tomtom-traffic"},
		{"tomtom-dynamic-map-routes-ui-compact", "tomtom-get-viz-data-dynamic-map-routes", "tomtom-dynamic-map"},
		{"tomtom-data-viz-points-ui", "", "tomtom-data-viz"},
		{"tomtom-data-viz-points-noui", "tomtom-get-viz-data-data-viz-points", "tomtom-data-viz"},
	}
	for _, tt := range tests {
		t.Run(tt.call, func(t *testing.T) {
			original := readRecorded(t, tt.call)
			s := New(Options{RushHour: true})
			got := callTool(t, s, tt.tool, original.arguments)
			if len(got.Content) != len(original.texts) || got.IsError != nil {
				t.Fatalf("%d items, want %d; isError %v", len(got.Content), len(original.texts), got.IsError)
			}
			last := len(original.texts) - 1
			compareMembers(t, "text", got.Content[last].Text, original.texts[last], vague)
			compareFirstBytes(t, got.Content[last].Text, original.texts[last])
			if tt.data != "" {
				compareMembers(t, "app data", appDataOf(t, s, got), readRecorded(t, tt.data).texts[0], vague)
			}
		})
	}
}

func compareMembers(t *testing.T, what, got, want string, vague *regexp.Regexp) {
	t.Helper()
	have, original := membersOf(t, got), membersOf(t, want)
	for _, path := range slices.Sorted(maps.Keys(original)) {
		if !have[path] && !vague.MatchString(path) {
			t.Errorf("%s lacks %s", what, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(have)) {
		if !original[path] && !vague.MatchString(path) {
			t.Errorf("%s has %s, the real one does not", what, path)
		}
	}
}

// compareFirstBytes tells pretty from minified text, and whether `_meta` is last.
func compareFirstBytes(t *testing.T, got, want string) {
	t.Helper()
	if got[:4] != want[:4] {
		t.Errorf("begins with %q, the real one with %q", got[:4], want[:4])
	}
	tail := func(s string) string {
		return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).ReplaceAllString(s[strings.LastIndex(s, `"_meta"`):], "handle")
	}
	if tail(got) != tail(want) {
		t.Errorf("ends with %q, the real one with %q", tail(got), tail(want))
	}
}

func TestToolListOfTheRealServer(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(recordings, "_tools-list.sse.txt"))
	if err != nil {
		t.Skipf("no recordings of the real server here: %v", err)
	}
	_, body, _ := bytes.Cut(raw, []byte("event: message\n"))
	type listed struct {
		Name, Title string
		InputSchema struct {
			Schema     string `json:"$schema"`
			Properties map[string]map[string]any
			Required   []string
		}
		Annotations, Execution json.RawMessage
		Meta                   json.RawMessage `json:"_meta"`
	}
	tools := func(sse string) []listed {
		data := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(sse), "event: message\n"), "data: ")
		return decoded[struct{ Result struct{ Tools []listed } }](t, data).Result.Tools
	}
	original := tools(string(body))
	got := tools(post(t, New(Options{}), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil).Body.String())
	if len(got) != len(original) {
		t.Fatalf("%d tools, want %d", len(got), len(original))
	}
	for i, want := range original {
		g := got[i]
		if g.Name != want.Name || g.Title != want.Title || string(g.Annotations) != string(want.Annotations) ||
			string(g.Execution) != string(want.Execution) || string(g.Meta) != string(want.Meta) || g.InputSchema.Schema != want.InputSchema.Schema {
			t.Errorf("tool %d is %+v\nwant %+v", i, g, want)
		}
		if !slices.Equal(g.InputSchema.Required, want.InputSchema.Required) {
			t.Errorf("%s requires %v, want %v", g.Name, g.InputSchema.Required, want.InputSchema.Required)
		}
		for name := range want.InputSchema.Properties {
			if g.InputSchema.Properties[name] == nil {
				t.Errorf("%s lacks the property %s", g.Name, name)
			}
		}
		for name, p := range g.InputSchema.Properties {
			r, ok := want.InputSchema.Properties[name]
			if !ok {
				t.Errorf("%s has the property %s", g.Name, name)
				continue
			}
			for _, member := range []string{"type", "default", "minimum", "maximum", "minItems", "maxItems", "format"} {
				if p[member] != r[member] {
					t.Errorf("%s.%s: %s is %v, want %v", g.Name, name, member, p[member], r[member])
				}
			}
		}
	}
}
