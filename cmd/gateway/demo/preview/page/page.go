// Package page holds what the preview shows in a browser: a host page of MCP Apps and the sandbox between it and a
// widget, built from src into dist, which is committed so that Go needs no Node. Serving them is the preview's.
package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// sandboxName is the outer page of the double frame. It belongs to the sandbox's origin alone.
const sandboxName = "sandbox.html"

// originSlot is the place in the built sandbox that the page's origin takes, quotes included.
var originSlot = []byte(`"@page-origin@"`)

// ErrBuild says that dist is not what the sources build.
var ErrBuild = errors.New("embedded preview page: broken build")

// Files are the files of the page's origin: index.html and what it loads, by name. The sandbox is not among them.
func Files() (fs.FS, error) {
	files, err := fs.Sub(dist, "dist/page")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBuild, err)
	}
	return files, nil
}

// Sandbox is the sandbox's document for a page of this origin, such as http://127.0.0.1:8090: it takes messages from
// there and from the widget inside it, and from nobody else. It is one document with an inline script, since its
// content security policy is the widget's. The bytes are the caller's.
func Sandbox(pageOrigin string) ([]byte, error) {
	document, err := dist.ReadFile("dist/" + sandboxName)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBuild, err)
	}
	if bytes.Count(document, originSlot) != 1 {
		return nil, fmt.Errorf("%w: want exactly one place for the page's origin", ErrBuild)
	}
	// encoding/json writes <, > and & as \u escapes, so no value ends the script.
	origin, err := json.Marshal(pageOrigin)
	if err != nil {
		return nil, fmt.Errorf("write the page's origin: %w", err)
	}
	return bytes.Replace(document, originSlot, origin, 1), nil
}
