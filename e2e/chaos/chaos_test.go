package chaos

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/load/traffic"
	"tomtom-mcp-gateway/e2e/testkit"
)

const (
	hosts = 12
	// tries are how often a host asks before it gives up. One would do if nothing else were killed meanwhile.
	tries = 8
	// answerWithin is how long an answer may take on a busy machine: a call that gets neither an answer nor an error is lost.
	answerWithin = time.Minute
)

// TestKillsDuringLoad: every question is answered at last, by its own answer, whatever is killed meanwhile, and no call runs
// twice. Strikes come after so many answers, not after so much time, from a seed that the test prints
// and E2E_SEED sets.
func TestKillsDuringLoad(t *testing.T) {
	strikes, lasting := 4, 20*time.Second
	if os.Getenv("E2E_SOAK") != "" {
		strikes = 60
	}
	seed := seed(t)
	s := newStage(t, seed)
	kinds, err := traffic.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var c crowd
	c.start(ctx, s.url(), kinds)
	struck := 0
	for began := time.Now(); struck < strikes && time.Since(began) < lasting; struck++ {
		c.awaitAnswers(t, 4+s.random.IntN(16))
		s.strike(t)
	}
	c.awaitAnswers(t, 2*hosts) // with everything up again
	stop()
	c.done.Wait()

	once := s.ledger.Read(t)
	t.Logf("seed %d: %v; %d answers, %v, after %d errors in %d calls; %d reached an upstream; %d redemptions missed their process",
		seed, s.killed, c.answers.Load(), c.statuses, c.errors, c.calls, len(once.Calls), once.Misses)
	for what, n := range c.reasons {
		t.Logf("%d × %s", n, what)
	}
	for _, wrong := range c.wrong {
		t.Error(wrong)
	}
	once.CheckOnce(t, true)
	for n := range c.answered {
		if once.Calls[n] != 1 {
			t.Errorf("call %d was answered and reached the upstreams %d times", n, once.Calls[n])
		}
	}
	if struck < 2 {
		t.Errorf("only %d strikes", struck)
	}
}

// seed is what strikes whom and when follows from: E2E_SEED, or always the same.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("E2E_SEED")
	if text == "" {
		return 20260801
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// crowd is hosts that ask again, in a new call, what was not answered.
type crowd struct {
	done    sync.WaitGroup
	answers atomic.Int64

	mu       sync.Mutex
	calls    int
	errors   int
	answered map[traffic.Number]bool
	statuses map[string]int
	reasons  map[string]int // why calls were not answered
	wrong    []string
}

func (c *crowd) start(ctx context.Context, url string, kinds []*traffic.Kind) {
	c.answered, c.statuses, c.reasons = map[traffic.Number]bool{}, map[string]int{}, map[string]int{}
	for i := range hosts {
		c.done.Go(func() {
			h := traffic.NewHost(url, i)
			h.Modern = i%2 == 1
			defer h.Close()
			for ctx.Err() == nil {
				c.ask(context.WithoutCancel(ctx), h, h.Any(kinds))
			}
		})
	}
}

// ask asks until there is an answer.
func (c *crowd) ask(ctx context.Context, h *traffic.Host, k *traffic.Kind) {
	for try := 1; ; try++ {
		limited, cancel := context.WithTimeout(ctx, answerWithin)
		o := h.Call(limited, k)
		lost := limited.Err() != nil
		cancel()
		if c.take(o, lost, try == tries) {
			return
		}
	}
}

// take notes what came of a call. done is true when it need not be asked again.
func (c *crowd) take(o traffic.Outcome, lost, last bool) (done bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	switch {
	case o.Wrong != nil:
		c.wrong = append(c.wrong, fmt.Sprintf("call %d, %s: %v", o.Number, o.Kind.Name, o.Wrong))
	case lost:
		c.wrong = append(c.wrong, fmt.Sprintf("call %d, %s: neither answer nor error within %v", o.Number, o.Kind.Name, answerWithin))
	case o.Failed != nil && last:
		c.wrong = append(c.wrong, fmt.Sprintf("call %d, %s: the last of %d tries: %v", o.Number, o.Kind.Name, tries, o.Failed))
	case o.Failed != nil:
		c.errors++
		c.reasons[traffic.Reason(o.Failed)]++
		return false
	default:
		c.answered[o.Number] = true
		c.statuses[o.Status]++
		c.answers.Add(1)
	}
	return true
}

// awaitAnswers returns when n more answers have come.
func (c *crowd) awaitAnswers(t *testing.T, n int) {
	t.Helper()
	until := c.answers.Load() + int64(n)
	testkit.Eventually(t, fmt.Sprintf("%d more answers", n), func() bool { return c.answers.Load() >= until })
}
