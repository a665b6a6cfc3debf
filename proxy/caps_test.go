package proxy

import (
	"net/http"
	"testing"
)

const (
	declares    = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`
	declaresNot = `{"roots":{}}`
)

func initializeOf(name, capabilities string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities +
		`,"clientInfo":{"name":"` + name + `","version":"3"}}}`
}

func modernOf(name, capabilities string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":` + capabilities + `,"io.modelcontextprotocol/clientInfo":{"name":"` + name + `","version":"3"}}}}`
}

const bareList = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestIdentify(t *testing.T) {
	session := func(apps claim, name string) string {
		id, _ := encodeSession(sessionClaims{apps: apps, nonce: "n", name: name, protocol: "2025-06-18"})
		return id
	}
	for name, test := range map[string]struct {
		mode           AppsMode
		query, session string
		body           string
		apps           bool
		because        appsCause
	}{
		"nothing is known":                      {body: bareList, apps: true, because: causeUnknown},
		"always":                                {mode: AppsAlways, query: "apps=false", body: modernOf("x", declaresNot), apps: true, because: causeSetting},
		"never":                                 {mode: AppsNever, query: "apps=true", body: modernOf("x", declares), because: causeSetting},
		"the URL says no":                       {query: "a=1&apps=false", body: modernOf("x", declares), because: causeQuery},
		"the URL says yes":                      {query: "apps=1", body: modernOf("x", declaresNot), apps: true, because: causeQuery},
		"the URL makes no sense":                {query: "apps=perhaps", body: bareList, apps: true, because: causeUnknown},
		"modern, declared":                      {body: modernOf("x", declares), apps: true, because: causeDeclared},
		"modern, not declared":                  {body: modernOf("x", declaresNot), because: causeDeclared},
		"modern, against its session":           {session: session(claimWith, "x"), body: modernOf("x", declaresNot), because: causeDeclared},
		"initialize, declared":                  {body: initializeOf("x", declares), apps: true, because: causeDeclared},
		"initialize, not declared":              {body: initializeOf("x", "{}"), because: causeDeclared},
		"initialize, capabilities of no kind":   {body: initializeOf("x", "null"), apps: true, because: causeUnknown},
		"session with":                          {session: session(claimWith, "x"), body: bareList, apps: true, because: causeDeclared},
		"session without":                       {session: session(claimWithout, "x"), body: bareList, because: causeDeclared},
		"a foreign session":                     {session: "7ba3c1de", body: bareList, apps: true, because: causeUnknown},
		"a cut session":                         {session: session(claimWithout, "x")[:30], body: bareList, apps: true, because: causeUnknown},
		"draws without declaring":               {body: initializeOf("Visual Studio Code", declaresNot), apps: true, because: causeName},
		"draws without declaring, in a session": {session: session(claimWithout, "openai-mcp"), body: bareList, apps: true, because: causeName},
		"a terminal that declares nothing":      {body: initializeOf("claude-code", "null"), because: causeName},
		"a terminal that declares":              {body: initializeOf("claude-code", declares), apps: true, because: causeDeclared},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			if test.session != "" {
				h.Set(headerSession, test.session)
			}
			mode := test.mode
			if mode == "" {
				mode = AppsAuto
			}
			c := identify(mode, test.query, h, scanned(t, []byte(test.body)))
			if c.apps != test.apps || c.because != test.because {
				t.Errorf("apps %t because %s, want %t because %s", c.apps, c.because, test.apps, test.because)
			}
		})
	}
}

func TestIdentifyNamesTheClient(t *testing.T) {
	session, _ := encodeSession(sessionClaims{apps: claimWith, nonce: "n", name: "host", version: "2", protocol: "2025-06-18"})
	for name, test := range map[string]struct {
		header http.Header
		body   string
		want   client
	}{
		"modern":     {body: modernOf("m", declares), want: client{name: "m", version: "3", protocol: "2026-07-28"}},
		"initialize": {body: initializeOf("i", declares), want: client{name: "i", version: "3", protocol: "2025-11-25"}},
		"session":    {header: http.Header{"Mcp-Session-Id": {session}}, body: bareList, want: client{name: "host", version: "2", protocol: "2025-06-18"}},
		"header":     {header: http.Header{"Mcp-Protocol-Version": {"2025-11-25"}}, body: bareList, want: client{protocol: "2025-11-25"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := identify(AppsAuto, "", test.header, scanned(t, []byte(test.body)))
			if got.name != test.want.name || got.version != test.want.version || got.protocol != test.want.protocol {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestDeclared(t *testing.T) {
	for capabilities, want := range map[string]claim{
		`{}`:     claimWithout,
		`null`:   claimUnknown,
		`[]`:     claimUnknown,
		declares: claimWith,
		`{"extensions":{"io.modelcontextprotocol\/ui":{}}}`:                                                      claimWith,
		`{"extensions":{"io.modelcontextprotocol/ui":null}}`:                                                     claimWithout,
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["image/png"]}}}`:                              claimWithout,
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["image/png","Text/HTML; profile=mcp-app"]}}}`: claimWith,
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":"text/html"}}}`:                                claimWith,
		`{"extensions":{"x":{}}}`:                                 claimWithout,
		`{"experimental":{"io.modelcontextprotocol/ui":{}}}`:      claimWith,
		`{"experimental":{"openai/visibility":{"enabled":true}}}`: claimWith,
	} {
		m := scanned(t, []byte(initializeOf("x", capabilities)))
		if got := initializeClaims(m).apps; got != want {
			t.Errorf("%s: %c, want %c", capabilities, got, want)
		}
	}
}

func TestUpstreamQuery(t *testing.T) {
	for query, want := range map[string]string{
		"": "", "a=1": "a=1", "apps=true": "", "a=1&apps=false&b=%20": "a=1&b=%20", "apps": "", "snapps=1&x=apps": "snapps=1&x=apps",
		"apps=1&apps=0": "",
	} {
		if got := upstreamQuery(query); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}
