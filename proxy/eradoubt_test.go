package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestRefusalIsForWhoAsked: what an overloaded upstream says to one caller is not passed to others, who are not asked for a
// while; nor is it to those who waited for the same question.
func TestRefusalIsForWhoAsked(t *testing.T) {
	up := newUpstreamServer(t, nil)
	up.questions = func(w http.ResponseWriter, in received) bool {
		w.Header().Set("Set-Cookie", "who="+in.header.Get("Tomtom-Api-Key"))
		http.Error(w, "dear "+in.header.Get("Tomtom-Api-Key"), http.StatusServiceUnavailable)
		return true
	}
	g := newGateway(t, up.URL)
	if got := g.postModern(t, modernCallOf("1", "other", "{}"), "Tomtom-Api-Key", "first"); got.status != 503 || string(got.body) != "dear first\n" || got.header.Get("Set-Cookie") == "" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	got := g.postModern(t, modernCallOf(`"x"`, "other", "{}"), "Tomtom-Api-Key", "second")
	if got.status != 503 || string(got.body) != `{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"The MCP server answered with HTTP status 503"}}` || got.header.Get("Set-Cookie") != "" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
}

// TestALoginDecidesNothing: a caller who is sent to a login, or is shown its page, does not decide the era for the others.
func TestALoginDecidesNothing(t *testing.T) {
	for status, want := range map[int]int{200: 502, 302: 302, 402: 402, 407: 407, 431: 431} {
		for _, legacyToo := range []bool{false, true} {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"resultType":"complete","content":[]}`) })
			up.versions = []string{modernVersion}
			up.questions = func(w http.ResponseWriter, in received) bool {
				if in.header.Get("Tomtom-Api-Key") != "" || legacyToo && in.message.method == methodDiscover {
					return false
				}
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.Header().Set("X-Login", "here")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, "<html>")
				return true
			}
			g := newGateway(t, up.URL)
			if legacyToo { // the page is the answer to initialize
				g.post(t, bareList, "Tomtom-Api-Key", "")
			} else if got := g.postModern(t, modernCallOf("1", "other", "{}"), "Tomtom-Api-Key", ""); got.status != want || want == 502 && !strings.Contains(string(got.body), `"id":1,"error"`) {
				t.Errorf("%d: %d %v %s", status, got.status, got.header, got.body)
			}
			if n := len(up.calls("other")); n != 0 {
				t.Errorf("%d: %d calls", status, n)
			}
			if got := g.postModern(t, modernCallOf("1", "other", "{}")); got.status != 200 || !strings.Contains(string(got.body), `"result"`) {
				t.Errorf("%d: another caller: %d %s", status, got.status, got.body)
			}
			if got := g.post(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`); !strings.Contains(string(got.body), `"protocolVersion"`) {
				t.Errorf("%d: a legacy host: %d %s", status, got.status, got.body)
			}
		}
	}
}

// TestInitializeWithoutAnAnswer: a modern host in front of a legacy server that does not answer the gateway's initialize gets an
// error, never a success without a response.
func TestInitializeWithoutAnAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		initialize func(w http.ResponseWriter, in received)
		status     int
		body       string
	}{
		"begins and hangs": {func(w http.ResponseWriter, in received) {
			w.Header().Set("Content-Type", "text/event-stream")
			flusher(w)()
			<-in.r.Context().Done()
		}, 504, `did not answer in time`},
		"ends without a word": {func(w http.ResponseWriter, _ received) { w.Header().Set("Content-Type", "text/event-stream") }, 502, `no MCP message`},
		"a page": {func(w http.ResponseWriter, _ received) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}, 502, `no MCP message`},
		"breaks off": {func(w http.ResponseWriter, _ received) { dropConnection(w) }, 502, `broke off`},
		"an error as an event": {func(w http.ResponseWriter, in received) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(newEvent(errorResponse(in.message.raw(in.message.id), &rpcError{code: codeInternal, message: "starting"})))
		}, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"starting"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, nil)
			up.questions = func(w http.ResponseWriter, in received) bool {
				if in.message.method == methodInitialize {
					tt.initialize(w, in)
				}
				return in.message.method == methodInitialize
			}
			g := newGateway(t, up.URL, func(o *Options) { o.UpstreamTimeout = 300 * time.Millisecond })
			got := g.postModern(t, modernCallOf("1", "other", "{}"))
			if got.status != tt.status || got.header.Get("Content-Type") != "application/json" || !strings.Contains(string(got.body), tt.body) || !strings.Contains(string(got.body), `"id":1,"error"`) {
				t.Errorf("%d %v %s", got.status, got.header, got.body)
			}
		})
	}
}

// TestRestartBeforeTheFirstModernHost: an upstream of which only legacy hosts have been speaking is modern after a restart. The first
// modern host finds out by the gateway's initialize, which is no call: its own call runs, once.
func TestRestartBeforeTheFirstModernHost(t *testing.T) {
	for _, tool := range []string{"other", "tomtom-traffic"} {
		for _, status := range []int{http.StatusNotFound, http.StatusOK} {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"resultType":"complete","content":[]}`) })
			g := newGateway(t, up.URL)
			g.post(t, bareList)
			up.mu.Lock()
			up.versions = []string{modernVersion}
			up.questions = func(w http.ResponseWriter, in received) bool {
				if in.message.method == methodInitialize {
					writeJSON(w, status, errorResponse(in.message.raw(in.message.id), unknownMethod(methodInitialize)))
				}
				return in.message.method == methodInitialize
			}
			up.mu.Unlock()
			got := g.postModern(t, modernCallOf("1", tool, "{}"))
			if n := len(up.calls(tool)); got.status != 200 || n != 1 || !strings.Contains(string(got.body), `"result":{"resultType":"complete"`) {
				t.Errorf("%d calls, %d %s", n, got.status, got.body)
			}
		}
	}
}

// TestRestartIntoALegacyServerThatRefusesNothing: an old server may not look at the revision, and answer what it does not know with
// HTTP status 200. The answers show it.
func TestRestartIntoALegacyServerThatRefusesNothing(t *testing.T) {
	for name, modern := range map[string]bool{"modern host": true, "legacy host": false} {
		for _, first := range []string{"tomtom-traffic", methodDiscover} {
			t.Run(name+", "+first, func(t *testing.T) {
				up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
					if in.message.method == methodDiscover {
						w.Header().Set("Content-Type", "text/event-stream")
						_, _ = w.Write(newEvent(errorResponse(in.message.raw(in.message.id), unknownMethod(methodDiscover))))
						return
					}
					answerEvent(w, in, `{"content":[],"protocolVersion":"2025-11-25"}`)
				})
				up.versions = []string{modernVersion}
				g := newGateway(t, up.URL)
				send := func(method string) answer {
					switch {
					case modern && method == methodDiscover:
						return g.postModern(t, modernRequestOf("1", method, ""))
					case modern:
						return g.postModern(t, modernCallOf("1", method, "{}"))
					case method == methodDiscover: // what it becomes
						return g.post(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)
					}
					return g.post(t, callOf("1", method, "{}"))
				}
				send("tomtom-traffic")
				up.mu.Lock()
				up.versions = nil
				up.mu.Unlock()
				send(first)
				if g.eras.current() == nil {
					t.Error("what was just found out is asked again at once")
				}
				g.eras.mu.Lock()
				g.eras.found = g.eras.found.Add(-2 * discoveryPause)
				g.eras.mu.Unlock()
				send(first)
				for _, method := range []string{"tomtom-traffic", methodDiscover} {
					got := send(method)
					if !strings.Contains(string(got.body), `"result"`) || modern != strings.Contains(string(got.body), memberResultType) {
						t.Errorf("%s: %d %s", method, got.status, got.body)
					}
				}
			})
		}
	}
}

// TestASilentServerIsALegacyOne: it says nothing to server/discover, as some do to every method that they do not know. Hosts of both
// eras are served, and the question is not asked before each request.
func TestASilentServerIsALegacyOne(t *testing.T) {
	var a asked
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) })
	up.questions = a.count(func(_ http.ResponseWriter, in received) bool {
		if in.message.method == methodDiscover {
			<-in.r.Context().Done()
		}
		return in.message.method == methodDiscover
	})
	g := newGateway(t, up.URL, func(o *Options) { o.UpstreamTimeout = 300 * time.Millisecond })
	for range 3 {
		if got := g.postModern(t, modernCallOf("1", "other", "{}")); got.status != 200 || !strings.Contains(string(got.body), memberResultType) {
			t.Errorf("modern host: %d %s", got.status, got.body)
		}
		if got := g.post(t, callOf("1", "other", "{}")); got.status != 200 {
			t.Errorf("legacy host: %d %s", got.status, got.body)
		}
	}
	if n := a.discoveries.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	g.doubtEra()
	up.mu.Lock()
	up.versions, up.questions = []string{modernVersion}, nil
	up.mu.Unlock()
	g.post(t, bareList)
	if n := g.eras.current(); n == nil || !n.modern {
		t.Errorf("after a restart: %+v", n)
	}
}
