package fitter

import (
	"math/bits"
	"slices"
)

// Sizes of the alphabets of RFC 1951.
const (
	litLenCodes  = 286
	distCodes    = 30
	lengthsCodes = 19
	endOfBlock   = 256
	longestCode  = 15
)

// lengthsOrder is the order in which the lengths of the code for code lengths are written.
var lengthsOrder = [lengthsCodes]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// lengthCode is the symbol, less 257, and the number of extra bits and the base of a match length.
type lengthCode struct {
	symbol, extra uint8
	base          uint16
}

var (
	lengthCodeOf [259]lengthCode
	symbolExtra  [litLenCodes - 257]uint8 // by symbol less 257
	distExtra    [distCodes]uint8
	distBase     [distCodes]uint16
	distCodeLow  [256]uint8 // of distance−1 below 256
	distCodeHigh [256]uint8 // of (distance−1)>>7
)

func init() { //nolint:gochecknoinits // tables of RFC 1951, computed
	length := 3
	for symbol := range 28 {
		extra := max(0, symbol/4-1)
		symbolExtra[symbol] = uint8(extra)
		for range 1 << extra {
			lengthCodeOf[min(length, 258)] = lengthCode{uint8(symbol), uint8(extra), uint16(length &^ (1<<extra - 1))}
			length++
		}
	}
	base := 3
	for symbol := range 28 {
		extra := max(0, symbol/4-1)
		for l := base; l < base+1<<extra && l < 258; l++ {
			lengthCodeOf[l].base = uint16(base)
		}
		base += 1 << extra
	}
	lengthCodeOf[258] = lengthCode{28, 0, 258}
	dist := 1
	for code := range distCodes {
		extra := max(0, code/2-1)
		distExtra[code], distBase[code] = uint8(extra), uint16(dist)
		for d := dist - 1; d < dist-1+1<<extra; d++ {
			if d < 256 {
				distCodeLow[d] = uint8(code)
			}
			distCodeHigh[d>>7] = uint8(code)
		}
		dist += 1 << extra
	}
}

// distCode is the symbol of a distance.
func distCode(dist int) uint8 {
	if dist <= 256 {
		return distCodeLow[dist-1]
	}
	return distCodeHigh[(dist-1)>>7]
}

// codeLengths computes an optimal prefix code of at most limit bits for the symbols' counts. A symbol that does not
// occur gets length 0. It is a Huffman code, made by the in-place method of Moffat and Katajainen, whose longest
// codes are then shortened until the code is complete again.
func codeLengths(lengths []uint8, counts []uint32, limit int) {
	var order [litLenCodes]uint32 // count<<9 | symbol
	n := 0
	for s, c := range counts {
		lengths[s] = 0
		if c > 0 {
			order[n] = min(c, 1<<23-1)<<9 | uint32(s)
			n++
		}
	}
	used := order[:n]
	if n <= 2 {
		for _, o := range used {
			lengths[o&511] = 1
		}
		return
	}
	slices.Sort(used)
	var perLength [64]int
	treeDepths(used, &perLength)
	limitLengths(&perLength, limit)
	at := 0
	for l := limit; l > 0; l-- {
		for range perLength[l] {
			lengths[used[at]&511] = uint8(l)
			at++
		}
	}
}

// treeDepths counts how many leaves of the Huffman tree have which depth, for counts in ascending order.
func treeDepths(used []uint32, perLength *[64]int) {
	var a [litLenCodes]int
	n := len(used)
	for i, o := range used {
		a[i] = int(o >> 9)
	}
	// Phase 1: a[0:next] become the parents of inner vertices.
	a[0] += a[1]
	root, leaf := 0, 2
	for next := 1; next < n-1; next++ {
		take := func() int {
			if leaf >= n || (root < next && a[root] < a[leaf]) {
				v := a[root]
				a[root] = next
				root++
				return v
			}
			leaf++
			return a[leaf-1]
		}
		first := take()
		a[next] = first + take()
	}
	// Phase 2: parents become depths of inner vertices.
	a[n-2] = 0
	for next := n - 3; next >= 0; next-- {
		a[next] = a[a[next]] + 1
	}
	// Phase 3: inner vertices' depths become numbers of leaves by depth.
	available, inner, depth := 1, n-2, 0
	for available > 0 {
		usedHere := 0
		for inner >= 0 && a[inner] == depth {
			usedHere++
			inner--
		}
		perLength[min(depth, 63)] += available - usedHere
		available = 2 * usedHere
		depth++
	}
}

// limitLengths moves leaves up to at most limit and keeps the code complete.
func limitLengths(perLength *[64]int, limit int) {
	for l := limit + 1; l < len(perLength); l++ {
		perLength[limit] += perLength[l]
		perLength[l] = 0
	}
	total := 0
	for l := 1; l <= limit; l++ {
		total += perLength[l] << (limit - l)
	}
	for total > 1<<limit {
		// Take one leaf off the deepest level and make a leaf above it a pair.
		perLength[limit]--
		for l := limit - 1; l > 0; l-- {
			if perLength[l] > 0 {
				perLength[l]--
				perLength[l+1] += 2
				break
			}
		}
		total--
	}
}

// codesFor fills in the canonical codes for lengths, bits reversed as deflate writes them.
func codesFor(codes []uint16, lengths []uint8) {
	var perLength, next [longestCode + 2]uint16
	for _, l := range lengths {
		perLength[l]++
	}
	perLength[0] = 0
	for l := 1; l <= longestCode; l++ {
		next[l+1] = (next[l] + perLength[l]) << 1
	}
	for s, l := range lengths {
		if l > 0 {
			codes[s] = bits.Reverse16(next[l]) >> (16 - l)
			next[l]++
		}
	}
}

// bitSink collects a deflate stream, bit by bit.
type bitSink struct {
	b    []byte
	acc  uint64
	held uint // bits in acc, fewer than 32
}

func (s *bitSink) write(v uint64, n uint) {
	s.acc |= v << s.held
	s.held += n
	if s.held >= 32 {
		s.b = append(s.b, byte(s.acc), byte(s.acc>>8), byte(s.acc>>16), byte(s.acc>>24))
		s.acc >>= 32
		s.held -= 32
	}
}

// len is how many bits there are.
func (s *bitSink) len() int { return 8*len(s.b) + int(s.held) }

// flush fills the last byte with zeros.
func (s *bitSink) flush() {
	for s.held > 0 {
		s.b = append(s.b, byte(s.acc))
		s.acc >>= 8
		s.held -= min(s.held, 8)
	}
	s.acc = 0
}
