package proxy

import (
	"net/http"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// header returns the headers of a request to the upstream on behalf of x: of the host's message, or, with own, of one
// that the gateway adds, such as a redemption.
func (x *exchange) header(method, name string, own bool) http.Header {
	var h http.Header
	if own {
		h = ownHeader(x.r.Header)
	} else {
		h = requestHeader(x.r.Header, true)
	}
	switch {
	case x.bridge == nil:
		if own && h.Get(headerName) != "" {
			h.Set(headerName, encodeHeaderValue(name))
		}
	case x.bridge.toLegacy():
		x.bridge.addressLegacy(h)
	default:
		x.bridge.addressModern(h, method, name, own)
	}
	return h
}

// addressLegacy makes h the headers of a legacy request.
func (b *bridge) addressLegacy(h http.Header) {
	for _, name := range []string{headerMethod, headerName, headerVersion, headerSession} {
		h.Del(name)
	}
	if b.greeting != nil {
		h.Set(headerVersion, b.greeting.version)
		setSession(h, b.greeting.session)
	}
}

// addressModern makes h the headers of a modern request.
func (b *bridge) addressModern(h http.Header, method, name string, own bool) {
	h.Del(headerSession)
	h.Del("Last-Event-Id")
	h.Del(headerName)
	h.Set(headerVersion, modernVersion)
	h.Set(headerMethod, method)
	if hasName(method) {
		h.Set(headerName, encodeHeaderValue(name))
	}
	if own {
		return
	}
	for param, value := range b.params {
		h.Set(headerParamPrefix+param, value)
	}
}

// upstreamMethod is the method under which a host's request goes upstream.
func (b *bridge) upstreamMethod(m message) string {
	switch {
	case b.toLegacy() && m.method == methodDiscover:
		return methodInitialize
	case b.toModern() && m.method == methodInitialize:
		return methodDiscover
	}
	return m.method
}

// request returns a host's request as it goes upstream: spans of it are edited, everything else keeps its bytes.
func (b *bridge) request(g *Gateway, m message) []byte {
	method := b.upstreamMethod(m)
	switch {
	case method == methodInitialize:
		return requestBody(m.raw(m.id), method, g.initializeParams(b.part))
	case method == methodDiscover:
		return requestBody(m.raw(m.id), method, []newMember{{"_meta", object(b.meta()...)}})
	case b.toLegacy():
		return apply(m, withoutReserved(m))
	}
	return apply(m, b.described(m))
}

// apply returns the message with edits made.
func apply(m message, edits []jsonspan.Edit) []byte {
	jsonspan.Sort(edits)
	return jsonspan.Apply(nil, m.raw(m.span), shift(edits, -m.span.Start))
}

// isReserved reports whether a member of params._meta describes the client of a modern request.
func isReserved(name string) bool {
	switch name {
	case metaProtocolVersion, metaClientInfo, metaCapabilities, metaLogLevel:
		return true
	}
	return false
}

// withoutReserved returns the edits that take the reserved members out of _meta, and with them a _meta that has no
// others.
func withoutReserved(m message) (edits []jsonspan.Edit) {
	others := false
	for meta := range jsonspan.Members(m.body, m.params) {
		if !meta.Named(m.body, "_meta") {
			continue
		}
		for member := range jsonspan.Members(m.body, meta.Value) {
			others = others || !isReserved(stringAt(m.body, member.Name))
		}
	}
	if !others {
		return jsonspan.Remove(nil, m.body, m.params, func(member jsonspan.Member) bool { return member.Named(m.body, "_meta") })
	}
	for meta := range jsonspan.Members(m.body, m.params) {
		if meta.Named(m.body, "_meta") {
			edits = jsonspan.Remove(edits, m.body, meta.Value, func(member jsonspan.Member) bool {
				return isReserved(stringAt(m.body, member.Name))
			})
		}
	}
	return edits
}

// meta are the members of _meta that describe a legacy host to a modern upstream.
func (b *bridge) meta() []newMember {
	members := []newMember{{metaProtocolVersion, quoted(modernVersion)}, {metaCapabilities, b.part.capabilities}}
	if b.part.info != nil {
		members = append(members, newMember{metaClientInfo, b.part.info})
	}
	if b.level != "" {
		members = append(members, newMember{metaLogLevel, quoted(b.level)})
	}
	return members
}

// described returns the edits that describe the host in the message.
func (b *bridge) described(m message) []jsonspan.Edit {
	var members []metaMember
	for _, n := range b.meta() {
		members = append(members, metaMember{name: n.name, value: n.value})
	}
	switch {
	case m.params.Len() == 0:
		return insertMembers(m.body, m.span, []newMember{{"params", object(newMember{"_meta", newMeta(members)})}})
	case !jsonspan.IsObject(m.body, m.params):
		return replace(m.body, m.params, object(newMember{"_meta", newMeta(members)}))
	}
	return setMeta(m.body, m.params, members)
}
