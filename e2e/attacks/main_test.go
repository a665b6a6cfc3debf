// Package attacks sends the gateway what means harm: requests of hosts and agents that try to get around it, and answers
// of an upstream that try to get through it. Each row of each table says what has to come of it; after each, an honest
// call has to work. SECURITY.md names the tests.
package attacks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	// vizID is a handle. Whoever has it gets what stands behind it, so that no host may ever see one.
	vizID  = "8aebc4ba-6dcd-4516-a2d3-5cb9c3823503"
	handle = `"_meta":{"show_ui":true,"viz_id":"` + vizID + `"}`
	// victims is what stands behind it, and behind every other.
	victims = `{"type":"FeatureCollection","features":[],"someone":"else's"}`
	echo    = `{"content":[{"type":"text","text":"other"}],"n":1.50}`
)

// want is what has to come of an attack.
type want struct {
	status  int    // of the answer
	code    int    // of the JSON-RPC error in it; 0: there is none
	says    string // stands in the answer's body
	hides   string // stands nowhere in the answer
	reaches int    // requests that reach the upstream
	closes  bool   // the gateway reads nothing more on the connection
	// arrives looks at what reached the upstream.
	arrives func(t *testing.T, e testkit.Exchange)
}

// attack is one request of a hostile host, agent, page or proxy.
type attack struct {
	name    string
	request string // every byte
	want
}

// site is a gateway in front of a recorded upstream.
type site struct {
	*testkit.Gateway
	up     *testkit.Upstream
	script *testkit.Script

	smuggled *atomic.Int64 // calls of the tool of that name
	ends     []end
}

// end is a connection of which the gateway reads nothing more.
type end struct {
	name string
	r    *bufio.Reader
}

// start puts a gateway with the given variables in front of an upstream that answers every tool.
func start(t *testing.T, env ...string) *site {
	t.Helper()
	script := testkit.NewScript(testkit.ListedTool("tomtom-routing"), testkit.ListedTool("tomtom-data-viz"), testkit.ListedTool("tomtom-get-viz-data"))
	script.Tool("other", testkit.Event(echo)).On("x", testkit.Event(`{"x":1.50}`)).
		On("resources/read", testkit.EventError(-32002, "the upstream has no such resource"))
	ran := new(atomic.Int64)
	script.Tool("smuggled", func(w http.ResponseWriter, r *http.Request, m testkit.Message) {
		ran.Add(1)
		testkit.Event(echo)(w, r, m)
	})
	up := testkit.StartUpstream(t, script)
	s := &site{Gateway: testkit.StartGateway(t, up.URL, env...), up: up, script: script, smuggled: ran}
	s.behaves()
	return s
}

// behaves makes the upstream an honest one.
func (s *site) behaves() {
	s.script.Tool("tomtom-routing", testkit.Event(testkit.TextResult(`{"a":1.50,`+handle+`}`))).
		Tool("tomtom-data-viz", testkit.Event(testkit.TextResult(`{"a":1.50,`+handle+`}`))).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(victims))).
		Tool("tomtom-get-dataset", testkit.Event(testkit.TextResult(victims)))
}

// honest is a call as hosts send it.
var honest = testkit.RawPost("/mcp", testkit.CallMessage(`"honest"`, "tomtom-routing", `{"show_ui":true}`))

// honestly fails the test where an honest call, here over the connection, does not get its own answer.
func honestly(t *testing.T, conn net.Conn, r *bufio.Reader) {
	t.Helper()
	if _, err := io.WriteString(conn, honest); err != nil {
		t.Fatalf("the next request: %v", err)
	}
	a, err := read(r, http.MethodPost)
	if err != nil {
		t.Fatalf("the next request's answer: %v", err)
	}
	if result := a.Results(t)[`"honest"`]; result.Raw == nil || result.Status(t) != "inline" || result.OnlyText(t) != `{"a":1.50,"show_ui":true,"tool":"tomtom-routing"}` {
		t.Fatalf("the next request got %d %.500s", a.Status, a.Text())
	}
}

// dial opens a connection to the gateway.
func (s *site) dial(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", s.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(testkit.Patience))
	return conn, bufio.NewReader(conn)
}

// read reads one answer.
func read(r *bufio.Reader, method string) (testkit.Answer, error) {
	resp, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		return testkit.Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if resp.ContentLength < 0 && errors.Is(err, syscall.ECONNRESET) {
		err = nil // whoever refuses a request in the middle of it resets the connection behind the answer
	}
	if resp.Close {
		resp.Header.Set("Connection", "close")
	}
	return testkit.Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, err
}

// all runs a table.
func (s *site) all(t *testing.T, table []attack) {
	t.Helper()
	for _, a := range table {
		t.Run(a.name, func(t *testing.T) { s.suffer(t, a) })
	}
	for _, e := range s.ends { // all of them together, since a server lingers before it closes
		if rest, err := io.ReadAll(e.r); len(rest) > 0 {
			t.Errorf("%s: after the last answer came %.300q, %v", e.name, rest, err)
		}
	}
	if n := s.smuggled.Load(); n > 0 {
		t.Errorf("what stood behind requests ran %d times", n)
	}
}

// suffer sends an attack, looks at what came of it, and sees that honest calls work, on its connection and on another.
func (s *site) suffer(t *testing.T, a attack) {
	t.Helper()
	s.up.Forget()
	conn, r := s.dial(t)
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(conn, a.request)
		sent <- err
	}()
	method, _, _ := strings.Cut(a.request, " ")
	got, err := read(r, method)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	a.check(t, got)
	if n := len(s.up.Exchanges()); n != a.reaches {
		t.Errorf("%d requests reached the upstream, want %d: %+v", n, a.reaches, s.up.Exchanges())
	}
	for _, e := range s.up.Exchanges() {
		if len(e.TransferEncoding) > 0 || !e.ContentLengthKnown {
			t.Errorf("%s arrived as %v, of a length that it does not say", e.URI, e.TransferEncoding)
		}
		if a.arrives != nil {
			a.arrives(t, e)
		}
	}
	if closing := got.Header.Get("Connection") == "close"; closing != a.closes {
		t.Errorf("closes the connection: %v", closing)
	}
	if a.closes {
		s.ends = append(s.ends, end{a.name, r})
	} else {
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
		honestly(t, conn, r)
	}
	other, r := s.dial(t)
	honestly(t, other, r)
}

// check looks at an answer.
func (w want) check(t *testing.T, got testkit.Answer) {
	t.Helper()
	if got.Status != w.status {
		t.Errorf("status %d, want %d: %.300s", got.Status, w.status, got.Text())
	}
	if code := codeOf(got); code != w.code {
		t.Errorf("JSON-RPC error %d, want %d: %.300s", code, w.code, got.Text())
	}
	if !strings.Contains(got.Text(), w.says) {
		t.Errorf("no %s in %.500s", w.says, got.Text())
	}
	whole := fmt.Sprint(got.Header) + got.Text()
	for _, secret := range []string{w.hides, vizID, "someone", testkit.Key} {
		if secret != "" && strings.Contains(whole, secret) {
			t.Errorf("%s stands in %.500s", secret, whole)
		}
	}
}

// codeOf is the code of the first JSON-RPC error in an answer, 0 without one.
func codeOf(a testkit.Answer) int {
	for _, data := range a.Data() {
		var one struct{ Error *testkit.RPCError }
		var many []struct{ Error *testkit.RPCError }
		switch {
		case json.Unmarshal(data, &one) == nil && one.Error != nil:
			return one.Error.Code
		case json.Unmarshal(data, &many) == nil && len(many) > 0 && many[0].Error != nil:
			return many[0].Error.Code
		}
	}
	return 0
}

// head is a request's lines with their ends, up to where the body begins.
func head(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n\r\n" }

// ping is a message that the gateway does not own, and that the upstream answers with {"x":1.50}.
const ping = `{"jsonrpc":"2.0","id":1,"method":"x"}`

// smuggled is a whole request that must not run.
var smuggled = testkit.RawPost("/mcp", testkit.CallMessage(`"s"`, "smuggled", `{}`))

// chunked is a body in one chunk and the last.
func chunked(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

// sameBody fails the test unless the message arrived as it was sent.
func sameBody(body string) func(*testing.T, testkit.Exchange) {
	return func(t *testing.T, e testkit.Exchange) {
		t.Helper()
		if !bytes.Equal(e.Body, []byte(body)) {
			t.Errorf("arrived as %.300q", e.Body)
		}
	}
}
