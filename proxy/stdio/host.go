package stdio

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// HostOptions is what ServeHost needs to know.
type HostOptions struct {
	Path         string        // of the MCP endpoint
	Header       http.Header   // goes with every request, such as the credential that the upstream wants
	MaxLineBytes int64         // of the host's lines; a longer one gets an error response. 0: 16 MiB
	Drain        time.Duration // how long requests in flight may take after the host's input has ended
	// Ended is closed when the server has ended, which is for the host as if its input had. nil: it does not end.
	Ended <-chan struct{}
	Log   *slog.Logger
}

const (
	// orderWait is how long the next line waits until the one before is on its way, so that lines reach the server in the
	// order in which the host wrote them.
	orderWait = 2 * time.Second
	// maxTurns bounds how many requests of a host are worked on at once.
	maxTurns = 1024
	// reopenWait is the pause before a stream of the server's own messages is opened again.
	reopenWait = time.Second
)

// errTooMany is what a host gets that has maxTurns requests in flight.
const errTooMany = "Too many requests at once"

// ServeHost serves the one host that writes lines to in and reads them from out: each line is a POST to handler, whose
// answer goes out as lines. It plays the HTTP client of a session: protocol version, session id and the GET stream are
// its own. It returns when in has ended and the requests in flight with it, with nil; when out cannot be written to any
// more; or when ctx is done, with the context's cause. Reading may go on then until in ends.
func ServeHost(ctx context.Context, handler http.Handler, in io.Reader, out io.Writer, options HostOptions) error {
	if options.MaxLineBytes <= 0 {
		options.MaxLineBytes = 16 << 20
	}
	if options.Log == nil {
		options.Log = slog.Default()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h := &host{
		handler: handler, options: options, turns: map[string]*turn{},
		out: &lineWriter{out: out, failed: func(err error) { cancel(fmt.Errorf("write to the host: %w", err)) }},
	}
	defer h.farewell(context.WithoutCancel(ctx))
	lines := make(chan hostLine)
	go h.read(ctx, in, lines)
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-options.Ended:
			return h.drain(ctx, io.EOF)
		case l := <-lines:
			switch tooLong, is := errors.AsType[*tooLongError](l.err); {
			case is:
				h.out.write(failure(tooLong.id, codeInvalidRequest, fmt.Sprintf("The message has more than %d bytes", tooLong.limit)))
			case l.err != nil:
				return h.drain(ctx, l.err)
			default:
				h.take(ctx, l.line)
			}
		}
	}
}

type hostLine struct {
	line []byte
	err  error
}

// host is one host and what is known of its session.
type host struct {
	handler http.Handler
	options HostOptions
	out     *lineWriter
	running sync.WaitGroup

	mu      sync.Mutex
	turns   map[string]*turn // by the key of each request that has no answer
	session string           // Mcp-Session-Id; "" for none
	version string           // the protocol version that was agreed on; "" for none
	modern  bool             // the last request described itself
	unhear  context.CancelFunc
}

func (h *host) read(ctx context.Context, in io.Reader, lines chan<- hostLine) {
	reader := newLineReader(in, h.options.MaxLineBytes)
	for {
		line, err := reader.next()
		select {
		case lines <- hostLine{line, err}:
		case <-ctx.Done():
			return
		}
		if _, tooLong := errors.AsType[*tooLongError](err); err != nil && !tooLong {
			return
		}
	}
}

// drain lets the requests in flight end after the host's input did, with readErr.
func (h *host) drain(ctx context.Context, readErr error) error {
	if errors.Is(readErr, io.EOF) {
		readErr = nil
	}
	h.hush()
	h.unsubscribe()
	done := make(chan struct{})
	go func() {
		h.running.Wait()
		close(done)
	}()
	timer := time.NewTimer(h.options.Drain)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		h.options.Log.Warn("requests cut off", slog.String("reason", "the host's input has ended"))
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if readErr != nil {
		return fmt.Errorf("read from the host: %w", readErr)
	}
	return nil
}

// unsubscribe ends the requests that only end with their host.
func (h *host) unsubscribe() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, t := range h.turns {
		if t.messages[0].method == methodListen {
			t.settle(key)
			t.cancel()
		}
	}
}

// take works on one line. It returns when the line is on its way.
func (h *host) take(ctx context.Context, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	messages, _, err := scan(line)
	if err != nil {
		h.options.Log.Warn("a line of the host is no JSON", slog.Int("bytes", len(line)))
		h.out.write(failure(nil, codeParseError, "Parse error: the line is not JSON"))
		return
	}
	t := &turn{h: h, messages: messages, open: map[string][]byte{}}
	life := ctx
	ctx, t.cancel = context.WithCancel(ctx)
	if !h.enter(t) {
		t.cancel()
		for _, id := range t.open {
			h.out.write(failure(id, codeInternal, errTooMany))
		}
		return
	}
	givenUp := h.giveUp(messages)
	sent := make(chan struct{})
	var once sync.Once
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { once.Do(func() { close(sent) }) },
	})
	done := make(chan struct{})
	h.running.Go(func() {
		defer close(done)
		t.run(h.request(ctx, http.MethodPost, line, messages))
	})
	timer := time.NewTimer(orderWait)
	defer timer.Stop()
	select {
	case <-sent:
	case <-done:
	case <-timer.C:
	}
	for _, cancel := range givenUp {
		cancel() // not before the server was told, which knows better how to end it
	}
	if slices.ContainsFunc(messages, func(m message) bool { return m.method == methodInitialized }) {
		h.listen(life)
	}
}

// enter notes the requests of t as open. It is false when there are too many.
func (h *host) enter(t *turn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range t.messages {
		if m.isRequest() {
			t.open[m.key()] = m.raw(m.id)
			h.modern = m.version() != ""
		}
	}
	if len(t.open) > 0 && len(h.turns) >= maxTurns {
		return false
	}
	for key := range t.open {
		h.turns[key] = t
	}
	return true
}

// giveUp counts the requests as answered that messages cancel: nothing of them goes out any more. It returns what ends
// the work on them.
func (h *host) giveUp(messages []message) (ends []context.CancelFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range messages {
		if m.method != methodCancelled {
			continue
		}
		key := jsonspan.ScalarKey(m.body, m.param("requestId"))
		t := h.turns[key]
		if t == nil || t.initializes() {
			continue
		}
		if t.settle(key); len(t.open) == 0 {
			ends = append(ends, t.cancel)
		}
	}
	return ends
}

// request returns the HTTP request that carries a line.
func (h *host) request(ctx context.Context, method string, line []byte, messages []message) *http.Request {
	header := h.options.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	h.mu.Lock()
	session, version, modern := h.session, h.version, h.modern
	h.mu.Unlock()
	if method == http.MethodPost {
		header.Set(headerType, typeJSON)
		header.Set("Accept", acceptBoth)
	} else {
		header.Set("Accept", typeEvents)
	}
	for _, m := range messages {
		switch own := m.version(); {
		case own != "":
			session, version = "", own
			header.Set(headerMethod, m.method)
			if name := nameOf(m); name != "" {
				header.Set(headerName, headerValue(name))
			}
		case m.method == methodInitialize:
			session, version = "", ""
		case m.method != "" && !m.isRequest() && modern:
			session, version = "", modernVersion
		}
	}
	if version != "" {
		header.Set(headerVersion, version)
	}
	if session != "" {
		header.Set(headerSession, session)
	}
	r := &http.Request{
		Method: method, URL: &url.URL{Path: h.options.Path}, RequestURI: h.options.Path, Host: "localhost",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: "127.0.0.1:0",
		Header: header, Body: http.NoBody,
	}
	if len(line) > 0 {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(line)), int64(len(line))
	}
	return r.WithContext(ctx)
}

// modernVersion is what a notification is sent as whose host's requests describe themselves.
const modernVersion = "2026-07-28"

// nameOf is what the 2026-07-28 revision mirrors in Mcp-Name.
func nameOf(m message) string {
	switch m.method {
	case methodCallTool, methodGetPrompt:
		return m.stringParam("name")
	case methodReadRes:
		return m.stringParam("uri")
	}
	return ""
}

// headerValue writes a text so that it can stand in a header.
func headerValue(text string) string {
	const open, end = "=?base64?", "?="
	safe := strings.Trim(text, " ") == text && (!strings.HasPrefix(text, open) || !strings.HasSuffix(text, end))
	for i := range len(text) {
		safe = safe && text[i] >= ' ' && text[i] <= '~'
	}
	if safe {
		return text
	}
	return open + base64.StdEncoding.EncodeToString([]byte(text)) + end
}

// agreed notes the session that an initialize opened.
func (h *host) agreed(session, version string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.session, h.version, h.modern = session, version, false
}

// listen hears what the server says unasked, until the host or its session ends.
func (h *host) listen(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	h.mu.Lock()
	if h.unhear != nil {
		h.unhear()
	}
	h.unhear = cancel
	h.mu.Unlock()
	go func() {
		for {
			t := &turn{h: h}
			t.run(h.request(ctx, http.MethodGet, nil, nil))
			if t.status != http.StatusOK {
				return // the server has no such stream
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(reopenWait):
			}
		}
	}()
}

// hush ends what listen began.
func (h *host) hush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unhear != nil {
		h.unhear()
	}
}

// farewell ends the session with a server that keeps one.
func (h *host) farewell(ctx context.Context) {
	h.hush()
	h.mu.Lock()
	session := h.session
	for _, t := range h.turns {
		t.cancel()
	}
	h.mu.Unlock()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		t := &turn{h: h, silent: true}
		t.run(h.request(ctx, http.MethodDelete, nil, nil))
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
