package jsonspan

import "slices"

// Edit puts With in place of the bytes at Span. An empty Span inserts, a nil With removes.
type Edit struct {
	Span Span
	With []byte
}

// Apply appends doc, with the edits made, to dst. Edits are ordered by where they start and do not overlap; [Sort]
// and [Merge] bring them into that form. doc is not changed and must not overlap dst.
func Apply(dst, doc []byte, edits []Edit) []byte {
	dst = slices.Grow(dst, EditedLen(doc, edits))
	from := 0
	for _, e := range edits {
		dst = append(dst, doc[from:e.Span.Start]...)
		dst = append(dst, e.With...)
		from = e.Span.End
	}
	return append(dst, doc[from:]...)
}

// EditedLen returns how many bytes doc has with the edits made.
func EditedLen(doc []byte, edits []Edit) int {
	n := len(doc)
	for _, e := range edits {
		n += len(e.With) - e.Span.Len()
	}
	return n
}

// Sort orders edits by where they start, in place. Insertions at one offset keep their order, and stand before an
// edit that replaces what starts there.
func Sort(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		if a.Span.Start != b.Span.Start {
			return a.Span.Start - b.Span.Start
		}
		return a.Span.End - b.Span.End
	})
}

// Merge returns edits and also, in one order, those of minor that touch nothing which edits replace. Both must be
// ordered; a span of minor that is not inside one of edits must not cross its border.
func Merge(edits, minor []Edit) []Edit {
	if len(minor) == 0 {
		return edits
	}
	merged := make([]Edit, 0, len(edits)+len(minor))
	for _, m := range minor {
		for len(edits) > 0 && edits[0].Span.End <= m.Span.Start {
			merged, edits = append(merged, edits[0]), edits[1:]
		}
		if len(edits) > 0 && edits[0].Span.Contains(m.Span) {
			continue
		}
		merged = append(merged, m)
	}
	return append(merged, edits...)
}

// Remove appends to edits the cuts that take away the members of the object at span object for which drop is true,
// each with the comma and the white space that went with it. The kept members keep every byte.
func Remove(edits []Edit, doc []byte, object Span, drop func(Member) bool) []Edit {
	keptBefore := false
	cutFrom := -1 // where the leading run of dropped members starts
	previousEnd := object.Start + 1
	for m := range Members(doc, object) {
		switch {
		case !drop(m):
			if cutFrom >= 0 {
				edits = append(edits, Edit{Span: Span{cutFrom, m.Name.Start}})
				cutFrom = -1
			}
			keptBefore = true
		case keptBefore:
			edits = append(edits, Edit{Span: Span{previousEnd, m.Value.End}})
		case cutFrom < 0:
			cutFrom = m.Name.Start
		}
		previousEnd = m.Value.End
	}
	if cutFrom >= 0 {
		edits = append(edits, Edit{Span: Span{cutFrom, previousEnd}})
	}
	return edits
}

// Minify returns edits, which are ordered and replace whole tokens of doc, and also, in one order, the cuts that remove
// all white space between the tokens that stay. doc is a text that [Scan] has accepted.
func Minify(doc []byte, edits []Edit) []Edit {
	cuts := make([]Edit, 0, len(edits)+len(doc)/minifiedRun)
	for i := 0; i < len(doc); {
		switch {
		case len(edits) > 0 && edits[0].Span.Start <= i:
			cuts = append(cuts, edits[0])
			i = max(i, edits[0].Span.End)
			edits = edits[1:]
		case doc[i] == '"':
			i = skipString(doc, i)
		case isSpace(doc[i]):
			end := skipSpace(doc, i)
			cuts = append(cuts, Edit{Span: Span{i, end}})
			i = end
		default:
			i++
		}
	}
	return append(cuts, edits...)
}

// minifiedRun is about how many bytes of an indented text there are for each run of white space in it.
const minifiedRun = 16
