package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"tomtom-mcp-gateway/config"
)

func TestMemoryDoubts(t *testing.T) {
	for _, tt := range []struct{ held, limit, warnings int64 }{
		{256 << 20, 0, 0}, {256 << 20, 512 << 20, 0}, {256 << 20, 320 << 20, 0}, {256 << 20, 319 << 20, 1}, {256 << 20, 1 << 20, 1},
	} {
		if got := memoryDoubts(config.Bounds{MaxBufferedBytes: tt.held}, tt.limit); len(got) != int(tt.warnings) {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestLimitsOfTheContainer: what the environment says of memory and processors counts, and what does not go together is
// said at the start.
func TestLimitsOfTheContainer(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gateway := exec.CommandContext(t.Context(), self)
	gateway.Env = []string{
		asGateway + "=1", upstreamSet, "GATEWAY_LISTEN=127.0.0.1:0", "GATEWAY_ADMIN_LISTEN=127.0.0.1:0",
		"GOMEMLIMIT=300MiB", "GOMAXPROCS=3",
	}
	log := newLogged()
	gateway.Stderr = log
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- gateway.Wait()
		log.end()
	}()
	if doubt := log.await(t, "doubtful configuration"); doubt["variable"] != "GATEWAY_MAX_BUFFERED_BYTES" {
		t.Errorf("doubted is %v", doubt)
	}
	if first := log.await(t, "serving"); first["memory_limit_bytes"] != float64(300<<20) || first["processors"] != 3.0 {
		t.Errorf("the first line says %v", first)
	}
	if err := gateway.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
