package preview

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview/page"
	"tomtom-mcp-gateway/policy"
	"tomtom-mcp-gateway/proxy"
)

// Options is what a Preview needs to know. The zero value of a time, size or number means its default.
type Options struct {
	// Gateway is the gateway that the page is a host of. Its Logger gets the log of calls. What guards its door is not used,
	// and neither are its Metrics: previewing does not count as traffic.
	Gateway proxy.Options
	// UpstreamName and UpstreamURL tell people what is behind the gateway. The URL is "" for a command.
	UpstreamName, UpstreamURL string
	// Credential is the TomTom key that calls are made with; "" where the upstream has its own. It never reaches the page
	// or a widget.
	Credential string
	// PageOrigin and SandboxOrigin are the two origins as a browser has them, such as http://127.0.0.1:8090. They have
	// to differ.
	PageOrigin, SandboxOrigin string

	WidgetCallTimeout time.Duration // for a tool call of a widget; 0: 30 s
	MaxCalls          int           // kept in the history; 0: 50
	MaxHistoryBytes   int64         // of kept answers, over all calls; 0: 256 MiB
	MaxAtOnce         int           // calls that run at a time; 0: 4

	pollPatience time.Duration // of a request for log lines; 0: 20 s
}

func (o Options) withDefaults() (Options, error) {
	for _, origin := range []string{o.PageOrigin, o.SandboxOrigin} {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" || u.Host == "" || u.Path != "" {
			return o, fmt.Errorf("origin %q: want http://host:port", origin)
		}
	}
	if o.PageOrigin == o.SandboxOrigin {
		return o, errors.New("the page and the sandbox have one origin: a widget could read the page")
	}
	setDefault(&o.WidgetCallTimeout, 30*time.Second)
	setDefault(&o.MaxCalls, 50)
	setDefault(&o.MaxHistoryBytes, 256<<20)
	setDefault(&o.MaxAtOnce, 4)
	setDefault(&o.pollPatience, pollPatience)
	setDefault(&o.Gateway.LimitChars, 120_000)
	setDefault(&o.Gateway.MaxRequestBytes, 16<<20)
	setDefault(&o.Gateway.MaxResponseBytes, 64<<20)
	if o.Gateway.Logger == nil {
		o.Gateway.Logger = slog.Default()
	}
	// The page's own doors are in front of this gateway, and its page shows every line.
	o.Gateway.Token, o.Gateway.AllowedHosts, o.Gateway.LogSample = "", nil, 1
	o.Gateway.Metrics = nil
	return o, nil
}

func setDefault[T comparable](value *T, fallback T) {
	var zero T
	if *value == zero {
		*value = fallback
	}
}

// Preview is the page's and the sandbox's server. It is safe for concurrent use.
type Preview struct {
	options  Options
	token    string
	document []byte // the outer frame of a widget
	host     *host
	history  *history
	views    *views
	log      *logBook
	calls    turns // tool calls that run
	fits     turns // answers that are being composed
	polls    turns // requests that wait for log lines

	page, sandbox http.Handler
}

// New builds a Preview with a token of its own. Close it when its servers have been shut down.
func New(options Options) (*Preview, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("preview options: %w", err)
	}
	files, err := page.Files()
	if err != nil {
		return nil, err
	}
	document, err := page.Sandbox(options.PageOrigin)
	if err != nil {
		return nil, err
	}
	p := &Preview{
		options: options, token: newSecret(), document: document,
		history: newHistory(options.MaxCalls, options.MaxHistoryBytes), views: newViews(),
		log: newLogBook(), calls: newTurns(options.MaxAtOnce), fits: newTurns(maxFitsAtOnce), polls: newTurns(maxPolls),
	}
	if p.host, err = newHost(options, p.log); err != nil {
		return nil, err
	}
	p.page = proxy.Strict(p.guardPage(p.pageRoutes(files)), nil)
	p.sandbox = proxy.Strict(p.guardSandbox(p.sandboxRoutes()), nil)
	return p, nil
}

// Page is the handler of the page's origin.
func (p *Preview) Page() http.Handler { return p.page }

// Sandbox is the handler of the sandbox's origin.
func (p *Preview) Sandbox() http.Handler { return p.sandbox }

// URL is what a person opens. It holds the token.
func (p *Preview) URL() string { return p.options.PageOrigin + "/?token=" + p.token }

// Quit ends what waits for something to happen, so that servers can shut down.
func (p *Preview) Quit() { p.log.close() }

// Close ends what is still on its way to the upstream and waits until it has ended.
func (p *Preview) Close(ctx context.Context) {
	p.Quit()
	p.host.close(ctx)
}

// limitFor is the limit of a result of a tool as the gateway is configured, in characters.
func (p *Preview) limitFor(tool string) int {
	if limit, set := p.options.Gateway.ToolLimitChars[tool]; set {
		return limit
	}
	if known, ok := policy.For(tool); ok && known.LimitChars > 0 {
		return known.LimitChars
	}
	return p.options.Gateway.LimitChars
}
