package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

func mustPolicy(t testing.TB, tool string) policy.Tool {
	t.Helper()
	p, ok := policy.For(tool)
	if !ok {
		t.Fatalf("no policy for %s", tool)
	}
	return p
}

func mustRead(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func mustTrim(t testing.TB, text []byte, p policy.Projection) []byte {
	t.Helper()
	got, err := trim(text, p)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func isUntrimmed(t testing.TB, text []byte, tool policy.Tool) bool {
	t.Helper()
	root, err := jsonspan.Scan(text)
	if err != nil {
		t.Fatal(err)
	}
	return untrimmed(text, root, tool.Untrimmed)
}

// The documents in testdata/trim hold, for each tool, what compact drops and what stands beside it, oddly written.
func TestTrimTools(t *testing.T) {
	for _, tool := range policy.Tools() {
		if tool.AppData == policy.SourceNone {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			full := mustRead(t, filepath.Join("testdata", "trim", tool.Name+".full.json"))
			want := mustRead(t, filepath.Join("testdata", "trim", tool.Name+".compact.json"))
			got := mustTrim(t, full, tool.Compact)
			if !bytes.Equal(got, want) {
				t.Errorf("trimmed to\n%s\nwant\n%s", got, want)
			}
			if again := mustTrim(t, got, tool.Compact); !bytes.Equal(again, got) {
				t.Errorf("trimming again changed it to\n%s", again)
			}
			if !isUntrimmed(t, full, tool) {
				t.Error("the untrimmed response is not recognised")
			}
			if isUntrimmed(t, got, tool) {
				t.Error("the trimmed text passes for untrimmed")
			}
		})
	}
}

func TestTrimKeepsWhatItDoesNotKnow(t *testing.T) {
	tests := map[string]struct{ tool, text, want string }{
		"older REST route": {
			"tomtom-routing", `{"routes":[{"legs":[{"points":[1]}],"guidance":{}}]}`,
			`{"routes":[{"legs":[{"points":[1]}],"guidance":{}}]}`,
		},
		"older REST search": {
			"tomtom-fuzzy-search", `{"summary":{"queryTime":1},"results":[{"score":1,"poi":{"brands":[]}}]}`,
			`{"summary":{"queryTime":1},"results":[{"score":1,"poi":{"brands":[]}}]}`,
		},
		"an array":  {"tomtom-routing", ` [1, {"bbox": 2}] `, ` [1, {"bbox": 2}] `},
		"a scalar":  {"tomtom-dynamic-map", `null`, `null`},
		"a list":    {"tomtom-routing", `{"features":7}`, `{"features":7}`},
		"no policy": {"tomtom-traffic", `{"incidents":[{"geometry":1}]}`, `{"incidents":[{"geometry":1}]}`},
		"same name elsewhere": {
			"tomtom-routing", `{"guidance":1,"features":[{"properties":{"summary":{"progress":1},"progress":2}}]}`,
			`{"guidance":1,"features":[{"properties":{"summary":{"progress":1}}}]}`,
		},
		"escaped name": {
			"tomtom-routing", `{"features":[{"\u0062box":1,"properties":{"pro\u0067ress":1}}]}`,
			`{"features":[{"properties":{}}]}`,
		},
		"repeated name": {
			"tomtom-routing", `{"features":[{"bbox":1,"id":2,"bbox":3}],"features":[{"bbox":4}]}`,
			`{"features":[{"id":2}],"features":[{}]}`,
		},
		"huge numbers and lone surrogates": {
			"tomtom-routing", `{"a":1e400,"features":[{"bbox":1,"id":"\ud800"}]}`,
			`{"a":1e400,"features":[{"id":"\ud800"}]}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tool := mustPolicy(t, tt.tool)
			if got := mustTrim(t, []byte(tt.text), tool.Compact); string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTrimRefusesWhatIsNoJSON(t *testing.T) {
	for _, text := range []string{"", "Map generated", `{"features":[`, `{} {}`} {
		if got, err := trim([]byte(text), mustPolicy(t, "tomtom-routing").Compact); err == nil {
			t.Errorf("%q: no error, got %q", text, got)
		}
	}
}

func TestUntrimmed(t *testing.T) {
	tests := map[string]struct {
		tool, text string
		want       bool
	}{
		"line":                      {"tomtom-routing", `{"features":[{},{"geometry":{"coordinates":[[1,2]]}}]}`, true},
		"line cut off":              {"tomtom-routing", `{"features":[{"geometry":{"type":"LineString"}}]}`, false},
		"REST route":                {"tomtom-routing", `{"routes":[{"legs":[{"points":[]}]}]}`, false},
		"two positions":             {"tomtom-ev-routing", `{"features":[{"geometry":{"coordinates":[[1,2],[3,4]]}}]}`, false},
		"three positions":           {"tomtom-ev-routing", `{"features":[{"geometry":{"coordinates":[[1,2],[3,4],[5,6]]}}]}`, true},
		"two positions, progress":   {"tomtom-ev-routing", `{"features":[{"geometry":{},"properties":{"progress":[]}}]}`, true},
		"places only":               {"tomtom-search-along-route", `{"route":{"features":[]},"pois":{"features":[{"properties":{}}]}}`, false},
		"route of three":            {"tomtom-search-along-route", `{"route":{"features":[{"geometry":{"coordinates":[1,2,3]}}]}}`, true},
		"trimmed place":             {"tomtom-geocode", `{"features":[{"geometry":{"coordinates":[1,2]},"properties":{"address":{"country":"NL"}}}]}`, false},
		"place":                     {"tomtom-geocode", `{"features":[{"properties":{"address":{"countryCodeISO3":"NLD"}}}]}`, true},
		"REST places":               {"tomtom-geocode", `{"results":[{"address":{"countryCodeISO3":"NLD"}}]}`, false},
		"boundary":                  {"tomtom-area-search", `{"features":[],"_searchBoundary":{}}`, true},
		"nested connector":          {"tomtom-ev-search", `{"features":[{"properties":{"chargingPark":{"connectors":[{"connector":{}}]}}}]}`, true},
		"flat connector":            {"tomtom-ev-search", `{"features":[{"properties":{"chargingPark":{"connectors":[{"type":"a"}]}}}]}`, false},
		"one place":                 {"tomtom-reverse-geocode", `{"type":"Feature","properties":{"mapcodes":[]}}`, true},
		"REST address":              {"tomtom-reverse-geocode", `{"addresses":[{"address":{"countryCodeISO3":"NLD"}}]}`, false},
		"map state":                 {"tomtom-dynamic-map", `{"sources":{}}`, true},
		"map error":                 {"tomtom-dynamic-map", `{"_meta":{"show_ui":true}}`, false},
		"summary":                   {"tomtom-data-viz", `{"summary":{},"layers_applied":[]}`, false},
		"incidents":                 {"tomtom-traffic", `{"incidents":[{"geometry":{"coordinates":[]}}]}`, false},
		"categories":                {"tomtom-poi-categories", `{"poiCategories":[]}`, false},
		"same path, another object": {"tomtom-reachable-range", `{"features":{"geometry":{"coordinates":1}}}`, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := isUntrimmed(t, []byte(tt.text), mustPolicy(t, tt.tool)); got != tt.want {
				t.Errorf("untrimmed(%s) = %v", tt.text, got)
			}
		})
	}
}

// recordedText returns the JSON text of a recorded result, or skips when the recordings are absent.
func recordedText(t testing.TB, name string) []byte {
	t.Helper()
	file := filepath.Join("..", "..", "shared", "captures", name+".json")
	if _, err := os.Stat(file); err != nil {
		t.Skipf("recorded messages are absent: %v", err)
	}
	var message struct {
		Response struct {
			Result struct {
				Content []struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal(mustRead(t, file), &message); err != nil {
		t.Fatal(err)
	}
	for _, item := range message.Response.Result.Content {
		if strings.HasPrefix(item.Text, "{") {
			return []byte(item.Text)
		}
	}
	t.Fatalf("%s has no JSON text", name)
	return nil
}

// sameDocument compares two JSON texts without their own _meta. Route and section ids are drawn anew for each call,
// so across calls they only have to be there.
func sameDocument(t testing.TB, want, got []byte, acrossCalls bool) {
	t.Helper()
	if path, same := firstDifference(withoutMeta(t, want), withoutMeta(t, got), acrossCalls); !same {
		t.Errorf("differs from the compact text at %s", path)
	}
}

func firstDifference(want, got any, acrossCalls bool) (path string, same bool) {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || !slices.Equal(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))) {
			return " (members)", false
		}
		for name, value := range want {
			if _, isID := value.(string); name == "id" && isID && acrossCalls {
				continue
			}
			if path, same := firstDifference(value, got[name], acrossCalls); !same {
				return "." + name + path, false
			}
		}
		return "", true
	case []any:
		got, ok := got.([]any)
		if !ok || len(want) != len(got) {
			return " (elements)", false
		}
		for i, value := range want {
			if path, same := firstDifference(value, got[i], acrossCalls); !same {
				return fmt.Sprintf("[%d]%s", i, path), false
			}
		}
		return "", true
	}
	return "", want == got
}

func withoutMeta(t testing.TB, text []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	delete(doc, "_meta")
	return doc
}

func TestTrimRecordedPairs(t *testing.T) {
	tests := []struct {
		tool, full, compact string
		acrossCalls         bool
	}{
		// The same call, once full and once compact.
		{"tomtom-routing", "tomtom-routing-8240-ui-full", "tomtom-routing-8240-ui-compact", true},
		{"tomtom-ev-routing", "tomtom-ev-routing-8240-ui-full", "tomtom-ev-routing-8240-ui-compact", true},
		{"tomtom-fuzzy-search", "tomtom-fuzzy-search-q-ui-full", "tomtom-fuzzy-search-q-ui-compact", false},
		{"tomtom-reachable-range", "tomtom-reachable-range-time-ui-full", "tomtom-reachable-range-time-ui-compact", false},
		// One call: its cached data, and its compact text.
		{"tomtom-routing", "tomtom-get-viz-data-routing-8240", "tomtom-routing-8240-ui-compact", false},
		{"tomtom-routing", "tomtom-get-viz-data-routing-39414", "tomtom-routing-39414-ui-compact", false},
		{"tomtom-ev-routing", "tomtom-get-viz-data-ev-routing-8240", "tomtom-ev-routing-8240-ui-compact", false},
		{"tomtom-search-along-route", "tomtom-get-viz-data-search-along-route-8240", "tomtom-search-along-route-8240-ui-compact", false},
		{"tomtom-reachable-range", "tomtom-get-viz-data-reachable-range-time", "tomtom-reachable-range-time-ui-compact", false},
		{"tomtom-fuzzy-search", "tomtom-get-viz-data-fuzzy-search-q", "tomtom-fuzzy-search-q-ui-compact", false},
		{"tomtom-area-search", "tomtom-get-viz-data-area-search-circle", "tomtom-area-search-circle-ui-compact", false},
		{"tomtom-reverse-geocode", "tomtom-get-viz-data-reverse-geocode-q", "tomtom-reverse-geocode-q-ui-compact", false},
		{"tomtom-dynamic-map", "tomtom-get-viz-data-dynamic-map-routes", "tomtom-dynamic-map-routes-ui-compact", false},
	}
	for _, tt := range tests {
		t.Run(tt.full, func(t *testing.T) {
			tool := mustPolicy(t, tt.tool)
			full, compact := recordedText(t, tt.full), recordedText(t, tt.compact)
			got := mustTrim(t, full, tool.Compact)
			sameDocument(t, compact, got, tt.acrossCalls)
			if !isUntrimmed(t, full, tool) {
				t.Error("the full document is not recognised as untrimmed")
			}
			if isUntrimmed(t, compact, tool) {
				t.Error("the compact text passes for untrimmed")
			}
			if again := mustTrim(t, compact, tool.Compact); tt.tool != "tomtom-dynamic-map" && !bytes.Equal(again, compact) {
				t.Error("trimming the compact text changes it")
			}
		})
	}
}

// What the upstream answers for these is computed, not cut out; their policies must leave it alone.
func TestTrimLeavesRecordedSummaries(t *testing.T) {
	tests := map[string]string{
		"tomtom-traffic-bbox-ui-compact": "tomtom-traffic",
		"tomtom-data-viz-points-ui":      "tomtom-data-viz",
		"tomtom-geocode-q-ui-compact":    "tomtom-geocode",
	}
	for capture, name := range tests {
		t.Run(capture, func(t *testing.T) {
			tool, text := mustPolicy(t, name), recordedText(t, capture)
			if isUntrimmed(t, text, tool) {
				t.Error("the text passes for untrimmed")
			}
			if got := mustTrim(t, text, tool.Compact); !bytes.Equal(got, text) {
				t.Error("trimming changes the text")
			}
		})
	}
}

func BenchmarkTrim(b *testing.B) {
	var line bytes.Buffer
	for i := range 8240 {
		fmt.Fprintf(&line, "%.*s[%d.12345,\n 52.54321]", min(i, 1), ",", i%180)
	}
	place := mustRead(b, filepath.Join("testdata", "trim", "tomtom-reverse-geocode.full.json"))
	documents := map[string]string{
		"tomtom-routing": fmt.Sprintf(`{"features":[{"geometry":{"coordinates":[%s]},"properties":{"progress":[]}}]}`, &line),
		"tomtom-fuzzy-search": fmt.Sprintf(`{"features":[%s]}`,
			bytes.Join(slices.Repeat([][]byte{place}, 100), []byte(","))),
	}
	for name, doc := range documents {
		b.Run(name, func(b *testing.B) {
			tool, text := mustPolicy(b, name), []byte(doc)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if !isUntrimmed(b, text, tool) {
					b.Fatal("not recognised")
				}
				mustTrim(b, text, tool.Compact)
			}
		})
	}
}
