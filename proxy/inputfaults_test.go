package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const askOnce = `{"ask":[{"id":9,"method":"elicitation/create","params":{}}]}`

// TestRetriesAtOnce: of many retries of one call, one goes on with it, and the others are told that no call waits. The result
// is redeemed over the connection of the call, and there is one line about it.
func TestRetriesAtOnce(t *testing.T) {
	up := newAsking(t)
	g := newGateway(t, up.URL)
	in := wantedOf(t, g.postModern(t, askedCall("1", everyAsk, askOnce, "", "")))
	var all sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 20 {
		all.Go(func() {
			id := strconv.Itoa(100 + i)
			got := g.postModern(t, askedCall(id, everyAsk, askOnce, withInput(in.RequestState, `{"action":"accept"}`), ""))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case strings.Contains(string(got.body), metaAppData) && strings.Contains(string(got.body), `"id":`+id):
				won++
			case !strings.Contains(string(got.body), `"id":`+id+`,"error":{"code":-32602`):
				t.Errorf("%s", got.body)
			}
		})
	}
	all.Wait()
	calls, redeemed := up.calls("tomtom-routing"), up.calls("tomtom-get-viz-data")
	if won != 1 || len(calls) != 1 || len(redeemed) != 1 || len(g.logged.calls(t)) != 1 {
		t.Errorf("%d results, %d calls, %d redemptions", won, len(calls), len(redeemed))
	}
	if calls[0].remote != redeemed[0].remote || calls[0].header.Get(headerSession) != redeemed[0].header.Get(headerSession) {
		t.Errorf("redeemed over another connection")
	}
	<-up.ended
	if held := g.room.held.Load(); held != 0 || g.room.fitting.Load() != 0 || len(g.held.calls) != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

// TestRetryIsOfWhatWasAskedFor: every method that can wait for input is held against what it was asked with.
func TestRetryIsOfWhatWasAskedFor(t *testing.T) {
	up := newAsking(t)
	g := newGateway(t, up.URL)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{` + everyAsk + `}}`
	for name, tt := range map[string]struct{ method, params, other string }{
		"a prompt":                     {methodGetPrompt, `"name":"p","arguments":` + askOnce, `"name":"p","arguments":{"x":"y"}`},
		"a prompt, and no arguments":   {methodGetPrompt, `"name":"p","arguments":` + askOnce, `"name":"p"`},
		"a tool, and no arguments":     {methodCallTool, `"name":"t","arguments":` + askOnce, `"name":"t"`},
		"a tool, and no right ones":    {methodCallTool, `"name":"t","arguments":` + askOnce, `"name":"t","arguments":null`},
		"a tool, and a prompt's name":  {methodCallTool, `"name":"t","arguments":` + askOnce, `"name":"u","arguments":` + askOnce},
		"a resource's, under no state": {methodCallTool, `"name":"t","arguments":` + askOnce, `"name":"t","arguments":` + askOnce + `,"requestState":null`},
	} {
		t.Run(name, func(t *testing.T) {
			of := func(params, more string) string {
				return `{"jsonrpc":"2.0","id":1,"method":"` + tt.method + `","params":{` + params + `,` + more + meta + `}}`
			}
			in := wantedOf(t, g.postModern(t, of(tt.params, "")))
			input := withInput(in.RequestState, `{"action":"accept"}`)
			if strings.Contains(tt.other, memberRequestState) {
				input = `"inputResponses":{"input":{}},`
			}
			if got := g.postModern(t, of(tt.other, input)); !strings.Contains(string(got.body), "-32602") {
				t.Errorf("went on: %d %s", got.status, got.body)
			}
			if got := g.postModern(t, of(tt.params, withInput(in.RequestState, `{}`))); !strings.Contains(string(got.body), `"result"`) {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
}

// TestInputWithoutState: answers of a host that has lost the state run no tool again.
func TestInputWithoutState(t *testing.T) {
	up := newAsking(t)
	g := newGateway(t, up.URL)
	wantedOf(t, g.postModern(t, askedCall("1", everyAsk, askOnce, "", "")))
	got := g.postModern(t, askedCall("2", everyAsk, askOnce, `"inputResponses":{"input":{}},`, ""))
	if !strings.Contains(string(got.body), `"id":2,"error":{"code":-32602`) || len(up.calls("tomtom-routing")) != 1 {
		t.Errorf("%s, %d calls", got.body, len(up.calls("tomtom-routing")))
	}
}

// TestACallIsHeldSoOften: an upstream that asks once more is told that its host cannot be asked.
func TestACallIsHeldSoOften(t *testing.T) {
	up := newAsking(t)
	g := newGateway(t, up.URL)
	steps := make([]string, maxInputRounds+1)
	for i := range steps {
		steps[i] = `{"id":` + strconv.Itoa(i) + `,"method":"roots/list"}`
	}
	args, more := `{"ask":[`+strings.Join(steps, ",")+`]}`, ""
	for i := range maxInputRounds {
		more = withInput(wantedOf(t, g.postModern(t, askedCall(strconv.Itoa(i), everyAsk, args, more, ""))).RequestState, `{"roots":[]}`)
	}
	res, _ := parseResult(t, resultOf(t, g.postModern(t, askedCall("99", everyAsk, args, more, ""))))
	if told := toldOf(t, res); len(told) != len(steps) || !bytes.Contains(told[maxInputRounds], []byte("-32601")) {
		t.Errorf("%s", told)
	}
}

// TestHeldCallsEndWithTheGateway: when it begins to drain, upstreams are told that what waits for hosts is given up, whatever
// is asked for from then on cannot be, and nothing is left.
func TestHeldCallsEndWithTheGateway(t *testing.T) {
	for name, end := range map[string]func(*Gateway){"drained": (*Gateway).EndStreams, "closed": (*Gateway).Close} {
		t.Run(name, func(t *testing.T) {
			up := newAsking(t)
			g := newGateway(t, up.URL)
			in := wantedOf(t, g.postModern(t, askedCall(`"a"`, everyAsk, askOnce, "", "")))
			end(g.Gateway)
			if cancelled := <-up.cancelled; !strings.Contains(string(cancelled.body), `"requestId":"a"`) {
				t.Errorf("%s", cancelled.body)
			}
			<-up.ended
			g.held.ends.Wait()
			if held := g.room.held.Load(); held != 0 || len(g.held.calls) != 0 {
				t.Errorf("%d bytes and %d calls are still held", held, len(g.held.calls))
			}
			if name == "closed" {
				return
			}
			if got := g.postModern(t, askedCall("2", everyAsk, askOnce, withInput(in.RequestState, "{}"), "")); !strings.Contains(string(got.body), "-32602") {
				t.Errorf("%s", got.body)
			}
			res, _ := parseResult(t, resultOf(t, g.postModern(t, askedCall("3", everyAsk, askOnce, "", ""))))
			if told := toldOf(t, res); len(told) != 1 || !bytes.Contains(told[0], []byte("-32601")) {
				t.Errorf("%s", told)
			}
		})
	}
}

// TestLegacyHostIsAskedWhileTheGatewayEnds: its call ends with an error at once, since no answer could come any more, and the
// question is withdrawn.
func TestLegacyHostIsAskedWhileTheGatewayEnds(t *testing.T) {
	up := needy(t, true, `"inputRequests":{"who":`+elicitation+`},`)
	g := newGateway(t, up.URL)
	host := openLegacy(t, g, everyAsk)
	response, _ := host.call(t, callOf("1", "tomtom-routing", "{}"), func(message) string {
		g.EndStreams()
		return ""
	})
	if !strings.Contains(string(response), `"id":1,"error":{"code":-32603`) || !strings.Contains(string(response), "shutting down") {
		t.Errorf("%s", response)
	}
	if n := len(up.calls("tomtom-routing")); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestQuestionsAreWithdrawn: where a call ends before its host has answered everything, the host is told what needs no answer.
func TestQuestionsAreWithdrawn(t *testing.T) {
	up := needy(t, true, `"inputRequests":{"a":`+elicitation+`,"b":`+elicitation+`},`)
	g := newGateway(t, up.URL)
	host := openLegacy(t, g, everyAsk)
	stream := openStream(t, g, http.MethodPost, callOf("1", "tomtom-routing", "{}"), mcpHeader(headerSession, host.session))
	events := newEventReader(stream, 1<<20, newMemory)
	next := func() message {
		ev, err := events.next()
		if err != nil {
			t.Fatal(err)
		}
		messages, _, err := scanMessages(bytes.Clone(ev.data()))
		if err != nil {
			t.Fatal(err)
		}
		return messages[0]
	}
	a, b := next(), next()
	g.post(t, string(errorResponse(a.raw(a.id), &rpcError{code: -1, message: "no"})), headerSession, host.session)
	withdrawn := next()
	id, _ := memberOf(withdrawn, "requestId")
	if withdrawn.method != noteCancelled || !bytes.Equal(id, b.raw(b.id)) {
		t.Errorf("%s", withdrawn.body)
	}
	if last := next(); !last.isResponse() {
		t.Errorf("%s", last.body)
	}
}

// TestAnswersInABatch: those that nobody waits for are no success.
func TestAnswersInABatch(t *testing.T) {
	g := newGateway(t, batchUpstream(t).URL)
	host := openLegacy(t, g, everyAsk)
	got := g.post(t, `[{"jsonrpc":"2.0","id":"gateway-question-x","result":{}},{"jsonrpc":"2.0","method":"x"}]`, headerSession, host.session)
	if got.status != http.StatusServiceUnavailable || !strings.Contains(string(got.body), "another replica") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestQuestionsTakeNoRoom: while a host is asked, nothing counts as held that others could use, and what the server says
// behind its question is not lost.
func TestQuestionsTakeNoRoom(t *testing.T) {
	params := `{"message":"` + strings.Repeat("x", 300<<10) + `"}`
	t.Run("modern host", func(t *testing.T) {
		up := newAsking(t)
		g := newGateway(t, up.URL)
		args := `{"ask":[{"id":9,"method":"elicitation/create","params":` + params + `},{"progress":"on"}]}`
		in := wantedOf(t, g.postModern(t, askedCall("1", everyAsk, args, "", "")))
		settled(t, "room", func() bool { return g.room.held.Load() == 0 })
		got := g.postModern(t, askedCall("2", everyAsk, args, withInput(in.RequestState, `{}`), `"progressToken":2,`))
		if res, data := parseResult(t, resultOf(t, got)); res.Meta.Status != statusInline || string(data) != routeDoc {
			t.Errorf("%s", got.body)
		}
	})
	t.Run("legacy host", func(t *testing.T) {
		up := needy(t, true, `"inputRequests":{"who":{"method":"elicitation/create","params":`+params+`}},`)
		g := newGateway(t, up.URL)
		response, asked := openLegacy(t, g, everyAsk).call(t, callOf("1", "tomtom-routing", "{}"), func(m message) string {
			if held := g.room.held.Load(); held != 0 {
				t.Errorf("%d bytes are held", held)
			}
			return replyWith(`{"x":1}`)(m)
		})
		if len(asked) != 1 || !bytes.Contains(response, []byte(metaAppData)) {
			t.Errorf("%.300s", response)
		}
	})
}

// TestQuestionsAtOnce: a server asks for two things before it has an answer, and says more behind them.
func TestQuestionsAtOnce(t *testing.T) {
	up := newAsking(t)
	ask := up.call
	up.call = func(w http.ResponseWriter, in received) {
		if in.message.name == "tomtom-get-viz-data" {
			ask(w, in)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		question := `data: {"jsonrpc":"2.0","id":ID,"method":"elicitation/create","params":{"message":"ID"}}` + "\n\n"
		note := `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"message":"behind"}}` + "\n\n"
		_, _ = io.WriteString(w, strings.ReplaceAll(question, "ID", "1")+strings.ReplaceAll(question, "ID", "2")+note)
		flusher(w)()
		session := in.header.Get(headerSession)
		first, second := <-up.of(session+"1"), <-up.of(session+"2")
		text := strings.Replace(handleText, `"ü"`, "["+string(first.body)+","+string(second.body)+"]", 1)
		_, _ = io.WriteString(w, eventOf(string(in.message.raw(in.message.id)), textResultOf(text)))
	}
	g := newGateway(t, up.URL)
	more := ""
	for _, want := range []string{"1", "2"} {
		in := wantedOf(t, g.postModern(t, askedCall(want, everyAsk, "{}", more, `"progressToken":`+want+`,`)))
		if params := string(in.InputRequests[inputName].Params); params != `{"message":"`+want+`"}` {
			t.Errorf("asked %s", params)
		}
		more = withInput(in.RequestState, `{"n":`+want+`}`)
	}
	got := g.postModern(t, askedCall("3", everyAsk, "{}", more, `"progressToken":3,`))
	res, data := parseResult(t, resultOf(t, got))
	if told := toldOf(t, res); len(told) != 2 || !bytes.HasSuffix(told[0], []byte(`"result":{"n":1}}`)) || !bytes.HasSuffix(told[1], []byte(`"result":{"n":2}}`)) {
		t.Errorf("%s", told)
	}
	if string(data) != routeDoc || !strings.Contains(string(got.body), `"progressToken":3,"message":"behind"`) {
		t.Errorf("%s", got.body)
	}
}
