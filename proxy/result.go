package proxy

import (
	"bytes"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// callResult is a CallToolResult as spans of the document that it stands in.
type callResult struct {
	doc    []byte
	object jsonspan.Span
	// content is the array of content items; empty when it is missing or none.
	content jsonspan.Span
	items   []contentItem
	// meta is the result's own _meta, the last one; hasMeta is false when it is missing.
	meta    jsonspan.Member
	hasMeta bool
	// shadowed are those before it, which readers ignore that take the last of two.
	shadowed []jsonspan.Member
	isError  bool
	// incomplete marks a result of another type than "complete" (2026-07-28), such as one that asks for input.
	incomplete bool
	// lastValueEnd is where a new member can follow; object.Start+1 in an empty object.
	lastValueEnd int
}

// contentItem is one element of content.
type contentItem struct {
	span jsonspan.Span
	kind string        // its type member
	text jsonspan.Span // a text item's string; empty in other items
	data jsonspan.Span // an image's or audio's string; empty in other items
}

// scanResult finds the parts of the result at span of doc, which [jsonspan.Scan] has accepted. ok is false when no
// object stands there.
func scanResult(doc []byte, span jsonspan.Span) (res callResult, ok bool) {
	if !jsonspan.IsObject(doc, span) {
		return callResult{}, false
	}
	res = callResult{doc: doc, object: span, lastValueEnd: span.Start + 1}
	for m := range jsonspan.Members(doc, span) {
		res.lastValueEnd = m.Value.End
		switch {
		case m.Named(doc, "content"):
			res.content = m.Value
		case m.Named(doc, "_meta"):
			if res.hasMeta {
				res.shadowed = append(res.shadowed, res.meta)
			}
			res.meta, res.hasMeta = m, true
		case m.Named(doc, "isError"):
			res.isError = string(m.Value.Of(doc)) == "true"
		case m.Named(doc, "resultType"):
			res.incomplete = stringAt(doc, m.Value) != "complete"
		}
	}
	for element := range jsonspan.Elements(doc, res.content) {
		res.items = append(res.items, scanItem(doc, element))
	}
	return res, true
}

func scanItem(doc []byte, element jsonspan.Span) contentItem {
	item := contentItem{span: element}
	var text, data jsonspan.Span
	for m := range jsonspan.Members(doc, element) {
		switch {
		case m.Named(doc, "type"):
			item.kind = stringAt(doc, m.Value)
		case m.Named(doc, "text"):
			text = m.Value
		case m.Named(doc, "data"):
			data = m.Value
		}
	}
	switch {
	case item.kind == "text" && jsonspan.IsString(doc, text):
		item.text = text
	case (item.kind == "image" || item.kind == "audio") && jsonspan.IsString(doc, data):
		item.data = data
	}
	return item
}

// mediaChars returns how many characters the data of image and audio items has: the part of a result that counts
// against the second limit only.
func (res callResult) mediaChars() int {
	chars := 0
	for _, item := range res.items {
		if item.data.Len() > 2 {
			chars += jsonspan.UTF16Len(item.data.Of(res.doc)) - 2
		}
	}
	return chars
}

// charsAfter returns how many characters a text of before characters has when edits are made of it. The spans of
// edits are doc's.
func charsAfter(doc []byte, before int, edits []jsonspan.Edit) int {
	for _, e := range edits {
		before += jsonspan.UTF16Len(e.With) - jsonspan.UTF16Len(e.Span.Of(doc))
	}
	return before
}

// metaEdits returns the edits that put members, whose pieces make `"name":value,…`, into the result's _meta. Members of
// one of our names that are there already give way; all others keep every byte.
func (res callResult) metaEdits(members [][]byte, ours func(name string) bool) []jsonspan.Edit {
	opening, place := res.metaOpening(ours)
	before := jsonspan.Span{Start: place.Start, End: place.Start}
	var edits []jsonspan.Edit
	for _, shadowed := range res.shadowed {
		edits = jsonspan.Remove(edits, res.doc, shadowed.Value, func(m jsonspan.Member) bool { return ours(stringAt(res.doc, m.Name)) })
	}
	edits = append(edits, jsonspan.Edit{Span: before, With: opening})
	for _, piece := range members {
		edits = append(edits, jsonspan.Edit{Span: before, With: piece})
	}
	return append(edits, jsonspan.Edit{Span: place, With: []byte{'}'}})
}

// metaOpening returns _meta with what it keeps, up to where new members can follow, and the place that it takes.
func (res callResult) metaOpening(ours func(name string) bool) (opening []byte, place jsonspan.Span) {
	if !res.hasMeta {
		with := []byte(`,"_meta":{`)
		if res.lastValueEnd == res.object.Start+1 {
			with = with[1:]
		}
		return with, jsonspan.Span{Start: res.lastValueEnd, End: res.lastValueEnd}
	}
	value := res.meta.Value
	kept := false
	cuts := jsonspan.Remove(nil, res.doc, value, func(m jsonspan.Member) bool {
		drop := ours(stringAt(res.doc, m.Name))
		kept = kept || !drop
		return drop
	})
	with := []byte{'{'}
	if kept { // never true where _meta is no object
		with = jsonspan.Apply(nil, value.Of(res.doc), shift(cuts, -value.Start))
		with = append(bytes.TrimRight(with[:len(with)-1], jsonSpace), ',')
	}
	return with, value
}

// jsonSpace is what JSON calls white space.
const jsonSpace = " \n\r\t"

// shift moves the spans of edits by n bytes, in place.
func shift(edits []jsonspan.Edit, n int) []jsonspan.Edit {
	for i := range edits {
		edits[i].Span.Start += n
		edits[i].Span.End += n
	}
	return edits
}
