package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

// opened is a page that a command has printed the URL of.
type opened struct{ origin, token string }

// openedPage is the page whose URL stands first in what was printed.
func openedPage(t testing.TB, welcome string) opened {
	t.Helper()
	found := regexp.MustCompile(`^\nOpen this page to see it work:\n\n    (http://127\.0\.0\.1:\d+)/\?token=([0-9a-f]{32})\n`).FindStringSubmatch(welcome)
	if found == nil {
		t.Fatalf("no page stands first in\n%s", welcome)
	}
	return opened{found[1], found[2]}
}

// ask sends a request of the page and returns status and body.
func (o opened) ask(t testing.TB, method, path, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, o.origin+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Preview-Token", o.token)
	r.Header.Set("Content-Type", "application/json")
	return send(t, r)
}

// route has the page call a tool, and returns the call's id and what its limit made of it.
func (o opened) route(t testing.TB) (id, status string) {
	t.Helper()
	var message struct{ Params json.RawMessage }
	if err := json.Unmarshal([]byte(demoCall), &message); err != nil {
		t.Fatal(err)
	}
	body := strings.Replace(string(message.Params), `"name"`, `"tool"`, 1)
	code, answer := o.ask(t, http.MethodPost, "/api/calls", body)
	var call struct {
		ID  string
		Fit struct{ Status string }
	}
	if err := json.Unmarshal([]byte(answer), &call); err != nil || code != http.StatusOK {
		t.Fatalf("status %d: %.300s", code, answer)
	}
	return call.ID, call.Fit.Status
}

// sandbox is the page's second origin.
func (o opened) sandbox(t testing.TB) string {
	t.Helper()
	_, answer := o.ask(t, http.MethodGet, "/api/session", "")
	var session struct{ Sandbox string }
	if err := json.Unmarshal([]byte(answer), &session); err != nil {
		t.Fatal(err)
	}
	return session.Sandbox
}

// The page's URL comes first. The page works, at the demo's limit, and is gone with the demo.
func TestDemoPage(t *testing.T) {
	welcome, stop, wait := demonstrating(t, nil, "-limit", "60000")
	page := openedPage(t, welcome)
	if status, body := page.ask(t, http.MethodGet, "/?token="+page.token, ""); status != http.StatusOK || !strings.Contains(body, "<!doctype html>") {
		t.Errorf("status %d: %.300s", status, body)
	}
	id, fitted := page.route(t)
	if fitted != "fitted" {
		t.Errorf("status %s", fitted)
	}
	if _, body := page.ask(t, http.MethodGet, "/api/calls/"+id+"/fit?original=false", ""); !strings.Contains(body, `"limit":60000`) {
		t.Errorf("%.300s", body)
	}
	sandbox := page.sandbox(t)
	if !strings.HasPrefix(sandbox, "http://localhost:") {
		t.Errorf("the sandbox is no other site: %s", sandbox)
	}
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for _, origin := range []string{page.origin, sandbox} {
		if conn, err := net.Dial("tcp", strings.TrimPrefix(origin, "http://")); err == nil {
			_ = conn.Close()
			t.Errorf("%s still listens", origin)
		}
	}
}

func TestDemoWithoutPage(t *testing.T) {
	welcome, stop, wait := demonstrating(t, nil, "-no-page")
	if strings.Contains(welcome, "token") || !strings.HasPrefix(welcome, "made-up TomTom server") {
		t.Errorf("it says\n%s", welcome)
	}
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// previewKey is an operator's key.
const previewKey = "an-operators-key-0123456789"

// The page in front of a server of one's own calls with the key of the environment, which is nowhere to be seen.
func TestPreview(t *testing.T) {
	up := upstream.New(upstream.Options{})
	var without atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Tomtom-Api-Key") != previewKey {
			without.Add(1)
		}
		up.ServeHTTP(w, r)
	}))
	defer server.Close()
	for name, run := range map[string]struct{ environ, args []string }{
		"flag":                {[]string{"TOMTOM_API_KEY=" + previewKey, "GATEWAY_UPSTREAM_URL=http://192.0.2.1/mcp"}, []string{"-upstream", server.URL + "/mcp", "-limit", "60000"}},
		"environment":         {[]string{"TOMTOM_API_KEY=" + previewKey, "GATEWAY_UPSTREAM_URL=" + server.URL + "/mcp", "GATEWAY_RESULT_LIMIT=60000"}, nil},
		"key by another name": {[]string{"MAPS_KEY=" + previewKey, "TOMTOM_API_KEY=another"}, []string{"-key-env", "MAPS_KEY", "-upstream", server.URL + "/mcp", "-limit", "60000"}},
	} {
		t.Run(name, func(t *testing.T) {
			log := newLogged()
			args := append(append([]string{"preview"}, freePages...), run.args...)
			welcome, stop, wait := welcoming(t, log, run.environ, args...)
			page := openedPage(t, welcome)
			calls := up.Calls("tomtom-routing")
			id, status := page.route(t)
			code, body := page.ask(t, http.MethodGet, "/api/calls/"+id+"/fit?original=false", "")
			if status != "fitted" || code != http.StatusOK || !strings.Contains(body, `"limit":60000`) {
				t.Errorf("status %s, %d: %.300s", status, code, body)
			}
			if up.Calls("tomtom-routing") != calls+1 || without.Load() > 0 {
				t.Errorf("%d calls, %d requests without the key", up.Calls("tomtom-routing")-calls, without.Load())
			}
			stop()
			if code := wait(); code != exitOK {
				t.Errorf("exit code %d", code)
			}
			if said := welcome + log.String(); strings.Contains(said, previewKey) || !strings.Contains(welcome, server.URL) {
				t.Errorf("it says %s", said)
			}
			if strings.Contains(log.String(), page.token) {
				t.Errorf("the log has the token: %s", log)
			}
		})
	}
}

// A command is a server, too. It gets the key by the name that it knows, and ends with the page.
func TestPreviewOfACommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := newLogged()
	args := append(append([]string{"preview", "-key-env", "MAPS_KEY"}, freePages...), "--", self, "demo", "-upstream-stdio")
	welcome, stop, wait := welcoming(t, log, []string{asGateway + "=1", "MAPS_KEY=" + previewKey}, args...)
	page := openedPage(t, welcome)
	if _, status := page.route(t); status != "fitted" {
		t.Errorf("status %s", status)
	}
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if said := log.String(); strings.Count(said, "server started") != strings.Count(said, "server stopped") || strings.Contains(said, previewKey) {
		t.Errorf("the log says %s", said)
	}
}

// A call that runs when the end comes is waited for until the deadline, and no longer, at whichever limit.
func TestPreviewEndsWhileACallRuns(t *testing.T) {
	for _, body := range []string{`{"tool":"tomtom-traffic"}`, `{"tool":"tomtom-traffic","limit":60000}`} {
		t.Run(body, func(t *testing.T) { previewEndsWhileACallRuns(t, body) })
	}
}

func previewEndsWhileACallRuns(t *testing.T, body string) {
	t.Helper()
	up := upstream.New(upstream.Options{})
	arrived, held := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "tools/call") {
			close(arrived)
			select {
			case <-held:
			case <-r.Context().Done():
			}
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		up.ServeHTTP(w, r)
	}))
	defer server.Close()
	defer close(held)
	args := append([]string{"preview", "-upstream", server.URL + "/mcp"}, freePages...)
	welcome, stop, wait := welcoming(t, io.Discard, []string{"TOMTOM_API_KEY=" + previewKey, "GATEWAY_DRAIN_TIMEOUT=50ms"}, args...)
	page := openedPage(t, welcome)
	cut := make(chan error, 1)
	go func() {
		r, err := http.NewRequest(http.MethodPost, page.origin+"/api/calls", strings.NewReader(body))
		if err == nil {
			r.Header = http.Header{"Preview-Token": {page.token}, "Content-Type": {"application/json"}}
			var resp *http.Response
			if resp, err = http.DefaultTransport.RoundTrip(r); err == nil {
				_ = resp.Body.Close()
			}
		}
		cut <- err
	}()
	<-arrived
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if err := <-cut; err == nil {
		t.Error("the call has an answer")
	}
}

// A key that stands in place of its variable's name is not repeated.
func TestPreviewDoesNotRepeatAKey(t *testing.T) {
	stdout, stderr, code := runCommand(t, "", nil, "preview", "-upstream", "http://127.0.0.1:9/mcp", "-key-env", "aBcD1234secret")
	if code != exitUsage || strings.Contains(stdout+stderr, "aBcD1234secret") || !strings.Contains(stderr, "-key-env") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	_, stderr, code = runCommand(t, "", []string{"TOMTOM_API_KEY=two words"}, "preview", "-upstream", "http://127.0.0.1:9/mcp")
	if code != exitUsage || strings.Contains(stderr, "two words") || !strings.Contains(stderr, "holds no TomTom key") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
