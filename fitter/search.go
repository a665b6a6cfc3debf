package fitter

import "math"

// attempt is what came of fitting with one set of digits and one state of the sheds.
type attempt struct {
	g      grid
	fits   bool
	n      int     // vertices kept
	errorM float64 // measured; +Inf when it does not fit
	bytes  int     // of gzip

	estimated bool
}

// better reports whether a draws nearer than b. Where neither fits, the one that lacks less room is better.
func (a attempt) better(b attempt) bool {
	if a.fits != b.fits {
		return a.fits
	}
	if !a.fits {
		return a.bytes < b.bytes
	}
	return a.errorM < b.errorM
}

// try fits the document with the sheds at levels into limit bytes of gzip. If it fits, the gzip member is in
// w.packed.
func (w *workspace) try(levels []int, limit int) attempt {
	w.estimate(levels, limit)
	w.confirm()
	best := w.tryRanked(metreGrid, limit, math.Inf(1))
	if !best.fits || best.errorM > fineWorthM {
		return best
	}
	if !w.fineMayFit(best, limit) {
		return best
	}
	w.rankAll(fineGrid)
	w.packed, w.other = w.other, w.packed
	if fine := w.tryRanked(fineGrid, limit, best.errorM); fine.better(best) {
		return fine
	}
	w.packed, w.other = w.other, w.packed
	return best
}

// fineWorthM is the error above which a sixth decimal, which takes the 0.7 m of rounding away, is not worth its
// characters.
const fineWorthM = 3

// fineVertex is about by how much a vertex with six decimals is longer than one with five, less what the better choice of vertices
// makes up for.
const fineVertex = 1.08

// fineMayFit reports whether the vertices that the error of best, just made with five decimals, takes with six may fit.
func (w *workspace) fineMayFit(best attempt, limit int) bool {
	if best.n == len(w.keys) || w.mixed() {
		return true // a vertex may be as long, or what the lines take is not known
	}
	lines := (best.bytes-gzipFrame)*8 - w.restBits
	room := (limit-gzipFrame)*8 - w.restBits
	most := float64(best.n) * float64(room) / float64(max(lines, 1)) // of five decimals
	return float64(w.above(fineGrid, best.errorM))*fineVertex <= most
}

// above ranks on a grid and counts the vertices whose priority is above a tolerance.
func (w *workspace) above(g grid, toleranceM float64) int {
	w.rankAll(g)
	n, limit := 0, math.Float32bits(float32(toleranceM))
	for _, k := range w.keys {
		if k > limit {
			n++
		}
	}
	return n
}

// ranking is what the keys were last made for. The zero value is nothing.
type ranking struct {
	decimals, pins int
	hash           uint64
}

// rankAll fills and orders the keys for the indices in force, if they are not there already.
func (w *workspace) rankAll(g grid) {
	now := ranking{decimals: g.decimals, hash: 14695981039346656037} // FNV-1a, by vertices
	for i := range w.live {
		if e := &w.live[i]; e.kind == editIndex {
			now.pins++
			now.hash = (now.hash ^ uint64(uint32(w.doc.indices[e.of].vertex))) * 1099511628211
		}
	}
	if now == w.ranked {
		return
	}
	w.ranked = now
	w.keys = resized(w.keys, len(w.doc.at)/2)
	for i := range w.live {
		if e := &w.live[i]; e.kind == editIndex {
			if v := w.doc.indices[e.of].vertex; v >= 0 {
				w.keys[v] = never
			}
		}
	}
	w.rank(w.keys, g)
	w.order(w.keys)
}

// search looks for the number of vertices, in the order of their keys, that fills a budget.
type search struct {
	w      *workspace
	g      grid
	limit  int     // bytes of gzip
	beatM  float64 // an error that is worth no more work unless it is beaten
	least  int     // vertices that stay anyway
	total  int     // vertices there are
	rest   int     // bits of everything but the lines, as last measured
	probes [finalsAtMost + 1]probe
	count  int
}

// probe is the size with n vertices, in bits: of the lines that are compressed apart, and of everything.
type probe struct{ n, lines, whole int }

// bits is the one that depends on n alone.
func (p probe) bits(mixed bool) int {
	if mixed {
		return p.whole
	}
	return p.lines
}

// Where the search aims, in ten-thousandths of the budget, and what it takes without another try.
const (
	aimAt        = 9978
	goodFrom     = 9951
	finalsAtMost = 6
)

// tryRanked fits lines with the keys in force. By the order of the keys it finds about the tolerance that fills the budget; where
// lines are dense enough it then looks for better vertices than Douglas–Peucker's.
func (w *workspace) tryRanked(g grid, limit int, beatM float64) attempt {
	w.writeOn(g)
	s := search{w: w, g: g, limit: limit, least: w.mustStay(), total: len(w.keys), rest: w.estimated.rest, beatM: beatM}
	a, ok := s.byTolerance()
	if !ok {
		a = s.byCount(s.guess())
	}
	return s.toppedUp(a)
}

// byCount finds how many vertices, in the order of their keys, fill the budget. Size is nearly linear in vertices: a
// sample of the document gave a number that is within some per cent, and the document with that many vertices gives one that
// is within a thousandth. What everything but the lines takes depends on the vertices only through the digits of the indices.
func (s *search) byCount(n int) attempt {
	w, limit := s.w, s.limit
	a := attempt{g: s.g, errorM: math.Inf(1)}
	over := s.total + 1 // the fewest vertices that were seen not to fit
	for range finalsAtMost {
		if kept := w.choose(w.keys, n); a.fits && kept <= a.n {
			break // the vertices that are next all go together, and they are too many
		}
		var size int
		n, size = s.compress(n)
		if size <= limit {
			if !a.fits || n > a.n {
				a.fits, a.n, a.bytes = true, n, size
				w.packed, w.found = w.found, w.packed
			}
			if n+1 >= over || size >= limit*goodFrom/10000 && !s.nearlyAll(n, over) {
				break
			}
		} else {
			over = min(over, n)
			if !a.fits {
				a.bytes = size
			}
			if over <= s.least {
				break
			}
		}
		n = s.next(n, size, a, over)
	}
	if !a.fits && over > s.least {
		if a.n, a.bytes = s.compress(s.least); a.bytes <= limit {
			a.fits = true
			w.packed, w.found = w.found, w.packed
		}
	}
	if a.fits {
		w.choose(w.keys, a.n)
		a.errorM = w.measure(s.g)
		w.packed, w.found = w.found, w.packed
	}
	return a
}

// nearlyAll reports whether so few vertices are missing that all may fit.
func (s *search) nearlyAll(n, over int) bool { return over > s.total && n >= s.total-s.total/200 }

// guess is a number of vertices that fills the budget within some per cent.
func (s *search) guess() int {
	w := s.w
	n := w.choose(w.keys, s.clamp(s.limit/5))
	lines := int(float64(w.keptPrice()) / 16 * w.bitsForPrice())
	if lines > 0 && s.room() > 0 {
		n = n * s.room() / lines
	}
	return s.clamp(n)
}

func (s *search) clamp(n int) int { return min(max(n, s.least), s.total) }

// room is how many bits the lines may take.
func (s *search) room() int { return (s.limit*aimAt/10000-gzipFrame)*8 - s.rest }

// compress makes the document with n vertices or a few less, in w.packed, and returns how many it has, and the size of the
// gzip member.
func (s *search) compress(n int) (kept, bytes int) {
	n = s.w.choose(s.w.keys, n)
	s.w.writeFitted(true)
	s.w.deflate(math.MaxInt)
	s.probes[s.count] = probe{n, s.w.lineBits, 8 * len(s.w.packed)}
	s.count++
	s.rest = s.w.restBits
	return n, len(s.w.packed)
}

// aim is the number of vertices at which the line through the two nearest probes meets the room there is; with one
// probe, the line through it and nothing.
func (s *search) aim() int {
	room, mixed := s.room(), s.w.mixed()
	if mixed { // what is not a line depends on the vertices, too
		room = 8 * s.limit * aimAt / 10000
	}
	var near, next probe
	for _, p := range s.probes[:s.count] {
		switch away := distance(p.bits(mixed), room); {
		case near.n == 0 || away < distance(near.bits(mixed), room):
			near, next = p, near
		case p.n != near.n && (next.n == 0 || away < distance(next.bits(mixed), room)):
			next = p
		}
	}
	bits := near.bits(mixed)
	slope := float64(near.n) / float64(max(bits, 1))
	if apart := bits - next.bits(mixed); next.n != 0 && next.n != near.n && apart != 0 {
		if between := float64(near.n-next.n) / float64(apart); between > slope/4 && (mixed || between < slope*4) {
			slope = between
		}
	}
	return s.clamp(near.n + int(float64(room-bits)*slope))
}

// next is what to compress after n vertices did not fill the budget or were too many.
func (s *search) next(n, size int, a attempt, over int) int {
	low := s.least
	if a.fits {
		low = a.n + 1
	}
	if s.nearlyAll(n, over) && size <= s.limit {
		return s.total
	}
	to := s.aim()
	if to < low || to >= over {
		to = low + (over-low)/2
	}
	return to
}

func distance(a, b int) int {
	if a < b {
		return b - a
	}
	return a - b
}

// mixed reports whether lines are so short that they are compressed with the rest.
func (w *workspace) mixed() bool {
	from := 0
	for i := range w.doc.lines {
		n := w.keptOf(&w.doc.lines[i], from)
		if n < ownPiece {
			return true
		}
		from += n
	}
	return false
}
