package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// readBuffer is read from a pipe at once.
const readBuffer = 64 << 10

// lineReader cuts a stream into lines. It holds no more than limit bytes of one.
type lineReader struct {
	src   *bufio.Reader
	limit int64
}

func newLineReader(src io.Reader, limit int64) *lineReader {
	return &lineReader{src: bufio.NewReaderSize(src, readBuffer), limit: limit}
}

// byteOrderMark is what programs on Windows put before the first thing that they write.
var byteOrderMark = []byte("\xef\xbb\xbf")

// tooLongError says that a line has more bytes than may be held. The line is over: the next one can be read.
type tooLongError struct {
	id    []byte // the id of the message that it was, raw; nil when none was seen
	limit int64
}

func (e *tooLongError) Error() string { return fmt.Sprintf("a line of more than %d bytes", e.limit) }

// next returns the next line, without its end and without a byte order mark before it; the bytes are the caller's. The last one may have no end. The error is a
// *tooLongError, after which reading goes on, io.EOF, or what reading failed with.
func (r *lineReader) next() ([]byte, error) {
	var line []byte
	for {
		piece, err := r.src.ReadSlice('\n')
		if int64(len(line)+len(piece)) > r.limit+2 {
			return nil, r.tooLong(line, piece, err)
		}
		line = append(line, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)):
			return nil, err
		}
		line = bytes.TrimPrefix(bytes.TrimSuffix(line, []byte{'\n'}), byteOrderMark)
		return bytes.TrimSuffix(line, []byte{'\r'}), nil
	}
}

// tooLong reads a line to its end without keeping it. held and piece are what was read of it, err is what came with
// piece.
func (r *lineReader) tooLong(held, piece []byte, err error) error {
	var ids idFinder
	ids.feed(held)
	for {
		ids.feed(piece)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			piece, err = r.src.ReadSlice('\n')
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		return &tooLongError{id: ids.found(), limit: r.limit}
	}
}

// maxIDBytes bounds the id of a line that is not held.
const maxIDBytes = 256

// idFinder finds the id of a message that passes by in pieces, wherever it stands in it.
type idFinder struct {
	depth             int
	inString, escaped bool
	inValue           bool // of a member of the message
	name, id          []byte
	taking            bool
}

func (f *idFinder) feed(piece []byte) {
	for i := 0; i < len(piece); i++ {
		if f.inString && !f.escaped && f.depth > 1 || f.inString && !f.escaped && f.inValue && !f.taking {
			// Nothing in such a string matters but where it ends.
			skip := bytes.IndexByte(piece[i:], '"')
			if skip < 0 {
				skip = len(piece) - i
			}
			if back := bytes.IndexByte(piece[i:i+skip], '\\'); back >= 0 {
				skip = back
			}
			if i += skip; i == len(piece) {
				return
			}
		}
		f.take(piece[i])
	}
}

func (f *idFinder) take(c byte) {
	if f.inString {
		f.text(c)
		return
	}
	switch c {
	case '"':
		f.inString = true
		if f.depth == 1 && !f.inValue {
			f.name = f.name[:0]
		}
	case ':':
		if f.depth == 1 && !f.inValue {
			f.inValue = true
			if f.taking = string(f.name) == "id"; f.taking {
				f.id = f.id[:0]
			}
			return
		}
	case '{', '[':
		f.depth++
	case '}', ']':
		f.depth--
	case ',':
		if f.depth == 1 {
			f.inValue = false
		}
	}
	f.taking = f.taking && f.inValue && f.depth == 1
	f.keep(c)
}

// text takes a byte of a string.
func (f *idFinder) text(c byte) {
	ends := !f.escaped && c == '"'
	f.escaped = !f.escaped && c == '\\'
	f.inString = !ends
	if f.depth == 1 && !f.inValue && !ends && len(f.name) < 3 {
		f.name = append(f.name, c)
	}
	f.keep(c)
}

func (f *idFinder) keep(c byte) {
	if f.taking && len(f.id) <= maxIDBytes {
		f.id = append(f.id, c)
	}
}

// found returns the id, nil where there was none that is a string or a number.
func (f *idFinder) found() []byte {
	span, err := jsonspan.Scan(f.id)
	if err != nil || len(f.id) > maxIDBytes || jsonspan.IsObject(f.id, span) || jsonspan.IsArray(f.id, span) {
		return nil
	}
	return span.Of(f.id)
}
