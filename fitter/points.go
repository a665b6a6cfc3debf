package fitter

import "strconv"

// points reads an array of positions as one line and notes it. It answers false where the array holds anything
// else; the caller then takes back what was read.
func (s *scanner) points() bool {
	start := s.pos
	first := int32(len(s.at) / 2)
	ln := line{first: first, feature: s.feature, tails: -1}
	s.pos++
	s.space()
	if s.peek() == ']' {
		s.pos++
		s.lines = append(s.lines, ln)
		return true
	}
	for {
		if s.peek() != '[' || !s.position(&ln) {
			return false
		}
		s.space()
		c := s.peek()
		s.pos++
		if c == ']' {
			break
		}
		if c != ',' {
			return false
		}
		s.space()
	}
	ln.count = int32(len(s.at)/2) - first
	s.unwrap(&ln)
	s.note(start, s.pos, editLine, int32(len(s.lines)))
	s.lines = append(s.lines, ln)
	return true
}

// position reads one position: two numbers, and further ones that are kept as text.
func (s *scanner) position(ln *line) bool {
	s.pos++
	x, ok := s.degrees()
	if !ok || s.peek() != ',' {
		return false
	}
	s.pos++
	y, ok := s.degrees()
	if !ok {
		return false
	}
	s.at = append(s.at, x, y)
	tail := span{}
	if s.peek() == ',' {
		s.pos++
		s.space()
		tail.start = int32(s.pos)
		for {
			if s.number() != nil {
				return false
			}
			tail.end = int32(s.pos)
			if s.space(); s.peek() != ',' {
				break
			}
			s.pos++
			s.space()
		}
	}
	if s.peek() != ']' {
		return false
	}
	s.pos++
	if tail.end > 0 && ln.tails < 0 {
		n := len(s.at)/2 - 1 - int(ln.first)
		ln.tails = int32(len(s.tails))
		for range n {
			s.tails = append(s.tails, span{})
		}
	}
	if ln.tails >= 0 {
		s.tails = append(s.tails, tail)
	}
	return true
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16}

// degrees reads a number and the white space around it. The usual ones have so few digits that one division gives
// the nearest float64.
func (s *scanner) degrees() (float64, bool) {
	s.space()
	text, i := s.text, s.pos
	negative := i < len(text) && text[i] == '-'
	if negative {
		i++
	}
	digits, whole := uint64(0), i
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		digits = digits*10 + uint64(text[i]-'0')
	}
	n, fraction := i-whole, 0
	if n == 0 || (n > 1 && text[whole] == '0') {
		return 0, false
	}
	if i < len(text) && text[i] == '.' {
		from := i + 1
		for i = from; i < len(text) && text[i]-'0' <= 9; i++ {
			digits = digits*10 + uint64(text[i]-'0')
		}
		if fraction = i - from; fraction == 0 {
			return 0, false
		}
	}
	if n+fraction > 15 || (i < len(text) && (text[i] == 'e' || text[i] == 'E')) {
		return s.slowDegrees()
	}
	v := float64(digits) / powersOfTen[fraction]
	if negative {
		v = -v
	}
	s.pos = i
	s.space()
	return v, v <= maxDegrees && v >= -maxDegrees
}

func (s *scanner) slowDegrees() (float64, bool) {
	start := s.pos
	if s.number() != nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(s.text[start:s.pos]), 64)
	s.space()
	return v, err == nil && v <= maxDegrees && v >= -maxDegrees
}

// unwrap makes a line continuous where it crosses the antimeridian: a step of more than half a turn is taken the
// short way.
func (s *scanner) unwrap(ln *line) {
	at := s.at[2*ln.first:]
	turn := int8(0)
	for i := 2; i < len(at); i += 2 {
		x := at[i] + 360*float64(turn)
		for x-at[i-2] > 180 && turn > -100 {
			turn--
			x -= 360
		}
		for x-at[i-2] < -180 && turn < 100 {
			turn++
			x += 360
		}
		if turn == 0 {
			continue
		}
		if !ln.turns {
			ln.turns = true
			for len(s.turn) < len(s.at)/2 {
				s.turn = append(s.turn, 0)
			}
		}
		at[i] = x
		s.turn[int(ln.first)+i/2] = turn
	}
}
