package chaos

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"tomtom-mcp-gateway/e2e/load/traffic"
	"tomtom-mcp-gateway/e2e/testkit"
)

// How many of each there are, and of them how many are killed again and again: the rest live through the run, so that
// there is always a way.
const (
	gateways, mortalGateways   = 3, 2
	upstreams, mortalUpstreams = 2, 1
)

// stage is gateways behind a balancer, in front of a balancer with upstreams behind it. A gateway knows nothing of the
// others, and not that there are several upstreams.
type stage struct {
	ledger             *traffic.Ledger
	gateways           [gateways]*testkit.Gateway
	upstreams          [upstreams]*testkit.Process
	toGateways, behind *testkit.Balancer
	random             *rand.Rand
	killed             map[string]int // by what was done to what
}

func newStage(t *testing.T, seed uint64) *stage {
	t.Helper()
	s := &stage{
		ledger: traffic.NewLedger(t), random: rand.New(rand.NewPCG(seed, 1)), killed: map[string]int{},
		toGateways: testkit.NewBalancer(t, make([]string, gateways)...), behind: testkit.NewBalancer(t, make([]string, upstreams)...),
	}
	for i := range s.upstreams {
		s.startUpstream(t, i)
	}
	for i := range s.gateways {
		s.startGateway(t, i)
	}
	return s
}

func (s *stage) url() string { return "http://" + s.toGateways.Address + "/mcp" }

func (s *stage) startUpstream(t *testing.T, i int) {
	t.Helper()
	s.upstreams[i] = traffic.StartUpstream(t, s.ledger, 0)
	s.behind.Set(i, s.upstreams[i].Address)
}

func (s *stage) startGateway(t *testing.T, i int) {
	t.Helper()
	s.gateways[i] = testkit.StartGateway(t, "http://"+s.behind.Address+"/mcp")
	s.toGateways.Set(i, s.gateways[i].Address)
}

// strike ends one process and starts another in its place. The balancer hears of it as late as a real one: by refused
// connections.
func (s *stage) strike(t *testing.T) {
	t.Helper()
	victim := s.random.IntN(mortalGateways + mortalUpstreams)
	if victim >= mortalGateways {
		i := victim - mortalGateways
		s.killed["upstream SIGKILL"]++
		s.upstreams[i].Kill()
		s.startUpstream(t, i)
		return
	}
	var sig os.Signal = syscall.SIGKILL
	name := "gateway SIGKILL"
	if s.random.IntN(2) == 0 {
		sig, name = syscall.SIGTERM, "gateway SIGTERM"
	}
	s.killed[name]++
	s.gateways[victim].End(t, sig)
	s.startGateway(t, victim)
}
