package proxy

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// batchUpstream is a modern upstream, which knows no batches.
func batchUpstream(t *testing.T) *fakeUpstream {
	t.Helper()
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		m := in.message
		switch {
		case strings.HasPrefix(string(in.body), "["):
			writeError(w, http.StatusBadRequest, &rpcError{code: codeInvalidRequest, message: "no batches"})
		case in.header.Get("Tomtom-Api-Key") == "refused":
			w.Header().Set("Www-Authenticate", "Bearer")
			writeError(w, http.StatusUnauthorized, &rpcError{code: codeUnauthenticated, message: "no key"})
		case m.name == "tomtom-get-viz-data":
			answerEvent(w, in, textResultOf(routeDoc))
		case m.name == "tomtom-routing":
			answerEvent(w, in, textResultOf(handleText))
		case m.method == "page":
			w.WriteHeader(http.StatusTeapot)
		case m.method == methodCallTool:
			writeJSON(w, http.StatusOK, resultResponse(m.raw(m.id), []byte(`{"resultType":"complete","content":[],"n":1.50}`)))
		default:
			writeJSON(w, http.StatusNotFound, errorResponse(m.raw(m.id), unknownMethod(m.method)))
		}
	})
	up.versions = []string{modernVersion}
	return up
}

// responsesIn are the responses in an event stream, raw ids in their order, and what they hold.
func responsesIn(t testing.TB, stream []byte) (ids []string, bodies map[string]string) {
	t.Helper()
	bodies = map[string]string{}
	events := newEventReader(strings.NewReader(string(stream)), 1<<24, newMemory)
	for {
		ev, err := events.next()
		if err != nil {
			return ids, bodies
		}
		messages, batch, err := scanMessages(append([]byte(nil), ev.data()...))
		if err != nil || batch {
			t.Fatalf("%q", ev.raw)
		}
		m := messages[0]
		ids = append(ids, string(m.raw(m.id)))
		bodies[ids[len(ids)-1]] = string(m.body)
	}
}

// TestBatchInFrontOfAModernUpstream: a batch goes upstream message by message, and each request has its own answer.
func TestBatchInFrontOfAModernUpstream(t *testing.T) {
	up := batchUpstream(t)
	g := newGateway(t, up.URL)
	got := g.post(t, "["+strings.Join([]string{
		callOf("1", "tomtom-routing", `{"n":1}`), `{"jsonrpc":"2.0","method":"notifications/x"}`, callOf(`"b"`, "other", `{ "n":1.50}`),
		`{"jsonrpc":"2.0","id":3,"method":"nope"}`, `{"jsonrpc":"2.0","id":4,"method":"page"}`, `{"jsonrpc":"2.0","id":5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":6,"method":"initialize","params":{}}`, callOf("7", "tomtom-get-viz-data", "{}"), `7`,
	}, " , ")+"]")
	ids, bodies := responsesIn(t, got.body)
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/event-stream" || strings.Join(ids, " ") != `1 "b" 3 4 5 6 7` {
		t.Fatalf("%d %v %s", got.status, ids, got.body)
	}
	for id, want := range map[string]string{
		"1": metaAppData, `"b"`: `"n":1.50`, "3": "-32601", "4": "HTTP status 418", "5": `"result":{}`, "6": "must not be part of a batch", "7": refusedTool,
	} {
		if !strings.Contains(bodies[id], want) {
			t.Errorf("%s: %s", id, bodies[id])
		}
	}
	for tool, want := range map[string]int{"tomtom-routing": 1, "other": 1, "tomtom-get-viz-data": 1} {
		if n := len(up.calls(tool)); n != want {
			t.Errorf("%s was called %d times", tool, n)
		}
	}
	for _, in := range up.requests() {
		if in.body[0] != '{' || in.message.id.Len() == 0 || in.header.Get(headerMethod) != in.message.method {
			t.Errorf("upstream got %s with %v", in.body, in.header)
		}
	}
	if got := g.post(t, `[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":1,"result":{}}]`); got.status != http.StatusAccepted || len(got.body) != 0 {
		t.Errorf("notifications alone: %d %s", got.status, got.body)
	}
	got = g.post(t, "["+callOf("1", "other", "{}")+","+callOf("2", "other", "{}")+"]", "Tomtom-Api-Key", "refused")
	if got.status != http.StatusUnauthorized || got.header.Get("Www-Authenticate") != "Bearer" || len(up.calls("other")) != 2 {
		t.Errorf("refused: %d %v %s", got.status, got.header, got.body)
	}
}

// TestAnyBatchIsAnsweredMessageByMessage: one answer to every request, in order, and to nothing else.
func TestAnyBatchIsAnsweredMessageByMessage(t *testing.T) {
	g := newGateway(t, batchUpstream(t).URL)
	rapid.Check(t, func(r *rapid.T) {
		var messages, want []string
		for i := range rapid.IntRange(1, 6).Draw(r, "messages") {
			id := fmt.Sprintf("%d", i)
			message := rapid.SampledFrom([]string{
				callOf(id, "tomtom-routing", "{}"), callOf(id, "other", "{}"), `{"jsonrpc":"2.0","id":` + id + `,"method":"nope"}`,
				`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`, `{"jsonrpc":"2.0","method":"x"}`, `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`,
			}).Draw(r, "message")
			if messages = append(messages, message); strings.Contains(message, `"id"`) && strings.Contains(message, `"method"`) {
				want = append(want, id)
			}
		}
		got := g.post(t, "["+strings.Join(messages, ",")+"]")
		if ids, _ := responsesIn(t, got.body); strings.Join(ids, " ") != strings.Join(want, " ") || (got.status == http.StatusAccepted) != (len(want) == 0) {
			r.Fatalf("%d %v, want %v", got.status, ids, want)
		}
	})
}

// TestLogLevelOfLegacyHosts: a modern upstream that logs is asked to with every request, from the level on that the one host
// of a gateway has set; where there may be several, from the same level for all.
func TestLogLevelOfLegacyHosts(t *testing.T) {
	for name, tt := range map[string]struct {
		change []func(*Options)
		level  string
		error  bool
		want   string
	}{
		"one host":           {[]func(*Options){remembering}, "error", false, "error"},
		"many hosts":         {nil, "error", false, "info"},
		"no level":           {[]func(*Options){remembering}, "loud", true, "info"},
		"nothing set before": {[]func(*Options){remembering}, "", true, "info"},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"resultType":"complete","tools":[]}`) })
			up.versions = []string{modernVersion}
			up.questions = func(w http.ResponseWriter, in received) bool {
				if in.message.method == methodDiscover {
					answerEvent(w, in, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"logging":{}}}`)
				}
				return in.message.method == methodDiscover
			}
			g := newGateway(t, up.URL, tt.change...)
			got := g.post(t, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"`+tt.level+`"}}`)
			if failed := strings.Contains(string(got.body), "-32602"); got.status != http.StatusOK || failed != tt.error || failed == strings.Contains(string(got.body), `"result":{}`) {
				t.Errorf("%d %s", got.status, got.body)
			}
			g.post(t, bareList)
			in := up.requests()
			if sent := string(in[len(in)-1].body); !strings.Contains(sent, `"io.modelcontextprotocol/logLevel":"`+tt.want+`"`) {
				t.Errorf("sent %s", sent)
			}
		})
	}
}
