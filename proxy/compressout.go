package proxy

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minCompressed is the length of a body below which compressing it is not worth it.
const minCompressed = 1024

// compress compresses answers for hosts that ask for gzip: JSON and event streams which the upstream did not compress.
// Every Flush sends all that was written so far on its way, and the head goes out before there is a body, which is
// why gzhttp of the same module does not do: it holds both back until it has seen enough.
func compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead || !acceptsGzip(r.Header) {
			next.ServeHTTP(w, r)
			return
		}
		c := &compressor{ResponseWriter: w}
		next.ServeHTTP(c, r)
		// Not reached when next panics to break the answer off: it must not look complete then.
		c.finish()
	})
}

// acceptsGzip reads Accept-Encoding (RFC 9110 section 12.5.3): gzip, or anything.
func acceptsGzip(h http.Header) bool {
	accepted := false
	for _, line := range h["Accept-Encoding"] {
		for item := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(item, ";")
			coding = strings.ToLower(strings.TrimSpace(coding))
			switch coding {
			case "gzip", "x-gzip":
				return quality(params) > 0
			case "*":
				accepted = quality(params) > 0
			}
		}
	}
	return accepted
}

// quality returns the weight among the parameters of a coding; 1 when there is none.
func quality(params string) float64 {
	name, value, _ := strings.Cut(strings.TrimSpace(params), "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return 0
	}
	return q
}

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
	return w
}}

// compressor is the answer to a host that accepts gzip.
type compressor struct {
	http.ResponseWriter
	wroteHeader bool
	gzip        *gzip.Writer // nil: the answer goes out as it is
}

// Unwrap is for http.ResponseController.
func (c *compressor) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// WriteHeader decides, by the head, whether the body is compressed.
func (c *compressor) WriteHeader(status int) {
	if !c.wroteHeader && status >= http.StatusOK {
		c.wroteHeader = true
		c.begin(status)
	}
	c.ResponseWriter.WriteHeader(status)
}

// begin prepares the head for a compressed body, or leaves both alone.
func (c *compressor) begin(status int) {
	h := c.Header()
	if !isMediaType(h, "application/json") && !isMediaType(h, "text/event-stream") {
		return
	}
	h.Add("Vary", "Accept-Encoding")
	length, err := strconv.Atoi(h.Get("Content-Length"))
	short := err == nil && length < minCompressed
	if short || status == http.StatusNoContent || status == http.StatusNotModified || status == http.StatusPartialContent ||
		h.Get("Content-Encoding") != "" || strings.Contains(h.Get("Cache-Control"), "no-transform") {
		return
	}
	h.Del("Content-Length")
	h.Set("Content-Encoding", "gzip")
	if tag := h.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		h.Set("ETag", "W/"+tag) // equal in meaning, no longer byte for byte
	}
	c.gzip, _ = gzipWriters.Get().(*gzip.Writer)
	c.gzip.Reset(c.ResponseWriter)
}

// Write takes a part of the body.
func (c *compressor) Write(b []byte) (int, error) {
	if !c.wroteHeader {
		c.WriteHeader(http.StatusOK)
	}
	if c.gzip == nil {
		return c.ResponseWriter.Write(b)
	}
	return c.gzip.Write(b)
}

// FlushError is for http.ResponseController.
func (c *compressor) FlushError() error {
	if c.gzip != nil {
		if err := c.gzip.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// finish ends the compressed body.
func (c *compressor) finish() {
	if c.gzip == nil {
		return
	}
	_ = c.gzip.Close() // fails only for a host that has gone
	gzipWriters.Put(c.gzip)
	c.gzip = nil
}
