package proxy

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
)

// FuzzMessages: the scanner never panics, its spans lie inside the body, and what it says of ids agrees with itself.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(callOf("1.0", "tomtom-routing", `{"show_ui":true}`)))
	f.Add([]byte(`[{"id":"a","method":"x"},{"result":{},"id":null},3,[],{"params":{"name":5},"method":"tools/call","id":[]}]`))
	f.Add([]byte(`{"method":"resources/read","params":{"uri":"ui:\u002f"},"id":1e400,"id":-0,"method":7}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		messages, batch, err := scanMessages(body)
		if err != nil {
			return
		}
		if !batch && len(messages) != 1 {
			t.Fatalf("%d messages", len(messages))
		}
		for _, m := range messages {
			for _, s := range []jsonspan.Span{m.id, m.params, m.result, m.args} {
				if s.Len() > 0 && !m.span.Contains(s) {
					t.Fatalf("%q: span %v outside of %v", body, s, m.span)
				}
			}
			if m.id.Len() > 0 && m.idKey() == "" {
				t.Fatalf("%q: no key", body)
			}
			if m.isRequest() && m.isResponse() {
				t.Fatalf("%q is both", body)
			}
		}
	})
}

// FuzzResult edits any result in every way that there is. The outcome is JSON, the bytes before the content and between
// its items are the same, and so is every item that does not hold the text JSON.
func FuzzResult(f *testing.F) {
	for _, text := range []string{handleText, `{"_meta":{"viz_id":1},"a":[{"apiKey":1}]}`, `{"_meta":5,"apiKey":"x"}`, "{ }", `x`, `"viz_id":""`, `{"_meta":{"viz_id":"secret`, `{"features":[{"geometry":{"coordinates":[[1,2]]}}]}`} {
		f.Add([]byte(textResultOf(text)), uint8(0))
		f.Add([]byte(`{"_meta":{"tool":1 , "x":2},"isError":false,"content":[{"type":"image","data":"AA"},`+textResultOf(text)[len(`{"content":[`):]), uint8(7))
	}
	f.Add([]byte(`{"content":[{"type":"text","text":"{\u0022\u005fmeta\":{},\"\ud800\":1}"}],"content":5}`), uint8(3))
	outcomes := []outcome{
		{status: statusInline, fit: fitter.Result{AppData: []byte("QUJD")}},
		{status: statusFitted, fit: fitter.Result{AppData: []byte("QUJD"), Shed: []string{"ids"}}},
		{status: statusNone},
		{status: statusText, trimmed: []byte(`{"a":{"apiKey":1}, "_meta":{}}`)},
	}
	tool := mustPolicy(f, "tomtom-routing")
	f.Fuzz(func(t *testing.T, result []byte, mode uint8) {
		root, err := jsonspan.Scan(result)
		if err != nil || !jsonspan.IsObject(result, root) {
			return
		}
		body := append(append([]byte(`{"id":1,"result":`), root.Of(result)...), `,"x":1.0}`...)
		m, _, err := scanMessages(body)
		if err != nil {
			t.Fatal(err)
		}
		q := &request{message: mustMessage(t, callOf("1", tool.Name, `{}`)), client: client{apps: mode&8 == 0}, tool: tool}
		res := openResult(q, m[0])
		if res == nil {
			t.Fatalf("%q is no result", result)
		}
		o := outcomes[mode&3]
		o.minify = mode&4 != 0
		for name, edits := range map[string][]jsonspan.Edit{"outcome": res.outcomeEdits(o), "plain": res.plainEdits(o.minify), "error": res.errorEdits()} {
			checkEdited(t, name, res, edits)
		}
	})
}

func mustMessage(t testing.TB, body string) message {
	t.Helper()
	return scanned(t, []byte(body))
}

func checkEdited(t testing.TB, name string, res *toolResult, edits []jsonspan.Edit) {
	t.Helper()
	jsonspan.Sort(edits)
	edited := jsonspan.Apply(nil, res.doc, edits)
	messages, _, err := scanMessages(edited)
	if err != nil {
		t.Fatalf("%s: %q became %q", name, res.doc, edited)
	}
	if !bytes.HasPrefix(edited, []byte(`{"id":1,"result":{`)) || !bytes.HasSuffix(edited, []byte(`,"x":1.0}`)) {
		t.Fatalf("%s: the envelope changed: %q", name, edited)
	}
	before := jsonspan.UTF16Len(res.object.Of(res.doc))
	after := messages[0]
	if got, want := jsonspan.UTF16Len(after.raw(after.result)), charsAfter(res.doc, before, edits); got != want {
		t.Fatalf("%s: counted %d characters of %d in %q", name, want, got, edited)
	}
	for _, e := range edits {
		inText := res.hasText && (res.text.item.span.Contains(e.Span) || name == "plain" && res.content.Contains(e.Span))
		meta := res.meta.Value
		inMeta := res.hasMeta && (e.Span == meta || e.Span == jsonspan.Span{Start: meta.Start, End: meta.Start})
		added := e.Span.Len() == 0 && e.Span.Start == res.lastValueEnd
		stray := slices.ContainsFunc(res.items, func(item contentItem) bool {
			return item.text.Contains(e.Span) && mentionsHandle([]byte(stringAt(res.doc, item.text)))
		})
		if !inText && !inMeta && !added && !stray {
			t.Fatalf("%s: %q is changed at %v", name, res.doc, e.Span)
		}
	}
	if name != "outcome" {
		return
	}
	again, ok := scanResult(edited, after.result)
	if !ok || !again.hasMeta {
		t.Fatalf("no _meta in %q", edited)
	}
	if text, found := openText(again); res.hasText && (!found || text.hasMeta || strings.Contains(string(text.text.Bytes), `"apiKey":`)) {
		t.Fatalf("%q keeps what it should lose", edited)
	}
}
