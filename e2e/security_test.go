package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testRooms is where SECURITY.md's names of rooms are.
var testRooms = map[string]string{
	"attacks": "attacks", "faults": "faults", "wire": "wire", "hosts": "hosts", "pipes": "pipes",
	"proxy": "../proxy", "stdio": "../proxy/stdio", "gateway": "../cmd/gateway", "config": "../config", "widgets": "../widgets",
	"preview": "../cmd/gateway/demo/preview",
}

// TestThreatsHaveTheirTests: each line of the threat model in SECURITY.md says what holds, and names tests of it, all of
// which exist.
func TestThreatsHaveTheirTests(t *testing.T) {
	page, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, model, found := strings.Cut(string(page), "\n## What others can do, and what holds them\n")
	if !found {
		t.Fatal("there is no threat model")
	}
	model, _, _ = strings.Cut(model, "\n## ")
	exist := map[string][]string{}
	for room, dir := range testRooms {
		exist[room] = testsIn(t, dir)
	}
	goTest := regexp.MustCompile("`([a-z]+)\\.(Test[A-Za-z0-9]+)`")
	widgetTest := regexp.MustCompile("`(widgets/[a-z/]+\\.test\\.ts)`")
	rows := 0
	for line := range strings.Lines(model) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| a malicious") || strings.HasPrefix(line, "| ---") {
			continue
		}
		rows++
		tests, files := goTest.FindAllStringSubmatch(line, -1), widgetTest.FindAllStringSubmatch(line, -1)
		if cells := strings.Split(line, " | "); len(cells) != 4 || len(tests)+len(files) == 0 {
			t.Errorf("no four cells, or no test, in %s", line)
		}
		for _, test := range tests {
			if !slices.Contains(exist[test[1]], test[2]) {
				t.Errorf("%s.%s does not exist", test[1], test[2])
			}
		}
		for _, file := range files {
			if _, err := os.Stat(filepath.Join("..", file[1])); err != nil {
				t.Error(err)
			}
		}
	}
	if rows < 20 {
		t.Errorf("only %d lines were read", rows)
	}
}
