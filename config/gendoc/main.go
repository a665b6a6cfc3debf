// Command gendoc writes what people read about the configuration from the comments of the structs in package config:
// docs/configuration.md, and the one-line synopses of `gateway config -help`. go generate runs it in the package's folder.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := generate("."); err != nil {
		fmt.Fprintln(os.Stderr, "gendoc:", err)
		os.Exit(1)
	}
}

// generate reads the config package in dir and writes its two outputs.
func generate(dir string) error {
	concerns, err := readConcerns(filepath.Join(dir, "variables.go"))
	if err != nil {
		return err
	}
	source, err := synopsisSource(concerns)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, synopsisFile), source, 0o644); err != nil { //nolint:gosec // a source file
		return fmt.Errorf("write the synopses: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, manualFile), manual(concerns), 0o644); err != nil { //nolint:gosec // a page of the documentation
		return fmt.Errorf("write the manual: %w", err)
	}
	return nil
}

// The outputs, relative to the config package.
const (
	synopsisFile = "synopsis.go"
	manualFile   = "../docs/configuration.md"
)
