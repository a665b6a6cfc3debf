package proxy

import (
	"context"
	"errors"
	"net/http"
	"slices"
)

// errNoResponse says that an upstream's answer was a success and holds no response to a request that waits for one. To a
// host such an answer is no answer at all: most would wait for another until they give up.
var errNoResponse = errors.New("the upstream's answer holds no response to the request")

// isSilent reports whether an answer is a success in a form that no response can come in.
func isSilent(resp *http.Response) bool {
	switch {
	case resp.StatusCode < http.StatusOK || http.StatusMultipleChoices <= resp.StatusCode, isEncoded(resp.Header):
		return false
	case resp.StatusCode != http.StatusOK:
		return true
	}
	return !isMediaType(resp.Header, "text/event-stream") && !isMediaType(resp.Header, "application/json")
}

// assumeType gives an answer without a Content-Type the one that a body without events has. Its text is paid for.
func assumeType(resp *http.Response) {
	if _, typed := resp.Header["Content-Type"]; !typed && resp.StatusCode == http.StatusOK && resp.ContentLength != 0 {
		resp.Header.Set("Content-Type", "application/json")
	}
}

// leavesOpen reports whether body, the whole of an answer, leaves a request without a response and does not say why.
func (x *exchange) leavesOpen(resp *http.Response, body []byte) bool {
	if len(x.waiting) == 0 || resp.StatusCode != http.StatusOK {
		return false
	}
	messages, _, err := scanMessages(body)
	return err != nil || !slices.ContainsFunc(messages, message.isAnonymousError)
}

// answerOpen gives whoever still waits at the end of an answer an error among the gateway's own answers.
func (x *exchange) answerOpen(ctx context.Context) {
	x.logUnanswered(ctx, statusFailed, failureKind(errNoResponse))
	x.g.metrics.upstreamErrors.WithLabelValues(failureKind(errNoResponse)).Inc()
	_, failure := failureOf(errNoResponse)
	x.answers = append(x.failures(failure), x.answers...)
}
