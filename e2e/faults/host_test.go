package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

const (
	callTool   = "tomtom-routing"
	redeemTool = "tomtom-get-viz-data"
	fetchTool  = "tomtom-data-viz"
	otherTool  = "somebody-elses"

	vizID  = "8aebc4ba-6dcd-4516-a2d3-5cb9c3823503"
	served = `{"a":[1.50,"ünï \u003c"],"_meta":{"show_ui":true,"viz_id":"` + vizID + `"}}`
	// wanted is what the contract makes of that text.
	wanted = `{"a":[1.50,"ünï \u003c"],"show_ui":true,"tool":"tomtom-routing"}`
	data   = `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[4.1,52.1],[4.2,52.2]]},"properties":{}}]}`
)

// shape is how one call travels: how the upstream writes its answers, and which era the host speaks.
type shape struct {
	stream, modern bool
	newer          bool // the server speaks 2026-07-28 alone
}

// shapes are those in front of a server such as TomTom's.
var shapes = []shape{{stream: true}, {stream: true, modern: true}, {}, {modern: true}}

func (s shape) String() string {
	name := "document"
	if s.stream {
		name = "stream"
	}
	if s.modern {
		return name + ", modern host"
	}
	return name + ", legacy host"
}

// site is a gateway, the upstream far behind it, and the injector between them.
type site struct {
	shape
	*testkit.Gateway
	up *testkit.Upstream
	in *injector
}

// start puts a gateway with the given variables in front of an injector.
func start(t *testing.T, s shape, env ...string) site {
	t.Helper()
	up := serve(t, s)
	in := startInjector(t, up.Address)
	return site{shape: s, Gateway: testkit.StartGateway(t, "http://"+in.address+"/mcp", env...), up: up, in: in}
}

// serve starts the upstream of a shape.
func serve(t *testing.T, s shape) *testkit.Upstream {
	t.Helper()
	reply := testkit.JSON
	if s.stream {
		reply = testkit.Event
	}
	script := testkit.NewScript().Tool(callTool, reply(testkit.TextResult(served))).Tool(fetchTool, reply(testkit.TextResult(served))).
		Tool(otherTool, reply(testkit.TextResult("theirs"))).Tool(redeemTool, reply(testkit.TextResult(data)))
	server := http.Handler(script)
	if s.newer {
		server = testkit.NewModern(served, data, "2026-07-28")
	}
	return testkit.StartUpstream(t, server)
}

// received is an answer as the host read it; err where that broke off.
type received struct {
	status int
	body   []byte
	stream bool
	zipped bool
	err    error
}

const hostID = `"host-1"`

// call calls the tool as a host.
func (s site) call(t *testing.T) received {
	t.Helper()
	message, header := testkit.CallMessage(hostID, callTool, `{"show_ui":true}`), map[string]string{"Mcp-Protocol-Version": "2025-11-25"}
	if s.modern {
		const apps = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`
		message, header = testkit.ModernCallMessage(hostID, callTool, `{"show_ui":true}`, apps), testkit.ModernHeader(callTool)
	}
	return s.post(t, message, header)
}

// post posts as a host.
func (s site) post(t *testing.T, message string, header map[string]string) received {
	t.Helper()
	response, err := testkit.Client{URL: s.URL}.Start(t, http.MethodPost, message, header)
	if err != nil {
		return received{err: fmt.Errorf("no answer: %w", err)}
	}
	defer func() { _ = response.Body.Close() }()
	r := received{status: response.StatusCode, stream: strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")}
	r.zipped = response.Header.Get("Content-Encoding") == "gzip"
	r.body, r.err = io.ReadAll(response.Body)
	return r
}

// response is a JSON-RPC response to the host's call.
type response struct {
	ID     json.RawMessage  `json:"id"`
	Result json.RawMessage  `json:"result"`
	Error  *json.RawMessage `json:"error"`
}

// responses returns those in an answer that a client would find there.
func (r received) responses() (all []response) {
	a := testkit.Answer{Status: r.status, Header: http.Header{}, Body: r.body}
	if r.stream {
		a.Header.Set("Content-Type", "text/event-stream")
	}
	for _, data := range a.Data() {
		var one response
		if json.Unmarshal(data, &one) == nil && string(one.ID) == hostID && (one.Result != nil || one.Error != nil) {
			all = append(all, one)
		}
	}
	return all
}

// says puts an answer into words: those of list where the answer is what it has to be. gave is what the fault answered.
func (r received) says(t *testing.T, gave []byte) string {
	t.Helper()
	all := r.responses()
	switch {
	case r.err != nil:
		return "an answer that breaks off: " + r.err.Error()
	case len(all) > 1:
		return fmt.Sprintf("%d responses", len(all))
	case len(all) == 0 && r.zipped && bytes.Equal(r.body, gave):
		return unaltered
	case len(all) == 0 && r.status >= 300 && bytes.Equal(r.body, gave):
		return passed(r.status)
	case len(all) == 0:
		return fmt.Sprintf("HTTP %d without a response: %.300q", r.status, r.body)
	case all[0].Error != nil:
		var e struct {
			Code    int
			Message string
		}
		if err := json.Unmarshal(*all[0].Error, &e); err != nil {
			t.Error(err)
		}
		return strings.ReplaceAll(fmt.Sprintf("error %d “%s”", e.Code, e.Message), "-", "−")
	case gave != nil && bytes.Equal(r.body, gave):
		return unaltered
	}
	result := testkit.ParseResult(t, all[0].Result)
	switch text := result.OnlyText(t); {
	case text != wanted:
		return fmt.Sprintf("another text: %.300s", text)
	case result.Status(t) == "inline":
		testkit.SameBytes(t, "app data", result.AppData(t), []byte(data))
		return theText
	default:
		if result.AppData(t) != nil {
			t.Error("app data under the status " + result.Status(t))
		}
		return "the text, status `" + result.Status(t) + "`"
	}
}

// eachFault lets the faults that are wanted meet a gateway of a shape, each in a test of its own; slow ones side by side.
func eachFault(t *testing.T, s shape, wanted func(*fault) bool, meet func(site, *testing.T, *fault)) {
	t.Helper()
	common := start(t, s)
	var slow sync.WaitGroup
	defer slow.Wait()
	for _, f := range list {
		if !wanted(f) {
			continue
		}
		run := func() {
			t.Run(f.name, func(t *testing.T) {
				at := common
				if f.env != nil {
					at = start(t, s, f.env...)
				}
				meet(at, t, f)
			})
		}
		if f.slow {
			slow.Go(run)
			continue
		}
		run()
	}
}

// callOnce makes the fault meet a call of the tool, which once makes, and wants it to run no more than once, and not at all
// where it cannot have arrived.
func (s site) callOnce(t *testing.T, f *fault, tool string, once func()) {
	t.Helper()
	s.in.arm(f, tool)
	if f.down {
		s.in.down(once)
	} else {
		once()
	}
	ran := 1
	if f.down || f.unread {
		ran = 0
	}
	if n := s.up.Calls(tool); n != ran || s.in.came(tool) > 1 {
		t.Errorf("the tool ran %d times, and was called %d times", n, s.in.came(tool))
	}
}
