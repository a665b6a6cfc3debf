package preview

import (
	"context"
	"errors"
	"time"
)

const (
	maxFitsAtOnce = 2
	maxPolls      = 8
	turnPatience  = 5 * time.Second // for a turn
)

var errBusy = errors.New("too much is going on at once: try again in a moment")

// turns is how many may do something at a time.
type turns chan struct{}

func newTurns(n int) turns { return make(turns, n) }

// take waits for a turn. The error is errBusy, or that of ctx.
func (t turns) take(ctx context.Context) (done func(), err error) {
	patience := time.NewTimer(turnPatience)
	defer patience.Stop()
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-patience.C:
		return nil, errBusy
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// errSlow is why a request of the page ended that took longer than it may.
var errSlow = errors.New("the MCP server did not answer in time")

func withTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, errSlow)
}

// insist waits for work until ctx is done. The work itself runs to its end: a tool call is paid for, and a page that is
// loaded anew finds it in the history.
func insist[T any](ctx context.Context, work func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ended := make(chan outcome, 1)
	go func(ctx context.Context) {
		value, err := work(ctx)
		ended <- outcome{value, err}
	}(context.WithoutCancel(ctx))
	select {
	case o := <-ended:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
