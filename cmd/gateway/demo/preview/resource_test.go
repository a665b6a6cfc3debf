package preview_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"tomtom-mcp-gateway/e2e/hostile"
)

// Only one document of the right kind is drawn, and only from a ui:// address is anything fetched.
func TestResources(t *testing.T) {
	var requests atomic.Int64
	up := hostile.New()
	s := show(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		up.ServeHTTP(w, r)
	}), nil)
	s.get("/api/session", http.StatusOK)
	tests := []struct {
		uri, says string
		want      int
	}{
		{"", "begins with ui://", http.StatusBadRequest},
		{"https://evil.example.com/widget.html", "begins with ui://", http.StatusBadRequest},
		{"http://169.254.169.254/", "begins with ui://", http.StatusBadRequest},
		{"file:///etc/passwd", "begins with ui://", http.StatusBadRequest},
		{"UI://hostile/escape.html", "begins with ui://", http.StatusBadRequest},
		{" ui://hostile/escape.html", "begins with ui://", http.StatusBadRequest},
		{"ui:/hostile", "begins with ui://", http.StatusBadRequest},
		{"ui://" + strings.Repeat("a", 3000), "begins with ui://", http.StatusBadRequest},
		{hostile.TwoURI, "2 contents", http.StatusBadGateway},
		{hostile.TypeURI, `"text/html"`, http.StatusBadGateway},
		{hostile.LargeURI, "more than 8388608 bytes", http.StatusBadGateway},
		{hostile.EmptyURI, "needs a text or a blob", http.StatusBadGateway},
		{hostile.MissingURI, "refused: not here", http.StatusBadGateway},
		{hostile.EscapeURI, "means harm", http.StatusOK},
		{hostile.BlobURI, "means harm", http.StatusOK},
	}
	for _, tt := range tests {
		t.Run(clip(tt.uri), func(t *testing.T) {
			before := requests.Load()
			body := s.get("/api/resource?uri="+url.QueryEscape(tt.uri), tt.want)
			if tt.want == http.StatusBadRequest && requests.Load() != before {
				t.Error("something was fetched")
			}
			var says string
			if tt.want == http.StatusOK {
				says = decode[struct{ HTML string }](t, body).HTML
			} else {
				says = decode[struct{ Error string }](t, body).Error
			}
			if !strings.Contains(says, tt.says) {
				t.Errorf("it says %s", clip(says))
			}
		})
	}
}

// Views are bounded: the oldest cannot be opened any more.
func TestViewsAreBounded(t *testing.T) {
	t.Parallel()
	s := show(t, hostile.New(), nil)
	var addresses []string
	for range 65 {
		addresses = append(addresses, decode[struct{ Sandbox string }](t, s.get("/api/resource?uri="+hostile.EscapeURI, http.StatusOK)).Sandbox)
	}
	for i, want := range map[int]int{0: http.StatusNotFound, 1: http.StatusOK, 64: http.StatusOK} {
		s.want(s.request(http.MethodGet, addresses[i], ""), want)
	}
	s.wantMethod(addresses[64], http.MethodPost, http.StatusForbidden) // as a script's, with an origin
	s.wantMethod(addresses[64], http.MethodDelete, http.StatusMethodNotAllowed)
}

func (s *shown) wantMethod(address, method string, want int) {
	s.t.Helper()
	if got := s.do(s.request(method, address, "")); got.status != want {
		s.t.Errorf("%s: status %d", method, got.status)
	}
}
