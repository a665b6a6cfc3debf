package upstream

import (
	"math"
	"slices"
)

// roadClass is the kind of road that leads to a vertex.
type roadClass uint8

const (
	urban roadClass = iota
	rural
	ramp
	motorway
)

// design is how roads of a class are laid out: alternating straights and arcs, as engineers draw them, recorded with a
// vertex where the chord would leave the road by more than sagM.
type design struct {
	straightM  float64 // middle length of a straight
	spacingM   float64 // middle distance of vertices on a straight
	radiusM    float64 // middle radius of an arc
	wanderRad  float64 // how far a road points away from where it goes
	sagM       float64
	speedKmh   float64
	junctions  float64 // chance that the next bend is a corner at a junction
	correction float64 // share of the heading error that a bend takes back
}

var designs = [...]design{
	urban:    {straightM: 80, spacingM: 42, radiusM: 60, wanderRad: 0.55, sagM: 0.5, speedKmh: 34, junctions: 0.25, correction: 0.8},
	rural:    {straightM: 190, spacingM: 80, radiusM: 330, wanderRad: 0.42, sagM: 0.55, speedKmh: 74, junctions: 0.03, correction: 0.7},
	ramp:     {straightM: 90, spacingM: 45, radiusM: 110, wanderRad: 0.25, sagM: 0.4, speedKmh: 62, correction: 0.9},
	motorway: {straightM: 520, spacingM: 112, radiusM: 1700, wanderRad: 0.38, sagM: 0.45, speedKmh: 112, correction: 0.6},
}

// line is a road-like line. The slices are parallel: the road that leads to each vertex, and the distance and the time
// from the start without traffic. legEnds are the vertices at which a leg ends; the one after it repeats the position.
type line struct {
	points  []position
	class   []roadClass
	distM   []float64
	timeS   []float64
	legEnds []int
}

func (l *line) last() int { return len(l.points) - 1 }

// add appends a vertex, unless it would repeat the one before.
func (l *line) add(p position, class roadClass) {
	p = p.round7()
	if n := len(l.points); n > 0 && l.points[n-1] == p {
		return
	}
	l.append(p, class)
}

func (l *line) append(p position, class roadClass) {
	d, t := 0.0, 0.0
	if n := len(l.points); n > 0 {
		step := distanceM(l.points[n-1], p)
		d = l.distM[n-1] + step
		t = l.timeS[n-1] + step/(designs[class].speedKmh/3.6)
	}
	l.points = append(l.points, p)
	l.class = append(l.class, class)
	l.distM = append(l.distM, d)
	l.timeS = append(l.timeS, t)
}

// walker lays a road from element to element towards its targets.
type walker struct {
	r      random
	out    *line
	at     position
	dir    float64 // radians, counterclockwise from east
	class  roadClass
	way    way
	target []position // what is left of the guide; the goal is the last
	budget int        // vertices after which it goes straight to the goal
	next   float64    // metres until the next interchange
}

// way is what a line is laid for.
type way struct {
	from, to    position
	via         []position // passed roughly, not stopped at
	noMotorways bool
	through     bool // both ends are on the main road, not in a street
}

// layLine appends a road-like line, deterministic in r. Both ends are exactly the given ones (to seven decimals); a line
// that already ends at from gets that vertex once more.
func layLine(out *line, r random, want way) {
	from, to := want.from, want.to
	w := walker{r: r, out: out, at: from, way: want, next: r.spread(30000, 0.6)}
	at, direct := from, 0.0
	for _, p := range append(slices.Clip(want.via), to) {
		w.target = append(append(w.target, guide(r, at, p)...), p)
		direct += distanceM(at, p)
		at = p
	}
	w.budget = 400 + int(direct/20)
	w.dir = heading(from, w.target[0]) + r.NormFloat64()*0.5
	w.class = w.pickClass(0, direct)
	out.append(from.round7(), w.class)
	for walked := 0.0; ; {
		left := distanceM(w.at, to)
		if len(w.target) > 1 {
			left = max(left, distanceM(w.at, w.target[0])) // the goal may be close by and still not next
		}
		if left < 60 || w.budget <= 0 {
			break
		}
		w.class = w.pickClass(walked, left)
		walked += w.element(left)
	}
	if n := out.last(); out.points[n] != to.round7() {
		out.add(between(w.at, to, 0.55), w.class)
		out.add(to, w.class)
	}
}

// guide returns places to pass on the way, about thirty kilometres apart and off the direct line as large rivers, hills and
// other towns make a road: the deviation halves with each halving of the way.
func guide(r random, from, to position) []position {
	d := distanceM(from, to)
	if d < 40000 {
		return nil
	}
	mid := between(from, to, r.between(0.42, 0.58))
	side := heading(from, to) + math.Pi/2
	mid = move(mid, side, math.Max(-1.5, math.Min(1.5, r.NormFloat64()))*0.046*d)
	return append(append(guide(r, from, mid), mid), guide(r, mid, to)...)
}

// pickClass is urban near both ends, then an approach road, then motorway with now and then an interchange or a stretch
// of ordinary road. Short ways are all local.
func (w *walker) pickClass(walkedM, leftM float64) roadClass {
	near := math.Min(walkedM, leftM)
	local := math.Min(3500, (walkedM+leftM)*0.25)
	if w.way.through {
		near = math.Inf(1)
	}
	switch {
	case near < local:
		return urban
	case near < local+math.Min(5000, (walkedM+leftM)*0.15):
		return rural
	case w.way.noMotorways:
		return rural
	case w.next > 0:
		return motorway
	}
	if w.next < -2500 {
		w.next = w.r.spread(38000, 0.5)
	}
	if w.next < -900 {
		return rural
	}
	return ramp
}

// element lays one bend and one straight and returns their length.
func (w *walker) element(leftM float64) float64 {
	d := designs[w.class]
	for len(w.target) > 1 && w.passed(w.target[0]) {
		w.target = w.target[1:]
	}
	calm := math.Min(1, leftM/2500) // no detours in sight of the goal
	off := turn(heading(w.at, w.target[0]) - w.dir)
	angle := off*d.correction + w.r.NormFloat64()*d.wanderRad*calm
	radius := w.r.spread(d.radiusM, 0.5)
	switch {
	case w.r.chance(d.junctions * calm):
		angle = off + math.Copysign(w.r.between(0.6, 1.5), w.r.NormFloat64())
		radius = w.r.between(5, 18)
	case w.class == ramp && w.r.chance(0.12):
		angle = turn(angle) + math.Copysign(w.r.between(2.6, 4.7), angle) // the loop of a cloverleaf
		radius = w.r.between(45, 90)
	}
	radius = math.Min(radius, math.Max(6, leftM/5))
	straight := math.Min(w.r.spread(d.straightM, 0.7), leftM*0.5)
	length := w.arc(angle, radius, d) + w.straight(straight, d)
	w.next -= length
	return length
}

// passed tells whether a place of the guide is near enough, or behind.
func (w *walker) passed(p position) bool {
	d := distanceM(w.at, p)
	return d < 2500 || (d < 15000 && math.Abs(turn(heading(w.at, p)-w.dir)) > 1.9)
}

// arc turns by an angle in radians, a vertex where the chord's sagitta reaches the design's.
func (w *walker) arc(angle, radiusM float64, d design) float64 {
	length := math.Abs(angle) * radiusM
	chord := math.Sqrt(8 * radiusM * d.sagM)
	n := int(length/chord) + 1
	for range n {
		w.dir += angle / float64(n) / 2
		w.step(length / float64(n))
		w.dir += angle / float64(n) / 2
	}
	w.dir = turn(w.dir)
	return length
}

func (w *walker) straight(lengthM float64, d design) float64 {
	n := int(lengthM/w.r.spread(d.spacingM, 0.4)) + 1
	for range n {
		w.step(lengthM / float64(n))
	}
	return lengthM
}

// step goes on by one vertex, which is off the axis by the half metre that surveyed roads have.
func (w *walker) step(metres float64) {
	w.at = move(w.at, w.dir, metres)
	w.out.add(move(w.at, w.dir+math.Pi/2, w.r.NormFloat64()*0.35), w.class)
	w.budget--
}
