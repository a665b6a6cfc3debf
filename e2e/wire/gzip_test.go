package wire

import (
	"compress/gzip"
	"io"
)

// lazyGzip opens the gzip stream with the first read, as a host that reads a stream does.
type lazyGzip struct {
	from io.Reader
	r    *gzip.Reader
}

func (z *lazyGzip) Read(p []byte) (int, error) {
	if z.r == nil {
		r, err := gzip.NewReader(z.from)
		if err != nil {
			return 0, err
		}
		z.r = r
	}
	return z.r.Read(p)
}
