package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// followEvery is how long a file that was looked at counts as unchanged.
const followEvery = time.Second

// followed is what files hold, read again after they have changed. It is asked when somebody needs it, so that nothing
// runs for it, and only the file's times and sizes are looked at: Kubernetes replaces a mounted Secret as a whole.
type followed[T any] struct {
	files []string
	read  func() (T, error)
	log   *slog.Logger
	clock func() time.Time

	mu     sync.Mutex
	value  T
	stamp  string // of the files when they were last read
	looked time.Time
}

// follow reads files by read, for the first time now: only then is what is wrong with them an error. Later what was
// good stays until there is something better, and the log says so.
func follow[T any](log *slog.Logger, read func() (T, error), files ...string) (*followed[T], error) {
	f := &followed[T]{files: files, read: read, log: log, clock: time.Now}
	f.looked, f.stamp = f.clock(), f.stampNow()
	var err error
	f.value, err = read()
	return f, err
}

// now returns what the files hold.
func (f *followed[T]) now() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.clock().Sub(f.looked) < followEvery {
		return f.value
	}
	f.looked = f.clock()
	stamp := f.stampNow()
	if stamp == f.stamp {
		return f.value
	}
	f.stamp = stamp // before reading: what changes meanwhile is seen the next time
	value, err := f.read()
	if err != nil {
		f.log.Error("a file that changed cannot be used", slog.Any("files", f.files), slog.Any("err", err))
		return f.value
	}
	f.value = value
	f.log.Info("a file that changed was read again", slog.Any("files", f.files))
	return f.value
}

// stampNow is the same for files that were not changed.
func (f *followed[T]) stampNow() string {
	var b strings.Builder
	for _, name := range f.files {
		info, err := os.Stat(name)
		if err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		fmt.Fprintln(&b, info.ModTime().UnixNano(), info.Size())
	}
	return b.String()
}
