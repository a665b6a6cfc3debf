package proxy

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// trim returns text, an untrimmed response, as the upstream's compact mode would have answered it. Bytes that are
// kept are kept as written, white space included; text is not changed. The error wraps [jsonspan.ErrSyntax] where
// text is no JSON.
func trim(text []byte, p policy.Projection) ([]byte, error) {
	root, err := jsonspan.Scan(text)
	if err != nil {
		return nil, fmt.Errorf("trim: %w", err)
	}
	return jsonspan.Apply(nil, text, trimEdits(text, root, p)), nil
}

// trimEdits returns the edits that trim makes of the scanned value at root, ordered. They cut members together with
// their commas, so edits that cut other members of the same objects must be made on the result, not beside these.
func trimEdits(doc []byte, root jsonspan.Span, p policy.Projection) []jsonspan.Edit {
	t := trimmer{doc: doc}
	t.value(root, []*cut{compile(p)})
	jsonspan.Sort(t.edits)
	return t.edits
}

// untrimmed reports whether the scanned value at root has a member at any of paths.
func untrimmed(doc []byte, root jsonspan.Span, paths []policy.Path) bool {
	return slices.ContainsFunc(paths, func(p policy.Path) bool { return has(doc, root, p) })
}

func has(doc []byte, value jsonspan.Span, path policy.Path) bool {
	if len(path) == 0 {
		return true
	}
	for m := range jsonspan.Members(doc, value) {
		if (path[0] == "*" || m.Named(doc, path[0])) && has(doc, m.Value, path[1:]) {
			return true
		}
	}
	wanted, err := strconv.Atoi(path[0])
	if err != nil && path[0] != "*" {
		return false
	}
	i := 0
	for e := range jsonspan.Elements(doc, value) {
		if (path[0] == "*" || i == wanted) && has(doc, e, path[1:]) {
			return true
		}
		i++
	}
	return false
}

// cut is what a projection does at one place and, by the next step of a path, below it.
type cut struct {
	next    []step
	remove  bool
	require string   // the member that must hold something; "": none
	keep    []string // nil: all; empty: none
	ends    bool
	hoist   *policy.Hoist
}

type step struct {
	name string
	cut  *cut
}

// compile turns the lists of a projection into one tree, so that a document is walked once.
func compile(p policy.Projection) *cut {
	root := &cut{}
	for _, path := range p.Remove {
		root.at(path).remove = true
	}
	for _, k := range p.Keep {
		root.at(k.At).keep = append([]string{}, k.Members...)
	}
	for _, path := range p.Ends {
		root.at(path).ends = true
	}
	for _, h := range p.Hoist {
		root.at(h.At).hoist = &h
	}
	for _, r := range p.Require {
		root.at(r.At).require = r.Member
	}
	return root
}

// at returns the place that path leads to from c. What is missing on the way is added.
func (c *cut) at(path policy.Path) *cut {
	for _, name := range path {
		i := slices.IndexFunc(c.next, func(s step) bool { return s.name == name })
		if i < 0 {
			i = len(c.next)
			c.next = append(c.next, step{name, &cut{}})
		}
		c = c.next[i].cut
	}
	return c
}

// takes reports whether the value that c stands for goes, with its name.
func (c *cut) takes(doc []byte, value jsonspan.Span) bool {
	return c.remove || c.require != "" && !holds(doc, value, c.require)
}

// trimmer collects the edits of one document. Each value is looked at with every cut that applies where it stands:
// one found by name and one by "*" can meet. Recursion goes as deep as the longest path, not as the document.
type trimmer struct {
	doc   []byte
	edits []jsonspan.Edit
}

func (t *trimmer) value(value jsonspan.Span, cuts []*cut) {
	switch {
	case jsonspan.IsObject(t.doc, value):
		t.object(value, cuts)
	case jsonspan.IsArray(t.doc, value):
		t.array(value, cuts)
	}
}

func (t *trimmer) object(object jsonspan.Span, cuts []*cut) {
	for _, c := range cuts {
		if c.hoist == nil {
			continue
		}
		if _, found := jsonspan.Find(t.doc, object, c.hoist.Outer); found {
			t.hoist(object, c.hoist)
			return
		}
	}
	t.keepMembers(object, func(m jsonspan.Member) bool {
		below := t.below(m, cuts)
		goes := slices.ContainsFunc(cuts, func(c *cut) bool { return c.keep != nil && !namedOneOf(t.doc, m, c.keep) }) ||
			slices.ContainsFunc(below, func(c *cut) bool { return c.takes(t.doc, m.Value) })
		if !goes && len(below) > 0 {
			t.value(m.Value, below)
		}
		return !goes
	})
}

// below returns the cuts that apply to the value of m, a member of an object that cuts apply to.
func (t *trimmer) below(m jsonspan.Member, cuts []*cut) []*cut {
	var below []*cut
	for _, c := range cuts {
		for _, s := range c.next {
			if s.name == "*" || m.Named(t.doc, s.name) {
				below = append(below, s.cut)
			}
		}
	}
	return below
}

func (t *trimmer) array(array jsonspan.Span, cuts []*cut) {
	if slices.ContainsFunc(cuts, func(c *cut) bool { return c.ends }) {
		t.keepEnds(array)
		return
	}
	var below []*cut
	for _, c := range cuts {
		for _, s := range c.next {
			if s.name == "*" {
				below = append(below, s.cut)
			}
		}
	}
	if len(below) == 0 {
		return
	}
	for e := range jsonspan.Elements(t.doc, array) {
		t.value(e, below)
	}
}

// keepEnds cuts what stands between the first and the last element.
func (t *trimmer) keepEnds(array jsonspan.Span) {
	var second, last jsonspan.Span
	n := 0
	for e := range jsonspan.Elements(t.doc, array) {
		if n == 1 {
			second = e
		}
		last = e
		n++
	}
	if n > 2 {
		t.edits = append(t.edits, jsonspan.Edit{Span: jsonspan.Span{Start: second.Start, End: last.Start}})
	}
}

// hoist puts some members of the object's outer member where that stood. Each new member gets the white space that
// the object's first member has before it, so that indented text stays indented.
func (t *trimmer) hoist(object jsonspan.Span, h *policy.Hoist) {
	var separator []byte
	t.keepMembers(object, func(m jsonspan.Member) bool {
		if separator == nil {
			separator = append([]byte{','}, t.doc[object.Start+1:m.Name.Start]...)
		}
		if !m.Named(t.doc, h.Outer) {
			return namedOneOf(t.doc, m, h.Beside)
		}
		var inner [][]byte
		for i := range jsonspan.Members(t.doc, m.Value) {
			if namedOneOf(t.doc, i, h.Inner) {
				inner = append(inner, i.Whole().Of(t.doc))
			}
		}
		if len(inner) > 0 {
			t.edits = append(t.edits, jsonspan.Edit{Span: m.Whole(), With: bytes.Join(inner, separator)})
		}
		return len(inner) > 0
	})
}

// keepMembers cuts the members of an object for which keep is false. An object that loses all becomes {}.
func (t *trimmer) keepMembers(object jsonspan.Span, keep func(jsonspan.Member) bool) {
	kept := 0
	cuts := jsonspan.Remove(nil, t.doc, object, func(m jsonspan.Member) bool {
		if keep(m) {
			kept++
			return false
		}
		return true
	})
	if kept == 0 && len(cuts) > 0 {
		cuts = []jsonspan.Edit{{Span: jsonspan.Span{Start: object.Start + 1, End: object.End - 1}}}
	}
	t.edits = append(t.edits, cuts...)
}

func namedOneOf(doc []byte, m jsonspan.Member, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return m.Named(doc, name) })
}

// holds reports whether value is an object whose member called name is there and, in JavaScript's sense, true.
func holds(doc []byte, value jsonspan.Span, name string) bool {
	m, found := jsonspan.Find(doc, value, name)
	if !found {
		return false
	}
	text := m.Value.Of(doc)
	if number, err := strconv.ParseFloat(string(text[:min(len(text), 32)]), 64); err == nil && number == 0 {
		return false
	}
	return string(text) != "null" && string(text) != "false" && string(text) != `""`
}
