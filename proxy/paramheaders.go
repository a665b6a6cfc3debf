package proxy

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// memberParamHeader is how a tool's input schema names the header that mirrors an argument (2026-07-28, server/tools).
const memberParamHeader = "x-mcp-header"

// paramBinding is one argument of a tool that a header mirrors: Mcp-Param-<header>.
type paramBinding struct {
	header string
	path   []string
}

// paramBindings knows which arguments of which tools are mirrored, from the upstream's own lists of tools. It is safe
// for concurrent use.
type paramBindings struct {
	mu     sync.RWMutex
	tools  map[string][]paramBinding
	of     *nature // the upstream whose tools they are
	listed bool    // the last page of its tools was seen
}

// maxBoundTools bounds for how many tools bindings are kept.
const maxBoundTools = 1024

// learn reads the tools/list result at span result of doc.
func (p *paramBindings) learn(doc []byte, result jsonspan.Span, of *nature) {
	annotated := bytes.Contains(result.Of(doc), []byte(memberParamHeader))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of != of {
		p.tools, p.of, p.listed = nil, of, false
	}
	p.listed = p.listed || lastPage(doc, result)
	if !annotated {
		return
	}
	if p.tools == nil {
		p.tools = map[string][]paramBinding{}
	}
	tools, _ := jsonspan.Lookup(doc, result, "tools")
	for tool := range jsonspan.Elements(doc, tools) {
		properties, ok := jsonspan.Lookup(doc, tool, "inputSchema", "properties")
		name := stringMember(doc, tool, "name")
		if _, known := p.tools[name]; !ok || !known && len(p.tools) >= maxBoundTools {
			continue
		}
		p.tools[name] = boundProperties(doc, properties, nil, nil)
	}
}

// boundProperties walks the properties of a schema: a mirrored one is reached through properties alone.
func boundProperties(doc []byte, properties jsonspan.Span, path []string, found []paramBinding) []paramBinding {
	const maxPath = 32
	if len(path) >= maxPath {
		return found
	}
	for m := range jsonspan.Members(doc, properties) {
		here := append(append([]string(nil), path...), stringAt(doc, m.Name))
		if header := stringMember(doc, m.Value, memberParamHeader); isToken(header) {
			found = append(found, paramBinding{header: header, path: here})
		}
		if inner, ok := jsonspan.Lookup(doc, m.Value, "properties"); ok {
			found = boundProperties(doc, inner, here, found)
		}
	}
	return found
}

// bound returns the bindings of a tool. listed is false when nobody has listed all tools of the upstream n yet.
func (p *paramBindings) bound(tool string, n *nature) (bindings []paramBinding, listed bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.of != n {
		return nil, false
	}
	return p.tools[tool], p.listed
}

// primitiveText returns the text by which a header mirrors the value at span value. ok is false for null and for what
// cannot be mirrored.
func primitiveText(doc []byte, value jsonspan.Span) (text string, ok bool) {
	raw := string(value.Of(doc))
	switch {
	case jsonspan.IsString(doc, value):
		return stringAt(doc, value), true
	case raw == "true", raw == "false":
		return raw, true
	}
	const maxSafe = 1<<53 - 1
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || f != float64(int64(f)) || f < -maxSafe || f > maxSafe {
		return "", false
	}
	return strconv.FormatInt(int64(f), 10), true
}

// mirror returns the Mcp-Param-* headers of the call m, by what follows that prefix.
func mirror(bindings []paramBinding, m message) map[string]string {
	headers := map[string]string{}
	for _, b := range bindings {
		value, ok := jsonspan.Lookup(m.body, m.args, b.path...)
		if !ok {
			continue
		}
		if text, ok := primitiveText(m.body, value); ok {
			headers[b.header] = encodeHeaderValue(text)
		}
	}
	return headers
}

// checkParams holds the Mcp-Param-* headers of a modern host's call against its arguments.
func checkParams(h http.Header, bindings []paramBinding, m message) *rpcError {
	for _, b := range bindings {
		name := headerParamPrefix + b.header
		value, ok := jsonspan.Lookup(m.body, m.args, b.path...)
		given := h.Values(name)
		if !ok || string(value.Of(m.body)) == "null" {
			if len(given) > 0 {
				return mismatch("%s is there and %s is not", shown(name), shown(strings.Join(b.path, ".")))
			}
			continue
		}
		if len(given) == 0 {
			return mismatch("%s is missing", shown(name))
		}
		header, decodes := decodeHeaderValue(given[0])
		text, mirrors := primitiveText(m.body, value)
		if len(given) > 1 || !decodes || !isFieldValue(given[0]) || !mirrors || !sameText(header, text, jsonspan.IsString(m.body, value)) {
			return mismatch("%s does not match %s", shown(name), shown(strings.Join(b.path, ".")))
		}
	}
	return nil
}

// sameText compares a header with what it mirrors; numbers by value.
func sameText(header, text string, isString bool) bool {
	if header == text || isString {
		return header == text
	}
	a, errA := strconv.ParseFloat(header, 64)
	b, errB := strconv.ParseFloat(text, 64)
	return errA == nil && errB == nil && a == b
}

// paramHeaders returns the Mcp-Param-* headers for a legacy host's call of a tool of a modern upstream. The tools are
// listed first where nobody has done so.
func (g *Gateway) paramHeaders(r *http.Request, n *nature, m message) map[string]string {
	bindings, listed := g.params.bound(m.name, n)
	if !listed {
		g.listTools(r, n)
		bindings, _ = g.params.bound(m.name, n)
	}
	return mirror(bindings, m)
}

// listTools asks a modern upstream for its tools, for what is mirrored in headers.
func (g *Gateway) listTools(r *http.Request, n *nature) {
	const maxPages = 50
	var params []newMember
	for range maxPages {
		q := g.question(methodListTools, params)
		q.version, q.meta = modernVersion, true
		reply, answer, err := g.ask(r, nil, q)
		if err != nil || answer != nil || reply.result.Len() == 0 {
			return
		}
		g.params.learn(reply.body, reply.result, n)
		next := stringMember(reply.body, reply.result, "nextCursor")
		if next == "" {
			return
		}
		params = []newMember{{"cursor", quoted(next)}}
	}
}
