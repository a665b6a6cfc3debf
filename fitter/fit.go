package fitter

import (
	"encoding/base64"
	"errors"
	"math"
	"time"
)

// ErrNotJSON says that a document is not one JSON text.
var ErrNotJSON = errors.New("not a JSON text")

// Path leads to members by their names, from the root of a document or from a feature's properties. "*" stands for any
// element of an array and any member of an object. The empty path is the place itself.
type Path = []string

// ShedAction is how a shed makes a document smaller.
type ShedAction int

const (
	// ShortenIDs replaces long ids by short ones that are unique in the document. An id that also stands
	// elsewhere in it is left alone.
	ShortenIDs ShedAction = iota + 1
	// Remove takes the member away.
	Remove
	// Halve drops every second element of an array, and of what is left again, as long as that helps. The first
	// and the last element stay.
	Halve
)

// Shed is one step of the ladder.
type Shed struct {
	Name   string // as [Result].Shed names it
	Path   Path   // below a feature's properties
	Action ShedAction
}

// Plan says what may be done to a document. Fit does not change it.
type Plan struct {
	// Lines lead to the features, objects with geometry and properties, whose LineString or MultiLineString may be
	// simplified. Whatever else stands there is left alone, and so is everything that no path leads to.
	Lines []Path
	// Indices lead, below such a feature's properties, to numbers that count its vertices from 0, over all parts
	// of a MultiLineString. The vertices they name stay and the numbers follow them.
	Indices []Path
	// Sheds are tried in this order.
	Sheds []Shed
	// Drop names members that are removed at any depth, in every case. A document that loses nothing else is Exact.
	Drop []string
	// ComfortableM is the error in metres down to which nothing is shed.
	ComfortableM float64
	// LargestM is the error in metres above which the document does not fit.
	LargestM float64
	// Exact forbids to alter the document: it is Exact or TooLarge.
	Exact bool
}

// Budget is how much room there is, in base64 characters.
type Budget struct {
	Chars int // for a document that fits exactly
	Extra int // further room, which costs the caller something: used once the exact document did not fit in Chars
}

// Status is the outcome of Fit.
type Status int

const (
	// Exact says: the document as it came, less the members to drop.
	Exact Status = iota + 1
	// Fitted says: route lines were rounded and simplified, and what Shed names was shed.
	Fitted
	// TooLarge says: it does not fit with a tolerable error. There is no app data.
	TooLarge
)

// Result is what Fit made.
type Result struct {
	Status Status
	// AppData is the base64, standard alphabet and padded, of one gzip member. It is the caller's; nil when TooLarge.
	AppData []byte
	// Points is how many vertices the route lines have now, OriginalPoints how many they had. Points is 0 when TooLarge.
	Points, OriginalPoints int
	// MaxErrorM is the largest distance in metres from any original vertex to the line as written, never
	// underrated. When TooLarge: the smallest that was reached, 0 when nothing came within the budget.
	MaxErrorM float64
	// Shed names what was shed, in order. Never nil when Fitted.
	Shed []string
	// Chars is the length of AppData. When TooLarge: the smallest length that was seen.
	Chars int
	// ExactChars is the length that the whole document would have; where that is far above the budget it is an estimate.
	ExactChars int
	// UsedExtra says that AppData needs the budget's Extra.
	UsedExtra bool
	// Steps tell what was tried, in order.
	Steps []Step
}

// Step is one rung of the ladder as it was tried.
type Step struct {
	Name     string // exact, simplify, or the shed's name
	Chars    int
	Vertices int     // kept; 0 when it did not fit
	ErrorM   float64 // +Inf when it did not fit
	Decimals int     // that the coordinates have; 0 for exact
	Kept     bool    // false: taken back, or not good enough
	// Estimated says that the numbers are estimates: the step was neither the last nor near what is comfortable.
	Estimated bool
	Duration  time.Duration
}

// Fit makes doc small enough for budget: exactly, or else with simplified route lines. doc is not changed and not
// kept. Equal inputs give equal bytes, and a document that came from Fit comes out as it is. It is safe for
// concurrent use. The error is ErrNotJSON; the package comment tells the method.
//
// A Fitted document that lacks vertices takes 99.5 % of the budget or more. It takes less only where none of the vertices that it lacks can
// be put back: with any one of them it is above the budget, or the error is larger. The one is so where a vertex is more than
// 0.5 % of a small budget, where it is the one with which its line is compressed apart, and where many indices become
// a digit longer; the other where the error is below that of rounding, and on even zigzags. A document that has all its vertices
// takes what it takes; the last thing that it shed was needed for an error that is comfortable.
func Fit(doc []byte, plan Plan, budget Budget) (Result, error) {
	if len(doc) > math.MaxInt32 {
		return Result{Status: TooLarge, Steps: []Step{}}, nil
	}
	w := borrowWorkspace()
	r, err := w.fit(doc, &plan, budget)
	w.release() // not after a panic, when nobody knows what state it is in
	return r, err
}

// fit is Fit in one workspace.
func (w *workspace) fit(doc []byte, plan *Plan, budget Budget) (Result, error) {
	if !w.table.same(plan) {
		w.table.build(plan)
	}
	if err := w.doc.scan(doc, &w.table, plan.Drop); err != nil {
		return Result{}, err
	}
	w.ids.ready, w.on, w.ranked, w.ratio = false, grid{}, ranking{}, 0
	w.estimated, w.all.ready = estimation{limit: -1}, false
	r := Result{OriginalPoints: len(w.doc.at) / 2}
	if w.fitExact(&r, budget) {
		return r, nil
	}
	r.Status = TooLarge
	if !plan.Exact && len(w.doc.lines) > 0 {
		w.climb(&r, plan, budget)
	}
	return r, nil
}

// fitExact tries the document as it came.
func (w *workspace) fitExact(r *Result, budget Budget) bool {
	began := time.Now()
	w.levels = resized(w.levels, len(w.table.plan.Sheds))
	w.fresh(w.levels)
	w.writeExact()
	limit := gzipBytes(budget.Chars + budget.Extra)
	size := w.deflateExact(limit)
	r.ExactChars = base64Chars(size)
	r.Chars = r.ExactChars
	fits := size <= limit
	r.Steps = append(r.Steps, Step{Name: "exact", Chars: r.ExactChars, Kept: fits, Duration: time.Since(began)})
	if !fits {
		r.Steps[0].ErrorM = math.Inf(1)
		return false
	}
	r.Status, r.Points, r.UsedExtra = Exact, r.OriginalPoints, size > gzipBytes(budget.Chars)
	r.Steps[0].Vertices = r.Points
	r.AppData = w.appData(w.packed)
	return true
}

func (w *workspace) appData(packed []byte) []byte {
	return base64.StdEncoding.AppendEncode(make([]byte, 0, base64Chars(len(packed))), packed)
}
