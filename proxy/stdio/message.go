package stdio

import (
	"bytes"
	"net/http"
	"strconv"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// The methods that the ends tell apart.
const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
	methodProgress    = "notifications/progress"
	methodDiscover    = "server/discover"
	methodPing        = "ping"
	methodCallTool    = "tools/call"
	methodReadRes     = "resources/read"
	methodGetPrompt   = "prompts/get"
	methodListen      = "subscriptions/listen"
)

// Members of _meta of the 2026-07-28 revision.
const (
	metaProtocolVersion = "io.modelcontextprotocol/protocolVersion"
	metaSubscriptionID  = "io.modelcontextprotocol/subscriptionId"
)

// JSON-RPC error codes.
const (
	codeParseError     = -32700
	codeInvalidRequest = -32600
	codeInternal       = -32603
)

// message is one JSON-RPC message as spans of the line that it stands in.
type message struct {
	body   []byte
	span   jsonspan.Span
	id     jsonspan.Span // empty when missing
	method string        // "" in a response
	params jsonspan.Span // empty when missing
	answer bool          // has a result or an error
}

func (m message) isRequest() bool  { return m.method != "" && m.id.Len() > 0 }
func (m message) isResponse() bool { return m.method == "" && m.answer }

func (m message) raw(s jsonspan.Span) []byte { return s.Of(m.body) }

// key is the same for ids that are the same JSON value.
func (m message) key() string { return jsonspan.ScalarKey(m.body, m.id) }

// param returns the value at a path inside params, the empty span when there is none.
func (m message) param(path ...string) jsonspan.Span {
	value, _ := jsonspan.Lookup(m.body, m.params, path...)
	return value
}

func (m message) stringParam(path ...string) string {
	return stringAt(m.body, m.param(path...))
}

// version is the revision by which a modern request describes itself; "" in any other.
func (m message) version() string { return m.stringParam("_meta", metaProtocolVersion) }

func stringAt(doc []byte, s jsonspan.Span) string {
	text, err := jsonspan.Decode(doc, s)
	if err != nil {
		return ""
	}
	return string(text.Bytes)
}

// scan finds the messages of a line: one, or the elements of a batch. The error wraps jsonspan.ErrSyntax.
func scan(line []byte) (messages []message, batch bool, err error) {
	root, err := jsonspan.Scan(line)
	if err != nil {
		return nil, false, err
	}
	if !jsonspan.IsArray(line, root) {
		return []message{scanMessage(line, root)}, false, nil
	}
	for element := range jsonspan.Elements(line, root) {
		messages = append(messages, scanMessage(line, element))
	}
	return messages, true, nil
}

func scanMessage(line []byte, span jsonspan.Span) message {
	m := message{body: line, span: span}
	if !jsonspan.IsObject(line, span) {
		return m
	}
	for member := range jsonspan.Members(line, span) {
		switch {
		case member.Named(line, "id"):
			m.id = member.Value
		case member.Named(line, "method"):
			m.method = stringAt(line, member.Value)
		case member.Named(line, "params"):
			m.params = member.Value
		case member.Named(line, "result"), member.Named(line, "error"):
			m.answer = true
		}
	}
	return m
}

// isNull reports whether a value is missing or null, as the id of an answer to what could not be read.
func isNull(doc []byte, s jsonspan.Span) bool { return s.Len() == 0 || string(s.Of(doc)) == "null" }

// failure returns an error response; nil id: null.
func failure(id []byte, code int, text string) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	dst := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":`...)
	dst = jsonspan.AppendQuoted(dst, []byte(text))
	return append(dst, "}}"...)
}

// oneLine returns text, one JSON value, without line ends, which can only stand between its tokens. text is changed.
func oneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text
}

const (
	headerSession     = "Mcp-Session-Id"
	headerVersion     = "Mcp-Protocol-Version"
	headerMethod      = "Mcp-Method"
	headerName        = "Mcp-Name"
	headerType        = "Content-Type"
	typeJSON          = "application/json"
	typeEvents        = "text/event-stream"
	acceptBoth        = typeJSON + ", " + typeEvents
	unknownStatusText = "HTTP status "
)

// statusText is a status in words, for an error message.
func statusText(status int) string {
	text := unknownStatusText + strconv.Itoa(status)
	if name := http.StatusText(status); name != "" {
		text += " (" + name + ")"
	}
	return text
}
