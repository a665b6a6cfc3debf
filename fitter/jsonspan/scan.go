package jsonspan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// MaxDepth is how deeply objects and arrays may nest in a text that [Scan] accepts.
const MaxDepth = 10_000

// ErrSyntax says that a text is not one JSON value. Errors from [Scan] wrap it with the offset.
var ErrSyntax = errors.New("not a JSON text")

// ErrTooDeep says that a text nests more than [MaxDepth] levels. Whether the rest of it is JSON is not known. It wraps
// [ErrSyntax].
var ErrTooDeep = fmt.Errorf("%w: more than %d levels deep", ErrSyntax, MaxDepth)

// Span is a half-open range of byte offsets in a text. The zero Span is empty.
type Span struct{ Start, End int }

// Of returns the bytes of doc in s. They alias doc.
func (s Span) Of(doc []byte) []byte { return doc[s.Start:s.End] }

// Len returns the number of bytes in s.
func (s Span) Len() int { return s.End - s.Start }

// Contains reports whether all of t lies within s.
func (s Span) Contains(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// Scan checks that doc is exactly one JSON value, with white space around it or not, and returns the value's
// span without that white space. The error wraps [ErrSyntax], and [ErrTooDeep] where that is why. Time is linear; memory is one byte a level of
// nesting. doc is not kept.
func Scan(doc []byte) (Span, error) {
	s := scanner{doc: doc}
	start := skipSpace(doc, 0)
	s.pos = start
	if err := s.document(); err != nil {
		return Span{}, err
	}
	if rest := skipSpace(doc, s.pos); rest != len(doc) {
		s.pos = rest
		return Span{}, s.fail("something follows the value")
	}
	return Span{start, s.pos}, nil
}

// scanner walks a text that may be anything. It keeps its own stack, so that hostile nesting costs bytes and not
// goroutine stack.
type scanner struct {
	doc  []byte
	pos  int
	open []byte // '{' and '[' not yet closed, outermost first
}

func (s *scanner) fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrSyntax, what, s.pos)
}

// document consumes one whole value, however deep.
func (s *scanner) document() error {
	for {
		opened, err := s.value()
		if err != nil {
			return err
		}
		if opened {
			continue
		}
		done, err := s.close()
		if done || err != nil {
			return err
		}
	}
}

// value consumes a scalar, an empty object or array (false), or the opening of a non-empty one up to its first
// value (true).
func (s *scanner) value() (opened bool, err error) {
	s.pos = skipSpace(s.doc, s.pos)
	if s.pos == len(s.doc) {
		return false, s.fail("the text ends early")
	}
	switch c := s.doc[s.pos]; c {
	case '{', '[':
		return s.container(c)
	case '"':
		return false, s.str()
	case 't':
		return false, s.literal("true")
	case 'f':
		return false, s.literal("false")
	case 'n':
		return false, s.literal("null")
	default:
		return false, s.number()
	}
}

func (s *scanner) container(c byte) (opened bool, err error) {
	if len(s.open) == MaxDepth {
		return false, fmt.Errorf("%w at byte %d", ErrTooDeep, s.pos)
	}
	s.pos = skipSpace(s.doc, s.pos+1)
	if s.pos < len(s.doc) && s.doc[s.pos] == c+2 { // '}' is '{'+2 and ']' is '['+2
		s.pos++
		return false, nil
	}
	s.open = append(s.open, c)
	if c == '{' {
		return true, s.name()
	}
	return true, nil
}

// close consumes what follows a value: closing brackets, then a comma (false) or the end of the document (true).
func (s *scanner) close() (done bool, err error) {
	for len(s.open) > 0 {
		s.pos = skipSpace(s.doc, s.pos)
		if s.pos == len(s.doc) {
			return false, s.fail("the text ends early")
		}
		top := s.open[len(s.open)-1]
		switch s.doc[s.pos] {
		case ',':
			s.pos++
			if top == '{' {
				return false, s.name()
			}
			return false, nil
		case top + 2:
			s.pos++
			s.open = s.open[:len(s.open)-1]
		default:
			return false, s.fail("expected a comma or a closing bracket")
		}
	}
	return true, nil
}

// name consumes a member's name and its colon.
func (s *scanner) name() error {
	s.pos = skipSpace(s.doc, s.pos)
	if s.pos == len(s.doc) || s.doc[s.pos] != '"' {
		return s.fail("expected a member's name")
	}
	if err := s.str(); err != nil {
		return err
	}
	s.pos = skipSpace(s.doc, s.pos)
	if s.pos == len(s.doc) || s.doc[s.pos] != ':' {
		return s.fail("expected a colon")
	}
	s.pos++
	return nil
}

func (s *scanner) str() error {
	i := s.pos + 1
	for {
		i += plainLen(s.doc[i:])
		if i == len(s.doc) {
			s.pos = i
			return s.fail("a string does not end")
		}
		switch s.doc[i] {
		case '"':
			s.pos = i + 1
			return nil
		case '\\':
			n := escapeLen(s.doc[i:])
			if n == 0 {
				s.pos = i
				return s.fail("bad escape")
			}
			i += n
		default:
			s.pos = i
			return s.fail("control character in a string")
		}
	}
}

// plainLen returns how many bytes of b stand for themselves in a JSON string: what comes before the first quote,
// backslash or control character.
func plainLen(b []byte) int {
	n := 0
	for ; n+8 <= len(b); n += 8 {
		if found := special(binary.LittleEndian.Uint64(b[n:])); found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(b) && b[n] >= 0x20 && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

// Eight bytes in one word: a one and the highest bit in each.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special returns a word in which the lowest bit that is set is the highest one of the first byte, in the order of the
// text, that plainLen looks for; 0 when there is none. What is above that bit means nothing.
//
// A subtraction borrows through a byte that is smaller than what is taken from it, and there sets the highest bit.
func special(w uint64) uint64 {
	quote, backslash := w^'"'*ones, w^'\\'*ones
	return (w-0x20*ones)&^w&highs | (quote-ones)&^quote&highs | (backslash-ones)&^backslash&highs
}

// escapeLen returns the length of the escape that b starts with, 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5]) {
			return 6
		}
	}
	return 0
}

func (s *scanner) literal(word string) error {
	if !bytes.HasPrefix(s.doc[s.pos:], []byte(word)) {
		return s.fail("unknown word")
	}
	s.pos += len(word)
	return nil
}

func (s *scanner) number() error {
	i := s.pos
	if i < len(s.doc) && s.doc[i] == '-' {
		i++
	}
	whole := digits(s.doc, i)
	if whole == i || (s.doc[i] == '0' && whole > i+1) {
		return s.fail("expected a value")
	}
	i = whole
	if i < len(s.doc) && s.doc[i] == '.' {
		end := digits(s.doc, i+1)
		if end == i+1 {
			return s.fail("bad number")
		}
		i = end
	}
	if i < len(s.doc) && s.doc[i]|0x20 == 'e' {
		i++
		if i < len(s.doc) && (s.doc[i] == '+' || s.doc[i] == '-') {
			i++
		}
		end := digits(s.doc, i)
		if end == i {
			return s.fail("bad number")
		}
		i = end
	}
	s.pos = i
	return nil
}

func digits(doc []byte, i int) int {
	for i < len(doc) && '0' <= doc[i] && doc[i] <= '9' {
		i++
	}
	return i
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func skipSpace(doc []byte, i int) int {
	for i < len(doc) && isSpace(doc[i]) {
		i++
	}
	return i
}
