package jsonspan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

func TestScanAcceptsWhatIsJSON(t *testing.T) {
	for name, doc := range map[string]string{
		"object":            `{"a":1,"b":[true,false,null],"c":{"d":"e"}}`,
		"white space":       " \r\n\t{ \"a\" : [ ] , \"b\" : { } } \n",
		"huge exponent":     `1e400`,
		"big integer":       `12345678901234567890`,
		"negative zero":     `-0`,
		"fraction":          `-0.1000E+05`,
		"scalar string":     `"\"\\\/\b\f\n\r\té"`,
		"lone surrogate":    `"\ud800"`,
		"repeated name":     `{"a":1,"a":2}`,
		"raw control above": "\"\u007f\u0080\"",
	} {
		t.Run(name, func(t *testing.T) {
			s, err := jsonspan.Scan([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(s.Of([]byte(doc))), strings.TrimSpace(doc); got != want {
				t.Errorf("span holds %q, want %q", got, want)
			}
		})
	}
}

func TestScanRefusesWhatIsNot(t *testing.T) {
	for name, doc := range map[string]string{
		"empty":               ``,
		"blank":               " \n",
		"two values":          `{} {}`,
		"trailing comma":      `[1,]`,
		"trailing member":     `{"a":1,}`,
		"no colon":            `{"a" 1}`,
		"no name":             `{1:2}`,
		"single quotes":       `{'a':1}`,
		"wrong closer":        `[1}`,
		"unclosed":            `[[1]`,
		"unclosed string":     `"abc`,
		"escape at the end":   `"abc\`,
		"bad escape":          `"\x"`,
		"bad unicode escape":  `"\u12g4"`,
		"raw newline":         "\"a\nb\"",
		"leading zero":        `01`,
		"bare minus":          `-`,
		"no fraction":         `1.`,
		"no exponent":         `1e+`,
		"plus":                `+1`,
		"word":                `nul`,
		"NaN":                 `NaN`,
		"byte order mark":     "\ufeff{}",
		"deeper than allowed": strings.Repeat("[", jsonspan.MaxDepth+1) + strings.Repeat("]", jsonspan.MaxDepth+1),
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := jsonspan.Scan([]byte(doc)); !errors.Is(err, jsonspan.ErrSyntax) {
				t.Errorf("Scan = %v, %v; want ErrSyntax", s, err)
			}
		})
	}
}

// TestScanOfEveryByteAtEveryPlace: strings are read in words of eight bytes.
func TestScanOfEveryByteAtEveryPlace(t *testing.T) {
	for c := range 0x100 {
		for length := range 20 {
			for at := range length {
				text := []byte(strings.Repeat("\x7f", length))
				text[at] = byte(c)
				if at+2 < length { // two of them, so that one could hide the other
					text[at+2] = byte(c)
				}
				doc := append(append([]byte(`"`), text...), '"')
				if _, err := jsonspan.Scan(doc); json.Valid(doc) != (err == nil) {
					t.Fatalf("%q: %v", doc, err)
				}
				want, err := json.Marshal(string(bytes.Map(asciiOnly, text)))
				if err != nil {
					t.Fatal(err)
				}
				if got := jsonspan.AppendQuoted(nil, bytes.Map(asciiOnly, text)); string(got) != strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(want)) {
					t.Fatalf("%q is written as %s, want %s", text, got, want)
				}
			}
		}
	}
}

// asciiOnly leaves out what encoding/json writes in another way than JSON.stringify.
func asciiOnly(r rune) rune {
	if r >= 0x80 {
		return 'é'
	}
	return r
}

func TestScanNamesWhereItStopped(t *testing.T) {
	_, err := jsonspan.Scan([]byte(`{"a":tru}`))
	if err == nil || !strings.Contains(err.Error(), "byte 5") {
		t.Errorf("error %v does not name byte 5", err)
	}
}

func TestScanDoesNotAllocateForShallowText(t *testing.T) {
	doc := []byte(`{"a":[1,2,{"b":"c"}],"d":"e"}`)
	if n := testing.AllocsPerRun(100, func() { _, _ = jsonspan.Scan(doc) }); n > 1 {
		t.Errorf("%v allocations, want at most the nesting stack", n)
	}
}

// FuzzScan holds Scan against encoding/json, which differs in nothing that matters here but its depth limit.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\u00e9\\"],"b":null}`, `[[],{},""]`, `"\ud83d\ude00"`, `{"a":1,}`, `01`, "[\"\x01\"]", `nullnull`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := jsonspan.Scan(doc)
		if valid := json.Valid(doc); valid != (err == nil) {
			t.Fatalf("Scan says %v, json.Valid says %v", err, valid)
		}
		walk(doc, jsonspan.Span{End: len(doc)})
		if err == nil {
			walk(doc, s)
		}
	})
}

// walk visits everything below value, so that a panic or an endless loop in the iterators shows.
func walk(doc []byte, value jsonspan.Span) {
	for m := range jsonspan.Members(doc, value) {
		m.Named(doc, "a")
		walk(doc, m.Value)
	}
	for e := range jsonspan.Elements(doc, value) {
		walk(doc, e)
	}
}
