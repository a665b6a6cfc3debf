package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
)

// received is one request as the upstream got it.
type received struct {
	method, uri, remote, host string
	header                    http.Header
	length                    int64
	body                      []byte
	message                   message // the first one
	r                         *http.Request
}

// fakeUpstream is an upstream over real TCP that answers as told and notes every request.
type fakeUpstream struct {
	*httptest.Server
	mu     sync.Mutex
	log    []received
	answer func(w http.ResponseWriter, in received)
	// versions are what an upstream of the modern era names; nil: it is a legacy one. What the gateway asks to find that out
	// is answered before answer and is not in the log.
	versions []string
	// questions is asked first how such a question is answered; nil: nobody is.
	questions func(w http.ResponseWriter, in received) (answered bool)
}

func newUpstreamServer(t testing.TB, answer func(w http.ResponseWriter, in received)) *fakeUpstream {
	t.Helper()
	u := &fakeUpstream{answer: answer}
	u.Server = httptest.NewServer(u)
	t.Cleanup(u.Close)
	return u
}

func (u *fakeUpstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	in := received{
		method: r.Method, uri: r.RequestURI, remote: r.RemoteAddr, host: r.Host, header: r.Header, length: r.ContentLength,
		body: body, r: r,
	}
	if messages, _, err := scanMessages(body); err == nil && len(messages) > 0 {
		in.message = messages[0]
	}
	if isEraQuestion(in.message) {
		if u.questions == nil || !u.questions(w, in) {
			u.answerEra(w, in)
		}
		return
	}
	u.mu.Lock()
	u.log = append(u.log, in)
	u.mu.Unlock()
	u.answer(w, in)
}

// dualEra are the versions of an upstream that speaks both eras.
var dualEra = []string{modernVersion, "2025-11-25"}

// isEraQuestion reports whether m is what a gateway asks to find out an upstream's era.
func isEraQuestion(m message) bool {
	return strings.HasPrefix(stringAt(m.body, m.id), "gateway-ask-") && (m.method == methodDiscover || m.method == methodInitialize || m.method == methodPing)
}

// answerEra says what a server of the fake's era says: a legacy one knows no server/discover, a modern one no initialize.
func (u *fakeUpstream) answerEra(w http.ResponseWriter, in received) {
	u.mu.Lock()
	defer u.mu.Unlock()
	id := in.message.raw(in.message.id)
	legacy := slices.Contains(u.versions, "2025-11-25") || u.versions == nil
	switch {
	case in.message.method == methodPing:
		writeError(w, http.StatusBadRequest, unsupportedVersion(u.versions, in.header.Get(headerVersion)))
	case in.message.method == methodInitialize && !legacy, in.message.method == methodDiscover && u.versions == nil:
		writeJSON(w, http.StatusNotFound, errorResponse(id, unknownMethod(in.message.method)))
	case in.message.method == methodDiscover:
		writeJSON(w, http.StatusOK, resultResponse(id, []byte(`{"resultType":"complete","supportedVersions":`+string(quotedArray(u.versions))+`,`+
			`"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}}`)))
	default:
		answerEvent(w, in, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`)
	}
}

// requests returns what has come in so far.
func (u *fakeUpstream) requests() []received {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]received(nil), u.log...)
}

// calls returns the tools/call requests of a tool that have come in so far.
func (u *fakeUpstream) calls(tool string) (calls []received) {
	for _, in := range u.requests() {
		messages, _, _ := scanMessages(in.body)
		for _, m := range messages {
			if m.method == methodCallTool && m.name == tool {
				calls = append(calls, in)
			}
		}
	}
	return calls
}

// gateway is a Gateway in front of an upstream, over real TCP.
type gateway struct {
	*Gateway
	server *httptest.Server
	logged *logBuffer
	client *http.Client
}

// newGateway starts a gateway in front of upstream. Each of change sets options.
func newGateway(t testing.TB, upstream string, change ...func(*Options)) *gateway {
	t.Helper()
	u, err := url.Parse(upstream + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	logged := &logBuffer{}
	options := Options{
		Upstream: u, Widget: testWidget, UpstreamTimeout: 20 * time.Second,
		Logger:  slog.New(slog.NewJSONHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics: prometheus.NewRegistry(),
	}
	for _, c := range change {
		c(&options)
	}
	g, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(g)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		g.Close()
	})
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &gateway{Gateway: g, server: server, logged: logged, client: &http.Client{Transport: transport}}
}

// logBuffer collects log lines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// calls returns the lines about tool calls.
func (b *logBuffer) calls(t testing.TB) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(b.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		if fields["msg"] == "tool call" {
			lines = append(lines, fields)
		}
	}
	return lines
}

// answer is a whole HTTP answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends one request to the gateway and reads the answer.
func (g *gateway) do(t testing.TB, method, path string, header http.Header, body []byte) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, g.server.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		request.Header = header.Clone()
	}
	resp, err := g.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBody(resp)
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, got}
}

// mcpHeader are the headers of an MCP host.
func mcpHeader(more ...string) http.Header {
	h := http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Tomtom-Api-Key": {"secret-key"},
	}
	for pair := range slices.Chunk(more, 2) {
		h.Set(pair[0], pair[1])
	}
	return h
}

func (g *gateway) post(t testing.TB, body string, more ...string) answer {
	t.Helper()
	return g.do(t, http.MethodPost, "/mcp", mcpHeader(more...), []byte(body))
}

// call runs a tool through the gateway and returns the raw result.
func (g *gateway) call(t testing.TB, tool, args string) json.RawMessage {
	t.Helper()
	got := g.post(t, callOf(`1`, tool, args))
	if got.status != http.StatusOK {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	return resultOf(t, got)
}

// callOf is a tools/call request.
func callOf(id, tool, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":` + strconv.Quote(tool) + `,"arguments":` + args + `}}`
}

// resultOf returns the raw result of the only response in an answer.
func resultOf(t testing.TB, a answer) json.RawMessage {
	t.Helper()
	data := a.body
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		data = lastData(t, a.body)
	}
	var envelope struct{ Result json.RawMessage }
	if err := json.Unmarshal(data, &envelope); err != nil || envelope.Result == nil {
		t.Fatalf("no result in %.300s: %v", data, err)
	}
	return envelope.Result
}

// lastData returns the data of the last event of a stream.
func lastData(t testing.TB, stream []byte) []byte {
	t.Helper()
	events := newEventReader(bytes.NewReader(stream), 1<<30, newMemory)
	var data []byte
	for {
		ev, err := events.next()
		if err != nil {
			if data == nil {
				t.Fatalf("no event in %.300q", stream)
			}
			return data
		}
		if ev.isMessage() {
			data = bytes.Clone(ev.data())
		}
	}
}

// toolResultOf is what a test wants to know of a CallToolResult.
type toolResultOf struct {
	Content []struct {
		Type, Text string
	}
	Meta struct {
		AppData        []byte `json:"-"`
		RawAppData     string `json:"com.tomtom/app-data"`
		Status         string `json:"com.tomtom/app-data-status"`
		Simplification *struct {
			OriginalPoints int      `json:"original_points"`
			Points         int      `json:"points"`
			MaxErrorM      float64  `json:"max_error_m"`
			Shed           []string `json:"shed"`
		} `json:"com.tomtom/simplification"`
		ShowUI *bool  `json:"show_ui"`
		Tool   string `json:"tool"`
	} `json:"_meta"`
	IsError bool
}

// parseResult decodes a result, and its app data where it has some.
func parseResult(t testing.TB, raw json.RawMessage) (res toolResultOf, document []byte) {
	t.Helper()
	if err := json.Unmarshal(raw, &res); err != nil {
		t.Fatalf("%v in %.300s", err, raw)
	}
	if res.Meta.RawAppData == "" {
		return res, nil
	}
	document, err := fitter.Decode([]byte(res.Meta.RawAppData), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return res, document
}

// eventOf is an SSE event as the TomTom server writes it.
func eventOf(id, result string) string {
	return "event: message\ndata: {\"result\":" + result + ",\"jsonrpc\":\"2.0\",\"id\":" + id + "}\n\n"
}

// textResultOf is a result of one text item.
func textResultOf(text string) string {
	return `{"content":[{"type":"text","text":` + string(jsonspan.AppendQuoted(nil, []byte(text))) + `}]}`
}

// answerEvent answers a request with one event.
func answerEvent(w http.ResponseWriter, in received, result string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = io.WriteString(w, eventOf(string(in.message.raw(in.message.id)), result))
}

// tomtom answers calls with the texts of tools, by name, in the TomTom server's framing.
func tomtom(texts map[string]string) func(http.ResponseWriter, received) {
	return func(w http.ResponseWriter, in received) {
		text, ok := texts[in.message.name]
		if !ok {
			answerEvent(w, in, `{"content":[{"type":"text","text":"Visualization data not found or expired"}],"isError":true}`)
			return
		}
		answerEvent(w, in, textResultOf(text))
	}
}

// dictated answers with a stream of what comes from next, until that is closed.
func dictated(w http.ResponseWriter, in received, next <-chan string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for flush := flusher(w); ; {
		flush()
		select {
		case event, more := <-next:
			if !more {
				return
			}
			_, _ = io.WriteString(w, event)
		case <-in.r.Context().Done():
			return
		}
	}
}

// dropConnection resets the connection of an answer.
func dropConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
