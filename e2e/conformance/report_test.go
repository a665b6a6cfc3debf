package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// check is one thing that the suite looked at, as it writes it.
type check struct {
	ID, Description, Status, ErrorMessage string
	Details                               json.RawMessage
	SpecReferences                        []struct{ ID, URL string }
}

// report holds the checks of each scenario, in order.
type report map[string][]check

var resultDirectory = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[0-9-]+Z$`)

// runSuite runs every scenario that the suite has for a server of a revision against an endpoint, or only the one that is
// named.
func runSuite(t *testing.T, url, revision string, only ...string) report {
	t.Helper()
	dir := t.TempDir()
	args := []string{"server", "--url", url, "--spec-version", revision, "--output-dir", dir, "--suite", "all", "--timeout", "60000"}
	for _, scenario := range only {
		args = append(args, "--scenario", scenario)
	}
	cmd := script(t, filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"), args...)
	output, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: checks failed
		t.Fatalf("the suite: %v\n%s", err, output)
	}
	directories, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := report{}
	for _, d := range directories {
		name := resultDirectory.FindStringSubmatch(d.Name())
		if name == nil {
			t.Fatalf("the suite wrote %s, which is not the name of a scenario's results", d.Name())
		}
		r[name[1]] = readChecks(t, filepath.Join(dir, d.Name(), "checks.json"))
	}
	return r
}

// readChecks reads the results of one scenario. One that could not be run to its end has none, and counts as failed.
func readChecks(t *testing.T, path string) (checks []check) {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return []check{{ID: "scenario", Status: "FAILURE", ErrorMessage: "it did not come to its end"}}
	}
	if err == nil {
		err = json.Unmarshal(text, &checks)
	}
	if err != nil {
		t.Fatal(err)
	}
	return checks
}

// failures returns the checks of a scenario that were not passed.
func (r report) failures(scenario string) (failed []check) {
	return slices.DeleteFunc(slices.Clone(r[scenario]), func(c check) bool { return c.Status != "FAILURE" })
}

// rank orders the statuses of checks, the worst first.
var rank = []string{"absent", "FAILURE", "WARNING", "SKIPPED", "INFO", "SUCCESS"}

// differences returns a line for each check that is worse through the gateway than without it, in the scenarios' order.
// A check is its id and how often it came before in its scenario.
func differences(direct, through report) (lines []string) {
	for scenario, was := range direct {
		now := byOccurrence(through[scenario])
		for key, a := range byOccurrence(was) {
			b, there := now[key]
			if !there {
				b = check{Status: "absent"}
			}
			delete(now, key)
			if worse(a.Status, b.Status) {
				lines = append(lines, fmt.Sprintf("%s: %s: %s directly, %s", scenario, key, a.Status, b))
			}
		}
		for key, b := range now {
			if b.Status == "FAILURE" || b.Status == "WARNING" {
				lines = append(lines, fmt.Sprintf("%s: %s: absent directly, %s", scenario, key, b))
			}
		}
	}
	for scenario := range through {
		if _, there := direct[scenario]; !there {
			lines = append(lines, scenario+": it ran through the gateway only")
		}
	}
	slices.Sort(lines)
	return lines
}

// worse reports whether the status through the gateway is below the one without. What was not passed may be absent: the
// gateway gives a host a session where the server has none, and then other things are looked at.
func worse(direct, through string) bool {
	if direct != "SUCCESS" && through == "absent" {
		return false
	}
	return slices.Index(rank, through) < slices.Index(rank, direct)
}

func byOccurrence(checks []check) map[string]check {
	seen, all := map[string]int{}, map[string]check{}
	for _, c := range checks {
		seen[c.ID]++
		key := c.ID
		if n := seen[c.ID]; n > 1 {
			key += fmt.Sprintf(" (%d)", n)
		}
		all[key] = c
	}
	return all
}

// String is what a person needs to know to find the fault.
func (c check) String() string {
	text := c.Status
	if c.ErrorMessage != "" {
		text += ": " + c.ErrorMessage
	}
	if c.Description != "" {
		text += "\n\tchecks: " + c.Description
	}
	for _, reference := range c.SpecReferences {
		text += "\n\tsee: " + strings.TrimSpace(reference.ID+" "+reference.URL)
	}
	if len(c.Details) > 0 {
		text += "\n\tdetails: " + string(c.Details[:min(len(c.Details), 2000)])
	}
	return text
}

// TestDifferencesAreFound: what would count as a difference, so that an empty list means something.
func TestDifferencesAreFound(t *testing.T) {
	of := func(statuses ...string) report {
		r := report{"s": {}}
		for i, status := range statuses {
			id := []string{"a", "b", "a"}[i]
			r["s"] = append(r["s"], check{ID: id, Status: status})
		}
		return r
	}
	for name, tt := range map[string]struct {
		direct, through report
		want            int
	}{
		"the same":                  {of("SUCCESS", "WARNING", "FAILURE"), of("SUCCESS", "WARNING", "FAILURE"), 0},
		"better":                    {of("FAILURE", "WARNING"), of("SUCCESS", "SUCCESS"), 0},
		"a failure":                 {of("SUCCESS", "SUCCESS"), of("SUCCESS", "FAILURE"), 1},
		"a warning":                 {of("SUCCESS"), of("WARNING"), 1},
		"no longer looked at":       {of("SUCCESS"), of("SKIPPED"), 1},
		"one check missing":         {of("SUCCESS", "SUCCESS"), of("SUCCESS"), 1},
		"the scenario missing":      {of("SUCCESS", "SUCCESS"), report{}, 2},
		"the second of one id":      {of("SUCCESS", "SUCCESS", "SUCCESS"), of("SUCCESS", "SUCCESS", "FAILURE"), 1},
		"a failed check more":       {of("SUCCESS"), of("SUCCESS", "FAILURE"), 1},
		"a scenario more":           {report{}, of("SUCCESS"), 1},
		"what had failed is absent": {of("SUCCESS", "FAILURE"), of("SUCCESS"), 0},
		"a note is absent":          {of("SUCCESS", "INFO"), of("SUCCESS"), 0},
		"a note becomes a warning":  {of("INFO"), of("WARNING"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := differences(tt.direct, tt.through); len(got) != tt.want {
				t.Errorf("%d differences, want %d: %q", len(got), tt.want, got)
			}
		})
	}
}
