package proxy

import (
	"bytes"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// strayHandles returns the edits, ordered, that take handles out of the text items beside the text JSON: a second
// JSON text with a _meta of its own, or a text that was cut short or mangled and so is no JSON any more. Whoever reads
// a handle could redeem it, since the upstream's cache is not bound to a caller.
func (t *toolResult) strayHandles() []jsonspan.Edit {
	var edits []jsonspan.Edit
	for _, item := range t.items {
		if item.text.Len() == 0 || t.hasText && item.span == t.text.item.span {
			continue
		}
		text, err := jsonspan.Decode(t.doc, item.text)
		if err != nil || !mentionsHandle(text.Bytes) {
			continue
		}
		if other, isJSON := parseText(t.doc, item); isJSON {
			if other.hasHandle() {
				edits = append(edits, other.text.Edits(other.withoutHandle())...)
			}
			continue
		}
		edits = append(edits, text.Edits(blankHandles(text.Bytes))...)
	}
	return edits
}

func mentionsHandle(text []byte) bool {
	for _, h := range policy.Handles() {
		if bytes.Contains(text, []byte(h.Member)) {
			return true
		}
	}
	return false
}

// blankHandles returns the edits, ordered, that empty the strings which follow a handle's name and a colon in a text
// that is no JSON. A string that does not end is emptied to the end of the text.
func blankHandles(text []byte) []jsonspan.Edit {
	var edits []jsonspan.Edit
	for _, h := range policy.Handles() {
		name := []byte(`"` + h.Member + `"`)
		for at := 0; ; {
			found := bytes.Index(text[at:], name)
			if found < 0 {
				break
			}
			at += found + len(name)
			rest := bytes.TrimLeft(text[at:], jsonSpace)
			if len(rest) == 0 || rest[0] != ':' {
				continue
			}
			rest = bytes.TrimLeft(rest[1:], jsonSpace)
			if len(rest) == 0 || rest[0] != '"' {
				continue
			}
			start := len(text) - len(rest) + 1
			end := len(text)
			if quote := bytes.IndexByte(text[start:], '"'); quote >= 0 {
				end = start + quote
			}
			if end > start {
				edits = append(edits, jsonspan.Edit{Span: jsonspan.Span{Start: start, End: end}})
			}
			at = end
		}
	}
	jsonspan.Sort(edits)
	return edits
}

// secretChars is how many characters a handle has at least that cannot be guessed, and is no word that may stand anywhere.
const secretChars = 16

// withoutHandleIn returns edits and also those that empty every other place of the message at span in which the handle of
// the text JSON stands as it is: structured content that mirrors the text, a resource, a member that comes twice.
func (t *toolResult) withoutHandleIn(span jsonspan.Span, edits []jsonspan.Edit) []jsonspan.Edit {
	if !t.text.hasHandle() {
		return edits
	}
	handle := bytes.Trim(t.text.handle.Of(t.text.text.Bytes), `"`)
	if len(handle) < secretChars || bytes.ContainsAny(handle, "\\{[") {
		return edits
	}
	var strays []jsonspan.Edit
	for at := span.Start; ; {
		found := bytes.Index(t.doc[at:span.End], handle)
		if found < 0 {
			break
		}
		at += found + len(handle)
		strays = append(strays, jsonspan.Edit{Span: jsonspan.Span{Start: at - len(handle), End: at}})
	}
	jsonspan.Sort(edits)
	return jsonspan.Merge(edits, strays)
}
