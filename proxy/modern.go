package proxy

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// Headers by which a modern request says outside of its body what stands in it.
const (
	headerVersion     = "Mcp-Protocol-Version"
	headerMethod      = "Mcp-Method"
	headerName        = "Mcp-Name"
	headerParamPrefix = "Mcp-Param-"
)

// Error codes of the modern era.
const (
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
)

// Reserved members of _meta, beside those that describe a client (caps.go).
const (
	metaLogLevel       = "io.modelcontextprotocol/logLevel"
	metaServerInfo     = "io.modelcontextprotocol/serverInfo"
	metaSubscriptionID = "io.modelcontextprotocol/subscriptionId"
)

// isModern reports whether a host's request names a modern revision in its header.
func isModern(h http.Header) bool { return isModernVersion(h.Get(headerVersion)) }

// hostEra tells in which era a host's request is made. A message that describes its client is modern, and so is one whose
// header names a modern revision; initialize opens a legacy session, unless it describes its client.
func hostEra(h http.Header, messages []message) era {
	for _, m := range messages {
		if _, ok := m.meta(metaProtocolVersion); ok {
			return eraModern
		}
		if m.method == methodInitialize {
			return eraLegacy
		}
	}
	if isModern(h) {
		return eraModern
	}
	return eraLegacy
}

// checkModern returns what is wrong with a modern request: nil when nothing is. It is always answered with 400.
func checkModern(h http.Header, messages []message, batch bool) *rpcError {
	switch {
	case batch:
		return &rpcError{code: codeInvalidRequest, message: "Revision " + modernVersion + " has no batches: send each message in a POST of its own"}
	case !jsonspan.IsObject(messages[0].body, messages[0].span) || messages[0].method == "":
		return &rpcError{code: codeInvalidRequest, message: "The body must be one JSON-RPC request or notification"}
	}
	m := messages[0]
	if m.id.Len() == 0 {
		return nil // header requirements for notifications are not defined
	}
	if c := m.body[m.id.Start]; c != '"' && c != '-' && (c < '0' || '9' < c) {
		return &rpcError{code: codeInvalidRequest, message: "The id must be a string or an integer"}
	}
	if wrong := checkVersion(h, m); wrong != nil {
		return wrong
	}
	if wrong := checkMirrored(h, m); wrong != nil {
		return wrong
	}
	return checkMeta(m)
}

func mismatch(format string, args ...any) *rpcError {
	return &rpcError{code: codeHeaderMismatch, message: "Header mismatch: " + fmt.Sprintf(format, args...)}
}

func invalidMeta(name string) *rpcError {
	return &rpcError{code: codeInvalidParams, message: "Invalid params: missing or invalid _meta member " + name}
}

// checkVersion holds the revision in the header against the one in the body.
func checkVersion(h http.Header, m message) *rpcError {
	header, wrong := oneHeader(h, headerVersion)
	if wrong != nil {
		return wrong
	}
	value, ok := m.meta(metaProtocolVersion)
	if !ok || !jsonspan.IsString(m.body, value) {
		return invalidMeta(metaProtocolVersion)
	}
	if body := stringAt(m.body, value); body != header {
		return mismatch("MCP-Protocol-Version header value %q does not match the body's %q", shown(header), shown(body))
	}
	return nil
}

// checkMirrored holds Mcp-Method and Mcp-Name against the body.
func checkMirrored(h http.Header, m message) *rpcError {
	method, wrong := oneHeader(h, headerMethod)
	switch {
	case wrong != nil:
		return wrong
	case method != m.method:
		return mismatch("Mcp-Method header value %q does not match the body's %q", shown(method), shown(m.method))
	case !hasName(m.method):
		return nil
	}
	header, wrong := oneHeader(h, headerName)
	if wrong != nil {
		return wrong
	}
	name, ok := decodeHeaderValue(header)
	switch {
	case !ok:
		return mismatch("Mcp-Name is not valid Base64")
	case name != m.name:
		return mismatch("Mcp-Name header value %q does not match the body's %q", shown(name), shown(m.name))
	}
	return nil
}

// hasName reports whether requests of the method carry Mcp-Name.
func hasName(method string) bool {
	return method == methodCallTool || method == methodReadResource || method == methodGetPrompt
}

// checkMeta looks at the other reserved members of _meta.
func checkMeta(m message) *rpcError {
	if value, ok := m.meta(metaCapabilities); !ok || !jsonspan.IsObject(m.body, value) {
		return invalidMeta(metaCapabilities)
	}
	if value, ok := m.meta(metaClientInfo); ok && !jsonspan.IsObject(m.body, value) {
		return invalidMeta(metaClientInfo)
	}
	if value, ok := m.meta(metaLogLevel); ok && !slices.Contains(logLevels, stringAt(m.body, value)) {
		return invalidMeta(metaLogLevel)
	}
	return nil
}

// oneHeader returns the value of a header that a modern request must carry exactly once.
func oneHeader(h http.Header, name string) (string, *rpcError) {
	values := h.Values(name)
	switch {
	case len(values) == 0 || values[0] == "":
		return "", mismatch("%s is missing", canonicalName(name))
	case len(values) > 1:
		return "", mismatch("%s is there more than once", canonicalName(name))
	case !isFieldValue(values[0]):
		return "", mismatch("%s has invalid characters", canonicalName(name))
	}
	return values[0], nil
}

// canonicalName spells a header's name as the specification does.
func canonicalName(name string) string {
	return strings.Replace(name, "Mcp-Protocol", "MCP-Protocol", 1)
}

// isFieldValue reports whether a header's value is made of visible ASCII, spaces and tabs.
func isFieldValue(value string) bool {
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || '~' < c) {
			return false
		}
	}
	return true
}

// shown bounds what of a host's own words goes into an error message.
func shown(text string) string {
	const maxBytes = 200
	return strings.ToValidUTF8(text[:min(len(text), maxBytes)], "")
}

// The marks of a header value that is base64, because it could not stand there itself.
const base64Open, base64Close = "=?base64?", "?="

// decodeHeaderValue reads a value that may be encoded. ok is false where it is said to be and is not.
func decodeHeaderValue(value string) (text string, ok bool) {
	encoded, opens := strings.CutPrefix(value, base64Open)
	encoded, closes := strings.CutSuffix(encoded, base64Close)
	if !opens || !closes {
		return value, true
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	return string(raw), err == nil
}

// encodeHeaderValue writes a text so that it can stand in a header.
func encodeHeaderValue(text string) string {
	plain := isFieldValue(text) && strings.Trim(text, " \t") == text && text != "" &&
		(!strings.HasPrefix(text, base64Open) || !strings.HasSuffix(text, base64Close))
	if plain {
		return text
	}
	return base64Open + base64.StdEncoding.EncodeToString([]byte(text)) + base64Close
}

// isRemoved reports whether a method of the legacy era is none of the modern one.
func isRemoved(method string) bool {
	switch method {
	case methodInitialize, methodPing, methodSetLevel, methodSubscribe, methodUnsubscribe:
		return true
	}
	return false
}

// unknownMethod is the answer to a method that does not exist; on HTTP it goes out as 404 in the modern era.
func unknownMethod(method string) *rpcError {
	return &rpcError{code: codeUnknownMethod, message: "Method not found: " + shown(method)}
}

// unsupportedVersion is the answer to a revision that is not served. supported are those that are.
func unsupportedVersion(supported []string, requested string) *rpcError {
	return &rpcError{
		code: codeUnsupportedVersion, message: "Unsupported protocol version",
		data: object(newMember{"supported", quotedArray(supported)}, newMember{"requested", quoted(shown(requested))}),
	}
}

// modernStatus is the HTTP status under which a modern host gets an error response that stands alone.
func modernStatus(code int) int {
	switch code {
	case codeUnknownMethod:
		return http.StatusNotFound
	case codeHeaderMismatch, codeMissingCapability, codeUnsupportedVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
