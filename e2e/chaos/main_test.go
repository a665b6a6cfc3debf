// Package chaos kills gateways and upstreams while hosts call, and holds every answer against what may be: the caller's own
// and whole, or an error that the same question in a new call cures. No call may reach the upstreams twice.
package chaos

import (
	"testing"

	"tomtom-mcp-gateway/e2e/load/traffic"
)

func TestMain(m *testing.M) { traffic.Main(m) }
