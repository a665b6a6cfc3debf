package proxy

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// survive is deferred around what works on a request: where that fails in a way that nobody foresaw, the host gets one
// clear error in place of a connection that ends, and others notice nothing. An answer that has begun is broken off: it
// must not look complete.
func (g *Gateway) survive(w http.ResponseWriter, r *http.Request, answer func(*rpcError) [][]byte, batch bool) {
	failure := recover()
	if failure == nil {
		return
	}
	if err, isError := failure.(error); isError && errors.Is(err, http.ErrAbortHandler) {
		panic(failure) // this was meant
	}
	g.metrics.failures.Inc()
	g.log.ErrorContext(r.Context(), "request failed", slog.String("err", fmt.Sprint(failure)), slog.String("stack", string(debug.Stack())))
	if t := trailOf(r.Context()); t == nil || t.answer.status != 0 {
		panic(http.ErrAbortHandler)
	}
	writeAnswers(w, http.StatusInternalServerError, answer(&rpcError{
		code: codeInternal, message: "The gateway failed; whether the MCP server ran the request is not known",
	}), batch)
}
