package fitter

import (
	"math"
)

// probesAtMost bounds the size search. Two or three probes are usual.
const probesAtMost = 9

// attempt is what came of fitting with one set of digits and one state of the sheds.
type attempt struct {
	g      grid
	fits   bool
	n      int     // vertices kept
	errorM float64 // measured; +Inf when it does not fit
	bytes  int     // of gzip
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
	w.fresh(levels)
	best := w.tryGrid(metreGrid, limit)
	if !best.fits || best.errorM > fineWorthM {
		return best
	}
	if room := float64(limit) / float64(best.n); float64(w.above(fineGrid, best.errorM))*room*1.08 > float64(limit) {
		return best // the vertices alone that the same error takes do not fit
	}
	w.packed, w.other = w.other, w.packed
	if fine := w.tryRanked(fineGrid, limit); fine.better(best) {
		return fine
	}
	w.packed, w.other = w.other, w.packed
	return best
}

// fineWorthM is the error above which a sixth decimal, which takes the 0.7 m of rounding away, is not worth its
// characters.
const fineWorthM = 3

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

// rankAll fills and orders the keys for the indices in force.
func (w *workspace) rankAll(g grid) {
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

func (w *workspace) tryGrid(g grid, limit int) attempt {
	w.rankAll(g)
	return w.tryRanked(g, limit)
}

// probe is one size measured in the search.
type probe struct{ n, bytes int }

// tryRanked finds how many vertices, in the order of their keys, fill limit bytes. Size is nearly linear in vertices,
// so it follows the secant. The properties change with the vertices only in the digits of their indices: they are
// compressed once for all probes, and again with the result.
func (w *workspace) tryRanked(g grid, limit int) attempt {
	total, least := len(w.keys), w.mustStay()
	a := attempt{g: g, errorM: math.Inf(1)}
	n := w.choose(w.keys, min(total, limit/5))
	w.writeFitted(g)
	rest, mixed := w.sizeOf(false), w.mixed()
	fits, over := probe{least - 1, 0}, probe{total + 1, math.MaxInt}
	n = min(max((limit-rest/8)*10/43, least), total)
	for range probesAtMost {
		n = w.choose(w.keys, n)
		if mixed {
			w.writeFitted(g)
			rest = w.sizeOf(false)
		} else {
			w.writeCoords(g)
		}
		size := gzipFrame + (rest+w.sizeOf(true)+7)/8
		if size <= limit && (n == total || n+1 >= over.n || size >= limit-limit/400) {
			w.writeFitted(g)
			w.deflate(math.MaxInt)
			rest += 8 * (len(w.packed) - size)
			if size = len(w.packed); size <= limit {
				a = attempt{g: g, fits: true, n: n, bytes: size}
				w.packed, w.found = w.found, w.packed
			}
		}
		if size <= limit {
			fits = probe{n, size}
		} else {
			over = probe{n, size}
			if a.bytes == 0 {
				a.bytes = size
			}
		}
		if a.fits && (a.n == total || a.bytes >= limit-limit/250) || over.n <= least || fits.n+1 >= over.n && a.fits {
			break
		}
		n = next(fits, over, rest/8+gzipFrame, limit, least, total)
	}
	if a.fits {
		w.choose(w.keys, a.n)
		a.errorM = w.measure(g)
		w.packed, w.found = w.found, w.packed
	}
	return a
}

// mixed reports whether lines are so short that they are compressed with the rest.
func (w *workspace) mixed() bool {
	lines := 0
	for _, p := range w.pieces {
		if p.line {
			lines++
		}
	}
	return lines < len(w.doc.lines)
}

// next is the number of vertices to try after the probes so far: where the secant through them meets a little less than
// the limit.
func next(fits, over probe, rest, limit, least, total int) int {
	aim := float64(limit) * 0.9992
	var n float64
	switch {
	case fits.bytes > 0 && over.bytes < math.MaxInt:
		slope := float64(over.n-fits.n) / float64(max(over.bytes-fits.bytes, 1))
		n = float64(fits.n) + (aim-float64(fits.bytes))*slope
	case fits.bytes > 0:
		n = float64(fits.n) * (aim - float64(rest)) / float64(max(fits.bytes-rest, 1))
	default:
		n = float64(over.n) * (aim - float64(rest)) / float64(max(over.bytes-rest, 1))
	}
	low, high := max(fits.n+1, least), min(over.n-1, total)
	return min(max(int(min(max(n, 0), float64(total))), low), max(high, low))
}
