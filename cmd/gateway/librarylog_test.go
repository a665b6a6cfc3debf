package main

import (
	stdlog "log"
	"log/slog"
	"strings"
	"testing"
)

func TestLibraryLog(t *testing.T) {
	flags, output := stdlog.Flags(), stdlog.Writer()
	t.Cleanup(func() {
		stdlog.SetFlags(flags)
		stdlog.SetOutput(output)
	})
	var got strings.Builder
	adoptLibraryLog(slog.New(slog.NewJSONHandler(&got, nil)))
	stdlog.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "secret\ntext", nil)
	stdlog.Print("something else")
	lines := strings.Split(strings.TrimSpace(got.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "Unsolicited response") || !strings.Contains(lines[1], "something else") ||
		strings.Contains(got.String(), "secret") {
		t.Errorf("log %s", got.String())
	}
}
