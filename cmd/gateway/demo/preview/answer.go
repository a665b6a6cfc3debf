package preview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// errSessionEnded says that the gateway, or the upstream behind it, no longer knows the session.
var errSessionEnded = problem{http.StatusBadGateway, "The session with the MCP server had ended. Nothing was run: try again."}

// answer is what a gateway answers to a request of the host, as an http.ResponseWriter that is not slower than it.
type answer struct {
	status  int
	header  http.Header
	body    bytes.Buffer
	maximum int64 // bytes of the body
	over    bool
}

func newAnswer(maximum int64) *answer { return &answer{header: http.Header{}, maximum: maximum} }

// take has the gateway answer r.
func (a *answer) take(gateway http.Handler, r *http.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler { //nolint:errorlint // the very value says that the answer broke off
				panic(p)
			}
			err = problem{http.StatusBadGateway, "The MCP server's answer broke off."}
		}
	}()
	gateway.ServeHTTP(a, r)
	if a.over {
		return problemf(http.StatusBadGateway, "The answer has more than %d bytes.", a.maximum)
	}
	return nil
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if int64(a.body.Len()+len(b)) > a.maximum {
		a.over = true
		return 0, errTooLarge
	}
	return a.body.Write(b)
}

// result is that of the response to id, raw; nil where id is "". The error is a problem with what the gateway said.
func (a *answer) result(id string) (json.RawMessage, error) {
	if id == "" && a.status < http.StatusMultipleChoices {
		return nil, nil
	}
	for _, message := range a.messages() {
		var response struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Code    int    `json:"code"`
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(message, &response) != nil {
			continue
		}
		switch {
		case response.Error != nil:
			return nil, a.refusal(response.Error.Message)
		case string(response.ID) == `"`+id+`"` && response.Result != nil:
			return response.Result, nil
		}
	}
	return nil, a.refusal("")
}

// refusal is why there is no result, for the page.
func (a *answer) refusal(message string) error {
	said := strings.TrimRight(message, ". ")
	if said == "" {
		said = fmt.Sprintf("it answered with status %d and without a response", a.status)
	}
	switch {
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		return problemf(http.StatusBadGateway, "The MCP server does not take the credential: %s.", clip(said))
	case strings.HasPrefix(said, "The MCP server"), strings.HasPrefix(said, "The gateway"): // the gateway's own sentence
		return problemf(http.StatusBadGateway, "%s.", clip(said))
	}
	return problemf(http.StatusBadGateway, "The MCP server refused: %s.", clip(said))
}

const maxSentence = 500 // bytes of somebody else's words

func clip(text string) string {
	if len(text) <= maxSentence {
		return text
	}
	return strings.ToValidUTF8(text[:maxSentence], "") + "…"
}

// messages are the JSON-RPC messages of the body: one of JSON, any number of a stream of events.
func (a *answer) messages() [][]byte {
	body := a.body.Bytes()
	mediaType, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || mediaType != "text/event-stream" {
		return [][]byte{body}
	}
	var messages [][]byte
	var data []byte // nil between events
	end := func() {
		if data != nil {
			messages = append(messages, data)
		}
		data = nil
	}
	for line := range bytes.Lines(body) {
		line = bytes.TrimRight(line, "\r\n")
		value, isData := bytes.CutPrefix(line, []byte("data:"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case isData && data == nil:
			data = slices.Clip(value) // what follows is not written over
		case isData:
			data = append(append(data, '\n'), value...)
		case len(line) == 0:
			end()
		}
	}
	end() // what an answer ends with, it does not always close
	return messages
}
