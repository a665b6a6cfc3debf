package fitter

// openFeature reads a feature that may hold a route line. Features may stand inside one another: where one path of a
// plan leads to the root and another on from it, the root of a collection counts as one without a geometry.
func (s *scanner) openFeature(st int32) error {
	outer := s.feature
	s.feature = int32(len(s.features))
	s.features = append(s.features, feature{})
	err := s.object(st)
	s.feature = outer
	return err
}

// openGeometry reads a feature's geometry. Of several the last counts, as in JSON.parse.
func (s *scanner) openGeometry() error {
	f := &s.features[s.feature]
	vertices := int32(len(s.at) / 2)
	switch {
	case f.count == 0:
		f.first, f.lines = vertices, int32(len(s.lines))
		f.edits = int32(len(s.edits))
	case f.first+f.count == vertices:
		s.forget(f)
	default: // other features came between
		return s.object(stateDead)
	}
	s.inside, s.nesting, s.kind = true, 0, 0
	err := s.object(stateGeometry)
	s.inside = false
	if s.nesting != s.kind || s.nesting == 0 {
		s.forget(f)
	}
	return err
}

// forget leaves the lines of the open feature alone that were read up to here.
func (s *scanner) forget(f *feature) {
	for i := int(f.edits); i < len(s.edits) && len(s.lines) > int(f.lines); i++ {
		if e := &s.edits[i]; e.kind == editLine && e.of >= f.lines {
			e.kind = editNone
		}
	}
	s.lines = s.lines[:f.lines]
	s.at = s.at[:2*f.first]
	if len(s.turn) > int(f.first) {
		s.turn = s.turn[:f.first]
	}
	f.count = 0
	f.edits = int32(len(s.edits))
}

// coordinates reads a geometry's coordinates as one line or several. Whatever is not that is left alone.
func (s *scanner) coordinates() error {
	f := &s.features[s.feature]
	s.forget(f)
	start, edits := s.pos, len(s.edits)
	again := func() {
		s.edits = s.edits[:edits]
		s.forget(f)
		s.pos = start
	}
	s.nesting = 1
	if !s.points() {
		again()
		s.nesting = 2
		if !s.parts() {
			again()
			s.nesting = 0
			return s.array(stateDead, -1)
		}
	}
	f.count = int32(len(s.at)/2) - f.first
	return nil
}

// parts reads an array of lines.
func (s *scanner) parts() bool {
	s.pos++
	for {
		s.space()
		if s.peek() != '[' || !s.points() {
			return false
		}
		s.space()
		s.pos++
		switch s.text[min(s.pos, len(s.text))-1] {
		case ',':
		case ']':
			return true
		default:
			return false
		}
	}
}
