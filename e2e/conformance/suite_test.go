package conformance

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

// wellFormed is the suite's check that all messages of a scenario follow the schema of the revision.
const wellFormed = "wire-schema-valid"

// TestOfficialSuite: whatever the suite finds right in a server, it finds right through the gateway in front of it. There
// is no list of differences that are known: there are none.
func TestOfficialSuite(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		revision  string
		sessions  bool // of the server; without them it speaks 2026-07-28 too
		scenarios int  // at least
		whole     bool // the server passes all of them
	}{
		"2025-06-18": {"2025-06-18", true, 27, true},
		"2025-11-25": {"2025-11-25", true, 33, true},
		"2026-07-28": {"2026-07-28", false, 40, true},
		"2025-06-18 in front of a 2026-07-28 server": {"2025-06-18", false, 27, false},
		"2025-11-25 in front of a 2026-07-28 server": {"2025-11-25", false, 33, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := runSuite(t, testkit.StartEverything(t, tt.sessions), tt.revision)
			if len(direct) < tt.scenarios {
				t.Fatalf("only %d scenarios were run", len(direct))
			}
			if tt.whole {
				expectPassed(t, direct, nil)
			}
			through := runSuite(t, testkit.StartGateway(t, testkit.StartEverything(t, tt.sessions)).URL, tt.revision)
			for _, difference := range differences(direct, through) {
				t.Errorf("through the gateway: %s", difference)
			}
			t.Logf("%s: %d scenarios with %d checks passed directly, %d with %d through the gateway", name, len(direct), direct.passed(), len(through), through.passed())
		})
	}
}

// TestStreamsThatAreTakenUpAgain: a server that keeps its events is asked for those that a host has missed. The server of
// TestOfficialSuite keeps none.
func TestStreamsThatAreTakenUpAgain(t *testing.T) {
	t.Parallel()
	const scenario, revision = "server-sse-polling", "2025-11-25"
	direct := runSuite(t, resumable(t), revision, scenario)
	for _, c := range direct[scenario] {
		if c.Status != "SUCCESS" && c.Status != "INFO" || len(direct[scenario]) < 2 {
			t.Errorf("without the gateway: %s: %s", c.ID, c)
		}
	}
	through := runSuite(t, testkit.StartGateway(t, resumable(t)).URL, revision, scenario)
	for _, difference := range differences(direct, through) {
		t.Errorf("through the gateway: %s", difference)
	}
}

// TestSessionsBehindABalancer: what the suite finds of sessions, also where each request reaches another gateway than the
// one before: in front of a server with sessions, and of one without, where the gateway's own id stands for the session.
func TestSessionsBehindABalancer(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]string{
		"a server with sessions":    testkit.StartEverything(t, true),
		"a server without sessions": testkit.StartDemo(t, upstream.Options{Seed: 1}).URL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, other := testkit.StartGateway(t, server), testkit.StartGateway(t, server)
			// Each request of withKey's has a connection of its own, which is what the balancer deals out.
			balanced := withKey(t, "http://"+testkit.StartBalancer(t, one.Address, other.Address)+"/mcp")
			const scenario = "server-session-lifecycle"
			r := runSuite(t, balanced, "2025-11-25", scenario)
			expectPassedOf(t, r, scenario)
			ended := false
			for _, c := range r[scenario] {
				ended = ended || c.ID == "server-session-delete-accepted"
				if c.Status == "WARNING" {
					t.Errorf("%s: %s", c.ID, c)
				}
			}
			if !ended {
				t.Errorf("no session was there to be ended: %v", r[scenario])
			}
		})
	}
}

// resumable serves the one tool that the scenario calls: it closes the stream of its call before it answers.
func resumable(t *testing.T) (url string) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "resumable", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "test_reconnection"}, func(_ context.Context, req *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
		req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "taken up again"}}}, nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)})
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// TestOfficialSuiteThroughTheBridge: a server of sessions, which knows nothing of 2026-07-28, passes that revision's suite
// through the gateway, as far as it can have what is asked for.
func TestOfficialSuiteThroughTheBridge(t *testing.T) {
	t.Parallel()
	through := runSuite(t, testkit.StartGateway(t, testkit.StartEverything(t, true)).URL, "2026-07-28")
	if len(through) < 40 {
		t.Fatalf("only %d scenarios were run", len(through))
	}
	expectPassed(t, through, func(scenario string, c check) bool {
		// The tools of these scenarios answer with InputRequiredResult, which is not known to a server of sessions: it asks by
		// requests of its own, for which it has other tools. Even so, all of its messages are to be well formed.
		return strings.HasPrefix(scenario, "input-required-result-") && c.ID != wellFormed
	})
}

// TestOfficialSuiteInFrontOfTheDemo: with tools that have widgets, lists are edited and requests answered here, for hosts
// with apps and without. What the server has none of is asked for as well, and has to be refused no worse than it does.
func TestOfficialSuiteInFrontOfTheDemo(t *testing.T) {
	t.Parallel()
	for _, apps := range []string{"always", "never"} {
		t.Run("apps "+apps, func(t *testing.T) {
			t.Parallel()
			demo := testkit.StartDemo(t, upstream.Options{Seed: 1})
			gateway := withKey(t, testkit.StartGateway(t, demo.URL, "GATEWAY_APPS="+apps).URL)

			const legacy = "2025-11-25"
			direct := runSuite(t, withKey(t, demo.URL), legacy)
			expectPassedOf(t, direct, "server-initialize", "ping", "tools-list", "resources-list")
			for _, difference := range differences(direct, runSuite(t, gateway, legacy)) {
				t.Errorf("%s through the gateway: %s", legacy, difference)
			}

			modern := runSuite(t, gateway, "2026-07-28")
			expectPassedOf(t, modern, "tools-list", "resources-list", "sep-2164-resource-not-found", "http-header-validation", "dns-rebinding-protection")
			for scenario := range modern {
				for _, c := range modern.failures(scenario) {
					if c.ID == wellFormed {
						t.Errorf("2026-07-28: %s: %s", scenario, c)
					}
				}
			}
		})
	}
}

// expectPassed reports every check that the suite has something against and that is not excused.
func expectPassed(t *testing.T, r report, excused func(scenario string, c check) bool) {
	t.Helper()
	for scenario := range r {
		for _, c := range r.failures(scenario) {
			if excused == nil || !excused(scenario, c) {
				t.Errorf("%s: %s: %s", scenario, c.ID, c)
			}
		}
	}
}

// expectPassedOf is expectPassed of some scenarios, which must have been run.
func expectPassedOf(t *testing.T, r report, scenarios ...string) {
	t.Helper()
	for _, scenario := range scenarios {
		if len(r[scenario]) == 0 {
			t.Errorf("%s was not run", scenario)
		}
		for _, c := range r.failures(scenario) {
			t.Errorf("%s: %s: %s", scenario, c.ID, c)
		}
	}
}

// passed counts the checks that were passed.
func (r report) passed() (n int) {
	for _, checks := range r {
		for _, c := range checks {
			if c.Status == "SUCCESS" {
				n++
			}
		}
	}
	return n
}

// withKey returns an endpoint that adds the TomTom key to what it passes to another, since the suite can be told of none.
// Requests go over connections of their own and with their whole body: ReverseProxy breaks answers off whose request it
// still reads.
func withKey(t *testing.T, endpoint string) string {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	target.Path = ""
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Tomtom-Api-Key", testkit.Key)
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("body of the suite's request: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}
