package proxy

import (
	"math"
	"strconv"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// The members that the gateway adds to a result's _meta.
const (
	metaAppData        = "com.tomtom/app-data"
	metaStatus         = "com.tomtom/app-data-status"
	metaSimplification = "com.tomtom/simplification"
)

// mediaLimitChars is the limit of a whole result with the data of its images and audio, which the first limit does
// not count (Claude refuses a result above 1 MB).
const mediaLimitChars = 1_000_000

// limitChars returns the limit of a whole result of tool.
func (g *Gateway) limitChars(tool policy.Tool) int {
	if limit, set := g.options.ToolLimitChars[tool.Name]; set {
		return limit
	}
	if tool.LimitChars > 0 {
		return tool.LimitChars
	}
	return g.options.LimitChars
}

// maxErrorM returns the largest error at which a line of tool is drawn.
func (g *Gateway) maxErrorM(tool policy.Tool) float64 {
	if limit, set := g.options.ToolMaxErrorM[tool.Name]; set {
		return limit
	}
	if g.options.MaxErrorM > 0 {
		return g.options.MaxErrorM
	}
	return tool.MaxErrorM
}

// outcomeEdits returns the edits of the result's document that make it what §1 of the contract says.
func (t *toolResult) outcomeEdits(o outcome) []jsonspan.Edit {
	edits := o.text
	if edits == nil {
		edits = t.textEdits(t.rewriteFor(o, o.minify))
	}
	edits = append(t.leadEdits(), append(edits, t.strayHandles()...)...)
	t.dressed = t.dress != nil
	return append(edits, t.metaEdits(t.metaMembers(o), isOurs)...)
}

// leadEdits puts before a result's members those that its dress wants there.
func (t *toolResult) leadEdits() []jsonspan.Edit {
	if t.dress == nil {
		return nil
	}
	return []jsonspan.Edit{t.dress.leadEdit(t.doc, t.object)}
}

// rewriteFor is what o does to the text JSON. The tool stands in it whenever app data was meant to come, so that a
// widget whose host drops _meta can say that it is missing.
func (t *toolResult) rewriteFor(o outcome, minify bool) rewrite {
	c := change{showUI: &t.showUI, apiKey: t.tool.Verbatim, minify: minify, ref: o.ref}
	if o.status != statusNone {
		c.tool = t.tool.Name
	}
	return rewrite{change: c, whole: o.trimmed}
}

// isOurs reports whether name is a member of _meta that the gateway writes.
func isOurs(name string) bool {
	switch name {
	case metaAppData, metaStatus, metaSimplification, memberShowUI, memberTool:
		return true
	}
	return false
}

// metaMembers returns the members of the result's _meta, as they stand between its braces. They come in pieces, so that
// app data is not copied.
func (t *toolResult) metaMembers(o outcome) (pieces [][]byte) {
	var dst []byte
	if len(o.fit.AppData) > 0 {
		pieces = append(pieces, []byte(`"`+metaAppData+`":"`), o.fit.AppData)
		dst = append(dst, `",`...)
	}
	dst = append(dst, `"`+metaStatus+`":"`+o.status+`",`...)
	if o.status == statusFitted {
		dst = append(appendSimplification(dst, o.fit), ',')
	}
	dst = append(dst, `"show_ui":`...)
	dst = strconv.AppendBool(dst, t.showUI)
	dst = append(dst, `,"tool":`...)
	dst = jsonspan.AppendQuoted(dst, []byte(t.tool.Name))
	if t.dress != nil {
		if info := t.dress.infoMember(t.doc, t.object); info != nil {
			dst = append(append(dst, ','), info...)
		}
	}
	return append(pieces, dst)
}

// appendSimplification appends com.tomtom/simplification. The error is rounded up, so that it is never below the true
// one.
func appendSimplification(dst []byte, fit fitter.Result) []byte {
	dst = append(dst, `"`+metaSimplification+`":{"original_points":`...)
	dst = strconv.AppendInt(dst, int64(fit.OriginalPoints), 10)
	dst = append(dst, `,"points":`...)
	dst = strconv.AppendInt(dst, int64(fit.Points), 10)
	dst = append(dst, `,"max_error_m":`...)
	dst = strconv.AppendFloat(dst, roundUpM(fit.MaxErrorM), 'f', -1, 64)
	dst = append(dst, `,"shed":[`...)
	for i, name := range fit.Shed {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonspan.AppendQuoted(dst, []byte(name))
	}
	return append(dst, "]}"...)
}

// roundUpM rounds metres up to a tenth.
func roundUpM(m float64) float64 { return math.Ceil(m*10) / 10 }

// layout is how much room a result has for app data.
type layout struct {
	budget fitter.Budget
	// exact is the budget of a document that is altered in nothing and needs no com.tomtom/simplification beside it.
	exact fitter.Budget
	// asWritten and minified are the edits of the text JSON that leave this much room.
	asWritten, minified []jsonspan.Edit
	// limitChars is what the whole result has to stay under, otherChars what it has without app data.
	limitChars, otherChars int
	byMedia                bool // the second limit leaves less room than the first
	// crowded says that the text as written takes all the room, and that white space may go: a result without app data,
	// too, has to stay under the limit, or the host keeps it from its widget.
	crowded bool
}

// whatIsLong says what leaves no room: images and audio, or the text if it takes more than half of the limit, else
// the data.
func (l layout) whatIsLong() string {
	switch {
	case l.byMedia:
		return "media"
	case l.otherChars > l.limitChars/2:
		return "text"
	}
	return "data"
}

// layout measures the result as it would be written with o, without app data.
func (g *Gateway) layout(t *toolResult, o *outcome) layout {
	l := layout{limitChars: g.limitChars(t.tool)}
	fitted := *o
	fitted.status = statusFitted
	fitted.fit = fitter.Result{OriginalPoints: math.MaxInt32, Points: math.MaxInt32, MaxErrorM: g.maxErrorM(t.tool) + 0.05}
	for _, shed := range policy.Sheds() {
		fitted.fit.Shed = append(fitted.fit.Shed, shed.Name)
	}
	frameEdits := append(t.leadEdits(), t.metaEdits(t.metaMembers(fitted), isOurs)...)
	before := charsAfter(t.doc, jsonspan.UTF16Len(t.object.Of(t.doc)), frameEdits)
	media := t.mediaChars()
	// The data's own member, and what an exact document has no use for.
	frame := len(`"":"",`) + len(metaAppData)
	unused := len(appendSimplification(nil, fitted.fit)) + 1
	room := func(minify bool) (int, []jsonspan.Edit) {
		text := t.textEdits(t.rewriteFor(fitted, minify))
		chars := charsAfter(t.doc, before, text) + frame
		l.otherChars = chars - media
		left := l.limitChars - 1 - l.otherChars
		if byMedia := mediaLimitChars - 1 - chars; media > 0 && byMedia < left {
			l.byMedia, left = true, byMedia
		}
		return left, text
	}
	var asWritten, minified int
	switch g.options.Text {
	case TextMinify:
		minified, l.minified = room(true)
		asWritten, l.asWritten = minified, l.minified
	case TextKeep:
		asWritten, l.asWritten = room(false)
		minified, l.minified = asWritten, l.asWritten
	default:
		minified, l.minified = room(true)
		asWritten, l.asWritten = room(false)
		l.crowded = asWritten <= 0
	}
	l.budget = budgetOf(asWritten, minified)
	l.exact = budgetOf(asWritten+unused, minified+unused)
	return l
}

// budgetOf is the budget with so many characters left beside the text as written, and so many beside the minified
// one.
func budgetOf(asWritten, minified int) fitter.Budget {
	chars := max(0, asWritten)
	return fitter.Budget{Chars: chars, Extra: max(0, minified-chars)}
}
