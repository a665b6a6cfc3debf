package proxy

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
)

const headerSession = "Mcp-Session-Id"

// A session id of the gateway's own describes itself, so that any replica reads what the host declared in its
// initialize without keeping anything:
//
//	tmg1.<crc32>.<apps><asks>.<nonce>.<name>.<version>.<protocol>.<the upstream's own id, or nothing>
//
// It has no signature: it repeats what the client claimed of itself and grants nothing. The checksum is there for
// ids that were cut short or mangled on the way, which then count as foreign.
const (
	sessionPrefix     = "tmg1."
	sessionCheckChars = 8
	maxSessionChars   = 1024
	maxUpstreamChars  = 512 // of the upstream's own id; a longer one is left as it is
	maxClaimBytes     = 64  // of a name or version; longer ones are cut
)

// sessionClaims is what a session id of the gateway's own carries.
type sessionClaims struct {
	apps                    claim
	asks                    string // what the client can be asked for; see asksOf
	nonce                   string // makes each id unlike the others; base64url alphabet
	name, version, protocol string // as the client called itself in initialize
	upstream                string // the upstream's own session id; "" when it gave none
}

// claim is what a client says of its support for MCP Apps.
type claim byte

const (
	claimUnknown claim = 'u' // says nothing
	claimWith    claim = 'y' // draws widgets
	claimWithout claim = 'n' // says what it can do, and drawing widgets is not among it
)

// claimText is the encoding of the claims' texts: no dots, no padding, one spelling only.
var claimText = base64.RawURLEncoding.Strict()

// newNonce returns 16 random bytes in the alphabet of session ids.
func newNonce() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand
	return claimText.EncodeToString(random[:])
}

// encodeSession returns the session id that carries c: at most maxSessionChars visible ASCII characters. Texts are
// cut to maxClaimBytes. ok is false when the upstream's own id cannot be carried.
func encodeSession(c sessionClaims) (id string, ok bool) {
	if len(c.upstream) > maxUpstreamChars || !isVisibleASCII(c.upstream) {
		return "", false
	}
	fields := []string{string(rune(c.apps)) + c.asks, c.nonce, claimField(c.name), claimField(c.version), claimField(c.protocol), c.upstream}
	body := strings.Join(fields, ".")
	return fmt.Sprintf("%s%08x.%s", sessionPrefix, crc32.ChecksumIEEE([]byte(body)), body), true
}

func claimField(text string) string {
	return claimText.EncodeToString([]byte(text[:min(len(text), maxClaimBytes)]))
}

// decodeSession reads a session id that encodeSession made, here or on another replica. ok is false for any other.
func decodeSession(id string) (c sessionClaims, ok bool) {
	rest, ours := strings.CutPrefix(id, sessionPrefix)
	if !ours || len(id) > maxSessionChars || len(rest) <= sessionCheckChars {
		return sessionClaims{}, false
	}
	check, body := rest[:sessionCheckChars], rest[sessionCheckChars+1:]
	if rest[sessionCheckChars] != '.' || fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))) != check {
		return sessionClaims{}, false
	}
	fields := strings.SplitN(body, ".", 6)
	if len(fields) != 6 || fields[0] == "" || !isAsks(fields[0][1:]) || !isVisibleASCII(body) {
		return sessionClaims{}, false
	}
	c = sessionClaims{apps: claim(fields[0][0]), asks: fields[0][1:], nonce: fields[1], upstream: fields[5]}
	for i, text := range []*string{&c.name, &c.version, &c.protocol} {
		decoded, err := claimText.DecodeString(fields[2+i])
		if err != nil || len(decoded) > maxClaimBytes {
			return sessionClaims{}, false
		}
		*text = string(decoded)
	}
	if c.apps != claimUnknown && c.apps != claimWith && c.apps != claimWithout || len(c.upstream) > maxUpstreamChars {
		return sessionClaims{}, false
	}
	return c, true
}

// isVisibleASCII reports whether s is made of the characters that a session id may have (MCP: 0x21 to 0x7E).
func isVisibleASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x21 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// session is the session that a request of a host belongs to. The zero value: none, or one that is not ours.
type session struct {
	id     string
	claims sessionClaims
	ours   bool
}

// sessionOf reads a host's request headers.
func sessionOf(h http.Header) session {
	id := h.Get(headerSession)
	claims, ours := decodeSession(id)
	return session{id: id, claims: claims, ours: ours}
}

// toUpstream puts into h, the headers of a request to the upstream, the id that the upstream gave itself, or none
// when it gave none. An id that is not ours stays as it is.
func (s session) toUpstream(h http.Header) {
	switch {
	case !s.ours:
	case s.claims.upstream == "":
		h.Del(headerSession)
	default:
		h.Set(headerSession, s.claims.upstream)
	}
}

// toHost puts into h, the headers of an answer to the host, the id by which the host knows the session, where the
// upstream repeats or changes its own: some clients take up whatever id an answer carries.
func (s session) toHost(h http.Header) {
	upstream := h.Get(headerSession)
	switch {
	case !s.ours || upstream == "":
	case upstream == s.claims.upstream:
		h.Set(headerSession, s.id)
	default:
		mint(h, s.claims)
	}
}

// isDescription reports whether the session is nothing but what its id says, so that the gateway answers its DELETE: the
// upstream behind it knows of no session.
func (s session) isDescription() bool { return s.ours && s.claims.upstream == "" }

// opensSession reports what a client claims of itself in m. ok is false unless m is an initialize that declares
// capabilities: only then is there something to carry, and the answer gets a session id by mint.
func opensSession(m message) (claims sessionClaims, ok bool) {
	if m.method != methodInitialize || !m.isRequest() {
		return sessionClaims{}, false
	}
	claims = initializeClaims(m)
	return claims, claims.apps != claimUnknown
}

// mint puts a new session id with the claims into h, the headers of a successful answer to the host, around the
// upstream's own id where h has one. An upstream's id that cannot be carried stays as it is.
func mint(h http.Header, claims sessionClaims) {
	claims.nonce = newNonce()
	claims.upstream = h.Get(headerSession)
	if id, ok := encodeSession(claims); ok {
		h.Set(headerSession, id)
	}
}
