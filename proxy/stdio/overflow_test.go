package stdio

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// stuck is a destination that takes nothing before it is released.
type stuck struct {
	release chan struct{}
	mu      sync.Mutex
	got     strings.Builder
}

func (s *stuck) Write(b []byte) (int, error) {
	<-s.release
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got.Write(b)
}

// TestOverflowNeverWaits: what the destination does not take is kept up to the bound, in order, and then lost, which is
// said once.
func TestOverflowNeverWaits(t *testing.T) {
	dst := &stuck{release: make(chan struct{})}
	o := NewOverflow(dst, 1000)
	for i := range 1000 {
		if n, err := fmt.Fprintf(o, "line %03d\n", i); n != 9 || err != nil {
			t.Fatal(n, err)
		}
	}
	o.Flush(time.Millisecond) // nobody reads, so this ends by its own time
	close(dst.release)
	o.Flush(patience)
	lines := strings.SplitAfter(dst.got.String(), "\n")
	kept := len(lines) - 2
	if kept != 111 || lines[0] != "line 000\n" || lines[110] != "line 110\n" || lines[111] != "gateway: 889 lines were lost here: nobody read fast enough\n" {
		t.Errorf("%d lines: %q", kept, lines)
	}
	_, _ = io.WriteString(o, "after\n")
	o.Flush(patience)
	if got := dst.got.String(); !strings.HasSuffix(got, "enough\nafter\n") {
		t.Errorf("%q", got[len(got)-80:])
	}
}

// TestOverflowWritesWholeLines: what several write in pieces comes out line by line.
func TestOverflowWritesWholeLines(t *testing.T) {
	dst := &stuck{release: make(chan struct{})}
	close(dst.release)
	o := NewOverflow(dst, 1<<20)
	var running sync.WaitGroup
	for _, c := range []string{"a", "b", "c"} {
		running.Go(func() {
			w := o.Lines()
			for range 500 {
				_, _ = io.WriteString(w, strings.Repeat(c, 7))
				_, _ = io.WriteString(w, strings.Repeat(c, 3)+"\n"+c)
			}
			w.(*wholeLines).Flush()
		})
	}
	running.Wait()
	o.Flush(patience)
	for line := range strings.Lines(dst.got.String()) {
		if trimmed := strings.Trim(line, line[:1]); trimmed != "\n" {
			t.Fatalf("%q", line)
		}
	}
	w := o.Lines()
	_, _ = io.WriteString(w, strings.Repeat("x", maxPartLine+1))
	o.Flush(patience)
	if !strings.HasSuffix(dst.got.String(), "xxx") {
		t.Error("a line without an end is held for ever")
	}
}
