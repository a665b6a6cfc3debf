package fitter

import "slices"

// Coordinate text is regular: numbers that begin like the ones before them, and punctuation. A match is worth having
// where one number ends, over the punctuation and into the next number as far as the digits agree, and it may take along
// the last digits of the number that ends. Its source is the same place of one of the positions just before.
const (
	sources    = 3  // how many positions back a source may be
	takeAlong  = 2  // digits
	eventsKept = 16 // at least sources times the numbers of a position
)

// numberEnds remembers the last places where a number ended.
type numberEnds struct {
	at    [eventsKept]int32
	count int
}

// coordinates parses the text of a line in one pass: at each end of a number it takes the match that saves most at
// fixed prices. Prices learned from a parse drive the next one into using a single distance, which costs more.
func (e *encoder) coordinates(text []byte) {
	p := &e.parser
	e.chunks, p.tokens = e.chunks[:0], p.tokens[:0]
	stride := numbersOfPosition(text)
	var ends numberEnds
	done, chunkStart, tokens := 0, 0, 0
	for i := 1; i < len(text); i++ {
		if class[text[i]] == 1 || class[text[i-1]] != 1 {
			continue
		}
		if i >= done {
			if m := e.bestSource(text, i, done, stride, &ends); m.length > 0 {
				start := i - int(m.back)
				for _, c := range text[done:start] {
					p.tokens = append(p.tokens, token{0, uint16(c)})
				}
				p.tokens = append(p.tokens, token{m.dist, m.length})
				done = start + int(m.length)
			}
		}
		ends.at[ends.count%eventsKept] = int32(i)
		ends.count++
		if done-chunkStart >= chunkBytes {
			e.endChunk(done, tokens)
			chunkStart, tokens = done, len(p.tokens)
		}
	}
	p.literals(text[done:])
	e.endChunk(len(text), tokens)
	e.merge()
}

// literals appends a token for each byte.
func (p *parser) literals(text []byte) {
	n := len(p.tokens)
	p.tokens = slices.Grow(p.tokens, len(text))[:n+len(text)]
	for i, c := range text {
		p.tokens[n+i] = token{0, uint16(c)}
	}
}

// endChunk closes a chunk of the text whose tokens start at from.
func (e *encoder) endChunk(end, from int) {
	e.chunks = append(e.chunks, chunk{end: end, tokens: len(e.parser.tokens)})
	e.chunks[len(e.chunks)-1].counts.count(e.parser.tokens[from:])
}

// bestSource finds the match that saves most at position i, the end of a number. It does not start before done.
// length counts from where it starts; 0 is none.
func (e *encoder) bestSource(text []byte, i, done, stride int, ends *numberEnds) candidate {
	best, saved := candidate{}, int32(0)
	most := min(longestMatch-takeAlong, len(text)-i)
	longest := 0
	for j := stride; j <= sources*stride && j <= ends.count; j += stride {
		at := int(ends.at[(ends.count-j)%eventsKept])
		if i-at > windowBytes {
			break // of very long numbers or white space; those before are farther still
		}
		back := 0
		for back < takeAlong && back < i-done && back < at && text[at-1-back] == text[i-1-back] {
			back++
		}
		n := matchLen(text[at:], text[i:i+most])
		if n+back <= longest || n+back < shortestMatch {
			continue
		}
		saves := -int32(priorPrices.dist[distCode(i-at)]) - int32(priorPrices.length[n+back])
		for _, c := range text[i-back : i+n] {
			saves += int32(priorPrices.literal[c])
		}
		if longest = n + back; saves > saved {
			saved = saves
			best = candidate{dist: uint16(i - at), length: uint16(n + back), back: uint8(back)}
		}
	}
	return best
}

// numbersOfPosition is how many numbers the first position of a line has, at most what sources allow.
func numbersOfPosition(text []byte) int {
	n := 1
	for _, c := range text {
		if c == ',' {
			n++
		} else if c == ']' {
			break
		}
	}
	return min(n, eventsKept/sources)
}
