package jsonspan

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is what a JSON string holds, with the way back to the escaped bytes it came from.
type Text struct {
	// Bytes is the string decoded. It aliases the document when the string has no escapes, so it must not be
	// written to. A lone surrogate, which UTF-8 cannot express, stays as its six-byte escape: inside an inner
	// JSON text that means the same.
	Bytes []byte

	raw   []byte // between the quotes, as it stands in the document
	start int    // offset of raw in the document
}

// Decode opens the JSON string at span s of doc, which must be part of a text that [Scan] has accepted.
func Decode(doc []byte, s Span) (Text, error) {
	raw, err := inner(doc, s)
	if err != nil {
		return Text{}, err
	}
	t := Text{Bytes: raw, raw: raw, start: s.Start + 1}
	if bytes.IndexByte(raw, '\\') >= 0 {
		t.Bytes = unescape(make([]byte, 0, len(raw)), raw)
	}
	return t, nil
}

// inner returns what stands between the quotes of the string at span s.
func inner(doc []byte, s Span) ([]byte, error) {
	if s.Len() < 2 || doc[s.Start] != '"' || doc[s.End-1] != '"' {
		return nil, fmt.Errorf("%w: no string at byte %d", ErrSyntax, s.Start)
	}
	return doc[s.Start+1 : s.End-1], nil
}

// DecodeInPlace returns what the JSON string at span s of doc, as for [Decode], holds. It writes over doc, which is of no
// further use: what a string holds is no longer than how it is written.
func DecodeInPlace(doc []byte, s Span) ([]byte, error) {
	raw, err := inner(doc, s)
	if err != nil {
		return nil, err
	}
	return unescape(raw[:0], raw), nil
}

// Edits turns edits of t.Bytes, ordered, into edits of the document that t was decoded from, in place: offsets are
// carried over and replacements escaped. Bytes between the edits keep the escapes they have.
func (t Text) Edits(edits []Edit) []Edit {
	at := cursor{raw: t.raw}
	for i := range edits {
		e := &edits[i]
		start := at.seek(e.Span.Start)
		end := at.seek(e.Span.End)
		e.Span = Span{t.start + start, t.start + end}
		if e.With != nil {
			e.With = AppendEscaped(nil, e.With)
		}
	}
	return edits
}

// cursor walks an escaped string and counts what it has decoded to.
type cursor struct {
	raw          []byte
	pos, decoded int
}

// seek moves on to where the decoded offset to stands in raw.
func (c *cursor) seek(to int) int {
	for c.decoded < to && c.pos < len(c.raw) {
		plain := bytes.IndexByte(c.raw[c.pos:], '\\')
		if plain < 0 {
			plain = len(c.raw) - c.pos
		}
		if plain > 0 {
			step := min(plain, to-c.decoded)
			c.pos, c.decoded = c.pos+step, c.decoded+step
			continue
		}
		width, size := escapeSize(c.raw[c.pos:])
		c.pos, c.decoded = c.pos+width, c.decoded+size
	}
	return c.pos
}

// unescape appends the decoded form of raw to dst, which may be raw[:0]. What is no escape is copied, so that any input
// has an answer.
func unescape(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		var width int
		dst, width = appendDecoded(dst, raw[i:])
		raw = raw[i+width:]
	}
}

// escapeSize returns how many bytes the escape at the start of b takes and how many it decodes to.
func escapeSize(b []byte) (width, size int) {
	if len(b) > 1 && (b[1] == 'n' || b[1] == '"') { // nearly all
		return 2, 1
	}
	var room [8]byte
	decoded, width := appendDecoded(room[:0], b)
	return width, len(decoded)
}

// appendDecoded decodes the one escape (or surrogate pair) that b starts with.
func appendDecoded(dst, b []byte) (out []byte, width int) {
	switch escapeLen(b) {
	case 2:
		return append(dst, shortEscape(b[1])), 2
	case 6:
		return appendUnicode(dst, b)
	}
	return append(dst, b[0]), 1
}

func appendUnicode(dst, b []byte) (out []byte, width int) {
	r := hex4(b[2:6])
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), 6
	}
	if escapeLen(b[6:]) == 6 {
		if pair := utf16.DecodeRune(r, hex4(b[8:12])); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), 12
		}
	}
	return append(dst, b[:6]...), 6
}

func hex4(b []byte) rune {
	var r rune
	for _, c := range b {
		d := rune(c - '0')
		if c > '9' {
			d = rune(c|0x20-'a') + 10
		}
		r = r<<4 | d
	}
	return r
}

func shortEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// AppendQuoted appends text as a JSON string with its quotes, escaped as JSON.stringify does. Bytes that are not
// UTF-8 are copied.
func AppendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, text)
	return append(dst, '"')
}

// AppendEscaped appends text as it stands between the quotes of a JSON string.
func AppendEscaped(dst, text []byte) []byte {
	for {
		n := plainLen(text)
		dst = append(dst, text[:n]...)
		if n == len(text) {
			return dst
		}
		c := text[n]
		text = text[n+1:]
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			const hexDigits = "0123456789abcdef"
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
}
