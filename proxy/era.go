package proxy

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// era is a family of protocol revisions: those that open a session with initialize, up to 2025-11-25, and those in
// which every request describes itself, from 2026-07-28 on.
type era int

const (
	eraLegacy era = iota
	eraModern
)

// modernVersion is the first revision of the modern era, and the one that the gateway speaks itself. In it closing the
// response stream cancels the request. Before it a disconnect SHOULD NOT be taken for a cancellation: a call that runs
// is paid for, and runs to its end.
const modernVersion = "2026-07-28"

// legacyVersions are the revisions of the legacy era, newest first. The first is what the gateway asks an upstream for.
var legacyVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"}

// isModernVersion reports whether a revision's name belongs to the modern era: names are dates.
func isModernVersion(version string) bool { return version >= modernVersion }

// nature is what is known of the upstream that is running now. It does not change while the upstream runs.
type nature struct {
	modern bool // speaks a modern revision
	// legacy says whether it speaks a legacy one; nil while nobody has asked.
	legacy *bool
	// versions are the revisions that a modern upstream names; may be empty.
	versions []string
	// info is the raw Implementation by which a modern upstream calls itself; nil when it does not say.
	info []byte
	// logs says that a modern upstream declares logging.
	logs bool
	// silent says that it is taken for a legacy one because it did not answer.
	silent bool
}

// speaks reports whether the gateway and a modern upstream have a modern revision in common.
func (n *nature) speaksModern() bool {
	return len(n.versions) == 0 || slices.Contains(n.versions, modernVersion)
}

const (
	// discoveryTimeout bounds one question about the upstream's era.
	discoveryTimeout = 10 * time.Second
	// discoveryPause is for how long an upstream that gave no usable answer to the question is not asked it again.
	discoveryPause = 5 * time.Second
	// silencePause is the same for one that gave none: some servers say nothing to a method that they do not know.
	silencePause = time.Minute
)

// eras knows the era of the upstream. It is found by server/discover, with the credentials of the first caller, and kept
// until something says that another server is running there: a connection that fails, or a request that is refused for
// its form. It is safe for concurrent use.
type eras struct {
	mu     sync.Mutex
	known  *nature
	flight *discovery           // the question that is on its way; nil without one
	dumb   *discovery           // the last one without an answer that decides; nil after one that did
	until  time.Time            // when dumb may be asked again
	found  time.Time            // when known was
	facts  map[string]*greeting // of a legacy upstream, by the map service that a caller asks for; see greetingOf
}

// discovery is one question about the upstream's era and what came of it.
type discovery struct {
	done   chan struct{} // closed when the others are set
	nature *nature       // nil when it is undecided
	answer *refusal      // an answer that decides nothing, such as 401
	err    error         // there was no answer
}

// refusal is an upstream's answer to a question of the gateway's own that a host has to hear instead of its own
// answer: an HTTP status and what stands in the body.
type refusal struct {
	status int
	header http.Header
	body   []byte
	id     string // of the question
}

var (
	// errUndecided says that the upstream's era is not known, since its answer decides nothing.
	errUndecided = errors.New("the upstream's answer does not say which revisions it speaks")
	// errNoAnswer says that an answer held no response to the gateway's question.
	errNoAnswer = errors.New("no response to the question")
)

// current returns what is known, nil when nothing is.
func (e *eras) current() *nature {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known
}

// forget drops what is known if it still is n: the upstream may be another one now.
func (e *eras) forget(n *nature) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == n {
		e.known, e.facts = nil, nil
	}
	if n.silent {
		e.dumb = nil
	}
}

// suspect drops what is known of n because of an answer that servers of its era do not give. Some give such answers all
// the time: what has just been found out is not asked again at once.
func (e *eras) suspect(n *nature) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == n && time.Since(e.found) > discoveryPause {
		e.known, e.facts = nil, nil
	}
}

// doubtEra drops whatever is known of the upstream's era: the next request asks again.
func (g *Gateway) doubtEra() {
	if n := g.eras.current(); n != nil {
		g.eras.forget(n)
	}
	g.eras.mu.Lock()
	defer g.eras.mu.Unlock()
	if d := g.eras.dumb; d != nil && d.nature != nil {
		g.eras.dumb = nil
	}
}

// eraOf returns what is known of the upstream, and asks it where nothing is. Callers at one time share one question.
// Where it stays undecided for the caller of r, n is nil, and answer or err says why.
func (g *Gateway) eraOf(r *http.Request) (n *nature, answer *refusal, err error) {
	if n = g.eras.current(); n != nil {
		return n, nil, nil
	}
	for {
		d, mine := g.eras.join()
		if mine {
			g.discover(r, d)
			return d.nature, d.answer, d.err
		}
		select {
		case <-d.done:
		case <-r.Context().Done():
			return nil, nil, errHostGone
		}
		switch {
		case d.answer != nil && d.answer.isOfCaller(): // what that caller may not ask this one may
			d = &discovery{done: make(chan struct{})}
			g.discover(r, d)
			return d.nature, d.answer, d.err
		case !errors.Is(d.err, errHostGone): // else that caller went away, and with it the question
			return d.nature, d.answer.forOthers(), d.err
		}
	}
}

// join returns the discovery that tells the upstream's era: one that has ended, one that is on its way, or a new one, which
// is the caller's to make.
func (e *eras) join() (d *discovery, mine bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.known != nil:
		return &discovery{done: ended, nature: e.known}, false
	case e.dumb != nil && time.Now().Before(e.until):
		return e.dumb, false
	case e.flight != nil:
		return e.flight, false
	}
	e.flight = &discovery{done: make(chan struct{})}
	return e.flight, true
}

// ended is the done of what has ended.
var ended = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// isOfCaller reports whether the refusal is about who asked, or about the moment: the way to a login and its page are, too.
func (f *refusal) isOfCaller() bool {
	switch f.status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusRequestHeaderFieldsTooLarge, http.StatusUnavailableForLegalReasons:
		return true
	case http.StatusOK:
		return isMediaType(f.header, "text/html")
	}
	return 300 <= f.status && f.status < 400
}

// decidesNothing reports whether the refusal says nothing of the upstream's revisions.
func (f *refusal) decidesNothing() bool {
	return f.isOfCaller() || f.status >= http.StatusInternalServerError && !isRefusedForm(f.status)
}

// forOthers is the refusal for callers other than the one who asked. They hear that there was one; what else stands in
// it, such as a cookie, is not theirs.
func (f *refusal) forOthers() *refusal {
	if f == nil {
		return nil
	}
	return &refusal{
		status: f.status, id: f.id, header: http.Header{"Content-Type": {"application/json"}},
		body: errorResponse(quoted(f.id), &rpcError{code: codeInternal, message: "The MCP server answered with HTTP status " + strconv.Itoa(f.status)}),
	}
}

// discover asks the upstream, notes what it said, and ends d.
func (g *Gateway) discover(r *http.Request, d *discovery) {
	d.err = errUndecided
	defer g.eras.conclude(d)
	d.nature, d.answer, d.err = g.askEra(r)
}

// conclude notes what came of d, and ends it.
func (e *eras) conclude(d *discovery) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.flight == d {
		e.flight = nil
	}
	switch {
	case d.nature != nil && d.nature.silent:
		e.dumb, e.until = d, time.Now().Add(silencePause)
	case d.nature != nil:
		e.known, e.dumb, e.facts, e.found = d.nature, nil, nil, time.Now()
	case d.answer != nil && d.answer.isOfCaller(), d.err != nil && !isTimeout(d.err):
		// About this caller, or the upstream is not there: the next request may fare better.
	default:
		e.dumb, e.until = d, time.Now().Add(discoveryPause)
	}
	close(d.done)
}

// askEra asks the upstream with the caller's headers which revisions it speaks.
func (g *Gateway) askEra(r *http.Request) (*nature, *refusal, error) {
	q := g.question(methodDiscover, nil)
	q.version, q.meta = modernVersion, true
	reply, answer, err := g.ask(r, nil, q)
	switch {
	case errors.Is(err, errUpstreamTimeout): // 2026-07-28, basic/versioning: legacy servers may stay silent
		g.log.WarnContext(r.Context(), "upstream's era", slog.String("era", "legacy"), slog.Any("err", err))
		return &nature{legacy: new(true), silent: true}, nil, nil
	case err != nil && !errors.Is(err, errNoAnswer):
		g.log.WarnContext(r.Context(), "upstream's era not found", slog.Any("err", err))
		return nil, nil, err
	case answer != nil && answer.decidesNothing():
		return nil, answer, nil
	}
	n := natureOf(reply)
	speaks := "legacy"
	if n.modern {
		speaks = "modern"
	}
	g.log.InfoContext(r.Context(), "upstream's era", slog.String("era", speaks), slog.Any("versions", n.versions))
	return n, nil, nil
}

// natureOf reads the answer to server/discover. Whoever does not know the method, refuses the revision without naming a
// modern one, or says anything else is of the legacy era (2026-07-28, basic/versioning).
func natureOf(reply message) *nature {
	if reply.result.Len() > 0 {
		list, ok := jsonspan.Lookup(reply.body, reply.result, "supportedVersions")
		return natureOfVersions(reply, list, ok)
	}
	code, ok := errorCode(reply)
	switch {
	case !ok:
	case code == codeUnsupportedVersion:
		list, ok := jsonspan.Lookup(reply.body, reply.span, "error", "data", "supported")
		return natureOfVersions(reply, list, ok)
	case code == codeHeaderMismatch || code == codeMissingCapability:
		return &nature{modern: true}
	}
	return &nature{legacy: new(true)}
}

func natureOfVersions(reply message, list jsonspan.Span, ok bool) *nature {
	n := &nature{}
	if ok {
		n.versions = stringsAt(reply.body, list)
	}
	n.modern = slices.ContainsFunc(n.versions, isModernVersion)
	if !n.modern || slices.ContainsFunc(n.versions, func(v string) bool { return !isModernVersion(v) }) {
		n.legacy = new(true)
	}
	if info, ok := jsonspan.Lookup(reply.body, reply.result, "_meta", metaServerInfo); ok && jsonspan.IsObject(reply.body, info) {
		n.info = slices.Clone(info.Of(reply.body))
	}
	_, n.logs = jsonspan.Lookup(reply.body, reply.result, "capabilities", "logging")
	return n
}

// servesLegacy reports whether the upstream speaks a legacy revision, too, and asks it where it has not said: some that
// do name only the modern ones in server/discover. The questions are an initialize and a ping, never a real call.
func (g *Gateway) servesLegacy(r *http.Request, n *nature) (bool, *refusal, error) {
	e := &g.eras
	e.mu.Lock()
	known := n.legacy
	e.mu.Unlock()
	if known != nil {
		return *known, nil, nil
	}
	greeting, answer, err := g.greet(r, nil, clientPart{})
	switch {
	case err != nil && !errors.Is(err, errNoAnswer):
		return false, nil, err
	case answer != nil && answer.decidesNothing():
		return false, answer, nil
	}
	serves := false
	if greeting != nil {
		// Some answer every initialize, with a revision that they then do not speak.
		q := g.question(methodPing, nil)
		q.version, q.session = greeting.version, greeting.session
		reply, _, err := g.ask(r, nil, q)
		serves = err == nil && reply.result.Len() > 0
		g.dismiss(r, nil, greeting)
	}
	e.mu.Lock()
	n.legacy = &serves
	e.mu.Unlock()
	return serves, nil, nil
}

// stringsAt returns the strings of the array at span array.
func stringsAt(doc []byte, array jsonspan.Span) (all []string) {
	for element := range jsonspan.Elements(doc, array) {
		if text := stringAt(doc, element); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// isRefusedForm reports whether the upstream's answer to a POST says that it does not take requests of this form: its
// era may be another one since it was restarted. Statuses about the caller, the size or the load say nothing.
func isRefusedForm(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusGone, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return true
	}
	return false
}

// errorCode returns the code of an error response.
func errorCode(m message) (code int, ok bool) {
	value, ok := jsonspan.Lookup(m.body, m.span, "error", "code")
	if !ok {
		return 0, false
	}
	return intAt(m.body, value)
}
