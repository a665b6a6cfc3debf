package proxy

import (
	"net/http"
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

// writeError answers every request among messages with e: an object, or an array for a batch. Without a request it
// answers with the id null.
func writeError(w http.ResponseWriter, status int, messages []message, batch bool, e *rpcError) {
	var body []byte
	for _, m := range messages {
		if !m.isRequest() {
			continue
		}
		if len(body) > 0 {
			body = append(body, ',')
		}
		body = appendError(body, m.raw(m.id), e)
	}
	switch {
	case len(body) == 0:
		body = appendError(nil, nil, e)
	case batch:
		body = append(append([]byte{'['}, body...), ']')
	}
	writeJSON(w, status, body)
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a host that has gone needs no answer
}
