package proxy

import (
	"bytes"
	"slices"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// newMember is a member to add to an object: a name, and a value as JSON.
type newMember struct {
	name  string
	value []byte
}

// insertMembers returns the edit that adds members at the end of the object at span object, none for none.
func insertMembers(doc []byte, object jsonspan.Span, members []newMember) []jsonspan.Edit {
	if len(members) == 0 {
		return nil
	}
	at, text := object.Start+1, []byte(nil)
	for m := range jsonspan.Members(doc, object) {
		at, text = m.Value.End, []byte{','}
	}
	return []jsonspan.Edit{{Span: jsonspan.Span{Start: at, End: at}, With: appendMembers(text, members)}}
}

// appendMembers appends members as they stand between the braces of an object.
func appendMembers(dst []byte, members []newMember) []byte {
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonspan.AppendQuoted(dst, []byte(m.name))
		dst = append(dst, ':')
		dst = append(dst, m.value...)
	}
	return dst
}

// object returns an object with the members.
func object(members ...newMember) []byte {
	return append(appendMembers([]byte{'{'}, members), '}')
}

// replace returns the edit that puts with in place of the value at span value, none when it stands there already.
func replace(doc []byte, value jsonspan.Span, with []byte) []jsonspan.Edit {
	if bytes.Equal(value.Of(doc), with) {
		return nil
	}
	return []jsonspan.Edit{{Span: value, With: with}}
}

// editElements returns the edits that take away the elements of the array at span array for which drop is true, each
// with a comma and the white space that went with it, and that add others at the end. The kept elements keep every
// byte.
func editElements(doc []byte, array jsonspan.Span, drop func(jsonspan.Span) bool, added [][]byte) []jsonspan.Edit {
	var edits []jsonspan.Edit
	kept := false
	cutFrom := -1 // where the leading run of dropped elements starts
	insertAt, previousEnd := array.Start+1, array.Start+1
	for s := range jsonspan.Elements(doc, array) {
		switch {
		case !drop(s):
			if cutFrom >= 0 {
				edits = append(edits, jsonspan.Edit{Span: jsonspan.Span{Start: cutFrom, End: s.Start}})
				cutFrom = -1
			}
			kept, insertAt = true, s.End
		case kept:
			edits = append(edits, jsonspan.Edit{Span: jsonspan.Span{Start: previousEnd, End: s.End}})
		case cutFrom < 0:
			cutFrom = s.Start
		}
		previousEnd = s.End
	}
	if cutFrom >= 0 {
		edits = append(edits, jsonspan.Edit{Span: jsonspan.Span{Start: cutFrom, End: previousEnd}})
	}
	if len(added) > 0 {
		text := bytes.Join(added, []byte{','})
		if kept {
			text = slices.Insert(text, 0, ',')
		}
		edits = append(edits, jsonspan.Edit{Span: jsonspan.Span{Start: insertAt, End: insertAt}, With: text})
	}
	return edits
}

// metaMember is a member of _meta to set: to value, or, with inner, to an object whose member inner is value.
type metaMember struct {
	name, inner string
	value       []byte
}

// whole returns the member as it is where nothing stands yet.
func (m metaMember) whole() []byte {
	if m.inner == "" {
		return m.value
	}
	return object(newMember{m.inner, m.value})
}

// setMeta returns the edits that set members in the _meta of the object at span owner. What is there already is
// replaced where it stands, in every repetition, since not every parser takes the last one; what is missing is added
// at the end; whatever else _meta and the objects in it hold stays.
func setMeta(doc []byte, owner jsonspan.Span, members []metaMember) []jsonspan.Edit {
	var edits []jsonspan.Edit
	found := false
	for meta := range jsonspan.Members(doc, owner) {
		if !meta.Named(doc, "_meta") {
			continue
		}
		found = true
		if jsonspan.IsObject(doc, meta.Value) {
			edits = append(edits, setMembers(doc, meta.Value, members)...)
		} else {
			edits = append(edits, replace(doc, meta.Value, newMeta(members))...)
		}
	}
	if !found {
		edits = append(edits, insertMembers(doc, owner, []newMember{{"_meta", newMeta(members)}})...)
	}
	return edits
}

func newMeta(members []metaMember) []byte {
	all := make([]newMember, len(members))
	for i, m := range members {
		all[i] = newMember{m.name, m.whole()}
	}
	return object(all...)
}

// setMembers is setMeta inside of one object.
func setMembers(doc []byte, meta jsonspan.Span, members []metaMember) []jsonspan.Edit {
	var edits []jsonspan.Edit
	var missing []newMember
	for _, want := range members {
		found := false
		for m := range jsonspan.Members(doc, meta) {
			if !m.Named(doc, want.name) {
				continue
			}
			found = true
			if want.inner != "" && jsonspan.IsObject(doc, m.Value) {
				edits = append(edits, setMembers(doc, m.Value, []metaMember{{name: want.inner, value: want.value}})...)
			} else {
				edits = append(edits, replace(doc, m.Value, want.whole())...)
			}
		}
		if !found {
			missing = append(missing, newMember{want.name, want.whole()})
		}
	}
	return append(edits, insertMembers(doc, meta, missing)...)
}
