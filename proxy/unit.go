package proxy

import (
	"context"
	"slices"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// unit is JSON that was sent as one: the data of an event, or a whole body.
type unit struct {
	data    []byte
	event   event // zero for a body
	results []*response
}

// response is what the upstream answered to one request that the gateway owns.
type response struct {
	message
	request *request
	call    *toolResult // of routeCall; nil when the answer is an error
}

// open finds the responses in data that the gateway owns. nil: none.
func (x *exchange) open(data []byte) *unit {
	messages, _, err := scanMessages(data)
	if err != nil {
		return nil
	}
	u := &unit{data: data}
	for _, m := range messages {
		q, waits := x.waiting[m.idKey()]
		if !m.isResponse() || !waits {
			continue
		}
		delete(x.waiting, m.idKey())
		if q.route == routePass {
			continue
		}
		p := &response{message: m, request: q}
		if q.route == routeCall {
			if p.call = openResult(q, m); p.call != nil && x.bridge.toLegacy() {
				p.call.dress = dressOf(q.method, x.bridge.info)
			}
		}
		u.results = append(u.results, p)
	}
	if len(u.results) == 0 {
		return nil
	}
	return u
}

// redeems reports whether the unit has to wait for app data from the upstream.
func (u *unit) redeems() bool {
	return slices.ContainsFunc(u.results, func(p *response) bool { return p.call != nil && p.call.kind == kindHandle })
}

// settle returns the unit's data as the host gets it.
func (x *exchange) settle(ctx context.Context, u *unit, answered bool) []byte {
	var edits []jsonspan.Edit
	for _, p := range u.results {
		edits = append(edits, x.edit(ctx, p, answered)...)
		if reply := p.request.reply; reply != nil {
			edits = append(edits, replace(p.body, p.id, reply)...)
		}
	}
	if len(edits) == 0 {
		return u.data
	}
	jsonspan.Sort(edits)
	return jsonspan.Apply(x.hold.buffer(jsonspan.EditedLen(u.data, edits)), u.data, edits)
}

// edit returns the edits of one response. answered says that the answer's connection is free for a redemption.
func (x *exchange) edit(ctx context.Context, p *response, answered bool) []jsonspan.Edit {
	x.noteEra(p)
	edits := x.ownEdits(ctx, p, answered)
	if x.bridge == nil {
		return edits
	}
	return x.bridge.edits(p, edits)
}

// ownEdits are those of what the gateway owns in either era.
func (x *exchange) ownEdits(ctx context.Context, p *response, answered bool) []jsonspan.Edit {
	if p.request.route == routeCall {
		return x.finish(ctx, p, answered)
	}
	if p.result.Len() == 0 {
		if p.request.method == methodListResources {
			return x.g.widgets.replaceUnknown(p.message, p.request.client, x.dressing(methodListResources))
		}
		return nil
	}
	switch p.request.method {
	case methodListTools:
		edits, report := editToolsList(p.body, p.result, p.request.client, x.g.options.Widget, hasCursor(p.request.message))
		x.g.noteList(ctx, p, report)
		x.g.params.learn(p.body, p.result, x.nature)
		return edits
	case methodListResources:
		return x.g.widgets.editResourcesList(p.body, p.result, p.request.client)
	case methodInitialize, methodDiscover:
		return editInitialize(p.body, p.result, p.request.client)
	}
	return nil
}
