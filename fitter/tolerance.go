package fitter

import "math"

// tolerancePower is with which negative power of the tolerance bits fall on road lines.
const tolerancePower = 0.44

// firstTolerance is what the best vertices' tolerance is about, as a part of Douglas–Peucker's for the same size.
const firstTolerance = 0.8

// slack is by how much a measured error may exceed the tolerance. Chords are checked with the length that a degree has where they
// start. Where a line folds back on itself they may be wrong by more, and are not used.
const slack = 0.02

// Within which part of the tolerance of a grid's rounding the search for chords is of no use: every vertex is needed.
const roundingM = 0.9 // of metreGrid

// tolerances looks for the tolerance at which the cheapest chords fill the budget.
type tolerances struct {
	*search
	sight int32
	ratio float64 // bits of the lines for a bit that shortest says
	at    float64 // the tolerance last tried, in metres
	says  float64 // the bits that shortest said of it
	power float64 // with which bits fall when the tolerance grows
}

// bitsOfPosition is what a position takes, before anything is measured: with five decimals; the sixth takes seven more.
const bitsOfPosition = 34

// roughly is about how many vertices fit.
func (s *search) roughly() int {
	return s.clamp(max(s.room(), 0) / (bitsOfPosition + 7*(s.g.decimals-metreGrid.decimals)))
}

// nearlyAllPart is the part of all vertices that an estimate may be wrong by. Where no more are missing, all may fit, and
// then no choice of vertices is better.
const nearlyAllPart = 50

// sampleError is the part of a tolerance that a sample of the chords may be wrong by.
const sampleError = 0.1

// byTolerance fits with the vertices of the cheapest chords. It
// answers false where that is not worth it, or did not work out: where lines fit as they are, or are so dense or so
// short of room that too many chords would be valid.
func (s *search) byTolerance() (attempt, bool) {
	w, n := s.w, s.roughly()
	if s.g == metreGrid && w.estimated.attempt.fits {
		n = w.estimated.attempt.n
	}
	if n >= s.total-s.total/nearlyAllPart || n <= s.least || s.total > strideAtMost*n {
		return attempt{}, false
	}
	worst := keyM(w.ordered[n-1])
	if worst < roundingM*metreGrid.scale/s.g.scale {
		return attempt{}, false
	}
	if w.choose(w.keys, n); w.mixed() {
		return attempt{}, false // what a tolerance takes is not known then
	}
	t := tolerances{search: s, ratio: w.ratio, power: tolerancePower, sight: sights(s.total / n)}
	if s.g != metreGrid {
		t.ratio = w.bitsForPrice()
	}
	first := t.sampled(worst*firstTolerance, float64(s.room()))
	if first > s.beatM*(1+sampleError) {
		return attempt{g: s.g, errorM: math.Inf(1)}, true
	}
	t.try(first)
	s.rest += (w.indexDigits() - w.estimated.indexDigits) * bitsOfDigit
	if w.mixed() {
		return attempt{}, false
	}
	return t.fill()
}

// fill changes the tolerance until the document fills the budget, and measures that one.
func (t *tolerances) fill() (attempt, bool) {
	w := t.w
	near := nearFirst
	for range triesAtMost {
		if t.room() <= 0 || !t.approach(near) {
			break
		}
		near = nearLater // the ratio is measured now, and a tolerance that missed is not near
		w.writeFitted(true)
		w.deflate(math.MaxInt)
		t.rest, t.ratio = w.restBits, float64(w.lineBits)/t.says
		if size := len(w.packed); size <= t.limit && size >= t.limit*goodFrom/10000 {
			a := attempt{g: t.g, fits: true, n: len(w.kept), bytes: size, errorM: w.measure(t.g)}
			return a, a.errorM <= t.at*(1+slack)
		}
	}
	return attempt{}, false
}

// keyM is the priority that a key stands for, in metres.
func keyM(key uint32) float64 { return float64(math.Float32frombits(key)) }

// triesAtMost bounds how often a tolerance is changed, and how often a document is compressed. One or two are usual; on
// lines where a small change of the tolerance moves thousands of vertices no number would do.
const triesAtMost = 3

// try chooses the vertices for a tolerance.
func (t *tolerances) try(toleranceM float64) {
	t.at = toleranceM
	t.says = float64(t.w.shortest(t.g, toleranceM, t.sight))
}

// sampled looks for a tolerance at which the lines take so many bits, in a sample of them, and learns the power.
func (t *tolerances) sampled(toleranceM, bits float64) float64 {
	says := t.w.shortestSampled(t.g, toleranceM, t.sight)
	next := t.then(toleranceM, says*t.ratio/bits)
	then := t.w.shortestSampled(t.g, next, t.sight)
	t.learn(next/toleranceM, then/says, learnSampled)
	return t.then(next, then*t.ratio/bits)
}

// The part by which a tolerance must have changed for the power to be learned from that.
const (
	learnSampled  = 0.05
	learnMeasured = 0.005
)

// learn takes the power from what a change of the tolerance did to the bits.
func (t *tolerances) learn(tolerance, bits, enough float64) {
	if math.Abs(tolerance-1) < enough {
		return // too little to learn from
	}
	if p := -math.Log(bits) / math.Log(tolerance); p > 0.2 && p < 1 {
		t.power = p
	}
}

// then is the tolerance to try when another one takes so many times the bits that it should.
func (t *tolerances) then(toleranceM, times float64) float64 {
	return toleranceM * min(max(math.Pow(times, 1/t.power), 0.1), 10)
}

// How near the room is near enough, as a part of it: with the ratio of a sample, and with a measured one. The second is less
// than what lies between aimAt and goodFrom or the whole.
const (
	nearFirst = 0.0025
	nearLater = 0.0007
)

// approach tries tolerances until the lines take the room there is, by what shortest says. It answers false where they do not
// come near.
func (t *tolerances) approach(near float64) bool {
	const far = 0.05
	for range triesAtMost {
		times := t.says * t.ratio / float64(t.room())
		if times > 1-near && times < 1+near*0.6 {
			return true
		}
		at, says := t.at, t.says
		t.try(t.then(at, times))
		t.learn(t.at/at, t.says/says, learnMeasured)
	}
	times := t.says * t.ratio / float64(t.room())
	return times > 1-far && times < 1+far
}
