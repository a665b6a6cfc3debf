package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

// BenchmarkUnowned is a result of 100 KB that the gateway has nothing to do with, direct and through it: of a tool that is
// not TomTom's, and of a method that is no tool call. Every tool call has an upstream connection of its own.
func BenchmarkUnowned(b *testing.B) {
	text := strings.Repeat(`{"id":"mx33r0jeskpsnzwxjdo","position":[4.8970001,52.3779002],"name":"Café <Zuid> & Co"},`, 2000)[:100_000]
	up := testkit.StartMemoryProcess(b, map[string]json.RawMessage{"other": json.RawMessage(testkit.TextResult(text))})
	for name, method := range map[string]string{"tool": "tools/call", "method": "prompts/get"} {
		b.Run(name, func(b *testing.B) {
			g := testkit.StartGateway(b, up.URL)
			straight, gateway := newCaller(b, up.URL), newCaller(b, g.URL)
			message := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{"name":"other","arguments":{}}}`, method)
			want, _ := straight.post(b, message)
			if got, _ := gateway.post(b, message); string(got) != string(want) {
				b.Fatal("the gateway changed the answer")
			}
			once := func(c *caller) func() time.Duration {
				return func() time.Duration {
					_, took := c.post(b, message)
					return took
				}
			}
			pairs(b, g, once(straight), once(gateway))
		})
	}
}

// BenchmarkInline is a route whose app data fits as it is.
func BenchmarkInline(b *testing.B) {
	b.Run("recorded-8240", func(b *testing.B) {
		recorded(b, "tomtom-routing-8240-ui-compact", "tomtom-get-viz-data-routing-8240").measure(b, "inline")
	})
	b.Run("demo-Amsterdam-Berlin", func(b *testing.B) {
		synthetic(b, "tomtom-routing", `{"show_ui":true,"locations":[[4.897,52.3779],[13.405,52.52]]}`).measure(b, "inline")
	})
}

// BenchmarkFitted is a route that has to be simplified.
func BenchmarkFitted(b *testing.B) {
	b.Run("recorded-39414", func(b *testing.B) {
		recorded(b, "tomtom-routing-39414-ui-compact", "tomtom-get-viz-data-routing-39414").measure(b, "fitted")
	})
	b.Run("demo-Lisbon-Warsaw", func(b *testing.B) {
		synthetic(b, "tomtom-routing", `{"show_ui":true,"locations":[[-9.1393,38.7223],[21.0122,52.2297]]}`).measure(b, "fitted")
	})
}

// BenchmarkReplicas counts, of 40 calls that two replicas serve in turns, those that end without app data: with a widget
// that fetches it by a second request, and through two gateways. Before every second fetch one request of somebody else
// reaches the alternation, as e2e/hosts explains.
func BenchmarkReplicas(b *testing.B) {
	const calls = 40
	one, two := testkit.StartDemoProcess(b, 42), testkit.StartDemoProcess(b, 42)
	upstreams := []*caller{newCaller(b, one.URL), newCaller(b, two.URL)}
	gateways := []*caller{newCaller(b, testkit.StartGateway(b, one.URL).URL), newCaller(b, testkit.StartGateway(b, two.URL).URL)}
	var missedOld, missed, runs int
	for b.Loop() {
		runs++
		for i, n := 0, 0; i < calls; i++ {
			arguments := fmt.Sprintf(`{"show_ui":true,"locations":[[4.897,52.3779],[%.3f,52.09]]}`, 5+float64(i)/100)
			message := testkit.CallMessage("7", "tomtom-routing", arguments)
			old, _ := upstreams[n%2].post(b, message)
			handle := string(old[strings.LastIndex(string(old), `viz_id`):])
			handle = strings.Split(handle, `\"`)[2]
			through, _ := gateways[n%2].post(b, message)
			if !strings.Contains(string(through), `"`+testkit.MetaAppData+`":"H4sI`) {
				missed++
			}
			n += 1 + i%2
			fetched, _ := upstreams[n%2].post(b, testkit.CallMessage("8", "tomtom-get-viz-data", fmt.Sprintf(`{"viz_id":%q}`, handle)))
			if strings.Contains(string(fetched), `"isError":true`) {
				missedOld++
			}
			n++
		}
	}
	b.ReportMetric(float64(missed)/float64(runs), "missed/40")
	b.ReportMetric(float64(missedOld)/float64(runs), "missed-without-gateway/40")
}
