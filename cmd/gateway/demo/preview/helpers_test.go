package preview_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview"
	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/proxy"
	"tomtom-mcp-gateway/widgets"
)

// credential is the operator's key in these tests. Whatever the page or a widget gets is searched for it.
const credential = "operators-secret-0123456789"

// shown is a preview that listens, and everything that it has answered.
type shown struct {
	t             testing.TB
	page, sandbox string // origins
	token         string
	preview       *preview.Preview
	server        *httptest.Server // the upstream's

	mu       sync.Mutex
	received bytes.Buffer
}

// show starts a preview in front of an upstream. change, where it is not nil, changes its options.
func show(t testing.TB, up http.Handler, change func(*preview.Options)) *shown {
	t.Helper()
	s := &shown{t: t, server: httptest.NewServer(up)}
	t.Cleanup(s.server.Close)
	page, sandbox := listen(t), listen(t)
	o := preview.Options{
		Gateway: gatewayOptions(t, s.server.URL+"/mcp"), Credential: credential,
		PageOrigin: "http://" + page.Addr().String(), SandboxOrigin: "http://" + sandbox.Addr().String(),
	}
	if change != nil {
		change(&o)
	}
	p, err := preview.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.page, s.sandbox, s.preview = o.PageOrigin, o.SandboxOrigin, p
	opened, err := url.Parse(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	s.token = opened.Query().Get("token")
	for l, h := range map[net.Listener]http.Handler{page: p.Page(), sandbox: p.Sandbox()} {
		server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(l) }()
		t.Cleanup(func() { _ = server.Close() })
	}
	t.Cleanup(func() { p.Close(context.Background()) })
	t.Cleanup(s.searchForCredential)
	return s
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// gatewayOptions are those of a gateway as the demo has it.
func gatewayOptions(t testing.TB, endpoint string) proxy.Options {
	t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	widget, err := widgets.New(widgets.Config{Tiles: "https://tiles.example.com/{z}/{x}/{y}"})
	if err != nil {
		t.Fatal(err)
	}
	return proxy.Options{
		Upstream: u, Logger: slog.New(slog.DiscardHandler), Version: "test",
		Widget: proxy.Resource{
			URI: widget.URI, Name: "map", MIMEType: widget.MIMEType, HTML: widget.HTML,
			ConnectDomains: widget.ConnectDomains, ResourceDomains: widget.ResourceDomains,
		},
	}
}

// demo is the made-up server, shown.
func demo(t testing.TB, o upstream.Options, change func(*preview.Options)) (*shown, *upstream.Server) {
	t.Helper()
	up := upstream.New(o)
	return show(t, up, change), up
}

// searchForCredential fails the test if anything that was received holds the operator's key.
func (s *shown) searchForCredential() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := strings.Index(s.received.String(), credential); i >= 0 {
		s.t.Errorf("the credential reached the page: …%s…", clip(s.received.String()[max(0, i-100):]))
	}
}

func clip(text string) string { return text[:min(len(text), 300)] }

// request is one to the page or the sandbox as the page's script makes it.
func (s *shown) request(method, address, body string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set(preview.HeaderToken, s.token)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		r.Header.Set("Origin", s.page)
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// answered is an answer that was read to its end.
type answered struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request and reads the answer.
func (s *shown) do(r *http.Request) answered {
	s.t.Helper()
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintln(&s.received, resp.Header)
	s.received.Write(body)
	return answered{resp.StatusCode, resp.Header, body}
}

// get asks the API, and wants a status.
func (s *shown) get(path string, status int) []byte {
	s.t.Helper()
	return s.want(s.request(http.MethodGet, s.page+path, ""), status)
}

// post does so with a body.
func (s *shown) post(path string, body any, status int) []byte {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.want(s.request(http.MethodPost, s.page+path, string(text)), status)
}

func (s *shown) want(r *http.Request, status int) []byte {
	s.t.Helper()
	got := s.do(r)
	if got.status != status {
		s.t.Fatalf("%s %s: status %d, want %d: %s", r.Method, r.URL.Path, got.status, status, clip(string(got.body)))
	}
	if status >= http.StatusBadRequest {
		var failed struct{ Error string }
		if err := json.Unmarshal(got.body, &failed); err != nil || failed.Error == "" || len(got.header["Content-Type"]) != 1 {
			s.t.Errorf("%s %s: no sentence says what is wrong: %s", r.Method, r.URL.Path, clip(string(got.body)))
		}
	}
	return got.body
}

// fit is what the API says of a result.
type fit struct {
	Limit          int
	Result         json.RawMessage
	Characters     int
	TextCharacters int `json:"text_characters"`
	DataCharacters int `json:"data_characters"`
	Tokens         int
	Status         string
	Simplification *struct {
		OriginalPoints int     `json:"original_points"`
		Points         int     `json:"points"`
		MaxErrorM      float64 `json:"max_error_m"`
	}
	Agent   []string
	Largest *struct {
		At, Drawn [2]float64
		ErrorM    float64 `json:"error_m"`
	}
	Original [][][2]float64
}

type call struct {
	ID, Tool  string
	Arguments json.RawMessage
	Fit       fit
}

func decode[T any](t testing.TB, body []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v in %s", err, clip(string(body)))
	}
	return v
}

// run calls a tool. limit 0 is the operator's.
func (s *shown) run(tool, arguments string, limit int) call {
	s.t.Helper()
	body := map[string]any{"tool": tool, "arguments": json.RawMessage(arguments), "from": "agent"}
	if limit != 0 {
		body["limit"] = limit
	}
	return decode[call](s.t, s.post("/api/calls", body, http.StatusOK))
}

// fitAt asks what a call would be at a limit.
func (s *shown) fitAt(id string, limit int) fit {
	s.t.Helper()
	return decode[fit](s.t, s.get(fmt.Sprintf("/api/calls/%s/fit?limit=%d", id, limit), http.StatusOK))
}

// lisbonWarsaw is a route of about 40,000 vertices.
const lisbonWarsaw = `{"locations":[[-9.1393,38.7223],[21.0122,52.2297]],"show_ui":true}`
