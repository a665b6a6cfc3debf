package fitter

// What lines take compressed is foretold from the digits in which neighbouring positions differ. These give a price, and a
// sample of the positions, compressed, gives the bits for it.

// positionPrice and digitPrice are what a position costs in compressed text, in sixteenths of a bit.
const (
	positionPrice = 16 * 17 // two matches: the punctuation and the digits that agree with the position before
	digitPrice    = 62      // a digit that does not
)

// stepPrice is the price of position j after position i.
func (w *workspace) stepPrice(i, j int32) uint32 {
	d := w.digits
	differ := digitsAfter(d[2*i], d[2*j], w.on.decimals) + digitsAfter(d[2*i+1], d[2*j+1], w.on.decimals)
	return positionPrice + digitPrice*differ
}

// keptPrice is the price of the kept vertices.
func (w *workspace) keptPrice() int {
	price := 0
	w.eachLine(func(_ *line, kept []int32) {
		for k := 1; k < len(kept); k++ {
			price += int(w.stepPrice(kept[k-1], kept[k]))
		}
	})
	return price
}

// eachLine calls f with each line that is compressed apart, and those of its vertices that are kept.
func (w *workspace) eachLine(f func(ln *line, kept []int32)) {
	from := 0
	for i := range w.doc.lines {
		ln := &w.doc.lines[i]
		n := w.keptOf(ln, from)
		if n >= ownPiece {
			f(ln, w.kept[from:from+n])
		}
		from += n
	}
}

// A sample is one run of kept vertices out of some.
const (
	ratioRun   = 512
	ratioEvery = 2 * ratioRun
)

// bitsForPrice is how many bits are written for a price of one bit, from a sample of the kept vertices.
func (w *workspace) bitsForPrice() float64 {
	text, price := w.spareText[:0], 0
	before := int32(-1)
	every := ratioEvery
	if len(w.kept) < 2*ratioEvery {
		every = ratioRun
	}
	w.eachLine(func(ln *line, kept []int32) {
		for at := 0; at < len(kept); at += every {
			run := kept[at:min(at+ratioRun, len(kept))]
			for _, v := range run {
				if before >= 0 {
					price += int(w.stepPrice(before, v))
				}
				before = v
			}
			text = w.writePositions(text, ln, run)
		}
	})
	w.spareText = text
	codes, body := w.dryBits(text, true, false)
	// The codes of a block serve for more text in the whole than in the sample.
	return float64(body+codes/2) * 16 / float64(max(price, 1))
}
