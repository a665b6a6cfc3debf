package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

func TestLimits(t *testing.T) {
	long := func(n int) string {
		return `{"a":"` + strings.Repeat("ü", n) + `","_meta":{"show_ui":true,"viz_id":"x"}}`
	}
	pretty := "{\n" + strings.Repeat("        \n", 3000) + "  \"_meta\": {\n    \"show_ui\": true,\n    \"viz_id\": \"x\"\n  }\n}"
	image := func(n int) string {
		return `{"content":[{"type":"image","data":"` + strings.Repeat("A", n) + `","mimeType":"image/png"},` + textResultOf(handleText)[len(`{"content":[`):]
	}
	tests := []struct {
		name   string
		result string
		doc    string
		set    func(*Options)
		status string
		reason string
	}{
		{"fits", textResultOf(long(10)), routeOf(2000), nil, statusInline, ""},
		{"does not fit exactly", textResultOf(long(10)), routeOf(40_000), nil, statusFitted, ""},
		{"text takes the room", textResultOf(long(119_800)), routeOf(2000), nil, statusTooLarge, "text"},
		{"text above the limit", textResultOf(long(200_000)), routeOf(2000), nil, statusTooLarge, "text"},
		{"largest error", textResultOf(long(10)), routeOf(20_000), func(o *Options) { o.MaxErrorM, o.LimitChars = 0.8, 20_000 }, statusTooLarge, "data"},
		{"largest error of the tool", textResultOf(long(10)), routeOf(20_000), func(o *Options) {
			o.LimitChars, o.ToolMaxErrorM = 20_000, map[string]float64{"tomtom-routing": 0.8}
		}, statusTooLarge, "data"},
		{"limit of the tool", textResultOf(long(10)), routeOf(2000), func(o *Options) { o.ToolLimitChars = map[string]int{"tomtom-routing": 9_000} }, statusFitted, ""},
		{"minified for room", textResultOf(pretty), routeOf(2000), func(o *Options) { o.LimitChars = 40_000 }, statusInline, ""},
		{"an image counts apart", image(500_000), routeOf(2000), nil, statusInline, ""},
		{"the second limit", image(999_900), routeOf(2000), nil, statusTooLarge, "media"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
				if in.message.name == "tomtom-routing" {
					answerEvent(w, in, tt.result)
					return
				}
				answerEvent(w, in, textResultOf(tt.doc))
			})
			options := func(o *Options) {
				if tt.set != nil {
					tt.set(o)
				}
			}
			g := newGateway(t, up.URL, options)
			raw := g.call(t, "tomtom-routing", `{}`)
			res, doc := parseResult(t, raw)
			if res.Meta.Status != tt.status {
				t.Fatalf("status %s, log %v", res.Meta.Status, g.logged.calls(t))
			}
			line := g.logged.calls(t)[0]
			if line["reason"] != tt.reason {
				t.Errorf("reason %v", line["reason"])
			}
			limit := g.limitChars(mustPolicy(t, "tomtom-routing"))
			chars := jsonspan.UTF16Len(raw)
			if strings.Contains(tt.name, "image") {
				chars -= 500_000
			}
			if tt.status != statusTooLarge && chars >= limit {
				t.Errorf("%d characters of %d", chars, limit)
			}
			switch tt.status {
			case statusInline:
				if string(doc) != tt.doc {
					t.Error("the data is not exact")
				}
				if res.Meta.Simplification != nil {
					t.Error("says it was simplified")
				}
			case statusFitted:
				if s := res.Meta.Simplification; s == nil || s.Points >= s.OriginalPoints || s.Shed == nil || s.MaxErrorM <= 0 {
					t.Errorf("simplification %+v", s)
				}
				if float64(chars) < 0.9*float64(limit) {
					t.Errorf("%d characters of %d: more would fit", chars, limit)
				}
			}
			if tt.name == "minified for room" && !strings.Contains(string(raw), `"text":"{\"show_ui\":true,\"tool\":\"tomtom-routing\"}"`) {
				t.Errorf("not minified: %.200s", raw)
			}
		})
	}
}

// TestExactUpToTheLastCharacter: a document that leaves the result one below the limit is inline, though a fitted one
// would need room for com.tomtom/simplification too.
func TestExactUpToTheLastCharacter(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeOf(2000)}))
	whole := jsonspan.UTF16Len(newGateway(t, up.URL).call(t, "tomtom-routing", `{}`))
	for limit, want := range map[int]string{whole + 1: statusInline, whole: statusFitted} {
		g := newGateway(t, up.URL, func(o *Options) { o.LimitChars, o.Text = limit, TextKeep })
		raw := g.call(t, "tomtom-routing", `{}`)
		if res, _ := parseResult(t, raw); res.Meta.Status != want || jsonspan.UTF16Len(raw) >= limit {
			t.Errorf("limit %d: status %s, %d characters", limit, res.Meta.Status, jsonspan.UTF16Len(raw))
		}
	}
}

// TestLimitNearTheExactSize: a document that would nearly fit as it is, and is altered after all, has com.tomtom/simplification
// beside it.
func TestLimitNearTheExactSize(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeOf(64)}))
	g := newGateway(t, up.URL)
	seen := map[string]bool{}
	for limit := 700; limit < 1100; limit += 4 {
		g.options.LimitChars = limit
		raw := g.call(t, "tomtom-routing", `{}`)
		if chars := jsonspan.UTF16Len(raw); chars >= limit {
			t.Errorf("%d characters, limit %d", chars, limit)
		}
		res, _ := parseResult(t, raw)
		seen[res.Meta.Status] = true
	}
	if !seen[statusFitted] || !seen[statusInline] {
		t.Errorf("statuses %v: the limits are not around the exact size", seen)
	}
}

func TestTextModes(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	minified := `{"summary":"ü","show_ui":true,"tool":"tomtom-routing"}`
	for mode, want := range map[TextMode]string{TextKeep: plainText, TextMinify: minified, TextAuto: plainText} {
		g := newGateway(t, up.URL, func(o *Options) { o.Text = mode })
		if res, _ := parseResult(t, g.call(t, "tomtom-routing", `{}`)); res.Content[0].Text != want {
			t.Errorf("%s: %q", mode, res.Content[0].Text)
		}
	}
}

// TestMinifiedWithoutAppData: white space that takes a result over its limit goes also where no app data comes in its
// place, unless the text is to be kept.
func TestMinifiedWithoutAppData(t *testing.T) {
	blank := "{\n" + strings.Repeat("        \n", 3000) + "  \"_meta\": {\n    \"show_ui\": true,\n    \"viz_id\": \"x\"\n  }\n}"
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": blank, "tomtom-get-viz-data": routeOf(20_000)}))
	for mode, under := range map[TextMode]bool{TextAuto: true, TextMinify: true, TextKeep: false} {
		g := newGateway(t, up.URL, func(o *Options) { o.Text, o.LimitChars, o.MaxErrorM = mode, 20_000, 0.8 })
		raw := g.call(t, "tomtom-routing", `{}`)
		res, _ := parseResult(t, raw)
		if chars := jsonspan.UTF16Len(raw); res.Meta.Status != statusTooLarge || (chars < 20_000) != under {
			t.Errorf("%s: status %s, %d characters", mode, res.Meta.Status, chars)
		}
	}
}

// TestAnswerTooLarge passes unaltered, and the log says why.
func TestAnswerTooLarge(t *testing.T) {
	text := `{"a":"` + strings.Repeat("x", 100_000) + `","_meta":{"show_ui":true,"viz_id":"x"}}`
	for _, framing := range []string{"events", "JSON"} {
		for _, limits := range []struct {
			response, buffered int64
			reason             string
		}{{50_000, 1 << 20, "answer too large"}, {1 << 20, 50_000, "no room to hold the answer"}} {
			t.Run(framing+" "+limits.reason, func(t *testing.T) {
				var want string
				up := newUpstreamServer(t, func(w http.ResponseWriter, _ received) {
					if framing == "events" {
						want = ": before\n\n" + eventOf("1", textResultOf(text)) + ": behind\n\n"
						w.Header().Set("Content-Type", "text/event-stream")
					} else {
						want = string(resultResponse([]byte("1"), []byte(textResultOf(text))))
						w.Header().Set("Content-Type", "application/json")
					}
					_, _ = io.WriteString(w, want)
				})
				g := newGateway(t, up.URL, func(o *Options) { o.MaxResponseBytes, o.MaxBufferedBytes = limits.response, limits.buffered })
				got := g.post(t, callOf("1", "tomtom-routing", `{}`))
				if string(got.body) != want {
					t.Errorf("the answer changed: %.100q … %d of %d bytes", got.body, len(got.body), len(want))
				}
				lines := g.logged.calls(t)
				if len(lines) != 1 || lines[0]["reason"] != limits.reason || lines[0]["status"] != statusUnavailable {
					t.Errorf("log %v", lines)
				}
				if held := g.room.held.Load(); held != 0 {
					t.Errorf("%d bytes still held", held)
				}
			})
		}
	}
}

// TestNoSlot: without a slot for fitting the result goes out without app data, and nothing is redeemed.
func TestNoSlot(t *testing.T) {
	up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc}))
	g := newGateway(t, up.URL)
	g.room.wait = time.Millisecond
	for g.room.slots.TryAcquire(1) {
	}
	// An untrimmed text stays whole: the widget can draw from it.
	up.answer = tomtom(map[string]string{"tomtom-routing": routeDoc})
	if res, doc := parseResult(t, g.call(t, "tomtom-routing", `{}`)); doc != nil || res.Meta.Status != statusText ||
		res.Content[0].Text != strings.TrimSuffix(routeDoc, "}")+`,"show_ui":true,"tool":"tomtom-routing"}` {
		t.Errorf("status %s, text %s", res.Meta.Status, res.Content[0].Text)
	}
	if lines := g.logged.calls(t); len(lines) != 1 || lines[0]["status"] != statusText || lines[0]["reason"] != "busy" {
		t.Errorf("log %v", lines)
	}
	up.answer = tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": routeDoc})
	res, _ := parseResult(t, g.call(t, "tomtom-routing", `{}`))
	if res.Meta.Status != statusUnavailable || res.Content[0].Text != plainText {
		t.Errorf("status %s", res.Meta.Status)
	}
	if lines := g.logged.calls(t); len(lines) != 2 || lines[1]["reason"] != "busy" {
		t.Errorf("log %v", lines)
	}
	if n := len(up.calls("tomtom-get-viz-data")); n != 0 {
		t.Errorf("%d redemptions", n)
	}
}
