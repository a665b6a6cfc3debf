package proxy

import (
	"bytes"
	"errors"
	"io"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// errEventTooLarge says that an event is larger than its reader may hold.
var errEventTooLarge = errors.New("event too large")

// event is one event of a text/event-stream with every byte it came in.
type event struct {
	raw  []byte // up to and with the blank line that ends it; what was not understood is in it, too
	name string // the event: field; "" and "message" are MCP messages
	// lines are the data: lines of raw with their ends, values what stands after "data:" and one space.
	lines, values []jsonspan.Span
	complete      bool // false for what stands at the end of a stream without a blank line, which clients drop
}

// data returns the event's data: its data lines joined by line feeds. With a single line it aliases raw.
func (e event) data() []byte {
	if len(e.values) == 1 {
		return e.values[0].Of(e.raw)
	}
	var joined []byte
	for i, v := range e.values {
		if i > 0 {
			joined = append(joined, '\n')
		}
		joined = append(joined, v.Of(e.raw)...)
	}
	return joined
}

// isMessage reports whether the event carries JSON-RPC.
func (e event) isMessage() bool {
	return e.complete && len(e.values) > 0 && (e.name == "" || e.name == "message")
}

// appendWith appends the event with other data to dst. The new data stands where the first data line was, in that
// line's style; every other line keeps its bytes.
func (e event) appendWith(dst, data []byte) []byte {
	first := e.lines[0]
	field := e.raw[first.Start:e.values[0].Start]
	if bytes.IndexByte(field, ':') < 0 { // the bare name of a field without a value
		field = []byte("data: ")
	}
	end := e.raw[e.values[0].End:first.End]
	dst = append(dst, e.raw[:first.Start]...)
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		dst = append(dst, field...)
		if bytes.HasPrefix(line, []byte{' '}) && field[len(field)-1] == ':' {
			dst = append(dst, ' ') // readers drop one
		}
		dst = append(dst, line...)
		dst = append(dst, end...)
	}
	from := first.End
	for _, line := range e.lines[1:] {
		dst = appendLines(dst, e.raw[from:line.Start])
		from = line.End
	}
	return appendLines(dst, e.raw[from:])
}

// appendLines appends lines that stood elsewhere. A blank one that begins with LF must not become the end of a line
// that ends with CR.
func appendLines(dst, lines []byte) []byte {
	if len(lines) > 0 && lines[0] == '\n' && bytes.HasSuffix(dst, []byte{'\r'}) {
		dst = append(dst, '\n')
	}
	return append(dst, lines...)
}

// newEvent returns a message event in the style of the upstream's. The line ends that may stand between the
// tokens of data, which can come from a host's id or an upstream's result, do not end the event.
func newEvent(data []byte) []byte {
	event := append(make([]byte, 0, len(data)+32), "event: message\n"...)
	for more := true; more; {
		line, rest := data, []byte(nil)
		stop := lineEnd(data)
		if more = stop >= 0; more {
			line, rest = data[:stop], data[stop+1:]
		}
		event = append(append(append(event, "data: "...), line...), '\n')
		data = rest
	}
	return append(event, '\n')
}

// eventReader cuts a text/event-stream into events. It hands out every byte of the stream, in order.
type eventReader struct {
	src   io.Reader
	grow  grower
	limit int // most bytes of one event

	buf      []byte
	pos      int  // what is before it has been handed out
	scanned  int  // end of the lines that the current event has so far
	searched int  // up to here no line ends behind scanned
	start    bool // nothing has been read yet: a byte order mark may come
	afterCR  bool // the event before ended with CR; an LF that follows belongs to it
	err      error

	resumable bool // an event had an id, by which a client may ask for what comes after it
}

const firstEventBuffer = smallestBuffer

// newEventReader returns a reader that holds at most limit bytes of one event, in memory of grow's.
func newEventReader(src io.Reader, limit int, grow grower) *eventReader {
	return &eventReader{src: src, limit: limit, grow: grow, start: true}
}

// grower returns the bytes of b, which is not used any more, with room for size. The error says why they cannot be held;
// there is none for a first buffer, where b is nil.
type grower func(b []byte, size int) ([]byte, error)

// next returns the next event. Its bytes are the reader's until the next call, unless detach takes them away. The
// error is io.EOF at the stream's end, [errEventTooLarge] or the error of grow when the event cannot be held
// (rest returns what was read of it), or what reading failed with.
func (r *eventReader) next() (event, error) {
	ev := event{}
	for {
		line, end, ok := r.line()
		if !ok {
			if err := r.fill(); err != nil {
				return r.last(ev, err)
			}
			continue
		}
		done := r.addLine(&ev, line, end)
		if r.scanned-r.pos > r.limit {
			return event{}, errEventTooLarge
		}
		if done {
			ev.raw, ev.complete = r.buf[r.pos:r.scanned], true
			r.pos = r.scanned
			return ev, nil
		}
	}
}

// last ends a stream: what is left of it comes as an incomplete event before its error does.
func (r *eventReader) last(ev event, err error) (event, error) {
	if errors.Is(err, io.EOF) && r.pos < len(r.buf) {
		ev.raw = r.buf[r.pos:]
		r.pos, r.scanned = len(r.buf), len(r.buf)
		return ev, nil
	}
	return event{}, err
}

// line finds the next whole line: its content and where the line with its end stops. ok is false when more bytes
// are needed. A blank line that ends with CR is whole at once, or its event would wait for the next one.
func (r *eventReader) line() (content jsonspan.Span, end int, ok bool) {
	if r.afterCR && r.scanned < len(r.buf) {
		r.afterCR = false
		if r.buf[r.scanned] == '\n' {
			r.scanned++
		}
	}
	r.searched = max(r.searched, r.scanned)
	stop := lineEnd(r.buf[r.searched:])
	if stop < 0 {
		r.searched = len(r.buf)
		return content, 0, false
	}
	content = jsonspan.Span{Start: r.scanned, End: r.searched + stop}
	r.searched = content.End
	end = content.End + 1
	switch {
	case r.buf[content.End] == '\n':
	case end < len(r.buf):
		if r.buf[end] == '\n' {
			end++
		}
	case content.Len() > 0:
		return content, 0, false
	default:
		r.afterCR = true
	}
	return content, end, true
}

// lineEnd returns where the first CR or LF of b stands, -1 when there is none.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// addLine takes one line into ev. done is true when it was the blank line that ends an event.
func (r *eventReader) addLine(ev *event, line jsonspan.Span, end int) (done bool) {
	lineStart := line.Start
	if r.start {
		r.start = false
		if bytes.HasPrefix(line.Of(r.buf), []byte("\xef\xbb\xbf")) {
			line.Start += 3
			lineStart = line.Start
		}
	}
	r.scanned = end
	content := line.Of(r.buf)
	if len(content) == 0 {
		return true
	}
	field, value, _ := bytes.Cut(content, []byte(":"))
	valueStart := line.End - len(value)
	if len(value) > 0 && value[0] == ' ' {
		valueStart++
	}
	switch string(field) {
	case "data":
		ev.lines = append(ev.lines, jsonspan.Span{Start: lineStart - r.pos, End: end - r.pos})
		ev.values = append(ev.values, jsonspan.Span{Start: valueStart - r.pos, End: line.End - r.pos})
	case "event":
		ev.name = string(r.buf[valueStart:line.End])
	case "id":
		r.resumable = r.resumable || valueStart < line.End
	}
	return false
}

// fill reads more bytes behind the current event's.
func (r *eventReader) fill() error {
	switch {
	case r.err != nil:
		return r.err
	case len(r.buf)-r.pos > r.limit:
		return errEventTooLarge
	}
	if r.pos > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.pos:])]
		r.scanned -= r.pos
		r.searched = max(0, r.searched-r.pos)
		r.pos = 0
	}
	if len(r.buf) == cap(r.buf) {
		grown, err := r.grow(r.buf, max(firstEventBuffer, 2*cap(r.buf)))
		if err != nil {
			return err
		}
		r.buf = grown
	}
	n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	if n > 0 {
		r.err = err // comes after the bytes that came with it
		return nil
	}
	return err
}

// detach leaves the bytes of the event that next returned last to the caller.
func (r *eventReader) detach() {
	rest := r.rest()
	r.buf = nil // fill takes another where there is more to read; most often that was all, and many calls wait now
	if len(rest) > 0 {
		first, _ := r.grow(nil, max(firstEventBuffer, len(rest))) // without an error, as a first buffer
		r.buf = append(first, rest...)
	}
	r.pos, r.scanned, r.searched = 0, 0, 0
}

// leave takes the reader off its buffer, which is not used any more, while nothing is read for long. It is false where too
// much has been read ahead for that.
func (r *eventReader) leave() bool {
	rest := r.rest()
	if len(rest) > firstEventBuffer {
		return false
	}
	r.buf = append([]byte(nil), rest...)
	r.pos, r.scanned, r.searched = 0, 0, 0
	return true
}

// rest returns what has been read and not been handed out by next.
func (r *eventReader) rest() []byte { return r.buf[r.pos:] }
