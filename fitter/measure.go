package fitter

import "math"

// lean is how much nearer the equator than its chord, in degrees at the equator, a vertex may lie before its own latitude
// counts: up to there the difference is less than what metresPerDegree allows for.
const lean = 0.1

// measure returns the largest distance in metres from a vertex of the document to its line as it is written with
// the vertices in w.kept. It looks at the raw vertices and the written positions only, and so does not trust the
// priorities. Each vertex is measured against the chord that stands in for it, a kept one against both chords
// beside it; no chord elsewhere can only be nearer, so the result is not below the true distance.
func (w *workspace) measure(g grid) float64 {
	worst := 0.0
	kept := w.kept
	for _, ln := range w.doc.lines {
		if ln.count == 0 {
			continue
		}
		n := 1
		for kept[n-1] != ln.first+ln.count-1 {
			n++
		}
		worst = max(worst, w.measureLine(kept[:n], g))
		kept = kept[n:]
	}
	return math.Sqrt(worst) * (1 + 1e-9) // for what floats lose
}

// measureLine returns the largest squared distance of one line.
func (w *workspace) measureLine(kept []int32, g grid) float64 {
	at := w.doc.at
	a := kept[0]
	ax, ay := g.round(at[2*a]), g.round(at[2*a+1])
	c := newChord(ax, ay, ax, ay)
	start := c.squared(at[2*a], at[2*a+1]) // of the vertex that the next chord starts at, so far
	worst := 0.0
	for _, b := range kept[1:] {
		bx, by := g.round(at[2*b]), g.round(at[2*b+1])
		c = newChord(ax, ay, bx, by)
		if c.far && (b-a > 1 || math.Abs(at[2*b]-at[2*a]) < 180) {
			return farAwayM * farAwayM // a reader would take it the other way round the globe
		}
		worst = max(worst, min(start, c.squared(at[2*a], at[2*a+1])))
		for i := a + 1; i < b; i++ {
			d := c.squared(at[2*i], at[2*i+1])
			if lat := math.Abs(at[2*i+1]); c.lat-lat > lean*c.kx/c.ky {
				wide := flatChord(ax, ay, bx, by, lat)
				d = max(d, wide.squared(at[2*i], at[2*i+1]))
			}
			worst = max(worst, d)
		}
		start = c.squared(at[2*b], at[2*b+1])
		a, ax, ay = b, bx, by
	}
	return max(worst, start)
}
