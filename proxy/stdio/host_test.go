package stdio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// fakeHost is a host in front of a handler: a test writes its lines and reads what comes back.
type fakeHost struct {
	in    io.WriteCloser
	lines chan string
	ended chan error
	log   *syncBuffer
}

func newFakeHost(t testing.TB, handler http.HandlerFunc, change ...func(*HostOptions)) *fakeHost {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	h := &fakeHost{in: inWrite, lines: make(chan string, 10_000), ended: make(chan error, 1), log: &syncBuffer{}}
	options := HostOptions{Path: "/mcp", Drain: patience, Log: slog.New(slog.NewTextHandler(h.log, nil))}
	for _, c := range change {
		c(&options)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		h.ended <- ServeHost(ctx, handler, inRead, outWrite, options)
		_ = outWrite.Close()
	}()
	go func() {
		defer close(h.lines)
		lines := bufio.NewReader(outRead)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			h.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = inWrite.Close()
	})
	return h
}

func (h *fakeHost) says(t testing.TB, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(h.in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
}

func (h *fakeHost) hears(t testing.TB) string {
	t.Helper()
	select {
	case line := <-h.lines:
		return line
	case <-time.After(patience):
		t.Fatal("the host hears nothing")
	}
	return ""
}

func (h *fakeHost) hearsExactly(t testing.TB, want string) {
	t.Helper()
	if got := h.hears(t); got != want {
		t.Errorf("the host heard %.500s\nwant %s", got, want)
	}
}

// end closes the host's input and returns what else comes.
func (h *fakeHost) end(t testing.TB) (rest []string, err error) {
	t.Helper()
	_ = h.in.Close()
	for line := range h.lines {
		rest = append(rest, line)
	}
	select {
	case err = <-h.ended:
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
	return rest, err
}

// answering writes a body of a content type.
func answering(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(headerType, contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestHostHearsWhatTheHandlerAnswers(t *testing.T) {
	const answer = `{"id":1,"result":{"x":0.10,"é":"<>"} }`
	big := `{"id":1,"result":"` + strings.Repeat("x", 3*maxHeldLine) + `"}`
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		line    string
		want    []string
	}{
		"JSON":                          {handler: answering(200, typeJSON, answer), want: []string{answer}},
		"JSON in several lines":         {handler: answering(200, typeJSON, "{\n\"id\":1,\r\n\"result\":{}}\n"), want: []string{`{ "id":1,  "result":{}} `}},
		"events":                        {handler: answering(200, typeEvents, ": hi\n\nevent: message\ndata: {\"method\":\"n\"}\n\nid: 4\ndata:"+answer+"\n\n"), want: []string{`{"method":"n"}`, answer}},
		"data in several lines":         {handler: answering(200, typeEvents, "data: {\"id\":1,\r\ndata: \"result\":{}}\r\n\r\n"), want: []string{`{"id":1, "result":{}}`}},
		"other events":                  {handler: answering(200, typeEvents, "event: ping\ndata: {\"method\":\"n\"}\n\ndata: \n\ndata: "+answer+"\n\n"), want: []string{answer}},
		"an event without its end":      {handler: answering(200, typeEvents, "data: "+answer), want: []string{noAnswer("1", "The MCP server gave no answer")}},
		"nothing":                       {handler: answering(200, typeJSON, ""), want: []string{noAnswer("1", "The MCP server gave no answer")}},
		"accepted":                      {handler: answering(202, "", ""), want: []string{noAnswer("1", "The MCP server gave no answer")}},
		"a page":                        {handler: answering(413, "text/html", "<html>"), want: []string{noAnswer("1", "The MCP server answered with HTTP status 413 (Request Entity Too Large)")}},
		"an error":                      {handler: answering(504, typeJSON, `{"id":1,"error":{"code":-32603}}`), want: []string{`{"id":1,"error":{"code":-32603}}`}},
		"an error for nobody":           {handler: answering(401, typeJSON, `{"error":{"code":-32001},"id":null}`), want: []string{`{"error":{"code":-32001},"id":1}`}},
		"an error without an id":        {handler: answering(401, typeJSON, `{"error":{"code":-32001}}`), want: []string{`{"id":1,"error":{"code":-32001}}`}},
		"garbage":                       {handler: answering(200, typeJSON, `oops`), want: []string{noAnswer("1", "The MCP server gave no answer")}},
		"a foreign response":            {handler: answering(200, typeEvents, "data: {\"id\":2,\"result\":{}}\n\ndata: "+answer+"\n\n"), want: []string{answer}},
		"a large line":                  {handler: answering(200, typeJSON, big), want: []string{big}},
		"a large event":                 {handler: answering(200, typeEvents, "data: {\"method\":\"n\"}\n\ndata: "+big+"\n\n"), want: []string{`{"method":"n"}`, big}},
		"an answer that is broken off":  {handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, want: []string{noAnswer("1", "The MCP server gave no answer")}},
		"a batch":                       {line: `[{"id":1,"method":"a"},{"id":2,"method":"b"}]`, handler: answering(200, typeJSON, `[{"id":2,"result":2},{"id":1,"result":1}]`), want: []string{`[{"id":2,"result":2},{"id":1,"result":1}]`}},
		"a batch that is answered half": {line: `[{"id":1,"method":"a"},{"id":2,"method":"b"}]`, handler: answering(200, typeEvents, "data: {\"id\":2,\"result\":2}\n\n"), want: []string{`{"id":2,"result":2}`, noAnswer("1", "The MCP server gave no answer")}},
		"an answer to a notification":   {line: `{"method":"n"}`, handler: answering(400, typeJSON, `{"id":null,"error":{}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(name, "a large") {
				t.Skip("moves tens of megabytes")
			}
			h := newFakeHost(t, test.handler)
			if test.line == "" {
				test.line = `{"id":1,"method":"tools/call"}`
			}
			h.says(t, test.line)
			for _, want := range test.want {
				h.hearsExactly(t, want)
			}
			if rest, err := h.end(t); len(rest) > 0 || err != nil {
				t.Errorf("%.300q %v", rest, err)
			}
		})
	}
}

func noAnswer(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"` + text + `"}}`
}

// TestHostLargeLineThatBreaksOff: the line is over, and an error says so.
func TestHostLargeLineThatBreaksOff(t *testing.T) {
	if testing.Short() {
		t.Skip("moves tens of megabytes")
	}
	h := newFakeHost(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(headerType, typeJSON)
		_, _ = io.WriteString(w, `{"id":1,"result":"`+strings.Repeat("x", maxHeldLine))
		panic(http.ErrAbortHandler)
	})
	h.says(t, `{"id":1,"method":"tools/call"}`)
	if broken := h.hears(t); len(broken) < maxHeldLine {
		t.Errorf("%.100s", broken)
	}
	h.hearsExactly(t, noAnswer("1", "The MCP server gave no answer"))
}

// TestHostRequests: what a line is as a request, over the life of a session.
func TestHostRequests(t *testing.T) {
	seen := make(chan *http.Request, 100)
	bodies := make(chan string, 100)
	h := newFakeHost(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodGet {
			seen <- r
			answering(http.StatusMethodNotAllowed, typeJSON, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Method not allowed."},"id":null}`)(w, r)
			return
		}
		seen <- r
		bodies <- string(body)
		if strings.Contains(string(body), `"initialize"`) {
			w.Header().Set(headerSession, "s-1")
			answering(200, typeJSON, `{"id":1,"result":{"protocolVersion":"2025-06-18"}}`)(w, r)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	}, func(o *HostOptions) { o.Header = http.Header{"Tomtom-Api-Key": {"k"}} })
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, step := range []struct{ line, method, want string }{
		{` {"id":1,"method":"initialize"} `, "POST", "| | | |"},
		{`{"method":"notifications/initialized"}`, "POST", "2025-06-18|s-1| | |"},
		{"", "GET", "2025-06-18|s-1| | |"},
		{`{"id":2,"method":"tools/list"}`, "POST", "2025-06-18|s-1| | |"},
		{`{"id":3,"method":"tools/call","params":{"name":"tomtom-routing",` + meta + `}}`, "POST", "2026-07-28||tools/call|tomtom-routing|"},
		{`{"id":4,"method":"resources/read","params":{"uri":"ui://ü",` + meta + `}}`, "POST", "2026-07-28||resources/read|=?base64?dWk6Ly/DvA==?=|"},
		{`{"method":"notifications/cancelled","params":{"requestId":9}}`, "POST", "2026-07-28|| | |"},
		{`{"id":5,"result":{}}`, "POST", "2025-06-18|s-1| | |"},
	} {
		if step.line != "" {
			h.says(t, step.line)
		}
		r := <-seen
		if step.line != "" {
			if body := <-bodies; body != step.line {
				t.Errorf("body %s, want %s", body, step.line)
			}
		}
		got := strings.Join([]string{r.Header.Get(headerVersion), r.Header.Get(headerSession), r.Header.Get(headerMethod), r.Header.Get(headerName), ""}, "|")
		if r.Method != step.method || got != strings.ReplaceAll(step.want, " ", "") || r.URL.Path != "/mcp" || r.Header.Get("Tomtom-Api-Key") != "k" {
			t.Errorf("%s: %s %s %q", step.line, r.Method, r.URL, got)
		}
	}
	if rest, err := h.end(t); len(rest) != 4 || err != nil { // one for each request
		t.Errorf("the host heard %q, %v", rest, err)
	}
	if last := <-seen; last.Method != http.MethodDelete || last.Header.Get(headerSession) != "s-1" {
		t.Errorf("the session is not ended: %s", last.Method)
	}
}

func TestHostBadLines(t *testing.T) {
	h := newFakeHost(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		messages, _, _ := scan(body)
		answering(200, typeJSON, `{"id":`+string(messages[0].raw(messages[0].id))+`,"result":{}}`)(w, r)
	}, func(o *HostOptions) { o.MaxLineBytes = 1000 })
	for _, test := range []struct{ line, want string }{
		{"garbage", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is not JSON"}}`},
		{`{"id":1,`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is not JSON"}}`},
		{`{"id":7,"method":"x","params":"` + strings.Repeat("x", 100_000) + `"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"The message has more than 1000 bytes"}}`},
		{strings.Repeat("x", 100_000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The message has more than 1000 bytes"}}`},
		{" \t\r", ""},
		{"\ufeff" + `{"id":8,"method":"x"}`, `{"id":8,"result":{}}`},
	} {
		h.says(t, test.line)
		if test.want != "" {
			h.hearsExactly(t, test.want)
		}
		h.says(t, `{"id":"next","method":"x"}`)
		h.hearsExactly(t, `{"id":"next","result":{}}`)
	}
}

// TestHostCancels: what is cancelled is never heard of again, although its answer comes.
func TestHostCancels(t *testing.T) {
	release, gone := make(chan struct{}), make(chan struct{})
	h := newFakeHost(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch messages, _, _ := scan(body); messages[0].method {
		case "slow":
			<-r.Context().Done()
			close(gone)
			<-release
			answering(200, typeJSON, `{"id":1,"result":{"late":true}}`)(w, r)
		case "quick":
			answering(200, typeJSON, `{"id":2,"result":{}}`)(w, r)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	})
	h.says(t, `{"id":1,"method":"slow"}`, `{"method":"notifications/cancelled","params":{"requestId":1.0}}`)
	<-gone
	close(release)
	h.says(t, `{"id":2,"method":"quick"}`)
	h.hearsExactly(t, `{"id":2,"result":{}}`)
	if rest, err := h.end(t); len(rest) > 0 || err != nil {
		t.Errorf("%q %v", rest, err)
	}
}

// TestHostEnds: requests in flight are answered after the host's input has ended, for as long as they may take.
func TestHostEnds(t *testing.T) {
	release := make(chan struct{})
	slow := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		answering(200, typeJSON, `{"id":1,"result":{}}`)(w, r)
	}
	t.Run("with the answer", func(t *testing.T) {
		h := newFakeHost(t, slow)
		h.says(t, `{"id":1,"method":"slow"}`)
		_ = h.in.Close()
		close(release)
		if rest, err := h.end(t); !slices.Equal(rest, []string{`{"id":1,"result":{}}`}) || err != nil {
			t.Errorf("%q %v", rest, err)
		}
	})
	release = make(chan struct{})
	t.Run("with a subscription", func(t *testing.T) {
		h := newFakeHost(t, slow)
		h.says(t, `{"id":1,"method":"subscriptions/listen"}`)
		if rest, err := h.end(t); len(rest) > 0 || err != nil {
			t.Errorf("%q %v", rest, err)
		}
	})
	t.Run("without patience", func(t *testing.T) {
		h := newFakeHost(t, slow, func(o *HostOptions) { o.Drain = time.Millisecond })
		h.says(t, `{"id":1,"method":"slow"}`)
		if _, err := h.end(t); err != nil || !strings.Contains(h.log.String(), "requests cut off") {
			t.Errorf("%v %s", err, h.log)
		}
	})
	t.Run("with the server", func(t *testing.T) {
		ended := make(chan struct{})
		h := newFakeHost(t, slow, func(o *HostOptions) { o.Ended = ended })
		close(ended)
		if err := <-h.ended; err != nil {
			t.Error(err)
		}
	})
	t.Run("with nobody to read", func(t *testing.T) {
		read, write := io.Pipe()
		_ = read.Close()
		in, says := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- ServeHost(t.Context(), answering(200, typeJSON, `{"id":1,"result":{}}`), in, write, HostOptions{Path: "/mcp"})
		}()
		_, _ = io.WriteString(says, "{\"id\":1,\"method\":\"x\"}\n")
		if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	})
}

// TestHostLinesKeepTheirOrder: a line is not sent before the one that the host wrote first.
func TestHostLinesKeepTheirOrder(t *testing.T) {
	s := newFakeServer(t, 0)
	h := newFakeHost(t, overPipe(s.Pipe))
	var want []string
	for i := range 200 {
		line := fmt.Sprintf(`{"method":"n","params":%d}`, i)
		if i%3 == 0 {
			line = fmt.Sprintf(`{"id":%d,"method":"tools/call"}`, i)
		}
		want = append(want, line)
	}
	go func() { h.says(t, want...) }()
	for _, line := range want {
		s.hearsExactly(t, line)
	}
}

// overPipe is the shortest way from a handler to a transport.
func overPipe(p http.RoundTripper) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		resp, err := p.RoundTrip(r)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}
}

// TestBothEnds: any lines of a server reach the host as they are, over both ends, and the host's the server.
func TestBothEnds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newFakeServer(t, 0)
		h := newFakeHost(t, overPipe(s.Pipe))
		text := rapid.StringMatching(`[ -~éü漢]{0,40}`)
		quoted := func(label string) string { return string(appendQuoted(text.Draw(rt, label))) }
		space := rapid.SampledFrom([]string{"", " ", "\t", "  "}).Draw(rt, "space")
		n := rapid.IntRange(1, 8).Draw(rt, "requests")
		for i := range n {
			request := fmt.Sprintf(`{%s"id":%d,"method":"tools/call","params":{"a":%s}}`, space, i, quoted("argument"))
			h.says(t, request)
			s.hearsExactly(t, request)
		}
		for _, i := range rapid.Permutation(indices(n)).Draw(rt, "order") {
			lines := []string{fmt.Sprintf(`{"result":{%s"t":%s},"jsonrpc":"2.0","id":%d%s}`, space, quoted("text"), i, space)}
			if rapid.Bool().Draw(rt, "notifies") {
				lines = append([]string{fmt.Sprintf(`{"method":"notifications/message","params":%s}`, quoted("said"))}, lines...)
			}
			s.says(t, lines...)
			var got []string
			for range lines {
				got = append(got, h.hears(t))
			}
			slices.Sort(got) // two streams meet on the host's line
			slices.Sort(lines)
			if !slices.Equal(got, lines) {
				rt.Fatalf("the host heard %q, want %q", got, lines)
			}
		}
	})
}

func appendQuoted(text string) []byte {
	quoted := failure([]byte("0"), 0, text)
	const before = `{"jsonrpc":"2.0","id":0,"error":{"code":0,"message":`
	return quoted[len(before) : len(quoted)-2]
}

func TestHostTooManyAtOnce(t *testing.T) {
	release := make(chan struct{})
	h := newFakeHost(t, func(w http.ResponseWriter, r *http.Request) {
		wrote(r.Context())
		<-release
		w.WriteHeader(http.StatusAccepted)
	})
	for i := range maxTurns {
		h.says(t, fmt.Sprintf(`{"id":%d,"method":"x"}`, i))
	}
	h.says(t, `{"id":"one more","method":"x"}`)
	h.hearsExactly(t, noAnswer(`"one more"`, errTooMany))
	close(release)
}

// FuzzEvents: however a stream is cut into pieces, its events are the same, and nothing panics.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message\ndata: {}\n\n"), uint8(3))
	f.Add([]byte("data: a\r\ndata:b\rid: 7\n\r\n: c\nevent: x\ndata: d\n\n"), uint8(1))
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		decode := func(size int) (events []string) {
			var current strings.Builder
			d := &eventDecoder{data: func(b []byte) { current.Write(b) }}
			d.end = func() { events = append(events, current.String()); current.Reset() }
			for piece := range slices.Chunk(stream, size) {
				d.feed(piece)
			}
			return events
		}
		whole := decode(max(1, len(stream)))
		if pieces := decode(int(size)%16 + 1); !slices.Equal(whole, pieces) {
			t.Errorf("whole %q, in pieces %q", whole, pieces)
		}
	})
}

// FuzzIDOfALongLine: the id that is found in passing is the one that a scan of the whole line finds.
func FuzzIDOfALongLine(f *testing.F) {
	f.Add([]byte(`{"result":{"id":7,"a":[{"id":8}],"s":"\",\"id\":9"},"jsonrpc":"2.0","id": "\"id\":1" }`))
	f.Add([]byte(`{"id":1,"method":"x","params":{"id":2}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var ids idFinder
		ids.feed(line)
		found := ids.found()
		messages, batch, err := scan(line)
		if err != nil || batch || strings.Contains(string(line), `\u`) {
			return
		}
		id := messages[0].raw(messages[0].id)
		if len(id) == 0 || len(id) > maxIDBytes || id[0] == '{' || id[0] == '[' {
			return
		}
		if string(found) != string(id) {
			t.Errorf("found %q, want %q", found, id)
		}
	})
}
