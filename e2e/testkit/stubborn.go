package testkit

import (
	"os/signal"
	"sync/atomic"
	"syscall"
	"testing"
)

// beStubborn has this process ignore what would end it politely.
func beStubborn() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	stubborn.Store(true)
}

// stubborn says that the end of the input is no reason to end.
var stubborn atomic.Bool

// AwaitGone returns when there is no process with the id any more.
func AwaitGone(tb testing.TB, what string, pid int) {
	tb.Helper()
	Eventually(tb, what+" is gone", func() bool { return !alive(pid) })
}

// alive reports whether a process runs. One that has ended and that nobody has waited for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	return processState(pid) != "Z"
}
