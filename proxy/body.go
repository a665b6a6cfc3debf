package proxy

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
)

// firstBodyBuffer is what a request's body may take before it counts against the gateway's room.
const firstBodyBuffer = 256 << 10

// readBody returns the whole body. The error is an http.MaxBytesError when it has more than limit bytes, that of
// hold.reserve when there is no room for it, or what reading failed with. What a host announces it has not sent yet:
// room is taken as it comes.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, held *hold) ([]byte, error) {
	if r.ContentLength == 0 || r.Body == nil {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	reader := http.MaxBytesReader(w, r.Body, limit)
	first := int64(firstBodyBuffer)
	if r.ContentLength < 0 {
		first = smallestBuffer // how much is to come nobody said
	} else {
		first = min(first, r.ContentLength)
	}
	body := make([]byte, 0, first)
	for {
		n, err := reader.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) == r.ContentLength, errors.Is(err, io.EOF) && r.ContentLength < 0:
			return body, nil
		case errors.Is(err, io.EOF):
			return body, io.ErrUnexpectedEOF
		case err != nil:
			return body, err
		case len(body) < cap(body):
			continue
		}
		if body, err = growBody(r, body, limit, held); err != nil {
			return nil, err
		}
	}
}

// growBody returns body with more room behind it.
func growBody(r *http.Request, body []byte, limit int64, held *hold) ([]byte, error) {
	size := min(4*int64(len(body)), limit+1) // one more shows that it ends
	if r.ContentLength > 0 {
		size = min(size, r.ContentLength)
	}
	if more := size - max(int64(len(body)), firstBodyBuffer); more > 0 {
		if err := held.reserve(r.Context(), int(more)); err != nil {
			return nil, err
		}
	}
	return append(make([]byte, 0, size), body...), nil
}

// refuseBody answers a request whose body could not be read.
func (g *Gateway) refuseBody(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, errBusy) {
		g.log.WarnContext(r.Context(), "request refused", slog.Int("status", http.StatusServiceUnavailable), slog.Any("err", err))
		w.Header().Set("Connection", "close")
		refuseForNow(w, "The gateway has no room for the request")
		return
	}
	status, text := http.StatusBadRequest, "The request body could not be read"
	tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](err)
	if isTooLarge {
		status = http.StatusRequestEntityTooLarge
		text = fmt.Sprintf("The request body has more than %d bytes", tooLarge.Limit)
		w.Header().Set("Connection", "close")
	}
	g.log.InfoContext(r.Context(), "request refused", slog.Int("status", status), slog.Any("err", err))
	writeError(w, status, &rpcError{code: codeInvalidRequest, message: text})
	if isTooLarge && r.Header.Get("Expect") == "" {
		// A host that is still sending would have its connection reset, and with it this answer.
		flusher(w)()
		_, _ = io.CopyN(io.Discard, r.Body, 2*tooLarge.Limit)
	}
}
