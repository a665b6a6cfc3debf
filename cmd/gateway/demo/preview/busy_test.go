package preview_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview"
	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

// inMemory is an upstream that is asked without a network, so that synctest's clock rules over it.
type inMemory struct{ http.Handler }

func (u inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	u.ServeHTTP(w, r)
	return w.Result(), nil
}

// So many calls run at a time; one more waits for its turn, and is then told to come back. Nothing of it runs.
func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		up, held := upstream.New(upstream.Options{}), make(chan struct{})
		o := preview.Options{
			Gateway: gatewayOptions(t, "http://127.0.0.1:3000/mcp"), Credential: credential,
			PageOrigin: "http://127.0.0.1:8090", SandboxOrigin: "http://localhost:8091", MaxAtOnce: 2,
		}
		o.Gateway.Transport = inMemory{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), "tomtom-geocode") {
				<-held
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			up.ServeHTTP(w, r)
		})}
		p, err := preview.New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close(t.Context())
		call := func() int {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/calls",
				strings.NewReader(`{"tool":"tomtom-geocode","arguments":{"query":"Berlin"}}`))
			r.Host = "127.0.0.1:8090"
			_, token, _ := strings.Cut(p.URL(), "token=")
			r.Header.Set(preview.HeaderToken, token)
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			p.Page().ServeHTTP(w, r)
			return w.Code
		}
		statuses := make(chan int, 2)
		for range 2 {
			go func() { statuses <- call() }()
		}
		synctest.Wait()
		if got := call(); got != http.StatusServiceUnavailable {
			t.Errorf("a third call: status %d", got)
		}
		close(held)
		for range 2 {
			if got := <-statuses; got != http.StatusOK {
				t.Errorf("one of the two: status %d", got)
			}
		}
		if n := up.Calls("tomtom-geocode"); n != 2 {
			t.Errorf("%d calls", n)
		}
	})
}
