package pipes

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tomtom-mcp-gateway/e2e/testkit"
)

// modernMeta is what a request of revision 2026-07-28 says of its host, which draws widgets.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"e2e","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}}`

// TestErasOverStdio: every pair of host and server. A host of the go-sdk's gets the revision that it asks for, a map in
// its result, and hears that the list has changed.
func TestErasOverStdio(t *testing.T) {
	legacyServer, legacyEnv := testkit.ScriptedChild(t)
	modernServer, modernEnv := testkit.SDKChild(t)
	for _, version := range versions {
		for name, server := range map[string]struct {
			program string
			env     []string
			changes bool
		}{"legacy server": {legacyServer, legacyEnv, false}, "modern server": {modernServer, modernEnv, true}} {
			t.Run(version+" "+name, func(t *testing.T) {
				changed := make(chan struct{}, 100)
				capabilities := &mcp.ClientCapabilities{}
				capabilities.AddExtension("io.modelcontextprotocol/ui", map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}})
				client := mcp.NewClient(&mcp.Implementation{Name: "e2e-host", Version: "1"}, &mcp.ClientOptions{
					Capabilities:           capabilities,
					ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
				})
				cmd := exec.Command(testkit.Binary(t), "--stdio", "--", server.program)
				cmd.Env = append(os.Environ(), server.env...)
				session, err := client.Connect(context.WithoutCancel(t.Context()), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = session.Close() })
				if got := session.InitializeResult().ProtocolVersion; got != version {
					t.Errorf("revision %s", got)
				}
				if _, declared := session.InitializeResult().Capabilities.Extensions["io.modelcontextprotocol/ui"]; !declared {
					t.Error("the extension is not declared")
				}
				arguments := `{"do":"log"}`
				if server.changes {
					arguments = `{}`
				}
				result := callTool(t, session, "tomtom-routing", arguments)
				if result.Status(t) != "inline" || string(result.AppData(t)) != testkit.ChildDocument {
					t.Errorf("%s", result.Raw)
				}
				testkit.Receive(t, "the changed list", changed)
			})
		}
	}
}

// TestQuestionsOverStdio: every pair of host and server, with a server that runs as a command and one behind HTTP. What the
// server wants of the host on a call reaches it, and the answer reaches the server; no call is given up or made again.
func TestQuestionsOverStdio(t *testing.T) {
	legacy := []string{"2025-11-25", "2025-06-18"}
	for _, version := range versions {
		for name, revisions := range map[string][]string{"legacy": legacy, "modern": {"2026-07-28"}, "both": nil} {
			t.Run(version+" host, "+name+" command", func(t *testing.T) {
				program, env := testkit.SDKChild(t, revisions...)
				checkQuestions(t, connectAsked(t, version, env, "--", program))
			})
		}
		t.Run(version+" host, legacy server behind HTTP", func(t *testing.T) {
			up := testkit.StartUpstream(t, testkit.NewModern("{}", "{}").WithSessions())
			checkQuestions(t, connectAsked(t, version, []string{"GATEWAY_UPSTREAM_URL=" + up.URL}))
			for _, tool := range testkit.AskingTools {
				if n := up.Calls(tool); n != 1 {
					t.Errorf("%s was called %d times", tool, n)
				}
			}
		})
		t.Run(version+" host, modern server behind HTTP", func(t *testing.T) {
			up := testkit.StartUpstream(t, testkit.NewModern("{}", "{}", "2026-07-28"))
			checkQuestions(t, connectAsked(t, version, []string{"GATEWAY_UPSTREAM_URL=" + up.URL}))
		})
	}
}

// TestNotificationsOverStdio: every pair of host and server. Progress and a line of the log reach the host while its call runs,
// and a call that the host gives up ends at the server.
func TestNotificationsOverStdio(t *testing.T) {
	for _, version := range versions {
		for name, revisions := range map[string][]string{"legacy": {"2025-11-25", "2025-06-18"}, "modern": {"2026-07-28"}, "both": nil} {
			t.Run(version+" host, "+name+" server", func(t *testing.T) {
				program, env := testkit.SDKChild(t, revisions...)
				progress, logged := make(chan string, 16), make(chan string, 16)
				client := mcp.NewClient(&mcp.Implementation{Name: "e2e-host", Version: "1"}, &mcp.ClientOptions{
					ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Message },
					LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { //nolint:staticcheck // deprecated, and used by hosts
						text, _ := r.Params.Data.(string)
						logged <- text
					},
				})
				cmd := exec.Command(testkit.Binary(t), "--stdio", "--", program)
				cmd.Env = append(os.Environ(), env...)
				session, err := client.Connect(context.WithoutCancel(t.Context()), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = session.Close() })
				checkNotifications(t, session, version, progress, logged)
				checkCancellation(t, session, progress)
			})
		}
	}
}

func checkNotifications(t *testing.T, session *mcp.ClientSession, version string, progress, logged <-chan string) {
	t.Helper()
	params := &mcp.CallToolParams{Name: "notify", Meta: mcp.Meta{}}
	params.SetProgressToken("p")
	if version >= "2026-07-28" {
		params.Meta["io.modelcontextprotocol/logLevel"] = "warning"
	} else if err := session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "warning"}); err != nil { //nolint:staticcheck // as above
		t.Errorf("set the level: %v", err)
	}
	if _, err := session.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	if got := testkit.Receive(t, "progress", progress); got != "half" {
		t.Errorf("progress %q", got)
	}
	if got := testkit.Receive(t, "a line of the log", logged); got != "logged" {
		t.Errorf("logged %q", got)
	}
}

func checkCancellation(t *testing.T, session *mcp.ClientSession, progress <-chan string) {
	t.Helper()
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "wait", Meta: mcp.Meta{}}
		params.SetProgressToken("w")
		_, err := session.CallTool(ctx, params)
		done <- err
	}()
	if got := testkit.Receive(t, "the call to run", progress); got != "waiting" {
		t.Errorf("progress %q", got)
	}
	giveUp()
	if err := testkit.Receive(t, "the host's call to end", done); err == nil {
		t.Error("no error")
	}
	if result := callTool(t, session, "cancelled", "{}"); result.OnlyText(t) != "cancelled" {
		t.Errorf("%s", result.Raw)
	}
}

// TestQuestionsInFrontOfACommand: hosts over HTTP, in front of a server that runs as a command.
func TestQuestionsInFrontOfACommand(t *testing.T) {
	for name, revisions := range map[string][]string{"legacy": {"2025-11-25", "2025-06-18"}, "modern": {"2026-07-28"}} {
		program, env := testkit.SDKChild(t, revisions...)
		g := testkit.StartCommandGateway(t, append(env, "GATEWAY_TOKEN="+token), program)
		for _, version := range versions {
			t.Run(version+" host, "+name+" command", func(t *testing.T) {
				checkQuestions(t, openAsked(t, version, &mcp.StreamableClientTransport{
					Endpoint: g.URL, HTTPClient: &http.Client{Transport: withToken{}}, MaxRetries: -1,
				}))
			})
		}
	}
}

// withToken adds the gateway's token to every request.
type withToken struct{}

func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultTransport.RoundTrip(r)
}

// connectAsked starts the gateway as a desktop host does that answers what it is asked.
func connectAsked(t *testing.T, version string, env []string, args ...string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(testkit.Binary(t), append([]string{"--stdio"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	return openAsked(t, version, &mcp.CommandTransport{Command: cmd})
}

// openAsked is a host that answers what it is asked.
func openAsked(t *testing.T, version string, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	options := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	testkit.CanBeAsked(options)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e-host", Version: "1"}, options)
	testkit.GiveRoots(client)
	session, err := client.Connect(context.WithoutCancel(t.Context()), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func checkQuestions(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	for _, tool := range testkit.AskingTools {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
		if err != nil || len(result.Content) != 1 || result.Content[0].(*mcp.TextContent).Text != "hello Ada" {
			t.Errorf("%s: %v %+v", tool, err, result)
		}
	}
}

// TestModernHostOverStdio: what a host of revision 2026-07-28 may send that it should not, and how it cancels.
func TestModernHostOverStdio(t *testing.T) {
	program, env := testkit.ScriptedChild(t)
	g := testkit.StartStdio(t, env, "--stdio", "--", program)
	call := func(id, steps string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{"do":"` + steps + `"},` + modernMeta + `}}`
	}
	for _, test := range []struct{ id, line, want string }{
		{`1`, call("1", ""), `"resultType":"complete"`},
		{`2`, `{"jsonrpc":"2.0","id":2,"method":"x/y","params":{` + modernMeta + `}}`, `"code":-32601`},
		{`3`, `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `"code":-32602`},
		{`4`, strings.ReplaceAll(call("4", ""), "2026-07-28", "2099-01-01"), `"code":-32022`},
		{`5`, call("5", ""), `"com.tomtom/app-data-status":"inline"`},
	} {
		if got := g.Ask(t, test.id, test.line); !strings.Contains(got, test.want) {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
	g.Say(t, call("6", "wait"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`, call("7", "release"))
	if got := g.Hear(t); !strings.Contains(got, `"id":7}`) {
		t.Errorf("heard %s", got)
	}
	lines := strings.Split(textOf(t, g.Ask(t, "8", call("8", "heard"))), "\n")
	told := having(lines, `"notifications/cancelled"`)
	ran := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, `"do":"wait"`) })
	if len(told) != 1 || ran < 0 {
		t.Errorf("the server heard %q", lines)
	}
}
