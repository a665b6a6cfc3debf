package attacks

import (
	"fmt"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestRequestSmuggling: of bytes that two readers could take for different requests, the gateway makes one request whose
// length is beyond doubt, or none (RFC 9112 sections 2.2, 5, 6 and 7).
func TestRequestSmuggling(t *testing.T) { start(t).all(t, smuggling()) }

func smuggling() []attack {
	post := func(lines ...string) string {
		return head(append([]string{"POST /mcp HTTP/1.1", "Host: g", "Content-Type: application/json", "Accept: application/json, text/event-stream"}, lines...)...)
	}
	length := fmt.Sprintf("Content-Length: %d", len(ping))
	chunks := "Transfer-Encoding: chunked"
	refused := want{status: 400, closes: true}
	once := want{status: 200, says: `{"x":1.50}`, reaches: 1, arrives: sameBody(ping)}
	onceAndNoMore := want{status: 200, says: `{"x":1.50}`, reaches: 1, closes: true, arrives: sameBody(ping)}
	return []attack{
		{"a length beside chunks", post("Content-Length: 4", chunks) + chunked(ping) + smuggled, onceAndNoMore},
		{"chunks beside a length that covers another request", post(fmt.Sprintf("Content-Length: %d", len("0\r\n\r\n"+smuggled)), chunks) + "0\r\n\r\n" + smuggled, want{status: 404, reaches: 1, closes: true, arrives: sameBody("")}},
		{"two different lengths", post(length, "Content-Length: 3") + ping, refused},
		{"two different lengths, the other first", post("Content-Length: 3", length) + ping, refused},
		{"a list of different lengths", post(length+", 3") + ping, refused},
		{"a length with a sign", post(fmt.Sprintf("Content-Length: +%d", len(ping))) + ping, refused},
		{"a negative length", post("Content-Length: -1") + ping, refused},
		{"a hexadecimal length", post("Content-Length: 0x25") + ping, refused},
		{"a length with a fraction", post("Content-Length: 37.0") + ping, refused},
		{"a length with a space inside", post("Content-Length: 3 7") + ping, refused},
		{"a length without digits", post("Content-Length: ") + ping, refused},
		{"a length of 2^64 and some", post("Content-Length: 18446744073709551653") + ping, refused},
		{"a length of 2^63−1", post("Content-Length: 9223372036854775807") + ping, want{status: 413, code: -32600, closes: true}},
		{"two transfer codings", post("Transfer-Encoding: chunked, identity") + chunked(ping), want{status: 501, closes: true}},
		{"Transfer-Encoding twice", post(chunks, "Transfer-Encoding: identity") + chunked(ping), want{status: 501, closes: true}},
		{"a coding that is not known", post("Transfer-Encoding: xchunked") + chunked(ping), want{status: 501, closes: true}},
		{"a coding behind a control character", post("Transfer-Encoding: \x0bchunked") + chunked(ping), want{status: 400, closes: true}},
		{"a coding in quotes", post(`Transfer-Encoding: "chunked"`) + chunked(ping), want{status: 501, closes: true}},
		{"a coding beside a compressed one", post("Transfer-Encoding: gzip, chunked") + chunked(ping), want{status: 501, closes: true}},
		{"a coding in other letters", post("Transfer-Encoding: CHUNKED") + chunked(ping) + smuggled, onceAndNoMore},
		{"chunks under HTTP/1.0", head("POST /mcp HTTP/1.0", "Host: g", "Accept: application/json, text/event-stream", length, chunks) + ping + smuggled, onceAndNoMore},
		{"a name with a space behind it", post("Transfer-Encoding : chunked", length) + ping, refused},
		{"a name with a tab before it", head("POST /mcp HTTP/1.1", "\tHost: g", length) + ping, refused},
		{"a line without a colon", post(length, "Transfer-Encoding chunked") + ping, refused},
		{"a line with an empty name", post(length, ": chunked") + ping, refused},
		{"a folded line", post(length, "X-Folded: a\r\n Transfer-Encoding: chunked") + ping, want{
			status: 200, says: `{"x":1.50}`, reaches: 1, arrives: func(t *testing.T, e testkit.Exchange) {
				t.Helper()
				if got := e.Header.Get("X-Folded"); got != "a Transfer-Encoding: chunked" {
					t.Errorf("X-Folded arrived as %q", got)
				}
			},
		}},
		{"lines that end with LF alone", strings.ReplaceAll(post(length), "\r\n", "\n") + ping, once},
		{"a CR inside of a value", post(length, "X-A: b\rTransfer-Encoding: chunked") + ping, refused},
		{"a NUL inside of a value", post(length, "X-A: b\x00c") + ping, refused},
		{"a name outside of ASCII", post(length, "Tränsfer-Encoding: chunked") + ping, refused},

		{"a chunk extension", post(chunks) + fmt.Sprintf("%x;a=b;c\r\n%s\r\n0\r\n\r\n", len(ping), ping), onceAndNoMore},
		{"a chunk extension of 64 KiB", post(chunks) + fmt.Sprintf("%x;%s\r\n%s\r\n0\r\n\r\n", len(ping), strings.Repeat("a", 64<<10), ping), want{status: 400, code: -32600, closes: true}},
		{"a chunk extension with LF alone", post(chunks) + fmt.Sprintf("%x;a\n%s\r\n0\r\n\r\n", len(ping), ping), want{status: 400, code: -32600, closes: true}},
		{"a chunk of 2^64 bytes", post(chunks) + "10000000000000000\r\n" + ping + "\r\n0\r\n\r\n", want{status: 400, code: -32600, closes: true}},
		{"a chunk of a negative length", post(chunks) + "-1\r\n" + ping + "\r\n0\r\n\r\n", want{status: 400, code: -32600, closes: true}},
		{"a chunk of 0x25 bytes", post(chunks) + "0x25\r\n" + ping + "\r\n0\r\n\r\n", want{status: 400, code: -32600, closes: true}},
		{"a chunk that is longer than it says", post(chunks) + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(ping)-3, ping), want{status: 400, code: -32600, closes: true}},
		{"garbage behind the last chunk", post(chunks) + chunked(ping) + "garbage\r\n\r\n" + smuggled, onceAndNoMore},
		{"a trailer with a length", post(chunks, "Trailer: Content-Length") + fmt.Sprintf("%x\r\n%s\r\n0\r\nContent-Length: 3\r\n\r\n", len(ping), ping), refused},
		{"a trailer with a session", post(chunks, "Trailer: Mcp-Session-Id") + fmt.Sprintf("%x\r\n%s\r\n0\r\nMcp-Session-Id: other\r\n\r\n", len(ping), ping), want{
			status: 200, reaches: 1, closes: true, arrives: func(t *testing.T, e testkit.Exchange) {
				t.Helper()
				if e.Header.Get("Mcp-Session-Id") != "" {
					t.Error("a trailer became a header")
				}
			},
		}},

		{"a GET with a request for a body", head("GET /mcp HTTP/1.1", "Host: g", fmt.Sprintf("Content-Length: %d", len(smuggled))) + smuggled, want{status: 404, reaches: 1, arrives: sameBody(smuggled)}},
		{"a HEAD with a request for a body", head("HEAD /mcp HTTP/1.1", "Host: g", fmt.Sprintf("Content-Length: %d", len(smuggled))) + smuggled, want{status: 404, reaches: 1, arrives: sameBody(smuggled)}},
		{"a body that is a request", post(fmt.Sprintf("Content-Length: %d", len(smuggled))) + smuggled, want{status: 404, reaches: 1, arrives: sameBody(smuggled)}},
	}
}
