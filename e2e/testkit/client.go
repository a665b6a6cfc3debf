package testkit

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Key is the TomTom key that tests call with. It must never appear in a log.
const Key = "e2e-tomtom-key-4711"

// Client posts MCP messages as a host does, one TCP connection a request unless HTTP says otherwise.
type Client struct {
	URL string
	// Header replaces what every request has of these names; a nil value leaves a name out.
	Header http.Header
	HTTP   *http.Client
}

// Answer is an HTTP answer, read whole and not decompressed.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Text is the body as a string.
func (a Answer) Text() string { return string(a.Body) }

// oneShot opens a connection for each request, follows nothing and unpacks nothing.
var oneShot = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Do sends one request. Accept, Content-Type and the key are set unless header names them, in which case header's
// value is used, or none where it is empty.
func (c Client) Do(tb testing.TB, method, body string, header map[string]string) Answer {
	tb.Helper()
	response, err := c.Start(tb, method, body, header)
	if err != nil {
		tb.Fatalf("%s %s: %v", method, c.URL, err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatalf("%s %s: body after %d bytes: %v", method, c.URL, len(data), err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: data}
}

// Start is Do without reading the answer's body, which the caller closes.
func (c Client) Start(tb testing.TB, method, body string, header map[string]string) (*http.Response, error) {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), method, c.URL, bodyOf(method, body))
	if err != nil {
		tb.Fatal(err)
	}
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Tomtom-Api-Key", Key)
	for name, values := range c.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	for name, value := range header {
		if value == "" {
			request.Header.Del(name)
		} else {
			request.Header.Set(name, value)
		}
	}
	client := c.HTTP
	if client == nil {
		client = oneShot
	}
	return client.Do(request)
}

func bodyOf(method, body string) io.Reader {
	if body == "" && method != http.MethodPost {
		return nil
	}
	return strings.NewReader(body)
}

// Post sends one message or batch.
func (c Client) Post(tb testing.TB, body string) Answer {
	tb.Helper()
	return c.Do(tb, http.MethodPost, body, nil)
}

// CallMessage is a tools/call. arguments is a JSON object.
func CallMessage(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// ModernCallMessage is a tools/call as hosts of revision 2026-07-28 send it. arguments and capabilities are JSON objects.
func ModernCallMessage(id, tool, arguments, capabilities string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"e2e","version":"1"},`+
		`"io.modelcontextprotocol/clientCapabilities":%s}}}`, id, tool, arguments, capabilities)
}

// ModernHeader are the headers that such a call of a tool carries besides.
func ModernHeader(tool string) map[string]string {
	return map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool}
}

// Call calls a tool and returns its result; anything but a result ends the test.
func (c Client) Call(tb testing.TB, tool, arguments string) Result {
	tb.Helper()
	return c.Post(tb, CallMessage("7", tool, arguments)).Result(tb)
}

// ReadEvents returns the data of the events of a stream, as they come.
func ReadEvents(body io.Reader) <-chan string {
	events := make(chan string, 100)
	go func() {
		defer close(events)
		lines := bufio.NewReader(body)
		for {
			line, err := lines.ReadString('\n')
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				events <- strings.TrimSuffix(data, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return events
}

// Data returns the data of an answer's events, each event's data lines joined by line feeds; of a JSON answer, its body.
func (a Answer) Data() [][]byte {
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream") {
		return [][]byte{a.Body}
	}
	var all [][]byte
	var lines [][]byte
	flush := func() {
		if lines != nil {
			all = append(all, bytes.Join(lines, []byte("\n")))
		}
		lines = nil
	}
	for line := range bytes.Lines(a.Body) {
		line = bytes.TrimRight(line, "\r\n")
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			lines = append(lines, bytes.TrimPrefix(data, []byte(" ")))
		}
		if len(line) == 0 {
			flush()
		}
	}
	flush()
	return all
}
