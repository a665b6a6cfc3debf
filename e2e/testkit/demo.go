package testkit

import (
	"encoding/json"
	"net/http"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

// StartDemo serves the demonstration's upstream on loopback, recorded.
func StartDemo(tb testing.TB, options upstream.Options) *Upstream {
	tb.Helper()
	return StartUpstream(tb, upstream.New(options))
}

// demoArgs are the options that a demonstration upstream in a process of its own can be given.
type demoArgs struct{ Seed uint64 }

// StartDemoProcess serves the demonstration's upstream in a process of its own.
func StartDemoProcess(tb testing.TB, seed uint64) *Process {
	tb.Helper()
	args, err := json.Marshal(demoArgs{Seed: seed})
	if err != nil {
		tb.Fatal(err)
	}
	return StartProcess(tb, "demo", string(args))
}

func demoRole(args string) (http.Handler, error) {
	var a demoArgs
	if err := json.Unmarshal([]byte(args), &a); err != nil {
		return nil, err
	}
	return upstream.New(upstream.Options{Seed: a.Seed}), nil
}
