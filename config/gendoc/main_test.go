package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The committed files are what the comments say now.
func TestGeneratedFilesAreFresh(t *testing.T) {
	concerns, err := readConcerns("../variables.go")
	if err != nil {
		t.Fatal(err)
	}
	source, err := synopsisSource(concerns)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]byte{synopsisFile: source, manualFile: manual(concerns)} {
		got, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go generate ./config", path)
		}
	}
}

func TestGenerateWritesBoth(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	for _, d := range []string{dir, filepath.Join(dir, "../docs")} {
		if err := os.Mkdir(d, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	source := "package config\n\ntype Config struct{ One One }\n\n// One is about one.\ntype One struct {\n" +
		"\t// How much of it. More about it.\n\tMuch int `env:\"GATEWAY_MUCH\" envDefault:\"1\" form:\"a number\"`\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "variables.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := generate(dir); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		synopsisFile: `"GATEWAY_MUCH": "How much of it"`,
		manualFile:   "### GATEWAY_MUCH\n\nHow much of it. More about it.\n\n- Value: a number.\n- Default: `1`.\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || !bytes.Contains(got, []byte(want)) {
			t.Errorf("%s (%v) lacks %q:\n%s", path, err, want, got)
		}
	}
}

func TestUndocumentedFieldIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "variables.go")
	source := "package config\n\ntype Config struct{ One One }\n\ntype One struct {\n\tMuch int `env:\"GATEWAY_MUCH\" form:\"a number\"`\n}\n"
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readConcerns(path); err == nil {
		t.Error("a field without a comment was accepted")
	}
}
