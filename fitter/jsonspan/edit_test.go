package jsonspan_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

func scan(t testing.TB, doc []byte) jsonspan.Span {
	t.Helper()
	s, err := jsonspan.Scan(doc)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFindTakesTheLastOfSeveral(t *testing.T) {
	doc := []byte(`{"a":1,"\u0061":{"b":[2]},"c":3}`)
	m, ok := jsonspan.Find(doc, scan(t, doc), "a")
	if !ok || string(m.Value.Of(doc)) != `{"b":[2]}` {
		t.Errorf("Find = %q, %v", m.Value.Of(doc), ok)
	}
	if v, ok := jsonspan.Lookup(doc, scan(t, doc), "a", "b"); !ok || string(v.Of(doc)) != "[2]" {
		t.Errorf("Lookup = %q, %v", v.Of(doc), ok)
	}
	if _, ok := jsonspan.Lookup(doc, scan(t, doc), "c", "b"); ok {
		t.Error("Lookup found a member in a number")
	}
}

func TestRemove(t *testing.T) {
	for _, tc := range []struct{ name, doc, want string }{
		{"only", `{ "x" : 1 }`, `{  }`},
		{"first", `{"x":1, "a":2}`, `{"a":2}`},
		{"last", `{"a":2 , "x":1}`, `{"a":2}`},
		{"middle", "{\n  \"a\": 1,\n  \"x\": [1,2],\n  \"b\": 2\n}", "{\n  \"a\": 1,\n  \"b\": 2\n}"},
		{"first two", `{"x":1,"x":2,"a":3}`, `{"a":3}`},
		{"around", `{"x":1,"a":3,"x":2}`, `{"a":3}`},
		{"alternating", `{"x":1,"a":1,"x":2,"b":2,"x":3,"x":4,"c":3}`, `{"a":1,"b":2,"c":3}`},
		{"all", `{"x":1,"x":2}`, `{}`},
		{"escaped name", `{"\u0078":1,"a":2}`, `{"a":2}`},
		{"none", `{"a":2}`, `{"a":2}`},
		{"no object", `[1,2]`, `[1,2]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := []byte(tc.doc)
			edits := jsonspan.Remove(nil, doc, scan(t, doc), func(m jsonspan.Member) bool { return m.Named(doc, "x") })
			if got := string(jsonspan.Apply(nil, doc, edits)); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestTextEditsLeaveOtherEscapesAlone(t *testing.T) {
	for _, tc := range []struct{ name, doc, want string }{
		{"short escapes", `"{\n\"a\":\"\u00e9\/\\n\",\"x\":1}"`, `"{\n\"a\":\"\u00e9\/\\n\",\"y\":\"\\\"\"}"`},
		{"surrogate pair", `"{\"a\":\"\ud83d\ude00\",\"x\":1}"`, `"{\"a\":\"\ud83d\ude00\",\"y\":\"\\\"\"}"`},
		{"lone surrogate", `"{\"a\":\"\ud83d\",\"x\":1,\"b\":\"\ude00\ud83d\"}"`, `"{\"a\":\"\ud83d\",\"y\":\"\\\"\",\"b\":\"\ude00\ud83d\"}"`},
		{"raw non-ASCII", `"{\"a\":\"東京\",\"x\":1}"`, `"{\"a\":\"東京\",\"y\":\"\\\"\"}"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := []byte(tc.doc)
			text, err := jsonspan.Decode(doc, scan(t, doc))
			if err != nil {
				t.Fatal(err)
			}
			m, ok := jsonspan.Find(text.Bytes, scan(t, text.Bytes), "x")
			if !ok {
				t.Fatalf("no x in %s", text.Bytes)
			}
			edits := text.Edits([]jsonspan.Edit{{Span: m.Whole(), With: []byte(`"y":"\""`)}})
			if got := string(jsonspan.Apply(nil, doc, edits)); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestDecodeWantsAString(t *testing.T) {
	doc := []byte(`{"a":1}`)
	if _, err := jsonspan.Decode(doc, scan(t, doc)); err == nil {
		t.Error("an object was decoded as a string")
	}
}

func TestMergeDropsCutsInsideOtherEdits(t *testing.T) {
	doc := []byte(`{ "a" : 1 , "x" : [ 1 , 2 ] , "b" : 2 }`)
	edits := jsonspan.Remove(nil, doc, scan(t, doc), func(m jsonspan.Member) bool { return m.Named(doc, "x") })
	for name, all := range map[string][]jsonspan.Edit{
		"Merge":  jsonspan.Merge(edits, jsonspan.Minify(doc, nil)),
		"Minify": jsonspan.Minify(doc, edits),
	} {
		if got := jsonspan.Apply(nil, doc, all); string(got) != `{"a":1,"b":2}` {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestSortKeepsInsertionsInOrder(t *testing.T) {
	edits := []jsonspan.Edit{
		{Span: jsonspan.Span{Start: 2, End: 3}, With: []byte("c")},
		{Span: jsonspan.Span{Start: 1, End: 2}, With: []byte("b")},
		{Span: jsonspan.Span{Start: 1, End: 1}, With: []byte("1")},
		{Span: jsonspan.Span{Start: 1, End: 1}, With: []byte("2")},
	}
	jsonspan.Sort(edits)
	if got := string(jsonspan.Apply(nil, []byte("ABCD"), edits)); got != "A12bcD" {
		t.Errorf("got %s", got)
	}
}

func TestUTF16Len(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abcdefghij": 10, "é": 1, "東京タワー": 5, "😀": 2, "a😀b": 4, "\xff": 1, "\xf0\x9f\x98": 3, "12345678é12345678": 17,
	} {
		if got := jsonspan.UTF16Len([]byte(text)); got != want {
			t.Errorf("UTF16Len(%q) = %d, want %d", text, got, want)
		}
	}
}

// anyJSON draws JSON texts, with white space and odd spellings that encoding/json would never write.
func anyJSON(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", " ", "\n  "})
		kinds := 4
		if depth > 0 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"0", "-1.50", "1e400", "12345678901234567890", "0.1000"}).Draw(t, "number")
		case 1:
			return rapid.SampledFrom([]string{`""`, `"\u00e9\/"`, `"\ud800"`, `"a b"`, `"東京😀"`, `"\\\""`}).Draw(t, "string")
		case 2, 3:
			return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
		case 4:
			parts := rapid.SliceOfN(anyJSON(depth-1), 0, 4).Draw(t, "elements")
			return "[" + space.Draw(t, "s") + strings.Join(parts, ","+space.Draw(t, "s")) + space.Draw(t, "s") + "]"
		}
		var parts []string
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			name := rapid.SampledFrom([]string{`"a"`, `"x"`, `"\u0078"`, `"_meta"`}).Draw(t, "name")
			parts = append(parts, name+space.Draw(t, "s")+":"+space.Draw(t, "s")+anyJSON(depth-1).Draw(t, "value"))
		}
		return "{" + space.Draw(t, "s") + strings.Join(parts, space.Draw(t, "s")+",") + space.Draw(t, "s") + "}"
	})
}

func TestMinifyKeepsTheMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := []byte(anyJSON(3).Draw(t, "doc"))
		small := jsonspan.Apply(nil, doc, jsonspan.Minify(doc, nil))
		if again := jsonspan.Minify(small, nil); len(again) != 0 {
			t.Fatalf("white space left in %s", small)
		}
		if !reflect.DeepEqual(decoded(t, doc), decoded(t, small)) {
			t.Fatalf("%s became %s", doc, small)
		}
	})
}

// TestMinifyAroundEdits: the edits that are there already stand where Merge would put them.
func TestMinifyAroundEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := []byte(anyJSON(3).Draw(t, "doc"))
		root, err := jsonspan.Scan(doc)
		if err != nil {
			t.Fatal(err)
		}
		drop := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "drop")
		edits := jsonspan.Remove(nil, doc, root, func(m jsonspan.Member) bool { return m.Named(doc, drop) })
		if rapid.Bool().Draw(t, "insert") && jsonspan.IsObject(doc, root) {
			at := root.Start + 1
			edits = append(edits, jsonspan.Edit{Span: jsonspan.Span{Start: at, End: at}, With: []byte("!")})
			jsonspan.Sort(edits)
		}
		got := jsonspan.Apply(nil, doc, jsonspan.Minify(doc, edits))
		want := jsonspan.Apply(nil, doc, jsonspan.Merge(edits, jsonspan.Minify(doc, nil)))
		if string(got) != string(want) {
			t.Fatalf("%s became %s, want %s", doc, got, want)
		}
	})
}

func TestRemoveKeepsTheOtherMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := []byte(anyJSON(3).Draw(t, "doc"))
		root, err := jsonspan.Scan(doc)
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		dropX := func(m jsonspan.Member) bool { return m.Named(doc, "x") }
		for m := range jsonspan.Members(doc, root) {
			if !dropX(m) {
				kept = append(kept, string(m.Whole().Of(doc)))
			}
		}
		out := jsonspan.Apply(nil, doc, jsonspan.Remove(nil, doc, root, dropX))
		root, err = jsonspan.Scan(out)
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		var left []string
		for m := range jsonspan.Members(out, root) {
			left = append(left, string(m.Whole().Of(out)))
		}
		if !reflect.DeepEqual(kept, left) {
			t.Fatalf("kept %q, want %q", left, kept)
		}
	})
}

func TestEscapingGoesThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.String().Draw(t, "text"))
		quoted := jsonspan.AppendQuoted(nil, text)
		var want string
		if err := json.Unmarshal(quoted, &want); err != nil || want != string(text) {
			t.Fatalf("%s decodes to %q, %v", quoted, want, err)
		}
		back, err := jsonspan.Decode(quoted, jsonspan.Span{End: len(quoted)})
		if err != nil || string(back.Bytes) != string(text) {
			t.Fatalf("Decode(%s) = %q, %v", quoted, back.Bytes, err)
		}
		if got, want := jsonspan.UTF16Len(text), len(utf16.Encode([]rune(string(text)))); got != want {
			t.Fatalf("UTF16Len = %d, want %d", got, want)
		}
	})
}

// decoded reads doc with number spelling kept, so that 1e400 has a value.
func decoded(t interface{ Fatal(...any) }, doc []byte) any {
	d := json.NewDecoder(strings.NewReader(string(doc)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// FuzzText edits an escaped text at random places and holds the result against editing the plain one.
func FuzzText(f *testing.F) {
	f.Add([]byte(`"{\"a\":\"\u00e9\ud83d\ude00\\\",\"b\":1}"`), uint16(3), uint16(9), `"x"`)
	f.Add([]byte(`"plain"`), uint16(0), uint16(5), ``)
	f.Fuzz(func(t *testing.T, doc []byte, from, to uint16, with string) {
		s, err := jsonspan.Scan(doc)
		if err != nil || !jsonspan.IsString(doc, s) {
			return
		}
		text, err := jsonspan.Decode(doc, s)
		if err != nil {
			t.Fatal(err)
		}
		start := boundary(text.Bytes, int(from))
		end := max(start, boundary(text.Bytes, int(to)))
		plain := []jsonspan.Edit{{Span: jsonspan.Span{Start: start, End: end}, With: []byte(with)}}
		edited := jsonspan.Apply(nil, doc, text.Edits(slices.Clone(plain)))
		s, err = jsonspan.Scan(edited)
		if err != nil {
			t.Fatalf("%q: %v", edited, err)
		}
		back, err := jsonspan.Decode(edited, s)
		if err != nil {
			t.Fatal(err)
		}
		if want := jsonspan.Apply(nil, text.Bytes, plain); string(back.Bytes) != string(want) {
			t.Fatalf("got %q, want %q", back.Bytes, want)
		}
		over, err := jsonspan.DecodeInPlace(edited, s)
		if want := jsonspan.Apply(nil, text.Bytes, plain); err != nil || string(over) != string(want) {
			t.Fatalf("in place: got %q %v, want %q", over, err, want)
		}
	})
}

// boundary moves i onto an ASCII byte that is no part of an escape kept in the text, where tokens begin and end.
func boundary(text []byte, i int) int {
	for i = min(i, len(text)); i < len(text) && (text[i] >= 0x80 || strings.ContainsRune(`\uUdD0123456789abcdefABCDEF`, rune(text[i]))); i++ {
	}
	return i
}
