// Package hosts plays MCP hosts against the built gateway over real TCP: the go-sdk's client in front of the
// demonstration's upstream, recorded exchanges with the real server, several replicas behind balancers, and upstreams
// that misbehave.
package hosts

import (
	"context"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tomtom-mcp-gateway/e2e/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// versions are the protocol revisions that hosts in use speak.
var versions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// connect opens a session of the go-sdk's client, as a host with or without MCP Apps.
func connect(t *testing.T, url, version string, apps bool) *mcp.ClientSession {
	t.Helper()
	capabilities := &mcp.ClientCapabilities{}
	if apps {
		capabilities.AddExtension("io.modelcontextprotocol/ui", map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}})
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e-host", Version: "1"}, &mcp.ClientOptions{Capabilities: capabilities})
	transport := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withKey{}}, DisableStandaloneSSE: true, MaxRetries: -1}
	session, err := client.Connect(context.WithoutCancel(t.Context()), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect as %s: %v", version, err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	return session
}

// withKey adds the TomTom key to every request.
type withKey struct{}

func (withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Tomtom-Api-Key", testkit.Key)
	return http.DefaultTransport.RoundTrip(r)
}
