package faults

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestFaultsOfFetching: a widget that fetches its data gets it whole, or an error that says so, and the tool behind it runs
// at most once, too.
func TestFaultsOfFetching(t *testing.T) {
	eachFault(t, shape{stream: true, modern: true}, func(f *fault) bool { return !f.redeemed }, site.fetch)
}

// fetch lets the fault meet the call of the tool behind tomtom-get-app-data.
func (s site) fetch(t *testing.T, f *fault) {
	t.Helper()
	host := testkit.Client{URL: s.URL}
	var r testkit.Result
	once := func() {
		const tool = "tomtom-get-app-data"
		r = host.Do(t, http.MethodPost, testkit.ModernCallMessage("1", tool, `{"geojson":{}}`, `{}`), testkit.ModernHeader(tool)).Result(t)
	}
	s.up.Forget()
	logged := func() int { return len(s.LogLines(t, map[string]any{"msg": "tool call"})) }
	lines := logged()
	s.callOnce(t, f, fetchTool, once)
	switch text := r.OnlyText(t); {
	case r.IsError && !strings.HasPrefix(text, "tomtom-get-app-data: "):
		t.Errorf("an error that does not say what it is about: %s", text)
	case r.IsError && f.call == theText:
		t.Errorf("got %s", text)
	case !r.IsError:
		isData(t, r)
	}
	if n := logged(); n != lines {
		t.Errorf("%d lines about calls that no host made", n-lines)
	}
	s.in.arm(nil, "")
	once()
	isData(t, r)
}

// isData fails the test unless a result holds the whole data.
func isData(t *testing.T, r testkit.Result) {
	t.Helper()
	var answer struct {
		AppData string `json:"app_data"`
	}
	if err := json.Unmarshal([]byte(r.OnlyText(t)), &answer); err != nil || r.IsError {
		t.Fatalf("%v: %.300s", err, r.Raw)
	}
	testkit.SameBytes(t, "app data", testkit.DecodeAppData(t, answer.AppData), []byte(data))
}
