package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "gzip; q=0.000": false, "GZIP": true, "*": true, "*;q=0": false,
		"gzip;q=0, *": false, "*, gzip;q=0": false, "identity": false, "deflate": false, "x-gzip": true, "gzip;q=x": false, "gzipped": false,
	} {
		if got := acceptsGzip(http.Header{"Accept-Encoding": {header}}); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

func TestAnswersAreCompressed(t *testing.T) {
	large := strings.Repeat(`{"a":1} `, 1000)
	tests := []struct {
		name, accept, contentType, coding, body string
		status                                  int
		compressed                              bool
	}{
		{"JSON", "gzip", "application/json; charset=utf-8", "", large, 200, true},
		{"event stream", "br, gzip", "text/event-stream", "", "data: " + large + "\n\n", 200, true},
		{"error", "gzip", "application/json", "", large, 404, true},
		{"short JSON", "gzip", "application/json", "", "{}", 200, false},
		{"not asked for", "identity", "application/json", "", large, 200, false},
		{"other types", "gzip", "text/html", "", large, 200, false},
		{"compressed by the upstream", "gzip", "application/json", "br", large, 200, false},
		{"no content", "gzip", "application/json", "", "", 204, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) {
				w.Header().Set("Content-Type", tt.contentType)
				w.Header().Set("ETag", `"strong"`)
				w.Header().Set("Vary", "Origin")
				if tt.coding != "" {
					w.Header().Set("Content-Encoding", tt.coding)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			g := newGateway(t, up.URL)
			got := g.do(t, http.MethodGet, "/x", http.Header{"Accept-Encoding": {tt.accept}}, nil)
			body := got.body
			if tt.compressed {
				if got.header.Get("Content-Encoding") != "gzip" || got.header.Get("ETag") != `W/"strong"` {
					t.Fatalf("headers %v", got.header)
				}
				r, err := gzip.NewReader(bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				if body, err = io.ReadAll(r); err != nil {
					t.Fatal(err)
				}
			} else if got.header.Get("Content-Encoding") != tt.coding || got.header.Get("ETag") != `"strong"` {
				t.Errorf("headers %v", got.header)
			}
			if string(body) != tt.body || got.status != tt.status {
				t.Errorf("%d, %d bytes of %d", got.status, len(body), len(tt.body))
			}
			vary := strings.Join(got.header["Vary"], ",")
			if asked := strings.Contains(tt.accept, "gzip") && tt.contentType != "text/html"; strings.Contains(vary, "Accept-Encoding") != asked || !strings.Contains(vary, "Origin") {
				t.Errorf("Vary %q", vary)
			}
		})
	}
}

// TestCompressedCall: what the gateway has changed is compressed like everything else.
func TestCompressedCall(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL)
	got := g.post(t, callOf("1", "tomtom-routing", `{}`), "Accept-Encoding", "gzip")
	r, err := gzip.NewReader(bytes.NewReader(got.body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, doc := parseResult(t, resultOf(t, answer{header: got.header, body: plain})); string(doc) != routeDoc {
		t.Errorf("%s", plain)
	}
}
