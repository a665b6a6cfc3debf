package faults

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// seen is what came of one fault.
type seen struct {
	host    string // what it got
	calls   int    // of the tool, that the upstream ran
	log     string // status and reason of the call's line
	metrics string // the counters that say so
}

// TestFaults lets each fault meet the call and then the redemption, over every shape, and holds what the host got, how
// often the upstream ran the tool, and what the log and the metrics say against the list and against docs/faults.md.
func TestFaults(t *testing.T) {
	tables := map[string]*table{callTool: newTable(), redeemTool: newTable()}
	t.Run("each", func(t *testing.T) {
		for _, s := range shapes {
			t.Run(s.String(), func(t *testing.T) {
				t.Parallel()
				common := start(t, s)
				var slow sync.WaitGroup
				defer slow.Wait()
				for _, f := range list {
					for _, tool := range []string{callTool, redeemTool} {
						if !f.meets(tool) {
							continue
						}
						run := func() {
							t.Run(f.name+"/"+map[string]string{callTool: "call", redeemTool: "redemption"}[tool], func(t *testing.T) {
								at := common
								if f.env != nil {
									at = start(t, s, f.env...)
								}
								tables[tool].add(f, s, at.meet(t, f, tool))
							})
						}
						if f.slow {
							slow.Go(run)
							continue
						}
						run()
					}
				}
			})
		}
	})
	if t.Failed() || tables[callTool].incomplete(callTool) || tables[redeemTool].incomplete(redeemTool) {
		return
	}
	checkDocument(t, tables[callTool], tables[redeemTool])
}

// TestFaultsOfANewerServer lets them meet what is between the gateway and a server of 2026-07-28: hosts of either era get
// the same of it.
func TestFaultsOfANewerServer(t *testing.T) {
	for _, s := range []shape{{stream: true, newer: true}, {stream: true, newer: true, modern: true}} {
		t.Run(s.String(), func(t *testing.T) {
			common := start(t, s)
			for _, f := range list {
				for _, tool := range []string{callTool, redeemTool} {
					if f.meets(tool) && f.env == nil {
						t.Run(f.name+"/"+tool, func(t *testing.T) { common.meet(t, f, tool) })
					}
				}
			}
		})
	}
}

// meet lets the fault meet the host's call, or its redemption, and then sees that the next call is as if nothing had been.
func (s site) meet(t *testing.T, f *fault, tool string) seen {
	t.Helper()
	s.up.Forget()
	before, lines := s.counters(t), len(s.toolCalls(t))
	s.in.arm(f, tool)
	var got received
	if f.down {
		s.in.down(func() { got = s.call(t) })
	} else {
		got = s.call(t)
	}
	testkit.Eventually(t, "the log line", func() bool { return len(s.toolCalls(t)) > lines })
	line := s.toolCalls(t)[lines]
	out := seen{
		host: got.says(t, s.in.gave()), calls: s.up.Calls(callTool),
		log: fmt.Sprintf("`%v`", line["status"]), metrics: s.counters(t).since(before),
	}
	if line["reason"] != "" {
		out.log += fmt.Sprintf(", `%v`", line["reason"])
	}
	if want := f.wanted(tool, s.shape); out.host != want {
		t.Errorf("the host got %s\nwant %s", out.host, want)
	}
	s.never(t, f, tool)
	s.in.arm(nil, "")
	if after := s.call(t).says(t, nil); after != theText {
		t.Errorf("the next call got %s", after)
	}
	if n := len(s.toolCalls(t)); n != lines+2 {
		t.Errorf("%d lines in the log for two calls", n-lines)
	}
	return out
}

// meets reports whether there is such a fault of the call or of the redemption alone.
func (f *fault) meets(tool string) bool {
	if tool == redeemTool {
		return !f.down // then nobody listens to the call either
	}
	return !f.redeemed
}

// wanted is what the host has to get.
func (f *fault) wanted(tool string, s shape) string {
	call, reason := f.call, f.reason
	if !s.stream && f.whole != "" {
		call = f.whole
	}
	if !s.stream && f.wholeReason != "" {
		reason = f.wholeReason
	}
	switch {
	case tool == callTool:
		return call
	case reason == "", f.wholeMap && !s.stream:
		return theText
	}
	return "the text, status `unavailable`"
}

// never fails the test where a call was sent twice, or a redemption more often than twice.
func (s site) never(t *testing.T, f *fault, tool string) {
	t.Helper()
	want := 1
	if f.down {
		want = 0
	}
	if n := s.in.came(callTool); n != want {
		t.Errorf("the call was sent %d times", n)
	}
	if f.unread && tool == callTool {
		want = 0
	}
	if n := s.up.Calls(callTool); n != want {
		t.Errorf("the upstream ran the tool %d times", n)
	}
	if n := s.in.came(redeemTool); n > 2 || tool == redeemTool && n == 0 {
		t.Errorf("%d redemptions", n)
	}
}

// toolCalls are the log's lines about calls.
func (s site) toolCalls(t *testing.T) []map[string]any {
	t.Helper()
	return s.LogLines(t, map[string]any{"msg": "tool call", "tool": callTool})
}

// counters are the values of the counters that tell what went wrong, by name and labels.
type counters map[string]string

// told are the names that docs/faults.md speaks of.
var told = []string{"gateway_upstream_errors_total", "gateway_app_data_missing_total", "gateway_redemption_retries_total"}

func (s site) counters(t *testing.T) counters {
	t.Helper()
	c := counters{}
	for line := range strings.Lines(s.AdminText(t, "/metrics")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if !strings.Contains(name, "{") {
			name, value, _ = strings.Cut(strings.TrimSpace(line), " ")
		} else {
			name += "}"
		}
		if slices.ContainsFunc(told, func(known string) bool { return name == known || strings.HasPrefix(name, known+"{") }) {
			c[name] = value
		}
	}
	return c
}

// since names the counters that have changed.
func (c counters) since(before counters) string {
	var changed []string
	for name, value := range c {
		if was, ok := before[name]; value != was && (ok || value != "0") {
			changed = append(changed, "`"+strings.NewReplacer(`,tool="tomtom-routing"`, "", "gateway_", "").Replace(name)+"`")
		}
	}
	slices.Sort(changed)
	return strings.Join(changed, ", ")
}

// table collects what was seen, by fault and shape.
type table struct {
	mu   sync.Mutex
	rows map[string]map[shape]seen
}

func newTable() *table { return &table{rows: map[string]map[shape]seen{}} }

func (tb *table) add(f *fault, s shape, out seen) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if tb.rows[f.name] == nil {
		tb.rows[f.name] = map[shape]seen{}
	}
	tb.rows[f.name][s] = out
}

// incomplete is true where only some of the tests ran.
func (tb *table) incomplete(tool string) bool {
	for _, f := range list {
		if f.meets(tool) && len(tb.rows[f.name]) < len(shapes) {
			return true
		}
	}
	return false
}
