package proxy

import (
	"sync"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// resultKind is what the gateway finds in the result of a tool with a policy, and so what it does with it.
type resultKind int

const (
	// kindForeign is a result that is not the widget's: it passes unchanged. Such are all results of the older
	// backend, which answers under the same tool names, and results that ask for input first.
	kindForeign resultKind = iota
	// kindError is an isError result. It loses a handle and nothing else.
	kindError
	// kindPlain is a result for a client that draws nothing.
	kindPlain
	// kindNone is a result without app data: the tool has none, or nothing is to be drawn.
	kindNone
	// kindWhole is a result whose text is all the data there is, because the caller asked for that.
	kindWhole
	// kindHandle is a result with a handle to redeem.
	kindHandle
	// kindUntrimmed is a result whose text is the untrimmed response.
	kindUntrimmed
	// kindMissing is a result that should have app data and gives no way to it.
	kindMissing
)

// toolResult is one result of a tool with a policy.
type toolResult struct {
	callResult
	tool    policy.Tool
	kind    resultKind
	reason  string // why, in logs; "" where kind says all
	text    textJSON
	hasText bool
	showUI  bool
	dress   *dress // what the host's era wants in a result besides; nil where nothing
	dressed bool   // outcomeEdits has put it in
}

// openResult reads the response m to the call q. nil: it carries no result.
func openResult(q *request, m message) *toolResult {
	res, ok := scanResult(m.body, m.result)
	if !ok {
		return nil
	}
	t := &toolResult{callResult: res, tool: q.tool, showUI: true}
	t.text, t.hasText = openText(res)
	if asked, ok := jsonspan.Find(q.body, q.args, memberShowUI); ok {
		if value, isBool := boolAt(q.body, asked.Value); isBool {
			t.showUI = value
		}
	}
	if t.text.saysShowUI {
		t.showUI = t.text.showUI
	}
	t.kind, t.reason = t.classify(q)
	return t
}

// classify follows the order in which app data is looked for: a handle, then untrimmed text.
func (t *toolResult) classify(q *request) (kind resultKind, reason string) {
	switch {
	case t.incomplete:
		return kindForeign, "result is not complete"
	case t.isError:
		return kindError, "tool error"
	case !q.client.apps:
		return kindPlain, "client without apps"
	case !t.hasText && (!t.showUI || t.tool.AppData == policy.SourceNone):
		return kindNone, "text is no JSON"
	case !t.hasText:
		return kindMissing, "text is no JSON"
	}
	isUntrimmed := sync.OnceValue(func() bool { // asked twice, and it walks through megabytes
		return untrimmed(t.text.text.Bytes, t.text.root, t.tool.Untrimmed)
	})
	switch detail := stringMember(q.body, q.args, "response_detail"); {
	case !t.text.hasMeta && !isUntrimmed():
		return kindForeign, "text has nothing for a widget"
	case t.tool.AppData == policy.SourceNone:
		return kindNone, "tool has no app data"
	case !t.showUI:
		return kindNone, "show_ui is false"
	case t.text.hasHandle():
		return kindHandle, ""
	case detail == "full" || detail == "geometry":
		return kindWhole, "response_detail " + detail
	case isUntrimmed():
		return kindUntrimmed, ""
	}
	return kindMissing, "no handle"
}

// rewrite is how the text JSON becomes what the host gets.
type rewrite struct {
	change change
	whole  []byte // nil, or the text that stands in place of the upstream's before change is made of it
}

// textEdits returns the edits of the result's document that rewrite its text JSON.
func (t *toolResult) textEdits(rw rewrite) []jsonspan.Edit {
	if !t.hasText {
		return nil
	}
	if rw.whole == nil {
		return t.text.text.Edits(t.text.edits(rw.change))
	}
	trimmed := t.text
	trimmed.text = jsonspan.Text{Bytes: rw.whole}
	root, err := jsonspan.Scan(rw.whole)
	if err != nil {
		return nil
	}
	trimmed.root = root
	trimmed.meta, trimmed.hasMeta = jsonspan.Find(rw.whole, root, memberMeta)
	text := jsonspan.Apply(nil, rw.whole, trimmed.edits(rw.change))
	return []jsonspan.Edit{{Span: t.text.item.text, With: jsonspan.AppendQuoted(nil, text)}}
}

// plainEdits returns the edits for a client that draws nothing: the text JSON without what is for widgets. An item
// that has nothing else in it goes.
func (t *toolResult) plainEdits(minify bool) []jsonspan.Edit {
	if !t.hasText {
		return nil
	}
	inner := t.text.edits(change{apiKey: t.tool.Verbatim, minify: minify && t.text.hasMeta})
	left := jsonspan.Apply(nil, t.text.text.Bytes, inner)
	if root, err := jsonspan.Scan(left); err == nil && isEmptyObject(left, root) && t.text.hasMeta {
		return editElements(t.doc, t.content, func(s jsonspan.Span) bool { return s == t.text.item.span }, nil)
	}
	return t.text.text.Edits(inner)
}

func isEmptyObject(doc []byte, object jsonspan.Span) bool {
	for range jsonspan.Members(doc, object) {
		return false
	}
	return jsonspan.IsObject(doc, object)
}
