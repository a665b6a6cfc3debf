package proxy

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// asked counts what a gateway asks an upstream about its era, and answers with what answer says.
type asked struct {
	discoveries, greetings atomic.Int64
}

func (a *asked) count(next func(w http.ResponseWriter, in received) bool) func(w http.ResponseWriter, in received) bool {
	return func(w http.ResponseWriter, in received) bool {
		if in.message.method == methodDiscover {
			a.discoveries.Add(1)
		} else {
			a.greetings.Add(1)
		}
		return next != nil && next(w, in)
	}
}

// TestEraIsFoundOnce: by server/discover, with the caller's credentials, before anything else, however many ask at once;
// a legacy upstream without sessions is greeted once, too.
func TestEraIsFoundOnce(t *testing.T) {
	for name, versions := range map[string][]string{"legacy": nil, "modern": {modernVersion}, "both": dualEra} {
		t.Run(name, func(t *testing.T) {
			var a asked
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) })
			up.versions = versions
			up.questions = a.count(func(_ http.ResponseWriter, in received) bool {
				if in.header.Get("Tomtom-Api-Key") != "secret-key" || in.header.Get("Idempotency-Key") != "" || in.header.Get("Mcp-Param-A") != "" {
					t.Errorf("asked with %v", in.header)
				}
				return false
			})
			g := newGateway(t, up.URL)
			g.postModern(t, modernCallOf("1", "other", "{}"), "Idempotency-Key", "i", "Mcp-Param-A", "a")
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if got := g.postModern(t, modernCallOf("1", "other", "{}")); got.status != 200 {
						t.Errorf("modern: %d %s", got.status, got.body)
					}
					if got := g.post(t, callOf("1", "other", "{}")); got.status != 200 {
						t.Errorf("legacy: %d %s", got.status, got.body)
					}
				})
			}
			wg.Wait()
			if n := a.discoveries.Load(); n != 1 {
				t.Errorf("asked %d times", n)
			}
			if n, most := a.greetings.Load(), int64(8); name != "both" && (n < 1 || n > most) || name == "both" && n != 0 {
				t.Errorf("greeted %d times", n)
			}
			if n := len(up.calls("other")); n != 17 {
				t.Errorf("%d calls upstream, want 17", n)
			}
		})
	}
}

// TestEraIsAskedOnceByManyAtOnce: those who come while the question is on its way wait for its answer.
func TestEraIsAskedOnceByManyAtOnce(t *testing.T) {
	var a asked
	arrived := make(chan struct{})
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) })
	up.versions = dualEra
	hold := make(chan struct{})
	up.questions = a.count(func(http.ResponseWriter, received) bool {
		close(arrived)
		<-hold
		return false
	})
	g := newGateway(t, up.URL)
	var wg sync.WaitGroup
	ask := func() {
		if got := g.postModern(t, modernCallOf("1", "other", "{}")); got.status != 200 {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	wg.Go(ask)
	<-arrived
	for range 5 {
		wg.Go(ask)
	}
	close(hold)
	wg.Wait()
	if n := a.discoveries.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// TestEraOutlivesWhoAsked: where the one who asks goes away, another who waits asks in its place.
func TestEraOutlivesWhoAsked(t *testing.T) {
	var a asked
	arrived := make(chan struct{}, 4)
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) })
	up.versions = dualEra
	up.questions = a.count(func(_ http.ResponseWriter, in received) bool {
		arrived <- struct{}{}
		if a.discoveries.Load() == 1 {
			<-in.r.Context().Done()
		}
		return false
	})
	g := newGateway(t, up.URL)
	ctx, leave := context.WithCancel(t.Context())
	body := modernCallOf("1", "other", "{}")
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, g.server.URL+"/mcp", strings.NewReader(body))
	r.Header = mcpHeader()
	mirrorInto(r.Header, body)
	var wg sync.WaitGroup
	wg.Go(func() {
		if resp, err := g.client.Do(r); err == nil {
			closeBody(resp)
		}
	})
	<-arrived
	wg.Go(func() {
		if got := g.postModern(t, body); got.status != http.StatusOK || !strings.Contains(string(got.body), "content") {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
	leave()
	wg.Wait()
	if n := len(up.calls("other")); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestWhatAnUpstreamSaysOfItsEra: everything that is no word of a modern server is one of a legacy server.
func TestWhatAnUpstreamSaysOfItsEra(t *testing.T) {
	for name, tt := range map[string]struct {
		status         int
		kind, body     string
		modern, legacy bool
	}{
		"modern":                       {200, "application/json", `"result":{"supportedVersions":["2026-07-28"]}`, true, false},
		"both":                         {200, "application/json", `"result":{"supportedVersions":["2025-06-18","2026-07-28"]}`, true, true},
		"as an event":                  {200, "text/event-stream", `"result":{"supportedVersions":["2026-07-28"]}`, true, false},
		"another modern revision":      {400, "application/json", `"error":{"code":-32022,"message":"m","data":{"supported":["2026-07-28"],"requested":"x"}}`, true, false},
		"discovery of a legacy server": {200, "application/json", `"result":{"supportedVersions":["2025-11-25"]}`, false, true},
		"refusal by a legacy server":   {400, "application/json", `"error":{"code":-32022,"message":"m","data":{"supported":["2025-11-25"],"requested":"2026-07-28"}}`, false, true},
		"unknown method":               {200, "text/event-stream", `"error":{"code":-32601,"message":"Method not found"}`, false, true},
		"unknown revision":             {400, "application/json", `"error":{"code":-32000,"message":"Bad Request: Unsupported protocol version"}`, false, true},
		"a result of any kind":         {200, "application/json", `"result":{"content":[]}`, false, true},
		"a missing header":             {400, "application/json", `"error":{"code":-32020,"message":"m"}`, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, nil)
			up.questions = func(w http.ResponseWriter, in received) bool {
				if in.message.method != methodDiscover {
					return false
				}
				body := `{"jsonrpc":"2.0","id":` + string(in.message.raw(in.message.id)) + `,` + tt.body + `}`
				if tt.kind == "text/event-stream" {
					body = string(newEvent([]byte(body)))
				}
				w.Header().Set("Content-Type", tt.kind)
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(body))
				return true
			}
			g := newGateway(t, up.URL)
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, g.server.URL+"/mcp", nil)
			n, refused, err := g.eraOf(r)
			if err != nil || refused != nil {
				t.Fatal(refused, err)
			}
			if n.modern != tt.modern || (n.legacy != nil && *n.legacy) != tt.legacy {
				t.Errorf("modern %v, legacy %v", n.modern, n.legacy)
			}
		})
	}
}

// TestHTMLSaysLegacy: a page of a web framework is no word of a modern server.
func TestHTMLSaysLegacy(t *testing.T) {
	for _, status := range []int{400, 404, 405, 406} {
		up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) })
		up.questions = func(w http.ResponseWriter, in received) bool {
			if in.message.method == methodDiscover {
				http.Error(w, "<html>no</html>", status)
			}
			return in.message.method == methodDiscover
		}
		g := newGateway(t, up.URL)
		if got := g.postModern(t, modernCallOf("1", "other", "{}")); got.status != 200 {
			t.Errorf("%d: %d %s", status, got.status, got.body)
		}
	}
}

// TestUndecidedEra: an answer about the caller, or none, decides nothing. A modern host hears it; a legacy host's request goes
// as it did before there were two eras; another caller is not held to it.
func TestUndecidedEra(t *testing.T) {
	for name, tt := range map[string]struct {
		status       int // that the upstream answers to the question without a key; 0: it breaks off
		modern       int // that a modern host hears
		authenticate string
	}{
		"no key":     {401, 401, "Bearer x"},
		"forbidden":  {403, 403, ""},
		"too many":   {429, 429, ""},
		"overloaded": {503, 503, ""},
		"broken":     {0, 502, ""},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) })
			up.questions = func(w http.ResponseWriter, in received) bool {
				if in.header.Get("Tomtom-Api-Key") != "" {
					return false
				}
				if tt.status == 0 {
					dropConnection(w)
					return true
				}
				w.Header().Set("WWW-Authenticate", tt.authenticate)
				writeJSON(w, tt.status, errorResponse(in.message.raw(in.message.id), &rpcError{code: codeUnauthenticated, message: "no"}))
				return true
			}
			g := newGateway(t, up.URL)
			got := g.postModern(t, modernCallOf(`"me"`, "other", "{}"), "Tomtom-Api-Key", "")
			if got.status != tt.modern || !strings.Contains(string(got.body), `"id":"me"`) || got.header.Get("WWW-Authenticate") != tt.authenticate {
				t.Errorf("modern host: %d %v %s", got.status, got.header, got.body)
			}
			if n := len(up.requests()); n != 0 {
				t.Errorf("%d requests upstream", n)
			}
			h := mcpHeader()
			h.Del("Tomtom-Api-Key")
			if got := g.do(t, http.MethodPost, "/mcp", h, []byte(callOf("1", "other", "{}"))); got.status != 200 || len(up.requests()) != 1 {
				t.Errorf("legacy host: %d %s", got.status, got.body)
			}
			if name == "overloaded" {
				return // is not asked again for a while
			}
			if got := g.postModern(t, modernCallOf("1", "other", "{}")); got.status != 200 {
				t.Errorf("another caller: %d %s", got.status, got.body)
			}
		})
	}
}

// TestRestartIntoAnotherEra is noticed by the first request that is refused for its form. What is no call is sent again in
// the new form; a call is not, and says so. The next works.
func TestRestartIntoAnotherEra(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after []string
		modern        bool // the host
	}{
		"modern host, legacy to modern": {nil, []string{modernVersion}, true},
		"modern host, modern to legacy": {[]string{modernVersion}, nil, true},
		"legacy host, legacy to modern": {nil, []string{modernVersion}, false},
		"legacy host, modern to legacy": {[]string{modernVersion}, nil, false},
	} {
		for _, first := range []string{"tools/list", "tools/call", "tomtom-traffic"} {
			t.Run(name+", "+first, func(t *testing.T) {
				up := newUpstreamServer(t, nil)
				up.versions = tt.before
				up.answer = func(w http.ResponseWriter, in received) {
					_, described := in.message.meta(metaProtocolVersion)
					switch modern := up.versions != nil; {
					case modern && !described:
						jsonAnswer(w, in, http.StatusBadRequest, `"error":{"code":-32020,"message":"Header mismatch"}`)
					case !modern && in.header.Get(headerVersion) == modernVersion:
						writeError(w, http.StatusBadRequest, &rpcError{code: codeServerError, message: "Bad Request: Unsupported protocol version"})
					case in.message.method == methodListTools:
						answerEvent(w, in, `{"tools":[]}`)
					default:
						answerEvent(w, in, `{"content":[]}`)
					}
				}
				g := newGateway(t, up.URL)
				send := func(method string) answer {
					switch {
					case method == "tools/list" && tt.modern:
						return g.postModern(t, modernRequestOf("1", method, ""))
					case method == "tools/list":
						return g.post(t, bareList)
					case method == "tools/call" && tt.modern:
						return g.postModern(t, modernCallOf("1", "other", "{}"))
					case method == "tools/call":
						return g.post(t, callOf("1", "other", "{}"))
					case tt.modern:
						return g.postModern(t, modernCallOf("1", method, "{}"))
					}
					return g.post(t, callOf("1", method, "{}"))
				}
				for _, method := range []string{"tools/list", "tools/call"} {
					if got := send(method); got.status != 200 {
						t.Fatalf("before: %d %s", got.status, got.body)
					}
				}
				up.mu.Lock()
				up.versions = tt.after
				up.mu.Unlock()
				before := len(up.calls("other")) + len(up.calls("tomtom-traffic"))
				got := send(first)
				calls := len(up.calls("other")) + len(up.calls("tomtom-traffic")) - before
				switch {
				case first == "tools/list" && (got.status != 200 || !strings.Contains(string(got.body), `"tools":[`)):
					t.Errorf("%d %s", got.status, got.body)
				case first != "tools/list" && (calls != 1 || got.status < 400):
					t.Errorf("%d calls, %d %s", calls, got.status, got.body)
				}
				for _, method := range []string{"tools/call", "tools/list"} {
					if got := send(method); got.status != 200 || !strings.Contains(string(got.body), `"result"`) {
						t.Errorf("after: %d %s", got.status, got.body)
					}
				}
			})
		}
	}
}

// TestEraIsAskedAgainAfterAFailure: whoever comes back after a connection failed may be another server.
func TestEraIsAskedAgainAfterAFailure(t *testing.T) {
	var a asked
	var breaks atomic.Bool
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if breaks.Load() {
			dropConnection(w)
			return
		}
		answerEvent(w, in, `{"content":[]}`)
	})
	up.questions = a.count(nil)
	g := newGateway(t, up.URL)
	g.post(t, callOf("1", "tomtom-traffic", "{}"))
	breaks.Store(true)
	if got := g.post(t, callOf("1", "tomtom-traffic", "{}")); got.status != http.StatusBadGateway {
		t.Errorf("%d", got.status)
	}
	breaks.Store(false)
	up.mu.Lock()
	up.versions = []string{modernVersion}
	up.mu.Unlock()
	if got := g.post(t, callOf("1", "tomtom-traffic", "{}")); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
	in := up.requests()
	if last := in[len(in)-1]; last.header.Get(headerVersion) != modernVersion || a.discoveries.Load() != 2 {
		t.Errorf("asked %d times, then sent %s", a.discoveries.Load(), last.body)
	}
}

// TestModernUpstreamThatSpeaksLegacyToo: some name modern revisions alone and serve sessions all the same, some answer every
// initialize and then nothing. A legacy host's messages pass to the former and are bridged to the latter.
func TestModernUpstreamThatSpeaksLegacyToo(t *testing.T) {
	for name, tt := range map[string]struct{ initialize, ping, passes bool }{
		"serves sessions":          {true, true, true},
		"answers initialize alone": {true, false, false},
		"knows no initialize":      {false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[],"tools":[]}`) })
			up.versions = []string{modernVersion}
			up.questions = func(w http.ResponseWriter, in received) bool {
				switch m := in.message.method; {
				case m == methodInitialize && tt.initialize:
					answerEvent(w, in, `{"protocolVersion":"2025-11-25","capabilities":{}}`)
				case m == methodPing && tt.ping:
					answerEvent(w, in, `{}`)
				default:
					return false
				}
				return true
			}
			g := newGateway(t, up.URL)
			for range 2 {
				if got := g.post(t, callOf("1", "other", "{}"), headerVersion, "2025-11-25"); got.status != 200 {
					t.Errorf("%d %s", got.status, got.body)
				}
			}
			for _, in := range up.calls("other") {
				if passed := in.header.Get(headerVersion) == "2025-11-25"; passed != tt.passes {
					t.Errorf("sent %s with %v", in.body, in.header)
				}
			}
		})
	}
}
