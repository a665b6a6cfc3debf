package preview

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"mime"
	"net/http"
	"strings"
)

// headerToken is the header that carries the token of the printed URL. A page of another origin cannot send it: a header
// that is not safelisted needs a preflight, which nothing here grants.
const headerToken = "Preview-Token"

// newSecret returns 128 random bits, as hex digits.
func newSecret() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand
	return hex.EncodeToString(random[:])
}

// guardPage lets requests through that come from the page, or open it.
func (p *Preview) guardPage(next http.Handler) http.Handler {
	policy := strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
		"frame-src " + p.options.SandboxOrigin, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		commonHeaders(h)
		h.Set("Content-Security-Policy", policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		switch {
		case !isHost(r, p.options.PageOrigin):
			writeProblem(w, problem{http.StatusForbidden, "This is served as " + p.options.PageOrigin + " alone: open the address that was printed."})
		case !strings.HasPrefix(r.URL.Path, "/api/"):
			next.ServeHTTP(w, r)
		case isForeign(r, p.options.PageOrigin):
			writeProblem(w, problem{http.StatusForbidden, "Only the page itself may ask for this."})
		case !p.hasToken(r):
			writeProblem(w, problem{http.StatusUnauthorized, "The token is missing or wrong: open the address that was printed, with its token."})
		case r.Method == http.MethodPost && !isJSON(r):
			writeProblem(w, problem{http.StatusUnsupportedMediaType, "The body has to be application/json."})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// guardSandbox lets requests through that put a frame into the page.
func (p *Preview) guardSandbox(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		commonHeaders(w.Header())
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		switch {
		case !isHost(r, p.options.SandboxOrigin):
			writeProblem(w, problem{http.StatusForbidden, "This is served as " + p.options.SandboxOrigin + " alone."})
		case r.Header.Get("Origin") != "": // a navigation of a frame has none; a widget that asks for this has null
			writeProblem(w, problem{http.StatusForbidden, "This is for a frame of the page alone."})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func commonHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=()")
}

// isHost reports whether the request names the origin's host. Another name that leads here was made to: by DNS
// rebinding a foreign page would have this for its own origin.
func isHost(r *http.Request, origin string) bool {
	return strings.EqualFold(r.Host, strings.TrimPrefix(origin, "http://"))
}

// isForeign reports whether a browser says that another origin's page made the request.
func isForeign(r *http.Request, origin string) bool {
	for _, from := range r.Header["Origin"] {
		if from != origin {
			return true
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return true
}

func (p *Preview) hasToken(r *http.Request) bool {
	return subtle.ConstantTimeCompare([]byte(r.Header.Get(headerToken)), []byte(p.token)) == 1
}

func isJSON(r *http.Request) bool {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && mediaType == "application/json"
}
