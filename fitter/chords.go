package fitter

import "math"

// Douglas–Peucker finds a good set of vertices for a tolerance, not the best one. Between two pinned vertices the best
// is a shortest path: from every vertex there is a chord to each later one that keeps all vertices between within the
// tolerance (Imai and Iri 1988), and its length is the bits that the position at its end takes in the compressed text.
// Which chords are valid is known from the directions that are left: each vertex passed narrows them to those that come near
// it (Williams 1978; Sklansky and Gonzalez 1980), and when none is left, no later vertex can be reached.

// sights is how far a chord may reach, in vertices, for a line of which every stride-th vertex stays on average. It
// bounds the time by O(n) for a given stride.
func sights(stride int) int32 { return int32(min(4*stride+8, 64)) }

// strideAtMost is the stride above which the chords are not searched: too many would be valid.
const strideAtMost = 8

// shortest fills w.kept and w.moved with the vertices of the cheapest chords for a tolerance, and returns about how many bits
// they take.
func (w *workspace) shortest(g grid, toleranceM float64, sight int32) int {
	w.way = grow(w.way, len(w.doc.at)/2)
	w.moved = grow(w.moved, len(w.doc.at)/2)
	w.kept = w.kept[:0]
	price := 0
	feature, start := int32(-1), 0
	for _, ln := range w.doc.lines {
		if ln.feature != feature {
			feature, start = ln.feature, len(w.kept)
		}
		if ln.count == 0 {
			continue
		}
		from := ln.first
		w.keep(from, start)
		for i := from + 1; i < ln.first+ln.count; i++ {
			if w.keys[i] == never {
				price += w.chordsBetween(g, from, i, toleranceM, sight, start)
				from = i
			}
		}
	}
	return price / 16
}

// Of a line, a sample is one block of vertices out of some.
const (
	sampleVertices = 128
	sampleEvery    = 6
	sampleExcess   = 0.013 // of the price, for the vertices that stay only because a block ends there
)

// shortestSampled estimates what shortest returns from blocks of the lines. It keeps nothing. What the blocks are of the whole is
// taken from the vertices that Douglas–Peucker would keep: where there are more of them, the chords are shorter too.
func (w *workspace) shortestSampled(g grid, toleranceM float64, sight int32) float64 {
	w.way = grow(w.way, len(w.doc.at)/2)
	threshold := math.Float32bits(float32(toleranceM / firstTolerance))
	price, seen, all := 0, 0, 0
	for _, ln := range w.doc.lines {
		last := ln.first + ln.count - 1
		for start := ln.first; start < last; start += sampleVertices * sampleEvery {
			end := min(start+sampleVertices, last)
			from := start
			for i := from + 1; i <= end; i++ {
				if w.keys[i] == never || i == end {
					price += w.wayBetween(g, from, i, toleranceM, sight)
					from = i
				}
			}
			seen += countFrom(w.keys[start:end], threshold)
		}
		all += countFrom(w.keys[ln.first:ln.first+ln.count], threshold)
	}
	return float64(price) / 16 * (1 - sampleExcess) * float64(all) / float64(max(seen, 1))
}

// countFrom counts the keys that are not below a threshold.
func countFrom(keys []uint32, threshold uint32) int {
	n := 0
	for _, k := range keys {
		if k >= threshold {
			n++
		}
	}
	return n
}

// keep adds a vertex to the kept ones of the feature whose first stands at start.
func (w *workspace) keep(v int32, start int) {
	w.moved[v] = int32(len(w.kept) - start)
	w.kept = append(w.kept, v)
}

// waypoint is the cheapest way to a vertex.
type waypoint struct {
	price uint32
	from  int32
}

// chordsBetween keeps the vertices of the cheapest way from one vertex that stays to the next, that one included.
func (w *workspace) chordsBetween(g grid, from, to int32, toleranceM float64, sight int32, start int) int {
	price := w.wayBetween(g, from, to, toleranceM, sight)
	n := len(w.kept)
	for i := to; i != from; i = w.way[i].from {
		w.kept = append(w.kept, i)
	}
	for a, b := n, len(w.kept)-1; a < b; a, b = a+1, b-1 {
		w.kept[a], w.kept[b] = w.kept[b], w.kept[a]
	}
	for k, v := range w.kept[n:] {
		w.moved[v] = int32(n + k - start)
	}
	return price
}

// wayBetween finds the cheapest way from one vertex to another and returns its price.
func (w *workspace) wayBetween(g grid, from, to int32, toleranceM float64, sight int32) int {
	way := w.way
	for i := from + 1; i <= to; i++ {
		way[i].price = math.MaxUint32
	}
	way[from].price = 0
	for i := from; i < to; i++ {
		if !outdone(way[i:min(i+1+ahead, to+1)]) {
			w.chordsFrom(g, i, min(to, i+sight), toleranceM)
		}
	}
	return int(way[to].price)
}

// ahead is how many vertices are looked at to find that a way to a vertex is no better than one that leads farther.
const ahead = 8

// outdone reports whether there is a way to a later vertex at no higher price than the one to the first. Chords from the later
// one reach at least about as far, so those from the first are not worth a look. Of the vertices that outdo others one is
// itself not outdone, so every way goes on.
func outdone(way []waypoint) bool {
	price := way[0].price
	for _, later := range way[1:] {
		if later.price <= price {
			return true
		}
	}
	return false
}

// cone is the set of directions in which a chord may leave: from right, counter-clockwise, to left. Both are of length
// one.
type cone struct {
	leftX, leftY, rightX, rightY float64
	narrowed                     bool
}

// pass narrows the directions to those that come within the tolerance of a place at x, y, farther away than that. It
// answers false when none is left.
func (c *cone) pass(x, y, squared, tolerance float64) bool {
	fromLeft, fromRight := c.leftX*y-c.leftY*x, c.rightX*y-c.rightY*x
	if c.narrowed {
		if fromLeft >= -tolerance && fromLeft <= tolerance && fromRight >= -tolerance && fromRight <= tolerance {
			return x*(c.leftX+c.rightX)+y*(c.leftY+c.rightY) > 0
		}
		if fromLeft > tolerance || fromRight < -tolerance || x*(c.leftX+c.rightX)+y*(c.leftY+c.rightY) < 0 {
			return false
		}
	}
	along, one := math.Sqrt(squared-tolerance*tolerance), 1/squared
	if !c.narrowed || fromLeft < -tolerance {
		c.leftX, c.leftY = (x*along-y*tolerance)*one, (y*along+x*tolerance)*one
	}
	if !c.narrowed || fromRight > tolerance {
		c.rightX, c.rightY = (x*along+y*tolerance)*one, (y*along-x*tolerance)*one
	}
	c.narrowed = true
	return true
}

// chordsFrom offers the chords that leave vertex i, up to vertex end.
func (w *workspace) chordsFrom(g grid, i, end int32, toleranceM float64) {
	// All start at vertex i and are as long as one another, which spares the loop its bounds checks.
	at := w.doc.at[2*i : 2*end+2]
	written, digits := w.written[2*i : 2*end+2][:len(at)], w.digits[2*i : 2*end+2][:len(at)]
	way := w.way[i : end+1]
	x, y := written[0], written[1]
	kx := w.degrees[i]
	base := way[0].price + positionPrice
	dx, dy := digits[0], digits[1]
	enough := toleranceM * toleranceM
	var c cone
	farthest := 0.0
	for j := 1; j < len(way); j++ {
		k := 2 * j
		if k+1 >= len(at) {
			return
		}
		jx, jy := (written[k]-x)*kx, (written[k+1]-y)*metresPerDegree
		valid := !c.narrowed || c.rightX*jy-c.rightY*jx >= 0 && c.leftX*jy-c.leftY*jx <= 0
		if valid && farthest > jx*jx+jy*jy { // something between lies farther than the end
			valid = w.within(i, i+int32(j), toleranceM)
		}
		if valid {
			price := base + digitPrice*(digitsAfter(dx, digits[k], g.decimals)+digitsAfter(dy, digits[k+1], g.decimals))
			if price < way[j].price {
				way[j] = waypoint{price, i}
			}
		}
		vx, vy := (at[k]-x)*kx, (at[k+1]-y)*metresPerDegree
		squared := vx*vx + vy*vy
		farthest = max(farthest, squared)
		if squared > enough && !c.pass(vx, vy, squared, toleranceM) {
			return
		}
	}
}

// within measures whether all vertices between two are within the tolerance of the chord.
func (w *workspace) within(i, j int32, toleranceM float64) bool {
	c := w.chord(i, j)
	if c.far {
		return j == i+1
	}
	for v := i + 1; v < j; v++ {
		if c.squared(w.doc.at[2*v], w.doc.at[2*v+1]) > toleranceM*toleranceM {
			return false
		}
	}
	return true
}
