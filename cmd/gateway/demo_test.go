package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

// demonstrating starts the demo on free ports and returns what it prints, once it has printed all of it.
func demonstrating(t testing.TB, environ []string, args ...string) (welcome string, stop func(), wait func() int) {
	t.Helper()
	ports := append([]string{"demo", "-listen", "127.0.0.1:0", "-admin", "127.0.0.1:0", "-upstream", "127.0.0.1:0"}, freePages...)
	return welcoming(t, io.Discard, environ, append(ports, args...)...)
}

// freePages are the flags by which a page listens on free ports.
var freePages = []string{"-page", "127.0.0.1:0", "-sandbox", "127.0.0.1:0"}

// welcoming starts a command that says how it ends, and returns what it prints up to there.
func welcoming(t testing.TB, stderr io.Writer, environ []string, args ...string) (welcome string, stop func(), wait func() int) {
	t.Helper()
	read, write := io.Pipe()
	stop, wait = background(t, streams{out: write, err: stderr}, environ, args...)
	var b strings.Builder
	for lines := bufio.NewReader(read); !strings.Contains(b.String(), "Ctrl-C"); {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%s said only %q", args[0], b.String())
		}
		b.WriteString(line)
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	return b.String(), stop, wait
}

// gatewayURL is where the printed curl goes.
func gatewayURL(t testing.TB, welcome string) string {
	t.Helper()
	found := regexp.MustCompile(`curl -sS (http://127\.0\.0\.1:\d+/mcp) \\`).FindStringSubmatch(welcome)
	if found == nil {
		t.Fatalf("no curl in\n%s", welcome)
	}
	return found[1]
}

// resultOf returns the serialized tool result of an SSE answer.
func resultOf(t testing.TB, answer string) json.RawMessage {
	t.Helper()
	_, data, found := strings.Cut(answer, "data: ")
	var message struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(data), &message); !found || err != nil || message.Result == nil {
		t.Fatalf("no result (%v) in %.300s", err, answer)
	}
	return message.Result
}

// What a newcomer does: start it, paste the call, look at the map data with the printed commands.
func TestDemo(t *testing.T) {
	welcome, stop, wait := demonstrating(t, nil)
	if !strings.Contains(welcome, `-d '`+demoCall+`'`) {
		t.Fatalf("the printed call is another one:\n%s", welcome)
	}
	answer := callTool(t, gatewayURL(t, welcome), demoCall)
	result := resultOf(t, answer)
	if n := len(utf16.Encode([]rune(string(result)))); n >= 120_000 {
		t.Errorf("the result has %d characters", n)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "lisbon-warsaw.txt"), []byte(answer), 0o600); err != nil {
		t.Fatal(err)
	}
	var shown string
	for line := range strings.Lines(welcome) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "wc ") || strings.HasPrefix(line, "grep ") {
			shell := exec.CommandContext(t.Context(), "sh", "-c", line)
			shell.Dir = folder
			out, err := shell.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
			shown += string(out)
		}
	}
	for _, want := range []string{"lisbon-warsaw.txt", `"com.tomtom/app-data-status":"fitted"`, `"original_points":`} {
		if !strings.Contains(shown, want) {
			t.Errorf("the printed commands do not show %s:\n%s", want, shown)
		}
	}
	route, err := os.ReadFile(filepath.Join(folder, "route.json"))
	if err != nil {
		t.Fatal(err)
	}
	var routes struct {
		Features []struct {
			Geometry struct{ Coordinates [][]float64 }
		}
	}
	if err := json.Unmarshal(route, &routes); err != nil || len(routes.Features) == 0 || len(routes.Features[0].Geometry.Coordinates) < 1000 {
		t.Errorf("route.json: %v, %d features", err, len(routes.Features))
	}
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestDemoFlags(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		args    []string
		check   func(t *testing.T, result string)
	}{
		{"limit", nil, []string{"-limit", "60000"}, func(t *testing.T, result string) {
			if n := len(result); n >= 60000 || !strings.Contains(result, `"com.tomtom/app-data":`) {
				t.Errorf("%d bytes: %.200s", n, result)
			}
		}},
		{"limit over the environment", []string{"GATEWAY_RESULT_LIMIT=70000"}, []string{"-limit", "60000"}, func(t *testing.T, result string) {
			if n := len(result); n >= 60000 {
				t.Errorf("%d bytes", n)
			}
		}},
		{"the environment", []string{"GATEWAY_RESULT_LIMIT=60000", "GATEWAY_UPSTREAM_URL=http://192.0.2.1/mcp"}, nil, func(t *testing.T, result string) {
			if n := len(result); n >= 60000 || !strings.Contains(result, `"com.tomtom/app-data":`) {
				t.Errorf("%d bytes: %.200s", n, result)
			}
		}},
		{"genesis", nil, []string{"-genesis"}, func(t *testing.T, result string) {
			if strings.Contains(result, "com.tomtom/") {
				t.Errorf("the result was touched: %.300s", result)
			}
		}},
		{"untrimmed", nil, []string{"-untrimmed"}, func(t *testing.T, result string) {
			if !strings.Contains(result, `"com.tomtom/app-data-status":"fitted"`) || len(result) >= 120_000 {
				t.Errorf("%d bytes: %.300s", len(result), result)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			welcome, stop, wait := demonstrating(t, tt.environ, tt.args...)
			tt.check(t, string(resultOf(t, callTool(t, gatewayURL(t, welcome), demoCall))))
			stop()
			if code := wait(); code != exitOK {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// A port that is taken and was asked for is an error; the demo never moves silently.
func TestDemoPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	stdout, stderr, code := runCommand(t, "", nil, "demo", "-listen", taken.Addr().String())
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "the port is taken") || !strings.Contains(stderr, "-listen") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// A default port that is taken is replaced, and the demo says by which.
func TestDemoFallsBack(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var errs strings.Builder
	o := demoOptions{listen: taken.Addr().String(), admin: "127.0.0.1:0", upstream: "127.0.0.1:0", noPage: true}
	listeners, err := listenTo(t.Context(), invocation{streams: streams{err: &errs}}, func(string) bool { return false }, o.addresses())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range listeners {
		defer l.Close()
	}
	want := "gateway: " + taken.Addr().String() + " is taken, so -listen is " + listeners[0].Addr().String() + "\n"
	if errs.String() != want {
		t.Errorf("it says %q, want %q", errs.String(), want)
	}
}

// TestDemoServicesGoTogether: whoever brings tiles of their own gets no made-up traffic on them.
func TestDemoServicesGoTogether(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	madeUp := func(callers ...string) (n int) {
		for _, v := range new(demoOptions).environ(callers, l, l, l) {
			name, _, _ := strings.Cut(v, "=")
			switch name {
			case "GATEWAY_TILES", "GATEWAY_TILES_ATTRIBUTION", "GATEWAY_INCIDENTS":
				n++
			}
		}
		return n
	}
	if n := madeUp("GATEWAY_TEXT=keep"); n != 3 {
		t.Errorf("%d made-up services of 3", n)
	}
	if n := madeUp("GATEWAY_TILES=https://tiles.example.com/{z}/{x}/{y}"); n != 1 {
		t.Errorf("beside a caller's tiles stand %d services", n-1)
	}
}
