package traffic

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// Ledger is what reached any number of upstream processes, in a file, so that it outlives those that are killed. A line
// is written before its call is answered.
type Ledger struct {
	path      string
	processes atomic.Int64
}

// What a line of a ledger says.
const (
	noteCall       = "call"
	noteRedemption = "redemption"
	noteMiss       = "miss"     // a handle of another process
	noteStranger   = "stranger" // a handle that was given to another caller
)

// NewLedger returns an empty ledger.
func NewLedger(tb testing.TB) *Ledger {
	tb.Helper()
	l := &Ledger{path: filepath.Join(tb.TempDir(), "ledger")}
	if err := os.WriteFile(l.path, nil, 0o600); err != nil {
		tb.Fatal(err)
	}
	return l
}

// Entries is what a ledger holds.
type Entries struct {
	Calls       map[Number]int // how often each call reached an upstream
	Redemptions map[Number]int
	Misses      int // redemptions that reached a process that did not give the handle out
	Strangers   int // redemptions with the credential of somebody else
}

// Read returns what was written so far.
func (l *Ledger) Read(tb testing.TB) Entries {
	tb.Helper()
	text, err := os.ReadFile(l.path)
	if err != nil {
		tb.Fatal(err)
	}
	e := Entries{Calls: map[Number]int{}, Redemptions: map[Number]int{}}
	for line := range strings.Lines(string(text)) {
		what, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseUint(name, 10, 64)
		if err != nil {
			tb.Fatalf("ledger: %v", err)
		}
		switch what {
		case noteCall:
			e.Calls[Number(n)]++
		case noteRedemption:
			e.Redemptions[Number(n)]++
		case noteMiss:
			e.Misses++
		case noteStranger:
			e.Strangers++
		}
	}
	return e
}

// CheckOnce fails the test where a call reached the upstreams more than once, a redemption came from somebody else, or,
// unless processes were killed, one missed its process.
func (e Entries) CheckOnce(tb testing.TB, killed bool) {
	tb.Helper()
	for n, times := range e.Calls {
		if times != 1 {
			tb.Errorf("call %d reached the upstreams %d times", n, times)
		}
	}
	for n, times := range e.Redemptions {
		if times > 2 || times > 1 && !killed {
			tb.Errorf("the handle of call %d was redeemed %d times", n, times)
		}
	}
	if e.Strangers > 0 {
		tb.Errorf("%d redemptions came with the credential of another caller", e.Strangers)
	}
	if e.Misses > 0 && !killed {
		tb.Errorf("%d redemptions reached another process than their call", e.Misses)
	}
}
