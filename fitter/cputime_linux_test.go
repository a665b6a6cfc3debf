package fitter_test

import (
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// threadTime is the processor time that the calling thread has used. Callers lock themselves to it. It is not from
// getrusage, which counts in ticks on some machines.
func threadTime(tb testing.TB) time.Duration {
	tb.Helper()
	const ofThread = 3 // CLOCK_THREAD_CPUTIME_ID, which package syscall does not name
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, ofThread, uintptr(unsafe.Pointer(&t)), 0); errno != 0 { //nolint:gosec // as the call wants it
		tb.Fatal(errno)
	}
	return time.Duration(t.Nano())
}
