package jsonspan

import (
	"bytes"
	"iter"
	"strconv"
)

// The functions of this file walk text that [Scan] has accepted. On any other text they may stop early, but they
// neither panic nor read outside of it.

// Member is one name and value of an object. Name includes the quotes.
type Member struct{ Name, Value Span }

// Whole returns the span from the name's opening quote to the value's end.
func (m Member) Whole() Span { return Span{m.Name.Start, m.Value.End} }

// Named reports whether the member's name, escapes decoded, is name.
func (m Member) Named(doc []byte, name string) bool {
	inner := doc[m.Name.Start+1 : m.Name.End-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	return string(unescape(nil, inner)) == name
}

// Members yields the members of the object at span object, in order. It yields nothing when another kind of value
// stands there.
func Members(doc []byte, object Span) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		if !IsObject(doc, object) {
			return
		}
		i := skipSpace(doc, object.Start+1)
		for i < object.End && doc[i] == '"' {
			name := Span{i, skipString(doc, i)}
			if name.Len() < 2 {
				return
			}
			colon := skipSpace(doc, name.End)
			value := valueAt(doc, skipSpace(doc, min(colon+1, len(doc))))
			if value.End > object.End || !yield(Member{name, value}) {
				return
			}
			i = skipSpace(doc, value.End)
			if i < object.End && doc[i] == ',' {
				i = skipSpace(doc, i+1)
			}
		}
	}
}

// Elements yields the elements of the array at span array, in order. It yields nothing when another kind of value
// stands there.
func Elements(doc []byte, array Span) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		if !IsArray(doc, array) {
			return
		}
		i := skipSpace(doc, array.Start+1)
		for i < array.End-1 {
			value := valueAt(doc, i)
			if value.Len() == 0 || value.End > array.End || !yield(value) {
				return
			}
			i = skipSpace(doc, value.End)
			if i < array.End && doc[i] == ',' {
				i = skipSpace(doc, i+1)
			}
		}
	}
}

// Find returns the member called name of the object at span object. Of several it returns the last, which is the
// one that JSON.parse keeps. ok is false when there is none, or no object.
func Find(doc []byte, object Span, name string) (m Member, ok bool) {
	for member := range Members(doc, object) {
		if member.Named(doc, name) {
			m, ok = member, true
		}
	}
	return m, ok
}

// Lookup follows member names from the value at span root and returns the value it ends at.
func Lookup(doc []byte, root Span, path ...string) (value Span, ok bool) {
	value = root
	for _, name := range path {
		m, found := Find(doc, value, name)
		if !found {
			return Span{}, false
		}
		value = m.Value
	}
	return value, true
}

// IsObject reports whether an object stands at span value.
func IsObject(doc []byte, value Span) bool { return startsWith(doc, value, '{') }

// IsArray reports whether an array stands at span value.
func IsArray(doc []byte, value Span) bool { return startsWith(doc, value, '[') }

// IsString reports whether a string stands at span value.
func IsString(doc []byte, value Span) bool { return startsWith(doc, value, '"') }

func startsWith(doc []byte, value Span, c byte) bool {
	return value.Len() > 0 && doc[value.Start] == c
}

// valueAt returns the span of the value that starts at i.
func valueAt(doc []byte, i int) Span {
	if i >= len(doc) {
		return Span{len(doc), len(doc)}
	}
	switch doc[i] {
	case '"':
		return Span{i, skipString(doc, i)}
	case '{', '[':
		return Span{i, skipContainer(doc, i)}
	}
	end := i
	for end < len(doc) && !isDelimiter(doc[end]) {
		end++
	}
	return Span{i, end}
}

func isDelimiter(c byte) bool { return c == ',' || c == '}' || c == ']' || c == ':' || isSpace(c) }

// skipString returns the offset after the closing quote of the string that starts at i.
func skipString(doc []byte, i int) int {
	for i++; i < len(doc); {
		quote := bytes.IndexByte(doc[i:], '"')
		if quote < 0 {
			return len(doc)
		}
		i += quote + 1
		backslashes := 0
		for doc[i-2-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i
		}
	}
	return len(doc)
}

// skipContainer returns the offset after the bracket that closes the one at i. Which kind of bracket closes which
// was checked by Scan; only the depth matters here.
func skipContainer(doc []byte, i int) int {
	depth := 0
	for i < len(doc) {
		switch doc[i] {
		case '"':
			i = skipString(doc, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(doc)
}

// ScalarKey returns the same string for strings, and for numbers, that are the same JSON value, however they are
// spelled: whoever parses and writes them again may answer 1.0 with 1 and "\u0061" with "a". Everything else is its own
// key. s is the span of a value of a doc that [Scan] has accepted.
func ScalarKey(doc []byte, s Span) string {
	raw := s.Of(doc)
	switch {
	case IsString(doc, s):
		if text, err := Decode(doc, s); err == nil {
			return `"` + string(text.Bytes)
		}
	case len(raw) > 0 && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9'):
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	return string(raw)
}
