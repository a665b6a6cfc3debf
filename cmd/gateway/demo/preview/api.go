package preview

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"

	"tomtom-mcp-gateway/fitter/jsonspan"
)

// maxBodyBytes bounds a request of the page: arguments are small, a person types them.
const maxBodyBytes = 4 << 20

// problem is an error that the page shows: a sentence and the status that fits it.
type problem struct {
	status   int
	sentence string
}

func (e problem) Error() string { return e.sentence }

// problemf makes a problem.
func problemf(status int, format string, a ...any) error {
	return problem{status, fmt.Sprintf(format, a...)}
}

// pageRoutes are the page's files and the API behind them.
func (p *Preview) pageRoutes(files fs.FS) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(files))
	mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, problem{http.StatusNotFound, "There is no such part of the API."})
	})
	for _, route := range []struct {
		method, path string
		handle       func(*http.Request) (reply, error)
	}{
		{http.MethodGet, "/api/session", p.getSession},
		{http.MethodPost, "/api/calls", p.postCall},
		{http.MethodGet, "/api/calls", p.getCalls},
		{http.MethodGet, "/api/calls/{id}/fit", p.getFit},
		{http.MethodGet, "/api/resource", p.getResource},
		{http.MethodPost, "/api/widget-calls", p.postWidgetCall},
		{http.MethodGet, "/api/log", p.getLog},
	} {
		mux.HandleFunc(route.method+" "+route.path, p.answer(route.handle))
	}
	return mux
}

// reply is a JSON object: the members of a struct, and raw ones, which stay as they are, byte for byte.
type reply struct {
	members any // marshals to an object; nil for none
	raw     []rawMember
}

// rawMember is a member whose value is written as it came.
type rawMember struct {
	name  string
	value []byte // JSON
}

// answer makes a handler of what gives a reply or an error.
func (p *Preview) answer(handle func(*http.Request) (reply, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
		answer, err := handle(r)
		if err == nil {
			var body []byte
			if body, err = answer.encode(); err == nil {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(body) // a page that has gone needs no answer
				return
			}
		}
		if r.Context().Err() == nil { // else nobody reads it
			writeProblem(w, p.problemOf(r.Context(), err))
		}
	}
}

// problemOf is what the page is told of err.
func (p *Preview) problemOf(ctx context.Context, err error) problem {
	if known, ok := errors.AsType[problem](err); ok {
		return known
	}
	tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case isTooLarge:
		return problem{http.StatusRequestEntityTooLarge, fmt.Sprintf("The request has more than %d bytes.", tooLarge.Limit)}
	case errors.Is(err, errBusy):
		return problem{http.StatusServiceUnavailable, "Too much is going on at once: try again in a moment."}
	case errors.Is(err, errSlow):
		return problem{http.StatusGatewayTimeout, "The MCP server has not answered in time. A tool that is still running runs to its end."}
	case errors.Is(err, errClosed):
		return problem{http.StatusServiceUnavailable, "The preview is ending."}
	}
	p.options.Gateway.Logger.ErrorContext(ctx, "preview request failed", slog.Any("err", err))
	return problem{http.StatusInternalServerError, "Something went wrong; the log says what."}
}

func writeProblem(w http.ResponseWriter, e problem) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_, _ = w.Write(append(jsonspan.AppendQuoted([]byte(`{"error":`), []byte(e.sentence)), '}'))
}

// encode writes the reply.
func (a reply) encode() ([]byte, error) {
	body := []byte("{}")
	if a.members != nil {
		var err error
		if body, err = json.Marshal(a.members); err != nil {
			return nil, fmt.Errorf("write the answer: %w", err)
		}
	}
	for _, m := range a.raw {
		body = body[:len(body)-1]
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = append(jsonspan.AppendQuoted(body, []byte(m.name)), ':')
		body = append(append(body, m.value...), '}')
	}
	return body, nil
}

// readBody decodes a request of the page.
func readBody(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		if _, err = decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("more than one JSON value")
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return err
	}
	return problemf(http.StatusBadRequest, "The request cannot be read: %s.", jsonReason(err))
}

// jsonReason is what is wrong with a JSON text, without the names that its parts have in a program.
func jsonReason(err error) string {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("a wrong value stands at %s: %s", clip(cmp.Or(mismatch.Field, "the top")), clip(mismatch.Value))
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
