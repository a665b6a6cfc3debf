package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestAllConfigurationProblemsAtOnce: exit code 2, every variable named, nothing served.
func TestAllConfigurationProblemsAtOnce(t *testing.T) {
	_, stderr, code := testkit.Run(t, nil, []string{
		"GATEWAY_UPSTREAM_URL=ftp://x", "GATEWAY_RESULT_LIMIT=-1", "GATEWAY_TOOL_LIMITS=tomtom-routing", "GATEWAY_APPS=sometimes",
		"GATEWAY_UPSTREAM_TIMEOUT=soon", "GATEWAY_TEXT=shrink", "GATEWAY_LOG_LEVEL=loud", "GATEWAY_MAX_ERROR_M=-3",
		"GATEWAY_TILES=http://tiles.test/{z}", "GATEWAY_ALLOWED_ORIGINS=claude.ai", "GATEWAY_MAX_BUFFERED_BYTES=much",
	})
	if code != 2 {
		t.Errorf("exit code %d", code)
	}
	for _, name := range []string{
		"GATEWAY_UPSTREAM_URL", "GATEWAY_RESULT_LIMIT", "GATEWAY_TOOL_LIMITS", "GATEWAY_APPS", "GATEWAY_UPSTREAM_TIMEOUT",
		"GATEWAY_TEXT", "GATEWAY_LOG_LEVEL", "GATEWAY_MAX_ERROR_M", "GATEWAY_TILES", "GATEWAY_ALLOWED_ORIGINS", "GATEWAY_MAX_BUFFERED_BYTES",
	} {
		if !strings.Contains(stderr, name) {
			t.Errorf("%s is not named in:\n%s", name, stderr)
		}
	}
}

// TestUpstreamURLIsRequired and nothing else is.
func TestUpstreamURLIsRequired(t *testing.T) {
	_, stderr, code := testkit.Run(t, nil, nil)
	if code != 2 || !strings.Contains(stderr, "GATEWAY_UPSTREAM_URL") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if n := strings.Count(stderr, "GATEWAY_"); n > 3 {
		t.Errorf("more is asked for than the upstream: %s", stderr)
	}
}

// TestConfigPrintsEffectiveValues: with the contract's defaults, and secrets masked.
func TestConfigPrintsEffectiveValues(t *testing.T) {
	stdout, _, code := testkit.Run(t, nil, []string{"GATEWAY_UPSTREAM_URL=http://127.0.0.1:3000/mcp", "GATEWAY_MAP_KEY=very-secret-key", "GATEWAY_RESULT_LIMIT=90000"}, "config")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(stdout, "very-secret-key") || strings.Contains(stdout, "secret") {
		t.Error("the key is printed")
	}
	for name, value := range map[string]string{
		"GATEWAY_UPSTREAM_URL": "http://127.0.0.1:3000/mcp", "GATEWAY_LISTEN": ":8080", "GATEWAY_ADMIN_LISTEN": ":9090",
		"GATEWAY_RESULT_LIMIT": "90000", "GATEWAY_TOOL_LIMITS": "", "GATEWAY_APPS": "auto", "GATEWAY_ALLOWED_ORIGINS": "",
		"GATEWAY_LOG_LEVEL": "info", "GATEWAY_LOG_FORMAT": "json", "GATEWAY_UPSTREAM_TIMEOUT": "120s", "GATEWAY_MAX_REQUEST_BYTES": "16777216",
		"GATEWAY_MAX_RESPONSE_BYTES": "67108864", "GATEWAY_MAX_BUFFERED_BYTES": "268435456", "GATEWAY_MAX_ERROR_M": "1000",
		"GATEWAY_TOOL_MAX_ERRORS_M": "", "GATEWAY_TEXT": "auto", "GATEWAY_MAP_KEY": "", "GATEWAY_TILES": "https://api.tomtom.com/",
	} {
		line := ""
		for l := range strings.Lines(stdout) {
			if strings.Contains(l, name+"=") || strings.Contains(l, name+" ") || strings.Contains(l, name+"\t") {
				line = l
				break
			}
		}
		if line == "" || !strings.Contains(line, value) && !strings.Contains(line, strings.TrimSuffix(value, "0s")+"m0s") {
			t.Errorf("%s: want %s in %q", name, value, line)
		}
	}
}

// TestAdminAddress: health, readiness and metrics on their own port, not on the MCP one.
func TestAdminAddress(t *testing.T) {
	p := start(t, testkit.NewScript())
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := (testkit.Client{URL: p.Admin + path}).Do(t, http.MethodGet, "", nil); a.Status != http.StatusOK {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	if !strings.Contains(p.AdminText(t, "/metrics"), "# TYPE gateway_") {
		t.Error("no metrics")
	}
	p.up.Forget()
	p.same(t, "GET /metrics HTTP/1.1\r\nHost: u\r\n\r\n")
}

// TestNotReadyWithoutUpstream: a gateway that nobody answers behind takes no requests.
func TestNotReadyWithoutUpstream(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: testkit.NewScript(), ReadHeaderTimeout: testkit.Patience}
	go func() { _ = server.Serve(l) }()
	g := testkit.StartGateway(t, "http://"+l.Addr().String()+"/mcp")
	_ = server.Close()
	testkit.Eventually(t, "not ready", func() bool {
		return testkit.Client{URL: g.Admin + "/readyz"}.Do(t, http.MethodGet, "", nil).Status == http.StatusServiceUnavailable
	})
	if a := (testkit.Client{URL: g.Admin + "/healthz"}).Do(t, http.MethodGet, "", nil); a.Status != http.StatusOK {
		t.Errorf("/healthz %d", a.Status)
	}
}

// TestUpstreamTimeout: a whole answer, also one that has begun, takes no longer; the host gets a clear error.
func TestUpstreamTimeout(t *testing.T) {
	begun := func(w http.ResponseWriter, r *http.Request, m testkit.Message) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, progressEvent(1))
		_ = http.NewResponseController(w).Flush()
		testkit.Hang(w, r, m)
	}
	script := testkit.NewScript().Tool("tomtom-routing", testkit.Hang).Tool("tomtom-ev-routing", begun).Tool("other", testkit.Hang).On("x", testkit.Hang)
	p := start(t, script, "GATEWAY_UPSTREAM_TIMEOUT=300ms")
	for name, message := range map[string]string{
		"call": testkit.CallMessage("1", "tomtom-routing", `{}`), "call that begun": testkit.CallMessage("1", "tomtom-ev-routing", `{}`),
		"unknown tool": testkit.CallMessage("1", "other", `{}`), "unknown method": `{"jsonrpc":"2.0","id":1,"method":"x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			response, err := p.client().Start(t, http.MethodPost, message, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			body, _ := io.ReadAll(response.Body)
			if name != "call that begun" && response.StatusCode == http.StatusOK && !strings.Contains(string(body), `"error"`) {
				t.Errorf("%d %s", response.StatusCode, body)
			}
		})
	}
	if n := p.up.Calls("tomtom-routing"); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestSlowRequestsAreCutOff: 10 s for the headers, 30 s in all.
func TestSlowRequestsAreCutOff(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes 30 s")
	}
	p := start(t, testkit.NewScript())
	for name, c := range map[string]struct {
		sent  string
		limit time.Duration
	}{
		"headers": {"POST /mcp HTTP/1.1\r\nHost: u\r\n", 10 * time.Second},
		"body":    {"POST /mcp HTTP/1.1\r\nHost: u\r\nContent-Length: 100\r\n\r\n{", 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", p.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			began := time.Now()
			_ = conn.SetDeadline(began.Add(c.limit + 5*time.Second))
			_, _ = fmt.Fprint(conn, c.sent)
			_, err = io.Copy(io.Discard, bufio.NewReader(conn))
			if took := time.Since(began); errors.Is(err, os.ErrDeadlineExceeded) || took < c.limit-time.Second {
				t.Errorf("cut off after %v: %v", took, err)
			}
		})
	}
}

// TestLogSettings: level and format.
func TestLogSettings(t *testing.T) {
	script := routing(handleText, routeData)
	up := testkit.StartUpstream(t, script)
	for name, c := range map[string]struct {
		env  []string
		want func(string) bool
	}{
		"json":  {nil, func(s string) bool { return strings.Contains(s, `"tool":"tomtom-routing"`) }},
		"text":  {[]string{"GATEWAY_LOG_FORMAT=text"}, func(s string) bool { return strings.Contains(s, "tool=tomtom-routing") }},
		"error": {[]string{"GATEWAY_LOG_LEVEL=error"}, func(s string) bool { return !strings.Contains(s, "tomtom-routing") }},
	} {
		t.Run(name, func(t *testing.T) {
			g := testkit.StartGateway(t, up.URL, c.env...)
			testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", `{"show_ui":true}`)
			if name == "error" {
				testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", `{"show_ui":true}`)
			} else {
				testkit.Eventually(t, "the log line", func() bool { return c.want(g.LogText()) })
			}
			if !c.want(g.LogText()) {
				t.Errorf("log:\n%s", g.LogText())
			}
		})
	}
}

// TestLogHoldsNoSecrets: no key, no token, no arguments, no text, no handle, no app data.
func TestLogHoldsNoSecrets(t *testing.T) {
	script := routing(`{"secret text":1,"_meta":{"show_ui":true,"viz_id":"`+vizID+`"}}`, routeData)
	p := start(t, script, "GATEWAY_LOG_LEVEL=debug")
	header := map[string]string{"Authorization": "Bearer secret-token", "Cookie": "secret=cookie"}
	p.client().Do(t, http.MethodPost, testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true,"locations":"secret place"}`), header)
	script.Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(`secret no JSON`)))
	p.client().Do(t, http.MethodPost, testkit.CallMessage("1", "tomtom-routing", `{"show_ui":true,"locations":"secret place"}`), header)
	testkit.Eventually(t, "two log lines", func() bool { return len(p.LogLines(t, map[string]any{"tool": "tomtom-routing"})) >= 2 })
	for _, secret := range []string{testkit.Key, "secret", vizID, "52.2", "H4sI"} {
		if strings.Contains(p.LogText(), secret) {
			t.Errorf("%q is in the log:\n%s", secret, p.LogText())
		}
	}
}
