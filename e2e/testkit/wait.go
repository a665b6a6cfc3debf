package testkit

import (
	"testing"
	"time"
)

// Patience is how long a test waits for something that should happen at once, on a busy machine.
const Patience = 20 * time.Second

// Eventually returns when condition is true, and ends the test when it does not become so within Patience.
func Eventually(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for !condition() {
		select {
		case <-deadline.C:
			tb.Fatalf("%s: not within %v", what, Patience)
		case <-poll.C:
		}
	}
}

// Receive returns the next value of c, and ends the test when none comes within Patience.
func Receive[T any](tb testing.TB, what string, c <-chan T) T {
	tb.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	select {
	case v := <-c:
		return v
	case <-deadline.C:
		tb.Fatalf("%s: not within %v", what, Patience)
	}
	panic("unreachable")
}
