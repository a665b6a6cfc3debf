package pipes

import (
	"fmt"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestStdioGarbageFromTheServer: it is logged, the host hears nothing of it, and the next request works.
func TestStdioGarbageFromTheServer(t *testing.T) {
	g := scripted(t)
	g.Say(t, do("1", "garbage garbage"))
	response, before := g.HearResponse(t, "1")
	if len(before) > 0 || !strings.Contains(response, `"com.tomtom/app-data-status":"inline"`) {
		t.Errorf("before %q: %s", before, response)
	}
	if !strings.Contains(g.LogText(), "a line of the server is no JSON") || strings.Contains(g.LogText(), "Listening") {
		t.Errorf("log %s", g.LogText())
	}
}

// TestStdioServerThatDies: whoever waits gets an error, the gateway ends with the server's exit code.
func TestStdioServerThatDies(t *testing.T) {
	for name, test := range map[string]struct {
		do   string
		code int
	}{
		"in the middle of a line": {"half 3", 3},
		"with an exit code":       {"exit 42", 42},
		"with none":               {"exit 0", 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := scripted(t)
			g.Say(t, do("1", "wait"), testkit.CallMessage("2", "other-tool", `{"do":"wait"}`), do(`"3"`, test.do))
			rest, code := g.Ended(t)
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			for _, id := range []string{"1", "2", `"3"`} {
				want := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"The MCP server could not be reached or broke off"}}`
				if len(having(rest, want)) != 1 {
					t.Errorf("no error for %s: %q", id, rest)
				}
			}
			if len(rest) != 3 {
				t.Errorf("%q", rest)
			}
		})
	}
}

// TestStdioServerThatNeverAnswers: an owned call ends in time, the server is told, and the next one works.
func TestStdioServerThatNeverAnswers(t *testing.T) {
	g := scripted(t, "GATEWAY_UPSTREAM_TIMEOUT=300ms")
	if got, want := g.Ask(t, "1", do("1", "never")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The MCP server did not answer in time"}}`; got != want {
		t.Errorf("heard %s", got)
	}
	testkit.Eventually(t, "the server hears of it", func() bool {
		return len(having(heard(t, g), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)) == 1
	})
}

// TestStdioServerThatFloods: standard error is drained whether the host reads it or not, and passes on as lines.
func TestStdioServerThatFloods(t *testing.T) {
	g := scripted(t)
	g.Ask(t, "1", do("1", fmt.Sprintf("stderr %d", 10<<20)))
	for line := range strings.Lines(g.LogText()) {
		if !strings.HasPrefix(line, "{") && !strings.HasPrefix(line, "gateway: ") && line != strings.Repeat("e", 99)+"\n" && strings.HasSuffix(line, "\n") {
			t.Errorf("a line that nobody wrote: %q", line)
		}
	}
	if !strings.Contains(g.LogText(), strings.Repeat("e", 99)+"\n") {
		t.Error("nothing of it reached standard error")
	}
}

// TestStdioAnswersAboveTheBounds: above the first they pass without a map, above the second they are an error.
func TestStdioAnswersAboveTheBounds(t *testing.T) {
	g := scripted(t, "GATEWAY_MAX_RESPONSE_BYTES=100000", "GATEWAY_MAX_BUFFERED_BYTES=1000000")
	if got := textOf(t, g.Ask(t, "1", do("1", "big 500000"))); len(got) != 500_000+len(`{"n":""}`) {
		t.Errorf("%d characters", len(got))
	}
	if !strings.Contains(g.LogText(), `"reason":"answer too large"`) {
		t.Errorf("log %s", g.LogText())
	}
	before := testkit.ResidentBytes(t, g.PID())
	if got, want := g.Ask(t, "2", do("2", "big 40000000")), `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"The MCP server's answer has more than 1000000 bytes"}}`; got != want {
		t.Errorf("heard %.300s", got)
	}
	if grown := testkit.ResidentBytes(t, g.PID()) - before; grown > 24<<20 {
		t.Errorf("it took %d MiB", grown>>20)
	}
	if got := g.Ask(t, "3", do("3", "")); !strings.Contains(got, `"inline"`) {
		t.Errorf("the next call: %s", got)
	}
}

// TestStdioEndsLeaveNothingBehind: however the gateway ends, the server and what it has started end too.
func TestStdioEndsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do   string // before the end
		end  func(*testkit.StdioGateway)
		code int // -1: any
	}{
		"the host closes the input":                      {"", (*testkit.StdioGateway).CloseInput, 0},
		"the host closes the input of a stubborn server": {"stubborn", (*testkit.StdioGateway).CloseInput, 128 + 9},
		"SIGTERM":                        {"", func(g *testkit.StdioGateway) { g.Signal(syscall.SIGTERM) }, 0},
		"SIGTERM with a stubborn server": {"stubborn", func(g *testkit.StdioGateway) { g.Signal(syscall.SIGTERM) }, 0},
		"SIGINT":                         {"", func(g *testkit.StdioGateway) { g.Signal(syscall.SIGINT) }, 0},
		"SIGHUP":                         {"", func(g *testkit.StdioGateway) { g.Signal(syscall.SIGHUP) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "SIGHUP" && signal.Ignored(syscall.SIGHUP) {
				t.Skip("whoever started the tests has SIGHUP ignored, as nohup does, and so does the gateway")
			}
			g := scripted(t)
			server, _ := strconv.Atoi(textOf(t, g.Ask(t, "1", do("1", "pid"))))
			grandchild, _ := strconv.Atoi(textOf(t, g.Ask(t, "2", do("2", "spawn"))))
			if server == 0 || grandchild == 0 {
				t.Fatal(server, grandchild)
			}
			if test.do != "" {
				g.Ask(t, "3", do("3", test.do))
			}
			test.end(g)
			rest, code := g.Ended(t)
			if len(rest) > 0 || test.code >= 0 && code != test.code {
				t.Errorf("exit code %d, want %d; %q", code, test.code, rest)
			}
			testkit.AwaitGone(t, "the server", server)
			testkit.AwaitGone(t, "what it started", grandchild)
		})
	}
	t.Run("SIGKILL", func(t *testing.T) {
		g := scripted(t)
		server, _ := strconv.Atoi(textOf(t, g.Ask(t, "1", do("1", "pid"))))
		g.Ask(t, "3", do("3", "stubborn"))
		g.Signal(syscall.SIGKILL)
		testkit.AwaitGone(t, "the server", server)
	})
}

func TestStdioCommandThatDoesNotStart(t *testing.T) {
	_, stderr, code := testkit.Run(t, nil, nil, "--stdio", "--", "no-such-server-anywhere")
	if code != 1 || !strings.Contains(stderr, "gateway: start no-such-server-anywhere: executable file not found in $PATH\n") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
