package proxy

import (
	"net/http"

	"tomtom-mcp-gateway/policy"
)

// route is what happens to a message of a host.
type route int

const (
	routePass   route = iota // goes upstream and comes back as it is
	routeAnswer              // is answered here
	routeEdit                // goes upstream; its result is edited: lists and initialize
	routeCall                // goes upstream; its result gets app data
	routeDrop                // goes nowhere: a call without an id of a tool that is answered here
	routeBridge              // goes upstream; its result is brought into the host's era and is otherwise not owned
)

// request is a message of a host with what is to be done about it.
type request struct {
	message
	route  route
	client client
	tool   policy.Tool // of routeCall

	// reply is the raw id under which the host waits for the answer, where the upstream knows the request by another: one
	// of the two has tried again, with the input that it was asked for. nil: there is one id.
	reply []byte
}

// hostID is the raw id under which the host waits for the answer.
func (q *request) hostID() []byte {
	if q.reply != nil {
		return q.reply
	}
	return q.raw(q.id)
}

// staysHere reports whether the message does not go upstream.
func (q *request) staysHere() bool { return q.route == routeAnswer || q.route == routeDrop }

// pick chooses the route of a message.
func (g *Gateway) pick(r *http.Request, m message) *request {
	q := &request{message: m}
	if !m.isRequest() {
		if m.method == methodCallTool && g.desk.answers(m.name) {
			q.route = routeDrop
		}
		return q
	}
	switch m.method {
	case methodInitialize, methodDiscover, methodListTools, methodListResources:
		q.route = routeEdit
	case methodReadResource:
		if g.widgets.serves(m.name) {
			q.route = routeAnswer
		}
	case methodCallTool:
		if g.desk.answers(m.name) {
			q.route = routeAnswer
		} else if tool, ok := policy.For(m.name); ok {
			q.route, q.tool = routeCall, tool
		}
	}
	if q.route != routePass {
		q.client = g.clientOf(r, m)
		q.client.refs = g.recent != nil
	}
	return q
}
