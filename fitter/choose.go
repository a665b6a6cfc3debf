package fitter

import "slices"

// digitBits and its neighbours are those of the radix sort in order.
const (
	digitBits = 11
	digits    = 1 << digitBits
)

// order fills w.ordered with keys, descending.
func (w *workspace) order(keys []uint32) {
	from := append(w.ordered[:0], keys...)
	to := slices.Grow(w.spare[:0], len(keys))[:len(keys)]
	for shift := 0; shift < 32; shift += digitBits {
		clear(w.counts[:])
		for _, k := range from {
			w.counts[digits-1-k>>shift&(digits-1)]++
		}
		sum := int32(0)
		for i, n := range w.counts {
			w.counts[i] = sum
			sum += n
		}
		for _, k := range from {
			at := &w.counts[digits-1-k>>shift&(digits-1)]
			to[*at] = k
			*at++
		}
		from, to = to, from
	}
	w.ordered, w.spare = from, to
}

// choose fills w.kept with the n vertices of the highest priority, in order, and w.moved with where each of them
// now stands in its feature. Of vertices with equal priorities the first are taken, so the choice is one threshold over
// all lines, to the vertex; but where vertices depend on others of the same priority, that priority goes as a whole. n is
// brought between what must stay and what there is, and the number kept is returned.
func (w *workspace) choose(keys []uint32, n int) int {
	n = min(max(n, w.mustStay()), len(keys))
	w.kept = w.kept[:0]
	if n == 0 {
		return 0
	}
	threshold := w.ordered[n-1] | 1
	above := w.before(threshold)
	if n < len(keys) && w.ordered[n]|1 == threshold && threshold != never && w.ordered[above] == threshold {
		n = above
		threshold = w.ordered[n-1] | 1
		above = w.before(threshold)
	}
	ties := n - above
	w.moved = slices.Grow(w.moved[:0], len(keys))[:len(keys)]
	feature, start := int32(-1), 0
	for _, ln := range w.doc.lines {
		if ln.feature != feature {
			feature, start = ln.feature, len(w.kept)
		}
		for i := ln.first; i < ln.first+ln.count; i++ {
			k := keys[i] | 1
			if k < threshold || (k == threshold && ties == 0) {
				continue
			}
			if k == threshold {
				ties--
			}
			w.moved[i] = int32(len(w.kept) - start)
			w.kept = append(w.kept, i)
		}
	}
	return n
}

// mustStay is how many vertices stay whatever happens.
func (w *workspace) mustStay() int { return w.before(never - 2) }

// before is how many keys are above a priority, its lowest bit set.
func (w *workspace) before(priority uint32) int {
	n, _ := slices.BinarySearchFunc(w.ordered, priority, func(k, t uint32) int {
		if k > t {
			return -1
		}
		return 1
	})
	return n
}
