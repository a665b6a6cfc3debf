package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestRetryOfAnotherCaller: every header by which callers differ is held against the one who was asked.
func TestRetryOfAnotherCaller(t *testing.T) {
	up := newAsking(t)
	g := newGateway(t, up.URL)
	mine := []string{"Authorization", "Bearer a", "Tomtom-Maps-Backend", "tomtom-maps"}
	in := wantedOf(t, g.postModern(t, askedCall("1", everyAsk, askOnce, "", ""), mine...))
	retry := askedCall("2", everyAsk, askOnce, withInput(in.RequestState, `{}`), "")
	for name, theirs := range map[string][]string{
		"authorization": {"Authorization", "Bearer b", "Tomtom-Maps-Backend", "tomtom-maps"},
		"none":          {"Tomtom-Maps-Backend", "tomtom-maps"},
		"service":       {"Authorization", "Bearer a", "Tomtom-Maps-Backend", "tomtom-orbis-maps"},
		"key":           append([]string{"Tomtom-Api-Key", "another"}, mine...),
	} {
		if got := g.postModern(t, retry, theirs...); !strings.Contains(string(got.body), "-32602") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if res, _ := parseResult(t, resultOf(t, g.postModern(t, retry, mine...))); res.Meta.Status != statusInline {
		t.Errorf("%+v", res)
	}
}

// withSteps is a legacy upstream that asks for something on a request's stream, and writes behind when it has
// its answer, which its result repeats.
func withSteps(t *testing.T, behind string) *asking {
	t.Helper()
	up := newAsking(t)
	ask := up.call
	up.call = func(w http.ResponseWriter, in received) {
		if in.message.name == "tomtom-get-viz-data" {
			ask(w, in)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{}}`+"\n\n")
		flusher(w)()
		told := <-up.of(in.header.Get(headerSession) + "9")
		if behind == "" {
			<-in.r.Context().Done()
			return
		}
		text := strings.Replace(handleText, `"ü"`, "["+string(told.body)+"]", 1)
		_, _ = io.WriteString(w, behind+eventOf(string(in.message.raw(in.message.id)), textResultOf(text)))
	}
	return up
}

// TestRequestsThatAreNotHeld: a request that is too large, and one of a method that cannot wait for input: the server is told
// that its host cannot be asked.
func TestRequestsThatAreNotHeld(t *testing.T) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{` + everyAsk + `}}`
	for name, body := range map[string]string{
		"too large":      askedCall("1", everyAsk, `{"x":"`+strings.Repeat("x", maxInputBytes)+`"}`, "", ""),
		"another method": `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{},"argument":{},` + meta + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, withSteps(t, ": \n\n").URL, func(o *Options) { o.MaxRequestBytes = 4 << 20 })
			if got := g.postModern(t, body); !strings.Contains(string(got.body), "-32601") || strings.Contains(string(got.body), resultInputRequired) {
				t.Errorf("%d %.300s", got.status, got.body)
			}
		})
	}
}

// TestRetrySaysItsOwnLevel: what the server logs after a host's answer reaches the host as its retry wants it, and that the
// server does not wait for the answer any more does not.
func TestRetrySaysItsOwnLevel(t *testing.T) {
	const behind = `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"logged"}}` + "\n\n" +
		`data: {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}` + "\n\n"
	const level = `"io.modelcontextprotocol/logLevel":"info",`
	for name, tt := range map[string]struct {
		first, second string
		logged        bool
	}{"the retry alone": {"", level, true}, "the first alone": {level, "", false}} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, withSteps(t, behind).URL)
			in := wantedOf(t, g.postModern(t, askedCall("1", everyAsk, "{}", "", tt.first)))
			got := g.postModern(t, askedCall("2", everyAsk, "{}", withInput(in.RequestState, `{}`), tt.second))
			if bytes.Contains(got.body, []byte(`"data":"logged"`)) != tt.logged || bytes.Contains(got.body, []byte(noteCancelled)) {
				t.Errorf("%s", got.body)
			}
		})
	}
}

// TestHostsTakeTheirTime: while a host is asked, the upstream's time stands still; afterwards it runs again.
func TestHostsTakeTheirTime(t *testing.T) {
	const limit = time.Second
	brief := func(o *Options) { o.UpstreamTimeout = limit }
	t.Run("modern host", func(t *testing.T) {
		g := newGateway(t, withSteps(t, "").URL, brief)
		in := wantedOf(t, g.postModern(t, askedCall("1", everyAsk, "{}", "", "")))
		<-time.After(limit + limit/4)
		asked := time.Now()
		got := g.postModern(t, askedCall("2", everyAsk, "{}", withInput(in.RequestState, `{}`), ""))
		if !strings.Contains(string(got.body), "did not answer in time") || time.Since(asked) < limit/2 {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
	t.Run("legacy host", func(t *testing.T) {
		g := newGateway(t, needy(t, true, `"inputRequests":{"who":`+elicitation+`},`).URL, brief)
		response, _ := openLegacy(t, g, everyAsk).call(t, callOf("1", "tomtom-routing", "{}"), func(m message) string {
			<-time.After(limit + limit/4)
			return replyWith(`{"x":1}`)(m)
		})
		if !bytes.Contains(response, []byte(metaAppData)) {
			t.Errorf("%s", response)
		}
	})
}
