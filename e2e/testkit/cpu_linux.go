package testkit

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime is the processor time that a process and its threads have used, to the nanosecond: its CPU-time clock, whose
// id clock_getcpuclockid(3) makes of the process id. 0 where the system does not tell.
func CPUTime(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	const scheduled = 2 // CPUCLOCK_SCHED: user and system time as the scheduler counts it
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		tb.Fatalf("processor time of process %d: %v", pid, err)
	}
	return time.Duration(t.Nano())
}
