package testkit

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"reflect"
	"testing"
	"unicode/utf8"
)

// DecodeAppData reads app data as the contract says it is written: padded standard base64 of exactly one gzip member
// that holds a UTF-8 JSON document.
func DecodeAppData(tb testing.TB, encoded string) []byte {
	tb.Helper()
	member, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		tb.Fatalf("app data: %v", err)
	}
	r := bytes.NewReader(member)
	unzip, err := gzip.NewReader(r)
	if err != nil {
		tb.Fatalf("app data: %v", err)
	}
	unzip.Multistream(false)
	doc, err := io.ReadAll(unzip)
	if err != nil {
		tb.Fatalf("app data: %v", err)
	}
	if r.Len() != 0 {
		tb.Fatalf("app data: %d bytes after the gzip member", r.Len())
	}
	if !json.Valid(doc) || !utf8.Valid(doc) {
		tb.Fatalf("app data is no UTF-8 JSON: %s", clip(string(doc), 500))
	}
	return doc
}

// Tree decodes JSON with numbers as they are spelled.
func Tree(tb testing.TB, doc []byte) any {
	tb.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		tb.Fatalf("JSON: %v\n%s", err, clip(string(doc), 500))
	}
	if _, err := d.Token(); err != io.EOF {
		tb.Fatalf("JSON: more than one value")
	}
	return v
}

// SameJSON ends the test when two documents differ as JSON, numbers compared by spelling.
func SameJSON(tb testing.TB, what string, got, want []byte) {
	tb.Helper()
	if !reflect.DeepEqual(Tree(tb, got), Tree(tb, want)) {
		tb.Fatalf("%s:\ngot  %s\nwant %s", what, clip(string(got), 2000), clip(string(want), 2000))
	}
}

// SameBytes fails the test when two texts differ, and shows where.
func SameBytes(tb testing.TB, what string, got, want []byte) {
	tb.Helper()
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	tb.Errorf("%s differs at byte %d (%d bytes, want %d)\ngot  …%q\nwant …%q",
		what, at, len(got), len(want), around(got, at), around(want, at))
}

func around(s []byte, at int) []byte {
	return s[max(0, at-80):min(len(s), at+160)]
}
