package stdio

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Overflow is a writer that never waits: lines that its destination does not take in time are kept, up to a bound, and
// beyond it lost. A line says how many were. It is for standard error, which a host may not read while a server floods
// it: nobody is to be held up by what is written there. It is safe for concurrent use.
type Overflow struct {
	dst   io.Writer
	bound int

	mu      sync.Mutex
	changed sync.Cond
	queue   [][]byte
	queued  int
	lost    int
	writing bool
}

// NewOverflow returns a writer to dst that keeps so many bytes.
func NewOverflow(dst io.Writer, bound int) *Overflow {
	o := &Overflow{dst: dst, bound: bound}
	o.changed.L = &o.mu
	go o.run()
	return o
}

// Write keeps b, lines with their ends, for the destination. It never fails.
func (o *Overflow) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.queued+len(b) > o.bound {
		o.lost += max(1, bytes.Count(b, []byte{'\n'}))
		return len(b), nil
	}
	o.queue = append(o.queue, bytes.Clone(b))
	o.queued += len(b)
	o.changed.Broadcast()
	return len(b), nil
}

func (o *Overflow) run() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.queue) == 0 {
			o.writing = false
			o.changed.Broadcast()
			o.changed.Wait()
		}
		next, lost := o.queue[0], 0
		if len(o.queue) == 1 {
			o.lost, lost = 0, o.lost
		}
		o.queue, o.writing = o.queue[1:], true
		o.mu.Unlock()
		_, _ = o.dst.Write(next) // with it gone there is nobody to tell
		if lost > 0 {
			_, _ = fmt.Fprintf(o.dst, "gateway: %d lines were lost here: nobody read fast enough\n", lost)
		}
		o.mu.Lock()
		o.queued -= len(next)
	}
}

// Flush waits until everything is written, for at most d.
func (o *Overflow) Flush(d time.Duration) {
	over := false
	timer := time.AfterFunc(d, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		over = true
		o.changed.Broadcast()
	})
	defer timer.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for !over && (o.writing || len(o.queue) > 0) {
		o.changed.Wait()
	}
}

// Lines returns a writer for a stream that comes in pieces: to o it writes whole lines, so that those of several
// streams do not run into each other. What has no end yet is written when it is long.
func (o *Overflow) Lines() io.Writer { return &wholeLines{to: o} }

// Flush writes what has no end, with one.
func (w *wholeLines) Flush() {
	if len(w.part) > 0 {
		_, _ = w.to.Write(append(w.part, '\n'))
		w.part = nil
	}
}

// maxPartLine is how much of a line waits for its end.
const maxPartLine = 16 << 10

type wholeLines struct {
	to   io.Writer
	part []byte
}

// Write is called by one goroutine.
func (w *wholeLines) Write(b []byte) (int, error) {
	w.part = append(w.part, b...)
	end := bytes.LastIndexByte(w.part, '\n') + 1
	if end == 0 && len(w.part) > maxPartLine {
		end = len(w.part)
	}
	if end > 0 {
		_, _ = w.to.Write(w.part[:end])
		w.part = append(w.part[:0], w.part[end:]...)
	}
	return len(b), nil
}
