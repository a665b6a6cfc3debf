package preview

import (
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDocument bounds app data once it is decompressed.
const maxDocument = 64 << 20

// unpack returns the document in app data.
func unpack(appData string) ([]byte, error) {
	packed, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(appData)))
	if err != nil {
		return nil, fmt.Errorf("unpack app data: %w", err)
	}
	doc, err := io.ReadAll(io.LimitReader(packed, maxDocument+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpack app data: %w", err)
	case len(doc) > maxDocument:
		return nil, errors.New("unpack app data: too large")
	}
	return doc, nil
}
