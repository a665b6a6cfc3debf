package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

// logged takes a gateway's JSON log, and waits for records in it. Writing to it never blocks.
type logged struct {
	mu    sync.Mutex
	grown *sync.Cond
	text  []byte
	read  int // what await has passed
	ended bool
}

func newLogged() *logged {
	l := &logged{}
	l.grown = sync.NewCond(&l.mu)
	return l
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.grown.Broadcast()
	return len(p), nil
}

// end says that nothing more will be written.
func (l *logged) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.grown.Broadcast()
}

// String is all that was written so far.
func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// await returns the next record with that message.
func (l *logged) await(t testing.TB, message string) map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		for {
			end := bytes.IndexByte(l.text[l.read:], '\n')
			if end < 0 {
				break
			}
			line := l.text[l.read : l.read+end]
			l.read += end + 1
			var record map[string]any
			if json.Unmarshal(line, &record) == nil && record["msg"] == message {
				return record
			}
		}
		if l.ended {
			t.Fatalf("the log ended before %q:\n%s", message, l.text)
		}
		l.grown.Wait()
	}
}

// serving starts a gateway in this process, on free ports, and waits until it serves.
func serving(t testing.TB, environ ...string) (record map[string]any, log *logged, stop func(), wait func() int) {
	t.Helper()
	log = newLogged()
	all := append([]string{"GATEWAY_LISTEN=127.0.0.1:0", "GATEWAY_ADMIN_LISTEN=127.0.0.1:0"}, environ...)
	stop, ended := background(t, streams{out: io.Discard, err: log}, all)
	code := make(chan int, 1)
	go func() {
		code <- ended()
		log.end()
	}()
	return log.await(t, "serving"), log, stop, func() int { return <-code }
}

func newUpstream(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(upstream.New(upstream.Options{}))
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

func fetch(t testing.TB, url string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return send(t, request)
}

// send sends a request and reads the answer to its end.
func send(t testing.TB, request *http.Request) (status int, body string) {
	t.Helper()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// callTool posts a JSON-RPC message as a host does and returns the answer's body.
func callTool(t testing.TB, url, message string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("tomtom-api-key", "caller-key")
	status, body := send(t, request)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	return body
}

func TestServe(t *testing.T) {
	record, log, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+newUpstream(t), "GATEWAY_MAP_KEY=top-secret",
		"GATEWAY_TOOL_LIMIT=1", "GATEWAY_RESULT_LIMIT=110000")
	if record["limit_chars"] != 110000.0 || record["apps"] != "auto" || record["text"] != "auto" || record["map_key"] != true ||
		!strings.HasPrefix(record["widget"].(string), "ui://") || !strings.HasPrefix(record["upstream"].(string), "http://127.0.0.1:") {
		t.Errorf("the first line says %v", record)
	}
	mcp, admin := "http://"+record["listen"].(string), "http://"+record["admin"].(string)

	answer := callTool(t, mcp+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing",`+
		`"arguments":{"locations":[[4.9,52.4],[5.1,52.1]],"show_ui":true}}}`)
	if !strings.Contains(answer, `"com.tomtom/app-data-status":"inline"`) {
		t.Errorf("the call gives %.300s", answer)
	}
	// What is not MCP passes to the upstream.
	if status, body := fetch(t, mcp+"/health"); status != http.StatusOK || !strings.Contains(body, `"mode":"http"`) {
		t.Errorf("/health gives %d %s", status, body)
	}
	for path, want := range map[string]string{"/healthz": "alive\n", "/startupz": "started\n", "/readyz": "ready\n", "/metrics": "gateway_build_info{"} {
		if status, body := fetch(t, admin+path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s gives %d %.200s", path, status, body)
		}
	}
	// Each address serves its own alone.
	if status, _ := fetch(t, mcp+"/metrics"); status == http.StatusOK {
		t.Error("the metrics are public")
	}

	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	text := log.String()
	for _, want := range []string{`"msg":"draining"`, `"msg":"stopped"`, `"variable":"GATEWAY_TOOL_LIMIT"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the log:\n%s", want, text)
		}
	}
	if strings.Contains(text, "top-secret") || strings.Contains(text, "caller-key") {
		t.Errorf("a secret is in the log:\n%s", text)
	}
}

func TestNotReadyWithoutUpstream(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	record, _, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+gone.URL+"/mcp")
	if status, body := fetch(t, "http://"+record["admin"].(string)+"/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "refused") {
		t.Errorf("got %d %s", status, body)
	}
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, variable := range []string{"GATEWAY_LISTEN", "GATEWAY_ADMIN_LISTEN"} {
		t.Run(variable, func(t *testing.T) {
			environ := []string{upstreamSet, "GATEWAY_LISTEN=127.0.0.1:0", "GATEWAY_ADMIN_LISTEN=127.0.0.1:0", variable + "=" + taken.Addr().String()}
			_, stderr, code := runCommand(t, "", environ)
			if code != exitFailed || !strings.Contains(stderr, "the port is taken") || !strings.Contains(stderr, variable) {
				t.Errorf("exit code %d, %s", code, stderr)
			}
		})
	}
}

func TestServeRefusesABadEnvironment(t *testing.T) {
	stdout, stderr, code := runCommand(t, "", []string{"GATEWAY_TEXT=x"})
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, "GATEWAY_UPSTREAM_URL is not set") || !strings.Contains(stderr, "GATEWAY_TEXT=x") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// The real program, with a real signal: the request in flight is answered, and the exit code is 0.
func TestSIGTERM(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-release
		_, _ = io.WriteString(w, "late answer")
	}))
	defer server.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gateway := exec.CommandContext(t.Context(), self)
	gateway.Env = []string{asGateway + "=1", "GATEWAY_UPSTREAM_URL=" + server.URL + "/mcp", "GATEWAY_LISTEN=127.0.0.1:0", "GATEWAY_ADMIN_LISTEN=127.0.0.1:0"}
	log := newLogged()
	gateway.Stderr = log
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() {
		exited <- gateway.Wait()
		log.end()
	}()
	record := log.await(t, "serving")
	answered := make(chan string, 1)
	go func() {
		_, body := fetch(t, "http://"+record["listen"].(string)+"/late")
		answered <- body
	}()
	<-begun
	if err := gateway.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if draining := log.await(t, "draining"); draining["in_flight"] != 1.0 {
		t.Errorf("draining with %v", draining)
	}
	close(release)
	if body := <-answered; body != "late answer" {
		t.Errorf("the request in flight got %q", body)
	}
	if err := <-exited; err != nil {
		t.Errorf("the gateway ended with %v:\n%s", err, log)
	}
}

// TestStreamsDoNotHoldUpTheEnd: a stream that would never end by itself ends, complete, when the gateway is told to end.
func TestStreamsDoNotHoldUpTheEnd(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			http.NotFound(w, r) // what the gateway asks on its own behalf
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": hello\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	record, log, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+server.URL+"/mcp", "GATEWAY_DRAIN_TIMEOUT=1h")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+record["listen"].(string)+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	begun := make([]byte, len(": hello\n\n"))
	if _, err := io.ReadFull(response.Body, begun); err != nil {
		t.Fatal(err)
	}
	stop()
	if rest, err := io.ReadAll(response.Body); err != nil || len(rest) > 0 {
		t.Errorf("the stream broke off: %v after %q", err, rest)
	}
	if code := wait(); code != exitOK || strings.Contains(log.String(), "cut off") {
		t.Errorf("exit code %d:\n%s", code, log)
	}
}
