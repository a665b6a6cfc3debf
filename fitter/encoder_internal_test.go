package fitter

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"testing"
)

func TestEncoderRoundTrip(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	texts := [][]byte{nil, []byte("a"), []byte("aaaa"), bytes.Repeat([]byte("[4.89736,52.37793],"), 20000), bytes.Repeat([]byte{0}, 300)}
	for range 200 {
		b := make([]byte, rng.IntN(40000))
		letters := []byte(`0123456789.,[]{}":abcé` + "\x00\xff")[:2+rng.IntN(24)]
		for i := range b {
			b[i] = letters[rng.IntN(len(letters))]
		}
		texts = append(texts, b)
	}
	var e, dry encoder
	dry.dry = true
	for _, text := range texts {
		e.bits = bitSink{}
		cut := rng.IntN(len(text) + 1)
		e.encode(text[:cut], true, false)
		e.encode(text[cut:], false, true)
		dry.bits, dry.unseen = bitSink{}, 0
		dry.encode(text[:cut], true, false)
		dry.encode(text[cut:], false, true)
		if n := dry.bits.len() + dry.unseen; n != e.bits.len() {
			t.Fatalf("counted %d bits, wrote %d", n, e.bits.len())
		}
		e.bits.flush()
		got, err := io.ReadAll(flate.NewReader(bytes.NewReader(e.bits.b)))
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes came back as %d: %v", len(text), len(got), err)
		}
	}
}
