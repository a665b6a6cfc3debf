package preview

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"tomtom-mcp-gateway/policy"
)

// errSlow is why a widget's call ended that took longer than Options.WidgetCallTimeout.
var errSlow = errors.New("the tool did not answer a widget in time")

func withTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, errSlow)
}

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
	result, err := p.runForWidget(r.Context(), asked.Tool, asked.Arguments, done)
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

// runForWidget sends the call and waits for as long as a widget may. A call that takes longer runs to its end, since it
// may be paid for, and holds its turn until then; nobody hears of it.
func (p *Preview) runForWidget(ctx context.Context, name string, arguments json.RawMessage, done func()) (json.RawMessage, error) {
	s, err := p.host.open(ctx)
	if err != nil {
		done()
		return nil, err
	}
	id, body, err := p.host.newRequest("tools/call", callParams{name, arguments})
	if err != nil {
		done()
		return nil, err
	}
	type outcome struct {
		result json.RawMessage
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		defer done()
		t := newTape()
		defer t.stop()
		result, err := p.host.post(withTape(context.WithoutCancel(ctx), t), p.host.live, s, id, body)
		ended <- outcome{result, err}
	}()
	ctx, cancel := withTimeout(ctx, p.options.WidgetCallTimeout)
	defer cancel()
	select {
	case o := <-ended:
		return o.result, o.err
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), errSlow) {
			return nil, problemf(http.StatusGatewayTimeout, "The tool has not answered in %s.", p.options.WidgetCallTimeout)
		}
		return nil, context.Cause(ctx)
	}
}
