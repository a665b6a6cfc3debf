// Package bench measures the built gateway against its own upstream called directly: the same client, the same bytes,
// in turns, in one run. The upstream answers from memory in a process of its own, so that what the gateway costs can be
// told apart: its processor time is read from its process.
//
// Latencies are medians of single calls, one after the other. Figures are in docs/benchmarks.md.
package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// caller posts messages over one connection that stays open, and reads each answer whole.
type caller struct {
	url    string
	client *http.Client
	buf    []byte
}

func newCaller(b *testing.B, url string) *caller {
	b.Helper()
	transport := &http.Transport{DisableCompression: true, MaxIdleConns: 1}
	b.Cleanup(transport.CloseIdleConnections)
	return &caller{url: url, client: &http.Client{Transport: transport}, buf: make([]byte, 0, 4<<20)}
}

// post returns the answer's body, which is the caller's until the next post, and how long it took to have it whole.
func (c *caller) post(b *testing.B, message string) ([]byte, time.Duration) {
	b.Helper()
	began := time.Now()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, c.url, strings.NewReader(message))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Tomtom-Api-Key", testkit.Key)
	response, err := c.client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	c.buf = c.buf[:0]
	for {
		if len(c.buf) == cap(c.buf) {
			c.buf = append(c.buf, 0)[:len(c.buf)]
		}
		n, err := response.Body.Read(c.buf[len(c.buf):cap(c.buf)])
		c.buf = c.buf[:len(c.buf)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(began)
	if response.StatusCode != http.StatusOK {
		b.Fatalf("%d %.200s", response.StatusCode, c.buf)
	}
	return c.buf, took
}

// warmUp is how many pairs run before anything is measured.
const warmUp = 30

// pairs runs direct and through in turns, each of which returns what it took, and reports both medians, the difference
// of each pair's median, the ratio, and the gateway's processor time per call.
func pairs(b *testing.B, g *testkit.Gateway, direct, through func() time.Duration) {
	b.Helper()
	for range warmUp {
		direct()
		through()
	}
	var d, t, added []time.Duration
	before := testkit.CPUTime(b, g.PID())
	for b.Loop() {
		x, y := direct(), through()
		d, t, added = append(d, x), append(t, y), append(added, y-x)
	}
	used := testkit.CPUTime(b, g.PID()) - before
	b.ReportMetric(0, "ns/op") // both ways together mean nothing
	b.ReportMetric(milliseconds(median(d)), "direct-ms")
	b.ReportMetric(milliseconds(median(t)), "gateway-ms")
	b.ReportMetric(milliseconds(median(added)), "added-ms")
	b.ReportMetric(float64(median(t))/float64(median(d)), "ratio")
	if used > 0 {
		b.ReportMetric(milliseconds(used)/float64(len(t)), "gateway-cpu-ms/call")
	}
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// handleCall is a tool call and its redemption as an upstream in memory answers them.
type handleCall struct {
	tool, arguments string
	result, data    json.RawMessage // the results of the call and of tomtom-get-viz-data
}

// memory serves the call from memory in a process of its own.
func (c handleCall) memory(b *testing.B) *testkit.Process {
	b.Helper()
	return testkit.StartMemoryProcess(b, map[string]json.RawMessage{c.tool: c.result, "tomtom-get-viz-data": c.data})
}

// measure compares the call and its widget's second request at the upstream with the one call through the gateway, whose
// status has to be want.
func (c handleCall) measure(b *testing.B, want string) {
	b.Helper()
	up := c.memory(b)
	g := testkit.StartGateway(b, up.URL)
	straight, gateway := newCaller(b, up.URL), newCaller(b, g.URL)
	message := testkit.CallMessage("7", c.tool, c.arguments)
	redeem := testkit.CallMessage("8", "tomtom-get-viz-data", `{"viz_id":"x"}`)
	body, _ := gateway.post(b, message)
	r := testkit.Answer{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}.Result(b)
	if r.Status(b) != want {
		b.Fatalf("status %q, want %q", r.Status(b), want)
	}
	pairs(b, g,
		func() time.Duration {
			_, call := straight.post(b, message)
			_, fetch := straight.post(b, redeem)
			return call + fetch
		},
		func() time.Duration {
			_, took := gateway.post(b, message)
			return took
		})
	b.ReportMetric(float64(testkit.Chars(r.Raw)), "chars")
	vertices, errorM := testkit.Vertices(testkit.Routes(b, r.AppData(b))), 0.0
	if s := r.Simplification(b); s != nil {
		errorM = s.MaxErrorM
	}
	b.ReportMetric(float64(vertices), "vertices")
	b.ReportMetric(errorM, "error-m")
}

// recorded is a call recorded with TomTom's server.
func recorded(b *testing.B, call, data string) handleCall {
	b.Helper()
	c, d := testkit.LoadCapture(b, call), testkit.LoadCapture(b, data)
	m := c.Message(b)
	return handleCall{tool: m.Params.Name, arguments: string(m.Params.Arguments), result: c.Result, data: d.Result}
}

// synthetic is a call answered by the demonstration's upstream.
func synthetic(b *testing.B, tool, arguments string) handleCall {
	b.Helper()
	up := testkit.Client{URL: testkit.StartDemoProcess(b, 42).URL}
	result := up.Call(b, tool, arguments)
	var text struct {
		Meta struct {
			VizID string `json:"viz_id"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal([]byte(result.OnlyText(b)), &text); err != nil {
		b.Fatal(err)
	}
	data := up.Call(b, "tomtom-get-viz-data", fmt.Sprintf(`{"viz_id":%q}`, text.Meta.VizID))
	return handleCall{tool: tool, arguments: arguments, result: result.Raw, data: data.Raw}
}
