package fitter

import (
	"cmp"
	"math"
	"slices"
)

// Not every size has a tolerance: all vertices of an even zigzag go at one, and a line that is long enough to be compressed
// apart takes more at once. What the search leaves of the budget is filled with vertices that need not stay: first
// one in each chord, those of the worst chords before the others, then single ones. None makes the error larger.

const (
	roundsAtMost   = 32      // in which all chords are divided
	looksAtSingles = 2 << 20 // vertices looked at to find single ones that hold
)

// split is a vertex, or two neighbours, that may be kept too.
type split struct {
	line          int32
	vertex, count int32
	squared       float64 // the largest distance from the chord that it divides
	price         int32   // as for a position, of what it adds
}

// topUp is an attempt that vertices are added to. Its gzip member is in w.found, its vertices are in w.base.
type topUp struct {
	*search
	best   attempt
	offers int // documents that may still be made
	looks  int // vertices that may still be looked at
	each   int // about how many bits a vertex adds
}

// documents is how many documents like the one just made are so much text, between some and many.
func (s *search) documents(text, least, most int) int {
	return min(max(text/(len(s.w.rest)+len(s.w.coords)+1), least), most)
}

// filled reports whether so many bytes of gzip are 99.5 % of the budget or more, in characters.
func (s *search) filled(bytes int) bool { return 4*(s.limit-bytes)+9 <= s.limit/50 }

// toppedUp adds vertices to an attempt, just made, that leaves too much of the budget. One that does not draw nearer than what there is already
// will not be taken anyway.
func (s *search) toppedUp(a attempt) attempt {
	w := s.w
	if !a.fits || len(w.kept) == s.total || s.filled(a.bytes) || a.errorM >= s.beatM {
		return a
	}
	lines, rest := w.lineBits, w.restBits
	w.packed, w.found = w.found, w.packed
	w.base = append(w.base[:0], w.kept...)
	w.closed = resized(w.closed, len(w.doc.lines))
	t := topUp{search: s, best: a, offers: s.documents(4<<20, 10, 40), each: bitsOfPosition + 7*(s.g.decimals-metreGrid.decimals)}
	for range roundsAtMost {
		if !t.divide() {
			break
		}
	}
	if len(w.kept) > t.best.n { // divided, and no document made of it
		t.offer()
	}
	w.keepAlso(w.base, nil)
	for _, count := range []int32{1, 2, 1} {
		clear(w.closed)
		t.offers, t.looks = s.documents(1<<20, 2, 256), looksAtSingles
		for t.addSome(count) {
		}
	}
	w.packed, w.found = w.found, w.packed
	w.keepAlso(w.base, nil)
	w.lineBits, w.restBits = lines, rest
	return t.best
}

// offer makes the document with the vertices in w.kept. It is taken if it fits and the error is no larger.
func (t *topUp) offer() (bytes int, taken bool) {
	w := t.w
	t.offers--
	w.writeFitted(true)
	w.deflate(math.MaxInt)
	bytes = len(w.packed)
	if more := len(w.kept) - t.best.n; more > 0 {
		t.each = min(max((bytes-t.best.bytes)*8/more, 4), 400)
	}
	if bytes > t.limit {
		return bytes, false
	}
	errorM := w.measure(t.g)
	if errorM > t.best.errorM {
		return bytes, false
	}
	t.best.n, t.best.bytes, t.best.errorM = len(w.kept), bytes, errorM
	w.base = append(w.base[:0], w.kept...)
	w.packed, w.found = w.found, w.packed
	return bytes, true
}

// divide adds a vertex to each chord of w.kept, or to as many as there is room for. It answers whether to go on.
func (t *topUp) divide() bool {
	w := t.w
	want := (t.limit-t.best.bytes)*8/t.each - (len(w.kept) - t.best.n)
	if want < 1 || t.offers == 0 {
		return false
	}
	w.from = append(w.from[:0], w.kept...)
	if all := t.listSplits(want); all == 0 {
		return false
	} else if want >= 2*all { // not yet worth a document
		w.keepAlso(w.from, w.splits)
		return true
	}
	slices.SortFunc(w.splits, func(a, b split) int {
		return cmp.Or(-cmp.Compare(a.squared, b.squared), cmp.Compare(a.vertex, b.vertex))
	})
	low, high := 0, len(w.splits)+1
	lowBytes, highBytes := t.best.bytes, 0
	if len(w.from) > t.best.n {
		low = -1 // these are not known to fit either
	}
	for n := min(want, high-1); n > low && n < high && t.offers > 0; {
		w.some = append(w.some[:0], w.splits[:n]...)
		slices.SortFunc(w.some, func(a, b split) int { return cmp.Compare(a.vertex, b.vertex) })
		w.keepAlso(w.from, w.some)
		bytes, taken := t.offer()
		if taken {
			low, lowBytes = n, bytes
		} else {
			high, highBytes = n, bytes
		}
		switch {
		case t.filled(t.best.bytes):
			return false
		case highBytes > t.limit && low >= 0 && t.offers%2 == 0:
			n = low + (high-low)*(t.limit-lowBytes)/(highBytes-lowBytes)
		case highBytes > 0:
			n = low + (high-low)/2
		default:
			n += (t.limit - bytes) * 8 / t.each
		}
		n = min(max(n, low+1), high-1)
	}
	w.keepAlso(w.base, nil)
	if low < len(w.splits) && low >= 0 && high == low+1 && cliff(highBytes-lowBytes, t.each/8) {
		w.closed[w.splits[low].line] = true
		return true
	}
	return low == len(w.splits)
}

// cliff reports whether a vertex that should take so many bytes took so many more that it is not the vertex that does, but that its line
// is compressed apart with it.
func cliff(took, due int) bool { return took > 2*due+cliffBytes }

const cliffBytes = 40

// listSplits fills w.splits with one for each chord of w.kept that can be divided, and returns how many vertices these are. It is at
// the farthest one or, where so many are wanted that all chords will be divided more than once, in the middle. One vertex may
// make the error larger where two do not: on a zigzag a chord has to go from one side to the other.
func (t *topUp) listSplits(want int) int {
	w := t.w
	w.splits = w.splits[:0]
	halve := want >= 2*w.chordsToDivide()
	n := 0
	w.eachChord(func(ln, a, b int32) {
		if w.closed[ln] {
			return
		}
		far, squared := w.farthest(a, b)
		first, second := far, a+(b-a)/2
		if halve {
			first, second = second, first
		}
		for _, s := range [...]split{
			{vertex: first, count: 1},
			{vertex: second, count: 1},
			{vertex: first, count: 2},
			{vertex: first - 1, count: 2},
			{vertex: second, count: 2},
			{vertex: second - 1, count: 2},
		} {
			if s.line, s.squared = ln, squared; s.vertex > a && s.vertex+s.count <= b && t.holds(s) {
				w.splits = append(w.splits, s)
				n += int(s.count)
				return
			}
		}
	})
	return n
}

// eachChord calls f with the ends of each chord of w.kept that leaves vertices out, and their line.
func (w *workspace) eachChord(f func(ln, a, b int32)) {
	at := 0
	for i := range w.doc.lines {
		ln := &w.doc.lines[i]
		n := w.keptOf(ln, at)
		for k := at + 1; k < at+n; k++ {
			if w.kept[k]-w.kept[k-1] > 1 {
				f(int32(i), w.kept[k-1], w.kept[k])
			}
		}
		at += n
	}
}

func (w *workspace) chordsToDivide() int {
	n := 0
	w.eachChord(func(_, _, _ int32) { n++ })
	return n
}

// holds reports whether a split can be added to w.kept with no larger error than there is.
func (t *topUp) holds(s split) bool {
	w := t.w
	k, found := slices.BinarySearch(w.kept, s.vertex)
	if found || w.kept[k] < s.vertex+s.count {
		return false // another split had them
	}
	ln := &w.doc.lines[s.line]
	from, to := w.kept[k-1], w.kept[k]
	t.looks -= int(to - from)
	before := w.chord(from, s.vertex)
	if from > ln.first {
		before = w.chord(w.kept[k-2], from)
	}
	own := func(v int32, c, d *chord) float64 {
		x, y := w.doc.at[2*v], w.doc.at[2*v+1]
		return min(c.squared(x, y), d.squared(x, y))
	}
	worst := 0.0
	for v := from; v != to; {
		next := s.vertex
		if v == s.vertex+s.count-1 {
			next = to
		} else if v >= s.vertex {
			next = v + 1
		}
		c := w.chord(v, next)
		if c.far {
			return false
		}
		worst = max(worst, own(v, &before, &c), w.measureBetween(v, next, &c))
		before, v = c, next
	}
	after := before
	if to < ln.first+ln.count-1 {
		after = w.chord(to, w.kept[k+1])
	}
	return math.Sqrt(max(worst, own(to, &before, &after))) <= t.best.errorM
}

// keepAlso keeps vertices, and those of splits that are in the order of the lines.
func (w *workspace) keepAlso(base []int32, more []split) {
	w.kept = w.kept[:0]
	feature, start := int32(-1), 0
	for i := range w.doc.lines {
		ln := &w.doc.lines[i]
		if ln.feature != feature {
			feature, start = ln.feature, len(w.kept)
		}
		end := ln.first + ln.count
		for len(base) > 0 && base[0] < end {
			for len(more) > 0 && more[0].vertex < base[0] {
				for v := more[0].vertex; v < more[0].vertex+more[0].count; v++ {
					w.keep(v, start)
				}
				more = more[1:]
			}
			w.keep(base[0], start)
			base = base[1:]
		}
	}
}

// addSome adds single vertices, or two neighbours at once, the cheapest first. It answers whether another pass may find more.
func (t *topUp) addSome(count int32) bool {
	w := t.w
	if t.filled(t.best.bytes) {
		return false
	}
	t.listCheap(count)
	found := false
	for _, s := range w.splits {
		if t.offers == 0 || t.looks <= 0 {
			return false
		}
		if w.closed[s.line] || !t.holds(s) {
			continue
		}
		w.some = append(w.some[:0], s)
		w.keepAlso(w.base, w.some)
		had := t.best.bytes
		bytes, taken := t.offer()
		if taken {
			if found = true; t.filled(t.best.bytes) {
				return false
			}
			continue
		}
		w.keepAlso(w.base, nil)
		if bytes > t.limit+cliffBytes && cliff(bytes-had, int(s.price)/128) {
			w.closed[s.line] = true
		}
	}
	return found
}

// A vertex is not tried whose price is farther above the room that is left than prices are wrong by.
const (
	cheapTimes = 2
	cheapBits  = 64
)

// listCheap fills w.splits with the vertices that are left out and may fit, or the neighbours, the cheapest first.
func (t *topUp) listCheap(count int32) {
	w := t.w
	most := int32(min((t.limit-t.best.bytes)*8*cheapTimes+cheapBits, math.MaxInt32/16)) * 16
	w.splits = w.splits[:0]
	w.eachChord(func(ln, a, b int32) {
		for v := a + 1; v+count <= b; v++ {
			price := int32(w.stepPrice(a, v)+w.stepPrice(v+count-1, b)) - int32(w.stepPrice(a, b))
			if count == 2 {
				price += int32(w.stepPrice(v, v+1))
			}
			if price <= most {
				w.splits = append(w.splits, split{line: ln, vertex: v, count: count, price: price})
			}
		}
	})
	slices.SortFunc(w.splits, func(a, b split) int {
		return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.vertex, b.vertex))
	})
}
