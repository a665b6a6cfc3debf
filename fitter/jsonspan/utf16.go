package jsonspan

import (
	"encoding/binary"
	"unicode/utf8"
)

// UTF16Len returns how many UTF-16 code units b has: the length of the same text as a JavaScript string. A byte
// that is not part of valid UTF-8 counts one, as the replacement character that a decoder puts there.
func UTF16Len(b []byte) int {
	units := 0
	for len(b) > 0 {
		ascii := asciiPrefix(b)
		units += ascii
		b = b[ascii:]
		for len(b) > 0 && b[0] >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(b)
			units++
			if r > 0xffff {
				units++
			}
			b = b[size:]
		}
	}
	return units
}

func asciiPrefix(b []byte) int {
	n := 0
	for ; n+8 <= len(b); n += 8 {
		if binary.LittleEndian.Uint64(b[n:])&0x8080808080808080 != 0 {
			break
		}
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}
