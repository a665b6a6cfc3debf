package traffic

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// TestCheckFindsWrongAnswers: an answer passes as it should be, and no longer with something of another call's in it, or
// something missing.
func TestCheckFindsWrongAnswers(t *testing.T) {
	const n, other = Number(7_000_042), Number(8_000_043)
	some, err := Named("route", "tool of somebody else", "traffic")
	if err != nil {
		t.Fatal(err)
	}
	route, foreign, traffic := some[0], some[1], some[2]
	text := strings.Replace(onlyText(t, route.Call.fill(n, "")), `"viz_id": ""`, `"tool": "x"`, 1)
	data := keyMember.ReplaceAllString(string(route.data.fill(n, "")), "")
	othersPosition := strings.Replace(string(route.data.fill(other, "")), other.name(), n.name(), 1)
	for _, c := range []struct {
		name         string
		kind         *Kind
		text, status string
		data         string // "": no app data
		wrong        string // part of what is found; "": nothing
	}{
		{"as it should be", route, text, "inline", data, ""},
		{"without room", route, text, "unavailable", "", ""},
		{"another's text", route, onlyText(t, route.Call.fill(other, "")), "inline", data, "handle"},
		{"two callers in the text", route, strings.Replace(text, "{", `{"caller":"`+other.name()+`",`, 1), "inline", data, "the answer to"},
		{"the handle", route, onlyText(t, route.Call.fill(n, "h")), "inline", data, "handle"},
		{"half a text", route, text[:len(text)/2], "inline", data, "no JSON"},
		{"another's data", route, text, "inline", string(route.data.fill(other, "")), "not what the upstream gave"},
		{"another's position", route, text, "inline", othersPosition, "not what the upstream gave"},
		{"no data", route, text, "inline", "", "EOF"},
		{"the wrong status", route, text, "none", "", "status"},
		{"no status", route, text, "", "", "status"},
		{"foreign", foreign, onlyText(t, foreign.Call.fill(n, "")), "", "", ""},
		{"foreign, changed", foreign, onlyText(t, foreign.Call.fill(n, "")) + " ", "", "", "was changed"},
		{"foreign, of another", foreign, onlyText(t, foreign.Call.fill(other, "")), "", "", "the answer to"},
		{"data where there is none", traffic, strings.Replace(onlyText(t, traffic.Call.fill(n, "")), "viz_id", "x", 1), "none", data, "app data with status"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &result{Content: []content{{Type: "text", Text: c.text}}}
			r.Meta.Status = c.status
			if c.data != "" {
				r.Meta.AppData = packed(t, c.data)
			}
			_, err := c.kind.check(r, n, false)
			switch {
			case c.wrong == "" && err != nil:
				t.Error(err)
			case c.wrong != "" && err == nil:
				t.Error("nothing was found")
			case c.wrong != "" && !strings.Contains(err.Error(), c.wrong):
				t.Errorf("%v, want %q", err, c.wrong)
			}
		})
	}
	if checkPosition([]byte(othersPosition), n) == nil {
		t.Error("a position of another call's is not found")
	}
}

func onlyText(t *testing.T, raw []byte) string {
	t.Helper()
	var r toolResult
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Content) != 1 {
		t.Fatalf("%v: %.200s", err, raw)
	}
	return r.Content[0].Text
}

func packed(t *testing.T, doc string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(doc))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}
