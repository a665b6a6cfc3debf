package proxy

import (
	"net/http"
	"slices"
	"strings"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// relayEvent brings an event that answers nothing to the host. On its way from a legacy upstream to a modern host only
// what belongs on the stream of a request there goes on.
func (x *exchange) relayEvent(ev event) {
	if !ev.complete && len(x.waiting) > 0 {
		return // clients drop it, and it would take in the error that may follow
	}
	if x.bridge.toLegacy() && ev.isMessage() {
		messages, _, err := scanMessages(ev.data())
		if err == nil && len(messages) == 1 && !x.bridge.belongs(messages[0]) {
			if m := messages[0]; m.isRequest() {
				x.g.refuseServerRequest(x.r, x.bridge.greeting, m)
			}
			return
		}
		if err == nil && len(messages) == 1 && x.bridge.token != nil && messages[0].method == noteProgress {
			x.relayProgress(messages[0])
			return
		}
	}
	x.write(ev.raw)
}

// relayProgress brings progress of a call that a host has tried again under the token of the retry.
func (x *exchange) relayProgress(m message) {
	token, ok := jsonspan.Lookup(m.body, m.params, "progressToken")
	if !ok || len(x.bridge.token) == 0 {
		return // nobody asked for it any more
	}
	x.write(newEvent(apply(m, replace(m.body, token, x.bridge.token))))
}

// belongs reports whether a message of a legacy upstream may go out on the stream of a modern request: responses,
// progress, and logging from the level that the request asked for.
func (b *bridge) belongs(m message) bool {
	switch {
	case m.isRequest():
		return false
	case m.method == noteMessage:
		level, _ := jsonspan.Lookup(m.body, m.params, "level")
		at := slices.Index(logLevels, stringAt(m.body, level))
		return b.level != "" && at >= slices.Index(logLevels, b.level)
	case m.method == "", m.method == noteProgress:
		return true
	}
	// Of lists and resources: subscriptions/listen has them.
	return !strings.HasPrefix(m.method, "notifications/") || !isListNote(m.method) && m.method != noteCancelled
}

// isListNote reports whether a notification is about what has changed, for subscribers.
func isListNote(method string) bool {
	switch method {
	case noteToolsChanged, notePromptsChanged, noteResourcesChanged, noteResourceUpdated:
		return true
	}
	return false
}

// The notifications about changes.
const (
	noteToolsChanged     = "notifications/tools/list_changed"
	notePromptsChanged   = "notifications/prompts/list_changed"
	noteResourcesChanged = "notifications/resources/list_changed"
	noteResourceUpdated  = "notifications/resources/updated"
)

// refuseServerRequest answers a request of a legacy upstream that cannot be brought to a modern host, so that the
// upstream does not wait for it: the modern era has no requests of servers. The gateway has declared no capability that
// would make a server send one.
func (g *Gateway) refuseServerRequest(r *http.Request, gr *greeting, m message) {
	if gr == nil {
		return
	}
	answer := errorResponse(append([]byte(nil), m.raw(m.id)...), &rpcError{
		code: codeUnknownMethod, message: "The client speaks revision " + modernVersion + ", in which a server cannot ask it for " + shown(m.method),
	})
	if m.method == methodPing {
		answer = resultResponse(append([]byte(nil), m.raw(m.id)...), []byte("{}"))
	}
	go g.lastWord(r, nil, http.MethodPost, gr, answer)
}

// holdHead puts off the head of a stream to a modern host, whose status depends on what the upstream answers.
func (x *exchange) holdHead(resp *http.Response) bool {
	if !x.bridge.toLegacy() {
		return false
	}
	x.due = resp
	return true
}

// commit sends a head that was put off.
func (x *exchange) commit() {
	if resp := x.due; resp != nil {
		x.due = nil
		x.head(resp, -1)
	}
}

// deliverAlone sends the response of a unit as JSON under the HTTP status that the modern era has for its error. ok is
// false where a stream has begun or the response is none of those errors.
func (x *exchange) deliverAlone(u *unit, data []byte) (ok bool) {
	if x.due == nil {
		return false
	}
	status := u.modernStatus(data)
	if status == http.StatusOK {
		return false
	}
	resp := x.due
	x.due, x.status = nil, status
	resp.Header.Set("Content-Type", "application/json")
	x.head(resp, len(data))
	x.write(data)
	return true
}

// modernStatus is the HTTP status of a unit that is the whole answer to a modern request. data is what the host gets of
// it.
func (u *unit) modernStatus(data []byte) int {
	if len(u.results) != 1 || u.results[0].result.Len() > 0 {
		return http.StatusOK
	}
	messages, _, err := scanMessages(data)
	if err != nil || len(messages) != 1 {
		return http.StatusOK
	}
	code, _ := errorCode(messages[0])
	return modernStatus(code)
}
