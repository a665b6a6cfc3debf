package proxy

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"
)

// TestTurnsOfLargeAnswers: as many large answers are read at once as there are turns, small ones whenever they come, and
// nobody waits longer than turnWait for one that does not end.
func TestTurnsOfLargeAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(1 << 30)
		r.turns = semaphore.NewWeighted(1)
		ctx := t.Context()
		take := func(h *hold, size int) time.Duration {
			began := time.Now()
			if err := h.takeTurn(ctx, size); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		one, two, three := &hold{room: r}, &hold{room: r}, &hold{room: r}
		if took := take(one, largeAnswer) + take(one, 2*largeAnswer); took != 0 || !one.hasTurn {
			t.Errorf("the first waited %v", took)
		}
		if took := take(two, largeAnswer-1); took != 0 || two.hasTurn {
			t.Errorf("a small one waited %v", took)
		}
		time.AfterFunc(time.Second, one.release)
		if took := take(two, largeAnswer); took != time.Second || !two.hasTurn {
			t.Errorf("the second waited %v for the first, which took a second", took)
		}
		began := time.Now()
		if err := three.takeTurn(ctx, largeAnswer); !errors.Is(err, errBusy) || time.Since(began) != turnWait || three.hasTurn {
			t.Errorf("the third waited %v for one that does not end: %v", time.Since(began), err)
		}
		gone, leave := context.WithCancelCause(ctx)
		leave(errHostGone)
		if err := three.takeTurn(gone, largeAnswer); !errors.Is(err, errHostGone) {
			t.Errorf("without its host: %v", err)
		}
		two.release()
		if took := take(three, largeAnswer); took != 0 || !three.hasTurn {
			t.Errorf("after all others the third waited %v", took)
		}
	})
}

// TestTurnsGoByRoomAndProcessors: a small room has fewer turns than the processors could use, and at least one.
func TestTurnsGoByRoomAndProcessors(t *testing.T) {
	for _, c := range []struct{ room, least, most int64 }{{1 << 20, 1, 1}, {2 * bytesPerTurn, 1, 2}, {1 << 40, 2, 1 << 20}} {
		turns, n := newTurns(c.room), int64(0)
		for turns.TryAcquire(1) {
			n++
		}
		if n < c.least || n > c.most {
			t.Errorf("%d bytes: %d turns", c.room, n)
		}
	}
}
