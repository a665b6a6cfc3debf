package fitter

import (
	"errors"
	"fmt"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// maxDepth is how deeply arrays and objects may nest. It equals what jsonspan accepts.
const maxDepth = jsonspan.MaxDepth

// maxDegrees bounds a coordinate. What is larger is no position on a map, and its line is left alone.
const maxDegrees = 1000

// What an edit of the document is.
const (
	editNone  = iota // given up after it was noted
	editLine         // the coordinates of one line
	editIndex        // a vertex index
	editCut          // a member that is removed, always or when it is shed
	editThin         // an array element that goes when its array is halved
	editID           // a random id
)

// edit is a place where the document may change, in the order of where they start. of counts in the list that the
// kind has of its own.
type edit struct {
	start, end int32
	kind       uint8
	of         int32
}

// line is one LineString, or one part of a MultiLineString: count vertices from first on.
type line struct {
	first, count int32
	feature      int32
	tails        int32 // where its vertices' third numbers start in document.tails, or −1
	turns        bool  // it crosses the antimeridian
}

// feature is one route: its lines are neighbours.
type feature struct {
	first, count int32 // of its vertices
	edits, lines int32 // how many there were before its geometry
}

// index is a number in a feature's properties that names one of its vertices.
type index struct {
	feature int32
	vertex  int32 // as written, then counted over the whole document; −1: left alone
}

// cut is a member that can be removed. before and after are where its neighbours end and start, −1 without one.
// lead is the cut before it in the same object when nothing but cuts come before it, else −1; first says that
// this cut is the first of its object's members.
type cut struct {
	before, after int32
	shed          int32 // −1: always removed
	lead          int32
	first         bool
}

// thin is one element of an array that can be halved.
type thin struct {
	shed, ordinal, count, after int32
}

// document is what the scanner found. Its text is the caller's and not changed.
type document struct {
	text     []byte
	edits    []edit
	lines    []line
	features []feature
	indices  []index
	cuts     []cut
	thins    []thin
	at       []float64 // x, y of every vertex in degrees; x is unwrapped, so that lines are continuous
	turn     []int8    // x minus the longitude as written, in turns; empty when no line crosses the antimeridian
	tails    []span    // third and further numbers as text
}

// span is a half-open range of offsets in the document.
type span struct{ start, end int32 }

// scanner reads a document once: it checks the grammar and notes what the plan's paths lead to.
type scanner struct {
	*document
	table *pathTable
	drop  []string
	pos   int
	depth int

	feature int32 // the open feature, or −1
	inside  bool  // of a feature's geometry
	nesting int   // of the coordinates: 1 a line, 2 several, 0 something else
	kind    int   // of the geometry's type, in the same terms
}

var errScan = errors.New("bad JSON")

// scan reads text for the paths of table. The error wraps ErrNotJSON.
func (d *document) scan(text []byte, table *pathTable, drop []string) error {
	*d = document{
		text: text, edits: d.edits[:0], lines: d.lines[:0], features: d.features[:0], indices: d.indices[:0],
		cuts: d.cuts[:0], thins: d.thins[:0], at: d.at[:0], turn: d.turn[:0], tails: d.tails[:0],
	}
	s := scanner{document: d, table: table, drop: drop, feature: -1}
	s.space()
	err := s.value(table.root)
	if err == nil {
		if s.space(); s.pos != len(text) {
			err = errScan
		}
	}
	if err != nil {
		return fmt.Errorf("%w: at byte %d", ErrNotJSON, s.pos)
	}
	d.resolve()
	return nil
}

// resolve turns the indices, which count in their feature, into ones that count over the whole document.
func (d *document) resolve() {
	for i := range d.indices {
		x := &d.indices[i]
		f := d.features[x.feature]
		switch {
		case f.count == 0 || x.vertex > f.count:
			x.vertex = -1
		case x.vertex == f.count: // seen on end indices, which then mean the last vertex
			x.vertex = f.first + f.count - 1
		case x.vertex >= 0:
			x.vertex += f.first
		}
	}
}

func (s *scanner) value(st int32) error {
	state := &s.table.states[st]
	switch s.peek() {
	case '{':
		if state.act == doFeature {
			return s.openFeature(st)
		}
		if state.act == doGeometry && s.feature >= 0 {
			return s.openGeometry()
		}
		return s.object(st)
	case '[':
		switch {
		case state.act == doCoords && s.inside:
			return s.coordinates()
		case state.act == doShed && s.table.plan.Sheds[state.shed].Action == Halve:
			return s.array(st, state.shed)
		case state.act == doFeature || state.act == doGeometry:
			st = stateDead // the names inside belong to an object at this place
		}
		return s.array(st, -1)
	case '"':
		return s.stringAt(state)
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	if state.act == doIndex {
		return s.index()
	}
	return s.number()
}

// stringAt reads a string value; ids and the geometry's type are noted.
func (s *scanner) stringAt(state *pathState) error {
	start := s.pos
	escaped, err := s.str()
	if err != nil {
		return err
	}
	switch {
	case state.act == doType && s.inside:
		switch string(s.text[start+1 : s.pos-1]) {
		case "LineString":
			s.kind = 1
		case "MultiLineString":
			s.kind = 2
		default:
			s.kind = 0
		}
	case state.act == doShed && !escaped && s.feature >= 0 && s.table.plan.Sheds[state.shed].Action == ShortenIDs:
		s.note(start, s.pos, editID, state.shed)
	}
	return nil
}

// note adds an edit.
func (s *scanner) note(start, end int, kind uint8, of int32) {
	s.edits = append(s.edits, edit{int32(start), int32(end), kind, of})
}

// index reads a number that may be a vertex index. Only plain digits are one.
func (s *scanner) index() error {
	start := s.pos
	if err := s.number(); err != nil {
		return err
	}
	digits := s.text[start:s.pos]
	if len(digits) > 9 || s.feature < 0 {
		return nil
	}
	v := int32(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return nil
		}
		v = v*10 + int32(c-'0')
	}
	s.note(start, s.pos, editIndex, int32(len(s.indices)))
	s.indices = append(s.indices, index{feature: s.feature, vertex: v})
	return nil
}

// object reads an object whose members are followed from state st.
func (s *scanner) object(st int32) error {
	if s.depth++; s.depth > maxDepth {
		return errScan
	}
	s.pos++
	s.space()
	if s.peek() == '}' {
		s.pos++
		s.depth--
		return nil
	}
	before, lead, leading := int32(-1), int32(-1), true
	for {
		if s.peek() != '"' {
			return errScan
		}
		start := s.pos
		escaped, err := s.str()
		if err != nil {
			return err
		}
		next, shed, removable := s.follow(st, s.text[start+1:s.pos-1], escaped)
		if s.space(); s.peek() != ':' {
			return errScan
		}
		s.pos++
		s.space()
		at, own := len(s.edits), int32(len(s.cuts))
		if removable {
			s.note(start, 0, editCut, own)
			s.cuts = append(s.cuts, cut{before: before, after: -1, shed: shed, lead: -1, first: before < 0})
			if leading {
				s.cuts[own].lead = lead
				lead = own
			}
		} else {
			leading = false
		}
		if err := s.value(next); err != nil {
			return err
		}
		before = int32(s.pos)
		if removable {
			s.edits[at].end = before
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
			s.space()
			if removable {
				s.cuts[own].after = int32(s.pos)
			}
		case '}':
			s.pos++
			s.depth--
			return nil
		default:
			return errScan
		}
	}
}

// follow finds what a member's name leads to, and whether the member can be removed.
func (s *scanner) follow(st int32, name []byte, escaped bool) (next, shed int32, removable bool) {
	if escaped {
		name = unescape(name)
	}
	state := &s.table.states[st]
	next = state.other
	for i, n := range state.names {
		if string(name) == n {
			next = state.next[i]
			break
		}
	}
	for _, n := range s.drop {
		if len(n) == len(name) && n == string(name) { // without a copy of the name
			return stateDead, -1, true
		}
	}
	if to := &s.table.states[next]; to.act == doShed && s.feature >= 0 {
		if s.table.plan.Sheds[to.shed].Action == Remove {
			return next, to.shed, true
		}
	}
	return next, 0, false
}

// array reads an array. Where its elements can be thinned out for a shed, they are noted.
func (s *scanner) array(st, shed int32) error {
	if s.depth++; s.depth > maxDepth {
		return errScan
	}
	s.pos++
	s.space()
	if s.peek() == ']' {
		s.pos++
		s.depth--
		return nil
	}
	first := int32(len(s.thins))
	next, halved := s.table.states[st].other, shed >= 0 && s.feature >= 0
	for ordinal := int32(0); ; ordinal++ {
		at, own := len(s.edits), len(s.thins)
		if halved {
			s.note(s.pos, 0, editThin, int32(own))
			s.thins = append(s.thins, thin{shed: shed, ordinal: ordinal})
		}
		if err := s.value(next); err != nil {
			return err
		}
		if halved {
			s.edits[at].end = int32(s.pos)
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
			s.space()
			if halved {
				s.thins[own].after = int32(s.pos)
			}
		case ']':
			s.pos++
			s.depth--
			if halved {
				s.countThins(first, ordinal+1)
			}
			return nil
		default:
			return errScan
		}
	}
}

// countThins tells the elements of one array how many they are. Arrays inside them have come between.
func (s *scanner) countThins(first, count int32) {
	for i := range s.thins[first:] {
		if t := &s.thins[int(first)+i]; t.count == 0 {
			t.count = count
		}
	}
}
