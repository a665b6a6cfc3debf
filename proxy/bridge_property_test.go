package proxy

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// rawObject draws a JSON object of members from names, each at most once, with white space and odd spellings.
func rawObject(t *rapid.T, label string, names []string, value *rapid.Generator[string]) string {
	space := rapid.SampledFrom([]string{"", " ", "\n\t"})
	var members []string
	for _, name := range rapid.Permutation(names).Draw(t, label) {
		if rapid.Bool().Draw(t, name) {
			members = append(members, space.Draw(t, "space")+`"`+name+`"`+space.Draw(t, "space")+`:`+value.Draw(t, "value")+space.Draw(t, "space"))
		}
	}
	return "{" + strings.Join(members, ",") + space.Draw(t, "space") + "}"
}

var rawValue = rapid.SampledFrom([]string{`1.50`, `12345678901234567890`, `"\u0061é"`, `[ ]`, `{"x":1e2}`, `null`, `true`, `""`})

// rawMembers reads an object with the bytes of each value.
func rawMembers(t *rapid.T, doc string) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(doc), &all); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return all
}

// sameMembers fails unless got has the members of want, byte for byte, and besides only those of added.
func sameMembers(t *rapid.T, got, want map[string]json.RawMessage, added ...string) {
	for name, value := range want {
		if string(got[name]) != string(value) {
			t.Errorf("%s is %s, was %s", name, got[name], value)
		}
	}
	rest := maps.Clone(got)
	for name := range want {
		delete(rest, name)
	}
	for _, name := range added {
		delete(rest, name)
	}
	if len(rest) > 0 {
		t.Errorf("more was added: %s", rest)
	}
}

// TestDressKeepsBytes: a dressed result has every member that it had, byte for byte, and those of the modern era.
func TestDressKeepsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rawValue, rapid.Just(`{"a":1.0}`))
		result := rawObject(t, "result", []string{"content", "n", memberResultType, memberTTL, "_meta", memberCacheScope, "z"}, value)
		method := rapid.SampledFrom([]string{methodCallTool, methodListTools}).Draw(t, "method")
		dressed := string(dressOf(method, []byte(`{"name":"s"}`)).dressOwn([]byte(result)))
		before, after := rawMembers(t, result), rawMembers(t, dressed)
		meta, hadMeta := before["_meta"]
		delete(before, "_meta")
		sameMembers(t, after, before, "_meta", memberResultType, memberTTL, memberCacheScope)
		for _, name := range []string{memberResultType, memberTTL, memberCacheScope} {
			if _, has := after[name]; !has && (name == memberResultType || method == methodListTools) {
				t.Errorf("%s is missing in %s", name, dressed)
			}
		}
		inner := rawMembers(t, string(after["_meta"]))
		if string(inner[metaServerInfo]) != `{"name":"s"}` {
			t.Errorf("_meta %s", after["_meta"])
		}
		if hadMeta && meta[0] == '{' {
			sameMembers(t, inner, rawMembers(t, string(meta)), metaServerInfo)
		}
	})
}

// TestBridgedRequestsKeepBytes: what a request loses on its way to a legacy upstream, or gains on its way to a modern one, is
// what describes its client; all else stays.
func TestBridgedRequestsKeepBytes(t *testing.T) {
	reserved := []string{metaProtocolVersion, metaClientInfo, metaCapabilities, metaLogLevel}
	rapid.Check(t, func(t *rapid.T) {
		meta := rawObject(t, "meta", append([]string{"progressToken", "a/b", "traceparent"}, reserved...), rawValue)
		params := rawObject(t, "params", []string{"name", "arguments", "_meta", "z"}, rapid.OneOf(rawValue, rapid.Just(meta)))
		request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
		messages, _, err := scanMessages([]byte(request))
		if err != nil {
			t.Fatal(err)
		}
		before := rawMembers(t, params)
		oldMeta := map[string]json.RawMessage{}
		if m := before["_meta"]; len(m) > 0 && m[0] == '{' {
			oldMeta = rawMembers(t, string(m))
		}
		for _, name := range reserved {
			delete(oldMeta, name)
		}
		delete(before, "_meta")
		for _, host := range []era{eraModern, eraLegacy} {
			b := &bridge{host: host, part: clientPart{info: []byte(`{"name":"h"}`), capabilities: []byte(`{}`)}, level: "info"}
			sent := rawMembers(t, string(b.request(nil, messages[0])))
			after := rawMembers(t, string(sent["params"]))
			sameMembers(t, after, before, "_meta")
			newMeta := map[string]json.RawMessage{}
			if m, has := after["_meta"]; has {
				newMeta = rawMembers(t, string(m))
			}
			if host == eraModern {
				sameMembers(t, newMeta, oldMeta)
				continue
			}
			sameMembers(t, newMeta, oldMeta, reserved...)
			for _, name := range reserved {
				if newMeta[name] == nil {
					t.Errorf("%s is missing in %s", name, after["_meta"])
				}
			}
		}
	})
}

// FuzzBridge: whatever a host and an upstream of the other era send, what comes out is JSON, or what went in.
func FuzzBridge(f *testing.F) {
	for _, request := range []string{modernCallOf("1", "a", "{}"), initializeOf("x", declares), bareList, modernRequestOf("1", "server/discover", ""), `{"id":1,"method":"x","params":[]}`} {
		for _, answer := range []string{
			`{"id":1,"result":{"content":[]}}`, `{"id":1,"error":{"code":-32002}}`, `{"id":1,"result":{"resultType":"input_required","inputRequests":{"a":{}}}}`,
			`{"id":1,"result":{"protocolVersion":"x","serverInfo":{},"capabilities":{"resources":{"subscribe":true}},"_meta":{}}}`, `{"id":1,"result":{}}`, `{"id":1,"result":{"supportedVersions":[]}}`,
			`{"id":"q","method":"elicitation/create","params":{"mode":"url","url":"https://x.test"}}`, `{"id":1,"result":{"resultType":"input_required","requestState":"s"}}`,
		} {
			f.Add([]byte(request), []byte(answer))
		}
	}
	g := &Gateway{}
	f.Fuzz(func(t *testing.T, asked, answer []byte) {
		requests, batch, err := scanMessages(asked)
		if err != nil || batch || !requests[0].isRequest() {
			return
		}
		answers, batch, err := scanMessages(answer)
		for _, host := range []era{eraLegacy, eraModern} {
			b := &bridge{host: host, part: clientPartOf(requests[0]), info: []byte(`{}`)}
			if sent := b.request(g, requests[0]); json.Valid(asked) && !json.Valid(sent) {
				t.Fatalf("sent %q", sent)
			}
			if err != nil || batch || !json.Valid(answer) {
				continue
			}
			p := &response{message: answers[0], request: &request{message: requests[0]}}
			if again := b.retry(requests[0], []byte(`"again"`), []byte(`{"a":{}}`), p); json.Valid(asked) && !json.Valid(again) {
				t.Fatalf("sent again %q", again)
			}
			if answers[0].isRequest() {
				if wanted := inputRequired(answers[0], "s", b.info); !json.Valid(wanted) {
					t.Fatalf("%q became %q", answer, wanted)
				}
			}
			edits := b.edits(p, nil)
			jsonspan.Sort(edits)
			if got := jsonspan.Apply(nil, answer, edits); !json.Valid(got) {
				t.Fatalf("%q became %q", answer, got)
			}
		}
	})
}
