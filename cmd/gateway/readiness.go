package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// How readiness asks the upstream: a TCP connection that is closed at once. One that is refused once, as while it
// restarts, moves no traffic away; and one that answers once between two refusals brings none back.
const (
	agreedFor   = 3 * time.Second // an answer that agrees with the verdict holds so long
	doubtedFor  = time.Second     // one that contradicts it, before the upstream is asked again
	turnsAfter  = 2               // contradictions in a row turn the verdict
	dialTimeout = 2 * time.Second
)

// errDraining is why a gateway that was told to end is not ready.
var errDraining = errors.New("draining")

// readiness knows whether new requests should come here.
type readiness struct {
	dial func(context.Context) error
	now  func() time.Time

	draining atomic.Bool

	mu      sync.Mutex // held while dialling, so that callers at the same time share one answer
	checked time.Time  // zero before the first dial
	reached bool       // once; until then every dial decides by itself: a server that is only starting has not faltered
	verdict error      // nil: the upstream is reachable
	against int        // dials in a row that contradicted the verdict
}

// newReadiness returns a readiness that asks by dial.
func newReadiness(dial func(context.Context) error) *readiness {
	return &readiness{now: time.Now, dial: dial}
}

// dialled asks whether the upstream's host takes connections.
func dialled(upstream *url.URL) func(context.Context) error {
	address := upstream.Host
	if upstream.Port() == "" {
		address = net.JoinHostPort(upstream.Hostname(), map[string]string{"http": "80", "https": "443"}[upstream.Scheme])
	}
	return func(ctx context.Context) error {
		dialer := net.Dialer{Timeout: dialTimeout}
		c, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return fmt.Errorf("upstream: %w", err)
		}
		return c.Close()
	}
}

// drain makes the gateway not ready for good.
func (r *readiness) drain() { r.draining.Store(true) }

// check returns nil if requests should come here, else why not. The upstream is asked when somebody wants to know, and
// at most as often as the constants above say.
func (r *readiness) check(ctx context.Context) error {
	if r.draining.Load() {
		return errDraining
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	holds := agreedFor
	if r.against > 0 || !r.reached {
		holds = doubtedFor
	}
	if r.checked.IsZero() || r.now().Sub(r.checked) >= holds {
		// A prober that hangs up does not make the upstream unreachable for the next one.
		r.weigh(r.dial(context.WithoutCancel(ctx)))
		r.checked = r.now()
	}
	return r.verdict
}

// weigh lets what a dial said count.
func (r *readiness) weigh(answer error) {
	if !r.reached || (answer == nil) == (r.verdict == nil) {
		r.verdict, r.against = answer, 0
		r.reached = r.reached || answer == nil
		return
	}
	if r.against++; r.against >= turnsAfter {
		r.verdict, r.against = answer, 0
	}
}

// gauge is a metric of the verdict. Whoever reads it asks, as a prober does.
func (r *readiness) gauge(ctx context.Context) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_ready", Help: "1 while /readyz says 200: the upstream is reachable, and the gateway is not draining.",
	}, func() float64 {
		if r.check(ctx) != nil {
			return 0
		}
		return 1
	})
}
