package faults

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What a host gets.
const (
	theText    = "the text and the map" // result of a call that nothing happened to
	unaltered  = "the text as the server sent it, without a map"
	brokenOff  = "error −32603 “The MCP server could not be reached or broke off”"
	tooLate    = "error −32603 “The MCP server did not answer in time”"
	noResponse = "error −32603 “The MCP server's answer holds no response to this request”"
)

// passed is what a host gets of an HTTP answer that is an error of the server's own.
func passed(status int) string { return fmt.Sprintf("HTTP %d, as the server sent it", status) }

// fault is one way in which a request to the upstream goes wrong.
type fault struct {
	name string
	// call is what the host gets when the call meets the fault; where it depends on that, whole is the same for answers
	// that are one JSON document.
	call, whole string
	// reason is that of the status unavailable when the redemption meets it; "": the map comes all the same.
	reason, wholeReason string
	wholeMap            bool // it comes where the answer is a document
	// inject does it. The connection ends afterwards.
	inject func(s *strike)

	// inject is for the redemption alone.
	redeemed bool

	once   bool     // what comes after it passes
	unread bool     // the request does not reach the upstream
	down   bool     // nobody listens
	slow   bool     // it ends when the gateway's patience does
	env    []string // the gateway's limits for it
}

// impatient is a gateway that waits for less than two minutes.
var impatient = []string{"GATEWAY_UPSTREAM_TIMEOUT=2s"}

// list is every fault, in the order of the way: connection, HTTP, body, MCP.
var list = []*fault{
	{name: "nobody listens", call: brokenOff, down: true},
	{name: "reset before the request was read", call: brokenOff, reason: "not answered", unread: true},
	{name: "reset after the request was read", call: brokenOff, reason: "not answered", inject: func(s *strike) { s.asked(); reset(s.conn) }},
	{name: "reset after the request was read, once", call: brokenOff, once: true, inject: func(s *strike) { s.asked(); reset(s.conn) }},
	{name: "closed without an answer", call: brokenOff, reason: "not answered", inject: func(s *strike) { s.asked() }},
	{name: "half-closed without an answer", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		s.asked()
		_ = s.conn.CloseWrite()
		s.awaitEnd()
	}},
	{name: "restart in the middle of the request", call: brokenOff, reason: "not answered", inject: func(s *strike) { s.asked(); s.in.restart() }},
	{name: "no answer", call: tooLate, reason: "timeout", slow: true, env: impatient, inject: func(s *strike) { s.asked(); s.awaitEnd() }},

	{name: "bytes that are no HTTP", call: brokenOff, reason: "not answered", inject: func(s *strike) { s.asked(); s.say("\x16\x03\x01 hello\r\n\r\n") }},
	{name: "closed within the header", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		head := s.asked().head()
		s.say(head[:len(head)-4])
	}},
	{name: "no answer after the header", call: tooLate, reason: "timeout", slow: true, env: impatient, inject: func(s *strike) { s.say(s.asked().head("Transfer-Encoding: chunked")); s.awaitEnd() }},
	{name: "11 MB of headers", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		s.say(s.asked().head(strings.Repeat("X-Filler: "+strings.Repeat("x", 1000)+"\r\n", 11_000)))
	}},
	{name: "two different Content-Length", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		a := s.asked()
		s.answer(a, "Content-Length: "+strconv.Itoa(len(a.body)-7))
	}},
	{name: "the same Content-Length twice", call: theText, inject: func(s *strike) {
		a := s.asked()
		s.answer(a, "Content-Length: "+strconv.Itoa(len(a.body)))
	}},
	{name: "Transfer-Encoding twice", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + chunk(a.body) + "0\r\n\r\n")
	}},
	{name: "chunks beside a Content-Length", call: theText, inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Transfer-Encoding: chunked", "Content-Length: 5") + chunk(a.body) + "0\r\n\r\n")
		s.whole = true
	}},
	{name: "Content-Type twice", call: theText, inject: func(s *strike) { a := s.asked(); s.answer(a, "Content-Type: text/html") }},

	{name: "closed in the middle of the body", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Content-Length: "+strconv.Itoa(len(a.body))) + string(a.body[:len(a.body)/2]))
	}},
	{name: "half-closed in the middle of the body", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Content-Length: "+strconv.Itoa(len(a.body))) + string(a.body[:len(a.body)/2]))
		_ = s.conn.CloseWrite()
		s.awaitEnd()
	}},
	{name: "reset in the middle of the body", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Content-Length: "+strconv.Itoa(len(a.body))) + string(a.body[:len(a.body)/2]))
		reset(s.conn)
	}},
	{name: "no more bytes in the middle of the body", call: tooLate, reason: "timeout", slow: true, env: impatient, inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Content-Length: "+strconv.Itoa(len(a.body))) + string(a.body[:len(a.body)/2]))
		s.awaitEnd()
	}},
	{name: "one byte at a time", call: theText, inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Content-Length: " + strconv.Itoa(len(a.body))))
		for i := range a.body {
			s.say(string(a.body[i : i+1]))
		}
		s.whole = true
	}},
	{name: "one byte at a time, without an end", call: tooLate, reason: "timeout", slow: true, env: impatient, inject: func(s *strike) {
		s.say(s.asked().head("Transfer-Encoding: chunked"))
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for s.write("1\r\n \r\n") == nil {
			<-tick.C
		}
	}},
	{name: "a chunk cut short", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Transfer-Encoding: chunked") + chunk(a.body)[:len(a.body)/2])
	}},
	{name: "a chunk without a length", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Transfer-Encoding: chunked") + chunk(a.body[:10]) + "zz\r\n" + string(a.body[10:]) + "\r\n0\r\n\r\n")
	}},
	// The event is whole; of a document nobody can know.
	{name: "no last chunk", call: theText, whole: brokenOff, wholeReason: "not answered", inject: func(s *strike) {
		a := s.asked()
		s.say(a.head("Transfer-Encoding: chunked") + chunk(a.body))
	}},

	{name: "an event or document that ends in the middle", call: noResponse, reason: "unusable", inject: func(s *strike) {
		a := s.asked()
		a.body = a.body[:len(a.body)/2]
		s.answer(a)
	}},
	{name: "garbage in place of it", call: noResponse, reason: "unusable", inject: func(s *strike) {
		a := s.asked()
		a.body = []byte("\x00\xff\xfe{{{ no JSON at all\r\n: \r\ndata\r\n\r\n")
		s.answer(a)
	}},
	{name: "JSON that breaks off in a whole event or document", call: noResponse, reason: "unusable", inject: func(s *strike) {
		a := s.asked()
		end := len(a.body) - len("}\n\n")
		a.body = append(a.body[:end:end], "\n\n"...)
		s.answer(a)
	}},
	{name: "nothing in it", call: noResponse, reason: "unusable", inject: func(s *strike) {
		a := s.asked()
		a.body = nil
		s.answer(a)
	}},
	{name: "the response to another request", call: noResponse, reason: "unusable", inject: func(s *strike) {
		a := s.asked()
		a.body = bytes.Replace(a.body, []byte(`"id":`), []byte(`"id":99`), 1)
		if bytes.Contains(a.body, []byte(`"id":99"`)) { // of the redemption, whose id is a string
			a.body = bytes.Replace(a.body, []byte(`"id":99"`), []byte(`"id":"other-`), 1)
		}
		s.answer(a)
	}},
	{name: "another process answers, which does not have the data", reason: "gone", redeemed: true, inject: func(s *strike) {
		a := s.asked()
		a.body = bytes.Replace(a.body, []byte(`"content":[`), []byte(`"isError":true,"content":[{"type":"text","text":"not found or expired"},`), 1)
		s.answer(a)
	}},
	{name: "data that breaks off", reason: "data is no JSON", redeemed: true, inject: func(s *strike) {
		a := s.asked()
		a.body = bytes.Replace(a.body, []byte(`\"properties\"`), nil, 1)
		s.answer(a)
	}},
	{name: "202 without a body", call: noResponse, reason: "unusable", inject: func(s *strike) { s.asked(); s.answer(answer{status: http.StatusAccepted}) }},
	{name: "204", call: noResponse, reason: "unusable", inject: func(s *strike) { s.asked(); s.say("HTTP/1.1 204 No Content\r\n\r\n") }},
	{name: "200 with a web page", call: noResponse, reason: "unusable", inject: func(s *strike) { s.asked(); s.answer(page(http.StatusOK)) }},
	{name: "200 without a Content-Type", call: noResponse, whole: theText, reason: "unusable", wholeMap: true, inject: func(s *strike) { a := s.asked(); a.contentType = ""; s.answer(a) }},
	{name: "compressed, although nobody asked for it", call: unaltered, reason: "unusable", inject: func(s *strike) {
		a := s.asked()
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, _ = w.Write(a.body)
		_ = w.Close()
		a.body = zipped.Bytes()
		s.answer(a, "Content-Encoding: gzip")
	}},
	{name: "another protocol (101)", call: brokenOff, reason: "not answered", inject: func(s *strike) {
		s.asked()
		s.say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello")
	}},
	{name: "redirect (307)", call: passed(307), reason: "unusable", inject: func(s *strike) {
		s.asked()
		s.answer(answer{status: http.StatusTemporaryRedirect}, "Location: http://"+s.in.address+"/elsewhere")
	}},
	httpError(http.StatusTooManyRequests, "Retry-After: 1"), silentError(http.StatusTooManyRequests),
	httpError(http.StatusInternalServerError), silentError(http.StatusInternalServerError),
	httpError(http.StatusBadGateway), silentError(http.StatusBadGateway),
	httpError(http.StatusServiceUnavailable, "Retry-After: 1"),

	{name: "an answer above `GATEWAY_MAX_RESPONSE_BYTES`", call: unaltered, reason: "unusable", env: []string{"GATEWAY_MAX_RESPONSE_BYTES=100000"}, inject: large},
	{name: "an answer above `GATEWAY_MAX_BUFFERED_BYTES`", call: unaltered, reason: "busy", env: []string{"GATEWAY_MAX_BUFFERED_BYTES=100000"}, inject: large},
}

// page is an answer that a person could read.
func page(status int) answer {
	return answer{status: status, contentType: "text/html", body: []byte("<html>not what you came for</html>")}
}

func httpError(status int, lines ...string) *fault {
	return &fault{
		name: fmt.Sprintf("%d with a page", status), call: passed(status), reason: "unusable",
		inject: func(s *strike) { s.asked(); s.answer(page(status), lines...) },
	}
}

func silentError(status int) *fault {
	return &fault{
		name: fmt.Sprintf("%d without a body", status), call: passed(status), reason: "unusable",
		inject: func(s *strike) { s.asked(); s.answer(answer{status: status}) },
	}
}

// chunk is one chunk of a body.
func chunk(body []byte) string { return fmt.Sprintf("%x\r\n%s\r\n", len(body), body) }

// large answers with a text of 200,000 characters more.
func large(s *strike) {
	a := s.asked()
	a.body = bytes.Replace(a.body, []byte(`{\"`), []byte(`{\"pad\":\"`+strings.Repeat("x", 200_000)+`\",\"`), 1)
	s.answer(a)
}
