package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

func versionCommand() command {
	return command{
		name:    "version",
		summary: "print the version",
		help:    "Prints the gateway's version, the Go version it was built with, and the platform.\n",
		bind: func(*flag.FlagSet) func(context.Context, invocation) error {
			return func(_ context.Context, inv invocation) error {
				return write(inv.out, fmt.Sprintf("gateway %s (%s, %s/%s)\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
			}
		},
	}
}

// buildVersion is the linked version, else the module's or the commit's, else "unknown".
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "unknown"
}
