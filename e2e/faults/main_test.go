// Package faults breaks what is between the gateway and its upstream, one way at a time, and looks at what the host got:
// the agent's text, or one clear error. It writes what it sees into docs/faults.md.
package faults

import (
	"flag"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

//go:generate go test -run ^TestFaults$ -count 1 . -update

var update = flag.Bool("update", false, "write docs/faults.md anew")

func TestMain(m *testing.M) { testkit.Main(m) }
