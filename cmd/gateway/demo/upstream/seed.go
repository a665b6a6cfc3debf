package upstream

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
)

// random is a generator that is a function of the server's seed and of what is asked for: the same question has the
// same answer, in any order and on any replica.
type random struct{ *rand.Rand }

func newRandom(seed uint64, what ...string) random {
	h := fnv.New64a()
	for _, w := range what {
		_, _ = h.Write(append([]byte(w), 0)) // never fails
	}
	return random{rand.New(rand.NewPCG(seed, h.Sum64()))} //nolint:gosec // synthetic data, not a secret
}

// between is uniform in [lo, hi).
func (r random) between(lo, hi float64) float64 { return lo + r.Float64()*(hi-lo) }

// intBetween is uniform in [lo, hi].
func (r random) intBetween(lo, hi int) int { return lo + r.IntN(hi-lo+1) }

// spread is log-normal about a middle value, never further from it than a factor of six.
func (r random) spread(middle, sigma float64) float64 {
	f := math.Exp(math.Max(-1.79, math.Min(1.79, r.NormFloat64()*sigma)))
	return middle * f
}

func (r random) chance(p float64) bool { return r.Float64() < p }

func pick[T any](r random, from []T) T { return from[r.IntN(len(from))] }

// ids makes identifiers in the style of the SDK's: milliseconds since 1970 in base 36, then random base 36 characters.
type ids struct {
	r      random
	millis float64
}

func newIDs(r random) *ids {
	return &ids{r: r, millis: 1782288000000 + math.Floor(r.between(0, 8.64e7))}
}

func (g *ids) next() string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	g.millis += 0.0125 // about eighty in a millisecond
	id := strconv.AppendInt(make([]byte, 0, 20), int64(g.millis), 36)
	for range 10 + g.r.IntN(2) {
		id = append(id, digits[g.r.IntN(36)])
	}
	return string(id)
}

// key spells positions for use in newRandom and in the memo of computed documents.
func key(points ...position) string {
	b := make([]byte, 0, 24*len(points))
	for _, p := range points {
		b = appendPosition(b, p.round7())
	}
	return string(b)
}
