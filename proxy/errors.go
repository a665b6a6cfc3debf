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
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// rpcError is a JSON-RPC error of the gateway's own making. The message goes to the host: no secrets, no bodies.
type rpcError struct {
	code    int
	message string
}

func (e *rpcError) Error() string { return e.message }

// appendError appends a JSON-RPC error response for the request with the given raw id; nil id: null.
func appendError(dst, id []byte, e *rpcError) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.code), 10)
	dst = append(dst, `,"message":`...)
	dst = jsonspan.AppendQuoted(dst, []byte(e.message))
	return append(dst, "}}"...)
}

// appendResult appends a JSON-RPC response that carries result, one JSON value, for the request with the raw id.
func appendResult(dst, id, result []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":`...)
	dst = append(dst, result...)
	return append(dst, '}')
}

// failuresOf returns what answers every request among messages with an error. Without a request, it answers with the
// id null.
func failuresOf(messages []message) func(*rpcError) [][]byte {
	return func(e *rpcError) (answers [][]byte) {
		for _, m := range messages {
			if m.isRequest() {
				answers = append(answers, appendError(nil, m.raw(m.id), e))
			}
		}
		if len(answers) == 0 {
			answers = append(answers, appendError(nil, nil, e))
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
	writeJSON(w, status, appendError(nil, nil, e))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a host that has gone needs no answer
}
