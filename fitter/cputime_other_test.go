//go:build !linux

package fitter_test

import (
	"testing"
	"time"
)

var benchBegan = time.Now()

// threadTime is the time on the clock, where the processor time of a thread is not to be had.
func threadTime(tb testing.TB) time.Duration {
	tb.Helper()
	return time.Since(benchBegan)
}
