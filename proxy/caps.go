package proxy

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// uiExtension is the name of the MCP Apps extension, uiMIMEType the one kind of document that it draws
// (ext-apps specification, 2026-01-26).
const (
	uiExtension = "io.modelcontextprotocol/ui"
	uiMIMEType  = "text/html;profile=mcp-app"
)

// The members of params._meta by which every request of the 2026-07-28 revision describes its client.
const (
	metaProtocolVersion = "io.modelcontextprotocol/protocolVersion"
	metaClientInfo      = "io.modelcontextprotocol/clientInfo"
	metaCapabilities    = "io.modelcontextprotocol/clientCapabilities"
)

// client is what the gateway knows of the sender of a request.
type client struct {
	apps    bool      // gets widgets and app data
	because appsCause // what decided that
	refs    bool      // may ask for recent app data by reference

	name, version, protocol string // as the client calls itself; "" unknown
}

// appsCause is why a client gets widgets or not. It is a value of log lines.
type appsCause string

const (
	causeSetting  appsCause = "setting"  // Options.Apps
	causeQuery    appsCause = "query"    // ?apps= on the URL
	causeDeclared appsCause = "declared" // the client's capabilities, in the request or its session
	causeName     appsCause = "name"     // the client's name
	causeUnknown  appsCause = "unknown"  // nothing is known, which counts as with
)

// overridden reports whether an operator or a user, and not the client, took widgets away.
func (c client) overridden() bool {
	return !c.apps && (c.because == causeSetting || c.because == causeQuery)
}

// clientOf tells who sent m and whether they draw widgets. In this order it asks:
//
//  1. the operator: AppsAlways and AppsNever are final;
//  2. the user: ?apps=true or ?apps=false on the URL;
//  3. the client's capabilities, from the request itself (every request of the 2026-07-28 revision, or initialize)
//     or from the session id that an initialize was answered with. Whoever declares capabilities without the MCP
//     Apps extension is known to draw nothing: the extension's specification makes it opt-in, and servers in the
//     wild withhold widgets on the same ground. Some hosts draw without declaring it, and these are known by name
//     (rendersUndeclared), or by OpenAI's own experimental capability, which ChatGPT declared before the extension;
//  4. the client's name, where it declared nothing at all (textOnly).
//
// What is then still unknown, such as a request without a session, counts as with: a client that draws nothing
// loses little by metadata that it ignores, a host that draws would show no map.
func (g *Gateway) clientOf(r *http.Request, m message) client {
	return identify(g.options.Apps, r.URL.RawQuery, r.Header, m)
}

func identify(mode AppsMode, rawQuery string, h http.Header, m message) client {
	claims := claimsOf(h, m)
	c := client{name: claims.name, version: claims.version, protocol: claims.protocol}
	queried, hasQuery := queriedApps(rawQuery)
	switch {
	case mode == AppsAlways || mode == AppsNever:
		c.apps, c.because = mode == AppsAlways, causeSetting
	case hasQuery:
		c.apps, c.because = queried, causeQuery
	case claims.apps == claimWith:
		c.apps, c.because = true, causeDeclared
	case slices.Contains(rendersUndeclared, claims.name):
		c.apps, c.because = true, causeName
	case claims.apps == claimWithout:
		c.apps, c.because = false, causeDeclared
	case slices.Contains(textOnly, claims.name):
		c.apps, c.because = false, causeName
	default:
		c.apps, c.because = true, causeUnknown
	}
	return c
}

// claimsOf collects what a request says of its client: the message first, the session where the message is silent.
func claimsOf(h http.Header, m message) sessionClaims {
	var claims sessionClaims
	if m.method == methodInitialize {
		claims = initializeClaims(m)
	} else {
		claims = metaClaims(m)
	}
	if s := sessionOf(h); s.ours && claims.apps == claimUnknown {
		claims.apps, claims.asks = s.claims.apps, s.claims.asks
		claims.name = firstNonEmpty(claims.name, s.claims.name)
		claims.version = firstNonEmpty(claims.version, s.claims.version)
		claims.protocol = firstNonEmpty(claims.protocol, s.claims.protocol)
	}
	claims.protocol = firstNonEmpty(claims.protocol, h.Get("Mcp-Protocol-Version"))
	return claims
}

// initializeClaims reads the params of an initialize.
func initializeClaims(m message) sessionClaims {
	claims := sessionClaims{apps: claimUnknown, protocol: stringMember(m.body, m.params, "protocolVersion")}
	if capabilities, ok := jsonspan.Lookup(m.body, m.params, "capabilities"); ok {
		claims.apps, claims.asks = declared(m.body, capabilities), asksOf(m.body, capabilities)
	}
	if info, ok := jsonspan.Lookup(m.body, m.params, "clientInfo"); ok {
		claims.name, claims.version = implementation(m.body, info)
	}
	return claims
}

// metaClaims reads what a request of the 2026-07-28 revision carries in params._meta.
func metaClaims(m message) sessionClaims {
	claims := sessionClaims{apps: claimUnknown}
	if version, ok := m.meta(metaProtocolVersion); ok {
		claims.protocol = stringAt(m.body, version)
	}
	if capabilities, ok := m.meta(metaCapabilities); ok {
		claims.apps = declared(m.body, capabilities)
	}
	if info, ok := m.meta(metaClientInfo); ok {
		claims.name, claims.version = implementation(m.body, info)
	}
	return claims
}

func implementation(doc []byte, info jsonspan.Span) (name, version string) {
	return stringMember(doc, info, "name"), stringMember(doc, info, "version")
}

// declared reads a client's capabilities. Hosts of before the extension was final declared it under experimental
// (modelcontextprotocol/ext-apps#231).
func declared(doc []byte, capabilities jsonspan.Span) claim {
	if !jsonspan.IsObject(doc, capabilities) {
		return claimUnknown
	}
	for _, holder := range []string{"extensions", "experimental"} {
		if settings, ok := jsonspan.Lookup(doc, capabilities, holder, uiExtension); ok {
			return rendersHTML(doc, settings)
		}
	}
	if _, ok := jsonspan.Lookup(doc, capabilities, "experimental", "openai/visibility"); ok {
		return claimWith
	}
	return claimWithout
}

// rendersHTML reads the extension's settings. A list of MIME types counts; without one every widget is welcome.
func rendersHTML(doc []byte, settings jsonspan.Span) claim {
	switch string(settings.Of(doc)) {
	case "null", "false":
		return claimWithout
	}
	types, ok := jsonspan.Lookup(doc, settings, "mimeTypes")
	if !ok || !jsonspan.IsArray(doc, types) {
		return claimWith
	}
	for element := range jsonspan.Elements(doc, types) {
		mime := strings.ReplaceAll(strings.ToLower(stringAt(doc, element)), " ", "")
		if mime == uiMIMEType {
			return claimWith
		}
	}
	return claimWithout
}

// rendersUndeclared are hosts, by clientInfo.name, that draw widgets and were seen to declare capabilities without
// the extension: ChatGPT in its first versions, and Visual Studio Code (microsoft/vscode#291432).
var rendersUndeclared = []string{"openai-mcp", "ChatGPT", "Visual Studio Code"}

// textOnly are clients, by clientInfo.name, that run in a terminal and draw no widgets. The names are those of the
// list that apify/mcp-client-capabilities keeps (src/mcp_client_capabilities/mcp-clients.json). One that declares
// the extension nevertheless is believed.
var textOnly = []string{
	"claude-code", "codex-mcp-client", "continue-cli-client", "crush", "factory-cli", "gemini-cli-mcp-client",
	"github-copilot-developer", "opencode", "Q-DEV-CLI",
}

const queryApps = "apps"

// queriedApps reads ?apps= of the MCP URL. ok is false when it is missing or neither true nor false.
func queriedApps(rawQuery string) (apps, ok bool) {
	if !strings.Contains(rawQuery, queryApps) {
		return false, false
	}
	values, _ := url.ParseQuery(rawQuery) // what could be read counts
	apps, err := strconv.ParseBool(values.Get(queryApps))
	return apps, err == nil
}

// upstreamQuery returns a host's query without ?apps=, which is for the gateway. Every other byte stays.
func upstreamQuery(rawQuery string) string {
	if !strings.Contains(rawQuery, queryApps) {
		return rawQuery
	}
	pairs := strings.Split(rawQuery, "&")
	kept := slices.DeleteFunc(pairs, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return name == queryApps
	})
	return strings.Join(kept, "&")
}

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
