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
	if len(w.coords) > 4*sampleStride {
		for _, s := range samples {
			if lines := w.sampled(s.bytes) / 8; lines > limit+int(float64(limit)*s.excess) {
				return lines + len(w.rest)/8
			}
		}
	}
	w.deflate(limit + limit/4)
	if len(w.packed) > limit && len(w.doc.lines) == 0 && len(w.rest) > plainStep {
		// The library's encoder is better at long runs of one text, such as a caller's own data may have.
		w.packed = appendPlain(w.packed[:0], w.rest, limit)
	}
	return len(w.packed)
}

// sampleStride is out of how many bytes of the lines one run is a sample.
const sampleStride = 64 << 10

// samples are tried in turn: a short one is enough where the lines are several times too large.
var samples = [...]struct {
	bytes  int     // of a run
	excess float64 // over the limit, as a part of it, from which the sample is believed
}{{2 << 10, 1}, {8 << 10, 0.25}}

// sampled estimates what the lines deflate to, in bits, from a run of their text out of each stride.
func (w *workspace) sampled(run int) int {
	sample := w.spareText[:0]
	for at := 0; at < len(w.coords); at += sampleStride {
		sample = append(sample, w.coords[at:min(at+run, len(w.coords))]...)
	}
	w.spareText = sample
	codes, body := w.dryBits(sample, true, false)
	return int(float64(codes+body) / float64(len(sample)) * float64(len(w.coords)))
}

// dryBits is how many bits the blocks of a text would take, written nowhere: their codes, and what is written with these. line and last are as
// for encode.
func (w *workspace) dryBits(text []byte, line, last bool) (codes, body int) {
	e := &w.encoder
	e.dry, e.unseen, e.bits = true, 0, bitSink{b: w.spareOut[:0]}
	e.encode(text, line, last)
	w.spareOut = e.bits.b
	return e.bits.len(), e.unseen
}

// gzipBytes is how many bytes of gzip fit into so many base64 characters.
func gzipBytes(chars int) int { return max(chars, 0) / 4 * 3 }

// base64Chars is how many characters base64 needs for n bytes.
func base64Chars(n int) int { return base64.StdEncoding.EncodedLen(n) }
