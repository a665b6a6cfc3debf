package fitter

import (
	"bytes"
	"slices"
)

// shortIDs holds what replaces the random ids of a document.
type shortIDs struct {
	ready  bool
	buf    []byte // the replacements, quoted, one after the other
	spans  []span // by edit: in buf, empty where the id stays
	table  []int32
	shared []bool   // by edit: the same string stands elsewhere too
	short  []uint32 // short strings of the document that could be taken for a replacement
	taken  []bool
}

// shortID returns the quoted string that replaces the id of an edit, nil where it stays as it is.
func (w *workspace) shortID(at int) []byte {
	if !w.ids.ready {
		w.prepareIDs()
	}
	s := w.ids.spans[at]
	if s.start == s.end {
		return nil
	}
	return w.ids.buf[s.start:s.end]
}

// prepareIDs gives each random id a short one: numbers to base 36 in the order of the document, less those that are
// strings of the document already. An id that stands anywhere else as a string or a name, and so may be referred to, is left as
// it is, and so is one that would not become shorter.
func (w *workspace) prepareIDs() {
	ids := &w.ids
	n := len(w.doc.edits)
	ids.ready = true
	ids.buf = ids.buf[:0]
	ids.spans = resized(ids.spans, n)
	ids.shared = resized(ids.shared, n)
	ids.short = ids.short[:0]
	size := 64
	for size < 2*n {
		size *= 2
	}
	ids.table = resized(ids.table, size)
	count := 0
	for i := range w.doc.edits {
		if w.doc.edits[i].kind == editID {
			w.enterID(i)
			count++
		}
	}
	w.findStrings()
	limit := count + len(ids.short) + 1
	ids.taken = resized(ids.taken, limit)
	for _, v := range ids.short {
		if int(v) < limit {
			ids.taken[v] = true
		}
	}
	next := 0
	for i := range w.doc.edits {
		e := &w.doc.edits[i]
		if e.kind != editID || ids.shared[i] {
			continue
		}
		for ids.taken[next] {
			next++
		}
		start := len(ids.buf)
		ids.buf = appendShort(ids.buf, next)
		if len(ids.buf)-start >= int(e.end-e.start) {
			ids.buf = ids.buf[:start]
			continue
		}
		next++
		ids.spans[i] = span{int32(start), int32(len(ids.buf))}
	}
}

// resized returns s with n zero elements, its memory reused.
func resized[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (w *workspace) idText(at int) []byte {
	e := &w.doc.edits[at]
	return w.doc.text[e.start:e.end]
}

// slotOf returns where a quoted string stands in the table, or the free place where it would.
func (w *workspace) slotOf(quoted []byte) int {
	hash := uint32(2166136261) // FNV-1a
	for _, c := range quoted {
		hash = (hash ^ uint32(c)) * 16777619
	}
	mask := len(w.ids.table) - 1
	at := int(hash) & mask
	for w.ids.table[at] != 0 && !bytes.Equal(w.idText(int(w.ids.table[at]-1)), quoted) {
		at = (at + 1) & mask
	}
	return at
}

func (w *workspace) enterID(at int) {
	slot := w.slotOf(w.idText(at))
	if first := w.ids.table[slot]; first != 0 {
		w.ids.shared[first-1], w.ids.shared[at] = true, true
		return
	}
	w.ids.table[slot] = int32(at + 1)
}

// findStrings looks at every string of the document, names included: is it one of the ids, standing elsewhere, or a
// short one that a replacement must not repeat?
func (w *workspace) findStrings() {
	text := w.doc.text
	for at := 0; ; {
		open := bytes.IndexByte(text[at:], '"')
		if open < 0 {
			return
		}
		start := at + open
		end := start + 1
		for text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end++
		at = end
		quoted := text[start:end]
		if v, ok := parseShort(quoted[1 : len(quoted)-1]); ok {
			w.ids.short = append(w.ids.short, v)
		}
		if first := w.ids.table[w.slotOf(quoted)]; first != 0 && int(w.doc.edits[first-1].start) != start {
			w.ids.shared[first-1] = true
		}
	}
}

const shortDigits = "0123456789abcdefghijklmnopqrstuvwxyz"

func appendShort(dst []byte, v int) []byte {
	dst = append(dst, '"')
	start := len(dst)
	for {
		dst = append(dst, shortDigits[v%36])
		if v /= 36; v == 0 {
			break
		}
	}
	slices.Reverse(dst[start:])
	return append(dst, '"')
}

// parseShort is the way back from appendShort, for what could come from it.
func parseShort(b []byte) (uint32, bool) {
	if len(b) == 0 || len(b) > 6 || (b[0] == '0' && len(b) > 1) {
		return 0, false
	}
	v := uint32(0)
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			v = v*36 + uint32(c-'0')
		case c >= 'a' && c <= 'z':
			v = v*36 + uint32(c-'a') + 10
		default:
			return 0, false
		}
	}
	return v, true
}

// canShed reports whether shed s, taken times times so far, can take more from the document.
func (w *workspace) canShed(s, times int) bool {
	action := w.table.plan.Sheds[s].Action
	for i := range w.doc.edits {
		e := &w.doc.edits[i]
		switch {
		case action == Remove && e.kind == editCut:
			if times == 0 && int(w.doc.cuts[e.of].shed) == s {
				return true
			}
		case action == Halve && e.kind == editThin:
			t := w.doc.thins[e.of]
			if int(t.shed) == s && keepThin(t, times) != keepThin(t, times+1) {
				return true
			}
		case action == ShortenIDs && e.kind == editID:
			if times == 0 && int(e.of) == s {
				return true
			}
		}
	}
	return false
}
