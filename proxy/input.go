package proxy

import (
	"net/http"
	"strings"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// A server may want something of its host before it answers: words of the person, of the model, or the roots. In the legacy
// era it sends a request of its own on the stream of the call and waits. In the modern one it answers with what it wants,
// and the host calls again with that (2026-07-28, basic/patterns/mrtr). heldcall.go brings the first to modern hosts,
// hostinput.go the second to legacy ones. Either way the gateway waits, and only the replica that waits can be answered.

const (
	// inputWait is the Gateway's, save in tests.
	inputWait = 5 * time.Minute
	// maxInputBytes bounds a request that waits for input, and what is asked for, on either side.
	maxInputBytes = 1 << 20
)

// Members of requests and results by which the modern era asks for input.
const (
	resultInputRequired  = "input_required"
	memberInputRequests  = "inputRequests"
	memberInputResponses = "inputResponses"
	memberRequestState   = "requestState"
)

// takesInput reports whether the modern era lets a server ask for input before it answers a request of the method.
func takesInput(method string) bool {
	return method == methodCallTool || method == methodGetPrompt || method == methodReadResource
}

// canBeAsked reports whether a host that declares capabilities, one JSON object, can answer a server's request of the method
// with params, which stand in doc.
func canBeAsked(capabilities []byte, doc []byte, method string, params jsonspan.Span) bool {
	root, err := jsonspan.Scan(capabilities)
	if err != nil {
		return false
	}
	has := func(path ...string) bool {
		value, ok := jsonspan.Lookup(capabilities, root, path...)
		return ok && jsonspan.IsObject(capabilities, value)
	}
	switch method {
	case methodElicit:
		if stringMember(doc, params, "mode") == "url" {
			return has("elicitation", "url")
		}
		return has("elicitation", "form") || has("elicitation") && !has("elicitation", "url")
	case methodSample:
		return has("sampling")
	case methodListRoots:
		return has("roots")
	}
	return false
}

// asks are the capabilities of a host that a session id carries, by the letter that stands for each.
const asks = "flstcr"

// askPaths are the paths of asks, in their order.
var askPaths = [len(asks)][]string{
	{"elicitation", "form"}, {"elicitation", "url"}, {"sampling"}, {"sampling", "tools"}, {"sampling", "context"}, {"roots"},
}

// asksOf returns the letters, in order, for what a host can be asked for that declares the capabilities at span.
func asksOf(doc []byte, capabilities jsonspan.Span) string {
	has := func(path ...string) bool {
		value, ok := jsonspan.Lookup(doc, capabilities, path...)
		return ok && jsonspan.IsObject(doc, value)
	}
	var letters []byte
	for i, path := range askPaths {
		// Before 2025-11-25 there was one mode of elicitation, and no name for it.
		if has(path...) || i == 0 && has("elicitation") && !has("elicitation", "url") {
			letters = append(letters, asks[i])
		}
	}
	return string(letters)
}

// isAsks reports whether letters are some that asksOf returns.
func isAsks(letters string) bool {
	rest := asks
	for i := range len(letters) {
		at := strings.IndexByte(rest, letters[i])
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// capabilitiesOf returns the members of capabilities that letters stand for.
func capabilitiesOf(letters string) (members []newMember) {
	for _, name := range []string{"elicitation", "sampling", "roots"} {
		var settings []newMember
		declared := false
		for i, path := range askPaths {
			if path[0] != name || strings.IndexByte(letters, asks[i]) < 0 {
				continue
			}
			if declared = true; len(path) > 1 {
				settings = append(settings, newMember{path[1], []byte("{}")})
			}
		}
		if declared {
			members = append(members, newMember{name, object(settings...)})
		}
	}
	return members
}

// callerKey names a caller by session, service and credentials, so that nobody answers, or cancels, what is another's.
func callerKey(h http.Header) string {
	return h.Get(headerSession) + "\x00" + serviceOf(h) + "\x00" + h.Get("Tomtom-Api-Key") + "\x00" + h.Get("Authorization")
}
