package config_test

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/config"
)

const upstreamURL = "GATEWAY_UPSTREAM_URL=http://127.0.0.1:3000/mcp"

// checks stand in for what the tools' policies and the widget know.
var checks = config.Checks{
	KnownTool:   func(tool string) bool { return tool == "tomtom-routing" || tool == "tomtom-dynamic-map" },
	Tiles:       func(template string) error { return lacks(template, "{z}") },
	Incidents:   func(template string) error { return lacks(template, "{bbox}") },
	Certificate: func(cert, key string) error { return isBad(cert + key) },
	Authorities: isBad,
}

func isBad(file string) error {
	if strings.Contains(file, "bad") {
		return errors.New("bad file")
	}
	return nil
}

func lacks(template, placeholder string) error {
	if strings.Contains(template, placeholder) {
		return nil
	}
	return errors.New("needs " + placeholder)
}

// load reads an environment with an upstream in it.
func load(t testing.TB, environ ...string) (config.Config, []config.Warning, error) {
	t.Helper()
	return config.Load(append([]string{upstreamURL, "PATH=/bin"}, environ...), checks)
}

func TestDefaults(t *testing.T) {
	c, warnings, err := load(t)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("Load: %v, warnings %v", err, warnings)
	}
	if got := c.Upstream.URL.String(); got != "http://127.0.0.1:3000/mcp" {
		t.Errorf("upstream is %s", got)
	}
	// Name by name as the operators' contract states them.
	want := map[string]string{
		"GATEWAY_LISTEN":             ":8080",
		"GATEWAY_ADMIN_LISTEN":       ":9090",
		"GATEWAY_RESULT_LIMIT":       "120000",
		"GATEWAY_TOOL_LIMITS":        "",
		"GATEWAY_APPS":               "auto",
		"GATEWAY_ALLOWED_ORIGINS":    "",
		"GATEWAY_LOG_LEVEL":          "info",
		"GATEWAY_LOG_FORMAT":         "json",
		"GATEWAY_UPSTREAM_TIMEOUT":   "120s",
		"GATEWAY_MAX_REQUEST_BYTES":  "16777216",
		"GATEWAY_MAX_RESPONSE_BYTES": "67108864",
		"GATEWAY_MAX_BUFFERED_BYTES": "268435456",
		"GATEWAY_MAX_ERROR_M":        "1000",
		"GATEWAY_TOOL_MAX_ERRORS_M":  "",
		"GATEWAY_TEXT":               "auto",
		"GATEWAY_MAP_KEY":            "",
	}
	got := map[string]string{}
	for _, v := range c.Variables() {
		got[v.Name] = v.Value
		if v.Set != (v.Name == "GATEWAY_UPSTREAM_URL") {
			t.Errorf("%s: set is %v", v.Name, v.Set)
		}
	}
	for name, value := range want {
		if shown, ok := got[name]; !ok || shown != value {
			t.Errorf("%s is %q (exists: %v), want %q", name, shown, ok, value)
		}
	}
	if c.Results.LimitChars != 120000 || c.Results.MaxErrorM != 1000 || c.Bounds.MaxRequestBytes != 16<<20 ||
		c.Bounds.MaxResponseBytes != 64<<20 || c.Bounds.MaxBufferedBytes != 256<<20 || c.Upstream.Timeout != 2*time.Minute ||
		c.Log.Level != slog.LevelInfo || c.Log.Format != config.LogJSON || c.Widget.Apps != config.AppsAuto ||
		c.Results.Text != config.TextAuto {
		t.Errorf("the structs differ from the defaults printed: %+v", c)
	}
	if !strings.HasPrefix(c.Widget.Tiles, "https://api.tomtom.com/") {
		t.Errorf("tiles are %s", c.Widget.Tiles)
	}
}

func TestEverythingSet(t *testing.T) {
	c, warnings, err := load(t,
		"GATEWAY_LISTEN=127.0.0.1:0", "GATEWAY_ADMIN_LISTEN=[::1]:9091",
		"GATEWAY_RESULT_LIMIT=90000", "GATEWAY_TOOL_LIMITS= tomtom-routing=110000 , tomtom-dynamic-map = 80000,",
		"GATEWAY_APPS=never", "GATEWAY_ALLOWED_ORIGINS=https://Claude.AI:443, http://a.example:8080,https://claude.ai",
		"GATEWAY_LOG_LEVEL=DEBUG", "GATEWAY_LOG_FORMAT=text", "GATEWAY_UPSTREAM_TIMEOUT=1m30s",
		"GATEWAY_MAX_REQUEST_BYTES=1", "GATEWAY_MAX_RESPONSE_BYTES=2", "GATEWAY_MAX_BUFFERED_BYTES=3", "GATEWAY_MAX_PROCESSES=4",
		"GATEWAY_MAX_ERROR_M=0.5", "GATEWAY_TOOL_MAX_ERRORS_M=tomtom-routing=12.5", "GATEWAY_TEXT=minify",
		"GATEWAY_MAP_KEY=map-display-key", "GATEWAY_TILES=http://localhost:1/{z}/{x}/{y}.png", "GATEWAY_TILES_ATTRIBUTION=© me", "GATEWAY_INCIDENTS=http://localhost:1/{bbox}",
		"GATEWAY_DRAIN_DELAY=5s", "GATEWAY_DRAIN_TIMEOUT=20s", "GATEWAY_MAX_REQUESTS=5", "GATEWAY_LOG_SAMPLE=10",
		"GATEWAY_TLS_CERT=cert.pem", "GATEWAY_TLS_KEY=key.pem", "GATEWAY_TLS_CLIENT_CA=hosts.pem",
		"GATEWAY_ALLOWED_HOSTS=Maps.example, gateway,[::1],maps.example",
	)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("Load: %v, warnings %v", err, warnings)
	}
	if want := (map[string]int{"tomtom-routing": 110000, "tomtom-dynamic-map": 80000}); !maps.Equal(c.Results.ToolLimitChars, want) {
		t.Errorf("tool limits are %v", c.Results.ToolLimitChars)
	}
	if want := (map[string]float64{"tomtom-routing": 12.5}); !maps.Equal(c.Results.ToolMaxErrorM, want) {
		t.Errorf("tool errors are %v", c.Results.ToolMaxErrorM)
	}
	if want := []string{"https://claude.ai", "http://a.example:8080"}; !slices.Equal(c.Access.AllowedOrigins, want) {
		t.Errorf("origins are %q", c.Access.AllowedOrigins)
	}
	if want := (config.Hosts{"maps.example", "gateway", "::1"}); !slices.Equal(c.Access.AllowedHosts, want) {
		t.Errorf("hosts are %q", c.Access.AllowedHosts)
	}
	if c.Listen != (config.Listen{Address: "127.0.0.1:0", AdminAddress: "[::1]:9091", Cert: "cert.pem", CertKey: "key.pem", HostCA: "hosts.pem", DrainDelay: 5 * time.Second, DrainTimeout: 20 * time.Second}) {
		t.Errorf("listen is %+v", c.Listen)
	}
	if c.Bounds != (config.Bounds{MaxRequestBytes: 1, MaxResponseBytes: 2, MaxBufferedBytes: 3, MaxRequests: 5, MaxProcesses: 4}) {
		t.Errorf("bounds are %+v", c.Bounds)
	}
	if c.Widget != (config.Widget{Apps: config.AppsNever, MapKey: "map-display-key", Tiles: "http://localhost:1/{z}/{x}/{y}.png", TilesAttribution: "© me", Incidents: "http://localhost:1/{bbox}"}) {
		t.Errorf("widget is %+v", c.Widget)
	}
	if c.Log != (config.Log{Level: slog.LevelDebug, Sample: 10, Format: config.LogText}) || c.Results.Text != config.TextMinify ||
		c.Results.MaxErrorM != 0.5 || c.Upstream.Timeout != 90*time.Second {
		t.Errorf("got %+v", c)
	}
}

func TestEmptyCountsAsUnset(t *testing.T) {
	c, warnings, err := load(t, "GATEWAY_RESULT_LIMIT=", "GATEWAY_MAP_KEY=", "GATEWAY_TOOL_LIMITS=", "GATEWAY_ALLOWED_ORIGINS=")
	if err != nil || len(warnings) > 0 {
		t.Fatalf("Load: %v, warnings %v", err, warnings)
	}
	if c.Results.LimitChars != 120000 || c.Results.ToolLimitChars != nil || c.Access.AllowedOrigins != nil {
		t.Errorf("got %+v", c)
	}
	if _, _, err := config.Load([]string{"GATEWAY_UPSTREAM_URL="}, config.Checks{}); err == nil ||
		!strings.Contains(err.Error(), "GATEWAY_UPSTREAM_URL is not set") {
		t.Errorf("an empty upstream gives %v", err)
	}
}

// The process's own environment is not read, not even where the one given is empty.
func TestOnlyTheGivenEnvironment(t *testing.T) {
	t.Setenv("GATEWAY_UPSTREAM_URL", "http://127.0.0.1:1/mcp")
	if _, _, err := config.Load(nil, config.Checks{}); err == nil {
		t.Error("an empty environment gave a configuration")
	}
}

func TestProblems(t *testing.T) {
	tests := []struct{ name, variable, value, reason string }{
		{"upstream without scheme", "GATEWAY_UPSTREAM_URL", "127.0.0.1:3000/mcp", ""},
		{"upstream of another scheme", "GATEWAY_UPSTREAM_URL", "ftp://127.0.0.1/mcp", "does not start with http"},
		{"upstream without host", "GATEWAY_UPSTREAM_URL", "http:///mcp", "names no host"},
		{"upstream with user", "GATEWAY_UPSTREAM_URL", "http://me:secret@127.0.0.1/mcp", "holds a user"},
		{"upstream with query", "GATEWAY_UPSTREAM_URL", "http://127.0.0.1/mcp?a=b", "follows its path"},
		{"upstream with line end", "GATEWAY_UPSTREAM_URL", "http://127.0.0.1/mcp\n", ""},
		{"timeout without unit", "GATEWAY_UPSTREAM_TIMEOUT", "120", ""},
		{"timeout of zero", "GATEWAY_UPSTREAM_TIMEOUT", "0s", "not above 0"},
		{"address without port", "GATEWAY_LISTEN", "127.0.0.1", "no port"},
		{"address of a named port", "GATEWAY_LISTEN", ":http", "no port from 0"},
		{"address of too high a port", "GATEWAY_ADMIN_LISTEN", ":65536", "no port from 0"},
		{"both addresses the same", "GATEWAY_ADMIN_LISTEN", ":8080", "same as GATEWAY_LISTEN"},
		{"negative delay", "GATEWAY_DRAIN_DELAY", "-1s", "below 0"},
		{"drain of zero", "GATEWAY_DRAIN_TIMEOUT", "0s", "not above 0"},
		{"limit with a unit", "GATEWAY_RESULT_LIMIT", "120k", ""},
		{"limit of zero", "GATEWAY_RESULT_LIMIT", "0", "not above 0"},
		{"limit beyond 32 bits", "GATEWAY_RESULT_LIMIT", "99999999999", ""},
		{"tool limit without number", "GATEWAY_TOOL_LIMITS", "tomtom-routing", "has not the form"},
		{"tool limit of nothing", "GATEWAY_TOOL_LIMITS", "=5", "has not the form"},
		{"tool limit that is no number", "GATEWAY_TOOL_LIMITS", "tomtom-routing=x", "no whole number of characters"},
		{"tool limit of zero", "GATEWAY_TOOL_LIMITS", "tomtom-routing=0", "no whole number of characters"},
		{"tool limit twice", "GATEWAY_TOOL_LIMITS", "tomtom-routing=1,tomtom-routing=2", "twice"},
		{"tool limit of an unknown tool", "GATEWAY_TOOL_LIMITS", "tomtom-routes=1", "tomtom-routes is no tool"},
		{"tool limits of unknown tools", "GATEWAY_TOOL_LIMITS", "b=1,tomtom-routing=1,a=1", "a, b are no tools"},
		{"tool error of an unknown tool", "GATEWAY_TOOL_MAX_ERRORS_M", "tomtom-routes=1", "tomtom-routes is no tool"},
		{"tool error that is no length", "GATEWAY_TOOL_MAX_ERRORS_M", "tomtom-routing=NaN", "no number of metres"},
		{"error of zero", "GATEWAY_MAX_ERROR_M", "0", "not above 0"},
		{"error that is not a number", "GATEWAY_MAX_ERROR_M", "NaN", "not above 0"},
		{"error that is infinite", "GATEWAY_MAX_ERROR_M", "Inf", "not above 0"},
		{"unknown text mode", "GATEWAY_TEXT", "shrink", ""},
		{"unknown apps mode", "GATEWAY_APPS", "Auto", ""},
		{"key with a line end", "GATEWAY_MAP_KEY", "secret-key\n", "line end"},
		{"tiles without a placeholder", "GATEWAY_TILES", "https://me:secret@tiles.example/{x}", "needs {z}"},
		{"incidents without a placeholder", "GATEWAY_INCIDENTS", "https://traffic.example/?key=secret", "needs {bbox}"},
		{"origin with path", "GATEWAY_ALLOWED_ORIGINS", "https://claude.ai/", "nothing may follow"},
		{"origin without scheme", "GATEWAY_ALLOWED_ORIGINS", "claude.ai", "is no origin"},
		{"origin null", "GATEWAY_ALLOWED_ORIGINS", "null", "is no origin"},
		{"origin with wildcard", "GATEWAY_ALLOWED_ORIGINS", "https://*.claude.ai", "wildcard"},
		{"host with port", "GATEWAY_ALLOWED_HOSTS", "maps.example:8080", "no host name"},
		{"host with scheme", "GATEWAY_ALLOWED_HOSTS", "https://maps.example", "no host name"},
		{"host with wildcard", "GATEWAY_ALLOWED_HOSTS", "*.example", "wildcard"},
		{"certificate without key", "GATEWAY_TLS_CERT", "good.pem", "GATEWAY_TLS_KEY is not set"},
		{"key without certificate", "GATEWAY_TLS_KEY", "good.pem", "GATEWAY_TLS_CERT is not set"},
		{"authorities without certificate", "GATEWAY_TLS_CLIENT_CA", "bad.pem", "GATEWAY_TLS_CERT is not set"},
		{"upstream certificate without key", "GATEWAY_UPSTREAM_CERT", "good.pem", "GATEWAY_UPSTREAM_CERT_KEY is not set"},
		{"upstream key without certificate", "GATEWAY_UPSTREAM_CERT_KEY", "good.pem", "GATEWAY_UPSTREAM_CERT is not set"},
		{"upstream authorities that are none", "GATEWAY_UPSTREAM_CA", "bad.pem", "bad file"},
		{"requests of zero", "GATEWAY_MAX_REQUESTS", "0", "not above 0"},
		{"sample of zero", "GATEWAY_LOG_SAMPLE", "0", "not above 0"},
		{"request bytes with unit", "GATEWAY_MAX_REQUEST_BYTES", "16MiB", ""},
		{"request bytes of zero", "GATEWAY_MAX_REQUEST_BYTES", "0", "not above 0"},
		{"response bytes below zero", "GATEWAY_MAX_RESPONSE_BYTES", "-1", "not above 0"},
		{"buffered bytes of zero", "GATEWAY_MAX_BUFFERED_BYTES", "0", "not above 0"},
		{"unknown level", "GATEWAY_LOG_LEVEL", "verbose", ""},
		{"unknown format", "GATEWAY_LOG_FORMAT", "xml", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := load(t, tt.variable+"="+tt.value)
			var all *config.Error
			if !errors.As(err, &all) {
				t.Fatalf("Load gives %v", err)
			}
			if len(all.Problems) != 1 || all.Problems[0].Variable != tt.variable {
				t.Fatalf("problems are %+v", all.Problems)
			}
			p := all.Problems[0]
			if p.Form == "" || p.Value == "" || !strings.Contains(p.Reason, tt.reason) {
				t.Errorf("problem is %+v, want reason %q", p, tt.reason)
			}
			message := err.Error()
			for _, unwanted := range []string{"secret", "strconv", "parse error", "slog"} {
				if strings.Contains(message, unwanted) {
					t.Errorf("the message holds %q: %s", unwanted, message)
				}
			}
			if strings.Count(message, "\n") != 1 || !strings.Contains(message, tt.variable+"=") {
				t.Errorf("the message is not one line about %s: %q", tt.variable, message)
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	for _, tt := range []struct {
		name     string
		environ  []string
		problem  string // a variable; "": none
		warnings int
	}{
		{"of the endpoint", []string{"GATEWAY_TLS_CERT=a", "GATEWAY_TLS_KEY=b", "GATEWAY_TLS_CLIENT_CA=c"}, "", 0},
		{"… that do not fit", []string{"GATEWAY_TLS_CERT=a", "GATEWAY_TLS_KEY=bad"}, "GATEWAY_TLS_CERT", 0},
		{"… whose authorities are none", []string{"GATEWAY_TLS_CERT=a", "GATEWAY_TLS_KEY=b", "GATEWAY_TLS_CLIENT_CA=bad"}, "GATEWAY_TLS_CLIENT_CA", 0},
		{"of the upstream's side", []string{"GATEWAY_UPSTREAM_URL=https://u/mcp", "GATEWAY_UPSTREAM_CA=a", "GATEWAY_UPSTREAM_CERT=b", "GATEWAY_UPSTREAM_CERT_KEY=c"}, "", 0},
		{"… that do not fit", []string{"GATEWAY_UPSTREAM_URL=https://u/mcp", "GATEWAY_UPSTREAM_CERT=bad", "GATEWAY_UPSTREAM_CERT_KEY=c"}, "GATEWAY_UPSTREAM_CERT", 0},
		{"for an upstream without https", []string{"GATEWAY_UPSTREAM_CA=a"}, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, warnings, err := load(t, tt.environ...)
			all, _ := errors.AsType[*config.Error](err)
			if (all != nil) != (tt.problem != "") || all != nil && (len(all.Problems) != 1 || all.Problems[0].Variable != tt.problem) {
				t.Errorf("Load: %v", err)
			}
			if len(warnings) != tt.warnings {
				t.Errorf("warnings %v", warnings)
			}
		})
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, _, err := config.Load([]string{
		"GATEWAY_LOG_FORMAT=xml", "GATEWAY_RESULT_LIMIT=many", "GATEWAY_MAX_ERROR_M=-1", "GATEWAY_TOOL_LIMITS=nothing=1",
	}, checks)
	const want = `the configuration has 5 problems:
  GATEWAY_UPSTREAM_URL is not set; it has to be an http or https URL without user, query or fragment, such as http://127.0.0.1:3000/mcp
  GATEWAY_RESULT_LIMIT=many; it has to be a whole number of characters above 0
  GATEWAY_TOOL_LIMITS=nothing=1: nothing is no tool that the gateway has a policy for; it has to be tool=characters, comma separated, such as tomtom-routing=110000,tomtom-dynamic-map=90000
  GATEWAY_MAX_ERROR_M=-1: it is not above 0; it has to be a number of metres above 0
  GATEWAY_LOG_FORMAT=xml; it has to be json or text`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestOrigins(t *testing.T) {
	tests := []struct {
		name, value string
		want        []string
	}{
		{"all", "*", []string{"*"}},
		{"all among others", "https://a.example,*", []string{"*"}},
		{"other schemes", "vscode-webview://panel", []string{"vscode-webview://panel"}},
		{"a port that is not the scheme's", "http://a.example:443", []string{"http://a.example:443"}},
		{"an IPv6 address", "http://[2001:DB8::1]:80", []string{"http://[2001:db8::1]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _, err := load(t, "GATEWAY_ALLOWED_ORIGINS="+tt.value)
			if err != nil || !slices.Equal(c.Access.AllowedOrigins, tt.want) {
				t.Errorf("got %q, %v", c.Access.AllowedOrigins, err)
			}
		})
	}
}

// Without checks from others, the rest is still checked.
func TestWithoutChecks(t *testing.T) {
	environ := []string{upstreamURL, "GATEWAY_TILES=x", "GATEWAY_INCIDENTS=x", "GATEWAY_TOOL_LIMITS=x=1"}
	if _, _, err := config.Load(environ, config.Checks{}); err != nil {
		t.Error(err)
	}
	if _, _, err := config.Load(append(environ, "GATEWAY_TEXT=x"), config.Checks{}); err == nil {
		t.Error("a bad GATEWAY_TEXT was accepted")
	}
}

func TestWarnings(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		want    []string
	}{
		{"a typing mistake", []string{"GATEWAY_RESULTS_LIMIT=1"}, []string{"GATEWAY_RESULTS_LIMIT is not read by this version; did you mean GATEWAY_RESULT_LIMIT?"}},
		{"a shortened name", []string{"GATEWAY_MAX_ERROR=1"}, []string{"GATEWAY_MAX_ERROR is not read by this version; did you mean GATEWAY_MAX_ERROR_M?"}},
		{"nothing near", []string{"GATEWAY_COFFEE=1"}, []string{"GATEWAY_COFFEE is not read by this version"}},
		{"sorted", []string{"GATEWAY_ZZZZZZ=", "GATEWAY_BBBBBB=1"}, []string{"GATEWAY_BBBBBB is not read by this version", "GATEWAY_ZZZZZZ is not read by this version"}},
		{"another prefix", []string{"TOMTOM_API_KEY=1"}, nil},
		{"the links of Kubernetes services", []string{
			"GATEWAY_SERVICE_HOST=10.0.0.1", "GATEWAY_SERVICE_PORT=80", "GATEWAY_SERVICE_PORT_HTTP=80", "GATEWAY_PORT=tcp://10.0.0.1:80",
			"GATEWAY_PORT_80_TCP=tcp://10.0.0.1:80", "GATEWAY_PORT_80_TCP_ADDR=10.0.0.1", "GATEWAY_API_SERVICE_HOST=10.0.0.2",
		}, nil},
		{"less buffer than one answer", []string{"GATEWAY_MAX_BUFFERED_BYTES=20000000"}, []string{"GATEWAY_MAX_BUFFERED_BYTES is below GATEWAY_MAX_RESPONSE_BYTES: an answer between the two never gets app data"}},
		{"… and than one request", []string{"GATEWAY_MAX_BUFFERED_BYTES=1000", "GATEWAY_MAX_RESPONSE_BYTES=1000"}, []string{"GATEWAY_MAX_BUFFERED_BYTES is below GATEWAY_MAX_REQUEST_BYTES: a request between the two always gets 503"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, warnings, err := load(t, tt.environ...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range warnings {
				got = append(got, w.String())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}
