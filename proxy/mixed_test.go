package proxy

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/semaphore"
)

// mixedCall is one request of TestAnswersOfManyCallsDoNotMix. Whatever its caller can see has the mark.
type mixedCall struct {
	name, mark string
	body       string
}

// mixedCalls are calls of every kind under one mark.
func mixedCalls(mark string) (calls []mixedCall) {
	add := func(name, body string) { calls = append(calls, mixedCall{name, mark, body}) }
	args := `{"mark":"` + mark + `"}`
	for _, name := range []string{
		"inline", "inline as JSON", "fitted", "too large", "gone", "cut short", "reset redemption", "tool error", "untrimmed", "long text", "reset answer", "oversize",
	} {
		tool := "tomtom-routing"
		if name == "fitted" {
			tool = "tomtom-ev-routing" // has a low limit
		}
		add(name, callOf(`"`+mark+`"`, tool, args))
	}
	add("unknown tool", callOf(`"`+mark+`"`, "tomtom-unknown", args))
	add("tools/list", `{"jsonrpc":"2.0","id":"`+mark+`","method":"tools/list"}`)
	add("inline", callOf(`"`+mark+`"`, "tomtom-get-app-data", `{"geojson":{},"mark":"`+mark+`"}`))
	batch := "[" + callOf(`"`+mark+`1"`, "tomtom-routing", args) + "," + callOf(`"`+mark+`2"`, "tomtom-ev-routing", args) + "," +
		callOf(`"`+mark+`3"`, "tomtom-traffic", args) + "]"
	add("inline", batch)
	add("fitted", batch)
	add("inline as JSON", batch)
	return calls
}

// mixedLong is about how long long texts are: more than a connection with small buffers takes ahead of its reader.
const mixedLong = 600_000

// mixedText is a text JSON with a mark.
func mixedText(mark string, more int) string {
	return `{"of":"` + mark + `","pad":"` + strings.Repeat(mark, more) + `","_meta":{"show_ui":true,"viz_id":"` + mark + `"}}`
}

// mixedData is the app data of a kind of call.
func mixedData(name, mark string) string {
	n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(mark, "caller-"), "-"))
	of := `"summary":{"of":"` + mark + `",`
	switch name {
	case "fitted":
		return strings.Replace(routeOf(4000+100*n), `"summary":{`, of, 1)
	case "too large":
		random := make([]byte, 120_000)
		_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(random)
		return `{"features":[],"of":"` + mark + `","pad":"` + base64.StdEncoding.EncodeToString(random) + `"}`
	}
	return strings.Replace(routeOf(20+n), `"summary":{`, of, 1)
}

// mixedUpstream answers as the header says that the call wants to be answered. Redemptions of those that hang wait for release.
func mixedUpstream(t testing.TB, release <-chan struct{}) *fakeUpstream {
	t.Helper()
	return newUpstreamServer(t, func(w http.ResponseWriter, in received) {
		name, mark := in.header.Get("X-Kind"), in.header.Get("X-Mark")
		messages, batch, _ := scanMessages(in.body)
		if in.message.name == "tomtom-get-viz-data" {
			mixedRedemption(w, in, name, mark, release)
			return
		}
		var responses [][]byte
		for _, m := range messages {
			result := textResultOf(mixedText(mark, 0))
			switch {
			case m.method == methodListTools:
				result = `{"tools":[{"name":"tomtom-routing","description":"` + mark + `","inputSchema":{"type":"object"}}]}`
			case name == "tool error":
				result = strings.TrimSuffix(result, "}") + `,"isError":true}`
			case name == "untrimmed":
				result = textResultOf(mixedData("inline", mark))
			case name == "long text":
				result = textResultOf(mixedText(mark, mixedLong/len(mark)))
			case name == "oversize":
				result = textResultOf(mixedText(mark, 2*mixedLong/len(mark)))
			}
			responses = append(responses, resultResponse(m.raw(m.id), []byte(result)))
		}
		if name == "inline as JSON" {
			w.Header().Set("Content-Type", "application/json")
			if batch {
				responses[0] = joinArray(responses)
			}
			_, _ = w.Write(responses[0])
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, response := range responses {
			event := newEvent(response)
			if name == "reset answer" {
				_, _ = w.Write(event[:len(event)/2])
				flusher(w)()
				dropConnection(w)
				return
			}
			_, _ = w.Write(event)
			flusher(w)()
		}
	})
}

func mixedRedemption(w http.ResponseWriter, in received, name, mark string, release <-chan struct{}) {
	data := mixedData(name, mark)
	switch name {
	case "gone":
		answerEvent(w, in, `{"content":[{"type":"text","text":"`+mark+` expired"}],"isError":true}`)
		return
	case "cut short":
		data = data[:len(data)/2]
	case "reset redemption":
		w.Header().Set("Content-Type", "text/event-stream")
		event := eventOf(string(in.message.raw(in.message.id)), textResultOf(data))
		_, _ = io.WriteString(w, event[:len(event)/2])
		flusher(w)()
		dropConnection(w)
		return
	case "hangs":
		<-release
	}
	answerEvent(w, in, textResultOf(data))
}

// send sends the call and returns the answer, which is read to its end unless reading fails.
func (c mixedCall) send(g *gateway, client *http.Client, read func(io.Reader) ([]byte, error)) (string, error) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, g.server.URL+"/mcp", strings.NewReader(c.body))
	if err != nil {
		return "", err
	}
	request.Header = mcpHeader("X-Kind", c.name, "X-Mark", c.mark)
	resp, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer closeBody(resp)
	body, err := read(resp.Body)
	return resp.Status + "\n" + string(body), err
}

// slowHost reads little at a time, over a connection that holds little, and in the middle waits until all others are done.
func slowHost(others *sync.WaitGroup) (*http.Client, func(io.Reader) ([]byte, error)) {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(64 << 10)
		}
		return conn, err
	}
	read := func(body io.Reader) ([]byte, error) {
		var all bytes.Buffer
		if _, err := io.CopyN(&all, body, 1<<10); err != nil {
			return all.Bytes(), err
		}
		others.Wait()
		_, err := all.ReadFrom(body)
		return all.Bytes(), err
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true, DisableCompression: true}}, read
}

// smallBuffers serves a handler over connections that take little ahead of their readers.
func smallBuffers(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(64 << 10)
		}
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// TestAnswersOfManyCallsDoNotMix: buffers and workspaces go from one call to the next. What each call gets when many run at
// once, of every kind, some for hosts that stop reading or go away, is to the byte what it gets alone, and nobody else's.
func TestAnswersOfManyCallsDoNotMix(t *testing.T) {
	release := make(chan struct{})
	up := mixedUpstream(t, release)
	g := newGateway(t, up.URL, func(o *Options) {
		o.MaxResponseBytes = mixedLong + 4<<10
		o.ToolLimitChars = map[string]int{"tomtom-ev-routing": 20_000}
	})
	g.server = smallBuffers(t, g.Gateway)
	g.room.slots = semaphore.NewWeighted(1000) // those that hang must not keep the others from a slot
	var calls []mixedCall
	callers := 4
	if testing.Short() { // under the race detector
		callers = 2
	}
	for i := range callers {
		calls = append(calls, mixedCalls(fmt.Sprintf("caller-%d-", 10+i))...)
	}
	alone := map[mixedCall]string{}
	for _, c := range calls {
		got, err := c.send(g, g.client, io.ReadAll)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if n := strings.Count(got, "caller-"); n == 0 || n != strings.Count(got, c.mark) {
			t.Fatalf("%s: not the caller's own answer: %.300s", c.name, got)
		}
		alone[c] = got
	}

	var others, hanging, slow sync.WaitGroup
	check := func(c mixedCall, want string, client *http.Client, read func(io.Reader) ([]byte, error)) {
		got, err := c.send(g, client, read)
		if err != nil || got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s of %s: %d bytes, not %d; they differ from %d on: %.100q; %v", c.name, c.mark, len(got), len(want), at, got[at:], err)
		}
	}
	for i, c := range calls {
		want := alone[c]
		for range 3 {
			others.Go(func() { check(c, want, g.client, io.ReadAll) })
		}
		if i%3 == 0 { // goes away in the middle of the answer
			others.Go(func() {
				_, _ = c.send(g, g.client, func(r io.Reader) ([]byte, error) { _, err := io.ReadFull(r, make([]byte, 100)); return nil, err })
			})
		}
		switch c.name {
		case "inline":
			hangs := mixedCall{"hangs", c.mark, c.body}
			hanging.Go(func() { check(hangs, want, g.client, io.ReadAll) })
		case "long text", "oversize", "fitted":
			client, read := slowHost(&others)
			slow.Go(func() { check(c, want, client, read) })
		}
	}
	others.Wait()
	close(release)
	hanging.Wait()
	slow.Wait()
	g.server.Close()
	if held := g.room.held.Load(); held != 0 {
		t.Errorf("%d bytes are still held", held)
	}
	if strings.Contains(g.logged.String(), "caller-") {
		t.Error("the log holds what callers sent")
	}
}
