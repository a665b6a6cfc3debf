package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
)

var (
	// errUpstreamTimeout is why an upstream request ended that took longer than Options.UpstreamTimeout.
	errUpstreamTimeout = errors.New("the upstream did not answer in time")
	// errHostGone is why an upstream request ended that a host went away from.
	errHostGone = errors.New("the host went away")
	// errClosing is why an upstream request ended when the gateway closed, errClosed why none was sent any more.
	errClosing = errors.New("the gateway is closing")
	errClosed  = errors.New("the gateway is closed")
	// errStreamsEnd is why a stream of news ended when the gateway began to drain.
	errStreamsEnd = errors.New("the gateway is draining")
)

// upstreamWork is the life of one request to the upstream: until it is stopped, takes too long, or the host goes
// away where that counts.
type upstreamWork struct {
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	stops    []func() bool
	leave    func() bool // ends the watch over the host; nil for work that goes on without it
	outlives bool
	limit    time.Duration
}

// begin starts work that the request of host causes. outlives is true for work that goes on without its host. The
// context has the values of ctx and an end of its own.
func (g *Gateway) begin(ctx context.Context, host *http.Request, outlives bool) (context.Context, *upstreamWork) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	w := &upstreamWork{cancel: cancel, outlives: outlives, limit: g.options.UpstreamTimeout}
	w.timer = time.AfterFunc(w.limit, func() { cancel(errUpstreamTimeout) })
	if g.life.Err() != nil {
		cancel(errClosed) // before anything is sent
	}
	w.stops = append(w.stops, context.AfterFunc(g.life, func() { cancel(errClosing) }))
	if !outlives {
		w.watch(host)
	}
	return ctx, w
}

// watch cancels the work when the host goes away.
func (w *upstreamWork) watch(host *http.Request) {
	w.leave = context.AfterFunc(host.Context(), func() { w.cancel(errHostGone) })
}

// pause stops the clock while a person is asked for something, and lets the host's request end meanwhile. ok is false where
// the host has gone away before.
func (w *upstreamWork) pause() (ok bool) {
	w.timer.Stop()
	return w.leave == nil || w.leave()
}

// resume goes on after pause, with the whole time once more, for the host's request that it is now.
func (w *upstreamWork) resume(host *http.Request) {
	w.timer.Reset(w.limit)
	if !w.outlives {
		w.watch(host)
	}
}

// within gives the work less time than other work has.
func (w *upstreamWork) within(limit time.Duration) { w.timer.Reset(min(limit, w.limit)) }

// unlimit lets an answer that has begun take as long as its host stays.
func (w *upstreamWork) unlimit(host context.Context) {
	w.timer.Stop()
	if w.outlives { // what nobody reads any more still has to end some day
		w.stops = append(w.stops, context.AfterFunc(host, func() { w.timer.Reset(w.limit) }))
	}
}

// endWithStreams ends work that only waits for news when the gateway is asked to end, so that the host waits elsewhere.
func (w *upstreamWork) endWithStreams(g *Gateway) {
	w.stops = append(w.stops, context.AfterFunc(g.streams, func() { w.cancel(errStreamsEnd) }))
}

// end releases what the work holds. Whatever is still on its way is cancelled.
func (w *upstreamWork) end() {
	w.timer.Stop()
	for _, stop := range w.stops {
		stop()
	}
	if w.leave != nil {
		w.leave()
	}
	w.cancel(nil)
}

// newRequest builds the request that carries body and header to the upstream for a host's request r. It has no
// GetBody, so that no transport can send it twice.
func (g *Gateway) newRequest(ctx context.Context, r *http.Request, header http.Header, body []byte) *http.Request {
	u := &url.URL{
		Scheme: g.upstream.url.Scheme, Host: g.upstream.url.Host, Path: r.URL.Path, RawPath: r.URL.RawPath,
		RawQuery: upstreamQuery(r.URL.RawQuery),
	}
	if query := g.upstream.url.RawQuery; query != "" && g.isEndpoint(r) {
		u.RawQuery = strings.Trim(query+"&"+u.RawQuery, "&")
	}
	g.tracing.inject(ctx, header)
	request := &http.Request{
		Method: r.Method, URL: u, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		ContentLength: int64(len(body)), Body: http.NoBody,
	}
	if len(body) > 0 {
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	return request.WithContext(ctx)
}

// forward passes one request on as it is, and its answer too. A call of a tool has a limited time, as every such call;
// nothing is redeemed after it, so that it needs no connection of its own, and dialling one would be half of its cost.
func (g *Gateway) forward(w http.ResponseWriter, r *http.Request, body []byte, messages []message, batch bool) {
	legacyPost := r.Method == http.MethodPost && g.isEndpoint(r) && !isModern(r.Header)
	ctx, work := g.begin(r.Context(), r, legacyPost)
	defer work.end()
	has := func(method string) bool {
		return slices.ContainsFunc(messages, func(m message) bool { return m.method == method })
	}
	call := has(methodCallTool)
	ctx, span := g.tracing.step(ctx, "upstream", trace.SpanKindClient)
	defer span.End()
	resp, err := g.send(g.newRequest(ctx, r, requestHeader(r.Header, false), body))
	if err != nil {
		g.refuse(ctx, w, failuresOf(messages), batch, err)
		return
	}
	defer closeBody(resp)
	if r.Method == http.MethodPost && isRefusedForm(resp.StatusCode) && g.isEndpoint(r) {
		g.doubtEra()
	}
	if !call {
		work.unlimit(r.Context())
	}
	if (r.Method == http.MethodGet || has(methodListen)) && isMediaType(resp.Header, "text/event-stream") {
		work.endWithStreams(g)
	}
	copyHead(w, r, resp, false)
	g.relay(ctx, w, resp, nil, legacyPost)
}

// send sends a request once. Over a connection that others have used goes only what the transport may repeat without
// harm, or cannot repeat because of its body; everything else gets a lease.
func (g *Gateway) send(request *http.Request) (*http.Response, error) {
	if g.life.Err() != nil {
		return nil, errClosed
	}
	safe := request.Method == http.MethodGet || request.Method == http.MethodHead || request.Method == http.MethodOptions
	if safe || request.ContentLength > 0 {
		return finalAnswer(g.upstream.RoundTrip(request))
	}
	l, err := g.upstream.dial(request.Context())
	if err != nil {
		return nil, err
	}
	resp, err := l.RoundTrip(request)
	if err != nil {
		l.close()
		return nil, err
	}
	resp.Body = leasedBody{resp.Body, l}
	return resp, nil
}

var (
	// errNotFinal says that an upstream's answer has a status below 200: 101 to a request that did not ask for another
	// protocol, since Upgrade ends at the gateway, or one that does not exist.
	errNotFinal = errors.New("the upstream gave no final answer")
	// errNotHTTP says that what an upstream sent cannot be read as HTTP.
	errNotHTTP = errors.New("the upstream's answer is not HTTP")
)

// finalAnswer turns an answer that no host can be given into an error. Of an error it keeps what is fit for a log:
// net/http quotes what it could not read, which may be a piece of a text.
func finalAnswer(resp *http.Response, err error) (*http.Response, error) {
	switch {
	case err == nil && resp.StatusCode < http.StatusOK:
		closeBody(resp)
		return nil, errNotFinal
	case err != nil && isUnreadable(err):
		return nil, errNotHTTP
	}
	return resp, err
}

// isUnreadable reports whether err is about the bytes of an answer and not about their way here.
func isUnreadable(err error) bool {
	_, isNetwork := errors.AsType[net.Error](err)
	return strings.Contains(err.Error(), "transport connection broken") &&
		!isNetwork && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
}

// leasedBody closes its lease with itself.
type leasedBody struct {
	io.ReadCloser
	lease *lease
}

// Close ends the answer and the connection.
func (b leasedBody) Close() error {
	err := b.ReadCloser.Close()
	b.lease.close()
	return err
}

// copyHead writes the status and the headers of an upstream's answer to the host. owned leaves out what describes
// the upstream's bytes, which the gateway is going to change.
func copyHead(w http.ResponseWriter, r *http.Request, resp *http.Response, owned bool) {
	h := w.Header()
	copyResponseHeader(h, resp.Header, owned)
	sessionOf(r.Header).toHost(h)
	if _, typed := h["Content-Type"]; !typed {
		h["Content-Type"] = nil // keeps net/http from guessing one
	}
	w.WriteHeader(resp.StatusCode)
}

// relayBuffer is how much of an answer that passes is read and written at once: as much as patience writes in one piece.
const relayBuffer = patientPiece

var relayBuffers = sync.Pool{New: func() any { return new([relayBuffer]byte) }}

// relay writes first and then the body of resp to the host, a stream as it arrives. An answer of a known length was
// whole before the upstream began to send it: its head need not go ahead of its body. When the host goes away and the
// request outlives it, the rest is read and dropped. When the upstream breaks off, so does the answer to the host: it
// must not look complete.
func (g *Gateway) relay(ctx context.Context, w http.ResponseWriter, resp *http.Response, first []byte, outlives bool) {
	flush := func() {}
	if resp.ContentLength < 0 || isMediaType(resp.Header, "text/event-stream") {
		flush = flusher(w)
	}
	buffer, _ := relayBuffers.Get().(*[relayBuffer]byte)
	defer relayBuffers.Put(buffer)
	var hostErr error
	if len(first) > 0 {
		_, hostErr = w.Write(first)
	}
	if len(first) > 0 || resp.ContentLength < 0 {
		flush()
	}
	for {
		n, err := resp.Body.Read(buffer[:])
		if n > 0 && hostErr == nil {
			if _, hostErr = w.Write(buffer[:n]); hostErr == nil {
				flush()
			}
		}
		switch {
		case errors.Is(err, io.EOF), err != nil && errors.Is(cause(ctx, err), errStreamsEnd):
			return
		case err != nil && hostErr == nil && !errors.Is(cause(ctx, err), errHostGone):
			level := slog.LevelWarn
			if errors.Is(cause(ctx, err), errClosing) {
				level = slog.LevelInfo // a stream that stays open ends with the gateway, as it should
			}
			g.log.Log(ctx, level, "upstream answer broke off", slog.Any("err", cause(ctx, err)))
			panic(http.ErrAbortHandler)
		case err != nil, hostErr != nil && !outlives:
			return
		}
	}
}

// flusher returns what sends everything written to w so far on its way. That fails only for a host that has gone,
// which the next write notices.
func flusher(w http.ResponseWriter) func() {
	controller := http.NewResponseController(w)
	return func() { _ = controller.Flush() }
}

// cause returns why ctx ended, if that is what err is about.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// refuse answers with what went wrong on the way to the upstream: what answer makes of it. Nothing has been written yet.
func (g *Gateway) refuse(ctx context.Context, w http.ResponseWriter, answer func(*rpcError) [][]byte, batch bool, err error) {
	err = cause(ctx, err)
	if errors.Is(err, errHostGone) {
		return // nobody reads an answer
	}
	if !errors.Is(err, errClosing) && !errors.Is(err, errOtherEra) {
		g.doubtEra() // it may be another server that comes back
	}
	status, failure := failureOf(err)
	g.metrics.upstreamErrors.WithLabelValues(failureKind(err)).Inc()
	g.log.WarnContext(ctx, "upstream did not answer", slog.Int("status", status), slog.Any("err", err))
	writeAnswers(w, status, answer(failure), batch)
}

// failureOf returns how a host is told that the upstream gave no answer.
func failureOf(err error) (status int, failure *rpcError) {
	switch {
	case errors.Is(err, errUpstreamTimeout), errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return http.StatusGatewayTimeout, &rpcError{code: codeInternal, message: "The MCP server did not answer in time"}
	case errors.Is(err, errClosed):
		return http.StatusServiceUnavailable, &rpcError{code: codeInternal, message: "The gateway is shutting down; nothing was sent to the MCP server: try again"}
	case errors.Is(err, errClosing):
		return http.StatusBadGateway, &rpcError{code: codeInternal, message: "The gateway has shut down; whether the MCP server ran the request is not known"}
	case errors.Is(err, errOtherEra):
		return http.StatusServiceUnavailable, &rpcError{
			code: codeInternal, message: "The MCP server was restarted and speaks other revisions now. It refused this call, which did not run: send it again",
		}
	}
	text := "The MCP server could not be reached or broke off"
	switch {
	case errors.Is(err, errUndecided):
		text = "The MCP server does not say which protocol revisions it speaks: what it answered is no MCP message"
	case errors.Is(err, errNoResponse):
		text = "The MCP server's answer holds no response to this request"
	}
	return http.StatusBadGateway, &rpcError{code: codeInternal, message: text}
}

// failureKind is failureOf for metrics.
func failureKind(err error) string {
	switch {
	case errors.Is(err, errUpstreamTimeout), errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return "timeout"
	case errors.Is(err, errHostGone):
		return "host gone"
	case errors.Is(err, errClosing), errors.Is(err, errClosed):
		return "closing"
	case errors.Is(err, errOtherEra):
		return "other era"
	case errors.Is(err, errNoResponse):
		return "no answer"
	}
	return "unreachable"
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

// closeBody ends the reading of an answer. What remains of it is nobody's.
func closeBody(resp *http.Response) { _ = resp.Body.Close() }
