// Package wire drives the built gateway over real TCP in front of scripted upstreams and compares bytes: what the
// gateway does not own must pass as it is, and what it owns must be as the contract says.
package wire

import (
	"encoding/json"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// pair is a gateway in front of a recorded upstream.
type pair struct {
	*testkit.Gateway
	up *testkit.Upstream
}

// start serves the script and puts a gateway with the given variables in front of it. What the gateway asks the upstream
// on its own behalf while it starts is not recorded.
func start(t *testing.T, script *testkit.Script, env ...string) pair {
	t.Helper()
	up := testkit.StartUpstream(t, script)
	p := pair{Gateway: testkit.StartGateway(t, up.URL, env...), up: up}
	up.Forget()
	return p
}

func (p pair) client() testkit.Client { return testkit.Client{URL: p.URL} }

// same sends the same bytes to the upstream and through the gateway and fails the test unless both answers and both
// bodies that arrived are equal.
func (p pair) same(t *testing.T, request string) testkit.RawAnswer {
	t.Helper()
	direct, through := p.both(t, request)
	testkit.SameAnswer(t, through, direct)
	return through
}

// both sends the same bytes to the upstream and through the gateway, fails the test unless both arrive equal, and
// returns the answers.
func (p pair) both(t *testing.T, request string) (direct, through testkit.RawAnswer) {
	t.Helper()
	p.up.Forget()
	direct = testkit.SendRaw(t, p.up.Address, request)
	through = testkit.SendRaw(t, p.Address, request)
	seen := p.up.Exchanges()
	if len(seen) != 2 {
		t.Fatalf("%d requests reached the upstream, want one each way", len(seen))
	}
	if seen[0].Method != seen[1].Method || seen[0].URI != seen[1].URI {
		t.Errorf("arrived as %s %s, sent %s %s", seen[1].Method, seen[1].URI, seen[0].Method, seen[0].URI)
	}
	testkit.SameBytes(t, "request body", seen[1].Body, seen[0].Body)
	return direct, through
}

// decode reads JSON text into v.
func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
}
