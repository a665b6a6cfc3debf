package proxy

import (
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// visibleASCII has all characters that a session id may be made of.
var visibleASCII = func() string {
	var all []byte
	for c := byte(0x21); c <= 0x7e; c++ {
		all = append(all, c)
	}
	return string(all)
}()

func TestSessionCarriesClaims(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		visible := rapid.StringOfN(rapid.RuneFrom([]rune(visibleASCII)), 0, maxUpstreamChars, maxUpstreamChars)
		text := rapid.StringN(0, -1, maxClaimBytes)
		capabilities := []byte(rapid.SampledFrom([]string{"{}", `{"elicitation":{}}`, `{"elicitation":{"url":{}},"roots":{}}`, "{" + everyAsk + "}"}).Draw(t, "capabilities"))
		claims := sessionClaims{
			apps:  rapid.SampledFrom([]claim{claimUnknown, claimWith, claimWithout}).Draw(t, "apps"),
			asks:  asksOf(capabilities, jsonspan.Span{End: len(capabilities)}),
			nonce: newNonce(),
			name:  text.Draw(t, "name"), version: text.Draw(t, "version"), protocol: text.Draw(t, "protocol"),
			upstream: visible.Draw(t, "upstream"),
		}
		id, ok := encodeSession(claims)
		if !ok || !isVisibleASCII(id) || len(id) > maxSessionChars {
			t.Fatalf("%t, %d characters: %q", ok, len(id), id)
		}
		if got, ok := decodeSession(id); !ok || got != claims {
			t.Fatalf("got %+v, want %+v", got, claims)
		}
		cut := rapid.IntRange(0, len(id)-1).Draw(t, "cut")
		if _, ok := decodeSession(id[:cut]); ok {
			t.Fatalf("cut to %d characters it is still ours", cut)
		}
	})
}

func TestEncodeSessionBounds(t *testing.T) {
	long := sessionClaims{
		apps: claimWith, asks: asks, nonce: newNonce(), name: strings.Repeat("n", 5000), version: strings.Repeat("v", 5000),
		protocol: strings.Repeat("p", 5000), upstream: strings.Repeat("u", maxUpstreamChars),
	}
	id, ok := encodeSession(long)
	if !ok || len(id) > maxSessionChars {
		t.Fatalf("%t, %d characters", ok, len(id))
	}
	if got, ok := decodeSession(id); !ok || got.name != strings.Repeat("n", maxClaimBytes) {
		t.Errorf("%t, %+v", ok, got)
	}
	for name, upstream := range map[string]string{"too long": strings.Repeat("u", maxUpstreamChars+1), "a space": "a b", "not ASCII": "ü"} {
		if _, ok := encodeSession(sessionClaims{apps: claimWith, upstream: upstream}); ok {
			t.Errorf("an upstream id that has %s was carried", name)
		}
	}
}

func FuzzDecodeSession(f *testing.F) {
	id, _ := encodeSession(sessionClaims{apps: claimWith, nonce: newNonce(), name: "n", upstream: "a.b"})
	f.Add(id)
	f.Add("tmg1.00000000.")
	f.Fuzz(func(t *testing.T, id string) {
		claims, ok := decodeSession(id)
		if !ok {
			return
		}
		if again, ok := encodeSession(claims); !ok || again != id {
			t.Errorf("%q decodes to %+v, which encodes to %q", id, claims, again)
		}
	})
}

func TestDecodeSessionRefusesForeignIDs(t *testing.T) {
	id, _ := encodeSession(sessionClaims{apps: claimWith, nonce: "n"})
	for _, foreign := range []string{
		"", "tmg1.", withAsks("rf"), withAsks("x"), withAsks("ff"), "7ba3c1de-0000-4000-8000-000000000000", id + "x", "tmg2" + id[4:], strings.ToUpper(id), strings.Repeat(id, 20),
	} {
		if _, ok := decodeSession(foreign); ok {
			t.Errorf("%q is taken for the gateway's own", foreign)
		}
	}
}

// withAsks is an id that says of its client what no id of the gateway's does.
func withAsks(letters string) string {
	id, _ := encodeSession(sessionClaims{apps: claimWith, asks: letters, nonce: "n"})
	return id
}

// TestCapabilitiesInASession: what a host has declared that it can be asked for is declared on its behalf from its session,
// with no more.
func TestCapabilitiesInASession(t *testing.T) {
	for declared, want := range map[string]string{
		`{}`:                               `{}`,
		`{"elicitation":{}}`:               `{"elicitation":{"form":{}}}`,
		`{"elicitation":{"form":{"a":1}}}`: `{"elicitation":{"form":{}}}`,
		`{"elicitation":{"url":{}}}`:       `{"elicitation":{"url":{}}}`,
		`{"elicitation":null,"sampling":7,"roots":[]}`:                              `{}`,
		`{"roots":{"listChanged":true},"sampling":{"tools":{},"x":{}}}`:             `{"sampling":{"tools":{}},"roots":{}}`,
		`{"sampling":{"context":{},"tools":{}},"elicitation":{"url":{},"form":{}}}`: `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}}}`,
		`{"elicitation":{"url":true}}`:                                              `{"elicitation":{"form":{}}}`,
	} {
		letters := asksOf([]byte(declared), jsonspan.Span{End: len(declared)})
		if got := string(object(capabilitiesOf(letters)...)); got != want {
			t.Errorf("%s: %q, %s, want %s", declared, letters, got, want)
		}
		if id, _ := encodeSession(sessionClaims{apps: claimWith, asks: letters}); !strings.HasPrefix(id, sessionPrefix) {
			t.Errorf("%s: no id", declared)
		} else if claims, ok := decodeSession(id); !ok || claims.asks != letters {
			t.Errorf("%s: %q became %q", declared, letters, claims.asks)
		}
	}
}

func TestSessionHeaders(t *testing.T) {
	claims := sessionClaims{apps: claimWithout, nonce: "n", name: "host"}
	alone, _ := encodeSession(claims)
	claims.upstream = "theirs"
	around, _ := encodeSession(claims)
	for name, test := range map[string]struct {
		host         string // the host's session id
		wantUpstream string // what the upstream gets
		answered     string // what the upstream answers with
		wantHost     string // what the host gets; "*" an id of ours around answered
		alone        bool
	}{
		"none":                         {},
		"the upstream's own":           {host: "theirs", wantUpstream: "theirs", answered: "theirs", wantHost: "theirs"},
		"ours alone":                   {host: alone, alone: true},
		"ours around the upstream's":   {host: around, wantUpstream: "theirs", answered: "theirs", wantHost: around},
		"the upstream is silent":       {host: around, wantUpstream: "theirs"},
		"the upstream changes its id":  {host: around, wantUpstream: "theirs", answered: "other", wantHost: "*"},
		"the upstream opens one later": {host: alone, answered: "other", wantHost: "*", alone: true},
		"an id that cannot be carried": {host: alone, answered: strings.Repeat("x", 900), wantHost: strings.Repeat("x", 900), alone: true},
		"a cut id passes as it is":     {host: alone[:20], wantUpstream: alone[:20]},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			if test.host != "" {
				h.Set(headerSession, test.host)
			}
			s := sessionOf(h)
			s.toUpstream(h)
			if got := h.Get(headerSession); got != test.wantUpstream {
				t.Errorf("upstream gets %q, want %q", got, test.wantUpstream)
			}
			answer := http.Header{}
			if test.answered != "" {
				answer.Set(headerSession, test.answered)
			}
			s.toHost(answer)
			got := answer.Get(headerSession)
			if test.wantHost == "*" {
				carried, ok := decodeSession(got)
				if !ok || carried.upstream != test.answered || carried.name != "host" || carried.apps != claimWithout {
					t.Errorf("host gets %q, %+v", got, carried)
				}
			} else if got != test.wantHost {
				t.Errorf("host gets %q, want %q", got, test.wantHost)
			}
			if s.isDescription() != test.alone {
				t.Errorf("a description alone: %t", s.isDescription())
			}
		})
	}
}

func TestOpensSession(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want bool
		apps claim
	}{
		"declares nothing of the kind": {`{"id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"a"}}}`, true, claimWithout},
		"declares MCP Apps":            {`{"id":1,"method":"initialize","params":{"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}}}`, true, claimWith},
		"says nothing":                 {`{"id":1,"method":"initialize","params":{}}`, false, claimUnknown},
		"a notification":               {`{"method":"initialize","params":{"capabilities":{}}}`, false, claimUnknown},
		"another method":               {`{"id":1,"method":"tools/list","params":{"capabilities":{}}}`, false, claimUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			claims, ok := opensSession(scanned(t, []byte(test.body)))
			if ok != test.want || ok && claims.apps != test.apps {
				t.Fatalf("%t, %+v", ok, claims)
			}
		})
	}
	t.Run("the answer's id carries both", func(t *testing.T) {
		h := http.Header{}
		h.Set(headerSession, "theirs")
		mint(h, sessionClaims{apps: claimWith, name: "a"})
		got, ok := decodeSession(h.Get(headerSession))
		if !ok || got.upstream != "theirs" || got.apps != claimWith || got.name != "a" {
			t.Errorf("%t, %+v", ok, got)
		}
		other := http.Header{}
		mint(other, sessionClaims{apps: claimWith, name: "a"})
		if other.Get(headerSession) == "" || other.Get(headerSession) == h.Get(headerSession) {
			t.Error("want an id, and each unlike the others")
		}
	})
}
