package upstream

import (
	"crypto/sha1" //nolint:gosec // Express's entity tags are SHA-1
	"encoding/base64"
	"html"
	"net/http"
	"strconv"
)

// writeJSON answers as Express's res.json does, with its weak entity tag.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	sum := sha1.Sum(body) //nolint:gosec // see above
	tag := base64.StdEncoding.EncodeToString(sum[:])[:27]
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("ETag", `W/"`+strconv.FormatInt(int64(len(body)), 16)+"-"+tag+`"`)
	writeBody(w, status, body)
}

// writeTransportJSON answers as the MCP SDK's transport does when it refuses a request.
func writeTransportJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	writeBody(w, status, body)
}

// writeHTML answers as Express's final handler does in production.
func writeHTML(w http.ResponseWriter, status int, message string) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", "text/html; charset=utf-8")
	writeBody(w, status, []byte("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Error</title>\n</head>\n"+
		"<body>\n<pre>"+html.EscapeString(message)+"</pre>\n</body>\n</html>\n"))
}

func writeBody(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Keep-Alive", "timeout=5")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away is no concern of a demonstration
}
