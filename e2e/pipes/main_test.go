// Package pipes drives the built gateway with pipes at one end or both: as desktop hosts start it, in front of servers
// that run as commands, well-behaved and not.
package pipes

import (
	"encoding/json"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// scripted starts a gateway between a host and the scripted server, and opens a session.
func scripted(t *testing.T, env ...string) *testkit.StdioGateway {
	t.Helper()
	program, child := testkit.ScriptedChild(t)
	g := testkit.StartStdio(t, append(child, env...), "--stdio", "--", program)
	g.Initialize(t)
	return g
}

// do is a call whose steps the scripted server takes.
func do(id, steps string) string {
	return testkit.CallMessage(id, "tomtom-routing", `{"do":`+testkit.Quote(steps)+`}`)
}

// textOf is the text of a response's only item.
func textOf(t *testing.T, response string) string {
	t.Helper()
	var m struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(response), &m); err != nil || len(m.Result.Content) != 1 {
		t.Fatalf("no text: %.300s", response)
	}
	return m.Result.Content[0].Text
}

// heard is what reached the scripted server so far, a line each.
func heard(t *testing.T, g *testkit.StdioGateway) []string {
	t.Helper()
	return strings.Split(textOf(t, g.Ask(t, `"heard"`, do(`"heard"`, "heard"))), "\n")
}

// having are the lines with a substring.
func having(lines []string, part string) (found []string) {
	for _, line := range lines {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}
