package attacks

import (
	"fmt"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// long is a text of so many characters.
func long(n int) string { return strings.Repeat("a", n) }

// nested is an array in an array, so many times.
func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

// TestEnvelopes: JSON-RPC messages that readers understand differently. What the gateway refuses is refused however it is
// written; what it does not own arrives byte for byte.
func TestEnvelopes(t *testing.T) { start(t).all(t, envelopes()) }

func envelopes() []attack {
	post := func(body string, header ...string) string { return testkit.RawPost("/mcp", body, header...) }
	steal := func(members string) string { return post(`{"jsonrpc":"2.0","id":1,` + members + `}`) }
	refused := want{status: 200, code: -32602, says: "tomtom-get-viz-data not found"}
	const name, args = `"name":"tomtom-get-viz-data"`, `"arguments":{"viz_id":"x"}`
	all := []attack{
		{"the name twice, the last counts", steal(`"method":"tools/call","params":{"name":"other",` + name + `,` + args + `}`), refused},
		{"params twice", steal(`"method":"tools/call","params":{"name":"other"},"params":{` + name + `}`), refused},
		{"the method twice", steal(`"method":"ping","method":"tools/call","params":{` + name + `}`), refused},
		{"escapes in names of members", steal(`"\u006dethod":"tools/call","\u0070arams":{"n\u0061me":"tomtom-get-viz-data"}`), refused},
		{"escapes in the tool's name", steal(`"method":"tools\/call","params":{"name":"tomtom\u002dget-viz-data"}`), refused},
		{"escapes in the other cache tool's name", steal(`"method":"tools/call","params":{"name":"tomtom-get-data\u0073et"}`), want{status: 200, code: -32602, says: "tomtom-get-dataset not found"}},
		{"behind a byte order mark", post("\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + name + `}}`), refused},
		{"in a batch of one", post(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + name + `}}]`), refused},
		{"behind a megabyte of white space", post(strings.Repeat(" \n\t\r", 1<<18) + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + name + `}}`), refused},
		{"with a prototype", steal(`"__proto__":{"method":"ping"},"method":"tools/call","params":{"__proto__":{"name":"other"},` + name + `}`), refused},
		{"with an id of null", post(`{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{` + name + `}}`), refused},
		{"with an object for an id", post(`{"jsonrpc":"2.0","id":{"a":[1]},"method":"tools/call","params":{` + name + `}}`), want{status: 200, code: -32602, says: `"id":{"a":[1]}`}},
		{"without an id", post(`{"jsonrpc":"2.0","method":"tools/call","params":{` + name + `}}`), want{status: 202}},
		{"without an id, in a batch", post(`[{"jsonrpc":"2.0","method":"tools/call","params":{` + name + `}},` + ping + `]`), want{status: 200, says: `{"x":1.50}`, reaches: 1, arrives: sameBody("[" + ping + "]")}},
		{"a report without an id", post(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"tomtom-report-app-status","arguments":{}}}`), want{status: 202}},

		{"UTF-16", post("{\x00}\x00", "Content-Type: application/json; charset=utf-16le"), want{status: 415, code: -32600}},
		{"UTF-7", post(ping, "Content-Type: application/json; charset=utf-7"), want{status: 415, code: -32600}},
		{"gzip", post("\x1f\x8b\x08", "Content-Encoding: gzip"), want{status: 415, code: -32600}},
		{"gzip under its old name", post("\x1f\x8b\x08", "Content-Encoding: x-gzip"), want{status: 415, code: -32600}},
		{"Brotli", post(ping, "Content-Encoding: br"), want{status: 415, code: -32600}},
		{"compressed twice", post(ping, "Content-Encoding: identity, gzip"), want{status: 415, code: -32600}},

		{"100,000 levels deep", post(`{"jsonrpc":"2.0","id":1,"method":"x","params":` + nested(100_000) + `}`), want{status: 400, code: -32600}},
		{"a batch in a batch, 100,000 times", post(nested(100_000)), want{status: 400, code: -32600}},
		{"9,000 levels deep", post(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":` + nested(9_000) + `}}`), want{status: 200, says: `{"x":1.50}`, reaches: 1}},
		{"16 MiB and more", post(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"` + long(16<<20) + `"}}`), want{status: 413, code: -32600, closes: true}},

		{"an empty batch", post(`[]`), want{status: 404, reaches: 1, arrives: sameBody(`[]`)}},
		{"a batch of no messages", post(`[1,"a",null,[]]`), want{status: 404, reaches: 1, arrives: sameBody(`[1,"a",null,[]]`)}},
		{"a batch in a batch", post(`[[` + ping + `]]`), want{status: 404, reaches: 1, arrives: sameBody(`[[` + ping + `]]`)}},
		{"two requests of one id", post(`[` + testkit.CallMessage("1", "tomtom-routing", `{}`) + `,` + ping + `]`), want{status: 400, code: -32600}},
		{"ids that are one number", post(`[` + testkit.CallMessage("1.0", "tomtom-routing", `{}`) + `,{"jsonrpc":"2.0","id":10e-1,"method":"x"}]`), want{status: 400, code: -32600}},
		{"zero and negative zero", post(`[` + testkit.CallMessage("-0", "tomtom-routing", `{}`) + `,{"jsonrpc":"2.0","id":0,"method":"x"}]`), want{status: 400, code: -32600}},
		{"numbers that are one to JavaScript", post(`[` + testkit.CallMessage("9007199254740993", "tomtom-routing", `{}`) + `,{"jsonrpc":"2.0","id":9007199254740992,"method":"x"}]`), want{status: 400, code: -32600}},
		{"numbers that are none to JavaScript", post(`[` + testkit.CallMessage("1e400", "tomtom-routing", `{}`) + `,{"jsonrpc":"2.0","id":2e400,"method":"x"}]`), want{status: 400, code: -32600}},
		{"texts that are one", post(`[` + testkit.CallMessage(`"a"`, "tomtom-routing", `{}`) + `,{"jsonrpc":"2.0","id":"\u0061","method":"x"}]`), want{status: 400, code: -32600}},
	}
	return append(append(all, unicodeNames()...), strange()...)
}

// unicodeNames are tool names that look like another's, or like one that is refused. They are names of their own: the
// upstream does not know them, and says so.
func unicodeNames() (all []attack) {
	for name, tool := range map[string]string{
		"a no-break hyphen": "tomtom\u2011get-viz-data", "a Cyrillic o": "t\u043emtom-get-viz-data", "full-width letters": "ｔomtom-get-viz-data",
		"a zero-width joiner": "tomtom-get\u200d-viz-data", "a zero-width space": "tomtom-get-viz-data\u200b", "from right to left": "\u202etomtom-get-viz-data",
		"a combining mark": "tomtom-get-viz-data\u0301", "a tag character": "tomtom-get-viz-data\U000e0041", "a space": "tomtom-get-viz-data ", "capitals": "TOMTOM-GET-VIZ-DATA",
		"a NUL": "tomtom-get-viz-data\x00", "a prototype": "__proto__", "a constructor": "constructor", "a path": "../tomtom-get-viz-data", "an empty name": "",
	} {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + testkit.Quote(tool) + `,"arguments":{}}}`
		all = append(all, attack{"a tool's name with " + name, testkit.RawPost("/mcp", message), want{status: 200, code: -32601, reaches: 1, arrives: sameBody(message)}})
	}
	return all
}

// strange is JSON that hardly any reader writes, and what is none.
func strange() (all []attack) {
	for name, message := range map[string]string{
		"1e400":                  `{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":1e400,"m":-1e400}}`,
		"2^63":                   `{"jsonrpc":"2.0","id":9223372036854775808,"method":"x"}`,
		"ten thousand digits":    `{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":` + strings.Repeat("7", 10_000) + `}}`,
		"an id of 10,000 digits": `{"jsonrpc":"2.0","id":` + strings.Repeat("7", 10_000) + `,"method":"x"}`,
		"negative zero":          `{"jsonrpc":"2.0","id":-0.0,"method":"x"}`,
		"invalid UTF-8":          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\xc0\xaf\xed\xa0\x80\xff\"}}",
		"lone surrogates":        `{"jsonrpc":"2.0","id":"\ud800","method":"x","params":{"a":"\udfff\ud800"}}`,
		"a NUL, escaped":         `{"jsonrpc":"2.0","id":"\u0000","method":"x"}`,
		"a prototype":            `{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":{"admin":true},"constructor":{"prototype":{}}}}`,
		"100,000 members":        `{"jsonrpc":"2.0","id":1,"method":"x","params":{` + strings.Repeat(`"a":1,`, 100_000) + `"b":2}}`,
		"one name, 10,000 times": `{` + strings.Repeat(`"id":2,`, 10_000) + `"jsonrpc":"2.0","id":1,"method":"x"}`,
	} {
		all = append(all, attack{"strange JSON: " + name, testkit.RawPost("/mcp", message), want{status: 200, says: `{"x":1.50}`, reaches: 1, arrives: sameBody(message)}})
	}
	for name, message := range map[string]string{
		"a comment": `{"jsonrpc":"2.0","id":1,/**/"method":"tools/call","params":{"name":"tomtom-get-viz-data"}}`, "a comma too many": `{"jsonrpc":"2.0","id":1,"method":"x",}`,
		"NaN": `{"jsonrpc":"2.0","id":NaN,"method":"x"}`, "single quotes": `{'jsonrpc':'2.0','id':1,'method':'x'}`, "a leading zero": `{"jsonrpc":"2.0","id":01,"method":"x"}`,
		"two documents": ping + ping, "a raw line end in a text": "{\"jsonrpc\":\"2.0\",\"id\":\"a\nb\",\"method\":\"x\"}", "a raw NUL": "{\"jsonrpc\":\"2.0\",\x00\"id\":1,\"method\":\"x\"}",
	} {
		all = append(all, attack{"no JSON: " + name, testkit.RawPost("/mcp", message), want{status: 404, reaches: 1, arrives: sameBody(message)}})
		all = append(all, attack{"no JSON, of a modern host: " + name, testkit.RawPost("/mcp", message, "Mcp-Protocol-Version: 2026-07-28"), want{status: 400, code: -32700}})
	}
	return all
}

// TestLargeBatches: ten thousand messages are one request, and each gets its answer.
func TestLargeBatches(t *testing.T) {
	s := start(t)
	const many = 10_000
	batch := func(message string) string {
		messages := make([]string, many)
		for i := range messages {
			messages[i] = strings.ReplaceAll(message, "ID", fmt.Sprint(i))
		}
		return "[" + strings.Join(messages, ",") + "]"
	}
	for name, c := range map[string]struct {
		message          string
		answers, reaches int
		status           int
	}{
		"of what passes":        {strings.Replace(ping, `"id":1`, `"id":ID`, 1), many, 1, 200},
		"of refused calls":      {testkit.CallMessage("ID", "tomtom-get-viz-data", `{}`), many, 0, 200},
		"of notifications":      {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":ID}}`, 0, 1, 202},
		"of calls without apps": {testkit.CallMessage("ID", "other", `{}`), many, 1, 200},
	} {
		t.Run(name, func(t *testing.T) {
			s.up.Forget()
			a := testkit.Client{URL: s.URL}.Post(t, batch(c.message))
			if n := strings.Count(a.Text(), `"jsonrpc"`); a.Status != c.status || n != c.answers {
				t.Errorf("%d with %d answers", a.Status, n)
			}
			if n := len(s.up.Exchanges()); n != c.reaches {
				t.Errorf("%d requests reached the upstream", n)
			}
			conn, r := s.dial(t)
			honestly(t, conn, r)
		})
	}
}
