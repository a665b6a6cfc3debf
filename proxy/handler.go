package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
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
	recent   *recent // nil: no app data is kept
	eras     eras
	running  running
	held     heldCalls
	asked    questions
	level    atomic.Pointer[string] // of logging, which the one host has set; nil before
	// inputWait is for how long a host may take to come back with what it is asked for.
	inputWait time.Duration
	params    paramBindings
	metrics   *metrics
	tracing   *tracing
	calls     sampler // of lines about calls that went well
	inFlight  atomic.Int64
	handler   http.Handler

	life context.Context //nolint:containedctx // the gateway's own, as http.Server's BaseContext: Close ends it
	stop context.CancelFunc

	streams    context.Context //nolint:containedctx // the same of streams that wait for news: EndStreams ends it
	endStreams context.CancelFunc
}

// New checks the options and builds a Gateway. Close it when its server has drained.
func New(options Options) (*Gateway, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("gateway options: %w", err)
	}
	g := &Gateway{
		options:   options,
		log:       trailed(options.Logger),
		room:      newRoom(options.MaxBufferedBytes),
		tracing:   newTracing(options.Tracer),
		calls:     sampler{every: uint64(options.LogSample)},
		inputWait: inputWait,
	}
	if g.widgets, err = newWidgets(options.Widget); err != nil {
		return nil, fmt.Errorf("gateway options: %w", err)
	}
	if g.metrics, err = newMetrics(options.Metrics, g.room); err != nil {
		return nil, err
	}
	g.upstream = newUpstream(options, g.metrics)
	statuses, err := newStatuses(g.log, options.LogSample, options.Metrics)
	if err != nil {
		return nil, err
	}
	g.recent = newRecent(options.RecentResults)
	g.desk = &desk{
		statuses: statuses, data: newBucket(), metrics: g.metrics, good: &sampler{every: uint64(options.LogSample)}, mapKey: options.MapKey, fetch: g.fetchAppData, log: g.log,
		open: options.OwnCredential, recent: g.recent,
	}
	g.life, g.stop = context.WithCancel(context.Background())
	g.streams, g.endStreams = context.WithCancel(g.life)

	// From the inside out: what reaches the upstream, its answer compressed where the host asks for it, all of it for
	// allowed origins only, asked as an MCP host asks, for hosts that read what they are sent, and not too much at once.
	g.handler = http.HandlerFunc(g.serve)
	g.handler = compress(g.handler)
	g.handler = requireToken(g.handler, options.Token)
	g.handler = newOrigins(options.AllowedOrigins).guard(g.handler)
	g.handler = Strict(g.handler, options.AllowedHosts)
	g.handler = patience(g.handler, hostPatience)
	g.handler = g.watch(g.handler)
	return g, nil
}

// ServeHTTP handles one HTTP request of a host.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.handler.ServeHTTP(w, r) }

// EndStreams ends the streams on which hosts wait for news: they open them again elsewhere. It also gives up the calls that wait
// for a host's answer, which would come elsewhere. It is for when the server begins to drain, and ends nothing else.
func (g *Gateway) EndStreams() {
	g.endStreams()
	g.held.close()
}

// closeWait bounds how long Close waits until upstreams know which calls are given up.
const closeWait = time.Second

// Close ends what is still on its way to the upstream.
func (g *Gateway) Close() {
	g.held.close()
	known := make(chan struct{})
	go func() {
		g.held.ends.Wait()
		close(known)
	}()
	select {
	case <-known:
	case <-time.After(closeWait):
	}
	g.stop()
	g.upstream.close()
}

// isEndpoint reports whether r is for the MCP endpoint. Its path is the same on both sides. Every spelling counts that
// a server or a proxy behind the gateway may take for it: routers ignore case and a slash at the end, proxies resolve
// dots and doubled slashes. Otherwise such a spelling would lead around everything that the gateway does.
func (g *Gateway) isEndpoint(r *http.Request) bool {
	return r.URL.Path == g.upstream.url.Path || plainPath(r.URL.Path) == plainPath(g.upstream.url.Path)
}

// plainPath is what a path is to whoever reads it most freely: some decode twice, take a backslash for a slash, or drop
// what stands behind a semicolon or a NUL, white space and case.
func plainPath(p string) string {
	for range 2 { // r.URL.Path is decoded once
		decoded, err := url.PathUnescape(p)
		if err != nil {
			break
		}
		p = decoded
	}
	segments := strings.Split(strings.ReplaceAll(p, `\`, "/"), "/")
	for i, segment := range segments {
		if end := strings.IndexAny(segment, ";\x00"); end >= 0 {
			segment = segment[:end]
		}
		segments[i] = strings.Trim(segment, " \t\r\n")
	}
	return strings.ToLower(path.Clean("/" + strings.Join(segments, "/")))
}

// serve buffers the request's body, sends JSON-RPC that can be read to its exchange, and passes on everything else.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	defer g.survive(w, r, failuresOf(nil), false)
	if r.Method == http.MethodConnect {
		// A tunnel is no part of MCP, and the upstream must not be asked for one.
		writeError(w, http.StatusMethodNotAllowed, &rpcError{code: codeInvalidRequest, message: "Method not allowed"})
		return
	}
	post := r.Method == http.MethodPost && g.isEndpoint(r)
	if post {
		if why := unreadable(r.Header); why != "" {
			writeError(w, http.StatusUnsupportedMediaType, &rpcError{code: codeInvalidRequest, message: why})
			return
		}
	}
	held := hold{room: g.room}
	defer held.release()
	body, err := readBody(w, r, g.options.MaxRequestBytes, &held)
	if err != nil {
		g.refuseBody(w, r, err)
		return
	}
	switch {
	case post:
		// Servers ignore a byte order mark, against RFC 8259.
		messages, batch, err := scanMessages(bytes.TrimPrefix(body, byteOrderMark))
		trailOf(r.Context()).read(body, messages, batch)
		switch {
		case err == nil:
			r, span := g.tracing.request(r, messages, batch)
			defer g.tracing.answered(r, span)
			defer g.survive(w, r, failuresOf(messages), batch)
			g.exchange(w, r, body, messages, batch)
			return
		case errors.Is(err, jsonspan.ErrTooDeep):
			// It may be JSON to the upstream, and what it says is not known here.
			g.log.InfoContext(r.Context(), "request refused", slog.Int("status", http.StatusBadRequest), slog.Any("err", err))
			writeError(w, http.StatusBadRequest, &rpcError{
				code: codeInvalidRequest, message: fmt.Sprintf("The request nests more than %d levels deep", jsonspan.MaxDepth),
			})
			return
		}
		if isModern(r.Header) {
			writeError(w, http.StatusBadRequest, &rpcError{code: codeParseError, message: "Parse error: the body is not JSON"})
			return
		}
		// A legacy upstream has its own answer to what is no JSON.
	case !g.isEndpoint(r):
	case isModern(r.Header) && (r.Method == http.MethodGet || r.Method == http.MethodDelete):
		w.Header().Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, &rpcError{code: codeServerError, message: "Method not allowed: revision " + modernVersion + " has POST alone"})
		return
	case r.Method == http.MethodDelete && sessionOf(r.Header).isDescription():
		// Ended, it would have to be forgotten by every replica, and no replica remembers it.
		w.Header().Set("Allow", "GET, POST")
		writeError(w, http.StatusMethodNotAllowed, &rpcError{code: codeServerError, message: "Method not allowed: this session holds nothing that could be ended"})
		return
	case r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/event-stream") && g.getStream(w, r):
		return
	}
	g.forward(w, r, body, nil, false)
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// unreadable says why a body cannot be read as JSON-RPC although the upstream might read it: MCP messages are UTF-8
// and uncompressed, but the TomTom server's framework takes every utf-… charset. "": it can.
func unreadable(h http.Header) (why string) {
	if isEncoded(h) {
		return "The request body must not be compressed: Content-Encoding must be identity"
	}
	for _, line := range h["Content-Type"] {
		if !strings.Contains(strings.ToLower(line), "charset") {
			continue
		}
		_, params, err := mime.ParseMediaType(line)
		charset := strings.ToLower(params["charset"])
		if err != nil || charset != "utf-8" && charset != "utf8" && charset != "us-ascii" {
			return "The request body must be UTF-8: charset must be utf-8"
		}
	}
	return ""
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
