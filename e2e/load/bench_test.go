package load

import (
	"fmt"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/load/traffic"
	"tomtom-mcp-gateway/e2e/testkit"
)

// BenchmarkKinds is what a call of each kind costs: one host, one call after the other.
func BenchmarkKinds(b *testing.B) {
	for _, k := range mix(b) {
		b.Run(k.Name, func(b *testing.B) {
			g := testkit.StartGateway(b, traffic.StartUpstream(b, nil, 0).URL)
			measure(b, []*testkit.Gateway{g}, traffic.Crowd{Hosts: 1, Kinds: []*traffic.Kind{k}, Calls: 40}, nil)
		})
	}
}

// BenchmarkHosts is the whole mix for numbers of hosts that each call as soon as they have the answer before: the upstream
// called directly, with the redemptions that widgets make then, and the gateway. Hosts, upstream and gateway share the
// processors; hosts check every text, and the map data of every eighth answer.
func BenchmarkHosts(b *testing.B) {
	for _, c := range []struct{ hosts, calls int }{{1, 120}, {8, 20}, {64, 5}, {512, 1}} {
		b.Run(fmt.Sprint(c.hosts), func(b *testing.B) {
			up := traffic.StartUpstream(b, nil, 0)
			direct := traffic.Crowd{URLs: []string{up.URL}, Hosts: c.hosts, Kinds: mix(b), Calls: c.calls, Direct: true}
			measure(b, []*testkit.Gateway{testkit.StartGateway(b, up.URL)}, traffic.Crowd{Hosts: c.hosts, Kinds: mix(b), Calls: c.calls}, &direct)
		})
	}
}

// BenchmarkReplicas is long routes through several gateways of one processor each, which 16 hosts use in turns.
func BenchmarkReplicas(b *testing.B) {
	for _, replicas := range []int{1, 2, 4} {
		b.Run(fmt.Sprint(replicas), func(b *testing.B) { measureLong(b, replicas, 1) })
	}
}

// BenchmarkProcessors is long routes through one gateway that may use so many processors.
func BenchmarkProcessors(b *testing.B) {
	for _, processors := range []int{1, 2} {
		b.Run(fmt.Sprint(processors), func(b *testing.B) { measureLong(b, 1, processors) })
	}
}

func measureLong(b *testing.B, replicas, processors int) {
	b.Helper()
	up := traffic.StartUpstream(b, nil, 0)
	var gateways []*testkit.Gateway
	for range replicas {
		gateways = append(gateways, testkit.StartGateway(b, up.URL, fmt.Sprintf("GOMAXPROCS=%d", processors)))
	}
	measure(b, gateways, traffic.Crowd{Hosts: 16, Kinds: mix(b, "long route"), Calls: 10}, nil)
}

// measure lets the crowd call the gateways once for each turn of the benchmark, after direct has called the upstream, where
// it is given, and reports the medians of what the turns had.
func measure(b *testing.B, gateways []*testkit.Gateway, c traffic.Crowd, direct *traffic.Crowd) {
	b.Helper()
	for _, g := range gateways {
		c.URLs = append(c.URLs, g.URL)
	}
	warm := c
	warm.Hosts, warm.Calls = min(c.Hosts, 8), 4
	warm.Run(b.Context()).Check(b)
	c.Glances = 8
	var all, straight turns
	for b.Loop() {
		if direct != nil {
			straight.add(b, direct.Run(b.Context()))
		}
		before := time.Duration(0)
		for _, g := range gateways {
			before += testkit.CPUTime(b, g.PID())
		}
		t := c.Run(b.Context())
		for _, g := range gateways {
			all.used += testkit.CPUTime(b, g.PID())
		}
		all.used -= before
		all.add(b, t)
		c.First += c.Hosts
	}
	b.ReportMetric(0, "ns/op") // a turn means nothing
	all.report(b, "gateway")
	b.ReportMetric(all.used.Seconds()*1000/float64(all.calls), "gateway-cpu-ms/call")
	b.ReportMetric(float64(all.without)*100/float64(all.calls), "without-map-%")
	b.ReportMetric(float64(traffic.PeakResident(b, gateways[0].PID()))/megabyte, "gateway-peak-MB")
	if direct != nil {
		straight.report(b, "direct")
	}
}

// turns is what crowds had, over the turns of a benchmark.
type turns struct {
	perSecond, p50, p99 []float64
	calls, without      int
	used                time.Duration
}

func (s *turns) add(b *testing.B, t *traffic.Tally) {
	b.Helper()
	t.Check(b)
	s.perSecond = append(s.perSecond, t.PerSecond())
	s.p50 = append(s.p50, milliseconds(t.Percentile(50)))
	s.p99 = append(s.p99, milliseconds(t.Percentile(99)))
	s.calls += t.Calls
	s.without += t.Statuses["unavailable"]
}

func (s *turns) report(b *testing.B, name string) {
	b.Helper()
	b.ReportMetric(traffic.Median(s.perSecond), name+"-calls/s")
	b.ReportMetric(traffic.Median(s.p50), name+"-p50-ms")
	b.ReportMetric(traffic.Median(s.p99), name+"-p99-ms")
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
