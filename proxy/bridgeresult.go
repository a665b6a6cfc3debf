package proxy

import (
	"slices"
	"strconv"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// The members that every result of the modern era has, and those of results that may be kept for a while.
const (
	memberResultType = "resultType"
	memberTTL        = "ttlMs"
	memberCacheScope = "cacheScope"
)

// dress is what results of a legacy upstream and of the gateway's own lack for a modern host.
type dress struct {
	info      []byte // the server's Implementation
	cacheable bool
	// For how long, and for whom: a legacy upstream says neither, so that the result is the caller's own and stale at once.
	ttlMs int
	scope string
}

// isCacheable reports whether results of a method carry how long they may be kept.
func isCacheable(method string) bool {
	switch method {
	case methodDiscover, methodListTools, methodListPrompts, methodListResources, methodListTemplates, methodReadResource:
		return true
	}
	return false
}

func dressOf(method string, info []byte) *dress {
	return &dress{info: info, cacheable: isCacheable(method), scope: "private"}
}

// lead returns the members that go before all others of the result at span result of doc, with a comma behind them.
// Those that it has already are not repeated.
func (d *dress) lead(doc []byte, result jsonspan.Span) []byte {
	members := []newMember{{memberResultType, quoted("complete")}}
	if d.cacheable {
		members = append(members, newMember{memberTTL, strconv.AppendInt(nil, int64(d.ttlMs), 10)}, newMember{memberCacheScope, quoted(d.scope)})
	}
	members = slices.DeleteFunc(members, func(n newMember) bool {
		_, has := jsonspan.Find(doc, result, n.name)
		return has
	})
	if len(members) == 0 {
		return nil
	}
	return append(appendMembers(nil, members), ',')
}

// leadEdit returns the edit that puts lead into the result. Another edit or member must follow in it: metaEdit's.
func (d *dress) leadEdit(doc []byte, result jsonspan.Span) jsonspan.Edit {
	at := result.Start + 1
	return jsonspan.Edit{Span: jsonspan.Span{Start: at, End: at}, With: d.lead(doc, result)}
}

// infoMember returns serverInfo as it stands between the braces of _meta, nil where the result has one.
func (d *dress) infoMember(doc []byte, result jsonspan.Span) []byte {
	if _, has := jsonspan.Lookup(doc, result, "_meta", metaServerInfo); has {
		return nil
	}
	return appendMembers(nil, []newMember{{metaServerInfo, d.info}})
}

// edits returns the edits, ordered, that dress the result at span result of doc, which no other edit adds members to.
func (d *dress) edits(doc []byte, result jsonspan.Span) []jsonspan.Edit {
	if !jsonspan.IsObject(doc, result) {
		return nil
	}
	edits := []jsonspan.Edit{d.leadEdit(doc, result)}
	if d.infoMember(doc, result) != nil {
		edits = append(edits, setMeta(doc, result, []metaMember{{name: metaServerInfo, value: d.info}})...)
	}
	return edits
}

// dressOwn returns a result of the gateway's own as a modern host wants it.
func (d *dress) dressOwn(result []byte) []byte {
	root, err := jsonspan.Scan(result)
	if err != nil {
		return result
	}
	edits := d.edits(result, root)
	jsonspan.Sort(edits)
	return jsonspan.Apply(nil, result, edits)
}

// edits completes the edits of one response of the upstream with those that bring it into the host's era.
func (b *bridge) edits(p *response, edits []jsonspan.Edit) []jsonspan.Edit {
	if b.toLegacy() {
		return b.modernize(p, edits)
	}
	switch {
	case p.result.Len() == 0:
		return edits
	case p.request.method == methodInitialize:
		return append(edits, b.initialized(p)...)
	}
	return edits
}

// modernize brings a legacy upstream's response to a modern host.
func (b *bridge) modernize(p *response, edits []jsonspan.Edit) []jsonspan.Edit {
	switch {
	case p.result.Len() == 0:
		return append(edits, modernErrorCode(p.message)...)
	case p.isUnknownTool():
		return replaceResult(p.message, unknownTool(shown(p.request.name)))
	case !jsonspan.IsObject(p.body, p.result), p.call != nil && p.call.dressed:
		return edits
	case p.request.method == methodDiscover && isEmptyObject(p.body, p.result):
		return nil
	case p.request.method == methodDiscover:
		return append(edits, b.discovered(p)...)
	}
	return append(edits, dressOf(p.request.method, b.info).edits(p.body, p.result)...)
}

// Error codes of the legacy era that the modern one has retired.
const (
	codeResourceNotFound = -32002
	codeElicitationByURL = -32042
)

// modernErrorCode returns the edit of an error's code where the modern era has another one.
func modernErrorCode(m message) []jsonspan.Edit {
	value, ok := jsonspan.Lookup(m.body, m.span, "error", "code")
	if !ok {
		return nil
	}
	code, _ := intAt(m.body, value)
	switch code {
	case codeResourceNotFound:
		return replace(m.body, value, []byte(strconv.Itoa(codeInvalidParams)))
	case codeElicitationByURL:
		return replace(m.body, value, []byte(strconv.Itoa(codeInternal)))
	}
	return nil
}

// replaceResult returns the edit that turns a result into an error.
func replaceResult(m message, e *rpcError) []jsonspan.Edit {
	member, ok := jsonspan.Find(m.body, m.span, "result")
	if !ok {
		return nil
	}
	whole := errorResponse(nil, e)
	failure := append([]byte(`"error":`), whole[len(`{"jsonrpc":"2.0","id":null,"error":`):len(whole)-1]...)
	return []jsonspan.Edit{{Span: member.Whole(), With: failure}}
}

// isUnknownTool reports whether the response says that the tool does not exist, as the TypeScript SDK's servers do: by a
// result with isError and one text.
func (p *response) isUnknownTool() bool {
	if p.request.method != methodCallTool {
		return false
	}
	res, ok := scanResult(p.body, p.result)
	if !ok || !res.isError || len(res.items) != 1 || res.items[0].text.Len() == 0 || res.items[0].text.Len() > 2*len(p.request.name)+200 {
		return false
	}
	text := stringAt(p.body, res.items[0].text)
	return text == unknownTool(p.request.name).message || text == "Tool "+p.request.name+" not found"
}

// discovered returns the edits that turn the result of initialize into one of server/discover.
func (b *bridge) discovered(p *response) []jsonspan.Edit {
	doc, result := p.body, p.result
	negotiated := stringMember(doc, result, "protocolVersion")
	versions := quotedArray([]string{modernVersion, firstNonEmpty(negotiated, legacyVersions[0])})
	d := dressOf(methodDiscover, b.info)
	var missing []newMember
	edits := []jsonspan.Edit{d.leadEdit(doc, result)}
	if m, ok := jsonspan.Find(doc, result, "protocolVersion"); ok {
		edits = append(edits, jsonspan.Edit{Span: m.Whole(), With: appendMembers(nil, []newMember{{"supportedVersions", versions}})})
	} else {
		missing = append(missing, newMember{"supportedVersions", versions})
	}
	info, named := jsonspan.Find(doc, result, "serverInfo")
	_, hasMeta := jsonspan.Find(doc, result, "_meta")
	switch {
	case named && !hasMeta && jsonspan.IsObject(doc, info.Value): // where it stands, one level deeper
		edits = append(edits,
			jsonspan.Edit{Span: info.Name, With: quoted("_meta")},
			jsonspan.Edit{Span: jsonspan.Span{Start: info.Value.Start, End: info.Value.Start}, With: append([]byte{'{'}, append(quoted(metaServerInfo), ':')...)},
			jsonspan.Edit{Span: jsonspan.Span{Start: info.Value.End, End: info.Value.End}, With: []byte{'}'}})
	case !hasMeta:
		missing = append(missing, newMember{"_meta", object(newMember{metaServerInfo, d.info})})
	default:
		value := d.info
		if named && jsonspan.IsObject(doc, info.Value) {
			value = info.Value.Of(doc)
		}
		edits = append(edits, setMeta(doc, result, []metaMember{{name: metaServerInfo, value: value}})...)
	}
	return append(edits, insertMembers(doc, result, missing)...)
}

// initialized returns the edits that turn the result of server/discover into one of initialize.
func (b *bridge) initialized(p *response) []jsonspan.Edit {
	doc, result := p.body, p.result
	if !jsonspan.IsObject(doc, result) {
		return nil
	}
	version := legacyVersions[0]
	if slices.Contains(legacyVersions, b.claims.protocol) {
		version = b.claims.protocol
	}
	members := []newMember{{"protocolVersion", quoted(version)}}
	if _, named := jsonspan.Find(doc, result, "serverInfo"); !named {
		info := b.info
		if value, ok := jsonspan.Lookup(doc, result, "_meta", metaServerInfo); ok && jsonspan.IsObject(doc, value) {
			info = value.Of(doc)
		}
		members = append(members, newMember{"serverInfo", info})
	}
	var edits []jsonspan.Edit
	if m, ok := jsonspan.Find(doc, result, "supportedVersions"); ok {
		edits = append(edits, jsonspan.Edit{Span: m.Whole(), With: appendMembers(nil, members)})
	} else {
		edits = append(edits, insertMembers(doc, result, members)...)
	}
	// There is no way to subscribe to a resource from here.
	if value, ok := jsonspan.Lookup(doc, result, "capabilities", "resources", "subscribe"); ok {
		edits = append(edits, replace(doc, value, []byte("false"))...)
	}
	return edits
}

// intAt returns the integer at span s.
func intAt(doc []byte, s jsonspan.Span) (int, bool) {
	n, err := strconv.Atoi(string(s.Of(doc)))
	return n, err == nil
}

// dressing is what a result under method needs for the host of x; nil where that is nothing.
func (x *exchange) dressing(method string) *dress {
	switch {
	case x.bridge.toLegacy():
		return dressOf(method, x.bridge.info)
	case x.host == eraModern:
		return dressOf(method, x.g.serverInfo(x.r.Header))
	}
	return nil
}

// widgetTTLms is for how long a host may keep the widget under its own URI, which says what stands in it.
const widgetTTLms = 3_600_000

// dressOwn returns a result of the gateway's own as the host of x wants it.
func (x *exchange) dressOwn(q *request, result []byte) []byte {
	if x.host != eraModern {
		return result
	}
	d := dressOf(q.method, x.g.serverInfo(x.r.Header))
	if q.method == methodReadResource && q.name == x.g.widgets.uri {
		d.ttlMs, d.scope = widgetTTLms, "public"
	}
	return d.dressOwn(result)
}
