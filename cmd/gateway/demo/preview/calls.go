package preview

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// callOverhead is how much longer than the upstream a call may take before the page is told that it failed.
const callOverhead = 10 * time.Second

// postCall runs a tool as an agent would: once.
func (p *Preview) postCall(r *http.Request) (reply, error) {
	var asked struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
		Limit     *int            `json:"limit"`
		From      string          `json:"from"`
	}
	if err := readBody(r, &asked); err != nil {
		return reply{}, err
	}
	limit, err := checkLimit(asked.Limit)
	if err != nil {
		return reply{}, err
	}
	if asked.From != "" && asked.From != "agent" {
		return reply{}, problemf(http.StatusBadRequest, "from has to be agent: what a widget asks for goes to /api/widget-calls.")
	}
	if asked.Arguments, err = checkArguments(asked.Arguments); err != nil {
		return reply{}, err
	}
	tools, err := p.host.tools(r.Context(), false)
	if err != nil {
		return reply{}, err
	}
	found, ok := findTool(tools, asked.Tool)
	switch {
	case !ok:
		return reply{}, problemf(http.StatusBadRequest, "There is no tool called %q.", clip(asked.Tool))
	case !found.visibleTo("model"):
		return reply{}, problemf(http.StatusForbidden, "%s is for widgets alone: an agent does not see it.", found.name)
	}
	done, err := p.calls.take(r.Context())
	if err != nil {
		return reply{}, err
	}
	ctx, cancel := withTimeout(r.Context(), p.patience())
	defer cancel()
	return insist(ctx, func(ctx context.Context) (reply, error) {
		defer done()
		return p.run(ctx, found.name, asked.Arguments, limit)
	})
}

// patience is how long an agent's call may take.
func (p *Preview) patience() time.Duration {
	timeout := p.options.Gateway.UpstreamTimeout
	if timeout == 0 {
		timeout = 2 * time.Minute
	}
	return timeout + callOverhead
}

// run calls the tool through a gateway of the limit, and keeps what the upstream answered. limit 0 is the operator's.
func (p *Preview) run(ctx context.Context, tool string, arguments json.RawMessage, limit int) (reply, error) {
	s, err := p.host.open(ctx)
	if err != nil {
		return reply{}, err
	}
	id, body, err := p.host.newRequest("tools/call", callParams{tool, arguments})
	if err != nil {
		return reply{}, err
	}
	gateway := p.host.live
	if limit != 0 {
		var done func()
		if gateway, done, err = p.host.limited(tool, limit, false); err != nil {
			return reply{}, err
		}
		defer done()
	} else {
		limit = p.limitFor(tool)
	}
	c := &call{
		id: newSecret(), tool: tool, arguments: arguments, started: time.Now(),
		request: id, body: body, session: s, tape: p.host.deck.newTape(),
	}
	result, err := p.host.post(withTape(ctx, c.tape), gateway, s, id, body)
	c.tape.stop()
	c.took = time.Since(c.started)
	if err != nil {
		return reply{}, err
	}
	p.history.add(c)
	fit, err := p.fitOf(c, limit, result, true)
	if err != nil {
		return reply{}, err
	}
	encoded, err := fit.encode()
	if err != nil {
		return reply{}, err
	}
	return reply{members: c.entry(), raw: []rawMember{{"fit", encoded}}}, nil
}

// callParams are those of tools/call.
type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func checkLimit(limit *int) (int, error) {
	const most = 10_000_000
	switch {
	case limit == nil:
		return 0, nil
	case *limit < 1 || *limit > most:
		return 0, problemf(http.StatusBadRequest, "limit has to be from 1 to %d characters.", most)
	}
	return *limit, nil
}

// checkArguments returns the arguments of a call, {} for none.
func checkArguments(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), nil
	}
	if raw[0] != '{' {
		return nil, problemf(http.StatusBadRequest, "arguments has to be an object.")
	}
	return raw, nil
}

func findTool(tools []tool, name string) (tool, bool) {
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		return tool{}, false
	}
	return tools[i], true
}

// getCalls lists the history, newest first.
func (p *Preview) getCalls(*http.Request) (reply, error) {
	entries := []callEntry{}
	for _, c := range p.history.list() {
		entries = append(entries, c.entry())
	}
	return reply{members: entries}, nil
}

// getFit composes what the host would get of a kept call at another limit. No tool runs.
func (p *Preview) getFit(r *http.Request) (reply, error) {
	c, ok := p.history.find(r.PathValue("id"))
	if !ok {
		return reply{}, problemf(http.StatusNotFound, "This call is not kept any more.")
	}
	query := r.URL.Query()
	limit := p.limitFor(c.tool)
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return reply{}, problemf(http.StatusBadRequest, "limit has to be a whole number of characters.")
		}
		if limit, err = checkLimit(&n); err != nil {
			return reply{}, err
		}
	}
	done, err := p.fits.take(r.Context())
	if err != nil {
		return reply{}, err
	}
	defer done()
	result, err := p.replay(r.Context(), c, limit)
	if err != nil {
		return reply{}, err
	}
	return p.fitOf(c, limit, result, query.Get("original") != "false")
}

// replay has the gateway's own code compose what was kept, at a limit.
func (p *Preview) replay(ctx context.Context, c *call, limit int) (json.RawMessage, error) {
	gateway, done, err := p.host.limited(c.tool, limit, true)
	if err != nil {
		return nil, err
	}
	defer done()
	result, err := p.host.post(withTape(ctx, c.tape.player()), gateway, c.session, c.request, c.body)
	if errors.Is(err, errSessionEnded) {
		return nil, problemf(http.StatusGone, "The kept answer cannot be used any more: run the tool again.")
	}
	return result, err
}
