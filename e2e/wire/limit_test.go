package wire

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// wiggly is a route of n vertices that wanders, with sections, as the TomTom server gives it.
func wiggly(n int) string {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	var b strings.Builder
	b.WriteString(`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[`)
	lon, lat, heading := 4.9, 52.3, 0.0
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "[%.7f,%.7f]", lon, lat)
		heading += r.Float64()*0.6 - 0.3
		lon += 0.0009 + heading*0.0001
		lat += heading*0.0004 + (r.Float64()-0.5)*0.0001
		heading *= 0.97
	}
	fmt.Fprintf(&b, `]},"properties":{"index":0,"summary":{"lengthInMeters":%d},"sections":{"leg":[{"startPointIndex":0,"endPointIndex":%d}],"traffic":[`, n*80, n-1)
	for i := 0; i+40 < n; i += 400 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"mx33r0jk%08x","startPointIndex":%d,"endPointIndex":%d,"delayInSeconds":%d}`, r.Uint32(), i, i+37, i)
	}
	b.WriteString(`]},"progress":[`)
	for i := 0; i < n; i += 45 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"pointIndex":%d,"travelTimeInSeconds":%d}`, i, i*3)
	}
	b.WriteString(`]}}]}`)
	return b.String()
}

// TestResultStaysUnderTheLimit: the whole result as written, in UTF-16 code units, at the default of 120,000.
func TestResultStaysUnderTheLimit(t *testing.T) {
	original := wiggly(30_000)
	texts := map[string]string{
		"short text":         handleText,
		"long text":          `{"a":"` + strings.Repeat("x", 90_000) + `",` + handleText[1:],
		"text beyond ASCII":  `{"a":"` + strings.Repeat("日本é", 20_000) + `",` + handleText[1:],
		"surrogate pairs":    `{"a":"` + strings.Repeat("😀", 40_000) + `",` + handleText[1:],
		"escapes in escapes": `{"a":"` + strings.Repeat(`\"\\n`, 9_000) + `",` + handleText[1:],
	}
	script := routing(handleText, original)
	p := start(t, script)
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			script.Tool("tomtom-routing", testkit.Event(testkit.TextResult(text)))
			r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
			chars := testkit.Chars(r.Raw)
			if r.Status(t) != "fitted" {
				t.Fatalf("status %q", r.Status(t))
			}
			if chars >= 120_000 || chars < 113_000 {
				t.Errorf("%d characters, want just under 120,000", chars)
			}
			testkit.CheckFitted(t, r.AppData(t), []byte(original), *r.Simplification(t))
			if tenths := r.Simplification(t).MaxErrorM * 10; math.Abs(tenths-math.Round(tenths)) > 1e-9 {
				t.Errorf("max_error_m %v is no whole number of tenths", tenths/10)
			}
		})
	}
}

// TestSixDecimalsWhereTheyFit: a route that is a little too large as it is loses nothing that anyone could see.
func TestSixDecimalsWhereTheyFit(t *testing.T) {
	original := wiggly(15_000)
	p := start(t, routing(handleText, original))
	r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
	if r.Status(t) != "fitted" {
		t.Fatalf("status %q", r.Status(t))
	}
	if s := r.Simplification(t); s.MaxErrorM > 0.2 {
		t.Errorf("%+v: five decimals alone cost up to 0.7 m", s)
	}
	testkit.CheckFitted(t, r.AppData(t), []byte(original), *r.Simplification(t))
}

// TestPicturesCountApart: up to 1,000,000 characters with them, and not against the limit for the rest.
func TestPicturesCountApart(t *testing.T) {
	original := strings.Replace(wiggly(9_000), `{"type"`, `{"style":"x","sources":{"routes":{"type":"geojson","data":{"type"`, 1) + `}}}`
	script := testkit.NewScript(testkit.ListedTool("tomtom-dynamic-map")).
		Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(original)))
	p := start(t, script)
	for name, c := range map[string]struct {
		picture int
		want    []string
	}{
		"picture of 850,000":      {850_000, []string{"inline", "fitted"}},
		"picture of 940,000":      {940_000, []string{"fitted"}},
		"picture above the limit": {999_990, []string{"too_large"}},
	} {
		t.Run(name, func(t *testing.T) {
			script.Tool("tomtom-dynamic-map", testkit.Event(`{"content":[{"type":"image","data":"`+strings.Repeat("A", c.picture)+
				`","mimeType":"image/png"},{"type":"text","text":"{\"_meta\":{\"show_ui\":true,\"viz_id\":\"`+vizID+`\"}}"}]}`))
			r := p.client().Call(t, "tomtom-dynamic-map", `{"show_ui":true}`)
			status := r.Status(t)
			if !strings.Contains(strings.Join(c.want, " "), status) || status == "" {
				t.Fatalf("status %q, want %q", status, c.want)
			}
			if chars := testkit.Chars(r.Raw); chars-c.picture >= 120_000 || chars >= 1_000_000 && status != "too_large" {
				t.Errorf("%d characters, %d without the picture", chars, chars-c.picture)
			}
		})
	}
}

// TestLimitsBySetting: for all tools, and per tool before that.
func TestLimitsBySetting(t *testing.T) {
	original := wiggly(20_000)
	script := routing(handleText, original).
		Tool("tomtom-ev-routing", testkit.Event(testkit.TextResult(handleText)))
	p := start(t, script, "GATEWAY_RESULT_LIMIT=60000", "GATEWAY_TOOL_LIMITS=tomtom-ev-routing=90000")
	for tool, limit := range map[string]int{"tomtom-routing": 60_000, "tomtom-ev-routing": 90_000} {
		r := p.client().Call(t, tool, `{"show_ui":true}`)
		if r.Status(t) != "fitted" {
			t.Errorf("%s: status %q", tool, r.Status(t))
			continue
		}
		if chars := testkit.Chars(r.Raw); chars >= limit || chars < limit*94/100 {
			t.Errorf("%s: %d characters, want just under %d", tool, chars, limit)
		}
		testkit.CheckFitted(t, r.AppData(t), []byte(original), *r.Simplification(t))
	}
}

// TestLargestErrorBySetting: what is worse than the largest tolerated error is not drawn, per tool.
func TestLargestErrorBySetting(t *testing.T) {
	script := routing(handleText, wiggly(30_000)).
		Tool("tomtom-ev-routing", testkit.Event(testkit.TextResult(handleText)))
	p := start(t, script, "GATEWAY_RESULT_LIMIT=12000", "GATEWAY_MAX_ERROR_M=0.8", "GATEWAY_TOOL_MAX_ERRORS_M=tomtom-ev-routing=5000")
	r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
	if r.Status(t) != "too_large" || r.AppData(t) != nil || r.Simplification(t) != nil {
		t.Errorf("tomtom-routing: %s", r.Raw)
	}
	testkit.SameJSON(t, "text", []byte(r.OnlyText(t)), []byte(`{"features":[],"show_ui":true,"tool":"tomtom-routing"}`))
	r = p.client().Call(t, "tomtom-ev-routing", `{"show_ui":true}`)
	if r.Status(t) != "fitted" || r.Simplification(t).MaxErrorM <= 0.8 {
		t.Errorf("tomtom-ev-routing: %s %+v", r.Status(t), r.Simplification(t))
	}
}

// TestEqualCallsGiveEqualBytes: also from two processes.
func TestEqualCallsGiveEqualBytes(t *testing.T) {
	script := routing(handleText, wiggly(25_000))
	p := start(t, script)
	second := testkit.StartGateway(t, p.up.URL)
	first := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
	for i, url := range []string{p.URL, second.URL, second.URL} {
		again := testkit.Client{URL: url}.Call(t, "tomtom-routing", `{"show_ui":true}`)
		testkit.SameBytes(t, fmt.Sprintf("result %d", i), again.Raw, first.Raw)
	}
}

// TestFittedAgainChangesNothing: app data that a gateway fitted comes through a second gateway as it is.
func TestFittedAgainChangesNothing(t *testing.T) {
	script := routing(handleText, wiggly(25_000))
	p := start(t, script)
	once := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`).AppData(t)
	script.Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(string(once))))
	r := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
	if r.Status(t) != "inline" {
		t.Errorf("status %q", r.Status(t))
	}
	testkit.SameBytes(t, "app data", r.AppData(t), once)
}

// TestTextModes: keep leaves white space, minify removes it, auto removes it where that makes the map better.
func TestTextModes(t *testing.T) {
	pretty := "{\n    \"features\": [ 1.50,\n  \"a  b\" ],\n" + strings.Repeat(" ", 40_000) + `"_meta":{"show_ui":true,"viz_id":"` + vizID + `"}}`
	for _, mode := range []string{"keep", "minify", "auto"} {
		t.Run(mode, func(t *testing.T) {
			script := routing(pretty, routeData)
			p := start(t, script, "GATEWAY_TEXT="+mode)
			small := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
			script.Tool("tomtom-get-viz-data", testkit.Event(testkit.TextResult(wiggly(12_000))))
			large := p.client().Call(t, "tomtom-routing", `{"show_ui":true}`)
			if small.Status(t) != "inline" || large.AppData(t) == nil {
				t.Fatalf("statuses %q, %q", small.Status(t), large.Status(t))
			}
			for name, c := range map[string]struct {
				text string
				kept bool
			}{
				"exact beside the text":     {small.OnlyText(t), mode != "minify"},
				"not exact beside the text": {large.OnlyText(t), mode == "keep"},
			} {
				if got := strings.Contains(c.text, strings.Repeat(" ", 40_000)); got != c.kept {
					t.Errorf("%s: white space kept is %v", name, got)
				}
				if !c.kept && !strings.HasPrefix(c.text, `{"features":[1.50,"a  b"],`) {
					t.Errorf("%s: %s", name, c.text[:60])
				}
			}
		})
	}
}
