package fitter

import (
	"math"
	"slices"
)

// estimation is the last estimate, for the same levels and limit.
type estimation struct {
	attempt     attempt
	limit       int
	rest        int  // bits of everything but the lines
	counted     bool // so, not less what was shed
	indexDigits int  // in that
	rough       bool // from too few vertices to be believed
}

// enoughVertices is how many vertices, in lines that are compressed apart, an estimate has to come from to be believed.
const enoughVertices = 2048

// estimate is about what try would come to: without a search for chords, without a gzip member.
func (w *workspace) estimate(levels []int, limit int) attempt {
	if w.estimated.limit == limit && slices.Equal(w.estimatedLevels, levels) {
		w.fresh(levels)
		w.rankAll(metreGrid)
		return w.estimated.attempt
	}
	w.estimated.attempt = w.estimateFresh(levels, limit)
	w.estimated.limit = limit
	w.estimatedLevels = append(w.estimatedLevels[:0], levels...)
	return w.estimated.attempt
}

// estimateFresh takes the lines' bits from the price of the vertices that Douglas–Peucker keeps, those of everything else from
// one count.
func (w *workspace) estimateFresh(levels []int, limit int) attempt {
	w.fresh(levels)
	w.rankAll(metreGrid)
	w.writeOn(metreGrid)
	s := search{w: w, g: metreGrid, limit: limit, least: w.mustStay(), total: len(w.keys)}
	if w.all.ready {
		s.rest = w.lessShed()
		w.choose(w.keys, s.roughly())
	} else {
		s.rest = w.bytesOfRest() // a bit for a byte, to begin with
		w.choose(w.keys, s.roughly())
		w.countAll()
		s.rest = w.all.bits
	}
	if w.ratio == 0 {
		w.ratio = w.bitsForPrice()
	}
	n := len(w.kept)
	lines := int(float64(w.keptPrice()) / 16 * w.ratio)
	w.estimated.rest, w.estimated.indexDigits = s.rest, w.indexDigits()
	w.estimated.counted = s.rest == w.all.bits
	apart := 0
	w.eachLine(func(_ *line, kept []int32) { apart += len(kept) })
	w.estimated.rough = apart < max(enoughVertices, n-n/8)
	each := float64(max(lines, 1)) / float64(max(n, 1))
	return s.foretell(each)
}

// hopeless reports whether the document does not fit with the fewest vertices, the levels of an estimate in force.
func (w *workspace) hopeless(limit int) bool {
	w.writeOn(metreGrid)
	w.choose(w.keys, 0)
	w.writeFitted(true)
	w.deflate(limit)
	return len(w.packed) > limit
}

// foretell estimates an attempt from the bits of one vertex.
func (s *search) foretell(each float64) attempt {
	a := attempt{g: s.g, estimated: true, errorM: math.Inf(1)}
	n := int(float64(s.room()) / each)
	if n < s.least {
		a.bytes = (s.rest+int(each*float64(s.least)))/8 + gzipFrame
		return a
	}
	a.fits, a.n, a.bytes = true, min(n, s.total), s.limit
	if a.n == s.total {
		a.errorM, a.bytes = 0, (s.rest+int(each*float64(a.n)))/8
		return a
	}
	a.errorM = keyM(s.w.ordered[a.n])
	if s.total <= strideAtMost*a.n {
		a.errorM *= firstTolerance
	}
	return a
}

// confirm counts what the last estimate took for the bits of everything but the lines, unless that was counted.
func (w *workspace) confirm() {
	e := &w.estimated
	if e.counted {
		return
	}
	w.choose(w.keys, e.attempt.n)
	e.rest, e.indexDigits, e.counted = w.countRest(), w.indexDigits(), true
}

// bytesOfRest is about how many bytes the document has without lines and what was shed.
func (w *workspace) bytesOfRest() int {
	n := len(w.doc.text)
	for i := range w.live {
		if e := &w.live[i]; e.kind != editIndex {
			n -= int(e.end - e.start)
		}
	}
	return n
}

// bitsOfDigit is about what one more digit of an index takes.
const bitsOfDigit = 3

// indexDigits is how many digits the vertex indices have with the kept vertices.
func (w *workspace) indexDigits() int {
	n := 0
	for i := range w.live {
		e := &w.live[i]
		if e.kind != editIndex || w.doc.indices[e.of].vertex < 0 {
			continue
		}
		n++
		for v := w.moved[w.doc.indices[e.of].vertex]; v >= 10; v /= 10 {
			n++
		}
	}
	return n
}
