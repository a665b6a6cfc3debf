package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// TestLegacyHostModernUpstream: what a modern upstream gets of a legacy request, and what the host gets of its answer.
func TestLegacyHostModernUpstream(t *testing.T) {
	const described = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` +
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}}`
	for name, tt := range map[string]struct {
		request, sent, mirrored string // mirrored: Mcp-Method and Mcp-Name
		answer, result          string
		status                  int // of the upstream; 0: 200
	}{
		"call": {
			request: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{ "n":1.50 }}}`,
			sent:    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{ "n":1.50 },` + described + `}}`, mirrored: "tools/call other",
			answer: `"result":{"resultType":"complete","content":[ ],"n":1.0}`, result: `"result":{"resultType":"complete","content":[ ],"n":1.0}`,
		},
		"a name that is no header": {
			request: `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"Grüße"}}`,
			sent:    `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"Grüße",` + described + `}}`, mirrored: "prompts/get =?base64?R3LDvMOfZQ==?=",
			answer: `"result":{}`, result: `"result":{}`,
		},
		"no params": {
			request: `{"jsonrpc":"2.0","id":"x","method":"prompts/list" }`,
			sent:    `{"jsonrpc":"2.0","id":"x","method":"prompts/list","params":{` + described + `} }`, mirrored: "prompts/list ",
			answer: `"result":{"prompts":[],"ttlMs":1,"cacheScope":"public"}`, result: `"result":{"prompts":[],"ttlMs":1,"cacheScope":"public"}`,
		},
		"params that are null": {
			request: `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":null}`,
			sent:    `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{` + described + `}}`, mirrored: "prompts/list ",
			answer: `"result":{}`, result: `"result":{}`,
		},
		"_meta": {
			request: `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"_meta":{"progressToken":1.0},"uri":"file:///x"}}`,
			sent:    `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"_meta":{"progressToken":1.0,` + described[len(`"_meta":{`):] + `,"uri":"file:///x"}}`, mirrored: "resources/read file:///x",
			answer: `"result":{}`, result: `"result":{}`,
		},
		"unknown method": {
			request: `{"jsonrpc":"2.0","id":1,"method":"nope","params":{}}`, sent: `{"jsonrpc":"2.0","id":1,"method":"nope","params":{` + described + `}}`, mirrored: "nope ",
			answer: `"error":{"code":-32601,"message":"Method not found"}`, result: `"error":{"code":-32601,"message":"Method not found"}`, status: 404,
		},
		"initialize": {
			request: initializeOf("host", declares),
			sent: `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + described[:len(described)-1] +
				`,"io.modelcontextprotocol/clientInfo":{"name":"host","version":"3"}}}}`, mirrored: "server/discover ",
			answer: `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{"subscribe":true},"extensions":{"io.modelcontextprotocol/ui":{}}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"T","v":1.0}},"ttlMs":0,"cacheScope":"private"}`,
			result: `"result":{"resultType":"complete","protocolVersion":"2025-11-25","serverInfo":{"name":"T","v":1.0},"capabilities":{"tools":{},"resources":{"subscribe":false},"extensions":{"io.modelcontextprotocol/ui":{}}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"T","v":1.0}},"ttlMs":0,"cacheScope":"private"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { jsonAnswer(w, in, max(tt.status, 200), tt.answer) })
			up.versions = []string{modernVersion}
			g := newGateway(t, up.URL)
			got := g.post(t, tt.request, headerSession, "foreign", "Last-Event-ID", "7", headerVersion, "2025-11-25")
			messages, _, _ := scanMessages([]byte(tt.request))
			if want := `{"jsonrpc":"2.0","id":` + string(messages[0].raw(messages[0].id)) + `,` + tt.result + `}`; got.status != 200 || string(got.body) != want {
				t.Errorf("host got %d\n%s\nwant\n%s", got.status, got.body, want)
			}
			in := up.requests()
			last := in[len(in)-1]
			if string(last.body) != tt.sent {
				t.Errorf("sent\n%s\nwant\n%s", last.body, tt.sent)
			}
			if mirrored := last.header.Get(headerMethod) + " " + last.header.Get(headerName); mirrored != tt.mirrored || last.header.Get(headerVersion) != modernVersion {
				t.Errorf("mirrored %q, headers %v", mirrored, last.header)
			}
			if last.header.Get(headerSession) != "" || last.header.Get("Last-Event-Id") != "" {
				t.Errorf("headers %v", last.header)
			}
		})
	}
}

// TestLegacySessionOnAModernUpstream: what a host declares in initialize is in its session id, and from there in every
// request that goes upstream.
func TestLegacySessionOnAModernUpstream(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		answerEvent(w, in, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"tools":[]}`)
	})
	up.versions = []string{modernVersion}
	g := newGateway(t, up.URL)
	opened := g.post(t, initializeOf("my-host", declaresNot))
	id := opened.header.Get(headerSession)
	if claims, ok := decodeSession(id); !ok || claims.name != "my-host" || claims.apps != claimWithout {
		t.Fatalf("session %q", id)
	}
	if got := g.post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headerSession, id); got.status != http.StatusAccepted {
		t.Errorf("initialized: %d", got.status)
	}
	other := newGateway(t, up.URL)
	for _, tt := range []struct{ body, want string }{
		{`{"jsonrpc":"2.0","id":"p","method":"ping"}`, `{"jsonrpc":"2.0","id":"p","result":{}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`},
	} {
		if got := other.post(t, tt.body, headerSession, id); got.status != 200 || string(got.body) != tt.want {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	before := len(up.requests())
	other.post(t, bareList, headerSession, id)
	in := up.requests()
	if len(in) != before+1 || !strings.Contains(string(in[before].body), `"io.modelcontextprotocol/clientInfo":{"name":"my-host","version":"3"}`) ||
		!strings.Contains(string(in[before].body), `"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`) {
		t.Errorf("sent %s", in[before].body)
	}
	if got := other.do(t, http.MethodDelete, "/mcp", mcpHeader(headerSession, id), nil); got.status != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: %d", got.status)
	}
}

// TestSessionsCannotBeEnded: DELETE of a session that is the gateway's alone is answered with 405, by any replica, and
// nothing of the session changes anywhere. An upstream's own session is the upstream's to end.
func TestSessionsCannotBeEnded(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"tools":[],"content":[]}`) })
	g, replica := newGateway(t, up.URL), newGateway(t, up.URL)
	id := g.post(t, initializeOf("host", declares)).header.Get(headerSession)
	before := len(up.requests())
	for name, from := range map[string]*gateway{"the replica that made it": g, "another": replica} {
		got := from.do(t, http.MethodDelete, "/mcp", mcpHeader(headerSession, id), nil)
		if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "GET, POST" {
			t.Errorf("DELETE at %s: %d, Allow %q", name, got.status, got.header.Get("Allow"))
		}
	}
	if n := len(up.requests()); n != before {
		t.Errorf("%d requests reached the upstream", n-before)
	}
	for name, got := range map[string]answer{
		"list":                  g.post(t, bareList, headerSession, id),
		"call":                  g.post(t, callOf("7", "other", "{}"), headerSession, id),
		"on another replica":    replica.post(t, bareList, headerSession, id),
		"a session cut short":   g.post(t, bareList, headerSession, id[:len(id)-3]),
		"somebody else's":       g.post(t, bareList, headerSession, "foreign"),
		"no session whatsoever": g.post(t, bareList),
	} {
		if got.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := g.do(t, http.MethodDelete, "/mcp", mcpHeader(headerSession, "foreign"), nil); got.status == http.StatusMethodNotAllowed || len(up.requests()) == before {
		t.Errorf("an upstream's own session: %d", got.status)
	}
}

// TestLegacyHostWhatIsMissing: what cannot be brought to a modern upstream gets an error that says so.
func TestLegacyHostWhatIsMissing(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) })
	up.versions = []string{modernVersion}
	g := newGateway(t, up.URL)
	for name, tt := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"subscribe": {`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x"}}`, 200, "resources/subscribe needs a host of revision 2026-07-28"},
	} {
		got := g.post(t, tt.body)
		if got.status != tt.status || !strings.Contains(string(got.body), tt.want) || len(up.requests()) != 0 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	future := newUpstreamServer(t, nil)
	future.versions = []string{"2031-01-01"}
	if got := newGateway(t, future.URL).post(t, bareList); !strings.Contains(string(got.body), `"supported":["2031-01-01"]`) {
		t.Errorf("%s", got.body)
	}
}

// TestLegacyHostCancels: a notification of the same caller closes the stream of its request at a modern upstream; nobody
// else's does.
func TestLegacyHostCancels(t *testing.T) {
	arrived, gone := make(chan struct{}, 1), make(chan struct{}, 1)
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.name != "other" {
			answerEvent(w, in, `{"tools":[]}`)
			return
		}
		arrived <- struct{}{}
		<-in.r.Context().Done()
		gone <- struct{}{}
	})
	up.versions = []string{modernVersion}
	g := newGateway(t, up.URL)
	done := make(chan answer, 1)
	go func() { done <- g.post(t, callOf("5", "other", "{}"), headerSession, "s") }()
	<-arrived
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5.0}}`
	for _, stranger := range [][]string{{headerSession, "t"}, {headerSession, "s", "Tomtom-Api-Key", "another"}} {
		if got := g.post(t, cancel, stranger...); got.status != http.StatusAccepted {
			t.Errorf("%d", got.status)
		}
	}
	select {
	case <-gone:
		t.Fatal("cancelled by a stranger")
	default:
	}
	g.post(t, cancel, headerSession, "s")
	<-gone
	// A body of no type would be an error to the host's client.
	if got := <-done; got.status != http.StatusOK || got.header.Get("Content-Type") != "text/event-stream" || len(got.body) != 0 {
		t.Errorf("the cancelled call: %d %v %s", got.status, got.header, got.body)
	}
}

// TestLegacyStreamOfChanges: a legacy host's GET is a subscription at a modern upstream.
func TestLegacyStreamOfChanges(t *testing.T) {
	next := make(chan string)
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { dictated(w, in, next) })
	up.versions = []string{modernVersion}
	g := newGateway(t, up.URL)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, g.server.URL+"/mcp", nil)
	r.Header = mcpHeader("Accept", "text/event-stream", headerVersion, "2025-11-25")
	resp, err := g.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBody(resp)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	next <- "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{}}\n\n"
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"a":1}}}`
	next <- "data: " + changed + "\n\n"
	ev, err := newEventReader(resp.Body, 1<<20, newMemory).next()
	if err != nil || string(ev.data()) != changed {
		t.Errorf("%q %v", ev.raw, err)
	}
	in := up.requests()[0]
	if in.message.method != methodListen || in.header.Get(headerMethod) != methodListen || !bytes.Contains(in.body, []byte(`"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`)) || !bytes.Contains(in.body, []byte(metaCapabilities)) {
		t.Errorf("sent %s", in.body)
	}
	close(next)
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) != 0 {
		t.Errorf("then %q %v", rest, err)
	}
	t.Run("an upstream without", func(t *testing.T) {
		up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
			jsonAnswer(w, in, 404, `"error":{"code":-32601,"message":"no"}`)
		})
		up.versions = []string{modernVersion}
		if got := newGateway(t, up.URL).do(t, http.MethodGet, "/mcp", mcpHeader("Accept", "text/event-stream"), nil); got.status != http.StatusMethodNotAllowed {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
}

// mirroring is a list of one tool whose arguments are mirrored.
const mirroring = `{"tools":[{"name":"m","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},` +
	`"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"}}},` +
	`"items":{"type":"array","items":{"properties":{"z":{"x-mcp-header":"Z"}}}},"bad":{"x-mcp-header":"no header"}}}}]}`

// TestMirroredArguments: a legacy host knows nothing of headers that mirror arguments; the gateway sends them in its place.
func TestMirroredArguments(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.method == methodListTools {
			answerEvent(w, in, mirroring)
			return
		}
		answerEvent(w, in, `{"content":[]}`)
	})
	up.versions = []string{modernVersion}
	g := newGateway(t, up.URL)
	for _, tt := range []struct {
		args string
		want map[string]string
	}{
		{`{"region":"eu"}`, map[string]string{"Region": "eu"}},
		{`{"region":" ö","deep":{"n":42.0,"b":false},"items":[{"z":1}],"bad":"x"}`, map[string]string{"Region": "=?base64?IMO2?=", "N": "42", "B": "false"}},
		{`{"region":null,"deep":{"n":1.5}}`, map[string]string{}},
		{`{"region":""}`, map[string]string{"Region": "=?base64??="}},
	} {
		if got := g.post(t, callOf("1", "m", tt.args), headerParamPrefix+"Other", "x"); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		calls := up.calls("m")
		h := calls[len(calls)-1].header
		for _, name := range []string{"Region", "N", "B", "Z", "Bad", "No header"} {
			if got := h.Get(headerParamPrefix + name); got != tt.want[name] {
				t.Errorf("%s: %s is %q, want %q", tt.args, name, got, tt.want[name])
			}
		}
	}
	lists := 0
	for _, in := range up.requests() {
		if in.message.method == methodListTools {
			lists++
		}
	}
	if lists != 1 {
		t.Errorf("%d lists", lists)
	}
}

// TestMirroredArgumentsAreChecked where a legacy upstream's list has them: it would not check them itself.
func TestMirroredArgumentsAreChecked(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		if in.message.method == methodListTools {
			answerEvent(w, in, mirroring)
			return
		}
		answerEvent(w, in, `{"content":[]}`)
	})
	g := newGateway(t, up.URL)
	g.postModern(t, modernRequestOf("1", "tools/list", ""))
	for name, tt := range map[string]struct {
		args   string
		header []string
		ok     bool
	}{
		"equal":           {`{"region":"eu","deep":{"n":42}}`, []string{"Region", "eu", "N", "42.0"}, true},
		"encoded":         {`{"region":" ö"}`, []string{"Region", "=?base64?IMO2?="}, true},
		"missing":         {`{"region":"eu"}`, nil, false},
		"another":         {`{"region":"eu"}`, []string{"Region", "us"}, false},
		"not there":       {`{}`, []string{"Region", "eu"}, false},
		"null":            {`{"region":null}`, nil, true},
		"not Base64":      {`{"region":"eu"}`, []string{"Region", "=?base64?%?="}, false},
		"another number":  {`{"deep":{"n":42}}`, []string{"N", "43"}, false},
		"unknown headers": {`{}`, []string{"Q", "43"}, true},
	} {
		var header []string
		for i := 0; i < len(tt.header); i += 2 {
			header = append(header, headerParamPrefix+tt.header[i], tt.header[i+1])
		}
		got := g.postModern(t, modernCallOf("1", "m", tt.args), header...)
		if (got.status == 200) != tt.ok || !tt.ok && (got.status != 400 || !strings.Contains(string(got.body), "-32020")) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// TestRefusedWithoutAWord: a legacy server that refuses a request with a page gets a modern host an error in the modern form:
// of a method that the specification does not know, that nobody knows it.
func TestRefusedWithoutAWord(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) { http.Error(w, "<html>", http.StatusBadRequest) })
	g := newGateway(t, up.URL)
	for body, want := range map[string]string{
		modernRequestOf("1", "x/y", ""):          `404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: x/y"}}`,
		modernRequestOf("1", "prompts/list", ""): `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"The MCP server refused the request with HTTP status 400"}}`,
	} {
		if got := g.postModern(t, body); strconv.Itoa(got.status)+" "+string(got.body) != want {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if got := g.postModern(t, `{"jsonrpc":`, headerVersion, modernVersion); got.status != 400 || !strings.Contains(string(got.body), "-32700") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
