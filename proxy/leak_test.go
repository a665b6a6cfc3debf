package proxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestManyKindsOfRequestsAtOnce: each gets its own answer, whatever runs beside it. It is for the race detector, too.
func TestManyKindsOfRequestsAtOnce(t *testing.T) {
	const wide = 64
	dataOf := func(key string) string { return strings.Replace(routeDoc, `"sections":{}`, `"of":"`+key+`"`, 1) }
	up := newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		key := in.header.Get("Tomtom-Api-Key")
		w.Header().Set("Content-Type", "text/event-stream")
		messages, _, _ := scanMessages(in.body)
		for _, m := range messages {
			result := `{"of":"` + key + `"}`
			switch {
			case m.method == methodListTools:
				result = `{"tools":[{"name":"tomtom-data-viz","inputSchema":{"type":"object"}}]}`
			case m.name == "tomtom-get-viz-data":
				result = textResultOf(dataOf(key))
			case m.name == "tomtom-data-viz" || m.name == "tomtom-routing":
				_, _ = io.WriteString(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"of\":\""+key+"\"}}\n\n")
				flusher(w)()
				result = textResultOf(strings.Replace(handleText, `"summary": "ü"`, `"of": "`+key+`"`, 1))
			case m.name == "tomtom-geocode":
				dropConnection(w)
				return
			}
			_, _ = io.WriteString(w, eventOf(string(m.raw(m.id)), result))
		}
	})
	g := newGateway(t, up.URL)
	// What a request sends, and what its answer holds besides the caller's own key.
	kinds := []struct {
		body   string
		status int
		app    bool
		holds  []string
	}{
		{callOf("1", "tomtom-routing", "{}"), 200, true, []string{statusInline}},
		{callOf(`"1"`, "tomtom-data-viz", `{"geojson":{}}`), 200, true, []string{statusInline}},
		{"[" + callOf("1", "tomtom-routing", "{}") + "," + callOf("2", "tomtom-routing", "{}") + "]", 200, true, []string{statusInline}},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 200, false, []string{testWidget.URI, "tomtom-get-app-data"}},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + testWidget.URI + `"}}`, 200, false, []string{`"contents"`}},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, false, []string{`"of"`}},
		{callOf("1", "tomtom-geocode", "{}"), 502, false, []string{`"error"`}},
		{callOf("1", "tomtom-get-viz-data", "{}"), 200, false, []string{refusedTool}},
		{"{", 200, false, nil},
	}
	var all sync.WaitGroup
	for i := range wide {
		all.Go(func() {
			key := fmt.Sprintf("caller-%d-", i)
			for j := range 4 {
				kind := kinds[(i+j)%len(kinds)]
				got := g.post(t, kind.body, "Tomtom-Api-Key", key)
				text := string(got.body)
				if got.status != kind.status {
					t.Errorf("%s: status %d: %.200s", kind.body, got.status, text)
				}
				for _, want := range kind.holds {
					if !strings.Contains(text, want) {
						t.Errorf("%s: no %s in %.300s", kind.body, want, text)
					}
				}
				if strings.Count(text, "caller-") != strings.Count(text, key) {
					t.Errorf("%s: another caller's answer: %.300s", kind.body, text)
				}
				if !kind.app || got.status != http.StatusOK {
					continue
				}
				if res, doc := parseResult(t, resultOf(t, got)); string(doc) != dataOf(key) {
					t.Errorf("%s: status %s, data %.300s", kind.body, res.Meta.Status, doc)
				}
			}
		})
	}
	all.Wait()
	if held := g.room.held.Load(); held != 0 {
		t.Errorf("%d bytes are still held", held)
	}
}

// TestNothingLeaks after hosts went away in every phase of a request, in either era: neither goroutines nor connections
// nor held bytes.
func TestNothingLeaks(t *testing.T) {
	release := make(chan struct{})
	reached := make(chan string, 1000)
	up := newUpstreamServer(t, nil)
	up.versions = dualEra
	wait := func(in received, phase string) {
		reached <- phase
		select {
		case <-release:
		case <-in.r.Context().Done():
		}
	}
	up.answer = func(w http.ResponseWriter, in received) {
		phase := in.header.Get("X-Phase")
		w.Header().Set("Content-Type", "text/event-stream")
		if in.method == http.MethodGet {
			flusher(w)()
			wait(in, phase)
			return
		}
		switch {
		case phase == "before the answer":
			wait(in, phase)
		case phase == "in the answer":
			_, _ = io.WriteString(w, "event: message\ndata: {\"result\":{\"content\":[")
			flusher(w)()
			wait(in, phase)
			return
		case phase == "in the redemption" && in.message.name == "tomtom-get-viz-data":
			wait(in, phase)
		}
		result := textResultOf(handleText)
		if in.message.name == "tomtom-get-viz-data" {
			result = textResultOf(routeDoc)
		}
		_, _ = io.WriteString(w, eventOf(string(in.message.raw(in.message.id)), result))
		if phase == "behind the answer" && in.message.name != "tomtom-get-viz-data" {
			flusher(w)()
			wait(in, phase)
		}
	}
	g := newGateway(t, up.URL)
	quiet := func() (goroutines, files int) {
		g.client.CloseIdleConnections()
		g.upstream.shared.CloseIdleConnections()
		return runtime.NumGoroutine(), openFiles(t)
	}
	g.call(t, "tomtom-traffic", "{}") // whatever is made once
	g.post(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	settled(t, "the start", func() bool { a, _ := quiet(); b, _ := quiet(); return a == b })
	goroutines, files := quiet()

	bodies := map[string]func(id, tool, args string) string{"2025-06-18": callOf, modernVersion: modernCallOf}
	phases := []string{"before the answer", "in the answer", "behind the answer", "in the redemption"}
	sent := 0
	for range 3 {
		for _, phase := range phases {
			for _, version := range []string{"2025-06-18", modernVersion} {
				for _, tool := range []string{"tomtom-routing", "other"} {
					if tool == "other" && phase == "in the redemption" {
						continue
					}
					ctx, cancel := context.WithCancel(t.Context())
					request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.server.URL+"/mcp", strings.NewReader(bodies[version]("1", tool, "{}")))
					if err != nil {
						t.Fatal(err)
					}
					request.Header = mcpHeader("X-Phase", phase, headerVersion, version)
					mirrorInto(request.Header, bodies[version]("1", tool, "{}"))
					goAway(t, g, request, cancel, reached)
					sent++
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		request, _ := http.NewRequestWithContext(ctx, http.MethodGet, g.server.URL+"/mcp", nil)
		request.Header = mcpHeader("X-Phase", "GET")
		goAway(t, g, request, cancel, reached)
	}
	close(release) // a legacy call goes on without its host, and ends when the upstream has answered
	settled(t, "goroutines and files", func() bool {
		now, open := quiet()
		return now <= goroutines && open <= files
	})
	if held := g.room.held.Load(); held != 0 {
		t.Errorf("%d bytes are still held", held)
	}
	if lines := g.logged.calls(t); len(lines) != 1+3*2*len(phases) {
		t.Errorf("%d log lines about calls, want one for each", len(lines))
	}
	if calls := len(up.calls("tomtom-routing")) + len(up.calls("other")); calls != sent {
		t.Errorf("%d calls upstream, want %d", calls, sent)
	}
}

// goAway sends a request, waits until the upstream is where it should be, and hangs up.
func goAway(t testing.TB, g *gateway, request *http.Request, cancel func(), reached <-chan string) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if resp, err := g.client.Do(request); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			closeBody(resp)
		}
	}()
	if phase := <-reached; phase != request.Header.Get("X-Phase") {
		t.Errorf("phase %q", phase)
	}
	cancel()
	<-ended
}

// settled waits until ok is true, for what has no event to wait for.
func settled(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%s did not settle:\n%s", what, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

// openFiles counts the process's descriptors; 0 where they cannot be counted.
func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
