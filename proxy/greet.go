package proxy

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// greeting is what a legacy upstream answered to an initialize.
type greeting struct {
	version string // the revision that it speaks
	session string // the session that it opened; "" for none
	info    []byte // its serverInfo, raw; nil without one
	// capabilities is what it declares, raw.
	capabilities []byte
}

// clientPart is what an initialize says of a client, raw; nil where nothing is known.
type clientPart struct{ info, capabilities []byte }

// initializeParams are the params of the initialize that opens a session for the client.
func (g *Gateway) initializeParams(c clientPart) []newMember {
	if c.info == nil {
		c.info = g.ownClient()
	}
	if c.capabilities == nil {
		c.capabilities = []byte("{}")
	}
	return []newMember{{"protocolVersion", quoted(legacyVersions[0])}, {"capabilities", c.capabilities}, {"clientInfo", c.info}}
}

// greet opens a session with a legacy upstream for the caller of r. greeting is nil when it did not accept; answer and
// err say why.
func (g *Gateway) greet(r *http.Request, l *lease, c clientPart) (*greeting, *refusal, error) {
	q := g.question(methodInitialize, g.initializeParams(c))
	ctx, work := g.begin(r.Context(), r, false)
	defer work.end()
	work.within(discoveryTimeout)
	resp, err := g.sendOwn(ctx, r, l, http.MethodPost, questionHeader(r.Header, q), requestBody(quoted(q.id), q.method, q.params))
	if err != nil {
		return nil, nil, cause(ctx, err)
	}
	defer closeBody(resp)
	reply, read, err := readReply(ctx, resp, q.id, l != nil)
	if err != nil && !errors.Is(err, errNoAnswer) {
		return nil, nil, cause(ctx, err)
	}
	if err != nil || resp.StatusCode != http.StatusOK || reply.result.Len() == 0 {
		if read == nil && reply.body != nil {
			read = reply.raw(reply.span)
		}
		return nil, &refusal{status: resp.StatusCode, header: resp.Header, body: read, id: q.id}, err
	}
	gr := readGreeting(reply, resp.Header)
	if gr.session != "" {
		g.tell(r, l, gr, "notifications/initialized", nil)
	}
	return gr, nil, nil
}

// readGreeting reads the answer to an initialize.
func readGreeting(reply message, h http.Header) *greeting {
	gr := &greeting{version: stringMember(reply.body, reply.result, "protocolVersion"), session: h.Get(headerSession)}
	if gr.version == "" {
		gr.version = legacyVersions[0]
	}
	if info, ok := jsonspan.Lookup(reply.body, reply.result, "serverInfo"); ok && jsonspan.IsObject(reply.body, info) {
		gr.info = slices.Clone(info.Of(reply.body))
	}
	if capabilities, ok := jsonspan.Lookup(reply.body, reply.result, "capabilities"); ok {
		gr.capabilities = slices.Clone(capabilities.Of(reply.body))
	}
	return gr
}

// tell sends a notification to a legacy upstream and waits until it has taken it. Whether it did is of no consequence.
func (g *Gateway) tell(r *http.Request, l *lease, gr *greeting, method string, params []newMember) {
	g.lastWord(r, l, http.MethodPost, gr, requestBody(nil, method, params))
}

// dismiss ends the session that a greeting opened.
func (g *Gateway) dismiss(r *http.Request, l *lease, gr *greeting) {
	if gr != nil && gr.session != "" {
		g.lastWord(r, l, http.MethodDelete, gr, nil)
	}
}

// lastWord sends what no answer is wanted to, also for a host that has gone.
func (g *Gateway) lastWord(r *http.Request, l *lease, method string, gr *greeting, body []byte) {
	ctx, work := g.begin(r.Context(), r, true)
	defer work.end()
	work.within(farewellTimeout)
	if l != nil && !l.usable() {
		l = nil
	}
	header := questionHeader(r.Header, question{version: gr.version, session: gr.session})
	resp, err := g.sendOwn(ctx, r, l, method, header, body)
	if err != nil {
		return
	}
	defer closeBody(resp)
	readBehind(ctx, resp.Body).untilEnd() // so that the connection can be used again
}

// maxGreetings bounds for how many map services a greeting is kept.
const maxGreetings = 8

// service names what an upstream's answer to initialize depends on besides the caller: TomTom's two services call
// themselves differently.
func serviceOf(h http.Header) string { return h.Get("Tomtom-Maps-Backend") }

// greetingOf returns the greeting of a legacy upstream for the caller of r. One without a session belongs to nobody and is
// kept while the upstream runs. One with a session is the caller's own, for one request; it comes with the connection that
// it was opened over, which keeps the request with the process that knows the session. The caller closes the lease.
func (g *Gateway) greetingOf(ctx context.Context, r *http.Request, n *nature, c clientPart) (gr *greeting, l *lease, answer *refusal, err error) {
	service := serviceOf(r.Header)
	if gr := g.eras.greeting(n, service); gr != nil {
		return gr, nil, nil, nil
	}
	l, err = g.upstream.dial(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	gr, answer, err = g.greet(r, l, c)
	if gr == nil {
		l.close()
		return nil, nil, answer, err
	}
	if gr.session == "" {
		g.eras.keepGreeting(n, service, gr)
	}
	return gr, l, nil, nil
}

// greeting returns what is kept of the upstream n for a service, nil when nothing is.
func (e *eras) greeting(n *nature, service string) *greeting {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known != n {
		return nil
	}
	return e.facts[service]
}

func (e *eras) keepGreeting(n *nature, service string, gr *greeting) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known != n || len(e.facts) >= maxGreetings {
		return
	}
	if e.facts == nil {
		e.facts = map[string]*greeting{}
	}
	e.facts[service] = gr
}

// serverInfo returns the Implementation by which the server behind the gateway calls itself, as far as that is known
// without asking; else the gateway's own.
func (g *Gateway) serverInfo(h http.Header) []byte {
	e := &g.eras
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.known == nil:
	case e.known.info != nil:
		return e.known.info
	default:
		if gr := e.facts[serviceOf(h)]; gr != nil && gr.info != nil {
			return gr.info
		}
	}
	return g.ownClient()
}

// keepGreeting reads the answer to the initialize that a server/discover became: whose session it opened has to be ended.
func (x *exchange) keepGreeting(resp *http.Response) {
	if x.bridge.greeting == nil {
		x.bridge.greeting = &greeting{version: legacyVersions[0], session: resp.Header.Get(headerSession)}
	}
}
