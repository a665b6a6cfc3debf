package fitter

import (
	"math"
	"time"
)

// ladder goes from one rung to the next: simplified lines only, then one shed after the other. Most rungs are only
// estimated. The one that it ends on is always made and measured, and so is every one whose error may be on either side of
// what is comfortable.
type ladder struct {
	w     *workspace
	plan  *Plan
	r     *Result
	limit int // bytes of gzip

	at     attempt // the rung reached
	step   int     // where it stands in r.Steps
	before attempt // the rung before
	shed   int     // the shed taken last, or −1
	scale  float64 // a measured error for an estimated one

	best       attempt // of the rungs measured; where it fits its gzip member is in w.best
	bestLevels []int   // of the sheds
	bestStep   int     // where it stands in r.Steps
}

// nearComfort is the part of what is comfortable by which an estimated error must exceed it to be believed: estimates are up to
// 0.15 too large.
const nearComfort = 0.2

// farAbove is how many times the limit an estimate that is not to be believed must have, so that the document does not fit for sure.
const farAbove = 3

// climb simplifies, and sheds step by step while the error is above what is comfortable.
func (w *workspace) climb(r *Result, plan *Plan, budget Budget) {
	l := ladder{w: w, plan: plan, r: r, limit: gzipBytes(budget.Chars + budget.Extra), shed: -1, scale: 1}
	l.best = attempt{errorM: math.Inf(1), bytes: math.MaxInt}
	l.at = l.rung("simplify", nil)
	next := 0
	for {
		next = l.sheds(next)
		if !l.at.estimated {
			break
		}
		l.settle()
	}
	best := l.conclude()
	r.Chars = base64Chars(best.bytes)
	if !math.IsInf(best.errorM, 1) {
		r.MaxErrorM = best.errorM
	}
	if !best.fits || best.errorM > plan.LargestM {
		return
	}
	r.Shed = []string{}
	for i, s := range plan.Sheds {
		if w.levels[i] > 0 {
			r.Shed = append(r.Shed, s.Name)
		}
	}
	r.Status, r.Points = Fitted, best.n
	r.UsedExtra = best.bytes > gzipBytes(budget.Chars)
	r.AppData = w.appData(w.best)
}

// sheds takes sheds from one on while the error is above what is comfortable, and returns the one to go on with.
func (l *ladder) sheds(from int) int {
	w := l.w
	for i := from; i < len(l.plan.Sheds); i++ {
		for l.at.errorM > l.plan.ComfortableM && w.canShed(i, w.levels[i]) {
			w.levels[i]++
			a := l.rung(l.plan.Sheds[i].Name, &l.at)
			if !a.better(l.at) {
				w.levels[i]--
				break
			}
			l.before, l.at, l.shed, l.step = l.at, a, i, len(l.r.Steps)-1
		}
		if l.at.errorM <= l.plan.ComfortableM {
			return i
		}
	}
	return len(l.plan.Sheds)
}

// rung tries one step of the ladder and notes it.
func (l *ladder) rung(name string, best *attempt) attempt {
	began := time.Now()
	a, sure := l.guess()
	if !sure {
		a = l.measure(a, len(l.r.Steps))
	}
	l.r.Steps = append(l.r.Steps, stepOf(name, a, best == nil || a.better(*best), time.Since(began)))
	return a
}

func stepOf(name string, a attempt, kept bool, took time.Duration) Step {
	return Step{
		Name: name, Chars: base64Chars(a.bytes), Vertices: a.n, ErrorM: a.errorM,
		Decimals: a.g.decimals, Kept: kept, Duration: took, Estimated: a.estimated,
	}
}

// guess estimates the rung at the levels in force. It is not sure where the answer decides whether to go on, and no more is
// to be shed anyway.
func (l *ladder) guess() (a attempt, sure bool) {
	if !l.canGoOn() {
		return a, false
	}
	a = l.w.estimate(l.w.levels, l.limit)
	a.errorM *= l.scale
	switch {
	case !a.fits && l.w.estimated.rough && a.bytes < farAbove*l.limit:
		return a, l.w.hopeless(l.limit)
	case !a.fits:
		return a, true
	}
	return a, !l.w.estimated.rough && a.errorM > l.plan.ComfortableM*(1+nearComfort)
}

// canGoOn reports whether there is anything left to shed.
func (l *ladder) canGoOn() bool {
	for i := range l.plan.Sheds {
		if l.w.canShed(i, l.w.levels[i]) {
			return true
		}
	}
	return false
}

// measure makes the rung at the levels in force, which is or will be a step. If it is better than those made before, its
// gzip member goes to w.best.
func (l *ladder) measure(guessed attempt, step int) attempt {
	w := l.w
	a := w.try(w.levels, l.limit)
	if a.better(l.best) {
		l.best, l.bestStep = a, step
		l.bestLevels = append(l.bestLevels[:0], w.levels...)
		if a.fits {
			w.best, w.packed = w.packed, w.best
		}
	}
	if guessed.fits && a.fits && guessed.errorM > 0 {
		l.scale = min(max(l.scale*a.errorM/guessed.errorM, 0.5), 2)
	}
	return a
}

// settle makes and measures the rung reached. Where it is not better than what was estimated of the one before, that one is
// measured too, and if it is the better one the last shed is taken back.
func (l *ladder) settle() {
	began := time.Now()
	guessed := l.at
	l.at = l.measure(guessed, l.step)
	step := &l.r.Steps[l.step]
	*step = stepOf(step.Name, l.at, step.Kept, step.Duration+time.Since(began))
	if l.shed < 0 || l.at.better(l.before) && !l.before.estimated {
		return
	}
	if l.before.estimated && l.at.errorM < l.before.errorM*(1-sureLess) {
		return
	}
	began = time.Now()
	w := l.w
	w.levels[l.shed]--
	before := l.before
	if before.estimated {
		before = l.measure(before, len(l.r.Steps))
	}
	l.r.Steps = append(l.r.Steps, stepOf(step.Name, before, false, time.Since(began)))
	if l.at.better(before) {
		w.levels[l.shed]++
		return
	}
	l.at = before
}

// conclude returns the best rung that was made, its levels in force again. Estimates may have led past it.
func (l *ladder) conclude() attempt {
	copy(l.w.levels, l.bestLevels)
	for i := l.bestStep + 1; i < len(l.r.Steps); i++ {
		l.r.Steps[i].Kept = false
	}
	l.r.Steps[l.bestStep].Kept = true
	return l.best
}

// sureLess is by which part a measured error must be below the estimate for the rung before to need no other proof.
const sureLess = 0.03
