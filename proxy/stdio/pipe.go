package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// ErrEnded says that the server at the other end of a pipe has gone.
var ErrEnded = errors.New("the server has ended")

// PipeOptions is what a Pipe needs to know.
type PipeOptions struct {
	Path         string // of the MCP endpoint; every other path is 404
	MaxLineBytes int64  // of the server's lines; a longer one becomes an error response. 0: 256 MiB
	Version      string // of the gateway, for the handshake
	Log          *slog.Logger
	// Own reports whether a request's id, a string without its quotes, is one of the gateway's own requests, which nobody
	// else cancels, and which are not given what the server says unasked. nil: none is.
	Own func(id string) bool
}

// Pipe is a server behind a pair of pipes, as an http.RoundTripper: any number of requests at once share them. A POST's
// messages go out as one line. Its answer is one JSON body where the response is the first thing that the server has to
// say, else a stream of events that ends with the last response. A GET's answer is the stream of what the server says
// unasked while no call is there that it could belong to. When a request's context ends, or its answer is closed, before
// the server has answered, the server is told by notifications/cancelled.
type Pipe struct {
	options PipeOptions
	out     io.Writer
	writes  chan outgoing
	ended   chan struct{} // closed when the server's output has ended
	err     error         // why; set before ended is closed
	// shared says that several callers send requests, who must hear nothing of each other's and use the same ids. It does
	// not change.
	shared bool
	// handshakeID is the id of an initialize of the pipe's own.
	handshakeID string

	mu       sync.Mutex
	waiting  map[string]*pending  // by the key of the id on the pipe
	tokens   map[string]*progress // by the key of the token on the pipe
	open     []*exchange          // with unanswered requests, in their order
	listener *stream              // nil without one
	backlog  [][]byte             // what came unasked when nobody was there to get it
	count    int                  // of ids and tokens that were made up here
	given    []string             // keys, on the pipe, of the last requests that were given up, and that the server was told of
	greeting greeting
}

// exchange is one POST with requests in it.
type exchange struct {
	out   *stream
	left  int  // requests without an answer
	takes bool // what the server says unasked can belong to it
}

// pending is one request that the server has not answered.
type pending struct {
	exchange *exchange
	method   string
	id       []byte // as the sender wrote it
	key      string // of id
	onPipe   []byte // the id on the pipe
	own      bool   // of the gateway's own
	token    string // key of its progress token on the pipe; "" for none
}

// progress is a progress token that a request asked for.
type progress struct {
	exchange *exchange
	token    []byte // as the sender wrote it
	made     bool   // another one stands on the pipe
}

type outgoing struct {
	line    []byte
	written chan<- error
}

const defaultMaxLineBytes = 256 << 20

// NewPipe speaks to the server that reads what is written to in and writes what is read from out. It goes on until out
// ends; whoever wants that ends the server.
func NewPipe(out io.Reader, in io.Writer, options PipeOptions) *Pipe {
	if options.MaxLineBytes <= 0 {
		options.MaxLineBytes = defaultMaxLineBytes
	}
	handshake := `gateway-initialize-` + newSession()
	own := options.Own
	options.Own = func(id string) bool { return id == handshake || own != nil && own(id) }
	if options.Log == nil {
		options.Log = slog.Default()
	}
	p := &Pipe{
		options: options, out: in,
		writes: make(chan outgoing), ended: make(chan struct{}),
		waiting: map[string]*pending{}, tokens: map[string]*progress{}, handshakeID: handshake,
	}
	go p.write()
	go p.read(newLineReader(out, options.MaxLineBytes))
	return p
}

// Ended is closed when the server's output has ended.
func (p *Pipe) Ended() <-chan struct{} { return p.ended }

// busy reports whether requests wait for the server.
func (p *Pipe) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0
}

// write brings lines to the server, one after the other: a server that does not read holds up no one's context.
func (p *Pipe) write() {
	for {
		select {
		case w := <-p.writes:
			_, err := p.out.Write(append(w.line, '\n'))
			w.written <- err
		case <-p.ended:
			return
		}
	}
}

// send brings one line to the server. The line is the pipe's afterwards.
func (p *Pipe) send(ctx context.Context, line []byte) error {
	written := make(chan error, 1)
	select {
	case p.writes <- outgoing{line, written}:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ended:
		return p.err
	}
	select {
	case err := <-written:
		if err != nil {
			return fmt.Errorf("%w: %w", ErrEnded, err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ended:
		return p.err
	}
}

// RoundTrip implements http.RoundTripper.
func (p *Pipe) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
	}
	switch {
	case !isEndpoint(r.URL.Path, p.options.Path):
		return plainResponse(r, http.StatusNotFound, nil), nil
	case r.Method == http.MethodPost:
		return p.post(r, body)
	case r.Method == http.MethodGet:
		return p.listen(r), nil
	}
	return plainResponse(r, http.StatusMethodNotAllowed, nil), nil
}

func isEndpoint(got, want string) bool {
	return strings.EqualFold(path.Clean("/"+got), path.Clean("/"+want))
}

// plainResponse is an answer that the pipe gives itself: a JSON-RPC error, or nothing.
func plainResponse(r *http.Request, status int, body []byte) *http.Response {
	resp := &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r,
	}
	if len(body) > 0 {
		s := newStream()
		s.push(body, true)
		resp.Header.Set(headerType, typeJSON)
		resp.Body, resp.ContentLength = s, int64(len(body))
	}
	return resp
}

// streamResponse is an answer whose body s is.
func streamResponse(r *http.Request, s *stream) *http.Response {
	resp := plainResponse(r, http.StatusOK, nil)
	resp.Body, resp.ContentLength = s, s.length()
	if resp.ContentLength >= 0 {
		resp.Header.Set(headerType, typeJSON)
		return resp
	}
	s.events = true
	resp.Header.Set(headerType, typeEvents)
	resp.Header.Set("Cache-Control", "no-cache")
	return resp
}

func (p *Pipe) post(r *http.Request, body []byte) (*http.Response, error) {
	ctx := r.Context()
	messages, _, err := scan(body)
	if err != nil {
		return plainResponse(r, http.StatusBadRequest, failure(nil, codeParseError, "The body is not JSON")), nil //nolint:nilerr // the answer says it
	}
	if resp, err := p.greet(r, messages); resp != nil || err != nil {
		return resp, err
	}
	x, line, cancelled := p.register(body, messages)
	if line != nil {
		if err := p.send(ctx, oneLine(line)); err != nil {
			p.abandon(x)
			return nil, err
		}
	}
	wrote(ctx)
	for _, c := range cancelled {
		c.out.end(nil)
	}
	if x == nil {
		return plainResponse(r, http.StatusAccepted, nil), nil
	}
	stop := context.AfterFunc(ctx, func() {
		x.out.end(ctx.Err())
		p.abandon(x)
	})
	x.out.onClose = func() {
		stop()
		p.abandon(x)
	}
	select {
	case <-x.out.started:
	case <-p.ended: // perhaps before x was there to be told
		x.out.end(p.err)
	}
	if err := x.out.failure(); err != nil {
		stop()
		return nil, err
	}
	return streamResponse(r, x.out), nil
}

// wrote tells whoever traces the request that it is on its way.
func wrote(ctx context.Context) {
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
}

// drop forgets a request. p.mu is held.
func (p *Pipe) drop(key string, q *pending) {
	delete(p.waiting, key)
	if q.token != "" {
		delete(p.tokens, q.token)
	}
	q.exchange.left--
	if q.exchange.left > 0 {
		return
	}
	for i, x := range p.open {
		if x == q.exchange {
			p.open = append(p.open[:i:i], p.open[i+1:]...)
			break
		}
	}
}

// register notes the requests among messages, and returns their exchange and the line that goes to the server: body,
// except for ids and progress tokens that are taken. line is nil where nothing is to be sent, x where nothing is to be
// waited for. cancelled are the exchanges that the line cancels the last request of.
func (p *Pipe) register(body []byte, messages []message) (x *exchange, line []byte, cancelled []*exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var edits []jsonspan.Edit
	sends := false
	for _, m := range messages {
		switch {
		case m.isRequest():
			if x == nil {
				x = &exchange{out: newStream()}
				p.open = append(p.open, x)
			}
			edits = append(edits, p.await(x, m)...)
		case m.method == methodCancelled:
			edit, ended, passes := p.cancel(m)
			if edits = append(edits, edit...); ended != nil {
				cancelled = append(cancelled, ended)
			}
			if !passes {
				continue
			}
		case m.method == methodInitialized:
			p.greeting.finished = true
		}
		sends = true
	}
	if x != nil && x.takes && p.listener == nil {
		p.handOver(x)
	}
	if !sends {
		return x, nil, cancelled
	}
	jsonspan.Sort(edits)
	return x, jsonspan.Apply(nil, body, edits), cancelled
}

// await notes one request, and returns the edits that it needs on this pipe. p.mu is held.
func (p *Pipe) await(x *exchange, m message) []jsonspan.Edit {
	var edits []jsonspan.Edit
	q := &pending{exchange: x, method: m.method, id: m.raw(m.id), key: m.key()}
	q.own = isOwn(m, p.options.Own)
	key := q.key
	q.onPipe = q.id
	// An answer to a request that was given up may still come: its id is not another's so soon.
	_, taken := p.waiting[key]
	if taken || slices.Contains(p.given, key) || p.shared && !q.own || isNoID(m.body, m.id) {
		q.onPipe, key = p.madeUp("id")
		edits = append(edits, jsonspan.Edit{Span: m.id, With: q.onPipe})
	}
	p.waiting[key] = q
	x.left++
	switch m.method {
	case methodInitialize, methodDiscover, methodPing:
	default:
		x.takes = x.takes || !q.own
	}
	if token := m.param("_meta", "progressToken"); token.Len() > 0 {
		t := &progress{exchange: x, token: m.raw(token)}
		q.token = jsonspan.ScalarKey(m.body, token)
		if _, taken := p.tokens[q.token]; taken || p.shared {
			var with []byte
			with, q.token = p.madeUp("token")
			t.made = true
			edits = append(edits, jsonspan.Edit{Span: token, With: with})
		}
		p.tokens[q.token] = t
	}
	return edits
}

// isNoID reports whether an id is one that MCP does not allow and that cannot be told apart in an answer: objects and arrays
// are spelled in many ways, and null is the id of errors that answer nothing.
func isNoID(doc []byte, id jsonspan.Span) bool {
	return isNull(doc, id) || jsonspan.IsObject(doc, id) || jsonspan.IsArray(doc, id)
}

// isOwn reports whether m is a request of the gateway's own.
func isOwn(m message, own func(id string) bool) bool {
	return own != nil && jsonspan.IsString(m.body, m.id) && own(stringAt(m.body, m.id))
}

// madeUp returns a JSON string that is unlike every other on this pipe, and its key. p.mu is held.
func (p *Pipe) madeUp(what string) (text []byte, key string) {
	for {
		p.count++
		name := "gateway-" + what + "-" + strconv.Itoa(p.count)
		key = `"` + name
		_, isID := p.waiting[key]
		_, isToken := p.tokens[key]
		if !isID && !isToken {
			return []byte(`"` + name + `"`), key
		}
	}
}
