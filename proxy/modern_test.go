package proxy

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestModernRequestsAreChecked: each wrong request gets the error that the specification has for it, nothing reaches the
// upstream, and the next request works.
func TestModernRequestsAreChecked(t *testing.T) {
	call := modernCallOf("1", "tomtom-traffic", "{}")
	without := func(member string) string {
		return strings.NewReplacer(member, "x/y").Replace(call)
	}
	for name, tt := range map[string]struct {
		body   string
		header []string // name, value; "" takes it away
		status int
		code   int
		data   string
	}{
		"no revision in the header":         {body: call, header: []string{headerVersion, ""}, code: codeHeaderMismatch},
		"another revision in the header":    {body: call, header: []string{headerVersion, "2025-11-25"}, code: codeHeaderMismatch},
		"a later revision in the header":    {body: call, header: []string{headerVersion, "2027-01-01"}, code: codeHeaderMismatch},
		"no revision in the body":           {body: without(metaProtocolVersion), header: []string{headerVersion, modernVersion, headerMethod, "tools/call", headerName, "tomtom-traffic"}, code: codeInvalidParams},
		"no _meta":                          {body: callOf("1", "tomtom-traffic", "{}"), header: []string{headerVersion, modernVersion, headerMethod, "tools/call", headerName, "tomtom-traffic"}, code: codeInvalidParams},
		"a revision that is no string":      {body: strings.Replace(call, `"2026-07-28"`, `20260728`, 1), header: []string{headerVersion, modernVersion}, code: codeInvalidParams},
		"no method in the header":           {body: call, header: []string{headerMethod, ""}, code: codeHeaderMismatch},
		"another method":                    {body: call, header: []string{headerMethod, "tools/list"}, code: codeHeaderMismatch},
		"the method in another case":        {body: call, header: []string{headerMethod, "Tools/Call"}, code: codeHeaderMismatch},
		"no name in the header":             {body: call, header: []string{headerName, ""}, code: codeHeaderMismatch},
		"another name":                      {body: call, header: []string{headerName, "tomtom-routing"}, code: codeHeaderMismatch},
		"a name that is not Base64":         {body: call, header: []string{headerName, "=?base64?%%?="}, code: codeHeaderMismatch},
		"no name in the body":               {body: strings.Replace(call, `"name":"tomtom-traffic",`, "", 1), header: []string{headerName, "tomtom-traffic"}, code: codeHeaderMismatch},
		"no capabilities":                   {body: without(metaCapabilities), code: codeInvalidParams},
		"capabilities that are no object":   {body: strings.Replace(call, `{"extensions":{"io.modelcontextprotocol/ui":{}}}`, `[]`, 1), code: codeInvalidParams},
		"a client that is no object":        {body: strings.Replace(call, `{"name":"x", "version":"1"}`, `"x"`, 1), code: codeInvalidParams},
		"an earlier revision in the body":   {body: strings.Replace(call, modernVersion, "2025-11-25", 1), code: codeUnsupportedVersion, data: `{"supported":["2026-07-28","2025-11-25"],"requested":"2025-11-25"}`},
		"a revision that does not exist":    {body: strings.Replace(call, modernVersion, "1900-01-01", 1), code: codeUnsupportedVersion, data: `{"supported":["2026-07-28","2025-11-25"],"requested":"1900-01-01"}`},
		"… for what is answered here":       {body: strings.Replace(modernCallOf("1", "tomtom-report-app-status", "{}"), modernVersion, "1900-01-01", 1), code: codeUnsupportedVersion, data: `{"supported":["2026-07-28","2025-11-25"],"requested":"1900-01-01"}`},
		"a batch":                           {body: "[" + call + "]", header: []string{headerVersion, modernVersion}, code: codeInvalidRequest},
		"an empty batch":                    {body: "[]", header: []string{headerVersion, modernVersion}, code: codeInvalidRequest},
		"a response":                        {body: `{"jsonrpc":"2.0","id":1,"result":{}}`, header: []string{headerVersion, modernVersion}, code: codeInvalidRequest},
		"a number":                          {body: `7`, header: []string{headerVersion, modernVersion}, code: codeInvalidRequest},
		"an id that is null":                {body: strings.Replace(call, `"id":1`, `"id":null`, 1), code: codeInvalidRequest},
		"an id that is an object":           {body: strings.Replace(call, `"id":1`, `"id":{}`, 1), code: codeInvalidRequest},
		"ping":                              {body: modernRequestOf("1", "ping", ""), status: 404, code: codeUnknownMethod},
		"initialize of a described client":  {body: modernRequestOf("1", "initialize", ""), status: 404, code: codeUnknownMethod},
		"logging/setLevel":                  {body: modernRequestOf("1", "logging/setLevel", ""), status: 404, code: codeUnknownMethod},
		"resources/subscribe":               {body: modernRequestOf("1", "resources/subscribe", ""), status: 404, code: codeUnknownMethod},
		"subscription without a filter":     {body: modernRequestOf("1", "subscriptions/listen", ""), code: codeInvalidParams},
		"a name in two headers that differ": {body: call, header: []string{headerMethod, "tools/call, tools/call"}, code: codeHeaderMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) })
			g := newGateway(t, up.URL)
			got := g.postModern(t, tt.body, tt.header...)
			if want := max(tt.status, 400); got.status != want {
				t.Errorf("status %d, want %d", got.status, want)
			}
			want := `"error":{"code":` + strconv.Itoa(tt.code) + `,`
			if !strings.Contains(string(got.body), want) || tt.data != "" && !strings.HasSuffix(string(got.body), `"data":`+tt.data+`}}`) {
				t.Errorf("%s, want %s", got.body, want)
			}
			if strings.HasPrefix(tt.body, `{"jsonrpc":"2.0","id":1,"method"`) && !strings.Contains(string(got.body), `"id":1,`) {
				t.Errorf("no id in %s", got.body)
			}
			if n := len(up.requests()); n != 0 {
				t.Errorf("%d requests reached the upstream", n)
			}
			if next := g.postModern(t, call); next.status != 200 {
				t.Errorf("the next request got %d %s", next.status, next.body)
			}
		})
	}
}

// TestNamesInHeaders: a name that cannot stand in a header is encoded, and counts as itself.
func TestNamesInHeaders(t *testing.T) {
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) { answerEvent(w, in, `{"content":[]}`) })
	g := newGateway(t, up.URL)
	for _, name := range []string{"Grüße", " padded ", "=?base64?x?=", "plain"} {
		if got := g.postModern(t, modernCallOf("1", name, "{}")); got.status != 200 {
			t.Errorf("%q: %d %s", name, got.status, got.body)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		header := encodeHeaderValue(text)
		if back, ok := decodeHeaderValue(header); !ok || back != text || !isFieldValue(header) || strings.TrimSpace(header) != header {
			t.Errorf("%q went as %q", text, header)
		}
	})
}

// TestWhichEraAHostSpeaks: the request decides, for itself.
func TestWhichEraAHostSpeaks(t *testing.T) {
	for name, tt := range map[string]struct {
		version, body string
		want          era
	}{
		"described":                      {modernVersion, modernCallOf("1", "x", "{}"), eraModern},
		"described, without a header":    {"", modernCallOf("1", "x", "{}"), eraModern},
		"modern header":                  {modernVersion, callOf("1", "x", "{}"), eraModern},
		"later header":                   {"2030-01-01", callOf("1", "x", "{}"), eraModern},
		"legacy header":                  {"2025-11-25", callOf("1", "x", "{}"), eraLegacy},
		"nothing":                        {"", callOf("1", "x", "{}"), eraLegacy},
		"initialize":                     {"", initializeOf("x", "{}"), eraLegacy},
		"initialize with a wrong header": {modernVersion, initializeOf("x", "{}"), eraLegacy},
		"batch":                          {"", "[" + callOf("1", "x", "{}") + "," + modernCallOf("1", "x", "{}") + "]", eraModern},
		"empty batch":                    {"", "[]", eraLegacy},
	} {
		messages, _, err := scanMessages([]byte(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		if got := hostEra(http.Header{headerVersion: {tt.version}}, messages); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestModernGetAndDelete: the modern era has POST alone, so that no upstream sees them.
func TestModernGetAndDelete(t *testing.T) {
	up := newUpstreamServer(t, nil)
	g := newGateway(t, up.URL)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		got := g.do(t, method, "/mcp", mcpHeader(headerVersion, modernVersion), nil)
		if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != http.MethodPost {
			t.Errorf("%s: %d %v", method, got.status, got.header)
		}
	}
}

// TestModernNotification: there is none over HTTP that a legacy upstream could do anything with.
func TestModernNotification(t *testing.T) {
	up := newUpstreamServer(t, nil)
	g := newGateway(t, up.URL)
	got := g.postModern(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, headerVersion, modernVersion)
	if got.status != http.StatusAccepted || len(got.body) != 0 {
		t.Errorf("%d %s", got.status, got.body)
	}
}
