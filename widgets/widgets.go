// Package widgets holds the map document that hosts draw from a TomTom tool result, fills in its configuration and
// says which origins it loads from. It knows neither MCP nor the proxy.
//
// The document is built from src with Vite (npm ci && npm run build) and committed in dist, so that Go builds need no
// Node.
package widgets

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

//go:embed dist/map.html
var document []byte

// MIMEType is what MCP Apps hosts expect of a document that they draw.
const MIMEType = "text/html;profile=mcp-app"

// URIPrefix and URISuffix stand around the content hash in every URI of the document, this version's and others'.
const (
	URIPrefix = "ui://tomtom-mcp-gateway/map-"
	URISuffix = ".html"
)

// hashChars is the length of the content hash in the URI: 80 bits, in hexadecimal.
const hashChars = 20

// configSlot is the place in the built document that the configuration takes, quotes included.
var configSlot = []byte(`"@widget-config@"`)

// ErrDocument says that the embedded document has no place for the configuration, or more than one: a broken build.
var ErrDocument = errors.New("embedded document: want exactly one place for the configuration")

// Document is a widget as a host reads it. The slices are the caller's.
type Document struct {
	// URI ends in a hash of everything below, since hosts cache by URI.
	URI string
	// HTML is self-contained: it loads tiles and live traffic from the domains below, and nothing else.
	HTML     []byte
	MIMEType string
	// ConnectDomains are the origins that the document fetches from, ResourceDomains those it shows pictures of. Never
	// nil.
	ConnectDomains, ResourceDomains []string
}

// settings is what the document reads from its configuration element; src/config.ts has its twin.
type settings struct {
	Tiles       string `json:"tiles"`
	Attribution string `json:"attribution"`
	Incidents   string `json:"incidents"`
}

// New returns the document for a configuration. Equal configurations give equal documents. An error names the member
// of config that is of no use.
func New(config Config) (Document, error) {
	chosen, err := config.choose()
	if err != nil {
		return Document{}, err
	}
	html, err := fill(document, chosen.settings)
	if err != nil {
		return Document{}, err
	}
	return Document{
		URI:             URIPrefix + contentHash(html, chosen.connect, chosen.resource) + URISuffix,
		HTML:            html,
		MIMEType:        MIMEType,
		ConnectDomains:  chosen.connect,
		ResourceDomains: chosen.resource,
	}, nil
}

// fill puts the configuration where the document waits for it. encoding/json writes <, > and & as \u escapes, so no
// value can close the script element or open a comment in it.
func fill(html []byte, values settings) ([]byte, error) {
	if bytes.Count(html, configSlot) != 1 {
		return nil, ErrDocument
	}
	text, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	return bytes.Replace(html, configSlot, text, 1), nil
}

// contentHash covers each part with its length, so that no two lists of parts run into one another.
func contentHash(html []byte, connect, resource []string) string {
	hash := sha256.New()
	add := func(part []byte) {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write(part)
	}
	add(html)
	for _, domains := range [][]string{connect, resource} {
		add(fmt.Appendf(nil, "%d", len(domains)))
		for _, domain := range domains {
			add([]byte(domain))
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:hashChars]
}
