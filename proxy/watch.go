package proxy

import (
	"net/http"
)

// watch counts the requests in flight and answered, and refuses what is too many at once, before anything is asked of
// the upstream.
func (g *Gateway) watch(next http.Handler) http.Handler {
	most := int64(g.options.MaxRequests)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, t := withTrail(r)
		watched := &watchedWriter{ResponseWriter: w}
		t.answer = watched
		g.metrics.inFlight.Inc()
		defer func() {
			g.inFlight.Add(-1)
			g.metrics.inFlight.Dec()
			g.metrics.ofRequest(t.method, watched.status)
		}()
		if g.inFlight.Add(1) > most {
			refuseForNow(watched, "The gateway has too many requests at once")
			return
		}
		next.ServeHTTP(watched, r)
	})
}

// refuseForNow answers a request that nothing was done for yet.
func refuseForNow(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", "1")
	writeError(w, http.StatusServiceUnavailable, &rpcError{code: codeServerError, message: why + "; nothing was sent to the MCP server: try again"})
}

// watchedWriter notes the status of an answer.
type watchedWriter struct {
	http.ResponseWriter
	status int // 0: nothing was answered
}

// Unwrap is for http.ResponseController.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *watchedWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *watchedWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}
