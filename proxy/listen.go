package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

const (
	// maxSubscriptions bounds the resources of one subscription.
	maxSubscriptions = 100
	// keepAlive is how often a comment is sent on a stream on which nothing happens.
	keepAlive = 25 * time.Second
)

// listNotes are the kinds of changes in lists: the member of a subscription's filter, the capability that offers it, and
// the notification.
var listNotes = []struct{ filter, capability, note string }{
	{"toolsListChanged", "tools", noteToolsChanged},
	{"promptsListChanged", "prompts", notePromptsChanged},
	{"resourcesListChanged", "resources", noteResourcesChanged},
}

// subscription is what a modern host gets of a legacy upstream's notifications.
type subscription struct {
	x         *exchange
	id        []byte          // raw, of the request that opened it
	notes     map[string]bool // notifications that it gets
	resources []string        // of these, resources/updated
}

// listen answers subscriptions/listen with the notifications of a legacy upstream, which come on its GET stream. An
// upstream without one has none: the answer is then an empty subscription that ends at once.
func (x *exchange) listen(host context.Context) {
	q := x.requests[0]
	filter, ok := jsonspan.Lookup(q.body, q.params, "notifications")
	if !ok || !jsonspan.IsObject(q.body, filter) {
		x.answerError(http.StatusBadRequest, q, &rpcError{code: codeInvalidParams, message: "Invalid params: missing notifications"})
		x.leave(host)
		return
	}
	ctx, work := x.g.begin(host, x.r, false)
	defer work.end()
	defer func() { x.leave(ctx) }()
	s := &subscription{x: x, id: q.raw(q.id), notes: map[string]bool{}}
	s.choose(q.message, filter)
	resp := s.open(ctx) //nolint:bodyclose // closed below, where there is one
	work.unlimit(host)
	work.endWithStreams(x.g)
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	x.w.WriteHeader(http.StatusOK)
	x.write(newEvent(s.acknowledgement()))
	if resp != nil {
		s.relay(ctx, resp)
		closeBody(resp)
	}
	x.write(newEvent(resultResponse(s.id, object(
		newMember{memberResultType, quoted("complete")},
		newMember{"_meta", object(newMember{metaSubscriptionID, s.id}, newMember{metaServerInfo, x.bridge.info})}))))
}

// choose takes of what the host wants what the upstream declares.
func (s *subscription) choose(m message, filter jsonspan.Span) {
	capabilities := s.x.bridge.greeting.capabilities
	for _, kind := range listNotes {
		wanted, _ := jsonspan.Lookup(m.body, filter, kind.filter)
		if string(wanted.Of(m.body)) == "true" && offers(capabilities, kind.capability, "listChanged") {
			s.notes[kind.note] = true
		}
	}
	uris, _ := jsonspan.Lookup(m.body, filter, "resourceSubscriptions")
	if offers(capabilities, "resources", "subscribe") {
		s.resources = stringsAt(m.body, uris)
		s.resources = s.resources[:min(len(s.resources), maxSubscriptions)]
	}
}

// offers reports whether capabilities say true to a feature.
func offers(capabilities []byte, capability, feature string) bool {
	root, err := jsonspan.Scan(capabilities)
	if err != nil {
		return false
	}
	value, ok := jsonspan.Lookup(capabilities, root, capability, feature)
	return ok && string(value.Of(capabilities)) == "true"
}

// open subscribes to the resources and opens the upstream's GET stream. Without one, nothing is left of the subscription,
// and the result is nil.
func (s *subscription) open(ctx context.Context) *http.Response {
	x, gr := s.x, s.x.bridge.greeting
	if len(s.notes) == 0 && len(s.resources) == 0 {
		return nil
	}
	header := questionHeader(x.r.Header, question{version: gr.version, session: gr.session})
	header.Set("Accept", "text/event-stream")
	header.Del("Content-Type")
	resp, err := x.g.sendOwn(ctx, x.r, nil, http.MethodGet, header, nil)
	if err == nil && resp.StatusCode == http.StatusOK && isMediaType(resp.Header, "text/event-stream") {
		s.subscribe(gr)
		return resp
	}
	if err == nil {
		closeBody(resp)
	}
	s.notes, s.resources = nil, nil
	return nil
}

// subscribe asks the upstream for the resources' updates, and keeps those that it accepts.
func (s *subscription) subscribe(gr *greeting) {
	var accepted []string
	for _, uri := range s.resources {
		q := s.x.g.question(methodSubscribe, []newMember{{"uri", quoted(uri)}})
		q.version, q.session = gr.version, gr.session
		reply, answer, err := s.x.g.ask(s.x.r, nil, q)
		if err == nil && answer == nil && reply.result.Len() > 0 {
			accepted = append(accepted, uri)
		}
	}
	s.resources = accepted
}

// acknowledgement is the first message of the subscription: what it will get.
func (s *subscription) acknowledgement() []byte {
	var granted []newMember
	for _, kind := range listNotes {
		if s.notes[kind.note] {
			granted = append(granted, newMember{kind.filter, []byte("true")})
		}
	}
	if len(s.resources) > 0 {
		granted = append(granted, newMember{"resourceSubscriptions", quotedArray(s.resources)})
	}
	return requestBody(nil, "notifications/subscriptions/acknowledged", []newMember{
		{"_meta", object(newMember{metaSubscriptionID, s.id})}, {"notifications", object(granted...)},
	})
}

// relay brings the upstream's notifications to the host until either ends.
func (s *subscription) relay(ctx context.Context, resp *http.Response) {
	events := eventMessages(ctx, resp.Body)
	timer := time.NewTicker(keepAlive)
	defer timer.Stop()
	for s.x.hostErr == nil {
		select {
		case data, more := <-events:
			if !more {
				return
			}
			if note := s.note(data); note != nil {
				s.x.write(newEvent(note))
			}
		case <-timer.C:
			s.x.write([]byte(": \n\n"))
		case <-ctx.Done():
			return
		}
	}
}

// note returns the notification in data as the subscription's, nil where it is none.
func (s *subscription) note(data []byte) []byte {
	messages, batch, err := scanMessages(data)
	if err != nil || batch || len(messages) != 1 {
		return nil
	}
	m := messages[0]
	if m.isRequest() {
		s.x.g.refuseServerRequest(s.x.r, s.x.bridge.greeting, m)
		return nil
	}
	wanted := s.notes[m.method]
	if m.method == noteResourceUpdated {
		uri := stringMember(m.body, m.params, "uri")
		for _, subscribed := range s.resources {
			wanted = wanted || uri == subscribed
		}
	}
	if !wanted {
		return nil
	}
	members := []metaMember{{name: metaSubscriptionID, value: s.id}}
	if !jsonspan.IsObject(m.body, m.params) {
		return requestBody(nil, m.method, []newMember{{"_meta", newMeta(members)}})
	}
	return apply(m, setMeta(m.body, m.params, members))
}

// eventMessages reads the messages of an event stream beside whatever else happens. The channel is closed at its end.
func eventMessages(ctx context.Context, body io.Reader) <-chan []byte {
	messages := make(chan []byte)
	go func() {
		defer close(messages)
		events := newEventReader(body, maxQuestionAnswer, uncounted)
		for {
			ev, err := events.next()
			if err != nil {
				return
			}
			if !ev.isMessage() {
				continue
			}
			select {
			case messages <- append([]byte(nil), ev.data()...):
			case <-ctx.Done():
				return
			}
		}
	}()
	return messages
}

// getStream answers a legacy host's GET, the stream for what a server says without being asked, in front of an upstream
// that speaks modern revisions alone: with a subscription to all changes of lists. ok is false where the upstream speaks
// the host's era, or cannot be asked.
func (g *Gateway) getStream(w http.ResponseWriter, r *http.Request) (ok bool) {
	n, _, _ := g.eraOf(r)
	if n == nil {
		return false
	}
	if serves, answer, err := g.servesLegacy(r, n); serves || answer != nil || err != nil {
		return false
	}
	ctx, work := g.begin(r.Context(), r, false)
	defer work.end()
	resp, err := g.subscribeAll(ctx, r)
	if err != nil {
		g.refuse(ctx, w, failuresOf(nil), false, err)
		return true
	}
	defer closeBody(resp)
	if resp.StatusCode != http.StatusOK || !isMediaType(resp.Header, "text/event-stream") {
		w.Header().Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, &rpcError{code: codeServerError, message: "Method not allowed"})
		return true
	}
	work.unlimit(r.Context())
	work.endWithStreams(g)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	flush := flusher(w)
	flush()
	for data := range eventMessages(ctx, resp.Body) {
		messages, batch, err := scanMessages(data)
		if err != nil || batch || !isListNote(messages[0].method) {
			continue // the acknowledgement, and the response at the end
		}
		if _, err := w.Write(newEvent(data)); err != nil {
			return true
		}
		flush()
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errHostGone) {
		g.log.DebugContext(ctx, "stream of changes ended")
	}
	return true
}

// subscribeAll opens a subscription to all changes of lists at a modern upstream.
func (g *Gateway) subscribeAll(ctx context.Context, r *http.Request) (*http.Response, error) {
	var filter []newMember
	for _, kind := range listNotes {
		filter = append(filter, newMember{kind.filter, []byte("true")})
	}
	q := g.question(methodListen, []newMember{{"notifications", object(filter...)}})
	q.version, q.meta = modernVersion, true
	b := &bridge{host: eraLegacy, part: sessionOf(r.Header).claims.part(true)}
	params := append(q.params, newMember{"_meta", object(b.meta()...)})
	return g.sendOwn(ctx, r, nil, http.MethodPost, questionHeader(r.Header, q), requestBody(quoted(q.id), q.method, params))
}
