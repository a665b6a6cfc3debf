package preview

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"tomtom-mcp-gateway/fitter"
)

// call is one call of a tool with the upstream's answer to it.
type call struct {
	id        string
	tool      string
	arguments json.RawMessage
	started   time.Time
	took      time.Duration

	request string // id of the JSON-RPC request
	body    []byte // the request
	session *session
	tape    *tape

	once  sync.Once
	lines [][]fitter.Position // of the untouched document, once asked for; nil where it has none
}

// callEntry is a call as the page lists it.
type callEntry struct {
	ID         string          `json:"id"`
	Tool       string          `json:"tool"`
	Arguments  json.RawMessage `json:"arguments"`
	Started    time.Time       `json:"started"`
	DurationMS float64         `json:"duration_ms"`
}

func (c *call) entry() callEntry {
	return callEntry{c.id, c.tool, c.arguments, c.started.UTC(), float64(c.took.Microseconds()) / 1000}
}

// size is what the call takes in memory: its answer, and as much again for the lines that are read from it.
func (c *call) size() int64 { return int64(len(c.body)+len(c.arguments)) + 2*c.tape.size() }

// history keeps the last calls, within a number and a size. It is safe for concurrent use.
type history struct {
	mostCalls int
	mostBytes int64

	mu    sync.Mutex
	calls []*call // oldest first
	bytes int64
}

func newHistory(mostCalls int, mostBytes int64) *history {
	return &history{mostCalls: mostCalls, mostBytes: mostBytes}
}

// add keeps a call in place of the oldest ones. One that is larger than all may be is not kept.
func (h *history) add(c *call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	size := c.size()
	if size > h.mostBytes {
		return
	}
	for len(h.calls) > 0 && (len(h.calls) >= h.mostCalls || h.bytes+size > h.mostBytes) {
		h.bytes -= h.calls[0].size()
		h.calls = slices.Delete(h.calls, 0, 1)
	}
	h.calls = append(h.calls, c)
	h.bytes += size
}

func (h *history) find(id string) (*call, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.calls, func(c *call) bool { return c.id == id })
	if i < 0 {
		return nil, false
	}
	return h.calls[i], true
}

// list is a copy, newest first.
func (h *history) list() []*call {
	h.mu.Lock()
	defer h.mu.Unlock()
	calls := slices.Clone(h.calls)
	slices.Reverse(calls)
	return calls
}
