// Package load puts many hosts before the built gateway at once and looks at what they get, and at what the gateway holds
// meanwhile: memory, goroutines, descriptors. How fast it is the benchmarks say; figures are in docs/benchmarks.md.
//
// A few seconds of it run everywhere; make load and make soak set the variable that asks for the rest.
package load

import (
	"os"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/load/traffic"
)

func TestMain(m *testing.M) { traffic.Main(m) }

// soakVariable is how long TestSoak lasts, such as 10m. Tests that need more than a few seconds run where it is set.
const soakVariable = "E2E_SOAK"

// soakTime skips the test where nobody asked for it.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(soakVariable)
	if text == "" {
		t.Skip("make load and make soak run it")
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", soakVariable, err)
	}
	return d
}

func mix(tb testing.TB, names ...string) []*traffic.Kind {
	tb.Helper()
	kinds, err := traffic.Kinds()
	if len(names) > 0 {
		kinds, err = traffic.Named(names...)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return kinds
}

const megabyte = 1 << 20
