package pipes

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// askedOf is a call of a host of revision 2026-07-28 that can be asked, more are members of its params.
func askedOf(id, steps, more string) string {
	meta := strings.Replace(modernMeta, `{"extensions"`, `{"elicitation":{},"extensions"`, 1)
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{"do":"` + steps + `"},` + more + meta + `}}`
}

// heldUnder makes the call 1, which waits for its host's answer, and returns the members of a retry that gives it.
func heldUnder(t *testing.T, g *testkit.StdioGateway, steps string) (input string) {
	t.Helper()
	var asked struct {
		Result struct{ ResultType, RequestState string }
	}
	response := g.Ask(t, "1", askedOf("1", steps, ""))
	if err := json.Unmarshal([]byte(response), &asked); err != nil || asked.Result.ResultType != "input_required" {
		t.Fatalf("%s", response)
	}
	return `"inputResponses":{"input":{"action":"accept"}},"requestState":` + strconv.Quote(asked.Result.RequestState) + `,`
}

// TestStdioHeldCallIsCancelled: a host gives up a call that went on with its answer, and has a call under the first id by then.
// The server is told once, of the right one.
func TestStdioHeldCallIsCancelled(t *testing.T) {
	program, env := testkit.ScriptedChild(t)
	g := testkit.StartStdio(t, env, "--stdio", "--", program)
	input := heldUnder(t, g, "ask never")
	g.Say(t,
		askedOf("1", "wait", ""), askedOf("2", "ask never", input),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, askedOf("3", "release", ""))
	both := []string{g.Hear(t), g.Hear(t)} // in either order
	for _, id := range []string{"1", "3"} {
		if found := having(both, `"id":`+id+`}`); len(found) != 1 || !strings.Contains(found[0], `"com.tomtom/app-data-status":"inline"`) {
			t.Errorf("no result for %s in %q", id, both)
		}
	}
	lines := strings.Split(textOf(t, g.Ask(t, "4", askedOf("4", "heard", ""))), "\n")
	if told := having(lines, `"notifications/cancelled"`); len(told) != 1 || !strings.Contains(told[0], `"requestId":1}`) {
		t.Errorf("the server was told %q", told)
	}
	if told := having(lines, `"id":900`); len(told) > 1 {
		t.Errorf("the server was answered %q", told)
	}
}

// TestStdioEndsWhileACallIsHeld: the gateway waits neither for a host that has gone nor with a server that has.
func TestStdioEndsWhileACallIsHeld(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(*testing.T, *testkit.StdioGateway)
		code int
	}{
		"the host":   {func(_ *testing.T, g *testkit.StdioGateway) { g.CloseInput() }, 0},
		"the server": {func(t *testing.T, g *testkit.StdioGateway) { t.Helper(); g.Say(t, askedOf("2", "exit 3", "")) }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			program, env := testkit.ScriptedChild(t)
			g := testkit.StartStdio(t, env, "--stdio", "--", program)
			heldUnder(t, g, "ask")
			tt.end(t, g)
			if rest, code := g.Ended(t); code != tt.code || len(having(rest, `"id":1`)) != 0 {
				t.Errorf("%q, exit code %d", rest, code)
			}
		})
	}
}
