package proxy

import (
	"bytes"
	"slices"
	"sync"
)

// memberAppDataRef is the member of a text JSON, and the argument of tomtom-get-app-data, by which a widget asks for
// app data that its host dropped on the way.
const memberAppDataRef = "app_data_ref"

// recent keeps the app data of the last results, each under a reference that cannot be guessed. It is for one person's
// gateway. A nil *recent keeps nothing. It is safe for concurrent use.
type recent struct {
	mu   sync.Mutex
	most int
	kept []recentData // oldest first
}

type recentData struct {
	ref    string
	packed []byte // app data: base64 of gzip
}

// newRecent keeps the app data of so many results; nil for none.
func newRecent(most int) *recent {
	if most <= 0 {
		return nil
	}
	return &recent{most: most}
}

// newRef returns a reference for a result that may be kept; "" where nothing is.
func (r *recent) newRef() string {
	if r == nil {
		return ""
	}
	return newNonce()
}

// keep stores a copy of packed under ref in place of the oldest.
func (r *recent) keep(ref string, packed []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) == r.most {
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	r.kept = append(r.kept, recentData{ref, bytes.Clone(packed)})
}

// find returns what is kept under ref. The bytes are not to be changed.
func (r *recent) find(ref string) (packed []byte, ok bool) {
	if r == nil {
		return nil, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.kept, func(d recentData) bool { return d.ref == ref })
	if i < 0 {
		return nil, false
	}
	return r.kept[i].packed, true
}
