package pipes

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

const token = "e2e-gateway-token"

// shared starts a gateway that serves HTTP hosts in front of the scripted server.
func shared(t *testing.T, env ...string) *testkit.Gateway {
	t.Helper()
	program, child := testkit.ScriptedChild(t)
	return testkit.StartCommandGateway(t, append(append(child, "GATEWAY_TOKEN="+token), env...), program)
}

// httpHost is one session of a host that comes over HTTP.
type httpHost struct {
	testkit.Client
	session string
}

func openSession(t *testing.T, g *testkit.Gateway) httpHost {
	t.Helper()
	h := httpHost{Client: testkit.Client{URL: g.URL, Header: http.Header{"Authorization": {"Bearer " + token}, "Tomtom-Api-Key": nil}}}
	a := h.Post(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},"clientInfo":{"name":"x","version":"1"}}}`)
	h.session = a.Header.Get("Mcp-Session-Id")
	if a.Status != http.StatusOK || h.session == "" {
		t.Fatalf("%d %s", a.Status, a.Text())
	}
	if a := h.say(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); a.Status != http.StatusAccepted {
		t.Fatalf("%d %s", a.Status, a.Text())
	}
	return h
}

func (h httpHost) say(t *testing.T, body string) testkit.Answer {
	t.Helper()
	return h.Do(t, http.MethodPost, body, map[string]string{"Mcp-Session-Id": h.session, "Mcp-Protocol-Version": "2025-11-25"})
}

func (h httpHost) pid(t *testing.T) int {
	t.Helper()
	pid, err := strconv.Atoi(textOf(t, h.say(t, do("1", "pid")).Text()))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestHTTPInFrontOfACommand: a server for each session, the same owned calls, and nothing left behind.
func TestHTTPInFrontOfACommand(t *testing.T) {
	g := shared(t)
	one, other := openSession(t, g), openSession(t, g)
	first, second := one.pid(t), other.pid(t)
	if first == second || one.pid(t) != first {
		t.Errorf("processes %d, %d, %d", first, second, one.pid(t))
	}
	r := one.say(t, testkit.CallMessage("7", "tomtom-routing", `{}`)).Result(t)
	if r.Status(t) != "inline" || string(r.AppData(t)) != testkit.ChildDocument || strings.Contains(r.OnlyText(t), "app_data_ref") {
		t.Errorf("%s", r.Raw)
	}
	if a := one.Do(t, http.MethodDelete, "", map[string]string{"Mcp-Session-Id": one.session}); a.Status != http.StatusNoContent {
		t.Errorf("DELETE: %d", a.Status)
	}
	testkit.AwaitGone(t, "the server of the session", first)
	if a := one.say(t, do("1", "pid")); a.Status != http.StatusNotFound {
		t.Errorf("a session that has ended: %d %s", a.Status, a.Text())
	}
	if other.pid(t) != second {
		t.Error("the other session lost its server")
	}
	// Without a session there is one server for everybody, and its handshake is the gateway's.
	lone := httpHost{Client: other.Client}
	third := lone.pid(t)
	if again := lone.pid(t); again != third || third == second {
		t.Errorf("processes %d, %d", third, again)
	}
	if lines := strings.Split(textOf(t, lone.say(t, do("1", "heard")).Text()), "\n"); len(having(lines, `"method":"initialize"`)) != 1 || len(having(lines, `"method":"notifications/initialized"`)) != 1 {
		t.Errorf("heard %q", lines)
	}
}

// TestHTTPServersThatDie: the session is over, the server that all others share comes again.
func TestHTTPServersThatDie(t *testing.T) {
	g := shared(t)
	h := openSession(t, g)
	if a := h.say(t, do("1", "half 3")); a.Status != http.StatusBadGateway || !strings.Contains(a.Text(), `"id":1,"error"`) {
		t.Errorf("%d %s", a.Status, a.Text())
	}
	testkit.Eventually(t, "the session is over", func() bool { return h.say(t, do("2", "pid")).Status == http.StatusNotFound })
	lone := httpHost{Client: h.Client}
	before := lone.pid(t)
	if a := lone.say(t, do("3", "exit 1")); a.Status != http.StatusBadGateway {
		t.Errorf("%d %s", a.Status, a.Text())
	}
	testkit.Eventually(t, "it comes again", func() bool {
		a := lone.say(t, do("4", "pid"))
		return a.Status == http.StatusOK && textOf(t, a.Text()) != fmt.Sprint(before)
	})
}

// TestHTTPServersAreBounded: the one that was idle for longest makes room; where all have work to do, the newcomer waits.
func TestHTTPServersAreBounded(t *testing.T) {
	g := shared(t, "GATEWAY_MAX_PROCESSES=2")
	hosts := []httpHost{openSession(t, g), openSession(t, g)}
	pids := []int{hosts[0].pid(t), hosts[1].pid(t)}
	newcomer := openSession(t, g)
	testkit.AwaitGone(t, "the oldest", pids[0])
	if slices.Contains(pids, newcomer.pid(t)) {
		t.Error("the newcomer has no server of its own")
	}
	for _, h := range []httpHost{hosts[1], newcomer} {
		response, err := h.Start(t, http.MethodPost, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{"do":"progress wait"},"_meta":{"progressToken":1}}}`,
			map[string]string{"Mcp-Session-Id": h.session})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
	}
	lone := httpHost{Client: newcomer.Client}
	if a := lone.say(t, do("1", "pid")); a.Status != http.StatusServiceUnavailable || !strings.Contains(a.Text(), "Too many sessions") {
		t.Errorf("%d %s", a.Status, a.Text())
	}
	for _, h := range []httpHost{hosts[1], newcomer} {
		h.say(t, do("6", "release"))
	}
}

// TestHTTPTokenIsDemanded: whoever gets through spends the command's key.
func TestHTTPTokenIsDemanded(t *testing.T) {
	g := shared(t)
	for name, authorization := range map[string]string{
		"none": "", "another": "Bearer x", "a longer one": "Bearer " + token + "x", "a shorter one": "Bearer " + token[1:],
		"another scheme": "Basic " + token, "no scheme": token, "an empty one": "Bearer ",
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"", "/../health"} {
				a := testkit.Client{URL: g.URL + path, Header: http.Header{"Authorization": {authorization}}}.Post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
				if a.Status != http.StatusUnauthorized || !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer ") {
					t.Errorf("%s: %d %v %s", path, a.Status, a.Header, a.Text())
				}
			}
		})
	}
	for _, authorization := range []string{"Bearer " + token, "bearer  " + token} {
		a := testkit.Client{URL: g.URL, Header: http.Header{"Authorization": {authorization}}}.Post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if a.Status != http.StatusOK {
			t.Errorf("%q: %d %s", authorization, a.Status, a.Text())
		}
	}
	origin := map[string]string{"Origin": "http://localhost:1", "Access-Control-Request-Method": "POST", "Authorization": "", "Tomtom-Api-Key": ""}
	if a := (testkit.Client{URL: g.URL}).Do(t, http.MethodOptions, "", origin); a.Status != http.StatusNoContent || a.Header.Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("preflight: %d %v", a.Status, a.Header)
	}
	if strings.Contains(g.LogText(), token) {
		t.Error("the token is in the log")
	}
}

func TestHTTPInFrontOfACommandIsForThisMachine(t *testing.T) {
	for name, test := range map[string]struct {
		env  []string
		want string
	}{
		"no token":      {nil, "GATEWAY_TOKEN is not set"},
		"all addresses": {[]string{"GATEWAY_TOKEN=x", "GATEWAY_LISTEN=:8080"}, "it is not on loopback"},
		"an address":    {[]string{"GATEWAY_TOKEN=x", "GATEWAY_LISTEN=192.0.2.1:8080"}, "it is not on loopback"},
		"a bad token":   {[]string{"GATEWAY_TOKEN=a b"}, "GATEWAY_TOKEN=********"},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := testkit.Run(t, nil, test.env, "--", "no-such-server")
			if code != 2 || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d, %s", code, stderr)
			}
		})
	}
}

// TestHTTPMessagesOfTheServer come on the call's own stream, and an answer to them reaches the server.
func TestHTTPMessagesOfTheServer(t *testing.T) {
	g := shared(t)
	h := openSession(t, g)
	response, err := h.Start(t, http.MethodPost, do("1", "log ask"), map[string]string{"Mcp-Session-Id": h.session, "Mcp-Protocol-Version": "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	events := testkit.ReadEvents(response.Body)
	for _, want := range []string{`notifications/message`, `notifications/tools/list_changed`, `elicitation/create`} {
		if got := testkit.Receive(t, want, events); !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	answer := `{"jsonrpc":"2.0","id":900,"result":{"action":"decline"}}`
	if a := h.say(t, answer); a.Status != http.StatusAccepted {
		t.Errorf("%d %s", a.Status, a.Text())
	}
	if got := testkit.Receive(t, "the result", events); textOf(t, got) != answer {
		t.Errorf("%s", got)
	}
}

// TestHTTPCallersOfOneServer: two hosts of revision 2026-07-28 use the same id at once. One goes away; the other gets its own
// answer.
func TestHTTPCallersOfOneServer(t *testing.T) {
	g := shared(t)
	host := testkit.Client{URL: g.URL, Header: http.Header{"Authorization": {"Bearer " + token}, "Tomtom-Api-Key": nil}}
	call := func(id, do string) (string, map[string]string) {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"tomtom-geocode","arguments":{"do":"` + do + `"},"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "tomtom-geocode"}
	}
	heard := func(part string) int {
		body, header := call("9", "heard")
		return len(having(strings.Split(textOf(t, host.Do(t, http.MethodPost, body, header).Text()), "\n"), part))
	}
	heard("")
	body, header := call("1", "progress never")
	leaving, err := host.Start(t, http.MethodPost, body, header)
	if err != nil {
		t.Fatal(err)
	}
	body, header = call("1", "progress wait")
	staying, err := host.Start(t, http.MethodPost, body, header)
	if err != nil {
		t.Fatal(err)
	}
	_ = leaving.Body.Close()
	testkit.Eventually(t, "the call of the host that left is cancelled", func() bool { return heard("notifications/cancelled") > 0 })
	body, header = call("8", "release")
	host.Do(t, http.MethodPost, body, header)
	got := ""
	for data := range testkit.ReadEvents(staying.Body) {
		got = data
	}
	_ = staying.Body.Close()
	if !strings.Contains(got, `"id":1`) || !strings.Contains(got, `"result"`) {
		t.Errorf("the other host: %s", got)
	}
	if n := heard("notifications/cancelled"); n != 1 {
		t.Errorf("%d cancellations", n)
	}
}
