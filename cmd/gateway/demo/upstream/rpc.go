package upstream

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// message is one JSON-RPC message from a client. ID is nil where there was none.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

var protocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"}

// post handles POST /mcp in the order of the real server: body parser, credential, transport, protocol.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	callerKey, method := credential(r)
	if method == "" {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://`+r.Host+resourceMetadataPath+`/mcp"`)
		writeJSON(w, http.StatusUnauthorized, rpcError(firstID(body), -32001,
			"Authentication required: provide a tomtom-api-key header or a Bearer token"))
		return
	}
	// Set would spell the name in Go's way.
	w.Header()["TomTom-Upstream-Metadata"] = []string{base64.StdEncoding.EncodeToString(render(object{{"auth_method", method}}))}
	messages, refusal := acceptMessages(r, body)
	if refusal != nil {
		writeTransportJSON(w, refusal.status, rpcError(nil, refusal.code, refusal.text))
		return
	}
	if !slices.ContainsFunc(messages, message.isRequest) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	c := session{s: s, tools: s.tools, key: callerKey, out: newStream(w)}
	if s.opts.Genesis || r.Header.Get("Tomtom-Maps-Backend") == "tomtom-maps" {
		c.tools, c.genesis = s.genesis, true
	}
	c.answer(r.Context(), messages)
}

// readBody plays Express's JSON body parser: false where it has answered itself. A body that is not declared as JSON
// stays unread, as there.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		return nil, true
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		writeHTML(w, http.StatusRequestEntityTooLarge, "Payload Too Large")
		return nil, false
	case err != nil:
		writeHTML(w, http.StatusBadRequest, "Bad Request")
		return nil, false
	}
	body = bytes.TrimSpace(body)
	if len(body) > 0 && (body[0] != '{' && body[0] != '[' || !json.Valid(body)) {
		writeHTML(w, http.StatusBadRequest, "Bad Request")
		return nil, false
	}
	return body, true
}

// firstID is the request's id for an answer that is given before the message is understood; nil without one.
func firstID(body []byte) json.RawMessage {
	var m message
	if json.Unmarshal(body, &m) != nil {
		return nil
	}
	return m.ID
}

type refusal struct {
	status, code int
	text         string
}

// acceptMessages plays the SDK's transport: what it checks before any message reaches the protocol.
func acceptMessages(r *http.Request, body []byte) ([]message, *refusal) {
	accept := r.Header.Get("Accept")
	if !strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream") {
		return nil, &refusal{
			http.StatusNotAcceptable, -32000,
			"Not Acceptable: Client must accept both application/json and text/event-stream",
		}
	}
	if !strings.Contains(r.Header.Get("Content-Type"), "application/json") {
		return nil, &refusal{
			http.StatusUnsupportedMediaType, -32000,
			"Unsupported Media Type: Content-Type must be application/json",
		}
	}
	messages, ok := parseMessages(body)
	if !ok {
		return nil, &refusal{http.StatusBadRequest, -32700, "Parse error: Invalid JSON-RPC message"}
	}
	initializes := slices.ContainsFunc(messages, func(m message) bool { return m.Method == "initialize" })
	if initializes && len(messages) > 1 {
		return nil, &refusal{http.StatusBadRequest, -32600, "Invalid Request: Only one initialization request is allowed"}
	}
	version := r.Header.Get("Mcp-Protocol-Version")
	if !initializes && version != "" && !slices.Contains(protocolVersions, version) {
		return nil, &refusal{http.StatusBadRequest, -32000, "Bad Request: Unsupported protocol version: " + version +
			" (supported versions: " + strings.Join(protocolVersions, ", ") + ")"}
	}
	return messages, nil
}

func parseMessages(body []byte) ([]message, bool) {
	var messages []message
	if len(body) > 0 && body[0] == '[' {
		if json.Unmarshal(body, &messages) != nil || len(messages) == 0 {
			return nil, false
		}
	} else {
		var one message
		if json.Unmarshal(body, &one) != nil {
			return nil, false
		}
		messages = []message{one}
	}
	return messages, !slices.ContainsFunc(messages, func(m message) bool { return !m.valid() })
}

func (m message) isRequest() bool { return m.Method != "" && m.ID != nil }

// valid tells what the SDK's schema accepts: version 2.0, an id that is a string or an integer, and parameters that are
// an object.
func (m message) valid() bool {
	if m.Version != "2.0" || (m.Method == "" && (m.ID == nil || (m.Result == nil && m.Error == nil))) {
		return false
	}
	if m.Params != nil && m.Params[0] != '{' {
		return false
	}
	return m.ID == nil || m.ID[0] == '"' || (m.ID[0] != 'n' && !bytes.ContainsAny(m.ID, ".eE[{t"))
}

// rpcError is an error answer of the HTTP layer, with the member order that the real server has there.
func rpcError(id json.RawMessage, code int, text string) []byte {
	return render(object{{"jsonrpc", "2.0"}, {"error", object{{"code", code}, {"message", text}}}, {"id", id}})
}
