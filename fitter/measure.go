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
	w.writeOn(g)
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
		worst = max(worst, w.measureLine(kept[:n]))
		kept = kept[n:]
	}
	return math.Sqrt(worst) * (1 + 1e-9) // for what floats lose
}

// measureLine returns the largest squared distance of one line.
func (w *workspace) measureLine(kept []int32) float64 {
	at := w.doc.at
	a := kept[0]
	c := w.chord(a, a)
	start := c.squared(at[2*a], at[2*a+1]) // of the vertex that the next chord starts at, so far
	worst := 0.0
	for _, b := range kept[1:] {
		c = w.chord(a, b)
		if c.far && (b-a > 1 || math.Abs(at[2*b]-at[2*a]) < 180) {
			return farAwayM * farAwayM // a reader would take it the other way round the globe
		}
		worst = max(worst, min(start, c.squared(at[2*a], at[2*a+1])))
		if b-a > 1 {
			worst = max(worst, w.measureBetween(a, b, &c))
		}
		start = c.squared(at[2*b], at[2*b+1])
		a = b
	}
	return max(worst, start)
}

// measureBetween returns the largest squared distance of the vertices between the ends of a chord.
func (w *workspace) measureBetween(a, b int32, c *chord) float64 {
	worst := 0.0
	ay, by := w.written[2*a+1], w.written[2*b+1]
	lowest := -1.0 // the latitude, without sign, below which a vertex has its own metres to a degree
	if ay > 0 == (by > 0) {
		lowest = min(math.Abs(ay), math.Abs(by)) - lean*c.kx/metresPerDegree
	}
	at := w.doc.at[2*a+2 : 2*b]
	for i := 0; i+1 < len(at); i += 2 {
		worst = max(worst, c.squared(at[i], at[i+1]))
		if lat := math.Abs(at[i+1]); lat < lowest {
			wide := flatChord(c.x, c.y, w.written[2*b], by, metresOfLongitude(lat))
			worst = max(worst, wide.squared(at[i], at[i+1]))
		}
	}
	return worst
}
