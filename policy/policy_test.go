package policy_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/policy"
)

func TestTools(t *testing.T) {
	all := policy.Tools()
	if !slices.IsSortedFunc(all, func(a, b policy.Tool) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("Tools is not sorted by name")
	}
	for _, tool := range all {
		t.Run(tool.Name, func(t *testing.T) {
			if got, ok := policy.For(tool.Name); !ok || got.Name != tool.Name {
				t.Errorf("For answers %q, %v", got.Name, ok)
			}
			if !tool.Widget || tool.ComfortableM != 10 || tool.MaxErrorM != 1000 || tool.LimitChars != 0 {
				t.Errorf("widget %v, tolerances %v and %v m, limit %d", tool.Widget, tool.ComfortableM, tool.MaxErrorM, tool.LimitChars)
			}
			if none := tool.AppData == policy.SourceNone; none != (len(tool.Untrimmed) == 0) {
				t.Errorf("source %v with %d ways to tell an untrimmed text", tool.AppData, len(tool.Untrimmed))
			}
			if tool.Verbatim && len(tool.Lines) > 0 {
				t.Error("lines of a caller's own data may not be simplified")
			}
		})
	}
}

func TestToolsByKind(t *testing.T) {
	tests := map[string]struct {
		holds func(policy.Tool) bool
		want  []string
	}{
		"with lines": {
			func(p policy.Tool) bool { return len(p.Lines) > 0 },
			[]string{"tomtom-dynamic-map", "tomtom-ev-routing", "tomtom-routing", "tomtom-search-along-route"},
		},
		"without app data": {
			func(p policy.Tool) bool { return p.AppData == policy.SourceNone },
			[]string{"tomtom-poi-categories", "tomtom-traffic"},
		},
		"verbatim":  {func(p policy.Tool) bool { return p.Verbatim }, []string{"tomtom-data-viz"}},
		"fetchable": {func(p policy.Tool) bool { return p.Fetchable }, []string{"tomtom-data-viz"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, tool := range policy.Tools() {
				if tt.holds(tool) {
					got = append(got, tool.Name)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestForUnknown(t *testing.T) {
	for _, name := range []string{
		"", "tomtom-static-map", "tomtom-waypoint-routing", "TOMTOM-ROUTING",
		policy.GetAppData, policy.ReportAppStatus, policy.GetAPIKey, policy.GetVizData, policy.GetDataset,
	} {
		if _, ok := policy.For(name); ok {
			t.Errorf("%q has a policy", name)
		}
	}
}

func TestSheds(t *testing.T) {
	var names []string
	for _, s := range policy.Sheds() {
		names = append(names, s.Name)
		if s.Action == 0 || len(s.Path) == 0 {
			t.Errorf("%s: action %v at %v", s.Name, s.Action, s.Path)
		}
		for _, never := range []string{"traffic", "toll", "tollVignette", "country", "ferry", "tunnel", "leg"} {
			if s.Action != policy.ShortenIDs && slices.Contains(s.Path, never) {
				t.Errorf("%s sheds %s", s.Name, never)
			}
		}
	}
	want := []string{"ids", "lanes", "roadShields", "speedLimit", "guidance", "progress"}
	if !slices.Equal(names, want) {
		t.Errorf("order %v, want %v", names, want)
	}
}

func TestHandles(t *testing.T) {
	got := map[string]string{}
	for _, h := range policy.Handles() {
		got[h.Member] = h.Tool
	}
	if len(got) != 2 || got["viz_id"] != "tomtom-get-viz-data" || got["dataset_id"] != "tomtom-get-dataset" {
		t.Errorf("handles %v", got)
	}
}

// Every tool that the recorded upstream lists for the model has a policy, and a widget exactly if it is listed with one.
func TestToolsAreTheUpstreams(t *testing.T) {
	file := filepath.Join("..", "..", "shared", "captures", "_tools-list.sse.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("recorded messages are absent: %v", err)
	}
	_, data, ok := bytes.Cut(text, []byte("\ndata: "))
	if !ok {
		t.Fatal("no data line")
	}
	var message struct {
		Result struct {
			Tools []struct {
				Name string
				Meta struct {
					UI struct {
						ResourceURI string
						Visibility  []string
					}
				} `json:"_meta"`
			}
		}
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&message); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, tool := range message.Result.Tools {
		if slices.Equal(tool.Meta.UI.Visibility, []string{"app"}) {
			continue
		}
		listed[tool.Name] = true
		p, ok := policy.For(tool.Name)
		if !ok || p.Widget != (tool.Meta.UI.ResourceURI != "") {
			t.Errorf("%s: policy %v, widget %v, listed with %q", tool.Name, ok, p.Widget, tool.Meta.UI.ResourceURI)
		}
	}
	for _, p := range policy.Tools() {
		if !listed[p.Name] {
			t.Errorf("%s has a policy and is not listed", p.Name)
		}
	}
}
