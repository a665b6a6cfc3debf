package testkit

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// Names that the gateway writes into a result's _meta, spelled out here so that a wrong constant of the gateway shows.
const (
	MetaAppData        = "com.tomtom/app-data"
	MetaStatus         = "com.tomtom/app-data-status"
	MetaSimplification = "com.tomtom/simplification"
)

// Result is a CallToolResult (or any result) with the bytes it was written in.
type Result struct {
	// Raw is the result as written.
	Raw     []byte
	Content []Content                  `json:"content"`
	IsError bool                       `json:"isError"`
	Meta    map[string]json.RawMessage `json:"_meta"`
}

// Content is one content block.
type Content struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Data string `json:"data"`
}

// Simplification is what the gateway says about a fitted result.
type Simplification struct {
	OriginalPoints int      `json:"original_points"`
	Points         int      `json:"points"`
	MaxErrorM      float64  `json:"max_error_m"`
	Shed           []string `json:"shed"`
}

// RPCError is a JSON-RPC error.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

type response struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *RPCError       `json:"error"`
}

// responses returns the JSON-RPC responses in an answer, whether of one message, of events, or of a JSON batch.
func (a Answer) responses(tb testing.TB) []response {
	tb.Helper()
	var all []response
	for _, data := range a.Data() {
		var many []response
		if json.Unmarshal(data, &many) != nil {
			var one response
			if err := json.Unmarshal(data, &one); err != nil {
				tb.Fatalf("no JSON-RPC in %d answer: %v\n%s", a.Status, err, clip(a.Text(), 2000))
			}
			many = []response{one}
		}
		for _, r := range many {
			if r.Result != nil || r.Error != nil {
				all = append(all, r)
			}
		}
	}
	return all
}

// Result returns the answer's only response's result.
func (a Answer) Result(tb testing.TB) Result {
	tb.Helper()
	all := a.responses(tb)
	if len(all) != 1 || all[0].Error != nil {
		tb.Fatalf("want one result, got %d answer %s", a.Status, clip(a.Text(), 2000))
	}
	return ParseResult(tb, all[0].Result)
}

// Results returns the results of all responses by the JSON text of their ids.
func (a Answer) Results(tb testing.TB) map[string]Result {
	tb.Helper()
	byID := map[string]Result{}
	for _, r := range a.responses(tb) {
		if r.Error == nil {
			byID[string(r.ID)] = ParseResult(tb, r.Result)
		}
	}
	return byID
}

// Error returns the answer's only response's error.
func (a Answer) Error(tb testing.TB) RPCError {
	tb.Helper()
	all := a.responses(tb)
	if len(all) != 1 || all[0].Error == nil {
		tb.Fatalf("want one JSON-RPC error, got %d answer %s", a.Status, clip(a.Text(), 2000))
	}
	return *all[0].Error
}

// ParseResult reads a result value.
func ParseResult(tb testing.TB, raw []byte) Result {
	tb.Helper()
	r := Result{Raw: raw}
	if err := json.Unmarshal(raw, &r); err != nil {
		tb.Fatalf("result: %v\n%s", err, clip(string(raw), 2000))
	}
	return r
}

// MetaString returns a string member of _meta, "" where it is absent.
func (r Result) MetaString(tb testing.TB, name string) string {
	tb.Helper()
	raw, ok := r.Meta[name]
	if !ok {
		return ""
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		tb.Fatalf("_meta %s: %v", name, err)
	}
	return s
}

// Status returns the app data status, "" where there is none.
func (r Result) Status(tb testing.TB) string {
	tb.Helper()
	return r.MetaString(tb, MetaStatus)
}

// AppData returns the decoded app data, nil where there is none.
func (r Result) AppData(tb testing.TB) []byte {
	tb.Helper()
	encoded := r.MetaString(tb, MetaAppData)
	if encoded == "" {
		return nil
	}
	return DecodeAppData(tb, encoded)
}

// Simplification returns what the gateway says it did to the lines, nil where it says nothing.
func (r Result) Simplification(tb testing.TB) *Simplification {
	tb.Helper()
	raw, ok := r.Meta[MetaSimplification]
	if !ok {
		return nil
	}
	var s Simplification
	if err := json.Unmarshal(raw, &s); err != nil {
		tb.Fatalf("simplification: %v", err)
	}
	return &s
}

// OnlyText returns the text of the only content block.
func (r Result) OnlyText(tb testing.TB) string {
	tb.Helper()
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		tb.Fatalf("want one text block, got %s", clip(string(r.Raw), 2000))
	}
	return r.Content[0].Text
}

// Chars is the length that a JavaScript host sees: UTF-16 code units.
func Chars(s []byte) int {
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		n++
		if r > 0xFFFF {
			n++
		}
		s = s[size:]
	}
	return n
}
