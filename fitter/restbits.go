package fitter

import "slices"

// What everything but the lines takes is counted once, with nothing shed, and noted by the byte. What a shed saves is then the sum
// of what it takes away.

// restBits is that count.
type restBits struct {
	ready  bool
	bits   int
	places []place  // of the document in the text that was counted, after each edit
	upTo   []uint32 // by byte of that text: the price of what comes before it
}

// place is an offset in the document and where it stands in the text that was counted.
type place struct{ in, out int32 }

// countRest counts the bits that everything but the lines takes with the kept vertices and the live edits.
func (w *workspace) countRest() int {
	w.writeFitted(false)
	return w.countPieces(nil)
}

// countPieces counts the bits of the pieces that are no lines. note is told of each, once it is parsed.
func (w *workspace) countPieces(note func(piece)) int {
	e := &w.encoder
	e.dry = true
	bits := 0
	for i, p := range w.pieces {
		if p.line {
			continue
		}
		e.unseen, e.bits = 0, bitSink{b: w.spareOut[:0]}
		e.encode(w.text(p), false, i == len(w.pieces)-1)
		w.spareOut = e.bits.b
		bits += e.bits.len() + e.unseen
		if note != nil {
			note(p)
		}
	}
	return bits
}

// countAll counts them and notes what each byte takes.
func (w *workspace) countAll() {
	r := &w.all
	w.writeFitted(false)
	r.places, w.places = w.places, r.places
	r.upTo = grow(r.upTo, len(w.rest)+1)
	price, at := uint32(0), 0
	r.bits = w.countPieces(func(piece) {
		p := &w.encoder.parser
		for _, t := range p.tokens {
			length, each := 1, p.prices.literal[t.value&0xff]
			if t.dist > 0 {
				length = int(t.value)
				each = (p.prices.length[length] + p.prices.dist[distCode(int(t.dist))]) / uint32(length)
			}
			for range length {
				r.upTo[at] = price
				price += each
				at++
			}
		}
	})
	r.upTo[at] = price
	r.ready = true
}

// shortIDBits is about what a short id takes, its quotes not counted: they go along with what is around.
const shortIDBits = 11

// lessShed is about what is left of the bits that were counted with the live edits in force.
func (w *workspace) lessShed() int {
	r := &w.all
	price, ids := uint32(0), 0
	for i := range w.live {
		e := &w.live[i]
		switch e.kind {
		case editID:
			ids++
		case editCut, editThin:
		default:
			continue
		}
		price += r.upTo[w.counted(e.end)] - r.upTo[w.counted(e.start)]
	}
	whole := max(r.upTo[len(r.upTo)-1], 1)
	return r.bits - int(float64(price)/float64(whole)*float64(r.bits)) + ids*shortIDBits
}

// counted is where an offset in the document stands in the text that was counted.
func (w *workspace) counted(in int32) int32 {
	places := w.all.places
	i, found := slices.BinarySearchFunc(places, in, func(p place, in int32) int { return int(p.in) - int(in) })
	switch {
	case found:
		return places[i].out
	case i == 0:
		return in
	}
	return min(places[i-1].out+in-places[i-1].in, int32(len(w.all.upTo)-1))
}
