package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// asking is a legacy upstream that asks for something on the stream of each call, as told by the call's argument "ask", and
// answers with what it was told.
type asking struct {
	*sessionUpstream
	mu      sync.Mutex
	waiting map[string]chan received
	greeted string // the last initialize
}

// askedStep is one thing that an asking upstream does before it answers: it reports progress, or asks.
type askedStep struct {
	Wait             bool            `json:",omitempty"` // until the call is given up
	Progress, Method string          `json:",omitempty"`
	ID, Params       json.RawMessage `json:",omitempty"`
}

func newAsking(t *testing.T) *asking {
	t.Helper()
	up := &asking{sessionUpstream: newSessionUpstream(t, "s"), waiting: map[string]chan received{}}
	up.call = up.ask
	up.ended, up.cancelled = make(chan string, 10_000), make(chan received, 100) // most are of no interest
	inner, greet := up.answer, up.questions
	up.questions = func(w http.ResponseWriter, in received) bool {
		up.mu.Lock()
		if in.message.method == methodInitialize {
			up.greeted = string(in.body)
		}
		up.mu.Unlock()
		return greet(w, in)
	}
	up.answer = func(w http.ResponseWriter, in received) {
		if in.message.isResponse() {
			w.WriteHeader(http.StatusAccepted)
			up.of(in.header.Get(headerSession) + in.message.idKey()) <- in
			return
		}
		inner(w, in)
	}
	return up
}

func (up *asking) of(key string) chan received {
	up.mu.Lock()
	defer up.mu.Unlock()
	if up.waiting[key] == nil {
		up.waiting[key] = make(chan received, 1)
	}
	return up.waiting[key]
}

// ask takes the steps of a call. Its text is every answer that it got, in order.
func (up *asking) ask(w http.ResponseWriter, in received) {
	if in.message.name == "tomtom-get-viz-data" {
		answerEvent(w, in, textResultOf(routeDoc))
		return
	}
	var args struct{ Ask []askedStep }
	_ = json.Unmarshal(in.message.raw(in.message.args), &args)
	token, _ := in.message.meta("progressToken")
	w.Header().Set("Content-Type", "text/event-stream")
	flush := flusher(w)
	var answers [][]byte
	for _, step := range args.Ask {
		if step.Progress != "" {
			_, _ = io.WriteString(w, "data: "+`{"method":"notifications/progress","params":{"progressToken":`+string(in.message.raw(token))+`,"message":"`+step.Progress+`"},"jsonrpc":"2.0"}`+"\n\n")
			flush()
			continue
		}
		if step.Wait {
			<-in.r.Context().Done()
			return
		}
		params := ""
		if step.Params != nil {
			params = `"params":` + string(step.Params) + `,`
		}
		_, _ = io.WriteString(w, `data: {"method":"`+step.Method+`",`+params+`"id":`+string(step.ID)+`,"jsonrpc":"2.0"}`+"\n\n")
		flush()
		messages, _, _ := scanMessages([]byte(`{"id":` + string(step.ID) + `}`))
		select {
		case answer := <-up.of(in.header.Get(headerSession) + messages[0].idKey()):
			answers = append(answers, answer.body)
		case <-in.r.Context().Done():
			return
		}
	}
	text := strings.Replace(handleText, `"ü"`, "["+string(bytes.Join(answers, []byte(",")))+"]", 1)
	_, _ = io.WriteString(w, eventOf(string(in.message.raw(in.message.id)), textResultOf(text)))
}

// toldOf are the answers that an asking upstream got, from its result.
func toldOf(t testing.TB, res toolResultOf) []json.RawMessage {
	t.Helper()
	var text struct{ Summary []json.RawMessage }
	if err := json.Unmarshal([]byte(res.Content[0].Text), &text); err != nil {
		t.Fatalf("%v: %s", err, res.Content[0].Text)
	}
	return text.Summary
}

const everyAsk = `"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{"listChanged":true}`

// askedCall is a call of a modern host that can be asked for everything, save where capabilities say otherwise; more are members of
// its params, and its _meta, with a comma behind them.
func askedCall(id, capabilities, args, more, meta string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"tomtom-routing","arguments":` + args + `,` + more +
		`"_meta":{` + meta + `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{` + capabilities +
		`,"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}}}}`
}

// wantedInput is what a modern host is told to bring.
type wantedInput struct {
	ResultType    string
	InputRequests map[string]struct {
		Method string
		Params json.RawMessage
	}
	RequestState string
	Meta         map[string]json.RawMessage `json:"_meta"`
}

func wantedOf(t testing.TB, a answer) wantedInput {
	t.Helper()
	var in wantedInput
	if err := json.Unmarshal(resultOf(t, a), &in); err != nil || in.ResultType != resultInputRequired || in.RequestState == "" || len(in.InputRequests) != 1 {
		t.Fatalf("no input is wanted: %d %s", a.status, a.body)
	}
	return in
}

func withInput(state, response string) string {
	return `"inputResponses":{"input":` + response + `},"requestState":` + strconv.Quote(state) + `,`
}

// TestModernHostIsAskedByALegacyUpstream: what an upstream asks for on the stream of a call reaches a modern host as
// input_required. The host's retry goes on with the same call, of which there is one.
func TestModernHostIsAskedByALegacyUpstream(t *testing.T) {
	for name, tt := range map[string]struct {
		method, params, response string
	}{
		"elicitation": {methodElicit, `{ "message":"Who?","requestedSchema":{"type":"object"},"n":1.50}`, `{"action":"accept","content":{"n": 1.0}}`},
		"url":         {methodElicit, `{"mode":"url","message":"Go","url":"https://x.test","elicitationId":"e"}`, `{"action":"decline"}`},
		"sampling":    {methodSample, `{"messages":[],"maxTokens":9}`, `{"role":"assistant","content":{"type":"text","text":"ü"},"model":"m"}`},
		"roots":       {methodListRoots, "", `{"roots":[{"uri":"file:///a"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			up := newAsking(t)
			g := newGateway(t, up.URL)
			step := `{"id":7.0,"method":"` + tt.method + `"}`
			if tt.params != "" {
				step = `{"id":7.0,"method":"` + tt.method + `","params":` + tt.params + `}`
			}
			args := `{"ask":[{"progress":"a"},` + step + `,{"progress":"b"}]}`
			asked := g.postModern(t, askedCall("1", everyAsk, args, "", `"progressToken":"first",`))
			if !strings.Contains(string(asked.body), `"progressToken":"first","message":"a"`) {
				t.Errorf("no progress before: %s", asked.body)
			}
			in := wantedOf(t, asked)
			request := in.InputRequests[inputName]
			want := tt.params
			if want == "" {
				want = "{}" // clients were seen not to understand that there are none
			}
			if request.Method != tt.method || string(request.Params) != want || in.Meta[metaServerInfo] == nil {
				t.Errorf("asked for %s %s", request.Method, request.Params)
			}
			got := g.postModern(t, askedCall(`"two"`, everyAsk, strings.ReplaceAll(args, ",", " ,"), withInput(in.RequestState, tt.response), `"progressToken":"second",`))
			if !strings.Contains(string(got.body), `"progressToken":"second","message":"b"`) || strings.Contains(string(got.body), "first") {
				t.Errorf("progress after: %s", got.body)
			}
			res, data := parseResult(t, resultOf(t, got))
			if res.Meta.Status != statusInline || string(data) != routeDoc || !strings.Contains(string(lastData(t, got.body)), `"id":"two"`) {
				t.Errorf("%s", got.body)
			}
			if told, want := toldOf(t, res), `{"jsonrpc":"2.0","id":7.0,"result":`+tt.response+`}`; len(told) != 1 || string(told[0]) != want {
				t.Errorf("the upstream was told %s", told)
			}
			if n := len(up.calls("tomtom-routing")); n != 1 {
				t.Errorf("%d calls upstream", n)
			}
			<-up.ended // the session, and once
			if up.opened != 1 || len(up.ended) != 0 || len(up.cancelled) != 0 {
				t.Errorf("%d sessions, %d ended again, %d cancelled", up.opened, len(up.ended), len(up.cancelled))
			}
			checkDeclared(t, up, `"elicitation":{"form":{},"url":{}}`, `"sampling":{}`, `"roots":{}`)
		})
	}
}

// checkDeclared looks at the capabilities in the initialize that reached the upstream.
func checkDeclared(t *testing.T, up *asking, want ...string) {
	t.Helper()
	up.mu.Lock()
	defer up.mu.Unlock()
	for _, member := range want {
		if !strings.Contains(up.greeted, member) {
			t.Errorf("%s is not declared in %s", member, up.greeted)
		}
	}
}

// TestModernHostThatCannotBeAsked: where a host has not declared that it can be asked, its upstream is told so, and the call
// goes on.
func TestModernHostThatCannotBeAsked(t *testing.T) {
	for name, tt := range map[string]struct{ capabilities, method, params string }{
		"nothing declared":     {`"x":{}`, methodElicit, `{}`},
		"another thing":        {`"sampling":{}`, methodElicit, `{}`},
		"another mode":         {`"elicitation":{"url":{}}`, methodElicit, `{"mode":"form"}`},
		"no mode named":        {`"elicitation":{}`, methodElicit, `{"mode":"url"}`},
		"no sampling":          {`"elicitation":{}`, methodSample, `{}`},
		"no roots":             {`"elicitation":{}`, methodListRoots, `{}`},
		"what nobody knows":    {everyAsk, "x/y", `{}`},
		"a question too large": {everyAsk, methodElicit, `{"message":"` + strings.Repeat("x", maxInputBytes) + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			up := newAsking(t)
			g := newGateway(t, up.URL)
			got := g.postModern(t, askedCall("1", tt.capabilities, `{"ask":[{"id":9,"method":"`+tt.method+`","params":`+tt.params+`}]}`, "", ""))
			res, _ := parseResult(t, resultOf(t, got))
			if !strings.Contains(res.Content[0].Text, "-32601") || !strings.Contains(res.Content[0].Text, "2026-07-28") {
				t.Errorf("%.500s", got.body)
			}
		})
	}
}

// TestRetryThatFitsNoHeldCall: a retry by somebody else, of something else, with another state, or elsewhere, gets an error
// that says so, and the call that is held stays held. After it was taken up, it is gone.
func TestRetryThatFitsNoHeldCall(t *testing.T) {
	up := newAsking(t)
	g, replica := newGateway(t, up.URL), newGateway(t, up.URL)
	args := `{"ask":[{"id":9,"method":"elicitation/create","params":{}}]}`
	in := wantedOf(t, g.postModern(t, askedCall("1", everyAsk, args, "", "")))
	input := withInput(in.RequestState, `{"action":"accept"}`)
	retry := askedCall("2", everyAsk, args, input, "")
	refused := func(name string, got answer) {
		t.Helper()
		if !strings.Contains(string(got.body), `"id":2,"error":{"code":-32602`) || !strings.Contains(string(got.body), "another replica") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	refused("another key", g.postModern(t, retry, "Tomtom-Api-Key", "another"))
	refused("other arguments", g.postModern(t, askedCall("2", everyAsk, `{"ask":[]}`, input, "")))
	refused("another tool", g.postModern(t, strings.ReplaceAll(retry, "tomtom-routing", "tomtom-traffic")))
	refused("a state that was changed", g.postModern(t, askedCall("2", everyAsk, args, withInput(in.RequestState+"x", `{}`), "")))
	refused("no text for a state", g.postModern(t, askedCall("2", everyAsk, args, `"requestState":7,`, "")))
	refused("another replica", replica.postModern(t, retry))
	for name, more := range map[string]string{
		"no responses":         `"requestState":` + strconv.Quote(in.RequestState) + `,`,
		"another response":     `"inputResponses":{"x":{}},"requestState":` + strconv.Quote(in.RequestState) + `,`,
		"a response of a kind": withInput(in.RequestState, `7`),
	} {
		if again := wantedOf(t, g.postModern(t, askedCall("2", everyAsk, args, more, ""))); again.RequestState != in.RequestState {
			t.Errorf("%s: asked under another state", name)
		}
	}
	if res, _ := parseResult(t, resultOf(t, g.postModern(t, retry))); res.Meta.Status != statusInline {
		t.Errorf("the call did not go on: %+v", res)
	}
	refused("once more", g.postModern(t, retry))
	if n := len(up.calls("tomtom-routing")); n != 1 {
		t.Errorf("%d calls upstream", n)
	}
}

// TestHeldCallsAreBounded in number and time: one too many is not held, its upstream is told; one whose host does not come
// back is cancelled.
func TestHeldCallsAreBounded(t *testing.T) {
	up := newAsking(t)
	g := newGateway(t, up.URL)
	args := `{"ask":[{"id":9,"method":"elicitation/create","params":{}}]}`
	for i := range maxHeldCalls {
		if !g.held.add(strconv.Itoa(i), &heldCall{}, time.Hour) {
			t.Fatalf("no more than %d are held", i)
		}
	}
	if res, _ := parseResult(t, resultOf(t, g.postModern(t, askedCall("1", everyAsk, args, "", "")))); !strings.Contains(res.Content[0].Text, "-32601") {
		t.Errorf("%+v", res)
	}
	<-up.ended
	g.held.mu.Lock()
	for _, c := range g.held.calls {
		c.timer.Stop()
	}
	clear(g.held.calls)
	g.held.mu.Unlock()

	wantedOf(t, g.postModern(t, askedCall(`"closed"`, everyAsk, args, "", "")))
	g.held.close()
	if cancelled := <-up.cancelled; !strings.Contains(string(cancelled.body), `"requestId":"closed"`) {
		t.Errorf("%s", cancelled.body)
	}
	<-up.ended
	g.held.closed = false
	g.inputWait = time.Millisecond
	in := wantedOf(t, g.postModern(t, askedCall(`"late"`, everyAsk, args, "", "")))
	if cancelled := <-up.cancelled; !strings.Contains(string(cancelled.body), `"requestId":"late"`) {
		t.Errorf("%s", cancelled.body)
	}
	if got := g.postModern(t, askedCall("2", everyAsk, args, withInput(in.RequestState, "{}"), "")); !strings.Contains(string(got.body), "-32602") {
		t.Errorf("%s", got.body)
	}
	<-up.ended
	g.held.mu.Lock()
	defer g.held.mu.Unlock()
	if held := g.room.held.Load(); held != 0 || len(g.held.calls) != 0 {
		t.Errorf("%d bytes and %d calls are still held", held, len(g.held.calls))
	}
}

// TestHeldCallEndsWithItsHost: the host closes the stream of its retry, which cancels the call at the upstream under the id
// that it has there.
func TestHeldCallEndsWithItsHost(t *testing.T) {
	up := newAsking(t)
	g := newGateway(t, up.URL)
	args := `{"ask":[{"id":9,"method":"elicitation/create"},{"progress":"on"},{"wait":true}]}`
	in := wantedOf(t, g.postModern(t, askedCall("1", everyAsk, args, "", `"progressToken":1,`)))
	body := askedCall("2", everyAsk, args, withInput(in.RequestState, "{}"), `"progressToken":2,`)
	ctx, leave := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, g.server.URL+"/mcp", strings.NewReader(body))
	r.Header = mcpHeader()
	mirrorInto(r.Header, body)
	resp, err := g.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBody(resp)
	if ev, err := newEventReader(resp.Body, 1<<20, newMemory).next(); err != nil || !bytes.Contains(ev.raw, []byte(`"message":"on"`)) {
		t.Errorf("%q %v", ev.raw, err)
	}
	leave()
	if cancelled := <-up.cancelled; !strings.Contains(string(cancelled.body), `"requestId":1,`) {
		t.Errorf("%s", cancelled.body)
	}
}

// TestHeldCallWhoseUpstreamHasGone: the retry gets an error.
func TestHeldCallWhoseUpstreamHasGone(t *testing.T) {
	up := newAsking(t)
	g := newGateway(t, up.URL)
	args := `{"ask":[{"id":9,"method":"elicitation/create"}]}`
	in := wantedOf(t, g.postModern(t, askedCall("1", everyAsk, args, "", "")))
	up.CloseClientConnections()
	up.Close()
	got := g.postModern(t, askedCall("2", everyAsk, args, withInput(in.RequestState, "{}"), ""))
	if !strings.Contains(string(got.body), `"id":2,"error":{"code":-32603`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestAnyNumberOfQuestions: whatever an upstream asks for, in whatever order, with progress between: the host's answers reach
// it in their order, and one call runs.
func TestAnyNumberOfQuestions(t *testing.T) {
	up := newAsking(t)
	g := newGateway(t, up.URL)
	count := 0
	rapid.Check(t, func(r *rapid.T) {
		var steps []askedStep
		questions := 0
		for range rapid.IntRange(0, 5).Draw(r, "steps") {
			count++
			if rapid.Bool().Draw(r, "progress") {
				steps = append(steps, askedStep{Progress: "p"})
				continue
			}
			questions++
			id := rapid.SampledFrom([]string{strconv.Itoa(count), `"` + strconv.Itoa(count) + `"`}).Draw(r, "id")
			steps = append(steps, askedStep{ID: json.RawMessage(id), Method: rapid.SampledFrom([]string{methodElicit, methodSample, methodListRoots}).Draw(r, "method")})
		}
		list, _ := json.Marshal(map[string]any{"ask": steps})
		before := len(up.calls("tomtom-routing"))
		more, want := "", []string(nil)
		for i := range questions {
			in := wantedOf(t, g.postModern(t, askedCall(strconv.Itoa(i), everyAsk, string(list), more, `"progressToken":`+strconv.Itoa(i)+`,`)))
			response := `{"n":` + strconv.Itoa(i) + `}`
			more = withInput(in.RequestState, response)
			want = append(want, response)
		}
		res, _ := parseResult(t, resultOf(t, g.postModern(t, askedCall("99", everyAsk, string(list), more, `"progressToken":99,`))))
		told := toldOf(t, res)
		if len(told) != len(want) || len(up.calls("tomtom-routing"))-before != 1 {
			r.Fatalf("%d answers to %d questions, %d calls", len(told), len(want), len(up.calls("tomtom-routing"))-before)
		}
		for i, response := range want {
			if !bytes.HasSuffix(told[i], []byte(`"result":`+response+`}`)) {
				r.Errorf("answer %d: %s, want %s", i, told[i], response)
			}
		}
	})
}
