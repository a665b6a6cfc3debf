package load

import (
	"testing"

	"tomtom-mcp-gateway/e2e/load/traffic"
	"tomtom-mcp-gateway/e2e/testkit"
)

// TestMixedHosts: each of many hosts, of both eras, gets the answers to its own calls, whole, and each call reaches the
// upstream once.
func TestMixedHosts(t *testing.T) {
	ledger := traffic.NewLedger(t)
	g := testkit.StartGateway(t, traffic.StartUpstream(t, ledger, 0).URL)
	tally := traffic.Crowd{URLs: []string{g.URL}, Hosts: 8, Kinds: mix(t), Calls: 12}.Run(t.Context())
	t.Log(tally)
	tally.Check(t)
	once := ledger.Read(t)
	once.CheckOnce(t, false)
	if len(once.Calls) != tally.Calls {
		t.Errorf("%d calls of hosts, %d at the upstream", tally.Calls, len(once.Calls))
	}
	if tally.Statuses["unavailable"] > 0 {
		t.Errorf("%d without map data at 8 hosts", tally.Statuses["unavailable"])
	}
}
