package preview_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview"
	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/proxy"
)

var steps = []int{20_000, 40_000, 60_000, 90_000, 120_000, 150_000, 1_000_000}

// near is a route of about 4,000 vertices.
const near = `{"locations":[[4.9,52.38],[6.96,50.94]],"show_ui":true}`

// someSteps are those that short tests have time for.
func someSteps() []int {
	if testing.Short() {
		return []int{20_000, 60_000}
	}
	return steps
}

// direct is what a host gets that calls a tool through a gateway of a limit, over TCP.
func direct(t testing.TB, endpoint, tool, arguments string, change func(*proxy.Options)) []byte {
	t.Helper()
	o := gatewayOptions(t, endpoint)
	change(&o)
	g, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	server := httptest.NewServer(g)
	defer server.Close()
	body := `{"jsonrpc":"2.0","id":"direct","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Tomtom-Api-Key": {credential},
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, data, _ := bytes.Cut(answer, []byte("data: "))
	return decode[struct{ Result json.RawMessage }](t, data).Result
}

// One run is one call upstream, and no other limit is another. What a limit makes of it is, byte for byte, what a host
// gets that calls through a gateway of that limit.
func TestOneCallEveryLimit(t *testing.T) {
	t.Parallel()
	const lanes = `{"locations":[[4.9,52.38],[6.96,50.94]],"maxAlternatives":1,"sectionType":["lanes"],"show_ui":true}`
	tests := []struct {
		name, tool, arguments string
		upstream              upstream.Options
		limits                []int
	}{
		{"routing", "tomtom-routing", lisbonWarsaw, upstream.Options{}, someSteps()},
		{"routing, alternatives and lanes", "tomtom-routing", lanes, upstream.Options{RushHour: true}, []int{20_000, 60_000}},
		{"routing without a widget", "tomtom-routing", strings.Replace(near, "true", "false", 1), upstream.Options{}, []int{20_000}},
		{"an untrimmed server", "tomtom-routing", near, upstream.Options{Untrimmed: true}, []int{20_000, 120_000}},
		{"a newer server", "tomtom-routing", near, upstream.Options{Newer: true}, []int{20_000, 120_000}},
		{"an older back end", "tomtom-routing", near, upstream.Options{Genesis: true}, []int{20_000}},
		{"range", "tomtom-reachable-range", `{"origin":[4.9,52.38],"timeBudgetInSec":1800,"show_ui":true}`, upstream.Options{}, []int{2_000, 120_000}},
		{"map with a picture", "tomtom-dynamic-map", `{"center":{"lat":52.37,"lon":4.9},"zoom":12,"markers":[{"lat":52.37,"lon":4.9,"label":"A"}],"show_ui":true}`, upstream.Options{}, []int{500, 120_000}},
		{"traffic", "tomtom-traffic", `{"bbox":[-0.51,51.29,0.33,51.69],"show_ui":true}`, upstream.Options{}, []int{20_000}},
		{"the whole response as text", "tomtom-routing", `{"locations":[[5.12,52.09],[5.9,51.98]],"show_ui":true,"response_detail":"full"}`, upstream.Options{}, []int{20_000, 1_000_000}},
		{"a tool error", "tomtom-routing", `{"locations":[[200,95],[21.0122,52.2297]],"show_ui":true}`, upstream.Options{}, []int{20_000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, up := demo(t, tt.upstream, nil)
			c := s.run(tt.tool, tt.arguments, 0)
			if up.Calls(tt.tool) != 1 {
				t.Fatalf("one run is %d calls", up.Calls(tt.tool))
			}
			fits := map[int]fit{}
			for _, limit := range tt.limits {
				fits[limit] = s.fitAt(c.ID, limit)
			}
			if again := s.fitAt(c.ID, tt.limits[0]); !bytes.Equal(fits[tt.limits[0]].Result, again.Result) {
				t.Error("the same limit gives other bytes")
			}
			if up.Calls(tt.tool) != 1 {
				t.Fatalf("another limit is another call: %d", up.Calls(tt.tool))
			}
			if redeemed := up.Calls("tomtom-get-viz-data") + up.Calls("tomtom-get-dataset"); redeemed > 1 {
				t.Errorf("%d redemptions", redeemed)
			}
			same(t, "the operator's limit", c.Fit.Result, direct(t, s.server.URL+"/mcp", tt.tool, tt.arguments, func(*proxy.Options) {}))
			for limit, got := range fits {
				want := direct(t, s.server.URL+"/mcp", tt.tool, tt.arguments, func(o *proxy.Options) { o.LimitChars = limit })
				same(t, got.Status, got.Result, want)
			}
		})
	}
}

func same(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, and called directly %d:\n%s\n%s", what, len(got), len(want), clip(string(got)), clip(string(want)))
	}
}

// A run at a limit of the page's is composed at that limit; the limits of tools and the other settings stay.
func TestLimits(t *testing.T) {
	t.Parallel()
	s, up := demo(t, upstream.Options{}, func(o *preview.Options) {
		o.Gateway.ToolLimitChars = map[string]int{"tomtom-routing": 15_000}
		o.Gateway.Text = proxy.TextMinify
	})
	options := func(o *proxy.Options) { o.LimitChars, o.Text = 15_000, proxy.TextMinify }
	c := s.run("tomtom-routing", near, 0)
	if c.Fit.Limit != 15_000 {
		t.Errorf("the limit is %d", c.Fit.Limit)
	}
	same(t, "the tool's limit", c.Fit.Result, direct(t, s.server.URL+"/mcp", c.Tool, near, options))
	same(t, "asked again without a limit", decode[fit](t, s.get("/api/calls/"+c.ID+"/fit", http.StatusOK)).Result, c.Fit.Result)
	at := s.run("tomtom-routing", near, 25_000)
	options = func(o *proxy.Options) { o.LimitChars, o.Text = 25_000, proxy.TextMinify }
	same(t, "the page's limit", at.Fit.Result, direct(t, s.server.URL+"/mcp", c.Tool, near, options))
	if n := up.Calls("tomtom-routing"); n != 4 {
		t.Errorf("%d calls, two of them direct", n)
	}
	session := decode[struct {
		Limits struct {
			Default int
			Tools   map[string]int
			Steps   []int
		}
	}](t, s.get("/api/session", http.StatusOK))
	if session.Limits.Default != 120_000 || len(session.Limits.Tools) != 1 || session.Limits.Tools["tomtom-routing"] != 15_000 || len(session.Limits.Steps) != 7 {
		t.Errorf("%+v", session.Limits)
	}
}

// What was kept is enough: the server may be gone.
func TestFitsWithoutTheServer(t *testing.T) {
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, nil)
	c := s.run("tomtom-routing", lisbonWarsaw, 0)
	s.server.Close()
	if got := s.fitAt(c.ID, 40_000); got.Status != "fitted" || got.Characters >= 40_000 {
		t.Errorf("%s, %d characters", got.Status, got.Characters)
	}
	s.post("/api/calls", map[string]any{"tool": "tomtom-routing", "arguments": json.RawMessage(lisbonWarsaw)}, http.StatusBadGateway)
}

// The figures are those of the result beside them.
func TestFit(t *testing.T) {
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, nil)
	c := s.run("tomtom-routing", lisbonWarsaw, 0)
	for _, limit := range someSteps() {
		got := s.fitAt(c.ID, limit)
		result := decode[struct {
			Content []struct{ Text string }
			Meta    struct {
				AppData string `json:"com.tomtom/app-data"`
				Status  string `json:"com.tomtom/app-data-status"`
			} `json:"_meta"`
		}](t, got.Result)
		if n := len(utf16.Encode([]rune(string(got.Result)))); got.Characters != n || n >= limit && got.Status != "too_large" || got.Limit != limit {
			t.Errorf("at %d: %d characters, in fact %d", limit, got.Characters, n)
		}
		if len(got.Agent) != 1 || got.Agent[0] != result.Content[0].Text || got.TextCharacters != len(utf16.Encode([]rune(got.Agent[0]))) {
			t.Errorf("at %d: the agent reads another text", limit)
		}
		if got.DataCharacters != len(result.Meta.AppData) || got.Status != result.Meta.Status {
			t.Errorf("at %d: %s, %d characters of data", limit, got.Status, got.DataCharacters)
		}
		if got.Tokens < got.TextCharacters/10 || got.Tokens > got.TextCharacters {
			t.Errorf("at %d: %d tokens in %d characters", limit, got.Tokens, got.TextCharacters)
		}
		if got.Status != "fitted" {
			if got.Largest != nil || got.Original != nil {
				t.Errorf("at %d: %s, and lines are compared", limit, got.Status)
			}
			continue
		}
		switch worst := got.Largest.ErrorM; {
		case worst > got.Simplification.MaxErrorM+0.005, worst < got.Simplification.MaxErrorM-0.3-0.1*worst:
			t.Errorf("at %d: the largest deviation is %v m, max_error_m %v", limit, worst, got.Simplification.MaxErrorM)
		}
		if n := positions(got.Original); n != got.Simplification.OriginalPoints {
			t.Errorf("at %d: %d original positions of %d", limit, n, got.Simplification.OriginalPoints)
		}
	}
	if without := s.get("/api/calls/"+c.ID+"/fit?original=false", http.StatusOK); bytes.Contains(without, []byte(`"original"`)) || !bytes.Contains(without, []byte(`"largest"`)) {
		t.Error("original=false leaves the wrong things out")
	}
}

func positions(lines [][][2]float64) (n int) {
	for _, line := range lines {
		n += len(line)
	}
	return n
}

// Lines of more positions than a page needs are thinned, ends kept.
func TestManyPositions(t *testing.T) {
	if testing.Short() {
		t.Skip("fits 160,000 vertices")
	}
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, nil)
	c := s.run("tomtom-routing", `{"locations":[[-9.1393,38.7223],[21.0122,52.2297]],"maxAlternatives":3,"show_ui":true}`, 0)
	n := positions(c.Fit.Original)
	if c.Fit.Status != "fitted" || c.Fit.Simplification.OriginalPoints <= 60_000 {
		t.Fatalf("not a case of many positions: %s, %d", c.Fit.Status, n)
	}
	if n > 60_010 || n < 20_000 {
		t.Errorf("%d positions of %d", n, c.Fit.Simplification.OriginalPoints)
	}
	first, last := c.Fit.Original[0][0], c.Fit.Original[0][len(c.Fit.Original[0])-1]
	if math.Abs(first[0]+9.1393) > 0.01 || math.Abs(last[0]-21.0122) > 0.01 {
		t.Errorf("it goes from %v to %v", first, last)
	}
}

// What an agent could not ask for is refused, and runs nothing.
func TestRefusedCalls(t *testing.T) {
	s, up := demo(t, upstream.Options{}, nil)
	tests := []struct {
		name, body string
		want       int
	}{
		{"a tool that is not there", `{"tool":"tomtom-teleport","arguments":{}}`, http.StatusBadRequest},
		{"no tool", `{"arguments":{}}`, http.StatusBadRequest},
		{"an app-only tool", `{"tool":"tomtom-report-app-status","arguments":{}}`, http.StatusForbidden},
		{"the key's tool", `{"tool":"tomtom-get-api-key"}`, http.StatusForbidden},
		{"a hidden tool", `{"tool":"tomtom-get-viz-data","arguments":{"viz_id":"x"}}`, http.StatusBadRequest},
		{"arguments that are no object", `{"tool":"tomtom-routing","arguments":[1]}`, http.StatusBadRequest},
		{"no JSON", `{"tool":`, http.StatusBadRequest},
		{"two values", `{"tool":"tomtom-routing"}{}`, http.StatusBadRequest},
		{"an unknown member", `{"tool":"tomtom-routing","times":2}`, http.StatusBadRequest},
		{"a limit of nothing", `{"tool":"tomtom-routing","arguments":` + lisbonWarsaw + `,"limit":0}`, http.StatusBadRequest},
		{"an endless limit", `{"tool":"tomtom-routing","arguments":` + lisbonWarsaw + `,"limit":10000001}`, http.StatusBadRequest},
		{"a call from a widget", `{"tool":"tomtom-routing","arguments":` + lisbonWarsaw + `,"from":"widget"}`, http.StatusBadRequest},
		{"too large", `{"tool":"tomtom-routing","arguments":{"a":"` + strings.Repeat("a", preview.MaxBodyBytes) + `"}}`, http.StatusRequestEntityTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(*testing.T) {
			s.want(s.request(http.MethodPost, s.page+"/api/calls", tt.body), tt.want)
		})
	}
	for _, path := range []string{"/api/calls/none/fit", "/api/calls/none/fit?limit=1", "/api/none"} {
		s.get(path, http.StatusNotFound)
	}
	c := s.run("tomtom-routing", lisbonWarsaw, 0)
	for _, limit := range []string{"x", "0", "-1", "1.5", "99999999999"} {
		s.get("/api/calls/"+c.ID+"/fit?limit="+limit, http.StatusBadRequest)
	}
	if n := up.Calls("tomtom-routing"); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, func(o *preview.Options) { o.MaxCalls = 3 })
	if got := string(s.get("/api/calls", http.StatusOK)); got != "[]" {
		t.Errorf("before any call: %s", got)
	}
	var ids []string
	for range 5 {
		ids = append(ids, s.run("tomtom-geocode", `{"query":"Berlin","show_ui":true}`, 0).ID)
	}
	listed := decode[[]struct {
		ID, Tool   string
		Arguments  json.RawMessage
		Started    string
		DurationMS float64 `json:"duration_ms"`
	}](t, s.get("/api/calls", http.StatusOK))
	if len(listed) != 3 || listed[0].ID != ids[4] || listed[2].ID != ids[2] || listed[0].Tool != "tomtom-geocode" ||
		listed[0].DurationMS <= 0 || string(listed[0].Arguments) != `{"query":"Berlin","show_ui":true}` {
		t.Errorf("%+v of %v", listed, ids)
	}
	s.get("/api/calls/"+ids[1]+"/fit", http.StatusNotFound)
	s.get("/api/calls/"+ids[2]+"/fit", http.StatusOK)
}

// A call that is larger than all that may be kept is shown once and not kept.
func TestHistoryBytes(t *testing.T) {
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, func(o *preview.Options) { o.MaxHistoryBytes = 100_000 })
	small := s.run("tomtom-geocode", `{"query":"Berlin"}`, 0)
	large := s.run("tomtom-routing", lisbonWarsaw, 0)
	if large.Fit.Status != "fitted" {
		t.Errorf("it is not shown: %s", large.Fit.Status)
	}
	s.get("/api/calls/"+large.ID+"/fit", http.StatusNotFound)
	s.get("/api/calls/"+small.ID+"/fit", http.StatusOK)
}

// Every prompt and example is one that the tools take.
func TestExamples(t *testing.T) {
	t.Parallel()
	s, _ := demo(t, upstream.Options{}, nil)
	type example struct {
		Title, Text, Tool string
		Arguments         json.RawMessage
	}
	session := decode[struct {
		Gateway, Upstream struct{ Version string }
		Prompts           []example
		Examples          map[string][]example
		Tools             []struct {
			Name string
			Meta struct {
				UI struct{ Visibility []string }
			} `json:"_meta"`
		}
	}](t, s.get("/api/session", http.StatusOK))
	if len(session.Prompts) < 6 || session.Gateway.Version != "test" || session.Upstream.Version != upstream.Version {
		t.Errorf("%d prompts, versions %+v", len(session.Prompts), session)
	}
	all := session.Prompts
	for tool, examples := range session.Examples {
		for _, e := range examples {
			e.Tool = tool
			all = append(all, e)
		}
	}
	for _, tool := range session.Tools {
		if tool.Meta.UI.Visibility == nil && len(session.Examples[tool.Name]) == 0 {
			t.Errorf("%s has no example", tool.Name)
		}
	}
	for _, e := range all {
		c := s.run(e.Tool, string(e.Arguments), 0)
		if bytes.Contains(c.Fit.Result, []byte(`"isError":true`)) || len(c.Fit.Agent) == 0 {
			t.Errorf("%s%s: %s", e.Title, e.Text, clip(string(c.Fit.Result)))
		}
		if c.Fit.Status == "unavailable" || c.Fit.Status == "too_large" {
			t.Errorf("%s%s: %s", e.Title, e.Text, c.Fit.Status)
		}
	}
}

// A page that is closed does not cancel what is paid for: the call is in the history when the page comes back.
func TestPageGoesAway(t *testing.T) {
	t.Parallel()
	up := upstream.New(upstream.Options{})
	arrived, release := make(chan struct{}), make(chan struct{})
	var slow atomic.Bool
	s := show(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slow.Load() {
			slow.Store(false)
			close(arrived)
			<-release
		}
		up.ServeHTTP(w, r)
	}), func(o *preview.Options) { o.MaxAtOnce = 1 })
	s.get("/api/session", http.StatusOK)
	slow.Store(true)
	ctx, leave := context.WithCancel(t.Context())
	r := s.request(http.MethodPost, s.page+"/api/calls", `{"tool":"tomtom-geocode","arguments":{"query":"Berlin"}}`).WithContext(ctx)
	gone := make(chan error, 1)
	go func() {
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			_ = resp.Body.Close()
		}
		gone <- err
	}()
	<-arrived
	leave()
	if err := <-gone; err == nil {
		t.Error("the page has an answer")
	}
	close(release)
	s.run("tomtom-poi-categories", "{}", 0) // has its turn once the other is done
	if n := up.Calls("tomtom-geocode"); n != 1 {
		t.Errorf("%d calls", n)
	}
	if got := decode[[]struct{ Tool string }](t, s.get("/api/calls", http.StatusOK)); len(got) != 2 || got[1].Tool != "tomtom-geocode" {
		t.Errorf("history: %+v", got)
	}
}
