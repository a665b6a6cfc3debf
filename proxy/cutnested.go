package proxy

import (
	"bytes"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// cutAPIKeys returns the cuts of members named apiKey, see cutNested.
func cutAPIKeys(doc []byte, root jsonspan.Span) []jsonspan.Edit {
	return cutNested(doc, root, memberAPIKey)
}

// cutNested returns the cuts that take away the members called name of all objects inside the members of the object
// at root, at any depth; root's own members are left to the caller. One pass, however deep the nesting. doc must have
// been accepted by [jsonspan.Scan].
func cutNested(doc []byte, root jsonspan.Span, name string) []jsonspan.Edit {
	// A name can be spelled with escapes, too.
	if !bytes.Contains(doc, []byte(name)) && !bytes.Contains(doc, []byte(`\u`)) {
		return nil
	}
	c := cutter{doc: doc, name: name}
	for c.pos = root.Start; c.pos < root.End; c.pos++ {
		c.token()
	}
	jsonspan.Sort(c.cuts)
	return c.cuts
}

type cutter struct {
	doc  []byte
	name string
	pos  int
	end  int // of the last token
	open []container
	cuts []jsonspan.Edit
}

// container is an object or array that the cutter is inside of.
type container struct {
	object   bool
	dropped  bool          // lies in a member that goes
	member   jsonspan.Span // the current member's name
	named    bool          // member is set
	kept     bool          // a member before stays
	runStart int           // where the leading run of members that go starts, if it has started
	inRun    bool
	lastEnd  int // of the value before
}

func (c *cutter) token() {
	switch c.doc[c.pos] {
	case '"':
		c.text()
	case '{', '[':
		c.open = append(c.open, container{object: c.doc[c.pos] == '{', dropped: c.inDropped(), lastEnd: c.pos + 1})
		c.end = c.pos + 1
	case ',':
		c.memberEnds()
	case '}', ']':
		c.memberEnds()
		c.close()
		c.end = c.pos + 1
	case ' ', '\n', '\r', '\t', ':':
	default:
		c.end = c.pos + 1
	}
}

func (c *cutter) top() *container { return &c.open[len(c.open)-1] }

// inDropped reports whether what starts now lies in a member that goes.
func (c *cutter) inDropped() bool {
	return len(c.open) > 0 && (c.top().dropped || c.goes(c.top()))
}

// goes reports whether the current member of o has to go.
func (c *cutter) goes(o *container) bool {
	return o.named && len(c.open) > 1 && jsonspan.Member{Name: o.member}.Named(c.doc, c.name)
}

// text steps over a string and notes it when it is a member's name.
func (c *cutter) text() {
	start := c.pos
	for c.pos++; c.doc[c.pos] != '"'; c.pos++ {
		if c.doc[c.pos] == '\\' {
			c.pos++
		}
	}
	c.end = c.pos + 1
	if len(c.open) > 0 && c.top().object && !c.top().named {
		c.top().member, c.top().named = jsonspan.Span{Start: start, End: c.end}, true
	}
}

// memberEnds is called behind the value of a member.
func (c *cutter) memberEnds() {
	if len(c.open) == 0 || !c.top().named {
		return
	}
	o := c.top()
	switch {
	case o.dropped:
	case !c.goes(o):
		if o.inRun {
			c.cut(o.runStart, o.member.Start)
			o.inRun = false
		}
		o.kept = true
	case o.kept:
		c.cut(o.lastEnd, c.end)
	case !o.inRun:
		o.inRun, o.runStart = true, o.member.Start
	}
	o.lastEnd, o.named = c.end, false
}

func (c *cutter) close() {
	if o := c.top(); o.inRun {
		c.cut(o.runStart, o.lastEnd)
	}
	c.open = c.open[:len(c.open)-1]
}

func (c *cutter) cut(start, end int) {
	c.cuts = append(c.cuts, jsonspan.Edit{Span: jsonspan.Span{Start: start, End: end}})
}
