package proxy

import "tomtom-mcp-gateway/fitter/jsonspan"

// editInitialize returns the edits that declare, in the result of initialize or server/discover at span result of
// doc, what the gateway adds to its upstream: the MCP Apps extension, without which Claude draws nothing
// (anthropics/claude-ai-mcp#729), and tools and resources, which it serves itself. What the upstream declares stays.
// The extension is declared to every client unless widgets were switched off: a server says what it can do whatever
// the client can.
func editInitialize(doc []byte, result jsonspan.Span, c client) []jsonspan.Edit {
	if c.overridden() || !jsonspan.IsObject(doc, result) {
		return nil
	}
	edits := setObjects(doc, result, []branch{{"capabilities", []branch{
		{"extensions", []branch{{uiExtension, nil}}},
		{"resources", nil},
		{"tools", nil},
	}}})
	jsonspan.Sort(edits)
	return edits
}

// branch names members that must be objects, and members of those.
type branch struct {
	name  string
	below []branch
}

// setObjects returns the edits that make every member of wanted an object of the object at span owner: missing ones are
// added empty, anything else that is no object is replaced. Of repeated members the last counts.
func setObjects(doc []byte, owner jsonspan.Span, wanted []branch) []jsonspan.Edit {
	var edits []jsonspan.Edit
	var missing []newMember
	for _, b := range wanted {
		m, ok := jsonspan.Find(doc, owner, b.name)
		switch {
		case !ok:
			missing = append(missing, newMember{b.name, b.whole()})
		case jsonspan.IsObject(doc, m.Value):
			edits = append(edits, setObjects(doc, m.Value, b.below)...)
		default:
			edits = append(edits, replace(doc, m.Value, b.whole())...)
		}
	}
	return append(edits, insertMembers(doc, owner, missing)...)
}

// whole returns the object where nothing stands yet.
func (b branch) whole() []byte {
	if len(b.below) == 0 {
		return []byte("{}")
	}
	members := make([]newMember, len(b.below))
	for i, inner := range b.below {
		members[i] = newMember{inner.name, inner.whole()}
	}
	return object(members...)
}
