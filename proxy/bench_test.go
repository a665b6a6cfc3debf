package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cpuTime is the processor time of this process so far: upstream, gateway and host together.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkCall runs calls over TCP, directly and through the gateway, against an upstream that answers from memory.
// The difference between the two is the gateway's.
func BenchmarkCall(b *testing.B) {
	unowned := textResultOf(strings.Repeat("0123456789", 10_000))
	cases := []struct{ name, tool, result, data string }{
		{"unowned 100 KB", "other", unowned, ""},
		{"inline 2000 vertices", "tomtom-routing", textResultOf(handleText), textResultOf(routeOf(2000))},
		{"fitted 39414 vertices", "tomtom-routing", textResultOf(handleText), textResultOf(routeOf(39_414))},
		{"no app data", "tomtom-traffic", textResultOf(`{"a":"` + strings.Repeat("x", 20_000) + `","_meta":{"show_ui":true}}`), ""},
	}
	for _, c := range cases {
		up := newUpstreamServer(b, func(w http.ResponseWriter, in received) {
			if in.message.name == c.tool {
				answerEvent(w, in, c.result)
				return
			}
			answerEvent(w, in, c.data)
		})
		g := newGateway(b, up.URL)
		for _, way := range []struct{ name, url string }{{"direct", up.URL}, {"gateway", g.server.URL}} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) { benchmarkPosts(b, g.client, way.url, callOf("1", c.tool, `{"show_ui":true}`)) })
		}
		up.mu.Lock()
		up.log = nil
		up.mu.Unlock()
	}
}

func benchmarkPosts(b *testing.B, client *http.Client, url, body string) {
	b.Helper()
	b.ReportAllocs()
	size := int64(0)
	began := cpuTime(b)
	for b.Loop() {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+"/mcp", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header = mcpHeader()
		resp, err := client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil {
			b.Fatal(err)
		}
		closeBody(resp)
		size = n
	}
	b.ReportMetric(float64(cpuTime(b)-began)/float64(b.N)/1e6, "cpu-ms/op")
	b.ReportMetric(float64(size), "answer-bytes")
}

// BenchmarkEventReader reads a stream of one large event behind some progress.
func BenchmarkEventReader(b *testing.B) {
	stream := []byte(strings.Repeat("event: message\ndata: {\"method\":\"notifications/progress\"}\n\n", 10) + eventOf("1", textResultOf(routeOf(8_240))))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		events := newEventReader(&chunks{stream, 16 << 10}, 1<<30, newMemory)
		for {
			if _, err := events.next(); err != nil {
				break
			}
		}
	}
}

// BenchmarkResultEdits rewrites the text JSON of a long compact text, without fitting.
func BenchmarkResultEdits(b *testing.B) {
	text := "{\n  \"a\": [\n" + strings.Repeat("    {\n      \"startPointIndex\": 3469,\n      \"streetName\": \"Ringweg Noord\"\n    },\n", 1300) + "    {}\n  ],\n  \"_meta\": {\n    \"show_ui\": true,\n    \"viz_id\": \"x\"\n  }\n}"
	for name, minify := range map[string]bool{"as written": false, "minified": true} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				res := opened(b, "tomtom-routing", `{}`, true, textResultOf(text))
				if got := rewritten(res, res.outcomeEdits(outcome{status: statusInline, minify: minify})); !bytes.Contains([]byte(got), []byte("tomtom-routing")) {
					b.Fatal(got)
				}
			}
		})
	}
}
