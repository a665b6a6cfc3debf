package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/config"
)

// TestUse: what has to be set, and what is set where nothing is said, depends on how the gateway was started.
func TestUse(t *testing.T) {
	stdio, command := config.Use{Stdio: true}, config.Use{Command: true}
	both := config.Use{Stdio: true, Command: true}
	for _, test := range []struct {
		name     string
		use      config.Use
		environ  []string
		problems []string // variables
		warnings []string // variables
		listen   config.Listen
	}{
		{"a host at pipes", stdio, []string{upstreamURL}, nil, nil, config.Listen{Address: ":8080", DrainTimeout: 5 * time.Second}},
		{"… with nothing behind it", stdio, nil, []string{"GATEWAY_UPSTREAM_URL"}, nil, config.Listen{}},
		{"… with an admin address and a time", stdio, []string{upstreamURL, "GATEWAY_ADMIN_LISTEN=:1", "GATEWAY_DRAIN_TIMEOUT=1s"}, nil, nil, config.Listen{Address: ":8080", AdminAddress: ":1", DrainTimeout: time.Second}},
		{"… with a key", stdio, []string{upstreamURL, "GATEWAY_UPSTREAM_KEY=k"}, nil, nil, config.Listen{Address: ":8080", DrainTimeout: 5 * time.Second}},
		{"… with a bad key", stdio, []string{upstreamURL, "GATEWAY_UPSTREAM_KEY=a b"}, []string{"GATEWAY_UPSTREAM_KEY"}, nil, config.Listen{}},
		{"pipes at both ends", both, nil, nil, nil, config.Listen{Address: ":8080", DrainTimeout: 5 * time.Second}},
		{"… with what is not used", both, []string{upstreamURL, "GATEWAY_UPSTREAM_KEY=k", "GATEWAY_TOKEN=t"}, nil, []string{"GATEWAY_UPSTREAM_URL", "GATEWAY_UPSTREAM_KEY", "GATEWAY_TOKEN"}, config.Listen{Address: ":8080", DrainTimeout: 5 * time.Second}},
		{"a command behind HTTP", command, []string{"GATEWAY_TOKEN=t"}, nil, nil, config.Listen{Address: "127.0.0.1:8080", AdminAddress: "127.0.0.1:9090", DrainTimeout: 25 * time.Second}},
		{"… without a token", command, nil, []string{"GATEWAY_TOKEN"}, nil, config.Listen{}},
		{"… for everybody", command, []string{"GATEWAY_TOKEN=t", "GATEWAY_LISTEN=:8080"}, []string{"GATEWAY_LISTEN"}, nil, config.Listen{}},
		{"… on a name", command, []string{"GATEWAY_TOKEN=t", "GATEWAY_LISTEN=localhost:1"}, nil, nil, config.Listen{Address: "localhost:1", AdminAddress: "127.0.0.1:9090", DrainTimeout: 25 * time.Second}},
		{"… of no use", command, []string{"GATEWAY_LISTEN=x", "GATEWAY_MAX_PROCESSES=0"}, []string{"GATEWAY_LISTEN", "GATEWAY_TOKEN", "GATEWAY_MAX_PROCESSES"}, nil, config.Listen{}},
		{"HTTP at both ends", config.Use{}, []string{upstreamURL, "GATEWAY_TOKEN=t"}, nil, []string{"GATEWAY_TOKEN"}, config.Listen{Address: ":8080", AdminAddress: ":9090", DrainTimeout: 25 * time.Second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, warnings, err := config.Load(test.environ, config.Checks{Use: test.use})
			var problems, warned []string
			if wrong, ok := errors.AsType[*config.Error](err); ok {
				for _, p := range wrong.Problems {
					problems = append(problems, p.Variable)
				}
			}
			for _, w := range warnings {
				warned = append(warned, w.Variable)
			}
			if !slices.Equal(problems, test.problems) || !slices.Equal(warned, test.warnings) {
				t.Errorf("problems %q, warnings %q", problems, warned)
			}
			if err == nil && c.Listen != test.listen {
				t.Errorf("listen %+v", c.Listen)
			}
			var printed strings.Builder
			if err := c.Print(&printed); err != nil || strings.Contains(printed.String(), " k\n") || strings.Contains(printed.String(), " t\n") {
				t.Errorf("a secret in %s", printed.String())
			}
			if err == nil && test.use.Command && !test.use.Stdio && !strings.Contains(printed.String(), c.Listen.Address) {
				t.Errorf("the address that counts is not in %s", printed.String())
			}
		})
	}
}
