package upstream

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%.2000s\nwant\n%.2000s", path, got, want)
	}
}

// TestWire pins the bytes of the answers that do not depend on the synthetic data.
func TestWire(t *testing.T) {
	tests := []struct {
		name, body string
		headers    map[string]string
		status     int
	}{
		{"initialize-2025-06-18", `{"jsonrpc":"2.0","id":101,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"0"}}}`, nil, 200},
		{"initialize-unknown-version", `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2030-01-01","capabilities":{}}}`, nil, 200},
		{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, 200},
		{"unknown-method", `{"jsonrpc":"2.0","id":257,"method":"foo/bar","params":{}}`, nil, 200},
		{"unknown-tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope","arguments":{}}}`, nil, 200},
		{"invalid-arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{"locations":[[1,2]],"response_detail":"x","show_ui":1}}}`, nil, 200},
		{"missing-argument", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-geocode"}}`, nil, 200},
		{"unknown-handle", `{"jsonrpc":"2.0","id":242,"method":"tools/call","params":{"name":"tomtom-get-viz-data","arguments":{"viz_id":"00000000-0000-4000-8000-000000000000"}}}`, nil, 200},
		{"api-key", `{"jsonrpc":"2.0","id":241,"method":"tools/call","params":{"name":"tomtom-get-api-key","arguments":{}}}`, nil, 200},
		{"bearer", `{"jsonrpc":"2.0","id":241,"method":"tools/call","params":{"name":"tomtom-get-api-key"}}`, map[string]string{"Tomtom-Api-Key": "", "Authorization": "Bearer secret"}, 200},
		{"resource", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://tomtom-routing/route-planner/app.html"}}`, nil, 200},
		{"unknown-resource", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://nope"}}`, nil, 200},
		{"resource-templates", `{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`, nil, 200},
		{"geocode-hidden", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-geocode","arguments":{"query":"Berlin"}}}`, nil, 200},
		{"no-accept", `{"jsonrpc":"2.0","id":256,"method":"tools/list"}`, map[string]string{"Accept": "application/json"}, 406},
		{"no-key", `{"jsonrpc":"2.0","id":255,"method":"tools/list"}`, map[string]string{"Tomtom-Api-Key": ""}, 401},
		{"no-key-batch", `[{"jsonrpc":"2.0","id":255,"method":"tools/list"}]`, map[string]string{"Tomtom-Api-Key": ""}, 401},
		{"malformed", `{"jsonrpc":`, nil, 400},
		{"not-an-object", `"x"`, nil, 400},
		{"not-jsonrpc", `{"id":1}`, nil, 400},
		{"null-id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400},
		{"empty-batch", `[]`, nil, 400},
		{"two-initializes", `[{"jsonrpc":"2.0","id":1,"method":"initialize"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, nil, 400},
		{"old-protocol", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"Mcp-Protocol-Version": "2026-07-28"}, 400},
		{"known-protocol", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"Mcp-Protocol-Version": "2025-11-25"}, 200},
		{"wrong-type", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"Content-Type": "text/plain"}, 415},
		{"too-large", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 100<<10) + `"}}`, nil, 413},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202},
		{"client-response", `{"jsonrpc":"2.0","id":9,"result":{}}`, nil, 202},
		{"genesis-tools", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, map[string]string{"Tomtom-Maps-Backend": "tomtom-maps"}, 200},
		{"tools", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 200},
		{"resources", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, nil, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := post(t, New(Options{}), tt.body, tt.headers)
			if rec.Code != tt.status {
				t.Errorf("status %d, want %d", rec.Code, tt.status)
			}
			golden(t, tt.name+".txt", dump(rec))
		})
	}
}

// dump is an answer as text, its headers sorted.
func dump(rec *httptest.ResponseRecorder) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d\n", rec.Code)
	var names []string
	for name := range rec.Header() {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\n", name, rec.Header()[name][0])
	}
	b.WriteByte('\n')
	b.Write(rec.Body.Bytes())
	return b.Bytes()
}

// TestRecordedErrors compares answers with what the real server was seen to send.
func TestRecordedErrors(t *testing.T) {
	tests := []struct {
		name, body string
		headers    map[string]string
		want       string
		etag       string
	}{
		{
			"unknown method", `{"jsonrpc":"2.0","id":257,"method":"foo/bar","params":{}}`, nil,
			"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":257,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}\n\n", "",
		},
		{
			"no key", `{"jsonrpc":"2.0","id":255,"method":"tools/list","params":{}}`,
			map[string]string{"Tomtom-Api-Key": ""},
			`{"jsonrpc":"2.0","error":{"code":-32001,"message":"Authentication required: provide a tomtom-api-key header or a Bearer token"},"id":255}`,
			`W/"89-PQY9BNkvxNisimpIJUC+EoP9fak"`,
		},
		{
			"no accept", `{"jsonrpc":"2.0","id":256,"method":"tools/list","params":{}}`,
			map[string]string{"Accept": "text/event-stream"},
			`{"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable: Client must accept both application/json and text/event-stream"},"id":null}`, "",
		},
		{
			"unknown handle", `{"jsonrpc":"2.0","id":242,"method":"tools/call","params":{"name":"tomtom-get-viz-data","arguments":{"viz_id":"x"}}}`, nil,
			"event: message\ndata: {\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"Visualization data not found or expired\"}],\"isError\":true},\"jsonrpc\":\"2.0\",\"id\":242}\n\n", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := post(t, New(Options{}), tt.body, tt.headers)
			if got := rec.Body.String(); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			if got := rec.Header().Get("ETag"); got != tt.etag {
				t.Errorf("ETag %s, want %s", got, tt.etag)
			}
		})
	}
}

func TestOtherEndpoints(t *testing.T) {
	tests := []struct {
		method, path string
		status       int
		contains     string
	}{
		{"GET", "/mcp", 405, `"code":-32000`},
		{"DELETE", "/mcp", 404, "<pre>Cannot DELETE /mcp</pre>"},
		{"GET", "/health", 200, `"status":"ok"`},
		{"GET", "/.well-known/oauth-protected-resource/mcp", 200, `"authorization_servers"`},
		{"GET", "/<script>", 404, "&lt;script&gt;"},
		{"OPTIONS", "/mcp", 204, ""},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			rec := httptest.NewRecorder()
			New(Options{}).ServeHTTP(rec, httptest.NewRequest(tt.method, tt.path, http.NoBody))
			if rec.Code != tt.status || !strings.Contains(rec.Body.String(), tt.contains) {
				t.Errorf("status %d: %s", rec.Code, rec.Body)
			}
			if rec.Header().Get("Access-Control-Allow-Origin") != "*" {
				t.Error("no CORS header")
			}
			if tt.method == "OPTIONS" && strings.Contains(strings.ToLower(rec.Header().Get("Access-Control-Allow-Headers")), "mcp-session-id") {
				t.Error("the real server's preflight does not allow a session id")
			}
		})
	}
}

func TestBatchGivesAnEventEach(t *testing.T) {
	rec := post(t, New(Options{}), `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},`+
		`{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"tomtom-get-api-key"}},{"jsonrpc":"2.0","id":3,"method":"x"}]`, nil)
	var ids []string
	for _, e := range eventsOf(t, rec.Body.Bytes()) {
		ids = append(ids, string(decoded[struct{ ID json.RawMessage }](t, string(e)).ID))
	}
	slices.Sort(ids)
	if got := strings.Join(ids, " "); got != `"two" 1 3` {
		t.Errorf("answers to %s", got)
	}
	if rec.Header().Get("Content-Length") != "" {
		t.Error("a stream of several events cannot have a length")
	}
}

func TestProgressComesBeforeTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Latency: 3 * time.Second})
		start := time.Now()
		rec := post(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-geocode","arguments":{"query":"Berlin"},"_meta":{"progressToken":"p"}}}`, nil)
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("took %v", d)
		}
		events := eventsOf(t, rec.Body.Bytes())
		if len(events) != 2 || !rec.Flushed {
			t.Fatalf("%d events, flushed %v", len(events), rec.Flushed)
		}
		want := `{"method":"notifications/progress","params":{"progressToken":"p","progress":0,"total":1,"message":"Asking TomTom"},"jsonrpc":"2.0"}`
		if got := string(events[0]); got != want {
			t.Errorf("got %s", got)
		}
	})
}

func TestLatencyEndsWithTheRequest(t *testing.T) {
	s := New(Options{Latency: time.Hour})
	ctx := t.Context()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-geocode","arguments":{"query":"Berlin"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer k")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	// The headers come at once; going away now must not leave the handler waiting, or Close would never return.
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Calls("tomtom-geocode") != 1 {
		t.Error("the call was not counted")
	}
}

func FuzzPost(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-geocode","arguments":{"query":"Berlin"}}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{"locations":[[181,2],[3,4]]}}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-data-viz","arguments":{"layers":[{"type":"line"}],"geojson":"{\"type\":\"Feature\"}"}}}`)
	f.Add(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
	f.Add(`{"jsonrpc":"2.0","id":[1],"method":"ping","params":1}`)
	s := New(Options{})
	f.Fuzz(func(t *testing.T, body string) {
		if rec := post(t, s, body, nil); rec.Code == http.StatusOK {
			eventsOf(t, rec.Body.Bytes())
		}
	})
}
