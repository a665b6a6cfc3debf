package fitter_test

import (
	"syscall"
	"testing"
	"time"
)

// threadTime is the processor time that the calling thread has used. Callers lock themselves to it.
func threadTime(tb testing.TB) time.Duration {
	tb.Helper()
	const ofThread = 1 // RUSAGE_THREAD, which package syscall does not name
	var u syscall.Rusage
	if err := syscall.Getrusage(ofThread, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
