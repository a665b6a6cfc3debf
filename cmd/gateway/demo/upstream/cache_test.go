package upstream

import (
	"fmt"
	"testing"
	"time"
)

func TestCachedDataExpires(t *testing.T) {
	now := time.Date(2026, 6, 24, 8, 0, 0, 0, time.UTC)
	s := New(Options{Now: func() time.Time { return now }})
	r := callTool(t, s, "tomtom-routing", berlinTrip+"}")
	id := decoded[struct {
		Meta struct {
			VizID string `json:"viz_id"`
		} `json:"_meta"`
	}](t, textOf(t, r)).Meta.VizID
	redeem := func() toolResult { return callTool(t, s, "tomtom-get-viz-data", fmt.Sprintf(`{"viz_id":%q}`, id)) }

	first := textOf(t, redeem())
	now = now.Add(299 * time.Second)
	if again := textOf(t, redeem()); again != first {
		t.Error("a second reading differs from the first")
	}
	now = now.Add(time.Second)
	if r := redeem(); !r.failed() || r.Content[0].Text != "Visualization data not found or expired" {
		t.Errorf("after 300 s: %.200v", r)
	}
	callTool(t, s, "tomtom-routing", berlinTrip+"}")
	if n := len(s.cache.entries); n != 1 {
		t.Errorf("%d entries are kept, want the last one", n)
	}
	if n := s.Calls("tomtom-get-viz-data"); n != 3 {
		t.Errorf("%d redemptions counted", n)
	}
}

func TestAReplicaDoesNotKnowAnothersHandles(t *testing.T) {
	a, b := New(Options{}), New(Options{})
	r := callTool(t, a, "tomtom-geocode", `{"query":"Berlin","show_ui":true}`)
	callTool(t, b, "tomtom-geocode", `{"query":"Berlin","show_ui":true}`)
	appDataOf(t, a, r)
	id := decoded[map[string]any](t, r.Content[0].Text)["_meta"].(map[string]any)["viz_id"]
	if r := callTool(t, b, "tomtom-get-viz-data", fmt.Sprintf(`{"viz_id":%q}`, id)); !r.failed() {
		t.Error("the other replica has the data")
	}
}

func TestMemoIsBounded(t *testing.T) {
	var m memo
	computed := 0
	compute := func() (*document, error) { computed++; return &document{}, nil }
	for range 2 {
		for i := range memoEntries {
			if _, err := m.get(fmt.Sprint(i), compute); err != nil {
				t.Fatal(err)
			}
		}
	}
	if computed != memoEntries {
		t.Errorf("computed %d times", computed)
	}
	for i := range 3 * memoEntries {
		_, _ = m.get(fmt.Sprint("more", i), compute)
	}
	if len(m.entries) != memoEntries || len(m.order) != memoEntries {
		t.Errorf("%d entries, %d in order", len(m.entries), len(m.order))
	}
}
