package proxy

import (
	"bytes"
	"slices"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// Names of members that the gateway reads or writes in results and text JSON.
const (
	memberMeta   = "_meta"
	memberShowUI = "show_ui"
	memberTool   = "tool"
	memberAPIKey = "apiKey"
)

// textJSON is the JSON object that one text item of a result holds, escaped. Spans are of text.Bytes, save item's.
type textJSON struct {
	item    contentItem
	text    jsonspan.Text
	root    jsonspan.Span
	meta    jsonspan.Member // the last _meta
	hasMeta bool
	// showUI is what _meta.show_ui says; saysShowUI is false when it says nothing.
	showUI, saysShowUI bool
	// handle is the value of a member of _meta that a policy.Handle names, as it is written; tool redeems it.
	handle       jsonspan.Span
	handleMember string
	redeemer     string
}

// openText finds the text JSON of a result: the first item that is a JSON object with a _meta, else the first that is
// a JSON object. ok is false when no item is.
func openText(res callResult) (found textJSON, ok bool) {
	for _, item := range res.items {
		if item.text.Len() == 0 {
			continue
		}
		t, isObject := parseText(res.doc, item)
		if !isObject {
			continue
		}
		if t.hasMeta {
			return t, true
		}
		if !ok {
			found, ok = t, true
		}
	}
	return found, ok
}

func parseText(doc []byte, item contentItem) (textJSON, bool) {
	text, err := jsonspan.Decode(doc, item.text)
	if err != nil || !startsObject(text.Bytes) {
		return textJSON{}, false
	}
	root, err := jsonspan.Scan(text.Bytes)
	if err != nil {
		return textJSON{}, false
	}
	t := textJSON{item: item, text: text, root: root}
	t.meta, t.hasMeta = jsonspan.Find(text.Bytes, root, memberMeta)
	if t.hasMeta {
		t = t.readMeta()
	}
	return t, true
}

// startsObject is a cheap look before a text is scanned.
func startsObject(text []byte) bool {
	text = bytes.TrimLeft(text, jsonSpace)
	return len(text) > 0 && text[0] == '{'
}

// readMeta returns t with what its _meta says.
func (t textJSON) readMeta() textJSON {
	doc := t.text.Bytes
	if m, ok := jsonspan.Find(doc, t.meta.Value, memberShowUI); ok {
		t.showUI, t.saysShowUI = boolAt(doc, m.Value)
	}
	for _, h := range policy.Handles() {
		if m, ok := jsonspan.Find(doc, t.meta.Value, h.Member); ok {
			t.handle, t.handleMember, t.redeemer = m.Value, h.Member, h.Tool
			break
		}
	}
	return t
}

func (t textJSON) hasHandle() bool { return t.handleMember != "" }

// boolAt returns the boolean at span s; ok is false when another kind of value stands there.
func boolAt(doc []byte, s jsonspan.Span) (value, ok bool) {
	switch string(s.Of(doc)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// change is what the gateway does to a text JSON. Its _meta always goes.
type change struct {
	showUI *bool  // the show_ui that it gets; nil: it gets none and loses its own
	tool   string // the tool that it gets; "": none
	ref    string // the app_data_ref that it gets; "": none
	apiKey bool   // members called apiKey stay
	minify bool   // white space between tokens goes
}

// edits returns the edits of t.text.Bytes that make the change, ordered. What is added stands where _meta stood, or
// at the end, in the white space of the text.
func (t textJSON) edits(c change) []jsonspan.Edit {
	doc := t.text.Bytes
	add := c.members()
	keeps := func(m jsonspan.Member) bool { return !t.drops(m, c) }
	edits := jsonspan.Remove(nil, doc, t.root, func(m jsonspan.Member) bool {
		replaced := len(add) > 0 && t.hasMeta && m == t.meta
		return !replaced && !keeps(m)
	})
	if len(add) > 0 {
		edits = append(edits, t.insertion(add, keeps, c.minify))
		jsonspan.Sort(edits)
	}
	if !c.apiKey {
		edits = jsonspan.Merge(edits, cutAPIKeys(doc, t.root))
	}
	if c.minify {
		edits = jsonspan.Minify(doc, edits)
	}
	return edits
}

// drops reports whether member m of the root goes: what the upstream meant for its own widget, and what the gateway
// writes itself.
func (t textJSON) drops(m jsonspan.Member, c change) bool {
	return m.Named(t.text.Bytes, memberMeta) || m.Named(t.text.Bytes, memberShowUI) ||
		c.tool != "" && m.Named(t.text.Bytes, memberTool) ||
		c.ref != "" && m.Named(t.text.Bytes, memberAppDataRef) ||
		!c.apiKey && m.Named(t.text.Bytes, memberAPIKey)
}

// addition is a member to be written.
type addition struct {
	name  string
	value []byte
}

func (c change) members() []addition {
	var add []addition
	if c.showUI != nil {
		value := "false"
		if *c.showUI {
			value = "true"
		}
		add = append(add, addition{memberShowUI, []byte(value)})
	}
	if c.tool != "" {
		add = append(add, addition{memberTool, jsonspan.AppendQuoted(nil, []byte(c.tool))})
	}
	if c.ref != "" {
		add = append(add, addition{memberAppDataRef, jsonspan.AppendQuoted(nil, []byte(c.ref))})
	}
	return add
}

// insertion returns the edit that writes the members add in place of _meta, or behind the last member that stays.
func (t textJSON) insertion(add []addition, keeps func(jsonspan.Member) bool, minify bool) jsonspan.Edit {
	doc := t.text.Bytes
	model, at, first := t.meta, t.meta.Whole(), true
	if !t.hasMeta {
		at = jsonspan.Span{Start: t.root.Start + 1, End: t.root.Start + 1}
		model = jsonspan.Member{}
		for m := range jsonspan.Members(doc, t.root) {
			model = m
			if keeps(m) {
				at, first = jsonspan.Span{Start: m.Value.End, End: m.Value.End}, false
			}
		}
	}
	var space, colon []byte
	if !minify && model.Name.Len() > 0 {
		before := doc[:model.Name.Start]
		space = before[len(bytes.TrimRight(before, jsonSpace)):]
		colon = doc[model.Name.End:model.Value.Start]
	}
	if len(colon) == 0 {
		colon = []byte(":")
	}
	var with []byte
	for i, a := range add {
		if i > 0 || !first {
			with = append(append(with, ','), space...)
		}
		with = jsonspan.AppendQuoted(with, []byte(a.name))
		with = append(append(with, colon...), a.value...)
	}
	return jsonspan.Edit{Span: at, With: with}
}

// withoutHandle returns the edits that take every handle out of _meta, out of each where there are several, and change
// nothing else.
func (t textJSON) withoutHandle() (edits []jsonspan.Edit) {
	doc := t.text.Bytes
	isHandle := func(m jsonspan.Member) bool {
		return slices.ContainsFunc(policy.Handles(), func(h policy.Handle) bool { return m.Named(doc, h.Member) })
	}
	for m := range jsonspan.Members(doc, t.root) {
		if m.Named(doc, memberMeta) {
			edits = jsonspan.Remove(edits, doc, m.Value, isHandle)
		}
	}
	return edits
}
