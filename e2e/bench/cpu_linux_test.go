package bench

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time that a process and its threads have used, to the nanosecond: its CPU-time clock, whose
// id clock_getcpuclockid(3) makes of the process id.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	const scheduled = 2 // CPUCLOCK_SCHED: user and system time as the scheduler counts it
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		b.Fatalf("processor time of process %d: %v", pid, err)
	}
	return time.Duration(t.Nano())
}
