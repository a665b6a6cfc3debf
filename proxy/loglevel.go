package proxy

import (
	"net/http"
	"slices"
)

// logLevels are the levels of logging, in order.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// defaultLogLevel is from which level on a modern upstream is asked to log for legacy hosts.
const defaultLogLevel = "info"

// logLevel is the level that a modern request asks for; "" for none.
func (m message) logLevel() string {
	level, _ := m.meta(metaLogLevel)
	return stringAt(m.body, level)
}

// setLevel answers a legacy host's logging/setLevel in front of a modern upstream, which has no such thing: there each
// request says its level. The level is kept where the gateway has one host. Of several, a session id cannot be changed
// and no replica remembers anything, so that they get what everybody gets.
func (x *exchange) setLevel(q *request) {
	level := stringMember(q.body, q.params, "level")
	if !slices.Contains(logLevels, level) {
		x.answerError(http.StatusOK, q, &rpcError{code: codeInvalidParams, message: "Invalid params: no level of logging: " + shown(level)})
		return
	}
	if x.g.hasOneHost() {
		x.g.level.Store(&level)
	}
	writeJSON(x.w, http.StatusOK, resultResponse(q.raw(q.id), []byte("{}")))
}

// logLevel is the level that is asked for on behalf of legacy hosts.
func (g *Gateway) logLevel() string {
	if level := g.level.Load(); level != nil {
		return *level
	}
	return defaultLogLevel
}

// hasOneHost reports whether one person's host is all that this process serves.
func (g *Gateway) hasOneHost() bool { return g.recent != nil }
