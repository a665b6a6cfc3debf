package proxy

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"
)

// roomWait is how long a call waits for a slot to fit in or for bytes to hold. It leaves most of the 5 s after which
// the upstream closes the connection that the app data has to come over.
const roomWait = 3 * time.Second

// errBusy says that other calls left no room in time.
var errBusy = errors.New("too much at once")

// room is what calls share and have to wait for: slots for fitting, which takes a whole processor, and bytes of
// results and app data held at once.
type room struct {
	slots *semaphore.Weighted
	bytes *semaphore.Weighted
	max   int64         // of bytes
	wait  time.Duration // for either
	held  atomic.Int64

	fits             int64        // slots
	fitting, waiting atomic.Int64 // calls that have a slot, and those that wait for one

	turns    *semaphore.Weighted // to read a large answer
	turnWait time.Duration
}

func newRoom(maxBytes int64) *room {
	fits := int64(runtime.GOMAXPROCS(0)) // what the container may use, as Go reads it from the cgroup
	return &room{
		slots: semaphore.NewWeighted(fits),
		fits:  fits,
		bytes: semaphore.NewWeighted(maxBytes),
		max:   maxBytes,
		wait:  roomWait,

		turns:    newTurns(maxBytes),
		turnWait: turnWait,
	}
}

// slot waits for a slot to fit in. Without one, the error is errBusy or the context's. release gives it back.
func (r *room) slot(ctx context.Context) (release func(), err error) {
	r.waiting.Add(1)
	err = r.acquire(ctx, r.slots, 1, r.wait)
	r.waiting.Add(-1)
	if err != nil {
		return nil, err
	}
	r.fitting.Add(1)
	return func() {
		r.fitting.Add(-1)
		r.slots.Release(1)
	}, nil
}

// gauges are metrics of what is taken of the room, and of how much there is.
func (r *room) gauges() []prometheus.Collector {
	gauge := func(name, help string, value func() int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) })
	}
	return []prometheus.Collector{
		gauge("gateway_buffered_bytes", "Bytes of requests, results and app data held now, beyond small ones.", r.held.Load),
		gauge("gateway_buffered_bytes_limit", "How many may be.", func() int64 { return r.max }),
		gauge("gateway_fits_running", "Calls that have a slot for fitting now.", r.fitting.Load),
		gauge("gateway_fits_waiting", "Calls that wait for one.", r.waiting.Load),
		gauge("gateway_fit_slots", "How many slots there are.", func() int64 { return r.fits }),
	}
}

func (r *room) acquire(ctx context.Context, s *semaphore.Weighted, n int64, wait time.Duration) error {
	if s.TryAcquire(n) {
		return nil
	}
	waiting, cancel := context.WithTimeoutCause(ctx, wait, errBusy)
	defer cancel()
	if s.Acquire(waiting, n) != nil {
		return context.Cause(waiting)
	}
	return nil
}

// hold is what one call has taken of the bytes of a room, and the buffers that it has for them. It is used by one
// goroutine.
type hold struct {
	room    *room
	taken   int64
	buffers [][]byte // from takeBuffer

	hasTurn bool // to read a large answer
}

// buffer returns an empty slice with room for size bytes, which is not accounted for. It may be used until release.
func (h *hold) buffer(size int) []byte {
	b := takeBuffer(size)
	h.buffers = append(h.buffers, b)
	return b
}

// grow returns the bytes of b, which must not be used any more, with room for size. What is beyond a first buffer is
// accounted for: the error is reserve's.
func (h *hold) grow(ctx context.Context, b []byte, size int) ([]byte, error) {
	if cap(b) > 0 {
		if err := h.reserve(ctx, size-cap(b)); err != nil {
			return nil, err
		}
	}
	grown := append(h.buffer(size), b...)
	h.drop(b)
	return grown, nil
}

// drop gives up a buffer before release.
func (h *hold) drop(b []byte) {
	for i, own := range h.buffers {
		if cap(b) > 0 && &own[:1][0] == &b[:1][0] {
			h.buffers = slices.Delete(h.buffers, i, i+1)
			giveBuffer(b)
			return
		}
	}
}

// keep leaves the buffers to whoever has their bytes, for good.
func (h *hold) keep() { h.buffers = nil }

// reserve waits until n more bytes may be held. Without them, the error is errBusy or the context's.
func (h *hold) reserve(ctx context.Context, n int) error {
	if int64(n) > h.room.max-h.taken {
		return errBusy // waiting would not help
	}
	if err := h.room.acquire(ctx, h.room.bytes, int64(n), h.room.wait); err != nil {
		return err
	}
	h.taken += int64(n)
	h.room.held.Add(int64(n))
	return nil
}

// release gives everything back.
func (h *hold) release() {
	for _, b := range h.buffers {
		giveBuffer(b)
	}
	h.buffers = nil
	h.endTurn()
	h.room.bytes.Release(h.taken)
	h.room.held.Add(-h.taken)
	h.taken = 0
}
