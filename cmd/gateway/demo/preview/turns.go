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
