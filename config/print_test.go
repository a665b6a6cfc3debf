package config_test

import (
	"regexp"
	"strings"
	"testing"

	"tomtom-mcp-gateway/config"
)

func TestPrintMasksSecrets(t *testing.T) {
	c, _, err := load(t, "GATEWAY_MAP_KEY=top-secret", "GATEWAY_RESULT_LIMIT=90000",
		"GATEWAY_TILES=https://tiles.example/{z}/{x}/{y}?apiKey=top-secret&key={key}&access_token=top-secret")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	if strings.Contains(out, "top-secret") {
		t.Errorf("a secret is printed:\n%s", out)
	}
	for _, line := range []string{
		`GATEWAY_UPSTREAM_URL +set +http://127\.0\.0\.1:3000/mcp`,
		`GATEWAY_RESULT_LIMIT +set +90000`,
		`GATEWAY_MAP_KEY +set +\*{8}`,
		`GATEWAY_TOOL_LIMITS +unset +-`,
		`GATEWAY_LISTEN +default +:8080`,
		`GATEWAY_TILES +set +https://tiles\.example/\{z\}/\{x\}/\{y\}\?apiKey=\*{8}&key=\{key\}&access_token=\*{8}`,
	} {
		if !regexp.MustCompile("(?m)^" + line + "$").MatchString(out) {
			t.Errorf("no line %s in\n%s", line, out)
		}
	}
}

// What could not be used is printed too, so that `gateway config` shows what the problems are about.
func TestPrintBesideProblems(t *testing.T) {
	c, _, err := config.Load([]string{"GATEWAY_RESULT_LIMIT=many\x1b[31m"}, config.Checks{})
	if err == nil {
		t.Fatal("no problem was found")
	}
	var b strings.Builder
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); !regexp.MustCompile(`(?m)^GATEWAY_RESULT_LIMIT +set +many\\x1b`).MatchString(out) ||
		!regexp.MustCompile(`(?m)^GATEWAY_UPSTREAM_URL +unset +-$`).MatchString(out) {
		t.Errorf("printed\n%q", out)
	}
}

func TestVariablesAreDocumented(t *testing.T) {
	all := config.Config{}.Variables()
	if len(all) < 17 {
		t.Fatalf("only %d variables", len(all))
	}
	seen := map[string]bool{}
	for _, v := range all {
		if seen[v.Name] || !strings.HasPrefix(v.Name, "GATEWAY_") || v.Synopsis == "" || v.Form == "" || v.Section == "" {
			t.Errorf("incomplete or twice: %+v", v)
		}
		seen[v.Name] = true
	}
}
