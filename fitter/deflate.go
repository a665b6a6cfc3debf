package fitter

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
)

// gzipFrame is what a gzip member takes around its deflate stream: header and trailer.
const gzipFrame = 10 + 8

// gzipHeader has no time, no name and no operating system, so that equal documents give equal bytes.
var gzipHeader = [10]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

// appendTrailer appends what follows the deflate stream in a gzip member.
func appendTrailer(dst []byte, crc uint32, length int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, crc)
	return binary.LittleEndian.AppendUint32(dst, uint32(length))
}

// deflate compresses w.pieces into w.packed as one gzip member. It stops early, with what it has, once that is
// longer than limit.
func (w *workspace) deflate(limit int) {
	e := &w.encoder
	e.dry = false
	e.bits = bitSink{b: append(w.packed[:0], gzipHeader[:]...)}
	crc, length := uint32(0), 0
	w.lineBits, w.restBits = 0, 0
	for i, p := range w.pieces {
		text := w.text(p)
		before := e.bits.len()
		e.encode(text, p.line, i == len(w.pieces)-1)
		if p.line {
			w.lineBits += e.bits.len() - before
		} else {
			w.restBits += e.bits.len() - before
		}
		crc = crc32.Update(crc, crc32.IEEETable, text)
		length += len(text)
		if len(e.bits.b) > limit {
			break
		}
	}
	e.bits.flush()
	w.packed = appendTrailer(e.bits.b, crc, length)
}

// deflateExact compresses w.pieces and returns the size. Where a sample of the lines says that these alone are far
// above limit, it returns an estimate and compresses nothing.
func (w *workspace) deflateExact(limit int) int {
	if len(w.coords) > 8*sampleStride {
		if lines := w.sampleBits(true) / 8; lines > limit+limit/4 {
			return lines + len(w.rest)/8
		}
	}
	w.deflate(limit + limit/4)
	if len(w.packed) > limit && len(w.doc.lines) == 0 && len(w.rest) > plainStep {
		// The library's encoder is better at long runs of one text, such as a caller's own data may have.
		w.packed = appendPlain(w.packed[:0], w.rest, limit)
	}
	return len(w.packed)
}

// restBitsRoughly counts the bits that everything but the lines takes, from one pass instead of two.
func (w *workspace) restBitsRoughly() int {
	e := &w.encoder
	e.dry, e.once = true, true
	bits := 0
	for i, p := range w.pieces {
		if p.line {
			continue
		}
		e.unseen, e.bits = 0, bitSink{b: w.spareOut[:0]}
		e.encode(w.text(p), false, i == len(w.pieces)-1)
		w.spareOut = e.bits.b
		bits += e.bits.len() + e.unseen
	}
	e.once = false
	return bits - bits*onceExcess/1000
}

// onceExcess is by how much one pass gives more bits than two, in thousandths.
const onceExcess = 20

// A sample is a run of text out of each of a stride. It deflates to more than the same text does in its place: what
// matches would refer to is missing, and each run has codes of its own. restExcess and lineExcess are by how much, in thousandths.
const (
	sampleBytes  = 8 << 10
	sampleStride = 32 << 10
	longText     = 640 << 10 // of which half the runs are enough
	restExcess   = 60
	lineExcess   = 8
)

// sampleBits estimates what the lines, or everything else, deflates to, in bits.
func (w *workspace) sampleBits(line bool) int {
	text := w.rest
	if line {
		text = w.coords
	}
	e := &w.encoder
	e.dry, e.unseen = true, 0
	e.bits = bitSink{b: w.spareOut[:0]}
	defer func() { w.spareOut = e.bits.b }()
	if len(text) <= 2*sampleStride {
		e.encode(text, line, false)
		return e.bits.len() + e.unseen
	}
	sample, stride := w.spareText[:0], sampleStride
	if len(text) > longText {
		stride = 2 * sampleStride
	}
	for at := 0; at < len(text); at += stride {
		sample = append(sample, text[at:min(at+sampleBytes, len(text))]...)
	}
	w.spareText = sample
	e.encode(sample, line, false)
	bits := float64(e.bits.len()+e.unseen) / float64(len(sample)) * float64(len(text))
	if line {
		return int(bits - bits*lineExcess/1000)
	}
	return int(bits - bits*restExcess/1000)
}

// gzipBytes is how many bytes of gzip fit into so many base64 characters.
func gzipBytes(chars int) int { return max(chars, 0) / 4 * 3 }

// base64Chars is how many characters base64 needs for n bytes.
func base64Chars(n int) int { return base64.StdEncoding.EncodedLen(n) }
