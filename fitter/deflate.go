package fitter

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/flate"
)

// coordWindow is how far back, in bytes, a match in coordinate text may reach: about two positions. Farther ones
// cost more bits than the digits they save.
const coordWindow = 48

// gzipFrame is what a gzip member takes around its deflate stream: header and trailer.
const gzipFrame = 10 + 8

// gzipHeader has no time, no name and no operating system, so that equal documents give equal bytes.
var gzipHeader = [10]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

// byteSink collects what an encoder writes.
type byteSink struct{ b []byte }

func (s *byteSink) Write(p []byte) (int, error) {
	s.b = append(s.b, p...)
	return len(p), nil
}

// deflater compresses the pieces of a document, each with the encoder for its kind. Pieces do not refer to one
// another, so the size of one does not depend on the others.
type deflater struct {
	sink         byteSink
	coords, rest *flate.Writer
}

// piece appends the deflate stream of text to dst. last ends the whole stream; otherwise the stream goes on at the
// next byte.
func (d *deflater) piece(dst, text []byte, line, last bool) []byte {
	enc := d.encoder(line)
	d.sink.b = dst
	enc.Reset(&d.sink)
	// The sink takes everything, so neither call can fail.
	_, _ = enc.Write(text)
	if last {
		_ = enc.Close()
	} else {
		_ = enc.Flush()
	}
	dst, d.sink.b = d.sink.b, nil
	return dst
}

func (d *deflater) encoder(line bool) *flate.Writer {
	if line {
		if d.coords == nil {
			d.coords, _ = flate.NewWriterWindow(nil, coordWindow)
		}
		return d.coords
	}
	if d.rest == nil {
		d.rest, _ = flate.NewWriter(nil, 8)
	}
	return d.rest
}

// appendTrailer appends what follows the deflate stream in a gzip member.
func appendTrailer(dst []byte, crc uint32, length int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, crc)
	return binary.LittleEndian.AppendUint32(dst, uint32(length))
}

// deflate compresses w.pieces into w.packed as one gzip member. It stops early, with what it has, once that is
// longer than limit.
func (w *workspace) deflate(limit int) {
	w.packed = append(w.packed[:0], gzipHeader[:]...)
	crc, length := uint32(0), 0
	for i, p := range w.pieces {
		text := w.text(p)
		w.packed = w.deflater.piece(w.packed, text, p.line, i == len(w.pieces)-1)
		if len(w.packed) > limit {
			return
		}
		crc = crc32.Update(crc, crc32.IEEETable, text)
		length += len(text)
	}
	w.packed = appendTrailer(w.packed, crc, length)
}

// sizeOf returns the bytes that the pieces of one kind deflate to. The last piece of the rest ends the stream.
func (w *workspace) sizeOf(line bool) int {
	n := 0
	for i, p := range w.pieces {
		if p.line == line {
			w.spareOut = w.deflater.piece(w.spareOut[:0], w.text(p), line, !line && i == len(w.pieces)-1)
			n += len(w.spareOut)
		}
	}
	return n
}

// gzipBytes is how many bytes of gzip fit into so many base64 characters.
func gzipBytes(chars int) int { return max(chars, 0) / 4 * 3 }

// base64Chars is how many characters base64 needs for n bytes.
func base64Chars(n int) int { return base64.StdEncoding.EncodedLen(n) }

// deflateExact compresses w.pieces and returns the length of the gzip member in w.packed. Beyond half as much again
// as limit it stops, and the length is an estimate.
func (w *workspace) deflateExact(limit int) int {
	w.deflate(limit + limit/2)
	return len(w.packed)
}
