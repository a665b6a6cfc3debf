package proxy

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
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

// askLevel sets the level that a modern host asks for at a legacy upstream, before the request itself goes there. A call without
// its log is still the call. Over a pipe nothing waits for the answer: a server may do nothing before it has been told its
// host's roots, and asks for them on the call, which then ends for a while.
func (x *exchange) askLevel(ctx context.Context, l *lease) {
	gr := x.bridge.greeting
	q := x.g.question(methodSetLevel, []newMember{{"level", quoted(x.bridge.level)}})
	q.version, q.session = gr.version, gr.session
	if x.g.upstream.own == nil {
		_, _, _ = x.g.ask(x.r, l, q)
		return
	}
	onItsWay := make(chan struct{})
	var once sync.Once
	r := x.r.WithContext(httptrace.WithClientTrace(context.WithoutCancel(ctx), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { once.Do(func() { close(onItsWay) }) },
	}))
	go func() {
		defer once.Do(func() { close(onItsWay) })
		_, _, _ = x.g.ask(r, nil, q)
	}()
	<-onItsWay
}
