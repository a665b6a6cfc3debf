package proxy

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNoTextCarriesAHandle gives the texts of a result and what is left of them, under each kind of result.
func TestNoTextCarriesAHandle(t *testing.T) {
	tests := []struct {
		name        string
		texts, want []string
	}{
		{"no JSON", []string{`sorry {"viz_id": "secret", x`}, []string{`sorry {"viz_id": "", x`}},
		{"cut short within the handle", []string{`{"a":1,"_meta":{"viz_id":"sec`}, []string{`{"a":1,"_meta":{"viz_id":"`}},
		{"both handles, no JSON", []string{"\"dataset_id\"\n:\t\"secret\" \"viz_id\":\"secret\""}, []string{"\"dataset_id\"\n:\t\"\" \"viz_id\":\"\""}},
		{"a second JSON text", []string{`{"a":1,"_meta":{"show_ui":false}}`, `{"b":"é","_meta":{"viz_id":"secret","n":1.0}}`}, []string{`{"a":1,"show_ui":false}`, `{"b":"é","_meta":{"n":1.0}}`}},
		{"only its name", []string{`no viz_id: "viz_id" is gone, "viz_id":7`}, []string{`no viz_id: "viz_id" is gone, "viz_id":7`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result := resultOfTexts(t, tt.texts, "")
			res := opened(t, "tomtom-routing", `{"show_ui":false}`, true, result)
			if got := textsOf(t, rewritten(res, res.outcomeEdits(outcome{status: statusNone}))); !equalTexts(got, tt.want) {
				t.Errorf("\n got %q\nwant %q", got, tt.want)
			}
			for _, other := range []*toolResult{
				opened(t, "tomtom-routing", `{}`, false, result),
				opened(t, "tomtom-routing", `{}`, true, resultOfTexts(t, tt.texts, `,"isError":true`)),
			} {
				edits := other.errorEdits()
				if other.kind == kindPlain {
					edits = append(other.plainEdits(false), other.strayHandles()...)
				}
				if got := rewritten(other, edits); strings.Contains(got, "sec") {
					t.Errorf("kind %d: the handle is still in %s", other.kind, got)
				}
			}
		})
	}
}

func resultOfTexts(t testing.TB, texts []string, more string) string {
	t.Helper()
	var items []string
	for _, text := range texts {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, `{"type":"text","text":`+string(quoted)+`}`)
	}
	return `{"content":[` + strings.Join(items, ",") + `]` + more + `}`
}

func textsOf(t testing.TB, result string) []string {
	t.Helper()
	var got struct{ Content []struct{ Text string } }
	if err := json.Unmarshal([]byte(result), &got); err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	var texts []string
	for _, item := range got.Content {
		texts = append(texts, item.Text)
	}
	return texts
}

func equalTexts(a, b []string) bool { return strings.Join(a, "\x00") == strings.Join(b, "\x00") }

// TestShadowedMeta: where a result has two _meta, what is the gateway's alone to say stands in none but the last.
func TestShadowedMeta(t *testing.T) {
	forged := `"com.tomtom/app-data":"forged","x":1.0,"tool":"forged"`
	result := `{"_meta":{` + forged + `},"_meta":[1],"_meta":{` + forged + `},` + textResultOf(`{"a":1,"_meta":{"show_ui":false}}`)[1:]
	res := opened(t, "tomtom-routing", `{}`, true, result)
	got := rewritten(res, res.outcomeEdits(outcome{status: statusNone}))
	if strings.Contains(got, "forged") || strings.Count(got, `"x":1.0`) != 2 || strings.Count(got, "com.tomtom/app-data-status") != 1 {
		t.Error(got)
	}
}

// TestHandleElsewhere: where the text JSON's handle stands once more in the message it is emptied, unless it is a word that
// may stand there for another reason.
func TestHandleElsewhere(t *testing.T) {
	const secret = "8aebc4ba-6dcd-4516"
	for handle, stays := range map[string]bool{secret: false, "route": true, `a\"quoted\"handle-of-many`: true} {
		text := `{"a":1,"_meta":{"show_ui":false,"viz_id":"` + handle + `"}}`
		result := `{"structuredContent":{"viz_id":"` + handle + `"},` + textResultOf(text)[1:]
		res := opened(t, "tomtom-routing", `{}`, true, result)
		edits := res.withoutHandleIn(res.object, res.outcomeEdits(outcome{status: statusNone}))
		if got := strings.Contains(rewritten(res, edits), `{"viz_id":"`+handle+`"}`); got != stays {
			t.Errorf("%s: stays %v", handle, got)
		}
	}
}
