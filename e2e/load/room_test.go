package load

import (
	"context"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/load/traffic"
	"tomtom-mcp-gateway/e2e/testkit"
)

// TestMemoryOfLongRoutes: 64 hosts that ask for routes of about 40,000 vertices, all at once and without a pause, and the
// process stays below 200 MB. Whoever finds no slot for fitting in time gets the text alone; on a busy machine many do.
func TestMemoryOfLongRoutes(t *testing.T) {
	soakTime(t)
	const hosts, most = 64, 200 * megabyte
	for _, kinds := range [][]string{{"long route", "long route in the rush hour"}, {"long route in the text"}} {
		t.Run(kinds[0], func(t *testing.T) {
			g, tally, _ := press(t, hosts, 2*time.Second, mix(t, kinds...))
			peak := traffic.PeakResident(t, g.PID())
			t.Logf("at most %d MB: %v", peak/megabyte, tally)
			if peak >= most {
				t.Errorf("the process had %d MB at most, want less than %d", peak/megabyte, most/megabyte)
			}
			if tally.Statuses["fitted"] < hosts/8 {
				t.Errorf("only %d routes were fitted", tally.Statuses["fitted"])
			}
		})
	}
}

// TestFarTooManyHosts: 512 hosts are far more than two processors can fit routes for. What is buffered stays within its
// bound, and every host gets its text: without map data where there was no room, but never an error.
func TestFarTooManyHosts(t *testing.T) {
	soakTime(t)
	const hosts, bound = 512, 32 * megabyte
	g, tally, seen := press(t, hosts, 2*time.Second, mix(t), "GATEWAY_MAX_BUFFERED_BYTES=33554432")
	t.Logf("at most %d MB: %v", traffic.PeakResident(t, g.PID())/megabyte, tally)
	most := 0
	for _, v := range seen {
		most = max(most, v.BufferedBytes)
	}
	if most == 0 || most > bound {
		t.Errorf("%d bytes were buffered at most, want some and no more than %d", most, bound)
	}
	if peak := traffic.PeakResident(t, g.PID()); peak > 512*megabyte {
		t.Errorf("the process had %d MB", peak/megabyte)
	}
}

// press lets hosts call a gateway for a while, checks what they got, and returns what they saw and what the gateway held.
func press(t *testing.T, hosts int, lasting time.Duration, kinds []*traffic.Kind, env ...string) (*testkit.Gateway, *traffic.Tally, []traffic.Vitals) {
	t.Helper()
	ledger := traffic.NewLedger(t)
	g := testkit.StartGateway(t, traffic.StartUpstream(t, ledger, 0).URL, env...)
	ctx, stop := context.WithTimeout(t.Context(), lasting)
	defer stop()
	watch := traffic.Watch(ctx, g, 100*time.Millisecond)
	tally := traffic.Crowd{URLs: []string{g.URL}, Hosts: hosts, Kinds: kinds}.Run(ctx)
	tally.Check(t)
	once := ledger.Read(t)
	once.CheckOnce(t, false)
	if len(once.Calls) != tally.Calls {
		t.Errorf("%d calls of hosts, %d at the upstream", tally.Calls, len(once.Calls))
	}
	return g, tally, <-watch
}
