package jsonspan_test

import (
	"fmt"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// wrapped is a result as it comes over the wire: a text of about 280 KB, positions first and then members in white space
// or without, escaped in a string.
func wrapped(space string) (doc []byte, text jsonspan.Span) {
	var inner strings.Builder
	inner.WriteString(`{"coordinates":[`)
	for i := range 8000 {
		fmt.Fprintf(&inner, "[%d.%05d,52.%05d],", 4+i/1000, i*61%100_000, i*37%100_000)
	}
	inner.WriteString(`[0,0]],"sections":[`)
	for i := range 1200 {
		fmt.Fprintf(&inner, `%[1]s{%[1]s"startPointIndex":%[2]d,%[1]s"endPointIndex":%[2]d,%[1]s"kind":"MAJOR"%[1]s},`, space, i)
	}
	inner.WriteString("{}]}")
	doc = append([]byte(`{"result":{"content":[{"type":"text","text":`), jsonspan.AppendQuoted(nil, []byte(inner.String()))...)
	text.Start = strings.Index(string(doc), `"text":"{`) + len(`"text":`)
	text.End = len(doc)
	return append(doc, `}]},"jsonrpc":"2.0","id":1}`...), text
}

func BenchmarkScan(b *testing.B) {
	doc, _ := wrapped("")
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, err := jsonspan.Scan(doc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	doc, _ := wrapped("")
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, ok := jsonspan.Lookup(doc, jsonspan.Span{End: len(doc)}, "id"); !ok {
			b.Fatal("no id")
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	doc, at := wrapped("")
	b.SetBytes(int64(at.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonspan.Decode(doc, at); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMinify(b *testing.B) {
	doc, at := wrapped("\n      ")
	text, err := jsonspan.Decode(doc, at)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(at.Len()))
	b.ReportAllocs()
	for b.Loop() {
		text.Edits(jsonspan.Minify(text.Bytes, nil))
	}
}

func BenchmarkUTF16Len(b *testing.B) {
	doc, _ := wrapped("")
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		jsonspan.UTF16Len(doc)
	}
}
