package fitter

// A text is parsed in chunks; then neighbouring chunks that are alike become one block, which is written with Huffman
// codes of its own.
const (
	chunkBytes  = 8 << 10
	headerGuess = 70 * 8 * costUnit // what a block's codes take
)

// chunk is a run of the text up to end, parsed by itself.
type chunk struct {
	end    int // in the text
	tokens int // where its tokens end
	counts histogram
}

// encoder writes texts as deflate blocks with a parse that is nearly optimal.
type encoder struct {
	parser parser
	chunks []chunk
	bits   bitSink
	dry    bool      // count bits, do not write them
	unseen int       // bits counted so
	seen   histogram // of the text so far
	codes  blockCodes
}

// blockCodes are the Huffman codes of one block.
type blockCodes struct {
	litLen      [litLenCodes]uint16
	dist        [distCodes]uint16
	litLenBits  [litLenCodes]uint8
	distBits    [distCodes]uint8
	runs        []uint16 // of the code lengths, as the header writes them: symbol, extra bits above it
	lengths     [lengthsCodes]uint8
	lengthCodes [lengthsCodes]uint16
}

// bodyBits is how many bits a block's symbols take.
func (c *blockCodes) bodyBits(h *histogram) int {
	n := 0
	for s, count := range h.litLen {
		n += int(count) * int(c.litLenBits[s])
	}
	for s := 257; s < litLenCodes; s++ {
		n += int(h.litLen[s]) * int(symbolExtra[s-257])
	}
	for s, count := range h.dist {
		n += int(count) * (int(c.distBits[s]) + int(distExtra[s]))
	}
	return n
}

// encode appends the blocks of text; line says that it is the coordinates of one. last marks the last one as the end of the stream.
func (e *encoder) encode(text []byte, line, last bool) {
	p := &e.parser
	if line {
		e.coordinates(text)
	} else {
		p.find(text)
		e.split(text)
	}
	tokens := 0
	for i := range e.chunks {
		c := &e.chunks[i]
		e.block(&c.counts, p.tokens[tokens:c.tokens], last && i == len(e.chunks)-1)
		tokens = c.tokens
	}
}

// split parses text in chunks and merges those into the blocks to be, in e.chunks. Each chunk is parsed at the prices of
// those before it.
func (e *encoder) split(text []byte) {
	p := &e.parser
	e.chunks, p.tokens = e.chunks[:0], p.tokens[:0]
	p.prices, e.seen = priorPrices, histogram{}
	event, tokens := 0, 0
	for start := 0; start < len(text) || start == 0; {
		end := min(start+chunkBytes, len(text))
		if len(text)-end < chunkBytes/2 {
			end = len(text)
		}
		event = p.cheapest(text, start, end, event)
		e.endChunk(end, tokens)
		e.seen.add(&e.chunks[len(e.chunks)-1].counts)
		p.prices.set(&e.seen)
		start, tokens = end, len(p.tokens)
		if end == len(text) {
			break
		}
	}
	e.merge()
}

// merge joins neighbours whose symbols are so alike that codes of their own do not pay.
func (e *encoder) merge() {
	n := 0
	for _, c := range e.chunks {
		for n > 0 {
			both := c.counts
			both.add(&e.chunks[n-1].counts)
			if both.entropy() > c.counts.entropy()+e.chunks[n-1].counts.entropy()+headerGuess {
				break
			}
			c = chunk{c.end, c.tokens, both}
			n--
		}
		e.chunks[n] = c
		n++
	}
	e.chunks = e.chunks[:n]
}

func (h *histogram) add(o *histogram) {
	for s, n := range o.litLen {
		h.litLen[s] += n
	}
	for s, n := range o.dist {
		h.dist[s] += n
	}
}

// entropy is about what the symbols take, without extra bits, in units of 1/costUnit bit.
func (h *histogram) entropy() float64 {
	return entropy(h.litLen[:]) + entropy(h.dist[:])
}

func entropy(counts []uint32) float64 {
	sum, bits := uint32(0), 0.0
	for _, n := range counts {
		if n > 0 {
			sum += n
			bits -= float64(n) * log2(n)
		}
	}
	if sum > 0 {
		bits += float64(sum) * log2(sum)
	}
	return bits * costUnit
}

// block writes one block with codes made for its tokens.
func (e *encoder) block(h *histogram, tokens []token, last bool) {
	c := &e.codes
	h.litLen[endOfBlock]++
	codeLengths(c.litLenBits[:], h.litLen[:], longestCode)
	codeLengths(c.distBits[:], h.dist[:], longestCode)
	codesFor(c.litLen[:], c.litLenBits[:])
	codesFor(c.dist[:], c.distBits[:])
	final := uint64(0)
	if last {
		final = 1
	}
	e.bits.write(final|2<<1, 3)
	e.header()
	if e.dry {
		e.unseen += c.bodyBits(h)
		return
	}
	s := &e.bits
	for _, t := range tokens {
		if t.dist == 0 {
			s.write(uint64(c.litLen[t.value]), uint(c.litLenBits[t.value]))
			continue
		}
		l := lengthCodeOf[t.value]
		symbol := 257 + int(l.symbol)
		v, n := uint64(c.litLen[symbol]), uint(c.litLenBits[symbol])
		v |= uint64(t.value-l.base) << n
		n += uint(l.extra)
		s.write(v, n)
		d := distCode(int(t.dist))
		v, n = uint64(c.dist[d]), uint(c.distBits[d])
		v |= uint64(t.dist-distBase[d]) << n
		s.write(v, n+uint(distExtra[d]))
	}
	s.write(uint64(c.litLen[endOfBlock]), uint(c.litLenBits[endOfBlock]))
}

// header writes the code lengths of a block.
func (e *encoder) header() {
	c := &e.codes
	litLens, dists := litLenCodes, distCodes
	for litLens > 257 && c.litLenBits[litLens-1] == 0 {
		litLens--
	}
	for dists > 1 && c.distBits[dists-1] == 0 {
		dists--
	}
	var lengths [litLenCodes + distCodes]uint8
	copy(lengths[:], c.litLenBits[:litLens])
	copy(lengths[litLens:], c.distBits[:dists])
	c.runs = appendRuns(c.runs[:0], lengths[:litLens+dists])
	var counts [lengthsCodes]uint32
	for _, r := range c.runs {
		counts[r&31]++
	}
	codeLengths(c.lengths[:], counts[:], 7)
	codesFor(c.lengthCodes[:], c.lengths[:])
	n := lengthsCodes
	for n > 4 && c.lengths[lengthsOrder[n-1]] == 0 {
		n--
	}
	e.bits.write(uint64(litLens-257)|uint64(dists-1)<<5|uint64(n-4)<<10, 14)
	for _, s := range lengthsOrder[:n] {
		e.bits.write(uint64(c.lengths[s]), 3)
	}
	extra := [lengthsCodes]uint{16: 2, 17: 3, 18: 7}
	for _, r := range c.runs {
		s := r & 31
		e.bits.write(uint64(c.lengthCodes[s])|uint64(r>>5)<<c.lengths[s], uint(c.lengths[s])+extra[s])
	}
}

// appendRuns writes code lengths as the symbols of a header: lengths, repeats of the last one (16) and runs of zeros
// (17, 18), with their extra bits above the lowest five.
func appendRuns(dst []uint16, lengths []uint8) []uint16 {
	for i := 0; i < len(lengths); {
		l, n := lengths[i], 1
		for i+n < len(lengths) && lengths[i+n] == l {
			n++
		}
		i += n
		if l > 0 {
			dst = append(dst, uint16(l))
			n--
		}
		for n >= 3 {
			switch {
			case l > 0:
				r := min(n, 6)
				dst = append(dst, 16|uint16(r-3)<<5)
				n -= r
			case n >= 11:
				r := min(n, 138)
				dst = append(dst, 18|uint16(r-11)<<5)
				n -= r
			default:
				r := min(n, 10)
				dst = append(dst, 17|uint16(r-3)<<5)
				n -= r
			}
		}
		for range n {
			dst = append(dst, uint16(l))
		}
	}
	return dst
}
