package upstream

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// metaOf is the `_meta` of a text, nil without one.
func metaOf(t *testing.T, text string) map[string]any {
	t.Helper()
	m, _ := decoded[map[string]any](t, text)["_meta"].(map[string]any)
	return m
}

func TestHandles(t *testing.T) {
	tests := []struct {
		name, tool, arguments string
		show, handle          bool
	}{
		{"shown", "tomtom-geocode", `{"query":"Berlin","show_ui":true}`, true, true},
		{"hidden", "tomtom-geocode", `{"query":"Berlin","show_ui":false}`, false, false},
		{"hidden by default", "tomtom-geocode", `{"query":"Berlin"}`, false, false},
		{"full", "tomtom-geocode", `{"query":"Berlin","show_ui":true,"response_detail":"full"}`, true, false},
		{"full traffic", "tomtom-traffic", `{"bbox":[4.7,52.2,5.1,52.5],"show_ui":true,"response_detail":"full"}`, true, false},
		{"traffic", "tomtom-traffic", `{"bbox":[4.7,52.2,5.1,52.5],"show_ui":true}`, true, true},
		{"a caller's data, hidden", "tomtom-data-viz", `{"geojson":"{\"type\":\"FeatureCollection\",\"features\":[]}","layers":[{"type":"line"}]}`, false, true},
		{"map in full", "tomtom-dynamic-map", `{"markers":[{"lat":52,"lon":4}],"show_ui":true,"detail":"full"}`, true, true},
		{"map, hidden", "tomtom-dynamic-map", `{"markers":[{"lat":52,"lon":4}]}`, false, false},
		{"categories", "tomtom-poi-categories", `{"filters":["gym"],"show_ui":true}`, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Options{})
			r := callTool(t, s, tt.tool, tt.arguments)
			textOf(t, r)
			last := r.Content[len(r.Content)-1].Text
			meta := metaOf(t, last)
			if meta["show_ui"] != tt.show || (meta["viz_id"] != nil) != tt.handle {
				t.Errorf("_meta is %v", meta)
			}
			if tt.handle {
				appDataOf(t, s, r)
			}
			if !strings.HasSuffix(last, "}") || strings.LastIndex(last, `"_meta"`) < strings.LastIndex(last, `"features"`) {
				t.Error("_meta is not the last member")
			}
		})
	}
}

func TestDynamicMapHasThreeItems(t *testing.T) {
	r := callTool(t, New(Options{}), "tomtom-dynamic-map", `{"markers":[{"lat":52.37,"lon":4.9,"label":"A"}],"width":500,"height":300,"show_ui":true}`)
	if len(r.Content) != 3 || r.Content[1].Type != "image" || r.Content[1].MimeType != "image/png" {
		t.Fatalf("items: %.300v", r.Content)
	}
	raw, err := base64.StdEncoding.DecodeString(r.Content[1].Data)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil || img.Width != 500 || img.Height != 300 || len(raw) < 20<<10 {
		t.Errorf("%v, %d x %d in %d bytes", err, img.Width, img.Height, len(raw))
	}
	want := fmt.Sprintf("Dynamic map generated successfully (500x300, %.2fKB, detail: compact)", float64(len(raw))/1024)
	if got := r.Content[0].Text; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestUntrimmed(t *testing.T) {
	untrimmed, current := New(Options{Untrimmed: true}), New(Options{})
	for _, arguments := range []string{berlinTrip + "}", berlinTrip + `,"response_detail":"compact"}`} {
		text := textOf(t, callTool(t, untrimmed, "tomtom-routing", arguments))
		if !strings.HasPrefix(text, "{\n  \"type\"") || strings.Contains(text, `"_meta"`) {
			t.Errorf("begins with %.60q", text)
		}
		want := appDataOf(t, current, callTool(t, current, "tomtom-routing", berlinTrip+"}"))
		if got := string(compactJSON([]byte(text))); got != want {
			t.Error("the text is not the app data of a current server")
		}
	}
	if r := callTool(t, untrimmed, "tomtom-get-viz-data", `{"viz_id":"x"}`); !r.failed() {
		t.Error("a server without a cache has no tool to read it")
	}
	list := post(t, untrimmed, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil).Body.String()
	for _, word := range []string{"show_ui", "response_detail", "resourceUri", "tomtom-get-viz-data"} {
		if strings.Contains(list, word) {
			t.Errorf("the tool list has %s", word)
		}
	}
}

func TestNewer(t *testing.T) {
	s := New(Options{Newer: true})
	r := callTool(t, s, "tomtom-routing", berlinTrip+`,"response_detail":"geometry"}`)
	doc := decoded[struct {
		Geometry routesDocument
		Features []map[string]any
		Meta     map[string]any `json:"_meta"`
	}](t, textOf(t, r))
	if n := len(doc.Geometry.Features[0].Geometry.Coordinates); n < 7000 {
		t.Errorf("geometry of %d vertices", n)
	}
	if g := doc.Features[0]["geometry"].(map[string]any); g["coordinates"] != nil {
		t.Error("the rest is not compact")
	}
	if doc.Meta["dataset_id"] == nil || doc.Meta["viz_id"] != nil {
		t.Errorf("_meta is %v", doc.Meta)
	}
	appDataOf(t, s, r)
	if r := callTool(t, s, "tomtom-get-dataset", `{"dataset_id":"x"}`); !r.failed() || r.Content[0].Text != "Dataset not found or expired" {
		t.Errorf("unknown dataset: %v", r)
	}
	if r := callTool(t, s, "tomtom-dynamic-map", `{"markers":[{"lat":52,"lon":4}]}`); len(r.Content) != 2 || metaOf(t, r.Content[1].Text)["show_ui"] != true {
		t.Errorf("map: %v", r)
	}
	if r := callTool(t, New(Options{}), "tomtom-routing", berlinTrip+`,"response_detail":"geometry"}`); !r.failed() {
		t.Error("the current server does not know geometry")
	}
}

func TestGenesis(t *testing.T) {
	tests := []struct{ tool, arguments, begins string }{
		{"tomtom-routing", `{"origin":{"lat":52.3779,"lon":4.897},"destination":{"lat":52.52,"lon":13.405},"show_ui":true}`, "{\n  \"formatVersion\": \"0.0.12\",\n  \"routes\": ["},
		{"tomtom-routing", `{"locations":[[4.897,52.3779],[13.405,52.52]]}`, "{\n  \"formatVersion\": \"0.0.12\",\n  \"routes\": ["},
		{"tomtom-waypoint-routing", `{"waypoints":[{"lat":52.3779,"lon":4.897},{"lat":52.09,"lon":5.12}]}`, "{\n  \"formatVersion\""},
		{"tomtom-fuzzy-search", `{"query":"hotel Berlin"}`, "{\n  \"summary\""},
		{"tomtom-nearby", `{"lat":52.37,"lon":4.9}`, "{\n  \"summary\""},
		{"tomtom-reverse-geocode", `{"lat":52.37,"lon":4.9}`, "{\n  \"summary\""},
		{reachableRange, `{"origin":{"lat":52.37,"lon":4.9},"timeBudgetInSec":600}`, "{\n  \"formatVersion\""},
		{"tomtom-traffic", `{"bbox":[4.7,52.2,5.1,52.5]}`, "{\n  \"incidents\""},
	}
	s := New(Options{Genesis: true})
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			text := textOf(t, callTool(t, s, tt.tool, tt.arguments))
			if !strings.HasPrefix(text, tt.begins) || strings.Contains(text, `"_meta"`) || strings.Contains(text, `"coordinates"`) {
				t.Errorf("%.200s", text)
			}
		})
	}
	if r := callTool(t, s, "tomtom-dynamic-map", `{}`); !r.failed() {
		t.Error("Genesis has no dynamic map")
	}
	if r := callTool(t, s, "tomtom-routing", `{}`); !r.failed() {
		t.Error("a route without ends")
	}
}

func TestReachableRangeCarriesTheCallersKey(t *testing.T) {
	s := New(Options{})
	for _, caller := range []string{"first", "second"} {
		rec := post(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-reachable-range","arguments":`+
			`{"origin":[4.9,52.4],"distanceBudgetInMeters":20000,"response_detail":"full"}}}`, map[string]string{"Tomtom-Api-Key": caller})
		if body := rec.Body.String(); strings.Count(body, `\"apiKey\": \"`+caller+`\"`) != 4 {
			t.Errorf("the key of %s is not in all four areas", caller)
		}
	}
}

func TestPlacesAreWhereTheQuerySays(t *testing.T) {
	tests := []struct{ name, tool, arguments, town string }{
		{"town in the query", "tomtom-fuzzy-search", `{"query":"restaurants in Amsterdam"}`, "Amsterdam"},
		{"English name", "tomtom-poi-search", `{"query":"pharmacy, Munich"}`, "München"},
		{"position", "tomtom-nearby", `{"position":[13.405,52.52],"poiCategories":["MUSEUM"]}`, "Berlin"},
		{"box", "tomtom-poi-search", `{"query":"hotel","boundingBox":[2.3,48.83,2.4,48.88]}`, "Paris"},
		{"town", "tomtom-geocode", `{"query":"Lisbon, Portugal"}`, "Lisboa"},
		{"address", "tomtom-geocode", `{"query":"Damrak 1, Amsterdam"}`, "Amsterdam"},
		{"stations", "tomtom-ev-search", `{"position":[4.897,52.3779],"minPowerKW":100}`, "Amsterdam"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := decoded[struct {
				Features []struct {
					Properties struct {
						Address struct{ Municipality string }
					}
				}
			}](t, textOf(t, callTool(t, New(Options{}), tt.tool, tt.arguments)))
			if len(doc.Features) == 0 {
				t.Fatal("nothing found")
			}
			for _, f := range doc.Features {
				if f.Properties.Address.Municipality != tt.town {
					t.Errorf("found in %s", f.Properties.Address.Municipality)
				}
			}
		})
	}
	if n := len(decoded[routesDocument](t, textOf(t, callTool(t, New(Options{}), "tomtom-geocode", `{"query":"Xyzzy"}`))).Features); n != 0 {
		t.Errorf("an unknown town has %d results", n)
	}
}

func TestAreaSearchStaysWithin(t *testing.T) {
	s := New(Options{})
	for _, area := range []string{`"center":[4.897,52.3779],"radius":1500`, `"polygon":[[4.85,52.35],[4.95,52.35],[4.9,52.4]]`, `"boundingBox":[[4.88,52.36],[4.92,52.39]]`} {
		doc := decoded[struct {
			Features []struct {
				Geometry struct{ Coordinates position }
			}
			Boundary struct {
				Geometry struct{ Coordinates [][]position }
			} `json:"_searchBoundary"`
		}](t, appDataOf(t, s, callTool(t, s, "tomtom-area-search", `{"query":"coffee","show_ui":true,`+area+`}`)))
		if len(doc.Features) < 3 {
			t.Errorf("%s: %d places", area, len(doc.Features))
		}
		for _, f := range doc.Features {
			if !inRing(doc.Boundary.Geometry.Coordinates[0], f.Geometry.Coordinates) {
				t.Errorf("%s: %v is outside", area, f.Geometry.Coordinates)
			}
		}
	}
}

func TestTrafficShowsTheWorstFirst(t *testing.T) {
	text := textOf(t, callTool(t, New(Options{}), "tomtom-traffic", `{"bbox":[4.7,52.2,5.1,52.5],"maxResults":10}`))
	doc := decoded[struct {
		Incidents       []struct{ MagnitudeOfDelay int }
		IncidentSummary struct {
			TotalIncidents, ReturnedIncidents int
			Truncated                         bool
		}
	}](t, text)
	if strings.ContainsAny(text, "\n") || len(doc.Incidents) != 10 || !doc.IncidentSummary.Truncated || doc.IncidentSummary.ReturnedIncidents != 10 {
		t.Errorf("%.300s", text)
	}
	for i := 1; i < len(doc.Incidents); i++ {
		if doc.Incidents[i].MagnitudeOfDelay > doc.Incidents[i-1].MagnitudeOfDelay {
			t.Errorf("incident %d is worse than the one before", i)
		}
	}
}

func TestDataVizSources(t *testing.T) {
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/data.geojson":
			_, _ = fmt.Fprint(w, `{"type":"FeatureCollection", "features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4,5]]},"properties":{"b":1.50,"a":"x"}}]}`)
		case "/away":
			http.Redirect(w, r, "http://192.0.2.1/data.geojson", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(files.Close)
	tests := []struct{ name, source, failure string }{
		{"inline", `"geojson":"{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},\"properties\":{\"b\":1.50,\"a\":\"x\"}}"`, ""},
		{"loopback", `"data_url":"` + files.URL + `/data.geojson"`, ""},
		{"missing file", `"data_url":"` + files.URL + `/nope"`, "HTTP 404"},
		{"another host", `"data_url":"https://192.0.2.1/data.geojson"`, "loopback"},
		{"another host by name", `"data_url":"https://example.com/data.geojson"`, "loopback"},
		{"redirect to another host", `"data_url":"` + files.URL + `/away"`, "loopback"},
		{"no web address", `"data_url":"file:///etc/passwd"`, "http"},
		{"both", `"data_url":"` + files.URL + `/data.geojson","geojson":"{}"`, "not both"},
		{"none", `"title":"x"`, "Provide"},
		{"no JSON", `"geojson":"{"`, "Invalid GeoJSON"},
		{"no GeoJSON", `"geojson":"{\"type\":\"Point\"}"`, "Invalid GeoJSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Options{})
			r := callTool(t, s, "tomtom-data-viz", `{"layers":[{"type":"line", "line_width":3}],`+tt.source+`}`)
			if tt.failure != "" {
				if text := r.Content[0].Text; !r.failed() || !strings.HasPrefix(text, `{"error":`) || !strings.Contains(text, tt.failure) {
					t.Errorf("got %v", r)
				}
				return
			}
			if text := textOf(t, r); !strings.Contains(text, "\"property_names\": [\n      \"b\",\n      \"a\"\n    ]") {
				t.Errorf("text: %s", text)
			}
			data := appDataOf(t, s, r)
			if !strings.Contains(data, `"b":1.50`) || !strings.Contains(data, `"layers":[{"type":"line","line_width":3}]`) {
				t.Errorf("app data: %s", data)
			}
		})
	}
}
