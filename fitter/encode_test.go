package fitter_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter"
)

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	for _, doc := range [][]byte{nil, []byte(`{}`), bytes.Repeat([]byte(`{"a":[1,2,3]} é`), 20000), {0, 255, 7}} {
		packed := fitter.Encode(doc)
		if got := unpack(t, packed); !bytes.Equal(got, doc) {
			t.Fatalf("%d bytes came back as %d", len(doc), len(got))
		}
		if !bytes.Equal(packed, fitter.Encode(doc)) {
			t.Fatal("equal documents gave other bytes")
		}
		got, err := fitter.Decode(packed, int64(len(doc)))
		if err != nil || !bytes.Equal(got, doc) {
			t.Fatalf("Decode of %d bytes: %d, %v", len(doc), len(got), err)
		}
		if len(doc) > 0 {
			if _, err := fitter.Decode(packed, int64(len(doc)-1)); !errors.Is(err, fitter.ErrTooLong) {
				t.Fatalf("one byte too long: %v", err)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	good := fitter.Encode([]byte(`{"a":1}`))
	packed, _ := base64.StdEncoding.DecodeString(string(good))
	encode := func(b []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(b)) }
	broken := bytes.Clone(packed)
	broken[len(broken)-6] ^= 1
	cases := map[string][]byte{
		"nothing":           nil,
		"no base64":         []byte("###"),
		"no padding":        bytes.TrimRight(encode(packed[:len(packed)-1]), "="),
		"no gzip":           encode([]byte("plain text")),
		"cut off":           encode(packed[:len(packed)-9]),
		"wrong checksum":    encode(broken),
		"two members":       encode(slices.Concat(packed, packed)),
		"something follows": encode(append(bytes.Clone(packed), 0)),
	}
	for name, data := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if doc, err := fitter.Decode(data, 1000); !errors.Is(err, fitter.ErrNotAppData) {
				t.Fatalf("%q, %v", doc, err)
			}
		})
	}
}

// Data of a caller's own may be long runs of one text, which shrink a thousandfold.
func TestLongRunsFit(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"geojson":{"note":"` + strings.Repeat("x", 4<<20) + `"}}`)
	r, err := fitter.Fit(doc, fitter.Plan{Exact: true}, fitter.Budget{Chars: 115_600})
	if err != nil || r.Status != fitter.Exact {
		t.Fatalf("status %d with %d characters, %v", r.Status, r.ExactChars, err)
	}
	back, err := fitter.Decode(r.AppData, 8<<20)
	if err != nil || !bytes.Equal(back, doc) {
		t.Errorf("%d bytes came back of %d, %v", len(back), len(doc), err)
	}
}
