package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// needy is a modern upstream that wants inputs before it answers, round after round: what stands in rounds, raw
// inputRequests, "" for none. Its answer is what it was told in the last round.
func needy(t *testing.T, asJSON bool, rounds ...string) *fakeUpstream {
	t.Helper()
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.name == "tomtom-get-viz-data" {
			answerEvent(w, in, textResultOf(routeDoc))
			return
		}
		if in.message.method != methodCallTool {
			answerEvent(w, in, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`)
			return
		}
		round := 0
		if state, ok := memberOf(in.message, memberRequestState); ok {
			round, _ = strconv.Atoi(strings.Trim(string(state), `"`))
		}
		var result string
		if round < len(rounds) {
			result = `{"resultType":"input_required",` + rounds[round] + `"requestState":"` + strconv.Itoa(round+1) + `"}`
		} else {
			told, _ := memberOf(in.message, memberInputResponses)
			if told == nil {
				told = []byte("{}")
			}
			result = strings.Replace(textResultOf(strings.Replace(handleText, `"ü"`, string(told), 1)), "{", `{"resultType":"complete",`, 1)
		}
		if asJSON {
			writeJSON(w, http.StatusOK, resultResponse(in.message.raw(in.message.id), []byte(result)))
			return
		}
		answerEvent(w, in, result)
	})
	up.versions = []string{modernVersion}
	return up
}

// memberOf is the last value of a member of a request's params, raw.
func memberOf(m message, name string) ([]byte, bool) {
	var params map[string]json.RawMessage
	_ = json.Unmarshal(m.raw(m.params), &params)
	value, ok := params[name]
	return value, ok
}

// legacyHost is a host with a session, whose calls can be asked for something.
type legacyHost struct {
	g       *gateway
	session string
	client  *http.Client
}

func openLegacy(t testing.TB, g *gateway, capabilities string) *legacyHost {
	t.Helper()
	opened := g.post(t, initializeOf("host", `{`+capabilities+`,"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`))
	return &legacyHost{g: g, session: opened.header.Get(headerSession), client: g.client}
}

// call sends a request and answers with what reply returns whatever it is asked, "" for no answer, until the response is
// there.
func (h *legacyHost) call(t testing.TB, body string, reply func(question message) string) (response []byte, asked []message) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, h.g.server.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = mcpHeader(headerSession, h.session)
	resp, err := h.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBody(resp)
	if isMediaType(resp.Header, "application/json") {
		body, err := readHeld(resp.Body, 1<<20, newMemory)
		if err != nil {
			t.Fatal(err)
		}
		return body, nil
	}
	events := newEventReader(resp.Body, 1<<24, newMemory)
	for {
		ev, err := events.next()
		if err != nil {
			t.Fatalf("no response: %v", err)
		}
		messages, _, err := scanMessages(bytes.Clone(ev.data()))
		if err != nil || !ev.isMessage() {
			continue
		}
		m := messages[0]
		switch {
		case m.isResponse():
			return m.raw(m.span), asked
		case m.isRequest():
			asked = append(asked, m)
			if text := reply(m); text != "" {
				if got := h.g.post(t, text, headerSession, h.session); got.status != http.StatusAccepted {
					t.Errorf("the host's answer: %d %s", got.status, got.body)
				}
			}
		}
	}
}

func replyWith(result string) func(message) string {
	return func(m message) string { return string(resultResponse(m.raw(m.id), []byte(result))) }
}

const elicitation = `{"method":"elicitation/create","params":{ "message":"Who?","requestedSchema":{"type":"object"},"n":1.50}}`

// TestLegacyHostIsAskedForAModernUpstream: what an upstream wants reaches a legacy host on the stream of its call, and its
// answers reach the upstream in one more request of the same call.
func TestLegacyHostIsAskedForAModernUpstream(t *testing.T) {
	for name, tt := range map[string]struct {
		round, result string
		methods       []string
		params        []string
		told          string
	}{
		"elicitation": {
			`"inputRequests":{"who":` + elicitation + `},`, `{"action":"accept","content":{"n": 1.0}}`,
			[]string{methodElicit},
			[]string{`{ "message":"Who?","requestedSchema":{"type":"object"},"n":1.50}`},
			`{"who":{"action":"accept","content":{"n": 1.0}}}`,
		},
		"url": {
			`"inputRequests":{"go":{"method":"elicitation/create","params":{"mode":"url","message":"Go","url":"https://x.test"}}},`, `{"action":"accept"}`,
			[]string{methodElicit},
			[]string{`{"mode":"url","message":"Go","url":"https://x.test","elicitationId":ID}`},
			`{"go":{"action":"accept"}}`,
		},
		"sampling": {
			`"inputRequests":{"\u00fc":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}}},`, `{"role":"assistant"}`,
			[]string{methodSample},
			[]string{`{"messages":[],"maxTokens":9}`},
			`{"ü":{"role":"assistant"}}`,
		},
		"roots": {
			`"inputRequests":{"r":{"method":"roots/list"}},`, `{"roots":[]}`,
			[]string{methodListRoots},
			[]string{""},
			`{"r":{"roots":[]}}`,
		},
		"several": {
			`"inputRequests":{"a":` + elicitation + `,"b":{"method":"roots/list","params":{}}},`, `{"x":1}`,
			[]string{methodElicit, methodListRoots},
			[]string{`{ "message":"Who?","requestedSchema":{"type":"object"},"n":1.50}`, `{}`},
			`{"a":{"x":1},"b":{"x":1}}`,
		},
		"nothing but another try": {"", "", nil, nil, `{}`},
	} {
		for _, asJSON := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, JSON %t", name, asJSON), func(t *testing.T) {
				up := needy(t, asJSON, tt.round)
				g := newGateway(t, up.URL)
				host := openLegacy(t, g, everyAsk)
				response, asked := host.call(t, callOf(`"one"`, "tomtom-routing", `{ "x":1.50}`), replyWith(tt.result))
				if len(asked) != len(tt.methods) {
					t.Fatalf("asked for %d things, %s", len(asked), response)
				}
				for i, m := range asked {
					want := strings.ReplaceAll(tt.params[i], "ID", string(m.raw(m.id)))
					if m.method != tt.methods[i] || string(m.raw(m.params)) != want {
						t.Errorf("asked %s, want %s", m.raw(m.span), want)
					}
				}
				var envelope struct {
					ID     string
					Result json.RawMessage
				}
				if err := json.Unmarshal(response, &envelope); err != nil || envelope.ID != "one" {
					t.Fatalf("%s", response)
				}
				res, data := parseResult(t, envelope.Result)
				if res.Meta.Status != statusInline || string(data) != routeDoc || !strings.Contains(res.Content[0].Text, tt.told) {
					t.Errorf("%s", response)
				}
				checkRetried(t, up, tt.told)
			})
		}
	}
}

// checkRetried: the second request is the first with the input, and under an id of its own.
func checkRetried(t *testing.T, up *fakeUpstream, told string) {
	t.Helper()
	calls := up.calls("tomtom-routing")
	if len(calls) != 2 {
		t.Fatalf("%d requests", len(calls))
	}
	first, second := calls[0].message, calls[1].message
	if first.idKey() == second.idKey() || string(first.raw(first.args)) != `{ "x":1.50}` || string(second.raw(second.args)) != `{ "x":1.50}` {
		t.Errorf("sent\n%s\nthen\n%s", first.body, second.body)
	}
	if responses, _ := memberOf(second, memberInputResponses); string(responses) != told {
		t.Errorf("told %s", responses)
	}
	for _, in := range calls {
		capabilities, _ := in.message.meta(metaCapabilities)
		if got := string(in.message.raw(capabilities)); !strings.HasPrefix(got, `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{},"extensions":`) {
			t.Errorf("the host is described by %s", got)
		}
		if in.header.Get(headerMethod) != methodCallTool || in.header.Get(headerName) != "tomtom-routing" {
			t.Errorf("headers %v", in.header)
		}
	}
}

// TestLegacyHostThatCannotBeAsked: where it has not declared what it is to be asked for, answers with an error, or not at
// all, its call gets an error that says so, and no second request goes upstream.
func TestLegacyHostThatCannotBeAsked(t *testing.T) {
	const ask = `"inputRequests":{"who":` + elicitation + `},`
	many := make([]string, 20)
	for i := range many {
		many[i] = `"` + strconv.Itoa(i) + `":{"method":"roots/list"}`
	}
	for name, tt := range map[string]struct {
		capabilities, round string
		reply               func(message) string
		want                string
		tries               int
	}{
		"not declared": {`"sampling":{}`, ask, nil, "asks for elicitation/create before it answers", 1},
		"one of two":   {`"roots":{}`, `"inputRequests":{"a":{"method":"roots/list"},"who":` + elicitation + `},`, nil, "asks for elicitation/create before it answers", 1},
		"what is it":   {everyAsk, `"inputRequests":{"a":7},`, nil, "asks for more input before it answers", 1},
		"many":         {everyAsk, `"inputRequests":{` + strings.Join(many, ",") + `},`, nil, "more than can be asked at once", 1},
		"large":        {everyAsk, `"inputRequests":{"a":{"method":"roots/list","params":{"x":"` + strings.Repeat("x", maxInputBytes) + `"}}},`, nil, "more than can be asked at once", 1},
		"an error": {everyAsk, ask, func(m message) string {
			return string(errorResponse(m.raw(m.id), &rpcError{code: -1, message: "User rejected"}))
		}, "with an error: User rejected", 1},
		"no answer":     {everyAsk, ask, func(message) string { return "" }, "did not answer", 1},
		"again forever": {everyAsk, "", nil, "again and again", maxInputRounds + 1},
	} {
		t.Run(name, func(t *testing.T) {
			rounds := []string{tt.round}
			for range tt.tries - 1 {
				rounds = append(rounds, tt.round)
			}
			up := needy(t, false, rounds...)
			g := newGateway(t, up.URL)
			if name == "no answer" {
				g.inputWait = 10 * time.Millisecond
			}
			response, _ := openLegacy(t, g, tt.capabilities).call(t, callOf("1", "tomtom-routing", "{}"), tt.reply)
			if !strings.Contains(string(response), `"id":1,"error":{"code":-32603`) || !strings.Contains(string(response), tt.want) {
				t.Errorf("%s", response)
			}
			if n := len(up.calls("tomtom-routing")); n != tt.tries {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestAnswersOfStrangers: an answer under another session, with another key, at another replica, or given twice is not taken
// for the host's; whoever sends it is told.
func TestAnswersOfStrangers(t *testing.T) {
	up := needy(t, true, `"inputRequests":{"who":`+elicitation+`},`)
	g, replica := newGateway(t, up.URL), newGateway(t, up.URL)
	host, other := openLegacy(t, g, everyAsk), openLegacy(t, g, everyAsk)
	var last string
	response, _ := host.call(t, callOf("1", "tomtom-routing", "{}"), func(m message) string {
		forged := string(resultResponse(m.raw(m.id), []byte(`{"forged":true}`)))
		for name, got := range map[string]answer{
			"another session": g.post(t, forged, headerSession, other.session),
			"no session":      g.post(t, forged),
			"another key":     g.post(t, forged, headerSession, host.session, "Tomtom-Api-Key", "another"),
			"another replica": replica.post(t, forged, headerSession, host.session),
		} {
			if got.status != http.StatusServiceUnavailable || !strings.Contains(string(got.body), "another replica") {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
		if got := g.post(t, `{"jsonrpc":"2.0","id":"x","result":{}}`, headerSession, host.session); got.status != http.StatusAccepted {
			t.Errorf("an answer to nothing: %d", got.status)
		}
		last = string(resultResponse(m.raw(m.id), []byte(`{"mine":true}`)))
		return last
	})
	if !bytes.Contains(response, []byte(`mine`)) || bytes.Contains(response, []byte("forged")) {
		t.Errorf("%s", response)
	}
	if got := g.post(t, last, headerSession, host.session); got.status != http.StatusServiceUnavailable {
		t.Errorf("a second answer: %d", got.status)
	}
}

// TestLegacyHostCancelsWhileItIsAsked: the call ends without a response, and nothing more goes upstream.
func TestLegacyHostCancelsWhileItIsAsked(t *testing.T) {
	up := needy(t, true, `"inputRequests":{"who":`+elicitation+`},`)
	g := newGateway(t, up.URL)
	host := openLegacy(t, g, everyAsk)
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, g.server.URL+"/mcp", strings.NewReader(callOf("1", "tomtom-routing", "{}")))
	r.Header = mcpHeader(headerSession, host.session)
	resp, err := g.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBody(resp)
	events := newEventReader(resp.Body, 1<<20, newMemory)
	if ev, err := events.next(); err != nil || !bytes.Contains(ev.raw, []byte(methodElicit)) {
		t.Fatalf("%q %v", ev.raw, err)
	}
	g.post(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, headerSession, host.session)
	if ev, err := events.next(); err == nil {
		t.Errorf("%q", ev.raw)
	}
	if n := len(up.calls("tomtom-routing")); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestAnyNumberOfRounds: whatever an upstream wants, round after round, each round gets the host's answers to it and no
// others, and there is one request a round.
func TestAnyNumberOfRounds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var rounds []string
		last := `{}`
		for range rapid.IntRange(0, 4).Draw(r, "rounds") {
			var requests, told []newMember
			for i := range rapid.IntRange(0, 3).Draw(r, "questions") {
				name := rapid.SampledFrom([]string{"a", "ü", `"`, "b.c"}).Draw(r, "name") + strconv.Itoa(i)
				method := rapid.SampledFrom([]string{methodElicit, methodSample, methodListRoots}).Draw(r, "method")
				requests = append(requests, newMember{name, object(newMember{"method", quoted(method)}, newMember{"params", object(newMember{"n", quoted(name)})})})
				told = append(told, newMember{name, object(newMember{"to", quoted(name)})})
			}
			rounds = append(rounds, `"inputRequests":`+string(object(requests...))+`,`)
			last = string(object(told...))
		}
		up := needy(t, rapid.Bool().Draw(r, "JSON"), rounds...)
		defer up.Close()
		g := newGateway(t, up.URL)
		response, _ := openLegacy(t, g, everyAsk).call(t, callOf("1", "tomtom-routing", "{}"), func(m message) string {
			name := stringMember(m.body, m.params, "n")
			return string(resultResponse(m.raw(m.id), object(newMember{"to", quoted(name)})))
		})
		var envelope struct{ Result json.RawMessage }
		if err := json.Unmarshal(response, &envelope); err != nil || envelope.Result == nil {
			r.Fatalf("%s", response)
		}
		res, _ := parseResult(t, envelope.Result)
		if !strings.Contains(res.Content[0].Text, last) || len(up.calls("tomtom-routing")) != len(rounds)+1 {
			r.Fatalf("%d requests, %s, want %s", len(up.calls("tomtom-routing")), res.Content[0].Text, last)
		}
	})
}
