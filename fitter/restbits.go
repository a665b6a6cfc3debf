package fitter

import "slices"

// What everything but the lines takes is counted once, with nothing shed, and noted along the text. What a shed saves is then the sum
// of what it takes away.

// restBits is that count.
type restBits struct {
	ready  bool
	bits   int
	places []place  // of the document in the text that was counted, after each edit
	length int      // of that text
	upTo   []uint64 // by run of its bytes: the price of what comes before it; at last that of everything
}

// notedRun is how many bytes of the text that was counted share a note.
const notedRun = 16

// place is an offset in the document and where it stands in the text that was counted.
type place struct{ in, out int32 }

// countRest counts the bits that everything but the lines takes with the kept vertices and the live edits.
func (w *workspace) countRest() int {
	w.writeFitted(false)
	return w.countPieces(nil)
}

// countPieces counts the bits of the pieces that are no lines. note is told of each, once it is parsed.
func (w *workspace) countPieces(note func(piece)) int {
	bits := 0
	for i, p := range w.pieces {
		if p.line {
			continue
		}
		codes, body := w.dryBits(w.text(p), false, i == len(w.pieces)-1)
		bits += codes + body
		if note != nil {
			note(p)
		}
	}
	return bits
}

// countAll counts them and notes where in the text how much of that is taken.
func (w *workspace) countAll() {
	r := &w.all
	w.writeFitted(false)
	r.places, w.places = w.places, r.places
	r.upTo, r.length = r.upTo[:0], 0
	price := uint64(0)
	r.bits = w.countPieces(func(piece) {
		p := &w.encoder.parser
		for _, t := range p.tokens {
			length, each := 1, p.prices.literal[t.value&0xff]
			if t.dist > 0 {
				length = int(t.value)
				each = (p.prices.length[length] + p.prices.dist[distCode(int(t.dist))]) / uint32(length)
			}
			for range length {
				if r.length%notedRun == 0 {
					r.upTo = append(r.upTo, price)
				}
				price += uint64(each)
				r.length++
			}
		}
	})
	r.upTo = append(r.upTo, price, price) // so that every offset has a note behind it
	r.ready = true
}

// before is the price of what comes before an offset of the text that was counted.
func (r *restBits) before(offset int) float64 {
	i, into := offset/notedRun, offset%notedRun
	return float64(r.upTo[i]) + float64(r.upTo[i+1]-r.upTo[i])*float64(into)/notedRun
}

// shortIDBits is about what a short id takes, its quotes not counted: they go along with what is around.
const shortIDBits = 11

// lessShed is about what is left of the bits that were counted with the live edits in force.
func (w *workspace) lessShed() int {
	r := &w.all
	price, ids := 0.0, 0
	for i := range w.live {
		e := &w.live[i]
		switch e.kind {
		case editID:
			ids++
		case editCut, editThin:
		default:
			continue
		}
		price += r.before(w.counted(e.end)) - r.before(w.counted(e.start))
	}
	return r.bits - int(price/float64(max(r.upTo[len(r.upTo)-1], 1))*float64(r.bits)) + ids*shortIDBits
}

// counted is where an offset in the document stands in the text that was counted.
func (w *workspace) counted(in int32) int {
	places := w.all.places
	i, found := slices.BinarySearchFunc(places, in, func(p place, in int32) int { return int(p.in) - int(in) })
	switch {
	case found:
		return int(places[i].out)
	case i == 0:
		return int(in)
	}
	return min(int(places[i-1].out)+int(in-places[i-1].in), w.all.length)
}
