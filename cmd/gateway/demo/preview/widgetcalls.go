package preview

import (
	"context"
	"encoding/json"
	"net/http"

	"tomtom-mcp-gateway/policy"
)

// postWidgetCall runs a tool for a widget, once, if it may.
func (p *Preview) postWidgetCall(r *http.Request) (reply, error) {
	var asked struct {
		Call      string          `json:"call"`
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
		Approved  bool            `json:"approved"`
	}
	err := readBody(r, &asked)
	if err != nil {
		return reply{}, err
	}
	if asked.Arguments, err = checkArguments(asked.Arguments); err != nil {
		return reply{}, err
	}
	if _, ok := p.history.find(asked.Call); !ok {
		return reply{}, problemf(http.StatusNotFound, "The call that this widget belongs to is not kept any more.")
	}
	tools, err := p.host.tools(r.Context(), false)
	if err != nil {
		return reply{}, err
	}
	if err := p.mayCall(tools, asked.Tool, asked.Approved); err != nil {
		return reply{}, err
	}
	done, err := p.calls.take(r.Context())
	if err != nil {
		return reply{}, err
	}
	ctx, cancel := withTimeout(r.Context(), p.options.WidgetCallTimeout)
	defer cancel()
	result, err := insist(ctx, func(ctx context.Context) (json.RawMessage, error) {
		defer done()
		return p.runForWidget(ctx, asked.Tool, asked.Arguments)
	})
	if err != nil {
		return reply{}, err
	}
	return reply{raw: []rawMember{{"result", result}}}, nil
}

// mayCall says what speaks against a widget's call of a tool; nil for nothing. Who a tool is for its list entry says
// (MCP Apps, 2026-01-26, Visibility). What an agent may call, too, costs what a call costs and tells an upstream
// something: a person has to agree.
func (p *Preview) mayCall(tools []tool, name string, approved bool) error {
	found, ok := findTool(tools, name)
	switch {
	case !ok:
		return problemf(http.StatusForbidden, "This session has no tool called %q.", clip(name))
	case !found.visibleTo("app"):
		return problemf(http.StatusForbidden, "%s is not for widgets.", name)
	case name == policy.GetAPIKey && p.options.Gateway.MapKey == "":
		return problemf(http.StatusForbidden,
			"A widget gets no key but one for maps: set GATEWAY_MAP_KEY to a TomTom key that is restricted to map display.")
	case found.visibleTo("model") && !approved:
		return problemf(http.StatusForbidden, "%s needs a person's approval: agents call it, too.", name)
	}
	return nil
}

// runForWidget sends the call. One that takes longer than a widget may wait holds its turn until it has ended.
func (p *Preview) runForWidget(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	s, err := p.host.open(ctx)
	if err != nil {
		return nil, err
	}
	id, body, err := p.host.newRequest("tools/call", callParams{name, arguments})
	if err != nil {
		return nil, err
	}
	t := p.host.deck.newTape()
	defer t.stop()
	return p.host.post(withTape(ctx, t), p.host.live, s, id, body)
}
