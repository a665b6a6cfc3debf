package proxy

import (
	"slices"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// The members of a tool's _meta that bind it to a widget: the specification's own, its older flat spelling, and
// ChatGPT's alias.
const (
	metaUI             = "ui"
	metaResourceURI    = "resourceUri" // inside metaUI
	metaVisibility     = "visibility"  // inside metaUI
	metaFlatURI        = "ui/resourceUri"
	metaOutputTemplate = "openai/outputTemplate"
)

// classicService is the _meta.backend of tools that answer trimmed REST JSON without a widget ("Genesis"), under
// names that have a policy.
const classicService = "tomtom-maps"

// showUI is the argument by which an agent asks for the widget.
const showUI = "show_ui"

// listReport is what there is to say about one list.
type listReport struct {
	tools     int             // with a widget of the gateway's
	unserved  []string        // tools whose bound URIs differ or are not served: their maps would not draw
	clashes   []string        // tools of the upstream's that stood where the gateway's own stand now
	originals map[string]bool // widget URIs of the upstream's that no tool is bound to any more
}

// editToolsList returns the edits that turn the upstream's tools/list result at span result of doc into the one for
// c, and what to report about it. Both are empty when no list stands there. Edits are ordered and touch no byte that
// they do not mean to change. follows says that the request had a cursor: an earlier page may hold the tools with
// widgets. The gateway's own tools are added once over all pages: tomtom-get-app-data on the page that has the tool
// it runs, whose input schema it copies; tomtom-report-app-status on the last page.
func editToolsList(doc []byte, result jsonspan.Span, c client, w Resource, follows bool) ([]jsonspan.Edit, listReport) {
	tools, ok := jsonspan.Lookup(doc, result, "tools")
	if !ok || !jsonspan.IsArray(doc, tools) {
		return nil, listReport{}
	}
	e := toolsEditor{doc: doc, c: c, w: w, follows: follows, report: listReport{originals: map[string]bool{}}, foreign: map[string]bool{}}
	drop := map[jsonspan.Span]bool{}
	for tool := range jsonspan.Elements(doc, tools) {
		if e.drops(tool) {
			drop[tool] = true
			continue
		}
		e.tool(tool)
	}
	var added [][]byte
	if c.apps {
		added = e.added(lastPage(doc, result))
	}
	e.edits = append(e.edits, editElements(doc, tools, func(s jsonspan.Span) bool { return drop[s] }, added)...)
	jsonspan.Sort(e.edits)
	for uri := range e.foreign {
		delete(e.report.originals, uri)
	}
	if c.apps {
		// Of the result alone: doc may be a batch of a thousand lists.
		edited := jsonspan.Apply(nil, result.Of(doc), shift(slices.Clone(e.edits), -result.Start))
		e.report.unserved = unserved(edited, jsonspan.Span{End: len(edited)}, w.URI)
	}
	return e.edits, e.report
}

// hasCursor reports whether a list request asks for a page after the first.
func hasCursor(m message) bool {
	cursor, ok := jsonspan.Lookup(m.body, m.params, "cursor")
	return ok && string(cursor.Of(m.body)) != "null"
}

// lastPage reports whether a list result is not continued.
func lastPage(doc []byte, result jsonspan.Span) bool {
	next, ok := jsonspan.Lookup(doc, result, "nextCursor")
	return !ok || !jsonspan.IsString(doc, next)
}

// toolsEditor walks one list of tools.
type toolsEditor struct {
	doc     []byte
	c       client
	w       Resource
	follows bool // a page came before
	edits   []jsonspan.Edit
	report  listReport
	foreign map[string]bool // widget URIs of tools that the gateway does not bind
	fetched [][]byte        // input schemas of the tools whose data the widget may fetch
}

// drops reports whether a tool goes from the list: the tools that redeem handles, from every list, tools that only
// apps may call, from a list without them, and whatever has the name of one of the gateway's own.
func (e *toolsEditor) drops(tool jsonspan.Span) bool {
	name := stringMember(e.doc, tool, "name")
	switch {
	case refused(name):
		return true
	case name == policy.GetAppData || name == policy.ReportAppStatus:
		e.report.clashes = append(e.report.clashes, name)
		return true
	case e.c.apps:
		return false
	}
	return name == policy.GetAPIKey || e.appOnly(tool)
}

// refused reports whether a tool redeems handles. Hosts neither see nor call it: the upstream's cache is bound to no
// caller.
func refused(name string) bool {
	return slices.ContainsFunc(policy.Handles(), func(h policy.Handle) bool { return h.Tool == name })
}

// appOnly reports whether the tool says that only apps may call it.
func (e *toolsEditor) appOnly(tool jsonspan.Span) bool {
	visibility, ok := jsonspan.Lookup(e.doc, tool, "_meta", metaUI, metaVisibility)
	if !ok || !jsonspan.IsArray(e.doc, visibility) {
		return false
	}
	app, model := false, false
	for element := range jsonspan.Elements(e.doc, visibility) {
		app = app || stringAt(e.doc, element) == "app"
		model = model || stringAt(e.doc, element) == "model"
	}
	return app && !model
}

// tool edits one tool that stays.
func (e *toolsEditor) tool(tool jsonspan.Span) {
	name := stringMember(e.doc, tool, "name")
	known, ok := policy.For(name)
	switch {
	case !e.c.apps:
		e.unbind(tool)
		if ok {
			e.hideShowUI(tool)
		}
	case name == policy.GetAPIKey:
		if !e.appOnly(tool) {
			e.edits = append(e.edits, setMeta(e.doc, tool, []metaMember{{name: metaUI, inner: metaVisibility, value: appOnlyVisibility}})...)
		}
	case ok && known.Widget && service(e.doc, tool) != classicService:
		e.bind(tool)
		if known.Fetchable {
			e.fetchable(tool)
		}
	default:
		for _, uri := range boundURIs(e.doc, tool) {
			e.foreign[uri] = true
		}
	}
}

// service returns which of TomTom's map services the tool says it asks, "" when it does not say.
func service(doc []byte, tool jsonspan.Span) string {
	name, ok := jsonspan.Lookup(doc, tool, "_meta", "backend")
	if !ok {
		return ""
	}
	return stringAt(doc, name)
}

// bind makes all three spellings lead to the gateway's widget.
func (e *toolsEditor) bind(tool jsonspan.Span) {
	for _, uri := range boundURIs(e.doc, tool) {
		if uri != e.w.URI {
			e.report.originals[uri] = true
		}
	}
	e.report.tools++
	uri := jsonspan.AppendQuoted(nil, []byte(e.w.URI))
	e.edits = append(e.edits, setMeta(e.doc, tool, []metaMember{
		{name: metaUI, inner: metaResourceURI, value: uri},
		{name: metaFlatURI, value: uri},
		{name: metaOutputTemplate, value: uri},
	})...)
}

// fetchable remembers the tool's input schema.
func (e *toolsEditor) fetchable(tool jsonspan.Span) {
	schema := []byte(`{"type":"object"}`)
	if s, ok := jsonspan.Lookup(e.doc, tool, "inputSchema"); ok && jsonspan.IsObject(e.doc, s) {
		schema = s.Of(e.doc)
	}
	e.fetched = append(e.fetched, schema)
}

// unbind takes away what would bind the tool to a widget.
func (e *toolsEditor) unbind(tool jsonspan.Span) {
	for m := range jsonspan.Members(e.doc, tool) {
		if m.Named(e.doc, "_meta") {
			e.edits = jsonspan.Remove(e.edits, e.doc, m.Value, func(m jsonspan.Member) bool {
				return m.Named(e.doc, metaUI) || m.Named(e.doc, metaFlatURI) || m.Named(e.doc, metaOutputTemplate)
			})
		}
	}
}

// hideShowUI takes show_ui out of the tool's input schema.
func (e *toolsEditor) hideShowUI(tool jsonspan.Span) {
	if properties, ok := jsonspan.Lookup(e.doc, tool, "inputSchema", "properties"); ok {
		e.edits = jsonspan.Remove(e.edits, e.doc, properties, func(m jsonspan.Member) bool { return m.Named(e.doc, showUI) })
	}
	if required, ok := jsonspan.Lookup(e.doc, tool, "inputSchema", "required"); ok {
		named := func(s jsonspan.Span) bool { return stringAt(e.doc, s) == showUI }
		e.edits = append(e.edits, editElements(e.doc, required, named, nil)...)
	}
}

// added returns the gateway's own tools that belong on this page. A list in several pages shows the data tool beside
// the one that it runs, or not at all.
func (e *toolsEditor) added(last bool) [][]byte {
	var tools [][]byte
	switch {
	case len(e.fetched) > 0 && e.c.refs:
		tools = append(tools, appDataTool(withRef(e.fetched[0])))
	case len(e.fetched) > 0:
		tools = append(tools, appDataTool(e.fetched[0]))
	case e.c.refs && e.report.tools > 0 && last && !e.follows:
		tools = append(tools, appDataTool(withRef([]byte(`{"type":"object"}`))))
	}
	if last && (e.follows || e.report.tools > 0) {
		tools = append(tools, statusTool)
	}
	return tools
}

// boundURIs returns the widget URIs that a tool names, in all spellings and repetitions.
func boundURIs(doc []byte, tool jsonspan.Span) []string {
	var uris []string
	add := func(value jsonspan.Span) {
		if uri := stringAt(doc, value); uri != "" {
			uris = append(uris, uri)
		}
	}
	for meta := range jsonspan.Members(doc, tool) {
		if !meta.Named(doc, "_meta") {
			continue
		}
		for m := range jsonspan.Members(doc, meta.Value) {
			switch {
			case m.Named(doc, metaFlatURI), m.Named(doc, metaOutputTemplate):
				add(m.Value)
			case m.Named(doc, metaUI):
				for inner := range jsonspan.Members(doc, m.Value) {
					if inner.Named(doc, metaResourceURI) {
						add(inner.Value)
					}
				}
			}
		}
	}
	return uris
}

// unserved reads an edited list result at span result of doc again, as a host would, and returns the tools whose map
// would not draw: tools with a widget of the gateway's that any spelling binds to something else than served.
func unserved(doc []byte, result jsonspan.Span, served string) []string {
	var names []string
	tools, _ := jsonspan.Lookup(doc, result, "tools")
	for tool := range jsonspan.Elements(doc, tools) {
		name := stringMember(doc, tool, "name")
		known, ok := policy.For(name)
		if !ok || !known.Widget || service(doc, tool) == classicService {
			continue
		}
		uris := boundURIs(doc, tool)
		if len(uris) < 3 || slices.ContainsFunc(uris, func(uri string) bool { return uri != served }) {
			names = append(names, name)
		}
	}
	return names
}
