package main

import (
	"errors"

	"tomtom-mcp-gateway/config"
)

// exitCode tells mistakes that the caller can mend before anything runs from failures while running.
func exitCode(err error) int {
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
		return exitUsage
	}
	if ended, ok := errors.AsType[*endedError](err); ok {
		return ended.code
	}
	return exitFailed
}
