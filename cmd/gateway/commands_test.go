package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tomtom-mcp-gateway/config"
	"tomtom-mcp-gateway/widgets"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain turns the test binary into the gateway itself where a test started it so, to send it real signals.
func TestMain(m *testing.M) {
	if os.Getenv(asGateway) != "" {
		main()
	}
	os.Exit(m.Run())
}

const asGateway = "TEST_BINARY_IS_GATEWAY"

// command runs the program to its end.
func runCommand(t testing.TB, stdin string, environ []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, environ, streams{in: strings.NewReader(stdin), out: &out, err: &errs})
	return out.String(), errs.String(), code
}

const upstreamSet = "GATEWAY_UPSTREAM_URL=http://127.0.0.1:9/mcp"

// Bad usage exits with 2 and says what is wrong on standard error; standard output stays empty for what reads it.
func TestBadUsage(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		stderr string
	}{
		{"unknown command", []string{"serv"}, `there is no command "serv"`},
		{"flags for serving", []string{"-listen", ":1"}, "the environment says the rest"},
		{"a command without --", []string{"--stdio", "npx"}, "put -- before the server's command"},
		{"no command behind --", []string{"--stdio", "--"}, "no command follows --"},
		{"no command at all", []string{"--"}, "no command follows --"},
		{"help for an unknown command", []string{"help", "serv"}, `there is no command "serv"`},
		{"unknown flag", []string{"fit", "-budget", "3", "x.json"}, "flag provided but not defined: -budget"},
		{"fit without file", []string{"fit"}, "FILE is missing"},
		{"fit with two files", []string{"fit", "a.json", "b.json"}, `"b.json" is too much`},
		{"fit with a flag behind the file", []string{"fit", "a.json", "-data"}, "flags before it"},
		{"fit with a limit that is no number", []string{"fit", "-limit", "60k", "x.json"}, `invalid value "60k" for flag -limit`},
		{"fit with a limit of zero", []string{"fit", "-limit", "0", "x.json"}, "-limit 0: it has to be above 0"},
		{"fit with a negative limit", []string{"fit", "-limit", "-5", "x.json"}, "-limit -5: it has to be above 0"},
		{"fit with a negative error", []string{"fit", "-max-error", "-1", "x.json"}, "-max-error -1: it has to be above 0"},
		{"fit with an error that is no number", []string{"fit", "-max-error", "NaN", "x.json"}, "-max-error NaN"},
		{"fit for an unknown tool", []string{"fit", "-tool", "tomtom-routes", "x.json"}, `-tool "tomtom-routes": no policy for it`},
		{"config with an argument", []string{"config", "x"}, `config takes no arguments such as "x"`},
		{"version with a flag", []string{"version", "-v"}, "flag provided but not defined: -v"},
		{"demo with an argument", []string{"demo", "fast"}, `demo takes no arguments such as "fast"`},
		{"demo for everyone", []string{"demo", "-listen", ":8080"}, "loopback only"},
		{"demo for the network", []string{"demo", "-upstream", "192.0.2.1:0"}, "loopback only"},
		{"demo with a page for the network", []string{"demo", "-page", "192.0.2.1:0"}, "add -remote"},
		{"demo with a page at every address", []string{"demo", "-sandbox", ":0", "-remote"}, "name the one address"},
		{"preview without a key", []string{"preview"}, "the environment variable TOMTOM_API_KEY is not set"},
		{"preview with a key's variable that is not set", []string{"preview", "-key-env", "MY_KEY"}, "the environment variable MY_KEY is not set"},
		{"preview of two servers", []string{"preview", "-upstream", "http://127.0.0.1:3000/mcp", "--", "server"}, "either -upstream or a command"},
		{"preview of an address as a command", []string{"preview", "http://127.0.0.1:3000/mcp"}, "an address stands behind -upstream"},
		{"preview with a page for the network", []string{"preview", "-page", "192.0.2.1:0"}, "add -remote"},
		{"preview with a limit of zero", []string{"preview", "-limit", "0"}, "-limit 0: it has to be above 0"},
		{"demo with a limit of zero", []string{"demo", "-limit", "0"}, "-limit 0: it has to be above 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := runCommand(t, "", []string{upstreamSet}, tt.args...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			if !strings.HasPrefix(stderr, "gateway: ") || !regexp.MustCompile(`run 'gateway( [a-z]+)? -h'`).MatchString(stderr) {
				t.Errorf("stderr does not say where to look: %q", stderr)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"demo", "-h"}, {"preview", "-h"}, {"fit", "-h"}, {"config", "-h"}, {"version", "-h"}} {
		t.Run(args[0], func(t *testing.T) {
			stdout, stderr, code := runCommand(t, "", nil, args...)
			if code != exitOK || stderr != "" {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
			golden(t, "help-"+args[0]+".txt", stdout)
			// Flag tables may be wide; what is written by hand fits a terminal of 120 columns.
			for line := range strings.Lines(stdout) {
				if len([]rune(line)) > 121 && !strings.Contains(line, "Value:") && !strings.HasPrefix(line, "      ") {
					t.Errorf("a line of %d characters: %s", len(line), line)
				}
			}
		})
	}
}

func TestHelpIsTheSameByAnyName(t *testing.T) {
	for _, pair := range [][2][]string{
		{{"help"}, {"-h"}},
		{{"help"}, {"-help"}},
		{{"help"}, {"--help"}},
		{{"help"}, {"help", "--help"}},
		{{"help"}, {"help", "help"}},
		{{"help", "fit"}, {"fit", "-h"}},
		{{"help", "fit"}, {"fit", "--help"}},
		{{"version"}, {"--version"}},
		{{"version"}, {"-version"}},
	} {
		one, _, oneCode := runCommand(t, "", nil, pair[0]...)
		other, _, otherCode := runCommand(t, "", nil, pair[1]...)
		if one != other || one == "" || oneCode != exitOK || otherCode != exitOK {
			t.Errorf("%v and %v differ (codes %d, %d)", pair[0], pair[1], oneCode, otherCode)
		}
	}
}

// Every variable and every command is in the help, whatever is added.
func TestHelpIsComplete(t *testing.T) {
	stdout, _, _ := runCommand(t, "", nil, "help")
	for _, v := range (config.Config{}).Variables() {
		if !strings.Contains(stdout, v.Name) {
			t.Errorf("the help lacks %s", v.Name)
		}
	}
	for _, c := range commands() {
		if !strings.Contains(stdout, c.summary) {
			t.Errorf("the help lacks %s", c.name)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Cleanup(func() { version = "" })
	version = "v1.2.3"
	stdout, stderr, code := runCommand(t, "", nil, "version")
	if code != exitOK || stderr != "" || !regexp.MustCompile(`^gateway v1\.2\.3 \(go1\.[0-9.]+, \w+/\w+\)\n$`).MatchString(stdout) {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	version = ""
	if stdout, _, _ := runCommand(t, "", nil, "version"); !regexp.MustCompile(`^gateway \S+ \(`).MatchString(stdout) {
		t.Errorf("unlinked: %q", stdout)
	}
}

func TestConfigCommand(t *testing.T) {
	tests := []struct {
		name           string
		environ        []string
		code           int
		stdout, stderr string
	}{
		{"good", []string{upstreamSet, "GATEWAY_TOOL_LIMITS=tomtom-routing=110000"}, exitOK, `(?m)^GATEWAY_TOOL_LIMITS +set +tomtom-routing=110000$`, `^$`},
		{"masked", []string{upstreamSet, "GATEWAY_MAP_KEY=top-secret"}, exitOK, `(?m)^GATEWAY_MAP_KEY +set +\*+$`, `^$`},
		{"mistyped", []string{upstreamSet, "GATEWAY_LIMITS=1"}, exitOK, `GATEWAY_UPSTREAM_URL`, `^gateway: warning: GATEWAY_LIMITS is not read`},
		{"without upstream", nil, exitUsage, `(?m)^GATEWAY_UPSTREAM_URL +unset +-$`, `GATEWAY_UPSTREAM_URL is not set`},
		{"unknown tool", []string{upstreamSet, "GATEWAY_TOOL_LIMITS=tomtom-routes=1"}, exitUsage, `tomtom-routes=1`, `tomtom-routes is no tool that the gateway has a policy for`},
		{"unusable tiles", []string{upstreamSet, "GATEWAY_TILES=http://tiles.example/{z}/{x}/{y}"}, exitUsage, `tiles\.example`, `GATEWAY_TILES=.*https`},
		{"unusable incidents", []string{upstreamSet, "GATEWAY_INCIDENTS=https://traffic.example/"}, exitUsage, `traffic\.example`, `GATEWAY_INCIDENTS=.*bbox`},
		{"several problems", []string{upstreamSet, "GATEWAY_TEXT=x", "GATEWAY_APPS=y"}, exitUsage, `GATEWAY_TEXT +set +x`, `2 problems(?s:.*)GATEWAY_TEXT(?s:.*)GATEWAY_APPS`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := runCommand(t, "", tt.environ, "config")
			if code != tt.code || !regexp.MustCompile(tt.stdout).MatchString(stdout) || !regexp.MustCompile(tt.stderr).MatchString(stderr) {
				t.Errorf("exit code %d\nstdout %s\nstderr %s", code, stdout, stderr)
			}
			if strings.Contains(stdout+stderr, "top-secret") {
				t.Error("a secret is printed")
			}
		})
	}
}

// The widget recognises TomTom's tiles, and their attribution, by the template's text.
func TestDefaultTilesAreTheWidgets(t *testing.T) {
	for _, v := range (config.Config{}).Variables() {
		if v.Name == "GATEWAY_TILES" && v.Default != widgets.DefaultTiles {
			t.Errorf("the default is %s, the widget's %s", v.Default, widgets.DefaultTiles)
		}
	}
}

// A result that nobody could read is a failure.
func TestUnwritableOutput(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"help", "fit"}, {"version"}, {"config"}, {"fit", "-"}} {
		var errs bytes.Buffer
		code := run(t.Context(), args, []string{upstreamSet}, streams{in: strings.NewReader(`{}`), out: fullDisk{}, err: &errs})
		if code != exitFailed || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v: exit code %d, %s", args, code, errs.String())
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// golden compares got with a file of testdata, or writes it with -update.
func golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./cmd/gateway -update rewrites it):\n%s", path, got)
	}
}

// background runs a command that serves until stop; wait gives its exit code.
func background(t testing.TB, s streams, environ []string, args ...string) (stop func(), wait func() int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	code := make(chan int, 1)
	go func() { code <- run(ctx, args, environ, s) }()
	t.Cleanup(stop)
	return stop, func() int { return <-code }
}

func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{&usageError{}, exitUsage},
		{fmt.Errorf("step: %w", &usageError{}), exitUsage},
		{&config.Error{}, exitUsage},
		{errors.New("anything else"), exitFailed},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%T gives %d", tt.err, got)
		}
	}
}
