package upstream

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// ordered decodes a JSON text into the types that this package builds its documents from.
func ordered(t *testing.T, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	return orderedValue(t, dec, "")
}

func orderedValue(t *testing.T, dec *json.Decoder, name string) any {
	t.Helper()
	tok, err := dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch tok := tok.(type) {
	case json.Number:
		if i, err := tok.Int64(); err == nil {
			return int(i)
		}
		f, err := tok.Float64()
		if err != nil {
			t.Fatal(err)
		}
		return f
	case json.Delim:
		if tok == '{' {
			o := object{}
			for dec.More() {
				key, err := dec.Token()
				if err != nil {
					t.Fatal(err)
				}
				inner := orderedValue(t, dec, key.(string))
				o = append(o, member{key.(string), inner})
			}
			_, _ = dec.Token()
			return o
		}
		l := list{}
		for dec.More() {
			l = append(l, orderedValue(t, dec, ""))
		}
		_, _ = dec.Token()
		if name == "coordinates" {
			return asLine(l)
		}
		return l
	}
	return tok
}

// asLine is a line's coordinates as documents here have them; others stay.
func asLine(l list) any {
	var points linePositions
	for _, e := range l {
		pair, _ := e.(list)
		if len(pair) != 2 {
			return l
		}
		points = append(points, position{asFloat(pair[0]), asFloat(pair[1])})
	}
	if len(points) == 0 {
		return l
	}
	return points
}

func asFloat(v any) float64 {
	if i, ok := v.(int); ok {
		return float64(i)
	}
	f, _ := v.(float64)
	return f
}

// TestCompactEqualsTheRealServers projects what the real server cached and compares with what it gave the agent.
func TestCompactEqualsTheRealServers(t *testing.T) {
	tests := []struct {
		data, call string
		compact    func(object) object
		minified   bool
	}{
		{"tomtom-get-viz-data-routing-8240", "tomtom-routing-8240-ui-compact", compactRoutes, false},
		{"tomtom-get-viz-data-routing-39414", "tomtom-routing-39414-ui-compact", compactRoutes, false},
		{"tomtom-get-viz-data-ev-routing-8240", "tomtom-ev-routing-8240-ui-compact", compactEVRoutes, false},
		{"tomtom-get-viz-data-search-along-route-8240", "tomtom-search-along-route-8240-ui-compact", compactAlongRoute, false},
		{"tomtom-get-viz-data-reachable-range-time", "tomtom-reachable-range-time-ui-compact", compactRange, false},
		{"tomtom-get-viz-data-fuzzy-search-q", "tomtom-fuzzy-search-q-ui-compact", compactSearch, false},
		{"tomtom-get-viz-data-area-search-circle", "tomtom-area-search-circle-ui-compact", compactArea, false},
		{"tomtom-get-viz-data-reverse-geocode-q", "tomtom-reverse-geocode-q-ui-compact", compactPlace, false},
		{"tomtom-get-viz-data-traffic-bbox", "tomtom-traffic-bbox-ui-compact", compactTraffic(100), true},
	}
	for _, tt := range tests {
		t.Run(tt.call, func(t *testing.T) {
			full := ordered(t, readRecorded(t, tt.data).texts[0]).(object)
			want := ordered(t, readRecorded(t, tt.call).texts[0]).(object)
			got := render(tt.compact(full).with("_meta", want.get("_meta")))
			if !tt.minified {
				got = pretty(got)
			}
			if original := readRecorded(t, tt.call).texts[0]; string(got) != original {
				if reflect.DeepEqual(decoded[any](t, string(got)), decoded[any](t, original)) {
					t.Errorf("the members are in another order: %s", firstDifference(string(got), original))
				} else {
					t.Errorf("differs: %s", firstDifference(string(got), original))
				}
			}
		})
	}
}

func firstDifference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-80)
	return "…" + a[from:min(len(a), i+120)] + "…\nwant …" + b[from:min(len(b), i+120)] + "…"
}
