package fitter

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The matches of deflate, and the unit of prices.
const (
	shortestMatch = 3
	longestMatch  = 258
	hashBits      = 15
	hashedBytes   = 6  // five find 0.05 % more to save and take a tenth longer
	costUnit      = 32 // the price of a bit
)

// How hard the parser looks for matches. docs/fitting.md has the figures behind it.
const (
	windowBytes = 32 << 10
	chainDepth  = 16 // earlier places looked at for one event
	backAtMost  = 2  // bytes that a match may start before its event
)

// candidate is a match that can start at an event, or some bytes before it.
type candidate struct {
	dist   uint16
	length uint16 // from the event on
	back   uint8  // bytes before the event that match too
}

// step is the cheapest way to a position found so far: its price, and whether the last thing on it is a literal
// (length 1) or a match.
type step struct {
	price        uint32
	length, dist uint16
}

// token is one literal (dist 0: value is the byte) or match (value is the length).
type token struct{ dist, value uint16 }

// prices holds what each symbol costs, extra bits included, in units of 1/costUnit bit.
type prices struct {
	literal [256]uint32
	length  [259]uint32
	dist    [distCodes]uint32
}

// histogram counts the symbols of a run of tokens.
type histogram struct {
	litLen [litLenCodes]uint32
	dist   [distCodes]uint32
}

// parser finds a cheap way to write a text as literals and matches.
type parser struct {
	head   [1 << hashBits]int32 // the last event with this hash, plus one
	chain  []int32              // by event: the one before it with the same hash, plus one
	events []int32              // positions in the text
	first  []int32              // by event: where its candidates start
	cands  []candidate
	steps  []step
	tokens []token
	prices prices
}

// class sorts bytes into the kinds of JSON text: a match is worth starting where the kind changes.
var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9' || c == '.' || c == '-':
			t[c] = 1
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			t[c] = 2
		}
	}
	return t
}()

// hash is of the first hashedBytes of b.
func hash(b []byte) uint32 {
	v := uint64(binary.LittleEndian.Uint32(b)) | uint64(b[4])<<32 | uint64(b[5])<<40
	return uint32(v * 0x9e3779b97f4a7c15 >> (64 - hashBits))
}

// find notes the events of text and the matches that can start there. Text is made of tokens that repeat, names and
// punctuation, and of digits that do not; so a match is looked for only where one kind of byte follows another, which
// is one position in five.
func (p *parser) find(text []byte) {
	clear(p.head[:])
	p.events, p.chain, p.first, p.cands = p.events[:0], p.chain[:0], p.first[:0], p.cands[:0]
	before := uint8(255)
	for i := 0; i+hashedBytes <= len(text); i++ {
		kind := class[text[i]]
		if kind == before || kind == 1 && before != 2 {
			before = kind // digits after punctuation begin something new
			continue
		}
		before = kind
		h := hash(text[i:])
		p.first = append(p.first, int32(len(p.cands)))
		p.matches(text, i, p.head[h])
		p.chain = append(p.chain, p.head[h])
		p.events = append(p.events, int32(i))
		p.head[h] = int32(len(p.events))
	}
	p.first = append(p.first, int32(len(p.cands)))
	p.events = append(p.events, math.MaxInt32)
}

// matches notes the matches at position i, the nearest first, each longer than those before it.
func (p *parser) matches(text []byte, i int, from int32) {
	best := shortestMatch
	most := min(longestMatch, len(text)-i)
	end := binary.LittleEndian.Uint32(text[i:]) // of the bytes that make a match longer than best, the last four
	for depth := chainDepth; from > 0 && depth > 0; depth-- {
		at := int(p.events[from-1])
		if i-at > windowBytes {
			return
		}
		from = p.chain[from-1]
		if binary.LittleEndian.Uint32(text[at+best-3:]) != end {
			continue
		}
		n := matchLen(text[at:], text[i:i+most])
		if n <= best {
			continue
		}
		back := 0
		for back < min(backAtMost, at) && text[at-1-back] == text[i-1-back] && n+back < longestMatch {
			back++
		}
		p.cands = append(p.cands, candidate{uint16(i - at), uint16(n), uint8(back)})
		if best = n; n == most {
			return
		}
		end = binary.LittleEndian.Uint32(text[i+best-3:])
	}
}

// matchLen is how many bytes of b equal those of a, which is the longer.
func matchLen(a, b []byte) int {
	n := 0
	for n+8 <= len(b) {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
		n += 8
	}
	for n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// cheapest finds the cheapest parse of text[from:to] at the current prices and appends its tokens. event is the first
// event at or after from; the first event at or after to is returned.
func (p *parser) cheapest(text []byte, from, to, event int) int {
	n := to - from
	steps := grow(p.steps, n+1)
	p.steps = steps
	for i := range steps {
		steps[i].price = math.MaxUint32
	}
	steps[0].price = 0
	at := int(p.events[event]) - from
	for i, c := range text[from:to] {
		if i == at {
			p.offer(i, n, event)
			event++
			at = int(p.events[event]) - from
		}
		if t := steps[i].price + p.prices.literal[c]; t < steps[i+1].price {
			steps[i+1] = step{t, 1, 0}
		}
	}
	start := len(p.tokens)
	for i := n; i > 0; {
		s := steps[i]
		i -= int(s.length)
		if s.dist == 0 {
			p.tokens = append(p.tokens, token{0, uint16(text[from+i])})
		} else {
			p.tokens = append(p.tokens, token{s.dist, s.length})
		}
	}
	for a, b := start, len(p.tokens)-1; a < b; a, b = a+1, b-1 {
		p.tokens[a], p.tokens[b] = p.tokens[b], p.tokens[a]
	}
	return event
}

// offer relaxes what the matches of an event at position i reach. A match that is cut short is worth next to nothing: the
// nearest match of each length is offered anyway.
func (p *parser) offer(i, n, event int) {
	for _, c := range p.cands[p.first[event]:p.first[event+1]] {
		price := p.prices.dist[distCode(int(c.dist))]
		for back := 0; back <= min(int(c.back), i); back++ {
			start := i - back
			length := min(int(c.length)+back, n-start)
			if length < shortestMatch {
				continue
			}
			to := &p.steps[start+length]
			if t := p.steps[start].price + price + p.prices.length[length]; t < to.price {
				*to = step{t, uint16(length), c.dist}
			}
		}
	}
}

// grow returns s with n elements of any value.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// count adds tokens to a histogram.
func (h *histogram) count(tokens []token) {
	for _, t := range tokens {
		if t.dist == 0 {
			h.litLen[t.value]++
		} else {
			h.litLen[257+int(lengthCodeOf[t.value].symbol)]++
			h.dist[distCode(int(t.dist))]++
		}
	}
}

// set makes prices from a histogram: the entropy of each symbol. What has not occurred costs as much as half an
// occurrence would.
func (p *prices) set(h *histogram) {
	var sum, dists uint32
	for _, n := range h.litLen {
		sum += n
	}
	for _, n := range h.dist {
		dists += n
	}
	total, distTotal := log2(sum+2), log2(dists+2)
	price := func(total float64, n uint32, extra uint8) uint32 {
		bitsOf := total - log2(n)
		return uint32((min(max(bitsOf, 0.5), longestCode) + float64(extra)) * costUnit)
	}
	for s := range p.literal {
		p.literal[s] = price(total, h.litLen[s], 0)
	}
	for l := shortestMatch; l <= longestMatch; l++ {
		c := lengthCodeOf[l]
		p.length[l] = price(total, h.litLen[257+int(c.symbol)], c.extra)
	}
	for s := range p.dist {
		p.dist[s] = price(distTotal, h.dist[s], distExtra[s])
	}
}

// logs holds the binary logarithms of small counts; that of none is the one of a half.
var logs = func() (t [1 << 12]float64) {
	for n := range t {
		t[n] = math.Log2(max(float64(n), 0.5))
	}
	return t
}()

// log2 is the binary logarithm of a count, to a thousandth.
func log2(n uint32) float64 {
	if n < uint32(len(logs)) {
		return logs[n]
	}
	shift := bits.Len32(n) - 12
	return logs[n>>shift] + float64(shift)
}

// prior is what prices start from. It favours no distance: a parse that starts with a favourite ends with it.
func (h *histogram) prior() {
	for s := range h.litLen {
		switch {
		case s >= '0' && s <= '9':
			h.litLen[s] = 100
		case s < 256 && class[s] == 2 && s < 0x80:
			h.litLen[s] = 4
		case s < 256:
			h.litLen[s] = 1
		case s > endOfBlock:
			h.litLen[s] = uint32(max(4, 60-3*(s-257)))
		}
	}
	counts := [...]uint32{1, 1, 1, 1, 2, 2, 5, 5, 100, 100, 60, 50, 40, 40, 30, 30, 20, 20, 10}
	for s := range h.dist {
		h.dist[s] = counts[min(s, len(counts)-1)]
	}
}

// priorPrices are the prices that every parse starts from.
var priorPrices = func() (p prices) {
	var h histogram
	h.prior()
	p.set(&h)
	return p
}()
