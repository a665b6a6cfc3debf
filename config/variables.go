package config

import (
	"log/slog"
	"net/url"
	"time"
)

// Config is the gateway's whole configuration. The zero value is not usable: take it from Load.
type Config struct {
	Upstream Upstream
	Listen   Listen
	Results  Results
	Widget   Widget
	Access   Access
	Bounds   Bounds
	Log      Log

	// settings holds each variable as it was read, by name, for Variables and for messages.
	settings map[string]setting
}

// Upstream is the TomTom MCP server behind the gateway.
type Upstream struct {
	// The MCP endpoint of the server behind the gateway. The gateway serves the same path on its own address, passes
	// every credential header of a caller on, and adds none of its own.
	URL *url.URL `env:"GATEWAY_UPSTREAM_URL,required" form:"an http or https URL without user, query or fragment, such as http://127.0.0.1:3000/mcp"`

	// A TomTom key that the gateway sends to GATEWAY_UPSTREAM_URL for its one host on standard input (gateway --stdio),
	// which has no headers to bring one in. Hosts that come over HTTP bring their own, and this is not used.
	Key string `env:"GATEWAY_UPSTREAM_KEY" secret:"true" form:"a TomTom API key: printable characters without spaces"`

	// File with the certificates, PEM, of the authorities that may vouch for an https upstream, in place of the system's.
	// It is read at start.
	CA string `env:"GATEWAY_UPSTREAM_CA" form:"the path of a PEM file"`

	// File with the certificate, PEM, its chain behind it, by which the gateway shows an https upstream who it is (mTLS).
	// It is read again when it changes. It says nothing about callers: they bring their own credentials.
	ClientCert string `env:"GATEWAY_UPSTREAM_CERT" form:"the path of a PEM file"`

	// File with the private key, PEM, of GATEWAY_UPSTREAM_CERT.
	ClientKey string `env:"GATEWAY_UPSTREAM_CERT_KEY" form:"the path of a PEM file"`

	// How long a whole answer of the upstream may take. The TomTom server retries a 429 of the TomTom API for about 29 s
	// before it answers, so much less than a minute cuts calls off that would have succeeded.
	Timeout time.Duration `env:"GATEWAY_UPSTREAM_TIMEOUT" envDefault:"120s" form:"a duration above 0, such as 120s"`
}

// Listen is where the gateway accepts connections, and how it stops accepting them.
type Listen struct {
	// Address of the MCP endpoint. Its path is the upstream's; the upstream's other paths (OAuth metadata, /health) pass
	// on the same address. In front of a command it has to be on loopback, is 127.0.0.1:8080 unless set, and its path is
	// /mcp. With --stdio nothing listens here.
	Address string `env:"GATEWAY_LISTEN" envDefault:":8080" form:"an address to listen on, host:port or :port"`

	// Address of /healthz, /readyz, /startupz and /metrics. They need no credential, so this address should not be public. In front of
	// a command it is 127.0.0.1:9090 unless set. With --stdio it is only there where it is set.
	AdminAddress string `env:"GATEWAY_ADMIN_LISTEN" envDefault:":9090" form:"an address to listen on, host:port or :port"`

	// File with the certificate, PEM, its chain behind it, of the MCP endpoint, which then speaks https. It is read again
	// when it changes, without a restart. Unset: http, for behind an ingress that ends TLS. The admin address speaks http
	// in any case.
	Cert string `env:"GATEWAY_TLS_CERT" form:"the path of a PEM file"`

	// File with the private key, PEM, of GATEWAY_TLS_CERT.
	CertKey string `env:"GATEWAY_TLS_KEY" form:"the path of a PEM file"`

	// File with the certificates, PEM, of the authorities that have to vouch for whoever connects to the MCP endpoint
	// (mTLS). It is read again when it changes. Unset: hosts need no certificate.
	HostCA string `env:"GATEWAY_TLS_CLIENT_CA" form:"the path of a PEM file"`

	// How long the gateway keeps accepting requests after SIGTERM while /readyz already says 503. Set it to a few seconds
	// where a load balancer needs that long to stop sending (5s on Kubernetes without a preStop hook).
	DrainDelay time.Duration `env:"GATEWAY_DRAIN_DELAY" envDefault:"0s" form:"a duration, 0s or more"`

	// How long requests in flight may take to end after that. What is left then is cut off. Together with
	// GATEWAY_DRAIN_DELAY it has to stay below the time that the platform waits before it kills (30 s on Kubernetes). With
	// --stdio: how long they may take after standard input has ended, 5s unless set.
	DrainTimeout time.Duration `env:"GATEWAY_DRAIN_TIMEOUT" envDefault:"25s" form:"a duration above 0, such as 25s"`
}

// Results is how large a tool result may be, and what may be done to a route so that its map fits beside the text.
type Results struct {
	// Characters (UTF-16 code units) of a whole serialized tool result: the agent's text, the app data and everything
	// else, pictures apart. Hosts keep larger results away from the widget; Claude does so above about 150,000.
	LimitChars int `env:"GATEWAY_RESULT_LIMIT" envDefault:"120000" form:"a whole number of characters above 0"`

	// Limits of single tools, in place of GATEWAY_RESULT_LIMIT.
	ToolLimitChars map[string]int `env:"GATEWAY_TOOL_LIMITS" form:"tool=characters, comma separated, such as tomtom-routing=110000,tomtom-dynamic-map=90000"`

	// Largest error in metres that a drawn route may have: the distance from any vertex of the original to the drawn
	// line. A route that would need more to fit is not drawn, and the result says too_large.
	MaxErrorM float64 `env:"GATEWAY_MAX_ERROR_M" envDefault:"1000" form:"a number of metres above 0"`

	// Largest errors of single tools, in place of GATEWAY_MAX_ERROR_M.
	ToolMaxErrorM map[string]float64 `env:"GATEWAY_TOOL_MAX_ERRORS_M" form:"tool=metres, comma separated, such as tomtom-routing=250"`

	// What may happen to white space between the tokens of the agent's JSON. keep: nothing. minify: it is removed, which
	// saves model tokens and leaves more room for the map. auto: it is removed only from a result whose app data would
	// not be exact beside the text as the upstream wrote it.
	Text Text `env:"GATEWAY_TEXT" envDefault:"auto" form:"auto, keep or minify"`
}

// Widget is what hosts draw, and for whom.
type Widget struct {
	// Which clients get widgets and app data. auto: every client but those that declare no support for MCP Apps.
	// always: every client. never: none; results then carry the agent's text alone.
	Apps Apps `env:"GATEWAY_APPS" envDefault:"auto" form:"auto, always or never"`

	// A TomTom key, restricted to map display, that widgets get in place of the caller's own when they ask for a key.
	// Without it the upstream answers them.
	MapKey string `env:"GATEWAY_MAP_KEY" secret:"true" form:"a TomTom API key: printable characters without spaces"`

	// Template of the raster tiles below the drawing. {z}, {x} and {y} are required; {key} (the widget's TomTom key),
	// {style} (street-light or street-dark) and {size} (256, or 512 on dense screens) may stand where the server wants
	// them. The template's origin goes into the widget's content security policy, so it holds no placeholder.
	Tiles string `env:"GATEWAY_TILES" envDefault:"https://api.tomtom.com/maps/orbis/display/raster/tile/{z}/{x}/{y}?apiVersion=2&key={key}&style={style}&tileSize={size}" form:"an https URL (http on a loopback host) with {z}, {x} and {y}, and if wanted {key}, {style} and {size}, after the host"`

	// The line of text that the owner of the tiles asks for, shown on the map. Unset: TomTom's with TomTom's tiles, else
	// none.
	TilesAttribution string `env:"GATEWAY_TILES_ATTRIBUTION" form:"a short line of text, such as © OpenStreetMap contributors"`

	// Template of the live traffic incidents that the widget of tomtom-traffic draws, answering as TomTom's Orbis
	// incidents API. Unset: TomTom's path at the origin of GATEWAY_TILES where those tiles take a {key}; where they take
	// none, live traffic is off, so that the key goes to no server that was not meant to have it.
	Incidents string `env:"GATEWAY_INCIDENTS" form:"an https URL (http on a loopback host) with {bbox}, and if wanted {key}, after the host"`
}

// Access is who may call the gateway.
type Access struct {
	// The bearer token that callers have to send, where the upstream is a command that HTTP hosts share: its TomTom key is
	// in its environment, so whoever gets through spends it. Required there, and not used anywhere else.
	Token string `env:"GATEWAY_TOKEN" secret:"true" form:"a long random text: printable characters without spaces"`

	// Browser origins that may call the gateway, besides loopback ones; * allows all. A request whose Origin header names
	// another origin gets 403. Requests without that header, which is what MCP hosts outside a browser send, always pass.
	AllowedOrigins []string `env:"GATEWAY_ALLOWED_ORIGINS" form:"origins, comma separated, such as https://claude.ai,https://chatgpt.com, or *"`

	// Host names under which the gateway may be called, without ports, besides localhost and loopback addresses; * allows
	// all. A request for another name gets 403. Unset: all, unless GATEWAY_LISTEN is a loopback address: then none
	// besides, so that no web page can reach a gateway on its reader's machine by a name of its own.
	AllowedHosts Hosts `env:"GATEWAY_ALLOWED_HOSTS" form:"host names, comma separated, such as maps.example.com,gateway, or *"`
}

// Bounds is what one request, one answer, and all of them together may take.
type Bounds struct {
	// Largest request body. A larger one gets 413.
	MaxRequestBytes int64 `env:"GATEWAY_MAX_REQUEST_BYTES" envDefault:"16777216" form:"a whole number of bytes above 0"`

	// Largest upstream answer that the gateway works on. A larger one passes unaltered, without a map.
	MaxResponseBytes int64 `env:"GATEWAY_MAX_RESPONSE_BYTES" envDefault:"67108864" form:"a whole number of bytes above 0"`

	// Requests, results and app data held at once, over all calls. A call that would need more waits, and then goes out
	// without app data; a large request that finds no room gets 503 before anything is sent to the upstream.
	MaxBufferedBytes int64 `env:"GATEWAY_MAX_BUFFERED_BYTES" envDefault:"268435456" form:"a whole number of bytes above 0"`

	// Requests that are worked on at once, open streams among them. One more gets 503, with Retry-After, before anything is
	// sent to the upstream.
	MaxRequests int `env:"GATEWAY_MAX_REQUESTS" envDefault:"4096" form:"a whole number above 0"`

	// Processes of a command that run at once, one for each session of an HTTP host and one for all requests without a
	// session. The one that was idle for longest makes room for a new one.
	MaxProcesses int `env:"GATEWAY_MAX_PROCESSES" envDefault:"8" form:"a whole number above 0"`
}

// Log is the log on standard error: one line for each call. It never holds keys, arguments, texts or coordinates.
type Log struct {
	// Least severe level that is written.
	Level slog.Level `env:"GATEWAY_LOG_LEVEL" envDefault:"info" form:"debug, info, warn or error"`

	// One of so many lines is written about calls that went well, and about maps that were drawn. Whatever failed, and what
	// lacks its map, is always written. Metrics count all.
	Sample int `env:"GATEWAY_LOG_SAMPLE" envDefault:"1" form:"a whole number above 0"`

	// Form of a line: json, one object a line, or text, key=value pairs for reading in a terminal.
	Format LogFormat `env:"GATEWAY_LOG_FORMAT" envDefault:"json" form:"json or text"`
}

// Hosts are host names, in lower case.
type Hosts []string

// Apps says which clients get widgets.
type Apps string

// The values of GATEWAY_APPS.
const (
	AppsAuto   Apps = "auto"
	AppsAlways Apps = "always"
	AppsNever  Apps = "never"
)

// Text says what may happen to white space in the agent's JSON.
type Text string

// The values of GATEWAY_TEXT.
const (
	TextAuto   Text = "auto"
	TextKeep   Text = "keep"
	TextMinify Text = "minify"
)

// LogFormat is the form of a log line.
type LogFormat string

// The values of GATEWAY_LOG_FORMAT.
const (
	LogJSON LogFormat = "json"
	LogText LogFormat = "text"
)
