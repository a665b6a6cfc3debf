package proxy

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"
)

// Large answers are read one after the other, a few at a time. A call waits for its slot to fit in with its answer read, and
// an untrimmed answer of some megabytes would be held for each of many calls that wait, although only as many as there are
// processors are worked on. What is not read yet the upstream and the network keep.

const (
	// largeAnswer is from what size on, in bytes, an answer takes a turn. Texts for agents are far smaller.
	largeAnswer = 512 << 10
	// bytesPerTurn is how much of the room there is for each turn at least.
	bytesPerTurn = 16 << 20
	// turnWait is how long an answer waits for a turn. It passes as it is then: whoever is at the end of so long a queue, or
	// behind upstreams that do not finish their answers, gets the text at last, which is all there is. A connection over which
	// an answer comes is not idle, so that the upstream does not close it meanwhile.
	turnWait = 15 * time.Second
)

// newTurns gives each processor one answer to work on, and all of them one to read meanwhile, where the room is large enough.
func newTurns(maxBytes int64) *semaphore.Weighted {
	return semaphore.NewWeighted(max(1, min(int64(runtime.GOMAXPROCS(0))+1, maxBytes/bytesPerTurn)))
}

// takeTurn waits until an answer of size bytes may be read. It returns at once where it is no large one, or has its turn
// already. Without one, the error is errBusy or the context's.
func (h *hold) takeTurn(ctx context.Context, size int) error {
	if size < largeAnswer || h.hasTurn {
		return nil
	}
	err := h.room.acquire(ctx, h.room.turns, 1, h.room.turnWait)
	h.hasTurn = err == nil
	return err
}

// endTurn lets the next answer be read.
func (h *hold) endTurn() {
	if h.hasTurn {
		h.room.turns.Release(1)
	}
	h.hasTurn = false
}
