package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// bridge is what an exchange needs to know where its host and the upstream speak different eras. nil: they speak the
// same, and messages pass as they are.
type bridge struct {
	host     era        // the upstream's is the other one
	greeting *greeting  // of a legacy upstream; nil before initialize, which server/discover becomes
	part     clientPart // what the upstream is told of the host; capabilities without what cannot be brought to it
	claims   sessionClaims
	params   map[string]string // the Mcp-Param-* headers of a call to a modern upstream
	level    string            // the least level of logging that the host wants; "" for none
	token    []byte            // the raw progress token of a modern host's retry, empty where it has none; nil: it is none
	info     []byte            // the server's Implementation
}

// toLegacy reports whether the host is modern and the upstream is not; toModern the other way.
func (b *bridge) toLegacy() bool { return b != nil && b.host == eraModern }
func (b *bridge) toModern() bool { return b != nil && b.host == eraLegacy }

// cross finds out whether the host of x and the upstream speak different eras, and prepares x for it. ok is false when
// the host has its answer. An upstream whose era cannot be found gets a legacy host's request as it is.
func (x *exchange) cross(ctx context.Context) (ok bool) {
	n, answer, err := x.g.eraOf(x.r)
	switch {
	case n == nil && x.host == eraLegacy:
		return true
	case n == nil && answer != nil:
		x.relayRefusal(ctx, answer)
		return false
	case n == nil:
		if err == nil {
			err = errUndecided
		}
		x.refuseCall(ctx, err)
		return false
	}
	x.nature = n
	if x.host == eraModern {
		return n.modern || x.crossToLegacy(ctx, n)
	}
	serves, answer, err := x.g.servesLegacy(x.r, n)
	if serves || answer != nil || err != nil {
		return true
	}
	return x.crossToModern(ctx, n)
}

// isOwnVersion reports whether a modern request that is answered here is of the revision that the gateway speaks. If not,
// the host has its answer.
func (x *exchange) isOwnVersion() bool {
	q := x.requests[0]
	version, _ := q.meta(metaProtocolVersion)
	requested := stringAt(q.body, version)
	if requested == modernVersion || !q.isRequest() {
		return true
	}
	if n := x.g.eras.current(); n != nil && slices.Contains(n.versions, requested) && isModernVersion(requested) {
		return true
	}
	x.answerError(http.StatusBadRequest, q, unsupportedVersion([]string{modernVersion, legacyVersions[0]}, requested))
	return false
}

// refuseCall answers with what went wrong before the upstream was sent anything of x.
func (x *exchange) refuseCall(ctx context.Context, err error) {
	x.g.refuse(ctx, x.w, failuresOf(x.messages()), x.batch, err)
	x.logUnanswered(ctx, statusFailed, failureKind(cause(ctx, err)))
}

func (x *exchange) messages() []message {
	all := make([]message, len(x.requests))
	for i, q := range x.requests {
		all[i] = q.message
	}
	return all
}

// crossToLegacy prepares x to bring a modern host's message to a legacy upstream.
func (x *exchange) crossToLegacy(ctx context.Context, n *nature) (ok bool) {
	q := x.requests[0]
	version, _ := q.meta(metaProtocolVersion)
	switch requested := stringAt(q.body, version); {
	case !q.isRequest():
		x.w.WriteHeader(http.StatusAccepted) // the one that there is, of a cancellation, is for stdio
		return false
	case requested != modernVersion:
		x.answerError(http.StatusBadRequest, q, unsupportedVersion([]string{modernVersion, legacyVersions[0]}, requested))
		return false
	case isRemoved(q.method):
		x.answerError(http.StatusNotFound, q, unknownMethod(q.method))
		return false
	}
	if bindings, _ := x.g.params.bound(q.name, n); len(bindings) > 0 && q.method == methodCallTool {
		if wrong := checkParams(x.r.Header, bindings, q.message); wrong != nil {
			x.answerError(http.StatusBadRequest, q, wrong)
			return false
		}
	}
	if x.takeUp(ctx, q.message) {
		return false
	}
	b := &bridge{host: eraModern, part: clientPartOf(q.message)}
	b.level = q.logLevel()
	if q.method == methodDiscover {
		x.adopt(b)
		return true
	}
	gr, l, answer, err := x.g.greetingOf(ctx, x.r, n, b.part)
	switch {
	case answer != nil:
		// Over a pipe, and with some servers, an error has status 200.
		if (isRefusedForm(answer.status) || answer.status == http.StatusOK) && x.isModernNow(ctx, n) {
			return true
		}
		x.relayRefusal(ctx, answer)
		return false
	case err != nil:
		x.refuseCall(ctx, err)
		return false
	}
	b.greeting, x.lease = gr, l
	x.adopt(b)
	switch {
	case q.method == methodListen:
		x.listen(ctx)
		return false
	case (gr.session != "" || x.g.upstream.own != nil) && b.level != "" && jsonspanHas(gr.capabilities, "logging"):
		// Where there is neither a session nor a process of one's own, there is nothing that a level could be set for.
		x.askLevel(ctx, l)
	}
	return true
}

// crossToModern prepares x to bring a legacy host's message to an upstream that speaks modern revisions alone.
func (x *exchange) crossToModern(ctx context.Context, n *nature) (ok bool) {
	if x.batch {
		x.byMessage()
		return false
	}
	q := x.requests[0]
	switch {
	case !n.speaksModern():
		x.answerErrors(http.StatusOK, unsupportedVersion(n.versions, modernVersion))
		return false
	case q.isResponse():
		x.takeAnswer(ctx, q.message)
		return false
	case !q.isRequest():
		if q.method == noteCancelled {
			x.g.running.end(x.r.Header, q.message)
		}
		x.w.WriteHeader(http.StatusAccepted)
		return false
	}
	switch q.method {
	case methodPing: // the upstream has none
		writeJSON(x.w, http.StatusOK, resultResponse(q.raw(q.id), []byte("{}")))
		return false
	case methodSetLevel:
		x.setLevel(q)
		return false
	case methodSubscribe, methodUnsubscribe:
		x.answerError(http.StatusOK, q, &rpcError{
			code: codeUnknownMethod, message: "Method not found: " + q.method + " needs a host of revision " + modernVersion + " with this MCP server",
		})
		return false
	}
	b := &bridge{host: eraLegacy, claims: claimsOf(x.r.Header, q.message), info: n.info}
	if n.logs {
		b.level = x.g.logLevel()
	}
	b.part = b.claims.part(x.g.clientOf(x.r, q.message).apps)
	if q.method == methodCallTool {
		b.params = x.g.paramHeaders(x.r, n, q.message)
	}
	x.adopt(b)
	return true
}

// adopt makes x a bridged exchange: every request's answer is edited.
func (x *exchange) adopt(b *bridge) {
	x.bridge = b
	if b.info == nil {
		b.info = x.g.serverInfo(x.r.Header)
		if b.greeting != nil && b.greeting.info != nil {
			b.info = b.greeting.info
		}
	}
	for _, q := range x.requests {
		if q.route == routePass && q.isRequest() {
			q.route, q.client = routeBridge, x.g.clientOf(x.r, q.message)
		}
	}
}

// answerError answers a request with an error of the gateway's own.
func (x *exchange) answerError(status int, q *request, e *rpcError) {
	writeJSON(x.w, status, errorResponse(q.raw(q.id), e))
}

// answerErrors answers all requests of x so.
func (x *exchange) answerErrors(status int, e *rpcError) {
	writeAnswers(x.w, status, failuresOf(x.messages())(e), x.batch)
}

// leave ends what a bridged exchange has open at a legacy upstream, and takes the lease over.
func (x *exchange) leave(ctx context.Context) {
	if part := x.parting(ctx); part != nil {
		go part()
	}
}

// parting returns what ends the call at a legacy upstream, if its host closed the stream, for which closing a connection is
// no cancellation, and the session; nil where there is nothing to end. It takes the lease over. A pipe has told its server
// when the answer was closed, under the id that the call has there: by now another call may have this one's.
func (x *exchange) parting(ctx context.Context) func() {
	l := x.lease
	x.lease = nil
	var cancelled, session bool
	if x.bridge.toLegacy() && x.bridge.greeting != nil {
		gone := errors.Is(context.Cause(ctx), errHostGone) || x.hostErr != nil || x.r.Context().Err() != nil
		cancelled = gone && len(x.waiting) > 0 && x.requests[0].method != methodListen && x.g.upstream.own == nil
		session = x.bridge.greeting.session != ""
	}
	if !cancelled && !session {
		if l != nil {
			l.close()
		}
		return nil
	}
	gr, q, r := x.bridge.greeting, x.requests[0], x.r
	id := append([]byte(nil), q.raw(q.id)...)
	return func() {
		if cancelled {
			x.g.tell(r, nil, gr, noteCancelled, []newMember{{"requestId", id}, {"reason", quoted("The host closed the stream")}})
		}
		x.g.dismiss(r, l, gr)
		if l != nil {
			l.close()
		}
	}
}

// clientPartOf is what a modern request says of its client.
func clientPartOf(m message) (part clientPart) {
	if info, ok := m.meta(metaClientInfo); ok {
		part.info = m.raw(info)
	}
	capabilities, _ := m.meta(metaCapabilities)
	var kept []newMember
	for _, name := range []string{"experimental", "extensions", "elicitation", "sampling"} {
		if value, ok := jsonspan.Lookup(m.body, capabilities, name); ok {
			kept = append(kept, newMember{name, m.raw(value)})
		}
	}
	if _, ok := jsonspan.Lookup(m.body, capabilities, "roots"); ok {
		kept = append(kept, newMember{"roots", []byte("{}")}) // there are no notifications of changes from a modern host
	}
	part.capabilities = object(kept...)
	return part
}

// part is what a modern upstream is told of a legacy host in every request: what its session id carries.
func (c sessionClaims) part(apps bool) (part clientPart) {
	if c.name != "" {
		part.info = object(newMember{"name", quoted(c.name)}, newMember{"version", quoted(c.version)})
	}
	members := capabilitiesOf(c.asks)
	if apps {
		members = append(members, newMember{"extensions", object(newMember{uiExtension, object(
			newMember{"mimeTypes", quotedArray([]string{uiMIMEType})})})})
	}
	part.capabilities = object(members...)
	return part
}

// jsonspanHas reports whether the JSON document has a value at path.
func jsonspanHas(doc []byte, path ...string) bool {
	root, err := jsonspan.Scan(doc)
	if err != nil {
		return false
	}
	_, ok := jsonspan.Lookup(doc, root, path...)
	return ok
}

// errOtherEra says that the upstream refused a call because it speaks another era than it did before.
var errOtherEra = errors.New("the upstream speaks another era now")

// reconsider asks again for the upstream's era after it refused a request for its form, and tells whether that has
// changed for the host. A call of a tool is not sent again, whatever the answer.
func (x *exchange) reconsider(ctx context.Context, status int) (changed bool) {
	if x.again || x.nature == nil || !isRefusedForm(status) {
		return false
	}
	before := x.nature
	x.g.eras.forget(before)
	now, _, _ := x.g.eraOf(x.r)
	if now == nil {
		return false
	}
	changed = now.modern != before.modern || x.host == eraLegacy && x.servedLegacy(before) != x.servedLegacy(now)
	if changed {
		x.g.log.WarnContext(ctx, "the upstream speaks another era now", slog.Bool("modern", now.modern))
	}
	return changed
}

func (x *exchange) servedLegacy(n *nature) bool {
	serves, _, _ := x.g.servesLegacy(x.r, n)
	return serves
}

// refuseForm answers a modern host whose request a legacy upstream refused without a word of JSON-RPC. Some servers
// refuse methods so that they do not know.
func (x *exchange) refuseForm(ctx context.Context, status int) {
	q := x.requests[0]
	x.logUnanswered(ctx, statusFailed, "status "+strconv.Itoa(status))
	if !isCoreMethod(q.method) {
		x.answerError(http.StatusNotFound, q, unknownMethod(q.method))
		return
	}
	x.answerError(status, q, &rpcError{code: codeInvalidRequest, message: "The MCP server refused the request with HTTP status " + strconv.Itoa(status)})
}

// isCoreMethod reports whether the modern specification itself defines a method that hosts call.
func isCoreMethod(method string) bool {
	switch method {
	case methodDiscover, methodListen, methodListTools, methodCallTool, methodListResources, methodListTemplates,
		methodReadResource, methodListPrompts, methodGetPrompt, "completion/complete":
		return true
	}
	return false
}

// isModernNow asks again for the era of an upstream that was legacy and has refused the gateway's initialize.
// Where it is modern now, the host's request goes as it is.
func (x *exchange) isModernNow(ctx context.Context, before *nature) bool {
	x.g.eras.forget(before)
	now, _, _ := x.g.eraOf(x.r)
	if now == nil || !now.modern {
		return false
	}
	x.g.log.WarnContext(ctx, "the upstream speaks another era now", slog.Bool("modern", true))
	x.nature = now
	return true
}

// noteEra looks for signs, in what an upstream of the modern era answers, that there is a legacy one in its place now that
// does not refuse what it does not understand: it does not know server/discover, or names none of the modern revisions
// there, or its result has no type.
func (x *exchange) noteEra(p *response) {
	if x.nature == nil || !x.nature.modern || x.bridge == nil && x.host != eraModern {
		return
	}
	discovers := p.request.method == methodDiscover || x.bridge != nil && x.bridge.upstreamMethod(p.request.message) == methodDiscover
	if p.result.Len() == 0 {
		if code, ok := errorCode(p.message); ok && code == codeUnknownMethod && discovers {
			x.g.eras.suspect(x.nature)
		}
		return
	}
	_, typed := jsonspan.Find(p.body, p.result, memberResultType)
	list, named := jsonspan.Lookup(p.body, p.result, "supportedVersions")
	if !typed || discovers && named && !slices.ContainsFunc(stringsAt(p.body, list), isModernVersion) {
		x.g.eras.suspect(x.nature)
	}
}
