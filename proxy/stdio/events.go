package stdio

import "bytes"

// eventDecoder takes the data out of a text/event-stream that comes in pieces. Data of other events than messages is
// left out.
type eventDecoder struct {
	// data gets the data of an event, in pieces, and then end is called, once for each event with data.
	data func(piece []byte)
	end  func()

	field   []byte // of the current line, as far as it is not known to be data
	inData  bool   // the rest of the line is data
	skipGap bool   // one space may stand before the data
	afterCR bool
	other   bool // the event is no message
	hasData bool
}

// maxField bounds what is kept of a line that is no data.
const maxField = 256

func (d *eventDecoder) feed(b []byte) {
	for len(b) > 0 {
		if d.afterCR {
			d.afterCR = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		stop := bytes.IndexAny(b, "\r\n")
		if stop < 0 {
			d.line(b)
			return
		}
		d.line(b[:stop])
		d.lineEnd()
		d.afterCR = b[stop] == '\r'
		b = b[stop+1:]
	}
}

// line takes a piece of a line.
func (d *eventDecoder) line(piece []byte) {
	if !d.inData {
		colon := bytes.IndexByte(piece, ':')
		if colon < 0 || string(d.field)+string(piece[:colon]) != "data" {
			d.field = append(d.field, piece[:min(len(piece), maxField-len(d.field))]...)
			return
		}
		d.startData()
		piece = piece[colon+1:]
	}
	if d.skipGap && len(piece) > 0 {
		d.skipGap = false
		piece = bytes.TrimPrefix(piece, []byte(" "))
	}
	if len(piece) > 0 && !d.other {
		d.data(piece)
	}
}

func (d *eventDecoder) startData() {
	if d.hasData && !d.other {
		d.data([]byte{'\n'})
	}
	d.inData, d.skipGap, d.hasData = true, true, true
	d.field = d.field[:0]
}

func (d *eventDecoder) lineEnd() {
	if d.inData {
		d.inData, d.skipGap = false, false
		return
	}
	name, value, _ := bytes.Cut(d.field, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch {
	case len(d.field) == 0:
		if d.hasData && !d.other {
			d.end()
		}
		d.hasData, d.other = false, false
	case string(name) == "event":
		d.other = len(value) > 0 && string(value) != "message"
	case string(name) == "data":
		d.startData()
		d.inData = false
	}
	d.field = d.field[:0]
}
