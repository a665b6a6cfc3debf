package proxy

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// answerHere answers what the gateway answers itself. status is that of an answer which stands alone.
func (x *exchange) answerHere(ctx context.Context) (status int) {
	status = http.StatusOK
	for _, q := range x.requests {
		if q.route != routeAnswer {
			continue
		}
		if q.method == methodReadResource {
			if result, ok := x.g.widgets.read(q.name); ok {
				x.answers = append(x.answers, resultResponse(q.raw(q.id), x.dressOwn(q, result)))
			}
			continue
		}
		result, failed := x.g.desk.tool(ctx, x.r, q.message)
		if failed != nil {
			if status = failed.status(); x.host == eraModern && status == http.StatusOK {
				status = modernStatus(failed.code)
			}
			x.answers = append(x.answers, errorResponse(q.raw(q.id), failed))
			continue
		}
		x.answers = append(x.answers, resultResponse(q.raw(q.id), x.dressOwn(q, result)))
	}
	return status
}

// upstreamBody returns the body without the messages that are answered here. some is false when nothing is left.
func (x *exchange) upstreamBody(body []byte) (rest []byte, some bool) {
	if x.bridge != nil {
		return x.bridge.request(x.g, x.requests[0].message), true
	}
	if !slices.ContainsFunc(x.requests, (*request).staysHere) {
		return body, true
	}
	var kept [][]byte
	for _, q := range x.requests {
		if !q.staysHere() {
			kept = append(kept, q.raw(q.span))
		}
	}
	if len(kept) == 0 {
		return nil, false
	}
	return joinArray(kept), true
}

// writeOwn writes the gateway's own answers where the upstream has none: as JSON, or as events for a host that takes
// nothing else.
func (x *exchange) writeOwn(status int) {
	if len(x.answers) == 0 {
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	if x.batch {
		status = http.StatusOK
	}
	accept := strings.Join(x.r.Header["Accept"], ",")
	if !strings.Contains(accept, "text/event-stream") || strings.Contains(accept, "application/json") {
		writeAnswers(x.w, status, x.answers, x.batch)
		return
	}
	x.w.Header().Set("Content-Type", "text/event-stream")
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.WriteHeader(status)
	x.writeOwnEvents()
}

func (x *exchange) writeOwnEvents() {
	for _, answer := range x.answers {
		x.write(newEvent(answer))
	}
}
