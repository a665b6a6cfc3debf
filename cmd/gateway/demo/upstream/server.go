package upstream

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// Version is what the server says it is in initialize and /health.
const Version = "1.6.5"

// IdleTimeout is how long the real server keeps an idle connection; give it to the http.Server that serves this handler.
const IdleTimeout = 5 * time.Second

// maxBodyBytes is what the real server's body parser takes.
const maxBodyBytes = 100 << 10

// Options selects which of TomTom's servers is played, and how. The zero value is the current one.
type Options struct {
	// Seed picks the synthetic world: the same seed and arguments give the same documents.
	Seed uint64
	// Genesis answers every request as the older back end does, also without its header: REST JSON, no handles.
	Genesis bool
	// Untrimmed answers as servers before 1.2 did: the untrimmed document as text, no handle and no `_meta`.
	Untrimmed bool
	// Newer answers as later servers do: `dataset_id`, `response_detail: "geometry"`, no image beside a dynamic map.
	Newer bool
	// RushHour puts a traffic section on about every twenty kilometres of a route, which makes compact text very long.
	RushHour bool
	// Guidance adds turn-by-turn instructions to routes.
	Guidance bool
	// Now is the clock of the cache of app data; nil is time.Now.
	Now func() time.Time
	// Latency is how long a call of a TomTom tool takes at least, as the real API's round trip does.
	Latency time.Duration
}

// Server is the demonstration's upstream, a handler of POST /mcp, GET /health and the OAuth metadata, and of what a
// widget loads from TomTom's services. Safe for concurrent use.
type Server struct {
	opts    Options
	tools   []tool
	genesis []tool
	memo    memo
	cache   cache
	tiles   tiles
	mu      sync.Mutex
	calls   map[string]int
}

// New returns a server with an empty cache.
func New(opts Options) *Server {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Server{opts: opts, calls: map[string]int{}}
	s.cache.now = opts.Now
	s.tools = orbisTools(opts)
	s.genesis = genesisTools()
	return s
}

// Calls is how often a tool was called, by any client and with any outcome.
func (s *Server) Calls(tool string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[tool]
}

func (s *Server) count(tool string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[tool]++
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Powered-By", "Express")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Connection", "keep-alive")
	switch {
	case r.Method == http.MethodOptions:
		preflight(w)
	case r.URL.Path == "/health" && r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, render(object{{"status", "ok"}, {"mode", "http"}, {"version", Version}}))
	case strings.HasPrefix(r.URL.Path, resourceMetadataPath) && r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, render(resourceMetadata(r)))
	case r.URL.Path == "/mcp" && r.Method == http.MethodPost:
		s.post(w, r)
	case r.URL.Path == "/mcp" && r.Method == http.MethodGet:
		writeJSON(w, http.StatusMethodNotAllowed, rpcError(nil, -32000, "Method not allowed."))
	case r.URL.Path == incidentsPath && r.Method == http.MethodGet:
		s.serveIncidents(w, r)
	case r.Method == http.MethodGet && s.serveTile(w, r):
	default:
		writeHTML(w, http.StatusNotFound, "Cannot "+r.Method+" "+r.URL.Path)
	}
}

// preflight is the real server's CORS answer: any origin, but not the headers of later protocol versions.
func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET,POST,OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Accept, Authorization, tomtom-api-key, tomtom-maps-backend, mcp-protocol-version")
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusNoContent)
}

const resourceMetadataPath = "/.well-known/oauth-protected-resource"

func resourceMetadata(r *http.Request) object {
	origin := "http://" + r.Host
	return object{
		{"resource", origin + "/mcp"},
		{"authorization_servers", list{"https://identity.tomtom.invalid"}},
		{"bearer_methods_supported", list{"header"}},
		{"resource_name", "TomTom Maps MCP Server"},
	}
}

// credential returns the caller's key and the name of the way it came; an empty name without one.
func credential(r *http.Request) (key, method string) {
	if key = strings.TrimSpace(r.Header.Get("Tomtom-Api-Key")); key != "" {
		return key, "tomtom-api-key"
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); strings.EqualFold(scheme, "Bearer") && token != "" {
		return token, "bearer"
	}
	return "", ""
}
