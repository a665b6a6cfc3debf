package main

import (
	"io"
	"net"
	"strings"
	"testing"
)

// A sandbox is at no port of localhost that another program has half of: a browser could take that for the sandbox.
func TestSandboxHasAllOfLocalhost(t *testing.T) {
	taken, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skipf("the machine has no ::1: %v", err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	inv := invocation{streams: streams{err: io.Discard}}
	flags := pageFlags{page: "127.0.0.1:0", sandbox: "127.0.0.1:" + port, given: func(string) bool { return false }}
	listeners, err := flags.listen(t.Context(), inv)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(listeners)
	if len(listeners) != 3 {
		t.Fatalf("%d listeners", len(listeners))
	}
	sandbox, twin := listeners[1].Addr().(*net.TCPAddr), listeners[2].Addr().(*net.TCPAddr)
	if sandbox.Port != twin.Port || twin.IP.String() != "::1" || strings.HasSuffix(sandbox.String(), ":"+port) {
		t.Errorf("%s and %s, and %s is taken", sandbox, twin, port)
	}
	flags.given = func(string) bool { return true }
	if listeners, err := flags.listen(t.Context(), inv); err == nil || !strings.Contains(err.Error(), "set -sandbox to another port") {
		closeAll(listeners)
		t.Errorf("a port that was asked for and is taken: %v", err)
	}
}

func TestOriginOf(t *testing.T) {
	for _, tt := range []struct{ address, loopback, want string }{
		{"127.0.0.1:8090", "", "http://127.0.0.1:8090"},
		{"127.0.0.1:8091", "localhost", "http://localhost:8091"},
		{"127.0.0.1:80", "", "http://127.0.0.1"},
		{"[::1]:8090", "", "http://[::1]:8090"},
		{"[::1]:80", "", "http://[::1]"},
		{"192.0.2.1:8091", "localhost", "http://192.0.2.1:8091"},
	} {
		a, err := net.ResolveTCPAddr("tcp", tt.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := originOf(a, tt.loopback); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.address, got, tt.want)
		}
	}
}
