package upstream

import (
	"bytes"
	"encoding/json"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"testing"
)

func get(t *testing.T, s *Server, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestTilesAreTheSameForTheSameAddressAndFollowTheStyle(t *testing.T) {
	first := get(t, New(Options{}), "/tile/14/8415/5384?style=street-light").Body.Bytes()
	again := get(t, New(Options{}), "/tile/14/8415/5384?style=street-light").Body.Bytes()
	dark := get(t, New(Options{}), "/tile/14/8415/5384?style=street-dark").Body.Bytes()
	if !bytes.Equal(first, again) {
		t.Error("two servers painted one tile differently")
	}
	if bytes.Equal(first, dark) {
		t.Error("the dark tile is the light one")
	}
	img, err := png.Decode(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[color.Color]bool{}
	for y := range tilePixels {
		for x := range tilePixels {
			seen[img.At(x, y)] = true
		}
	}
	if len(seen) < 3 {
		t.Errorf("a tile of a city has %d colours, want streets on ground", len(seen))
	}
}

func TestTilesGoOnInTheirNeighbours(t *testing.T) {
	left, right := newField(0, 0, 66, 11), newField(tilePixels, 0, 66, 11)
	for y := range tilePixels {
		if left.at(tilePixels, y) != right.at(0, y) {
			t.Fatalf("row %d: the streets end at the edge of the tile", y)
		}
	}
}

func TestNoTileOutsideTheWorld(t *testing.T) {
	for _, path := range []string{"/tile/2/4/0", "/tile/23/0/0", "/tile/2/0", "/tile/2/-1/0", "/tile/x/0/0"} {
		if got := get(t, New(Options{}), path).Code; got != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, got)
		}
	}
}

func TestIncidentsAreThoseOfTheTool(t *testing.T) {
	s := New(Options{})
	answer := get(t, s, "/incidents?bbox=4.7,52.2,5.1,52.5&fields=x")
	if answer.Code != http.StatusOK || answer.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("status %d, headers %v", answer.Code, answer.Header())
	}
	var got struct {
		Incidents []json.RawMessage `json:"incidents"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	doc, err := buildTraffic(&call{Server: s, args: arguments{"bbox": []any{4.7, 52.2, 5.1, 52.5}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := len(doc.list("incidents")); len(got.Incidents) != want || want == 0 {
		t.Errorf("%d incidents, the tool has %d", len(got.Incidents), want)
	}
	for _, query := range []string{"", "?bbox=1,2,3", "?bbox=a,b,c,d"} {
		if got := get(t, s, "/incidents"+query).Code; got != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400", query, got)
		}
	}
}

func BenchmarkTile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		encodeTile(paintTile(8415*tilePixels, 5384*tilePixels, true), looks["street-light"])
	}
}
