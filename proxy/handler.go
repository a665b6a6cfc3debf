package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
)

// Gateway is the MCP endpoint and everything else that the upstream serves over HTTP: an http.Handler for any number
// of hosts at once.
type Gateway struct {
	options  Options
	log      *slog.Logger
	upstream *upstream
	widgets  *widgets
	desk     *desk
	room     *room
	metrics  *metrics
	handler  http.Handler

	life context.Context //nolint:containedctx // the gateway's own, as http.Server's BaseContext: Close ends it
	stop context.CancelFunc
}

// New checks the options and builds a Gateway. Close it when its server has drained.
func New(options Options) (*Gateway, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("gateway options: %w", err)
	}
	g := &Gateway{
		options:  options,
		log:      options.Logger,
		upstream: newUpstream(options.Upstream),
		room:     newRoom(options.MaxBufferedBytes),
	}
	if g.widgets, err = newWidgets(options.Widget); err != nil {
		return nil, fmt.Errorf("gateway options: %w", err)
	}
	if g.metrics, err = newMetrics(options.Metrics, g.room); err != nil {
		return nil, err
	}
	statuses, err := newStatuses(options.Logger, options.Metrics)
	if err != nil {
		return nil, err
	}
	g.desk = &desk{statuses: statuses, mapKey: options.MapKey, fetch: g.fetchAppData, log: options.Logger}
	g.life, g.stop = context.WithCancel(context.Background())

	// From the inside out: what reaches the upstream, its answer compressed where the host asks for it, and all of
	// it for allowed origins only.
	g.handler = http.HandlerFunc(g.serve)
	g.handler = compress(g.handler)
	g.handler = newOrigins(options.AllowedOrigins).guard(g.handler)
	return g, nil
}

// ServeHTTP handles one HTTP request of a host.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.handler.ServeHTTP(w, r) }

// Close ends what is still on its way to the upstream.
func (g *Gateway) Close() {
	g.stop()
	g.upstream.close()
}

// isEndpoint reports whether r is for the MCP endpoint. Its path is the same on both sides.
func (g *Gateway) isEndpoint(r *http.Request) bool {
	path := g.upstream.url.Path
	return r.URL.Path == path || path == "" && r.URL.Path == "/"
}

// serve buffers the request's body, sends JSON-RPC that can be read to its exchange, and passes on everything else.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	post := r.Method == http.MethodPost && g.isEndpoint(r)
	if post && isEncoded(r.Header) {
		writeError(w, http.StatusUnsupportedMediaType, &rpcError{
			code: codeInvalidRequest, message: "The request body must not be compressed: Content-Encoding must be identity",
		})
		return
	}
	body, err := readBody(w, r, g.options.MaxRequestBytes)
	if err != nil {
		g.refuseBody(w, r, err)
		return
	}
	switch {
	case post:
		messages, batch, err := scanMessages(body)
		if err == nil {
			g.exchange(w, r, body, messages, batch)
			return
		}
		// The upstream has its own answer to what is no JSON.
	case r.Method == http.MethodDelete && g.isEndpoint(r) && sessionOf(r.Header).endsHere():
		w.WriteHeader(http.StatusNoContent)
		return
	}
	g.forward(w, r, body, nil, false)
}

// isEncoded reports whether a body is compressed, and so not readable.
func isEncoded(h http.Header) bool {
	for _, coding := range h["Content-Encoding"] {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return true
		}
	}
	return false
}

// readBody returns the whole body. The error is an http.MaxBytesError when it has more than limit bytes.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength == 0 || r.Body == nil {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	reader := http.MaxBytesReader(w, r.Body, limit)
	if r.ContentLength < 0 {
		return io.ReadAll(reader)
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(reader, body)
	return body, err
}

// refuseBody answers a request whose body could not be read.
func (g *Gateway) refuseBody(w http.ResponseWriter, r *http.Request, err error) {
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
