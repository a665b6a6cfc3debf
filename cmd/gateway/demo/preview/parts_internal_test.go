package preview

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		done, err := turns.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := turns.take(t.Context()); !errors.Is(err, errBusy) {
			t.Errorf("a second has its turn: %v", err)
		}
		ctx, leave := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		leave(gone)
		if _, err := turns.take(ctx); !errors.Is(err, gone) {
			t.Errorf("who has left waits: %v", err)
		}
		go done()
		if done, err = turns.take(t.Context()); err != nil {
			t.Errorf("no turn after the first is over: %v", err)
		}
		done()
	})
}

// The oldest calls go, as many as it takes.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	h := newHistory(3, 1000)
	kept := func() (ids string) {
		for _, c := range h.list() {
			ids += c.id
		}
		return ids
	}
	for _, step := range []struct {
		id    string
		bytes int // of the answer; as much again is taken for its lines
		want  string
	}{
		{"a", 100, "a"}, {"b", 100, "ba"}, {"c", 100, "cba"}, {"d", 100, "dcb"}, {"e", 350, "ed"}, {"f", 501, "ed"}, {"g", 500, "g"}, {"h", 1, "h"},
	} {
		recorded := &tape{call: []exchange{{body: make([]byte, step.bytes)}}}
		h.add(&call{id: step.id, tape: recorded})
		if got := kept(); got != step.want {
			t.Errorf("after %s: %q is kept, want %q", step.id, got, step.want)
		}
	}
}

func TestEstimateTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                   0,
		"word":               1,
		"two words":          2,
		"internationally":    3,
		"12345":              2,
		`{"show_ui":true}`:   7,
		"{\n  \"a\": 1\n}":   7,
		`{"a":1}`:            5,
		"Größe in Kilometer": 4,
		"a  b":               3,
	} {
		if got := estimateTokens(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}

func TestHider(t *testing.T) {
	t.Parallel()
	if got := string(hider("secret-key-1")([]byte("a secret-key-1, twice secret-key-1"))); got != "a ************, twice ************" {
		t.Errorf("%q", got)
	}
	for _, short := range []string{"", "demo"} {
		if got := string(hider(short)([]byte("a demo"))); got != "a demo" {
			t.Errorf("%q is hidden: %q", short, got)
		}
	}
}

func TestAnswerResult(t *testing.T) {
	t.Parallel()
	const stream = "text/event-stream"
	tests := []struct{ name, mediaType, body, want, fails string }{
		{"JSON", "application/json", `{"jsonrpc":"2.0","id":"x","result":{"a": 1}}`, `{"a": 1}`, ""},
		{"a stream", stream, "event: message\ndata: {\"id\":\"x\",\"result\":{}}\n\n", `{}`, ""},
		{"a stream of more", stream, ": hello\n\ndata: {\"method\":\"notifications/progress\"}\r\n\r\ndata: {\"id\":\"x\",\r\ndata: \"result\":[1]}", `[1]`, ""},
		{"another's response", "application/json", `{"id":"y","result":{}}`, "", "without a response"},
		{"an error", "application/json", `{"id":"x","error":{"code":1,"message":"no such thing."}}`, "", "refused: no such thing."},
		{"no JSON", "text/html", "<h1>Bad Gateway</h1>", "", "without a response"},
		{"nothing", "application/json", "", "", "without a response"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAnswer(1 << 20)
			a.Header().Set("Content-Type", tt.mediaType)
			_, _ = a.Write([]byte(tt.body))
			got, err := a.result("x")
			if string(got) != tt.want || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

func TestAnswerIsBounded(t *testing.T) {
	t.Parallel()
	a := newAnswer(10)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	write := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 11)) })
	if err := a.take(write, r); err == nil {
		t.Error("it takes more")
	}
	abort := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if err := newAnswer(10).take(abort, r); err == nil {
		t.Error("what broke off looks whole")
	}
}

// Raw members stay as they are, byte for byte.
func TestReply(t *testing.T) {
	t.Parallel()
	raw := `{"a": 1.0, "b":"<&>"}`
	for _, members := range []any{nil, struct{}{}, map[string]int{"x": 1}} {
		body, err := reply{members: members, raw: []rawMember{{"result", []byte(raw)}}}.encode()
		if err != nil || !json.Valid(body) || !strings.Contains(string(body), raw) {
			t.Errorf("%s, %v", body, err)
		}
	}
}

// What a person reads of a wrong JSON text has no word of the program that read it.
func TestJSONReason(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{`{"content":"no"}`, "a wrong value stands at content: string"},
		{`{"content":[{"type":"text","text":7.5}]}`, "a wrong value stands at content.text: number"},
		{`{"content":[5]}`, "a wrong value stands at content: number"},
		{`["content"]`, "a wrong value stands at the top: array"},
		{`{"content":`, "unexpected end of JSON input"},
	}
	for _, tt := range tests {
		_, err := readResult([]byte(tt.text))
		if err == nil || err.Error() != "The tool's result cannot be read: "+tt.want+"." {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
		}
	}
	for _, text := range []string{`{"limit":"abc"}`, `{"limit":1.5}`, `{"tool":5}`, `[]`, `{"limit":99999999999999999999}`, `{"times":2}`, ``} {
		var asked struct {
			Tool  string
			Limit int
		}
		err := readBody(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(text)), &asked)
		if err == nil || strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "json:") || strings.Contains(err.Error(), "struct") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
