package fitter

import (
	"math"
	"math/bits"
)

// metresPerDegree is the length of a degree of arc where the earth is flattest: the polar radius of curvature of
// WGS84, 6,399,593.6 m. No sphere in use and no direction on the ellipsoid gives more, so that a distance measured
// with it is never below the true one.
const metresPerDegree = 6399593.6258 * math.Pi / 180

// never is the priority of a vertex that stays whatever happens: an end of a line or a pinned one.
const never = math.MaxUint32

// boundFrom is the difference between keys, about 0.1 %, from which a cut-off priority is marked as such.
const boundFrom = 1 << 13

// farAwayM is the error of a chord that spans half the globe or more, far above any real one. Between its ends a reader cannot tell which
// way round the line goes.
const farAwayM = 1e9

// chord measures distances to the straight line, in longitude and latitude, between two written positions.
type chord struct {
	x, y   float64 // where it starts, in degrees
	kx     float64 // metres for a degree of longitude
	dx, dy float64 // to its end, in metres
	length float64 // squared
	far    bool    // it spans half the globe
}

// chord is the one between the positions that two vertices are written at. The latitude nearest the equator stretches
// longitudes most, so the distance is not underrated anywhere on it.
func (w *workspace) chord(i, j int32) chord {
	kx := max(w.degrees[i], w.degrees[j])
	ax, ay, bx, by := w.written[2*i], w.written[2*i+1], w.written[2*j], w.written[2*j+1]
	if ay > 0 != (by > 0) {
		kx = parallels[0]
	}
	return flatChord(ax, ay, bx, by, kx)
}

// flatChord is a chord with so many metres to a degree of longitude.
func flatChord(ax, ay, bx, by, kx float64) chord {
	c := chord{x: ax, y: ay, kx: kx, dx: (bx - ax) * kx, dy: (by - ay) * metresPerDegree}
	c.length = c.dx*c.dx + c.dy*c.dy
	c.far = bx-ax >= 180 || bx-ax <= -180
	return c
}

const parallelsPerDegree = 16

// parallels holds the metres of a degree of longitude at every sixteenth degree of latitude. It is a little too much,
// so that what is interpolated between two is not too little.
var parallels = func() (t [90*parallelsPerDegree + 2]float64) {
	for i := range t {
		t[i] = metresPerDegree * (math.Cos(min(float64(i)/parallelsPerDegree, 90)*(math.Pi/180)) + 2e-7)
	}
	return t
}()

// metresOfLongitude is how long a degree of longitude is at a latitude, which is not negative. Beyond the pole it is 2 cm.
func metresOfLongitude(lat float64) float64 {
	at := min(lat, 90) * parallelsPerDegree
	i := int(at)
	return parallels[i] + (parallels[i+1]-parallels[i])*(at-float64(i))
}

// squared returns the squared distance in metres from a position to the chord, which is a segment: beyond its
// ends, and where both ends are one, it is the distance to the end.
func (c *chord) squared(x, y float64) float64 {
	px, py := (x-c.x)*c.kx, (y-c.y)*metresPerDegree
	along := px*c.dx + py*c.dy
	if along <= 0 {
		return px*px + py*py
	}
	if along >= c.length {
		px, py = px-c.dx, py-c.dy
		return px*px + py*py
	}
	across := px*c.dy - py*c.dx
	return across * across / c.length
}

// stretch is a part of a line between two vertices that stay.
type stretch struct {
	from, to int32
	limit    uint32 // no vertex inside has a higher priority
	depth    int32
}

// rank fills keys, one for every vertex of the document, with the vertices' priorities: the tolerance in metres at
// which Douglas–Peucker drops the vertex, as the bits of a float32, which order as the number does. A key that is
// never on entry stays, and so do the ends of lines.
//
// It recurses once. A run with some tolerance splits a stretch if the distance of its farthest vertex is above it, and
// only then looks further inside; so a vertex's priority is that distance, but no more than the priority of the vertex that
// split the stretch around. Where it is cut off so, the lowest bit of the key is set: the vertex goes with the one
// before it or the error is larger than the priority says. The vertices above any threshold are exactly what a run with that
// tolerance keeps. Past a depth of 2·log₂n+4 stretches are halved, not split at the farthest vertex: every split still
// takes the largest distance of its stretch as priority, so the error bound holds, and the time is O(n log n) for any input.
func (w *workspace) rank(keys []uint32, g grid) {
	w.writeOn(g)
	for _, ln := range w.doc.lines {
		if ln.count == 0 {
			continue
		}
		first, last := ln.first, ln.first+ln.count-1
		keys[first], keys[last] = never, never
		deepest := int32(2*bits.Len32(uint32(ln.count)) + 4)
		from := first
		for i := first + 1; i <= last; i++ {
			if keys[i] == never {
				w.rankStretch(keys, stretch{from, i, never, 0}, deepest)
				from = i
			}
		}
	}
}

// rankStretch ranks what lies inside one stretch.
func (w *workspace) rankStretch(keys []uint32, s stretch, deepest int32) {
	stack := append(w.stack[:0], s)
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.to-s.from < 2 {
			continue
		}
		split, squared := w.farthest(s.from, s.to)
		if s.depth > deepest {
			split = s.from + (s.to-s.from)/2
		}
		distance := math.Float32bits(float32(math.Sqrt(squared)))
		key := distance &^ 1
		if key > s.limit {
			key = s.limit &^ 1
			if distance-s.limit > boundFrom {
				key |= 1
			}
		}
		keys[split] = key
		stack = append(stack, stretch{s.from, split, key, s.depth + 1}, stretch{split, s.to, key, s.depth + 1})
	}
	w.stack = stack[:0]
}

// farthest returns the vertex between two others that is farthest from the chord between the positions that these
// are written at, and its squared distance.
func (w *workspace) farthest(from, to int32) (at int32, squared float64) {
	c := w.chord(from, to)
	if c.far {
		return from + (to-from)/2, farAwayM * farAwayM
	}
	// Distances to the line and to its ends are kept apart, so that nothing is divided in the loop.
	across, along := -1.0, -1.0
	acrossAt, alongAt := 0, 0
	v := w.doc.at[2*from+2 : 2*to]
	for i := 0; i+1 < len(v); i += 2 {
		px, py := (v[i]-c.x)*c.kx, (v[i+1]-c.y)*metresPerDegree
		switch t := px*c.dx + py*c.dy; {
		case t > 0 && t < c.length:
			d := px*c.dy - py*c.dx
			if d *= d; d > across {
				across, acrossAt = d, i
			}
		default:
			if t > 0 {
				px, py = px-c.dx, py-c.dy
			}
			if d := px*px + py*py; d > along {
				along, alongAt = d, i
			}
		}
	}
	if across >= 0 {
		if across /= c.length; across > along || across == along && acrossAt < alongAt {
			along, alongAt = across, acrossAt
		}
	}
	return from + 1 + int32(alongAt/2), along
}
