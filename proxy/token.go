package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// requireToken lets only requests through that carry the bearer token: behind them is an upstream that spends a
// credential of its own. Preflights carry none, and are answered before. "" lets everything through.
func requireToken(next http.Handler, token string) http.Handler {
	if token == "" {
		return next
	}
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		// Hashes are of one length, so that not even that of the token is told by the time this takes.
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 || !strings.EqualFold(scheme, "Bearer") {
			w.Header().Set("WWW-Authenticate", `Bearer realm="tomtom-mcp-gateway"`)
			writeError(w, http.StatusUnauthorized, &rpcError{
				code: codeUnauthenticated, message: "Authentication required: send the gateway's token as a Bearer token",
			})
			return
		}
		next.ServeHTTP(w, r)
	})
}
