package wire

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// fitLine is what gateway fit prints.
type fitLine struct {
	Status         string   `json:"status"`
	Points         int      `json:"points"`
	OriginalPoints int      `json:"original_points"`
	MaxErrorM      float64  `json:"max_error_m"`
	Characters     int      `json:"characters"`
	Shed           []string `json:"shed"`
	DurationMS     *float64 `json:"duration_ms"`
	AppData        string   `json:"app_data"`
}

// TestFitCommand: one line, the same document as the gateway would send.
func TestFitCommand(t *testing.T) {
	original := wiggly(30_000)
	file := filepath.Join(t.TempDir(), "route.json")
	if err := os.WriteFile(file, []byte(original), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args   []string
		stdin  string
		status string
		limit  int
		data   bool
	}{
		"file":      {[]string{"fit", "-data", file}, "", "fitted", 115_600, true},
		"stdin":     {[]string{"fit", "-data", "-limit", "60000", "-"}, original, "fitted", 60_000, true},
		"no data":   {[]string{"fit", "-limit", "60000", "-"}, original, "fitted", 60_000, false},
		"inline":    {[]string{"fit", "-data", "-"}, routeData, "inline", 115_600, true},
		"data-viz":  {[]string{"fit", "-tool", "tomtom-data-viz", "-limit", "60000", "-"}, original, "too_large", 60_000, false},
		"too large": {[]string{"fit", "-limit", "100", "-"}, original, "too_large", 100, false},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := testkit.Run(t, []byte(c.stdin), nil, c.args...)
			if code != 0 || strings.Count(stdout, "\n") != 1 || !strings.HasSuffix(stdout, "\n") {
				t.Fatalf("exit code %d, output %.300q, %s", code, stdout, stderr)
			}
			var line fitLine
			decode(t, stdout, &line)
			if line.Status != c.status || line.DurationMS == nil || line.Shed == nil {
				t.Fatalf("%.400s", stdout)
			}
			if (line.AppData != "") != c.data {
				t.Errorf("app data is there: %v", line.AppData != "")
			}
			if c.status != "too_large" && (line.Characters > c.limit || line.Characters == 0) {
				t.Errorf("%d characters of %d", line.Characters, c.limit)
			}
			if c.data && len(line.AppData) != line.Characters {
				t.Errorf("characters %d, app data has %d", line.Characters, len(line.AppData))
			}
			if c.data && c.status == "fitted" {
				testkit.CheckFitted(t, testkit.DecodeAppData(t, line.AppData), []byte(original), testkit.Simplification{
					OriginalPoints: line.OriginalPoints, Points: line.Points, MaxErrorM: line.MaxErrorM, Shed: line.Shed,
				})
			}
			if c.data && c.status == "inline" {
				testkit.SameBytes(t, "app data", testkit.DecodeAppData(t, line.AppData), []byte(routeData))
			}
		})
	}
}

// TestFitRefusesWhatItCannotRead: 1 for no JSON, 2 for bad usage, the reason on standard error.
func TestFitRefusesWhatItCannotRead(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		stdin string
		code  int
	}{
		"no JSON":      {[]string{"fit", "-"}, "{", 1},
		"empty":        {[]string{"fit", "-"}, "", 1},
		"no such file": {[]string{"fit", "/nowhere/x.json"}, "", 1},
		"no file":      {[]string{"fit"}, "", 2},
		"unknown flag": {[]string{"fit", "-wings", "-"}, "{}", 2},
		"bad limit":    {[]string{"fit", "-limit", "much", "-"}, "{}", 2},
		"unknown tool": {[]string{"fit", "-tool", "nobody", "-"}, "{}", 2},
		"no command":   {[]string{"fly"}, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := testkit.Run(t, []byte(c.stdin), nil, c.args...)
			if code != c.code || stdout != "" || strings.TrimSpace(stderr) == "" {
				t.Errorf("exit code %d, want %d; stdout %q, stderr %q", code, c.code, stdout, stderr)
			}
		})
	}
}

// TestVersionAndHelp: on standard output, exit 0.
func TestVersionAndHelp(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--help"}, {"-h"}, {"help"}, {"fit", "--help"}, {"config", "-h"}, {"demo", "--help"}} {
		stdout, stderr, code := testkit.Run(t, nil, nil, args...)
		if code != 0 || strings.TrimSpace(stdout) == "" || stderr != "" {
			t.Errorf("%v: exit code %d, stdout %.80q, stderr %.200q", args, code, stdout, stderr)
		}
	}
	stdout, _, _ := testkit.Run(t, nil, nil, "--help")
	for _, want := range []string{"demo", "fit", "config", "version", "GATEWAY_UPSTREAM_URL"} {
		if !regexp.MustCompile(`\b` + want + `\b`).MatchString(stdout) {
			t.Errorf("help does not say %s", want)
		}
	}
}
