package proxy

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// AppsMode says which clients get widgets and app data.
type AppsMode string

// The modes of [Options.Apps].
const (
	AppsAuto   AppsMode = "auto"   // as the client declares; a client that declares nothing gets them
	AppsAlways AppsMode = "always" // every client
	AppsNever  AppsMode = "never"  // no client
)

// TextMode says what happens to the white space between the tokens of a text JSON.
type TextMode string

// The modes of [Options.Text].
const (
	TextKeep   TextMode = "keep"   // stays as the upstream wrote it
	TextMinify TextMode = "minify" // is removed
	TextAuto   TextMode = "auto"   // is removed from a result whose app data would not be exact beside it
)

// Resource is the widget document that the gateway serves.
type Resource struct {
	URI, Name, Description, MIMEType string
	HTML                             []byte
	ConnectDomains, ResourceDomains  []string // the document's CSP
}

// Options is everything that a Gateway needs to know. The zero value of a limit, size or duration means its default.
type Options struct {
	Upstream *url.URL // the upstream's MCP endpoint; its path is the gateway's, too
	// Transport brings requests to the upstream in place of TCP connections to Upstream, which then only gives the path.
	// All requests of one session have to reach one process, and none may be sent twice. nil: TCP.
	Transport http.RoundTripper
	// OwnCredential says that the upstream has a credential of its own, so that callers of the gateway's own tools need
	// to bring none.
	OwnCredential  bool
	Token          string // bearer token that every caller has to send; "": none
	Widget         Resource
	Apps           AppsMode // "": AppsAuto
	AllowedOrigins []string // browser origins besides loopback; "*" for all
	AllowedHosts   []string // names in the Host header besides this machine's; none, or "*": any
	MapKey         string   // TomTom key for map display; "": widgets get the caller's

	LimitChars     int                // of a whole result, in UTF-16 code units; 0: 120,000
	ToolLimitChars map[string]int     // overrides LimitChars and the policy's limit
	MaxErrorM      float64            // largest tolerated error in metres; 0: the policy's
	ToolMaxErrorM  map[string]float64 // overrides MaxErrorM
	Text           TextMode           // "": TextAuto

	MaxRequestBytes  int64 // 0: 16 MiB
	MaxResponseBytes int64 // of one owned answer; 0: 64 MiB
	MaxBufferedBytes int64 // of results and app data over all calls; 0: 256 MiB

	MaxRequests int // that are worked on at once, streams included; 0: 4,096

	UpstreamTimeout time.Duration // for a whole upstream answer; 0: 120 s
	UpstreamTLS     *tls.Config   // trust in the upstream, and the gateway's own certificate; nil: the system's, and none

	// RecentResults is of how many results the app data stays in memory under an unguessable app_data_ref in the text
	// JSON, for widgets whose host drops a result's _meta. 0: none, as it has to be where callers are not one person.
	RecentResults int

	Logger    *slog.Logger // nil: slog.Default
	LogSample int          // one of so many lines is written about calls and reports that went well; 0: 1

	Metrics prometheus.Registerer // nil: nothing is registered
	Tracer  trace.Tracer          // nil: no spans are made, and trace contexts pass as they are
	Version string
}

// withDefaults returns o with every default filled in, or an error that names what cannot work.
func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Upstream == nil:
		return o, errors.New("no upstream")
	case o.Upstream.Scheme != "http" && o.Upstream.Scheme != "https":
		return o, fmt.Errorf("upstream scheme %q: want http or https", o.Upstream.Scheme)
	case o.Upstream.Host == "":
		return o, errors.New("the upstream has no host")
	}
	setDefault(&o.Apps, AppsAuto)
	setDefault(&o.Text, TextAuto)
	setDefault(&o.LimitChars, 120_000)
	setDefault(&o.MaxRequestBytes, 16<<20)
	setDefault(&o.MaxResponseBytes, 64<<20)
	setDefault(&o.MaxBufferedBytes, 256<<20)
	setDefault(&o.MaxRequests, 4096)
	setDefault(&o.UpstreamTimeout, 120*time.Second)
	setDefault(&o.LogSample, 1)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o, nil
}

func setDefault[T comparable](value *T, fallback T) {
	var zero T
	if *value == zero {
		*value = fallback
	}
}
