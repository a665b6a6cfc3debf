package fitter

import "strconv"

// ownPiece is how many vertices a written line must have to be compressed apart from the rest of the document.
// Shorter ones do not pay for Huffman tables of their own.
const ownPiece = 64

// piece is a run of the new document that is compressed as one. Its bytes stand in w.rest or, for a line, in
// w.coords.
type piece struct {
	line       bool
	start, end int
}

// fresh makes the edits that are in force when the sheds stand at levels: w.live. A cut or a dropped element gets
// the bytes that it takes away, its comma with it; what was noted inside it is gone.
func (w *workspace) fresh(levels []int) {
	w.live = w.live[:0]
	end := int32(0)
	for i := range w.doc.edits {
		e := w.doc.edits[i]
		if e.start < end || e.kind == editNone {
			continue
		}
		switch e.kind {
		case editCut:
			if !w.cutNow(e.of, levels) {
				continue
			}
			e = w.cutSpan(e, levels)
		case editThin:
			t := w.doc.thins[e.of]
			if keepThin(t, levels[t.shed]) {
				continue
			}
			e.end = t.after
		case editID:
			if levels[e.of] == 0 || w.shortID(i) == nil {
				continue
			}
			e.of = int32(i)
		}
		if e.kind == editCut || e.kind == editThin {
			end = e.end
		}
		w.live = append(w.live, e)
	}
}

func (w *workspace) cutNow(at int32, levels []int) bool {
	c := &w.doc.cuts[at]
	return c.shed < 0 || levels[c.shed] > 0
}

// cutSpan widens the edit of a cut in force by the comma and white space that go with it: those before it, or
// those after it where no member stays before it.
func (w *workspace) cutSpan(e edit, levels []int) edit {
	c := &w.doc.cuts[e.of]
	stays := !c.first && c.lead < 0
	for lead := c.lead; lead >= 0 && !stays; lead = w.doc.cuts[lead].lead {
		stays = !w.cutNow(lead, levels)
	}
	switch {
	case stays:
		e.start = c.before
	case c.after >= 0:
		e.end = c.after
	}
	return e
}

// keepThin reports whether an element stays after its array was halved so many times. The first and the last
// always do.
func keepThin(t thin, times int) bool {
	return t.ordinal&(1<<times-1) == 0 || t.ordinal == t.count-1
}

// writeExact puts the document into pieces as it came, less what is always removed.
func (w *workspace) writeExact() {
	w.startPieces()
	at := int32(0)
	for i := range w.live {
		e := &w.live[i]
		switch {
		case e.kind == editCut:
			w.rest = append(w.rest, w.doc.text[at:e.start]...)
			at = e.end
		case e.kind == editLine && w.doc.lines[e.of].count >= ownPiece:
			w.rest = append(w.rest, w.doc.text[at:e.start]...)
			w.endPiece()
			w.coords = append(w.coords, w.doc.text[e.start:e.end]...)
			w.linePiece(int(e.end - e.start))
			at = e.end
		}
	}
	w.rest = append(w.rest, w.doc.text[at:]...)
	w.endPiece()
}

// writeFitted puts the document into pieces with the kept vertices only, and the live edits made. Without lines, those that are
// pieces of their own are empty, and w.places says what went where.
func (w *workspace) writeFitted(lines bool) {
	w.startPieces()
	w.places = w.places[:0]
	at, from := int32(0), 0
	for i := range w.live {
		e := &w.live[i]
		if e.kind == editIndex && w.doc.indices[e.of].vertex < 0 {
			continue
		}
		w.rest = append(w.rest, w.doc.text[at:e.start]...)
		at = e.end
		switch e.kind {
		case editIndex:
			w.rest = strconv.AppendInt(w.rest, int64(w.moved[w.doc.indices[e.of].vertex]), 10)
		case editID:
			w.rest = append(w.rest, w.shortID(int(e.of))...)
		case editLine:
			ln := &w.doc.lines[e.of]
			n := w.keptOf(ln, from)
			w.writeWhere(ln, w.kept[from:from+n], lines)
			from += n
		}
		if !lines {
			w.places = append(w.places, place{e.end, int32(len(w.rest))})
		}
	}
	w.rest = append(w.rest, w.doc.text[at:]...)
	w.endPiece()
}

// writeWhere writes a line with the rest or, where it is long, as a piece of its own if those are asked for.
func (w *workspace) writeWhere(ln *line, kept []int32, pieces bool) {
	if len(kept) < ownPiece {
		w.rest = w.writeLine(w.rest, ln, kept)
		return
	}
	w.endPiece()
	start := len(w.coords)
	if pieces {
		w.coords = w.writeLine(w.coords, ln, kept)
	}
	w.linePiece(len(w.coords) - start)
}

// keptOf is how many of the kept vertices from position from on belong to a line.
func (w *workspace) keptOf(ln *line, from int) int {
	n, end := 0, ln.first+ln.count
	for from+n < len(w.kept) && w.kept[from+n] < end {
		n++
	}
	return n
}

func (w *workspace) startPieces() {
	w.rest, w.coords, w.pieces = w.rest[:0], w.coords[:0], w.pieces[:0]
	w.pieceStart = 0
}

// endPiece closes the piece of w.rest that is being written.
func (w *workspace) endPiece() {
	w.pieces = append(w.pieces, piece{false, w.pieceStart, len(w.rest)})
	w.pieceStart = len(w.rest)
}

func (w *workspace) linePiece(n int) {
	w.pieces = append(w.pieces, piece{true, len(w.coords) - n, len(w.coords)})
}

// text returns a piece's bytes.
func (w *workspace) text(p piece) []byte {
	if p.line {
		return w.coords[p.start:p.end]
	}
	return w.rest[p.start:p.end]
}

// writeLine appends the coordinates array of a line with its kept vertices only.
func (w *workspace) writeLine(dst []byte, ln *line, kept []int32) []byte {
	if len(kept) == 0 {
		return append(dst, "[]"...)
	}
	dst = w.writePositions(append(dst, '['), ln, kept)
	dst[len(dst)-1] = ']'
	return dst
}

// writePositions appends positions, each followed by a comma.
func (w *workspace) writePositions(dst []byte, ln *line, kept []int32) []byte {
	for _, v := range kept {
		dst = append(dst, '[')
		dst = appendCoordinate(dst, w.digits[2*v], w.on.decimals)
		dst = append(dst, ',')
		dst = appendCoordinate(dst, w.digits[2*v+1], w.on.decimals)
		if ln.tails >= 0 {
			if t := w.doc.tails[ln.tails+v-ln.first]; t.end > 0 {
				dst = append(dst, ',')
				dst = append(dst, w.doc.text[t.start:t.end]...)
			}
		}
		dst = append(dst, ']', ',')
	}
	return dst
}
