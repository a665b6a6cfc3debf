package hosts

import (
	"fmt"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

const replicaCalls = 40

// alternation hands out addresses in turn, as a balancer of HTTP requests does.
type alternation struct {
	urls []string
	n    int
}

func (a *alternation) next() testkit.Client {
	a.n++
	return testkit.Client{URL: a.urls[(a.n-1)%len(a.urls)]}
}

// routeCall is a call whose answer differs from call to call.
func routeCall(i int) string {
	return fmt.Sprintf(`{"show_ui":true,"locations":[[4.897,52.3779],[%.3f,52.09]]}`, 5.0+float64(i)/100)
}

// betweenCallAndFetch is the traffic of others that reaches the alternation between a call and its widget's second
// request. Half of the time it is one request, so that half of the fetches go to the other replica: what a balancer that
// takes turns does to independent callers.
func betweenCallAndFetch(t *testing.T, a *alternation, i int) {
	t.Helper()
	if i%2 == 1 {
		a.next().Post(t, `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	}
}

// TestReplicasTheOldWay shows what the gateway is for: a widget that fetches its data by a second request misses it on
// half of the calls, with two upstreams that take turns.
func TestReplicasTheOldWay(t *testing.T) {
	a := &alternation{urls: []string{testkit.StartDemoProcess(t, seed).URL, testkit.StartDemoProcess(t, seed).URL}}
	missed := 0
	for i := range replicaCalls {
		handle := handleOf(a.next().Call(t, "tomtom-routing", routeCall(i)))
		betweenCallAndFetch(t, a, i)
		if a.next().Call(t, "tomtom-get-viz-data", `{"viz_id":"`+handle+`"}`).IsError {
			missed++
		}
	}
	t.Logf("%d of %d calls without app data", missed, replicaCalls)
	if missed != replicaCalls/2 {
		t.Errorf("%d of %d missed, want %d", missed, replicaCalls, replicaCalls/2)
	}
}

// TestReplicasThroughTheGateway: two gateway processes that take turns, each in front of an upstream process of its
// own, and the same traffic: no result without app data, no widget with a second request.
func TestReplicasThroughTheGateway(t *testing.T) {
	one, two := testkit.StartDemoProcess(t, seed), testkit.StartDemoProcess(t, seed)
	a := &alternation{urls: []string{testkit.StartGateway(t, one.URL).URL, testkit.StartGateway(t, two.URL).URL}}
	missed := 0
	for i := range replicaCalls {
		r := a.next().Call(t, "tomtom-routing", routeCall(i))
		betweenCallAndFetch(t, a, i)
		if r.AppData(t) == nil {
			missed++
		}
	}
	if missed != 0 {
		t.Errorf("%d of %d without app data", missed, replicaCalls)
	}
	for _, up := range []*testkit.Process{one, two} {
		if s := up.Seen(t); s.Calls["tomtom-routing"] < replicaCalls/4 || s.Calls["tomtom-routing"] != s.Calls["tomtom-get-viz-data"] {
			t.Errorf("an upstream saw %v", s.Calls)
		}
	}
}

// TestReplicasBehindATCPBalancer: the gateway does not know of the replicas, and call and redemption meet all the same,
// because they share a connection.
func TestReplicasBehindATCPBalancer(t *testing.T) {
	one, two := testkit.StartDemoProcess(t, seed), testkit.StartDemoProcess(t, seed)
	g := testkit.StartGateway(t, "http://"+testkit.StartBalancer(t, one.Address, two.Address)+"/mcp")
	missed := make(chan int)
	const callers = 4
	for c := range callers {
		go func() {
			n := 0
			for i := range replicaCalls / callers {
				r := testkit.Client{URL: g.URL}.Call(t, "tomtom-routing", routeCall(c*100+i))
				if r.AppData(t) == nil {
					n++
				}
			}
			missed <- n
		}()
	}
	for range callers {
		if n := testkit.Receive(t, "a caller", missed); n != 0 {
			t.Errorf("%d without app data", n)
		}
	}
	a, b := one.Seen(t).Calls["tomtom-routing"], two.Seen(t).Calls["tomtom-routing"]
	if a+b != replicaCalls || a == 0 || b == 0 {
		t.Errorf("the upstreams saw %d and %d calls", a, b)
	}
}
