package fitter

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

func (s *scanner) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

// peek is the byte at the position, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *scanner) literal(word string) error {
	if len(s.text)-s.pos < len(word) || string(s.text[s.pos:s.pos+len(word)]) != word {
		return errScan
	}
	s.pos += len(word)
	return nil
}

// str reads a string and says whether it has escapes.
func (s *scanner) str() (escaped bool, err error) {
	text := s.text
	for i := s.pos + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			s.pos = i + 1
			return escaped, nil
		case c < ' ':
			s.pos = i
			return false, errScan
		case c == '\\':
			escaped = true
			n := escapeLen(text[i:])
			if n == 0 {
				s.pos = i
				return false, errScan
			}
			i += n - 1
		}
	}
	s.pos = len(text)
	return false, errScan
}

// escapeLen is the length of the escape at the start of b, 0 when it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), b[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(b) < 6 {
		return 0
	}
	for _, c := range b[2:6] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return 0
		}
	}
	return 6
}

// number reads a number by the grammar of RFC 8259.
func (s *scanner) number() error {
	n := numberLen(s.text[s.pos:])
	if n == 0 {
		return errScan
	}
	s.pos += n
	return nil
}

func numberLen(b []byte) int {
	i := 0
	digits := func() bool {
		start := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return 0
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}

// unescape decodes the inside of a JSON string that str has accepted.
func unescape(inside []byte) []byte {
	var out []byte
	for i := 0; i < len(inside); i++ {
		if inside[i] != '\\' {
			out = append(out, inside[i])
			continue
		}
		i++
		if c := bytes.IndexByte([]byte("bfnrt"), inside[i]); c >= 0 {
			out = append(out, "\b\f\n\r\t"[c])
			continue
		}
		if inside[i] != 'u' {
			out = append(out, inside[i])
			continue
		}
		v, err := strconv.ParseUint(string(inside[i+1:i+5]), 16, 32)
		if err != nil {
			return nil
		}
		out = utf8.AppendRune(out, rune(v))
		i += 4
	}
	return out
}
