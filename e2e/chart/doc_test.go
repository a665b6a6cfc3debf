// Package chart_test holds the chart and the container image against what they promise: what Helm renders, what a real API server
// makes of it, and how the processes behave that it describes.
package chart_test

import (
	"os"
	"path/filepath"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// chartDir is the chart's folder.
func chartDir() string { return filepath.Join(testkit.ModuleRoot(), "helm") }

// readFile returns a file below the module's root.
func readFile(tb testing.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(testkit.ModuleRoot(), path))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
