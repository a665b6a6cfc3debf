package upstream

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// cacheTTL is how long the server keeps what a widget may fetch.
const cacheTTL = 300 * time.Second

// cache holds app data by handle: in this process only, for anyone who has the handle, to be read any number of times.
type cache struct {
	now     func() time.Time
	mu      sync.Mutex
	entries map[string]cacheEntry
}

type cacheEntry struct {
	escaped []byte // shared with the document it came from; never changed
	expires time.Time
}

// put keeps the app data (the inside of a JSON string) and returns its handle, which is random: two replicas with the
// same seed never know each other's handles.
func (c *cache) put(escaped []byte) string {
	handle := newUUID()
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[string]cacheEntry{}
	}
	for h, e := range c.entries {
		if !now.Before(e.expires) {
			delete(c.entries, h)
		}
	}
	c.entries[handle] = cacheEntry{escaped, now.Add(cacheTTL)}
	return handle
}

func (c *cache) get(handle string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[handle]
	if !ok || !c.now().Before(e.expires) {
		return nil, false
	}
	return e.escaped, true
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// memo keeps computed documents, so that a repeated question is answered from memory. Bounded: the oldest goes first.
type memo struct {
	mu      sync.Mutex
	entries map[string]*memoEntry
	order   []string
}

type memoEntry struct {
	once sync.Once
	doc  *document
	err  error
}

const memoEntries = 64

// get returns the document for a question, computed once however many ask at the same time.
func (m *memo) get(question string, compute func() (*document, error)) (*document, error) {
	m.mu.Lock()
	e := m.entries[question]
	if e == nil {
		if m.entries == nil {
			m.entries = map[string]*memoEntry{}
		}
		if len(m.order) == memoEntries {
			delete(m.entries, m.order[0])
			m.order = m.order[1:]
		}
		e = &memoEntry{}
		m.entries[question] = e
		m.order = append(m.order, question)
	}
	m.mu.Unlock()
	e.once.Do(func() { e.doc, e.err = compute() })
	return e.doc, e.err
}
