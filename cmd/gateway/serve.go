package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"tomtom-mcp-gateway/config"
	"tomtom-mcp-gateway/proxy"
	"tomtom-mcp-gateway/widgets"
)

// serveEnvironment is the command without a name: it serves what the environment describes until ctx is done.
func serveEnvironment(ctx context.Context, inv invocation) error {
	c, warnings, err := config.Load(inv.environ, checks())
	if err != nil {
		return err
	}
	log := newLogger(inv.err, c.Log)
	adoptLibraryLog(log)
	boundMemory(log)
	warn(log, append(warnings, memoryDoubts(c.Bounds, memoryLimit())...))
	mcp, err := listen(ctx, c.Listen.Address, "GATEWAY_LISTEN")
	if err != nil {
		return err
	}
	admin, err := listen(ctx, c.Listen.AdminAddress, "GATEWAY_ADMIN_LISTEN")
	if err != nil {
		_ = mcp.Close()
		return err
	}
	return serve(ctx, c, log, overHTTP(c), mcp, admin)
}

// behind is the upstream end of a gateway.
type behind struct {
	name      string            // for the log
	url       *url.URL          // its MCP endpoint; of a command only the path counts
	transport http.RoundTripper // nil: TCP
	ready     func(context.Context) error
	token     string // bearer token that it wants of callers; "": none
}

// overHTTP is the upstream that the environment names.
func overHTTP(c config.Config) behind {
	return behind{name: c.Upstream.URL.Redacted(), url: c.Upstream.URL, ready: dialled(c.Upstream.URL)}
}

func warn(log *slog.Logger, warnings []config.Warning) {
	for _, w := range warnings {
		log.Warn("doubtful configuration", slog.String("variable", w.Variable), slog.String("reason", w.Text))
	}
}

// serve runs a gateway on two listeners, which it closes, until ctx is done and the requests in flight have ended.
func serve(ctx context.Context, c config.Config, log *slog.Logger, up behind, mcp, admin net.Listener) error {
	err := serveOn(ctx, c, log, up, mcp, admin)
	_, _ = mcp.Close(), admin.Close() // where it did not come to serving
	return err
}

func serveOn(ctx context.Context, c config.Config, log *slog.Logger, up behind, mcp, admin net.Listener) error {
	registry := newRegistry()
	options, err := proxyOptions(c, log, registry, up)
	if err != nil {
		return err
	}
	options.AllowedHosts = allowedHosts(c.Access.AllowedHosts, mcp.Addr())
	secure, err := hostTLS(c.Listen, log)
	if err != nil {
		return err
	}
	gateway, end, err := newGateway(ctx, &options, log)
	if err != nil {
		return err
	}
	defer end()
	ready := newReadiness(up.ready)
	registry.MustRegister(ready.gauge(ctx))
	asked := proxy.Strict(adminHandler(ready, registry), allowedHosts(nil, admin.Addr()))
	site := newSite(c.Listen, log, ready, gateway, asked)
	site.mcp.RegisterOnShutdown(gateway.EndStreams)
	announce(log, c, up, options, mcp.Addr().String(), admin.Addr().String())
	mcp = gateway.Counted(mcp)
	if secure != nil {
		mcp = tls.NewListener(mcp, secure)
	}
	return site.run(ctx, mcp, admin)
}

// newGateway returns the gateway of options, to which it adds the traces that the environment asks for. end ends both.
func newGateway(ctx context.Context, options *proxy.Options, log *slog.Logger) (gateway *proxy.Gateway, end func(), err error) {
	tracer, stopTracing, err := startTracing(ctx, log)
	if err != nil {
		return nil, nil, err
	}
	options.Tracer = tracer
	if gateway, err = proxy.New(*options); err != nil {
		stopTracing()
		return nil, nil, err
	}
	return gateway, func() {
		gateway.Close()
		stopTracing()
	}, nil
}

// allowedHosts are the names under which an address may be called: those that the environment names, else any, but on
// loopback only loopback's own. A web page whose name leads there (DNS rebinding) sends that name.
func allowedHosts(named config.Hosts, address net.Addr) []string {
	if len(named) > 0 {
		return named
	}
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		return []string{"localhost"}
	}
	return nil
}

// announce logs what the gateway will do, once, without anything secret.
func announce(log *slog.Logger, c config.Config, up behind, o proxy.Options, mcp, admin string) {
	log.Info("serving",
		slog.String("version", buildVersion()),
		slog.String("listen", mcp),
		slog.String("admin", admin),
		slog.String("upstream", up.name),
		slog.String("apps", string(c.Widget.Apps)),
		slog.String("text", string(c.Results.Text)),
		slog.Int("limit_chars", c.Results.LimitChars),
		slog.Any("tool_limits", c.Results.ToolLimitChars),
		slog.Float64("max_error_m", c.Results.MaxErrorM),
		slog.Any("tool_max_errors_m", c.Results.ToolMaxErrorM),
		slog.Any("origins", c.Access.AllowedOrigins),
		slog.Any("hosts", o.AllowedHosts),
		slog.Bool("tls", c.Listen.Cert != ""),
		slog.Bool("traces", o.Tracer != nil),
		slog.Bool("map_key", c.Widget.MapKey != ""),
		slog.String("widget", o.Widget.URI),
		slog.Any("widget_loads_from", o.Widget.ResourceDomains),
		slog.Int("processors", runtime.GOMAXPROCS(0)),
		slog.Int64("memory_limit_bytes", memoryLimit()),
	)
}

func newLogger(w io.Writer, c config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.Format == config.LogText {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "gateway_build_info",
		Help:        "1, labelled with the version that is running.",
		ConstLabels: prometheus.Labels{"version": buildVersion(), "go": runtime.Version()},
	})
	info.Set(1)
	registry.MustRegister(info, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// proxyOptions turns the configuration into what the proxy needs to know.
func proxyOptions(c config.Config, log *slog.Logger, metrics prometheus.Registerer, up behind) (proxy.Options, error) {
	widget, err := widgets.New(widgets.Config{
		Tiles:       c.Widget.Tiles,
		Attribution: c.Widget.TilesAttribution,
		Incidents:   c.Widget.Incidents,
	})
	if err != nil {
		return proxy.Options{}, fmt.Errorf("widget: %w", err)
	}
	trust, err := upstreamTLS(c.Upstream, log)
	if err != nil {
		return proxy.Options{}, err
	}
	return proxy.Options{
		Upstream:    up.url,
		UpstreamTLS: trust,
		Transport:   up.transport,
		Widget: proxy.Resource{
			URI:             widget.URI,
			Name:            "TomTom map",
			Description:     "Draws the result of a TomTom tool on a map.",
			MIMEType:        widget.MIMEType,
			HTML:            widget.HTML,
			ConnectDomains:  widget.ConnectDomains,
			ResourceDomains: widget.ResourceDomains,
		},
		Apps:             proxy.AppsMode(c.Widget.Apps),
		AllowedOrigins:   c.Access.AllowedOrigins,
		MapKey:           c.Widget.MapKey,
		Token:            up.token,
		LimitChars:       c.Results.LimitChars,
		ToolLimitChars:   c.Results.ToolLimitChars,
		MaxErrorM:        c.Results.MaxErrorM,
		ToolMaxErrorM:    c.Results.ToolMaxErrorM,
		Text:             proxy.TextMode(c.Results.Text),
		MaxRequestBytes:  c.Bounds.MaxRequestBytes,
		MaxResponseBytes: c.Bounds.MaxResponseBytes,
		MaxBufferedBytes: c.Bounds.MaxBufferedBytes,
		MaxRequests:      c.Bounds.MaxRequests,
		UpstreamTimeout:  c.Upstream.Timeout,
		Logger:           log,
		LogSample:        c.Log.Sample,
		Metrics:          metrics,
		Version:          buildVersion(),
	}, nil
}
