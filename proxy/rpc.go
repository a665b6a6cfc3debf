package proxy

import (
	"strconv"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// message is one JSON-RPC message, as spans of the body that it came in. The bytes are never changed.
type message struct {
	body   []byte        // the whole HTTP body or SSE data; every span below is one of its
	span   jsonspan.Span // the message itself
	id     jsonspan.Span // the id's value; empty when the member is missing
	method string        // "" in a response
	params jsonspan.Span // empty when missing

	// name is params.name of tools/call and prompts/get, params.uri of resources/read, escapes decoded.
	name string
	args jsonspan.Span // params.arguments of tools/call; empty when missing

	result jsonspan.Span // a response's result; empty in an error
}

// raw returns the bytes of one of the message's spans. They alias the body.
func (m message) raw(s jsonspan.Span) []byte { return s.Of(m.body) }

// isRequest reports whether the message wants an answer.
func (m message) isRequest() bool { return m.method != "" && m.id.Len() > 0 }

// isResponse reports whether the message answers a request.
func (m message) isResponse() bool { return m.method == "" && m.id.Len() > 0 }

// meta returns the value of a member of params._meta. ok is false when there is none.
func (m message) meta(name string) (value jsonspan.Span, ok bool) {
	return jsonspan.Lookup(m.body, m.params, "_meta", name)
}

// idKey returns the same string for ids that are the same JSON value, however they are spelled: an upstream that
// parses and writes them again may answer 1.0 with 1 and "\u0061" with "a", and JavaScript answers -0 with 0 and a number
// that is too large for it with null.
func (m message) idKey() string { return idKey(m.body, m.id) }

func idKey(body []byte, id jsonspan.Span) string {
	raw := string(id.Of(body))
	switch {
	case jsonspan.IsString(body, id):
		return `"` + stringAt(body, id)
	case raw != "" && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9'):
		switch f, err := strconv.ParseFloat(raw, 64); {
		case err != nil:
			return "null"
		case f == 0:
			return "0"
		default:
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	return string(jsonspan.Apply(nil, []byte(raw), jsonspan.Minify([]byte(raw), nil)))
}

// scanMessages finds the messages of an HTTP body or of an SSE event's data: one, or the elements of a batch. An
// element that is no object becomes a message with nothing but its span. The error wraps [jsonspan.ErrSyntax].
func scanMessages(body []byte) (messages []message, batch bool, err error) {
	root, err := jsonspan.Scan(body)
	if err != nil {
		return nil, false, err
	}
	if !jsonspan.IsArray(body, root) {
		return []message{scanMessage(body, root)}, false, nil
	}
	for element := range jsonspan.Elements(body, root) {
		messages = append(messages, scanMessage(body, element))
	}
	return messages, true, nil
}

// scanMessage reads the envelope at span. Of repeated members the last counts, as for every JSON.parse behind us.
func scanMessage(body []byte, span jsonspan.Span) message {
	m := message{body: body, span: span}
	for member := range jsonspan.Members(body, span) {
		switch {
		case member.Named(body, "id"):
			m.id = member.Value
		case member.Named(body, "method"):
			m.method = stringAt(body, member.Value)
		case member.Named(body, "params"):
			m.params = member.Value
		case member.Named(body, "result"):
			m.result = member.Value
		}
	}
	switch m.method {
	case methodCallTool, methodGetPrompt:
		m.name = stringMember(body, m.params, "name")
		m.args, _ = jsonspan.Lookup(body, m.params, "arguments")
	case methodReadResource:
		m.name = stringMember(body, m.params, "uri")
	}
	return m
}

// The methods that the gateway tells apart.
const (
	methodInitialize    = "initialize"
	methodDiscover      = "server/discover"
	methodListTools     = "tools/list"
	methodCallTool      = "tools/call"
	methodListResources = "resources/list"
	methodReadResource  = "resources/read"
	methodGetPrompt     = "prompts/get"
	methodListPrompts   = "prompts/list"
	methodListTemplates = "resources/templates/list"
	methodListen        = "subscriptions/listen"
	methodPing          = "ping"
	methodSetLevel      = "logging/setLevel"
	methodSubscribe     = "resources/subscribe"
	methodUnsubscribe   = "resources/unsubscribe"
)

// The requests by which a server asks its host for something.
const (
	methodElicit    = "elicitation/create"
	methodSample    = "sampling/createMessage"
	methodListRoots = "roots/list"
)

// The notifications that the gateway tells apart.
const (
	noteCancelled = "notifications/cancelled"
	noteProgress  = "notifications/progress"
	noteMessage   = "notifications/message"
)

// stringAt returns the string at span s with its escapes decoded, "" when another kind of value stands there.
func stringAt(doc []byte, s jsonspan.Span) string {
	text, err := jsonspan.Decode(doc, s)
	if err != nil {
		return ""
	}
	return string(text.Bytes)
}

// stringMember returns the string member called name of the object at span object, "" when there is none.
func stringMember(doc []byte, object jsonspan.Span, name string) string {
	m, ok := jsonspan.Find(doc, object, name)
	if !ok {
		return ""
	}
	return stringAt(doc, m.Value)
}
