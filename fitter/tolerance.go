package fitter

import "math"

// Bits fall with the tolerance about as its power −0.44 on road lines, and about so many are written for one that
// shortest says.
const (
	tolerancePower = 0.44
	usualRatio     = 0.935
)

// firstTolerance is what the best vertices' tolerance is about, as a part of Douglas–Peucker's for the same size.
const firstTolerance = 0.8

// slack is by how much a measured error may exceed the tolerance. Chords are checked with the length that a degree has where they
// start. Where a line folds back on itself they may be wrong by more, and are not used.
const slack = 0.02

// Within which part of the tolerance of a grid's rounding the search for chords is of no use: every vertex is needed.
const roundingM = 1.1 // of metreGrid

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
	t := tolerances{search: s, ratio: 1, power: tolerancePower, sight: sights(s.total / n)}
	worst := keyM(w.ordered[n-1])
	if worst < roundingM*metreGrid.scale/s.g.scale {
		return attempt{}, false
	}
	w.prepareChords(s.g)
	first := t.sampled(worst*firstTolerance, float64(s.room()))
	if first > s.beatM*(1+sampleError) {
		return attempt{g: s.g, errorM: math.Inf(1)}, true
	}
	t.try(first)
	w.writeFitted(s.g)
	if w.mixed() {
		return attempt{}, false
	}
	t.ratio = float64(w.sampleBits(true)) / max(t.says, 1)
	best := attempt{}
	near := nearFirst
	for range triesAtMost {
		if s.room() <= 0 || !t.approach(near) {
			break
		}
		near = nearLater // the ratio is measured now, and a tolerance that missed is not near
		w.writeFitted(s.g)
		w.deflate(math.MaxInt)
		s.rest, t.ratio = w.restBits, float64(w.lineBits)/t.says
		size := len(w.packed)
		if size > s.limit || size < s.limit*goodFrom/10000 {
			continue
		}
		best = attempt{g: s.g, fits: true, n: len(w.kept), bytes: size, errorM: w.measure(s.g)}
		break
	}
	return best, best.fits && best.errorM <= t.at*(1+slack)
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
	next := t.then(toleranceM, says*usualRatio/bits)
	t.learn(next/toleranceM, t.w.shortestSampled(t.g, next, t.sight)/says)
	return next
}

// learn takes the power from what a change of the tolerance did to the bits.
func (t *tolerances) learn(tolerance, bits float64) {
	if math.Abs(tolerance-1) < 0.004 {
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
	nearFirst = 0.002
	nearLater = 0.0007
)

// approach tries tolerances until the lines take the room there is, by what shortest says. It answers false where they do not
// come near.
func (t *tolerances) approach(near float64) bool {
	const far = 0.05
	for range triesAtMost {
		times := t.says * t.ratio / float64(t.room())
		if times > 1-near && times < 1+near {
			return true
		}
		at, says := t.at, t.says
		t.try(t.then(at, times))
		t.learn(t.at/at, t.says/says)
	}
	times := t.says * t.ratio / float64(t.room())
	return times > 1-far && times < 1+far
}
