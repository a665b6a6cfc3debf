package load

import (
	"context"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/load/traffic"
	"tomtom-mcp-gateway/e2e/testkit"
)

// What a soak may differ by. A leak of one small thing in each call exceeds it within seconds.
const (
	moreGoroutines  = 8 // timers of the runtime and connections of the watch come and go
	moreDescriptors = 4
	grownBytes      = 32 * megabyte
	grownPart       = 0.3 // of the median
)

// TestSoak: for as long as was asked for, hosts of both eras ask everything in turns. None gets an error or a wrong answer,
// and what the process holds does not grow: its memory under load has no trend once it is warm, and without hosts it comes
// down to the goroutines and descriptors that it had before.
func TestSoak(t *testing.T) {
	const hosts = 16
	lasting := soakTime(t)
	ledger := traffic.NewLedger(t)
	g := testkit.StartGateway(t, traffic.StartUpstream(t, ledger, 5*time.Millisecond).URL)

	warm := crowdFor(t, lasting/10, traffic.Crowd{URLs: []string{g.URL}, Hosts: hosts, Kinds: mix(t)})
	warm.Check(t)
	before := traffic.Settled(t, g)

	ctx, stop := context.WithTimeout(t.Context(), lasting)
	defer stop()
	watch := traffic.Watch(ctx, g, max(lasting/200, 100*time.Millisecond))
	tally := traffic.Crowd{URLs: []string{g.URL}, Hosts: hosts, Kinds: mix(t), First: hosts}.Run(ctx)
	tally.Check(t)
	seen := <-watch
	after := traffic.AtRest(t, g, before.Goroutines+moreGoroutines, before.Descriptors+moreDescriptors)

	once := ledger.Read(t)
	once.CheckOnce(t, false)
	if calls := warm.Calls + tally.Calls; len(once.Calls) != calls {
		t.Errorf("%d calls of hosts, %d at the upstream", calls, len(once.Calls))
	}
	memory := traffic.TrendOf(seen, lasting/5, func(v traffic.Vitals) int { return v.Resident })
	t.Log(tally)
	t.Logf("memory %.0f MB, at most %d MB, grown by %.1f MB in %.0f s", memory.Median/megabyte,
		traffic.PeakResident(t, g.PID())/megabyte, memory.Growth/megabyte, (lasting - lasting/5).Seconds())
	t.Logf("at rest before and after: %d and %d goroutines, %d and %d descriptors", before.Goroutines, after.Goroutines,
		before.Descriptors, after.Descriptors)
	if most := max(grownBytes, grownPart*memory.Median); memory.Growth > most {
		t.Errorf("memory grew by %.1f MB, want at most %.1f", memory.Growth/megabyte, most/megabyte)
	}
	for what, value := range map[string]func(traffic.Vitals) int{
		"goroutines":  func(v traffic.Vitals) int { return v.Goroutines },
		"descriptors": func(v traffic.Vitals) int { return v.Descriptors },
	} {
		trend := traffic.TrendOf(seen, lasting/5, value)
		t.Logf("%s under load: %.0f, grown by %.1f", what, trend.Median, trend.Growth)
		if trend.Growth > trend.Median/2 {
			t.Errorf("%s grew by %.1f from about %.0f", what, trend.Growth, trend.Median)
		}
	}
}

// crowdFor lets a crowd call for a while.
func crowdFor(t *testing.T, lasting time.Duration, c traffic.Crowd) *traffic.Tally {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), lasting)
	defer stop()
	return c.Run(ctx)
}
