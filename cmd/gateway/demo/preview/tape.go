package preview

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"tomtom-mcp-gateway/proxy"
)

// A tape holds what the upstream answered to one tool call and to what the gateway asked after it: the redemption of a
// handle. It is recorded once and played as often as another limit is to be tried, so that the tool runs once.
type tape struct {
	conn *http.Transport // the call's own connection to an upstream over TCP; nil while the tape is played

	mu       sync.Mutex
	call     []exchange // answers to the call itself
	question []exchange // answers to what the gateway asked
	playing  bool
	played   struct{ call, question int }
}

// exchange is one request to the upstream and what came of it.
type exchange struct {
	id     json.RawMessage // of the request
	status int
	header http.Header
	body   []byte
	err    error // there was no answer
}

var (
	errNotOnTape = errors.New("the kept answer has none to this request")
	errTooLarge  = errors.New("the upstream's answer is larger than the preview takes")
)

type tapeKey struct{}

// withTape makes the requests to the upstream that follow from ctx go over a tape.
func withTape(ctx context.Context, t *tape) context.Context {
	return context.WithValue(ctx, tapeKey{}, t)
}

func tapeOf(ctx context.Context) *tape {
	t, _ := ctx.Value(tapeKey{}).(*tape)
	return t
}

// newTape returns an empty tape for a call over this deck.
func (d *deck) newTape() *tape { return &tape{conn: newTransport(d.trust)} }

// newTransport speaks HTTP/1.1 alone, as the gateway does with an upstream: one request after the other on a connection.
func newTransport(trust *tls.Config) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	const dialTimeout = 10 * time.Second
	return &http.Transport{
		Protocols:           protocols,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSClientConfig:     trust,
		TLSHandshakeTimeout: dialTimeout,
		DisableCompression:  true,
		IdleConnTimeout:     2 * time.Second,
	}
}

// stop ends the recording.
func (t *tape) stop() { t.conn.CloseIdleConnections() }

// player returns a tape that plays what was recorded on t, from the beginning.
func (t *tape) player() *tape {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &tape{call: t.call, question: t.question, playing: true}
}

// size is how many bytes of answers are on the tape.
func (t *tape) size() (n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.call {
		n += int64(len(x.body))
	}
	for _, x := range t.question {
		n += int64(len(x.body))
	}
	return n
}

// add notes an exchange. own says that the gateway asked, and not the host.
func (t *tape) add(x exchange, own bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own {
		t.question = append(t.question, x)
		return
	}
	t.call = append(t.call, x)
}

// next is the exchange that is to be played.
func (t *tape) next(own bool) (exchange, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	recorded, at := t.call, &t.played.call
	if own {
		recorded, at = t.question, &t.played.question
	}
	if *at >= len(recorded) {
		return exchange{}, errNotOnTape
	}
	*at++
	return recorded[*at-1], nil
}

// deck is the gateway's way to its upstream. Tool calls go over the tape of their context: they are recorded on it or
// played from it. What the gateway asks about the upstream, such as which revisions it speaks, is asked once. The
// credential is hidden in whatever comes back.
type deck struct {
	upstream http.RoundTripper // nil: TCP
	trust    *tls.Config       // in an upstream over TCP
	shared   *http.Transport   // for everything but tool calls, over TCP
	hide     func([]byte) []byte
	limit    int64 // bytes of one answer

	mu    sync.Mutex
	facts map[string]exchange
}

func newDeck(o proxy.Options, credential string) *deck {
	return &deck{
		upstream: o.Transport, trust: o.UpstreamTLS, shared: newTransport(o.UpstreamTLS),
		hide: hider(credential), limit: o.MaxResponseBytes, facts: map[string]exchange{},
	}
}

// forget makes the deck ask again what it knows of the upstream.
func (d *deck) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.facts)
}

// asked is what a request to the upstream says of itself.
type asked struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// own reports whether the gateway sent the request for itself.
func (a asked) own() bool {
	var id string
	return json.Unmarshal(a.ID, &id) == nil && proxy.OwnsID(id)
}

// RoundTrip implements http.RoundTripper.
func (d *deck) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	var a asked
	if err := json.Unmarshal(body, &a); err != nil {
		a = asked{} // a batch or no JSON: the host here sends neither
	}
	t := tapeOf(r.Context())
	switch {
	case a.Method == "tools/call" && t != nil && t.playing:
		x, err := t.next(a.own())
		if err != nil {
			return nil, err
		}
		return x.response(r, a.ID)
	case a.Method == "tools/call" && t != nil:
		x := d.send(t.conn, r, a.ID, body)
		t.add(x, a.own())
		return x.response(r, a.ID)
	case a.Method != "tools/call" && a.own():
		return d.fact(r, a, body)
	}
	return d.send(d.shared, r, a.ID, body).response(r, a.ID)
}

// fact answers a question of the gateway's, from memory where the same was asked before.
func (d *deck) fact(r *http.Request, a asked, body []byte) (*http.Response, error) {
	key := string(bytes.Replace(body, a.ID, nil, 1))
	d.mu.Lock()
	x, known := d.facts[key]
	d.mu.Unlock()
	if !known {
		if x = d.send(d.shared, r, a.ID, body); x.isFact() {
			d.mu.Lock()
			if len(d.facts) < maxFacts {
				d.facts[key] = x
			}
			d.mu.Unlock()
		}
	}
	return x.response(r, a.ID)
}

// maxFacts bounds what is known of an upstream; the gateway asks three or four questions.
const maxFacts = 32

// isFact reports whether an answer to a question tells something of the upstream, and not of the moment or the caller.
func (x exchange) isFact() bool {
	switch x.status {
	case http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		return x.err == nil
	}
	return false
}

// send sends a request once and reads the answer to its end.
func (d *deck) send(over *http.Transport, r *http.Request, id json.RawMessage, body []byte) exchange {
	x := exchange{id: id}
	way := d.upstream
	if way == nil {
		way = over
	}
	r.Body = http.NoBody
	if len(body) > 0 { // without GetBody no transport can send it twice
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := way.RoundTrip(r)
	if err != nil {
		x.err = err
		return x
	}
	defer func() { _ = resp.Body.Close() }()
	x.status, x.header = resp.StatusCode, resp.Header.Clone()
	x.body, x.err = io.ReadAll(io.LimitReader(resp.Body, d.limit+1))
	if x.err == nil && int64(len(x.body)) > d.limit {
		x.err = errTooLarge
	}
	if x.err != nil {
		x.body = nil
		return x
	}
	x.body = d.hide(x.body)
	x.header.Del("Content-Length")
	return x
}

// response is the exchange as the answer to r, a request with another id than the recorded one, perhaps.
func (x exchange) response(r *http.Request, id json.RawMessage) (*http.Response, error) {
	if x.err != nil {
		return nil, x.err
	}
	body := x.body
	if !bytes.Equal(id, x.id) && len(x.id) > 0 {
		body = bytes.ReplaceAll(body, x.id, id) // an id of the gateway's own is like nothing else in an answer
	}
	return &http.Response{
		Status: http.StatusText(x.status), StatusCode: x.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: x.header.Clone(), Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}, nil
}

// leastSecret is how long a credential has to be at least to be looked for: a shorter one may be any word.
const leastSecret = 8

// hider returns what makes a credential in a text unreadable. Every character becomes another one, so that lengths and
// with them limits stay.
func hider(credential string) func([]byte) []byte {
	if len(credential) < leastSecret {
		return func(text []byte) []byte { return text }
	}
	hidden := bytes.Repeat([]byte("*"), len(credential))
	return func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(credential), hidden) }
}
