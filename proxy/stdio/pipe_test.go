package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// patience is how long a test waits for what should happen at once.
const patience = 20 * time.Second

// fakeServer is the far end of a pipe: a test reads what was sent to it and says what it answers.
type fakeServer struct {
	*Pipe
	heard chan string
	out   io.WriteCloser
	log   *syncBuffer
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func newFakeServer(t testing.TB, limit int64) *fakeServer {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	s := &fakeServer{heard: make(chan string, 1000), out: outWrite, log: &syncBuffer{}}
	go func() {
		lines := bufio.NewReader(inRead)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			s.heard <- strings.TrimSuffix(line, "\n")
		}
	}()
	s.Pipe = NewPipe(outRead, inWrite, PipeOptions{
		Path: "/mcp", MaxLineBytes: limit, Version: "1", Own: func(id string) bool { return strings.HasPrefix(id, "gateway-") },
		Log: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	s.greeting.asked, s.greeting.finished = true, true // save where a test is about that
	t.Cleanup(func() {
		_ = outWrite.Close()
		_ = inRead.Close()
	})
	return s
}

// hears returns the next line that reached the server.
func (s *fakeServer) hears(t testing.TB) string {
	t.Helper()
	select {
	case line := <-s.heard:
		return line
	case <-time.After(patience):
		t.Fatal("the server hears nothing")
	}
	return ""
}

func (s *fakeServer) hearsExactly(t testing.TB, want string) {
	t.Helper()
	if got := s.hears(t); got != want {
		t.Errorf("the server heard %s\nwant %s", got, want)
	}
}

// says writes lines of the server's.
func (s *fakeServer) says(t testing.TB, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(s.out, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
}

func requestOf(ctx context.Context, method, body string) *http.Request {
	r := &http.Request{Method: method, URL: &url.URL{Path: "/mcp"}, Header: http.Header{}, Body: http.NoBody}
	if body != "" {
		r.Body = io.NopCloser(strings.NewReader(body))
	}
	return r.WithContext(ctx)
}

// answered is what came of a request.
type answered struct {
	status int
	kind   string
	header http.Header
	body   string
	err    error
}

// data are the messages in an answer.
func (a answered) data() []string {
	if a.kind != typeEvents {
		return []string{a.body}
	}
	var all []string
	for part := range strings.SplitSeq(strings.TrimSuffix(a.body, "\n\n"), "\n\n") {
		all = append(all, strings.TrimPrefix(part, "event: message\ndata: "))
	}
	return all
}

// start sends a request; what comes of it arrives on the channel.
func (s *fakeServer) start(ctx context.Context, method, body string) <-chan answered {
	done := make(chan answered, 1)
	go func() {
		resp, err := s.RoundTrip(requestOf(ctx, method, body))
		if err != nil {
			done <- answered{err: err}
			return
		}
		defer func() { _ = resp.Body.Close() }()
		got, err := io.ReadAll(resp.Body)
		done <- answered{resp.StatusCode, resp.Header.Get(headerType), resp.Header, string(got), err}
	}()
	return done
}

func (s *fakeServer) post(ctx context.Context, body string) <-chan answered {
	return s.start(ctx, http.MethodPost, body)
}

func await(t testing.TB, c <-chan answered) answered {
	t.Helper()
	select {
	case a := <-c:
		return a
	case <-time.After(patience):
		t.Fatal("no answer")
	}
	return answered{}
}

func TestPipeBringsLinesBothWaysAsTheyAre(t *testing.T) {
	s := newFakeServer(t, 0)
	const request = `{ "id" : 1.0,"jsonrpc":"2.0","method":"tools/call","params":{"n":12345678901234567890,"s":"é\u00e9"} }`
	const response = `{"result":{"x":0.1000,"y":"<&>é"},"jsonrpc":"2.0" , "id":1}`
	done := s.post(t.Context(), request)
	s.hearsExactly(t, request)
	s.says(t, response)
	if a := await(t, done); a.status != http.StatusOK || a.kind != typeJSON || a.body != response {
		t.Errorf("%+v", a)
	}
	done = s.post(t.Context(), `{"method":"notifications/x"}`)
	s.hearsExactly(t, `{"method":"notifications/x"}`)
	if a := await(t, done); a.status != http.StatusAccepted || a.body != "" {
		t.Errorf("%+v", a)
	}
	// An HTTP host may write several lines.
	done = s.post(t.Context(), "{\n \"id\":\"a\",\r\n\"method\":\"x\"}\n")
	s.hearsExactly(t, `{  "id":"a",  "method":"x"} `)
	s.says(t, `{"id":"a","result":{}}`+"\r", "", "  ")
	if a := await(t, done); a.body != `{"id":"a","result":{}}` {
		t.Errorf("%+v", a)
	}
}

func TestPipeStreamsWhatComesBeforeTheResponse(t *testing.T) {
	s := newFakeServer(t, 0)
	done := s.post(t.Context(), `{"id":1,"method":"tools/call","params":{"_meta":{"progressToken":"p"}}}`)
	s.hears(t)
	lines := []string{
		`{"method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
		`{"method":"notifications/message","params":{}}`,
		`{"id":1,"method":"elicitation/create","params":{}}`,
		`{"id":1,"result":{}}`,
	}
	s.says(t, lines...)
	if a := await(t, done); a.kind != typeEvents || strings.Join(a.data(), "\n") != strings.Join(lines, "\n") {
		t.Errorf("%+v", a)
	}
}

// TestPipeKeepsRequestsApart: any number of requests with ids and progress tokens of any kind, the same ones among them,
// answered in any order. Each gets its own, under the id and token that it was sent with.
func TestPipeKeepsRequestsApart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newFakeServer(t, 0)
		ids := rapid.SampledFrom([]string{`1`, `1.0`, `"1"`, `"gateway-id-1"`, `"a"`, `"\u0061"`, `7`, `null2`})
		n := rapid.IntRange(1, 12).Draw(rt, "requests")
		type sent struct {
			id, token string
			done      <-chan answered
			onPipe    struct {
				ID     json.RawMessage
				Params struct {
					Name string
					Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
				}
			}
		}
		all := make([]*sent, n)
		for i := range all {
			q := &sent{id: strings.Replace(ids.Draw(rt, "id"), "null2", "-0.5e1", 1), token: strings.Replace(ids.Draw(rt, "token"), "null2", "3", 1)}
			q.done = s.post(t.Context(), fmt.Sprintf(`{"id":%s,"method":"tools/call","params":{"name":"%d","_meta":{"progressToken":%s}}}`, q.id, i, q.token))
			if err := json.Unmarshal([]byte(s.hears(t)), &q.onPipe); err != nil || q.onPipe.Params.Name != fmt.Sprint(i) {
				rt.Fatal(err, q.onPipe)
			}
			all[i] = q
		}
		for _, i := range rapid.Permutation(indices(n)).Draw(rt, "order") {
			q := all[i]
			s.says(t, fmt.Sprintf(`{"method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, q.onPipe.Params.Meta.ProgressToken, i),
				fmt.Sprintf(`{"id":%s,"result":%d}`, q.onPipe.ID, i))
			got := await(t, q.done).data()
			if len(got) != 2 || got[0] != fmt.Sprintf(`{"method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, q.token, i) && string(q.onPipe.Params.Meta.ProgressToken) != q.token ||
				got[1] != fmt.Sprintf(`{"id":%s,"result":%d}`, q.id, i) && string(q.onPipe.ID) != q.id {
				rt.Errorf("request %d with id %s, token %s got %q", i, q.id, q.token, got)
			}
		}
		if s.busy() || len(s.tokens) > 0 || len(s.open) > 0 {
			rt.Error("something is still noted")
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestPipeBatches(t *testing.T) {
	const batch = `[{"id":1,"method":"a"},{"method":"n"},{"id":2,"method":"b"}]`
	for name, test := range map[string]struct{ lines, want []string }{
		"as an array":      {[]string{`[{"id":2,"result":2},{"id":1,"result":1}]`}, []string{`[{"id":2,"result":2},{"id":1,"result":1}]`}},
		"one by one":       {[]string{`{"id":2,"result":2}`, `{"id":1,"result":1}`}, []string{`{"id":2,"result":2}`, `{"id":1,"result":1}`}},
		"beside a foreign": {[]string{`[{"id":2,"result":2},{"id":9,"result":9},{"id":1,"result":1}]`}, []string{`{"id":2,"result":2}`, `{"id":1,"result":1}`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer(t, 0)
			done := s.post(t.Context(), batch)
			s.hearsExactly(t, batch)
			s.says(t, test.lines...)
			if a := await(t, done); strings.Join(a.data(), "\n") != strings.Join(test.want, "\n") {
				t.Errorf("%+v", a)
			}
		})
	}
}

// TestPipeWhatNobodyMayHear: garbage, and responses that come unasked or too late, go nowhere; the next request works.
func TestPipeWhatNobodyMayHear(t *testing.T) {
	for name, line := range map[string]string{
		"text": "Listening on stdio", "half a message": `{"id":1,"result":`, "a number": "42", "another object": `{"level":30,"msg":"hi"}`,
		"no UTF-8": "\xff\xfe", "an empty array": "[]", "an array of numbers": "[1,2]", "a response to nobody": `{"id":"other","result":{"viz_id":"secret"}}`,
		"progress for nobody": `{"method":"notifications/progress","params":{"progressToken":"other"}}`, "a zero byte": "\x00", "deep": strings.Repeat("[", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer(t, 0)
			done := s.post(t.Context(), `{"id":1,"method":"tools/call"}`)
			s.hears(t)
			s.says(t, line, `{"id":1,"result":{}}`)
			if a := await(t, done); strings.Join(a.data(), "|") != `{"id":1,"result":{}}` {
				t.Errorf("%+v", a)
			}
			if !strings.Contains(s.log.String(), "level=") || strings.Contains(s.log.String(), "secret") || strings.Contains(s.log.String(), "Listening") {
				t.Errorf("log %s", s.log)
			}
		})
	}
}

func TestPipeLongLines(t *testing.T) {
	s := newFakeServer(t, 10_000)
	long := strings.Repeat("x", 200_000)
	done := s.post(t.Context(), `{"id":"\"id\":1","method":"tools/call"}`)
	s.hears(t)
	s.says(t, `{"method":"notifications/message","params":{"id":3,"data":"`+long+`"}}`)
	s.says(t, `{"result":{"id":7,"a":[{"id":8}],"s":"\",\"id\":9,`+long+`"},"jsonrpc":"2.0","id": "\"id\":1" }`)
	want := `{"jsonrpc":"2.0","id":"\"id\":1","error":{"code":-32603,"message":"The MCP server's answer has more than 10000 bytes"}}`
	if a := await(t, done); a.body != want {
		t.Errorf("%+v", a)
	}
	done = s.post(t.Context(), `{"id":2,"method":"tools/call"}`)
	s.hears(t)
	fits := `{"id":2,"result":"` + strings.Repeat("x", 10_000-20) + `"}`
	s.says(t, fits)
	if a := await(t, done); a.body != fits {
		t.Errorf("%.200s", a.body)
	}
}

// TestPipeOfAServerThatEnds: whoever waits is told, and so is whoever comes later.
func TestPipeOfAServerThatEnds(t *testing.T) {
	s := newFakeServer(t, 0)
	unary, streamed := s.post(t.Context(), `{"id":1,"method":"a"}`), s.post(t.Context(), `{"id":2,"method":"tools/call","params":{"_meta":{"progressToken":1}}}`)
	listener := s.start(t.Context(), http.MethodGet, "")
	s.listens(t)
	s.hears(t)
	s.hears(t)
	s.says(t, `{"method":"notifications/progress","params":{"progressToken":1}}`)
	_, _ = io.WriteString(s.out, `{"id":1,"resu`)
	_ = s.out.Close()
	if a := await(t, unary); !errors.Is(a.err, ErrEnded) {
		t.Errorf("%+v", a)
	}
	if a := await(t, streamed); !errors.Is(a.err, ErrEnded) || len(a.data()) != 1 {
		t.Errorf("%+v", a)
	}
	if a := await(t, listener); a.err != nil {
		t.Errorf("%+v", a)
	}
	if a := await(t, s.post(t.Context(), `{"id":3,"method":"a"}`)); !errors.Is(a.err, ErrEnded) {
		t.Errorf("%+v", a)
	}
	<-s.Ended()
}

func TestPipeCancellation(t *testing.T) {
	t.Run("by a notification", func(t *testing.T) {
		s := newFakeServer(t, 0)
		done := s.post(t.Context(), `{"id":7,"method":"tools/call"}`)
		s.hears(t)
		const cancel = `{"method":"notifications/cancelled","params":{ "requestId":7.0 }}`
		if a := await(t, s.post(t.Context(), cancel)); a.status != http.StatusAccepted {
			t.Errorf("%+v", a)
		}
		s.hearsExactly(t, cancel)
		if a := await(t, done); a.err != nil || a.body != "" || a.kind != typeEvents {
			t.Errorf("%+v", a)
		}
		s.says(t, `{"id":7,"result":{"viz_id":"late"}}`)
		await(t, s.post(t.Context(), cancel)) // once is enough
		await(t, s.post(t.Context(), `{"method":"notifications/cancelled","params":{"requestId":"unknown"}}`))
		s.hearsExactly(t, `{"method":"notifications/cancelled","params":{"requestId":"unknown"}}`)
	})
	t.Run("under another id", func(t *testing.T) {
		s := newFakeServer(t, 0)
		first := s.post(t.Context(), `{"id":"gateway-1","method":"tools/call"}`) // the gateway's own
		s.hears(t)
		second := s.post(t.Context(), `{"id":"gateway-1","method":"tools/list"}`)
		s.hears(t)
		await(t, s.post(t.Context(), `{"method":"notifications/cancelled","params":{"requestId":"gateway-1"}}`))
		await(t, s.post(t.Context(), `{"method":"x"}`))
		s.hearsExactly(t, `{"method":"x"}`) // it cancels nothing of the gateway's
		s.says(t, `{"id":"gateway-1","result":1}`, `{"id":"gateway-id-1","result":2}`)
		if a, b := await(t, first), await(t, second); a.body != `{"id":"gateway-1","result":1}` || b.body != `{"id":"gateway-1","result":2}` {
			t.Errorf("%+v %+v", a, b)
		}
	})
	for name, progress := range map[string]bool{"by going away": false, "by going away from a stream": true} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer(t, 0)
			ctx, cancel := context.WithCancel(t.Context())
			done := s.post(ctx, `{"id":7,"method":"tools/call","params":{"_meta":{"progressToken":7}}}`)
			s.hears(t)
			if progress {
				s.says(t, `{"method":"notifications/progress","params":{"progressToken":7}}`)
			}
			cancel()
			if a := await(t, done); !errors.Is(a.err, context.Canceled) {
				t.Errorf("%+v", a)
			}
			s.hearsExactly(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
			if s.busy() {
				t.Error("still noted")
			}
		})
	}
	t.Run("not of initialize", func(t *testing.T) {
		s := newFakeServer(t, 0)
		ctx, cancel := context.WithCancel(t.Context())
		done := s.post(ctx, `{"id":7,"method":"initialize"}`)
		s.hears(t)
		cancel()
		await(t, done)
		await(t, s.post(t.Context(), `{"method":"x"}`))
		s.hearsExactly(t, `{"method":"x"}`)
	})
}

// TestPipeWhatTheServerSaysUnasked goes to the call that runs, else to the listener, and waits for one if there is none.
func TestPipeWhatTheServerSaysUnasked(t *testing.T) {
	s := newFakeServer(t, 0)
	for i := range 100 {
		s.says(t, fmt.Sprintf(`{"method":"notifications/message","params":{"n":%d}}`, i))
	}
	s.says(t, `{"id":"q","method":"ping"}`) // somebody has to answer this
	s.hearsExactly(t, `{"jsonrpc":"2.0","id":"q","result":{}}`)
	first := s.start(t.Context(), http.MethodGet, "")
	s.listens(t)
	call := s.post(t.Context(), `{"id":1,"method":"tools/call"}`)
	own := s.post(t.Context(), `{"id":"gateway-3","method":"tools/call"}`)
	s.hears(t)
	s.hears(t)
	s.says(t, `{"method":"notifications/tools/list_changed"}`, `{"method":"notifications/message"}`, `{"id":1,"result":{}}`)
	if a := await(t, call); strings.Join(a.data(), "|") != `{"method":"notifications/message"}|{"id":1,"result":{}}` {
		t.Errorf("%+v", a)
	}
	s.says(t, `{"id":5,"method":"roots/list"}`, `{"id":"gateway-3","result":{}}`)
	if a := await(t, own); a.body != `{"id":"gateway-3","result":{}}` {
		t.Errorf("%+v", a)
	}
	second := s.start(t.Context(), http.MethodGet, "") // takes the place of the first
	got := await(t, first).data()
	if len(got) != maxBacklog+2 || got[0] != `{"method":"notifications/message","params":{"n":36}}` ||
		got[maxBacklog] != `{"method":"notifications/tools/list_changed"}` || got[maxBacklog+1] != `{"id":5,"method":"roots/list"}` {
		t.Errorf("%d lines: %.200q", len(got), got)
	}
	_ = s.out.Close()
	await(t, second)
}

// TestPipeHandsQuestionsOver: what the server asked when nobody was there goes to the first call, and what it said waits on.
func TestPipeHandsQuestionsOver(t *testing.T) {
	s := newFakeServer(t, 0)
	s.says(t, `{"method":"notifications/message"}`, `{"id":"r","method":"roots/list"}`, `{"id":"q","method":"ping"}`)
	s.hearsExactly(t, `{"jsonrpc":"2.0","id":"q","result":{}}`) // so that the others were heard
	own := s.post(t.Context(), `{"id":"gateway-3","method":"tools/call"}`)
	s.hears(t)
	call := s.post(t.Context(), `{"id":1,"method":"tools/call"}`)
	s.hears(t)
	s.says(t, `{"id":"gateway-3","result":{}}`, `{"id":1,"result":{}}`)
	if a := await(t, call); strings.Join(a.data(), "|") != `{"id":"r","method":"roots/list"}|{"id":1,"result":{}}` {
		t.Errorf("%+v", a)
	}
	if a := await(t, own); a.body != `{"id":"gateway-3","result":{}}` {
		t.Errorf("%+v", a)
	}
	listener := s.start(t.Context(), http.MethodGet, "")
	s.listens(t)
	_ = s.out.Close()
	if got := await(t, listener).data(); len(got) != 1 || got[0] != `{"method":"notifications/message"}` {
		t.Errorf("%q", got)
	}
}

// listens returns when somebody hears what the server says unasked.
func (s *fakeServer) listens(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		s.mu.Lock()
		heard := s.listener != nil
		s.mu.Unlock()
		if heard {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody listens")
		}
	}
}

func TestPipeSubscriptions(t *testing.T) {
	s := newFakeServer(t, 0)
	one, two := s.post(t.Context(), `{"id":1,"method":"subscriptions/listen"}`), s.post(t.Context(), `{"id":1,"method":"subscriptions/listen"}`)
	heard := []string{s.hears(t), s.hears(t)}
	for _, id := range []string{`1`, `"gateway-id-1"`} {
		if !strings.Contains(strings.Join(heard, ""), `"id":`+id) {
			t.Fatal(heard)
		}
		s.says(t, `{"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`}}}`, `{"id":`+id+`,"result":{}}`)
	}
	const want = `{"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}|{"id":1,"result":{}}`
	for _, c := range []<-chan answered{one, two} {
		if a := await(t, c); strings.Join(a.data(), "|") != want {
			t.Errorf("%+v", a)
		}
	}
}

// TestPipeHandshake: the server's handshake is completed once, by whoever comes first.
func TestPipeHandshake(t *testing.T) {
	t.Run("in the gateway's name", func(t *testing.T) {
		s := newFakeServer(t, 0)
		s.greeting.asked, s.greeting.finished = false, false
		var calls []<-chan answered
		for range 3 {
			calls = append(calls, s.post(t.Context(), `{"id":1,"method":"tools/list"}`))
		}
		if got := s.hears(t); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"`+s.handshakeID+`","method":"initialize"`) {
			t.Fatal(got)
		}
		s.says(t, `{"result":{"protocolVersion":"2025-11-25"},"id":"`+s.handshakeID+`"}`)
		s.hearsExactly(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		for range calls {
			var m struct{ ID json.RawMessage }
			_ = json.Unmarshal([]byte(s.hears(t)), &m)
			s.says(t, `{"id":`+string(m.ID)+`,"result":{}}`)
		}
		for _, c := range calls {
			if a := await(t, c); a.body != `{"id":1,"result":{}}` {
				t.Errorf("%+v", a)
			}
		}
		// The gateway asks again for itself, as for a host that knows no handshake.
		if a := await(t, s.post(t.Context(), `{"id":"gateway-ask-1","method":"initialize"}`)); a.body != `{"result":{"protocolVersion":"2025-11-25"},"id":"gateway-ask-1"}` {
			t.Errorf("%+v", a)
		}
	})
	t.Run("in a host's", func(t *testing.T) {
		s := newFakeServer(t, 0)
		s.greeting.asked, s.greeting.finished = false, false
		for _, line := range []string{`{"id":1,"method":"initialize"}`, `{"method":"notifications/initialized"}`, `{"id":2,"method":"tools/list"}`} {
			done := s.post(t.Context(), line)
			s.hearsExactly(t, line)
			s.says(t, `{"id":1,"result":{}}`, `{"id":2,"result":{}}`)
			await(t, done)
		}
	})
	t.Run("not for those that describe themselves", func(t *testing.T) {
		s := newFakeServer(t, 0)
		s.greeting.asked, s.greeting.finished = false, false
		const line = `{"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
		done := s.post(t.Context(), line)
		s.hearsExactly(t, line)
		s.says(t, `{"id":1,"result":{}}`)
		await(t, done)
	})
}

func TestPipeOtherRequests(t *testing.T) {
	s := newFakeServer(t, 0)
	r := requestOf(t.Context(), http.MethodGet, "")
	r.URL.Path = "/health"
	for want, r := range map[int]*http.Request{
		http.StatusNotFound:         r,
		http.StatusMethodNotAllowed: requestOf(t.Context(), http.MethodDelete, ""),
		http.StatusBadRequest:       requestOf(t.Context(), http.MethodPost, "{"),
	} {
		resp, err := s.RoundTrip(r)
		if err != nil || resp.StatusCode != want {
			t.Errorf("%v %+v, want %d", err, resp, want)
			continue
		}
		_ = resp.Body.Close()
	}
}

// TestPipeToAServerThatDoesNotRead: nobody is held up beyond their own context.
func TestPipeToAServerThatDoesNotRead(t *testing.T) {
	read, write := io.Pipe()
	defer func() { _ = read.Close() }()
	out, in := io.Pipe()
	defer func() { _ = in.Close() }()
	p := NewPipe(out, write, PipeOptions{Path: "/mcp"})
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error, 2)
	for range 2 {
		go func() {
			resp, err := p.RoundTrip(requestOf(ctx, http.MethodPost, `{"method":"notifications/x"}`))
			if err == nil {
				_ = resp.Body.Close()
			}
			results <- err
		}()
	}
	cancel()
	for range 2 {
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// FuzzServerLines: whatever a server writes, nothing of it is taken for an answer that it is not, and the next answer
// arrives.
func FuzzServerLines(f *testing.F) {
	f.Add([]byte("Listening {\n[1,{}]\n{\"id\":1}\n{\"id\":null,\"error\":{}}\r\n"))
	f.Add([]byte(`{"method":"notifications/progress","params":{"progressToken":"fuzz-token"}}`))
	f.Add([]byte(`[{"id":"another","result":1},{"method":"ping","id":2}]`))
	f.Fuzz(func(t *testing.T, written []byte) {
		if bytes.Contains(written, []byte("fuzz-")) || bytes.Contains(written, []byte(`\u`)) {
			return // it may be an answer
		}
		s := newFakeServer(t, 1000)
		const answer = `{"id":"fuzz-id","result":{"fuzz":1}}`
		done := s.post(t.Context(), `{"id":"fuzz-id","method":"tools/call","params":{"_meta":{"progressToken":"fuzz-token"}}}`)
		s.hears(t)
		s.says(t, string(written), answer)
		data := await(t, done).data()
		if len(data) == 0 || data[len(data)-1] != answer {
			t.Errorf("%q", data)
		}
		for _, line := range data[:len(data)-1] {
			messages, _, err := scan([]byte(line))
			if err != nil || messages[0].isResponse() && !isNull(messages[0].body, messages[0].id) {
				t.Errorf("%q is nothing for the host", line)
			}
		}
	})
}
