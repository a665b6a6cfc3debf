// Command sbom completes the bill of materials of a gateway's binary, which it reads on standard input: it adds the npm packages that
// its lists of licences name, and takes out what differs from build to build without saying anything.
package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := complete(os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// undetected are licences that the detector of the document's author does not recognise; looked up in the modules.
var undetected = map[string]string{"github.com/cenkalti/backoff/v5": "MIT"}

// complete reads a CycloneDX document from r and writes it to w with the packages that the files of licences name.
func complete(r io.Reader, w io.Writer, licences []string) error {
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(r, cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return fmt.Errorf("read the bill of materials: %w", err)
	}
	bom.Metadata.Tools, bom.Metadata.Properties = nil, nil
	for i, component := range *bom.Components {
		if id := undetected[component.Name]; id != "" && component.Licenses == nil {
			(*bom.Components)[i].Licenses = licence(id)
		}
	}
	for _, path := range licences {
		text, err := os.ReadFile(path) //nolint:gosec // a file that is named on the command line
		if err != nil {
			return err
		}
		packages := packagesIn(string(text))
		if len(packages) == 0 {
			return fmt.Errorf("%s names no package", path)
		}
		*bom.Components = append(*bom.Components, packages...)
	}
	slices.SortStableFunc(*bom.Components, func(a, b cyclonedx.Component) int { return strings.Compare(a.PackageURL, b.PackageURL) })
	*bom.Components = slices.CompactFunc(*bom.Components, func(a, b cyclonedx.Component) bool { return a.PackageURL == b.PackageURL })
	encoder := cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	if err := encoder.Encode(&bom); err != nil {
		return fmt.Errorf("write the bill of materials: %w", err)
	}
	return nil
}

// heading is the line above a package's licence: its name, its version, and what the licence is called.
var heading = regexp.MustCompile(`(?m)^(@?[a-z0-9][a-z0-9./_-]*) ([0-9]+\.[0-9]+\.[0-9]+\S*) \(([^)]+)\)$`)

func packagesIn(text string) []cyclonedx.Component {
	var all []cyclonedx.Component
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		url := "pkg:npm/" + strings.Replace(match[1], "@", "%40", 1) + "@" + match[2]
		all = append(all, cyclonedx.Component{
			BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: match[1], Version: match[2], PackageURL: url,
			Licenses: licence(match[3]),
		})
	}
	return all
}

// licence is one licence by its SPDX identifier.
func licence(id string) *cyclonedx.Licenses {
	return &cyclonedx.Licenses{{License: &cyclonedx.License{ID: id}}}
}
