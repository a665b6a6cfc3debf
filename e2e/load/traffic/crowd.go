package traffic

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// Crowd is a number of hosts that call at once, each as soon as it has the answer before.
type Crowd struct {
	URLs    []string // of the gateways or upstreams, in turns
	Hosts   int
	Kinds   []*Kind
	Direct  bool // the URLs are those of upstreams
	First   int  // index of the first host, so that two crowds of one run share no numbers
	Glances int  // as of Host
	Calls   int  // of each host at most; 0: until the context is done
}

// Tally is what a crowd saw.
type Tally struct {
	Calls    int
	Statuses map[string]int // by kind's expected status and status
	Failed   []error
	Wrong    []error
	Took     []time.Duration // sorted
	Lasted   time.Duration
}

// Run lets the crowd call until ctx is done. What has begun then is brought to its end.
func (c Crowd) Run(ctx context.Context) *Tally {
	t := &Tally{Statuses: map[string]int{}}
	var lock sync.Mutex
	var all sync.WaitGroup
	began := time.Now()
	for i := range c.Hosts {
		all.Go(func() {
			h := NewHost(c.URLs[i%len(c.URLs)], c.First+i)
			h.Direct, h.Modern, h.Glances = c.Direct, !c.Direct && i%2 == 1, c.Glances
			defer h.Close()
			for called := 0; ctx.Err() == nil && (c.Calls == 0 || called < c.Calls); called++ {
				o := h.Call(context.WithoutCancel(ctx), h.Any(c.Kinds))
				lock.Lock()
				t.add(o)
				lock.Unlock()
			}
		})
	}
	all.Wait()
	t.Lasted = time.Since(began)
	slices.Sort(t.Took)
	return t
}

func (t *Tally) add(o Outcome) {
	t.Calls++
	switch {
	case o.Failed != nil:
		t.Failed = append(t.Failed, fmt.Errorf("call %d, %s: %w", o.Number, o.Kind.Name, o.Failed))
	case o.Wrong != nil:
		t.Wrong = append(t.Wrong, fmt.Errorf("call %d, %s: %w", o.Number, o.Kind.Name, o.Wrong))
	default:
		t.Statuses[o.Status]++
		t.Took = append(t.Took, o.Took)
	}
}

// PerSecond is the throughput: answers that were as they should be.
func (t *Tally) PerSecond() float64 { return float64(len(t.Took)) / t.Lasted.Seconds() }

// Percentile is how long a call took that was not faster than the given percentage of all.
func (t *Tally) Percentile(p int) time.Duration {
	if len(t.Took) == 0 {
		return 0
	}
	return t.Took[min(len(t.Took)*p/100, len(t.Took)-1)]
}

// Check fails the test where a call got no result, or a wrong one.
func (t *Tally) Check(tb testing.TB) {
	tb.Helper()
	for what, errs := range map[string][]error{"failed": t.Failed, "got a wrong answer": t.Wrong} {
		if len(errs) > 0 {
			tb.Errorf("%d of %d calls %s: %v", len(errs), t.Calls, what, errs[:min(len(errs), 3)])
		}
	}
	if t.Calls == 0 {
		tb.Error("nobody called")
	}
}

func (t *Tally) String() string {
	return fmt.Sprintf("%d calls in %.1f s, %.1f a second, p50 %v, p99 %v, statuses %v", t.Calls, t.Lasted.Seconds(), t.PerSecond(),
		t.Percentile(50).Round(100*time.Microsecond), t.Percentile(99).Round(100*time.Microsecond), t.Statuses)
}
