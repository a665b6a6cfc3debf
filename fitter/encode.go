package fitter

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// ErrNotAppData says that app data is not the base64 of one gzip member.
var ErrNotAppData = errors.New("not app data")

// ErrTooLong says that a document is longer than the caller allows.
var ErrTooLong = errors.New("document too long")

// byteSink collects what an encoder writes.
type byteSink struct{ b []byte }

func (s *byteSink) Write(p []byte) (int, error) {
	s.b = append(s.b, p...)
	return len(p), nil
}

var wholeEncoders = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		return nil // the level is a constant that flate knows
	}
	return w
}}

// Encode packs doc whole and exact: base64, standard alphabet and padded, of one gzip member. Equal documents
// give equal bytes. The result is the caller's; doc is not changed and need not be JSON.
func Encode(doc []byte) []byte {
	packed := appendPlain(make([]byte, 0, len(doc)/4+64), doc, math.MaxInt)
	return base64.StdEncoding.AppendEncode(make([]byte, 0, base64Chars(len(packed))), packed)
}

// plainStep is how much text goes to the library's encoder between two looks at the size.
const plainStep = 64 << 10

// appendPlain appends doc to dst as one gzip member of the library's encoder. It stops early, with something of no use, once
// that is above limit bytes.
func appendPlain(dst, doc []byte, limit int) []byte {
	sink := byteSink{b: append(dst, gzipHeader[:]...)}
	enc := wholeEncoders.Get().(*flate.Writer)
	enc.Reset(&sink)
	for text := range slices.Chunk(doc, plainStep) {
		if len(sink.b) > limit {
			break
		}
		_, _ = enc.Write(text) // the sink takes everything, so neither call can fail
	}
	_ = enc.Close()
	wholeEncoders.Put(enc)
	return appendTrailer(sink.b, crc32.ChecksumIEEE(doc), len(doc))
}

// Decode unpacks app data: base64, standard alphabet and padded, of exactly one gzip member of at most maxBytes
// decompressed. The document is the caller's. The error wraps ErrNotAppData, or ErrTooLong where the document is
// longer; no more than maxBytes are ever held.
func Decode(appData []byte, maxBytes int64) ([]byte, error) {
	packed, err := base64.StdEncoding.Strict().AppendDecode(nil, appData)
	if err != nil {
		return nil, fmt.Errorf("%w: base64: %w", ErrNotAppData, err)
	}
	in := bytes.NewReader(packed)
	r, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%w: gzip header: %w", ErrNotAppData, err)
	}
	r.Multistream(false)
	doc, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%w: gzip: %w", ErrNotAppData, err)
	}
	if int64(len(doc)) > maxBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLong, maxBytes)
	}
	if in.Len() > 0 {
		return nil, fmt.Errorf("%w: %d bytes follow the gzip member", ErrNotAppData, in.Len())
	}
	return doc, nil
}
