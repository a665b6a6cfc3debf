package fitter

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// grid is a number of decimals that coordinates are written with.
type grid struct {
	decimals int
	scale    float64
}

var (
	metreGrid = grid{5, 1e5} // half a unit is 0.56 m
	fineGrid  = grid{6, 1e6}
)

// round returns the coordinate, in degrees, that is written for v.
func (g grid) round(v float64) float64 { return math.Floor(v*g.scale+0.5) / g.scale }

// negative marks packed digits of a number below zero.
const negative = 1 << 63

// pairs holds two digits, packed, for each number below 100.
var pairs = func() (t [100]uint8) {
	for i := range t {
		t[i] = uint8(i/10<<4 | i%10)
	}
	return t
}()

// digitsOf packs a coordinate as it is written, without its point, as binary-coded decimals: so the digits in which two
// agree are found by comparing words. units is the coordinate in units of its last decimal.
func digitsOf(units int64) uint64 {
	packed := uint64(0)
	if units < 0 {
		packed, units = negative, -units
	}
	for shift, u := 0, uint32(units); u > 0; shift += 8 {
		packed |= uint64(pairs[u%100]) << shift
		u /= 100
	}
	return packed
}

// digitsAfter is how many digits of a coordinate, zeros at its end left out, differ from the one before it.
func digitsAfter(before, after uint64, decimals int) uint32 {
	differ := (bits.Len64(before^after) + 3) >> 2
	zeros := min(bits.TrailingZeros64(after)>>2, decimals)
	return uint32(max(differ-zeros, 0))
}

// appendCoordinate writes packed digits with no more of them than the number needs: as JavaScript prints it.
func appendCoordinate(dst []byte, packed uint64, decimals int) []byte {
	dst = slices.Grow(dst, coordinateBytes)
	b, n := dst[len(dst):len(dst)+coordinateBytes], 0
	if packed&negative != 0 {
		b[0], n = '-', 1
		packed &^= negative
	}
	whole := packed >> (4 * decimals)
	digits := max((bits.Len64(whole)+3)>>2, 1)
	binary.BigEndian.PutUint64(b[n:], ascii(whole)<<(64-8*digits))
	n += digits
	if zeros := bits.TrailingZeros64(packed) >> 2; zeros < decimals {
		b[n] = '.'
		binary.BigEndian.PutUint64(b[n+1:], ascii(packed)<<(64-8*decimals))
		n += 1 + decimals - zeros
	}
	return dst[:len(dst)+n]
}

// coordinateBytes is the room that appendCoordinate needs: a sign, whole digits, a point, and two times what it writes at once.
const coordinateBytes = 24

// ascii unpacks the lowest eight digits, the last one into the lowest byte.
func ascii(packed uint64) uint64 {
	packed &= 1<<32 - 1
	packed = (packed | packed<<16) & 0x0000ffff0000ffff
	packed = (packed | packed<<8) & 0x00ff00ff00ff00ff
	packed = (packed | packed<<4) & 0x0f0f0f0f0f0f0f0f
	return packed | 0x3030303030303030
}

// writeOn fills w.written and w.digits with the positions of all vertices as a grid writes them.
func (w *workspace) writeOn(g grid) {
	if w.on == g {
		return
	}
	w.on = g
	n := len(w.doc.at)
	w.written, w.digits, w.degrees = grow(w.written, n), grow(w.digits, n), grow(w.degrees, n/2)
	for i, v := range w.doc.at {
		units := math.Floor(v*g.scale + 0.5)
		w.written[i] = units / g.scale
		w.digits[i] = digitsOf(int64(units))
	}
	for i := range w.degrees {
		w.degrees[i] = metresOfLongitude(math.Abs(w.written[2*i+1]))
	}
	for i, turns := range w.doc.turn { // what is written has no turns
		if turns != 0 {
			units := math.Floor(w.doc.at[2*i]*g.scale + 0.5)
			w.digits[2*i] = digitsOf(int64(units) - int64(turns)*360*int64(g.scale))
		}
	}
}
