package main

import (
	stdlog "log"
	"log/slog"
	"strings"
)

// adoptLibraryLog brings what libraries write with the standard library's log, which goes to standard error beside the
// lines of ours, into log. There is one such log for a process.
func adoptLibraryLog(log *slog.Logger) {
	stdlog.SetFlags(0)
	stdlog.SetOutput(libraryLog{log})
}

type libraryLog struct{ log *slog.Logger }

// Write takes one line. net/http quotes what a server sent unasked, which may be a piece of a text or of map data: that
// is left out.
func (l libraryLog) Write(line []byte) (int, error) {
	text, _, _ := strings.Cut(string(line), " starting with ")
	l.log.Warn("from a library", slog.String("reason", strings.TrimSpace(text)))
	return len(line), nil
}
