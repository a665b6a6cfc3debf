package testkit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http/httputil"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// RawAnswer is an answer as it stood on the connection.
type RawAnswer struct {
	StatusLine string
	// Header holds the header lines in their order, each as written.
	Header []string
	// Body has its transfer coding removed and nothing else.
	Body []byte
}

// SendRaw opens a connection, sends the bytes of one request and reads one answer.
func SendRaw(tb testing.TB, address, request string) RawAnswer {
	tb.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(Patience))
	if _, err := io.WriteString(conn, request); err != nil {
		tb.Fatal(err)
	}
	answer, err := readRaw(bufio.NewReader(conn), strings.HasPrefix(request, "HEAD "))
	if err != nil {
		tb.Fatalf("answer of %s: %v", address, err)
	}
	return answer
}

func readRaw(r *bufio.Reader, head bool) (RawAnswer, error) {
	var a RawAnswer
	lines := textproto.NewReader(r)
	var err error
	if a.StatusLine, err = lines.ReadLine(); err != nil {
		return a, err
	}
	for {
		line, err := lines.ReadLine()
		if err != nil {
			return a, err
		}
		if line == "" {
			break
		}
		a.Header = append(a.Header, line)
	}
	status := strings.Fields(a.StatusLine)
	switch length, err := strconv.Atoi(a.Value("Content-Length")); {
	case head || len(status) > 1 && (status[1] == "204" || status[1] == "304"):
		return a, nil
	case a.Value("Transfer-Encoding") == "chunked":
		a.Body, err = io.ReadAll(httputil.NewChunkedReader(r))
		return a, err
	case err == nil:
		a.Body = make([]byte, length)
		_, err = io.ReadFull(r, a.Body)
		return a, err
	default:
		a.Body, err = io.ReadAll(r)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil
		}
		return a, err
	}
}

// Value returns the value of the first header line of that name, "" where there is none.
func (a RawAnswer) Value(name string) string {
	if all := a.Values(name); len(all) > 0 {
		return all[0]
	}
	return ""
}

// Values returns the values of all header lines of that name.
func (a RawAnswer) Values(name string) []string {
	var values []string
	for _, line := range a.Header {
		n, v, _ := strings.Cut(line, ":")
		if strings.EqualFold(n, name) {
			values = append(values, strings.TrimSpace(v))
		}
	}
	return values
}

// Without returns the answer without the header lines of that name.
func (a RawAnswer) Without(name string) RawAnswer {
	a.Header = slices.DeleteFunc(slices.Clone(a.Header), func(line string) bool {
		n, _, _ := strings.Cut(line, ":")
		return strings.EqualFold(n, name)
	})
	return a
}

// endToEnd returns the header lines that must survive a proxy, as "name: value" in lower-case names, sorted. The date,
// what belongs to one connection, and the CORS headers, which the gateway owns, are left out.
func (a RawAnswer) endToEnd() []string {
	var lines []string
	for _, line := range a.Header {
		n, v, _ := strings.Cut(line, ":")
		n = strings.ToLower(n)
		switch n {
		case "date", "connection", "keep-alive", "transfer-encoding", "content-length", "vary", "trailer", "upgrade",
			"proxy-authenticate", "proxy-connection", "te":
			continue
		}
		if strings.HasPrefix(n, "access-control-") {
			continue
		}
		lines = append(lines, n+": "+strings.TrimSpace(v))
	}
	slices.Sort(lines)
	return lines
}

// SameAnswer fails the test unless got says what want says: status line, end-to-end headers, and every byte of the body.
func SameAnswer(tb testing.TB, got, want RawAnswer) {
	tb.Helper()
	if got.StatusLine != want.StatusLine {
		tb.Errorf("status line %q, want %q", got.StatusLine, want.StatusLine)
	}
	if g, w := got.endToEnd(), want.endToEnd(); !slices.Equal(g, w) {
		tb.Errorf("headers\ngot  %q\nwant %q", g, w)
	}
	if !bytes.Equal(got.Body, want.Body) {
		SameBytes(tb, "body", got.Body, want.Body)
	}
}

// RawPost is a POST of an MCP message as bytes. Further header lines come without line ends.
func RawPost(path, body string, header ...string) string {
	lines := append([]string{
		"POST " + path + " HTTP/1.1", "Host: upstream.test", "Content-Type: application/json",
		"Accept: application/json, text/event-stream", "Tomtom-Api-Key: " + Key,
		"Content-Length: " + strconv.Itoa(len(body)),
	}, header...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}
