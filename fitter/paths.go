package fitter

import "slices"

// What the scanner does with the value at which a path ends.
const (
	doNothing  = iota
	doFeature  // a feature that holds a route line
	doProps    // the feature's properties
	doGeometry // the feature's geometry
	doType     // the geometry's type
	doCoords   // the geometry's coordinates
	doIndex    // a vertex index
	doShed     // a member that may be shed
)

// pathState is one state of the automaton that follows all paths of a plan at once. State 0 is dead: no path goes
// on from there.
type pathState struct {
	names []string
	next  []int32 // the state below names[i]
	other int32   // the state below any other member, and below every array element
	act   uint8
	shed  int32 // with doShed, which one
}

// pathTable holds the automaton for a plan, with the lists that it was made from.
type pathTable struct {
	plan   Plan
	states []pathState
	root   int32
	inner  []int32 // the states of a feature's geometry and properties
}

// featureNames are the members of a feature that matter, in the order of pathTable.inner.
var featureNames = []string{"geometry", "properties"}

// The states that every table has. A feature's inside does not depend on the plan.
const (
	stateDead = iota
	stateGeometry
	stateType
	stateCoords
	stateFree // the first state of the plan's own
)

// same reports whether the table was made for the paths of plan.
func (t *pathTable) same(plan *Plan) bool {
	return t.states != nil && slices.EqualFunc(t.plan.Lines, plan.Lines, slices.Equal[Path]) &&
		slices.EqualFunc(t.plan.Indices, plan.Indices, slices.Equal[Path]) &&
		slices.EqualFunc(t.plan.Sheds, plan.Sheds, func(a, b Shed) bool {
			return a.Name == b.Name && a.Action == b.Action && slices.Equal(a.Path, b.Path)
		})
}

// pathEnd is a path that is still being followed: what is left of it, and what to do at its end.
type pathEnd struct {
	rest Path
	act  uint8
	shed int32
}

// build makes the table for plan. It copies what it keeps.
func (t *pathTable) build(plan *Plan) {
	t.plan = Plan{}
	for _, p := range plan.Lines {
		t.plan.Lines = append(t.plan.Lines, slices.Clone(p))
	}
	for _, p := range plan.Indices {
		t.plan.Indices = append(t.plan.Indices, slices.Clone(p))
	}
	for _, s := range plan.Sheds {
		t.plan.Sheds = append(t.plan.Sheds, Shed{Name: s.Name, Path: slices.Clone(s.Path), Action: s.Action})
	}
	var lines, props []pathEnd
	for _, p := range t.plan.Lines {
		lines = append(lines, pathEnd{p, doFeature, 0})
	}
	for _, p := range t.plan.Indices {
		props = append(props, pathEnd{p, doIndex, 0})
	}
	for i, s := range t.plan.Sheds {
		props = append(props, pathEnd{s.Path, doShed, int32(i)})
	}
	t.states = append(t.states[:0],
		pathState{},
		pathState{act: doGeometry, names: []string{"type", "coordinates"}, next: []int32{stateType, stateCoords}},
		pathState{act: doType},
		pathState{act: doCoords},
	)
	inner := t.add(props)
	if inner != stateDead {
		t.states[inner].act = doProps
	}
	t.inner = []int32{stateGeometry, inner}
	t.root = t.add(lines)
}

// add makes the state in which all of paths are followed and returns its number. Plans are small trees, so equal
// states are not merged.
func (t *pathTable) add(paths []pathEnd) int32 {
	if len(paths) == 0 {
		return stateDead
	}
	st := pathState{}
	for _, p := range paths {
		if len(p.rest) > 0 {
			continue
		}
		if p.act == doFeature {
			st.act, st.names, st.next = doFeature, slices.Clone(featureNames), slices.Clone(t.inner)
			continue
		}
		if st.act != doShed { // a member to be shed goes before an index of the same place
			st.act, st.shed = p.act, p.shed
		}
	}
	at := int32(len(t.states))
	t.states = append(t.states, st)
	below := func(name string) []pathEnd {
		var on []pathEnd
		for _, p := range paths {
			if len(p.rest) > 0 && (p.rest[0] == "*" || p.rest[0] == name) {
				on = append(on, pathEnd{p.rest[1:], p.act, p.shed})
			}
		}
		return on
	}
	for _, p := range paths {
		if len(p.rest) > 0 && p.rest[0] != "*" && !slices.Contains(st.names, p.rest[0]) {
			st.names = append(st.names, p.rest[0])
			st.next = append(st.next, t.add(below(p.rest[0])))
		}
	}
	st.other = t.add(below("*"))
	t.states[at] = st
	return at
}
