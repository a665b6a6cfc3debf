package proxy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// gatewayURIs is what all widget URIs of a gateway begin with, whatever the hash at their end: an older or newer
// version's, another configuration's.
const gatewayURIs = "ui://tomtom-mcp-gateway/"

// upstreamWidgets are the widget URIs of TomTom Maps MCP server v1.6.5. Hosts that have a list from before the
// gateway, or a conversation from then, ask for them. Those of other versions are learned from its tools/list.
var upstreamWidgets = []string{
	"ui://tomtom-data-viz/byod/app.html",
	"ui://tomtom-map/dynamic-map/app.html",
	"ui://tomtom-routing/ev-routing/app.html",
	"ui://tomtom-routing/reachable-range/app.html",
	"ui://tomtom-routing/route-planner/app.html",
	"ui://tomtom-search/area-search/app.html",
	"ui://tomtom-search/ev-search/app.html",
	"ui://tomtom-search/fuzzy-search/app.html",
	"ui://tomtom-search/geocode/app.html",
	"ui://tomtom-search/nearby-search/app.html",
	"ui://tomtom-search/poi-categories/app.html",
	"ui://tomtom-search/poi-search/app.html",
	"ui://tomtom-search/reverse-geocode/app.html",
	"ui://tomtom-search/search-along-route/app.html",
	"ui://tomtom-traffic/incidents/app.html",
}

// maxLearned bounds how many further widget URIs of the upstream's are remembered.
const maxLearned = 256

// widgets serves the one widget document under every URI that a host may know it by. It is safe for concurrent use.
type widgets struct {
	uri      string
	listing  []byte // the element of resources/list
	contents []byte // the element of resources/read's contents, from after its uri

	mu      sync.RWMutex
	aliases map[string]bool // widget URIs of the upstream's
}

// newWidgets prepares the answers for w. The error names what a host could not draw.
func newWidgets(w Resource) (*widgets, error) {
	switch {
	case !strings.HasPrefix(w.URI, gatewayURIs):
		return nil, fmt.Errorf("widget URI %q: want %s…, or no tool that is bound to it is served", w.URI, gatewayURIs)
	case w.MIMEType != uiMIMEType:
		return nil, fmt.Errorf("widget MIME type %q: want %s", w.MIMEType, uiMIMEType)
	case len(w.HTML) == 0:
		return nil, errors.New("the widget document is empty")
	}
	meta := object(
		newMember{"ui", object(newMember{"csp", object(
			newMember{"connectDomains", quotedArray(w.ConnectDomains)},
			newMember{"resourceDomains", quotedArray(w.ResourceDomains)})})},
		newMember{metaWidgetCSP, object(
			newMember{"connect_domains", quotedArray(w.ConnectDomains)},
			newMember{"resource_domains", quotedArray(w.ResourceDomains)})})
	mime := newMember{"mimeType", quoted(w.MIMEType)}
	if w.Name == "" {
		w.Name = "tomtom-map"
	}
	listing := []newMember{{"uri", quoted(w.URI)}, {"name", quoted(w.Name)}}
	if w.Description != "" {
		listing = append(listing, newMember{"description", quoted(w.Description)})
	}
	s := &widgets{uri: w.URI, aliases: make(map[string]bool, len(upstreamWidgets))}
	s.listing = object(append(listing, mime, newMember{"_meta", meta})...)
	s.contents = appendMembers(nil, []newMember{mime, {"text", jsonspan.AppendQuoted(nil, w.HTML)}, {"_meta", meta}})
	for _, uri := range upstreamWidgets {
		s.aliases[uri] = true
	}
	return s, nil
}

// metaWidgetCSP is where ChatGPT reads a document's CSP. It was seen to ignore ui.csp (PostHog/posthog#69612,
// samson-art/transcriptor-mcp#35), and would then draw no tiles.
const metaWidgetCSP = "openai/widgetCSP"

// serves reports whether read answers uri.
func (s *widgets) serves(uri string) bool {
	return strings.HasPrefix(uri, gatewayURIs) || s.replaces(uri)
}

// replaces reports whether uri is a widget of the upstream's in whose place the gateway's stands.
func (s *widgets) replaces(uri string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.aliases[uri]
}

// learn remembers widget URIs that the upstream bound tools to which are bound to the gateway's widget now.
func (s *widgets) learn(uris map[string]bool) {
	for uri := range uris {
		if s.serves(uri) || !strings.HasPrefix(uri, "ui://") {
			continue
		}
		s.mu.Lock()
		if len(s.aliases) < len(upstreamWidgets)+maxLearned {
			s.aliases[uri] = true
		}
		s.mu.Unlock()
	}
}

// read returns the result of resources/read for uri: the current widget, as one content item under the URI that was
// asked for. ok is false when the URI is the upstream's to answer. The bytes are the caller's.
func (s *widgets) read(uri string) (result []byte, ok bool) {
	if !s.serves(uri) {
		return nil, false
	}
	const open, end = `{"contents":[{"uri":`, `}]}`
	result = make([]byte, 0, len(open)+len(uri)+len(s.contents)+len(end)+8)
	result = append(result, open...)
	result = jsonspan.AppendQuoted(result, []byte(uri))
	result = append(result, ',')
	result = append(result, s.contents...)
	return append(result, end...), true
}

// editResourcesList returns the edits that turn the upstream's resources/list result at span result of doc into the
// one for c, ordered. The gateway's widget joins the last page. The widgets of the upstream's in whose place it
// stands go: no tool is bound to them, and beside it they would be fifteen more names of one document. A client
// without MCP Apps sees neither. Every other resource keeps its bytes.
func (s *widgets) editResourcesList(doc []byte, result jsonspan.Span, c client) []jsonspan.Edit {
	resources, ok := jsonspan.Lookup(doc, result, "resources")
	if !ok || !jsonspan.IsArray(doc, resources) {
		return nil
	}
	drop := func(resource jsonspan.Span) bool { return s.serves(stringMember(doc, resource, "uri")) }
	var added [][]byte
	if c.apps && lastPage(doc, result) {
		added = [][]byte{s.listing}
	}
	edits := editElements(doc, resources, drop, added)
	jsonspan.Sort(edits)
	return edits
}

// replaceUnknown returns the edit that turns an upstream's answer to resources/list, that it knows no such method, into
// the list for c: the gateway has declared resources on behalf of an upstream without any. It leaves every other error.
// d dresses the list; nil: it goes as it is.
func (s *widgets) replaceUnknown(answer message, c client, d *dress) []jsonspan.Edit {
	failure, ok := jsonspan.Find(answer.body, answer.span, "error")
	if !ok {
		return nil
	}
	code, _ := jsonspan.Lookup(answer.body, failure.Value, "code")
	if string(code.Of(answer.body)) != strconv.Itoa(codeUnknownMethod) {
		return nil
	}
	list := []byte(`{"resources":[`)
	if c.apps {
		list = append(list, s.listing...)
	}
	list = append(list, "]}"...)
	if d != nil {
		list = d.dressOwn(list)
	}
	return []jsonspan.Edit{{Span: failure.Whole(), With: append([]byte(`"result":`), list...)}}
}

func quoted(text string) []byte { return jsonspan.AppendQuoted(nil, []byte(text)) }

// quotedArray returns an array of the texts, [] for none.
func quotedArray(texts []string) []byte {
	array := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			array = append(array, ',')
		}
		array = jsonspan.AppendQuoted(array, []byte(text))
	}
	return append(array, ']')
}
