package proxy

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// JSON-RPC error codes that the gateway answers with.
const (
	codeParseError     = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// rpcError is a JSON-RPC error of the gateway's own making. The message goes to the host: no secrets, no bodies.
type rpcError struct {
	code    int
	message string
	data    []byte // one JSON value; nil for none
}

func (e *rpcError) Error() string { return e.message }

// errorResponse returns a JSON-RPC error response to the request with the given raw id; nil id: null.
func errorResponse(id []byte, e *rpcError) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	dst := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.code), 10)
	dst = append(dst, `,"message":`...)
	dst = jsonspan.AppendQuoted(dst, []byte(e.message))
	if e.data != nil {
		dst = append(append(dst, `,"data":`...), e.data...)
	}
	return append(dst, "}}"...)
}

// resultResponse returns a JSON-RPC response that carries result, one JSON value, to the request with the raw id.
func resultResponse(id, result []byte) []byte {
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), result, []byte{'}'})
}

// failuresOf returns what answers every request among messages with an error. Without a request, it answers with the
// id null.
func failuresOf(messages []message) func(*rpcError) [][]byte {
	return func(e *rpcError) (answers [][]byte) {
		for _, m := range messages {
			if m.isRequest() {
				answers = append(answers, errorResponse(m.raw(m.id), e))
			}
		}
		if len(answers) == 0 {
			answers = append(answers, errorResponse(nil, e))
		}
		return answers
	}
}

// writeAnswers writes JSON-RPC responses as JSON: one alone, or the array that answers a batch.
func writeAnswers(w http.ResponseWriter, status int, answers [][]byte, batch bool) {
	body := answers[0]
	if batch {
		body = joinArray(answers)
	}
	writeJSON(w, status, body)
}

// joinArray returns the JSON array of values.
func joinArray(values [][]byte) []byte {
	return slices.Concat([]byte{'['}, bytes.Join(values, []byte{','}), []byte{']'})
}

// writeError answers a request that was never read as JSON-RPC.
func writeError(w http.ResponseWriter, status int, e *rpcError) {
	writeJSON(w, status, errorResponse(nil, e))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a host that has gone needs no answer
}
