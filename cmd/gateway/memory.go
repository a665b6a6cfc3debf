package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"tomtom-mcp-gateway/config"
)

// besides is the memory that a process needs beside what it holds for requests and results.
const besides = 64 << 20

// boundMemory tells Go's collector how much memory the container may use, less a tenth for what is not Go's, unless
// GOMEMLIMIT does. Processors need nothing of the kind: since Go 1.25, GOMAXPROCS follows the cgroup by itself.
func boundMemory(log *slog.Logger) {
	if _, err := memlimit.Set(); err != nil && !errors.Is(err, memlimit.ErrCgroupsNotSupported) && !errors.Is(err, memlimit.ErrNoCgroup) {
		log.Warn("the container's memory limit was not found", slog.Any("err", err))
	}
}

// memoryLimit returns the collector's limit in bytes; 0: there is none.
func memoryLimit() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit
	}
	return 0
}

// memoryDoubts warns about bounds that the memory is too small for.
func memoryDoubts(c config.Bounds, limit int64) []config.Warning {
	if limit == 0 || c.MaxBufferedBytes <= limit-besides {
		return nil
	}
	return []config.Warning{{
		Variable: "GATEWAY_MAX_BUFFERED_BYTES",
		Text:     fmt.Sprintf("is too much for a memory limit of %d MiB: under load the process may be killed", limit>>20),
	}}
}
