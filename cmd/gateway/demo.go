package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/config"
)

// demoOptions are the flags of gateway demo.
type demoOptions struct {
	listen, admin, upstream string
	given                   func(flagName string) bool // whether a flag stands on the command line
	limitChars              int
	seed                    uint64
	genesis, untrimmed      bool
	upstreamStdio           bool
	pages                   pageFlags
	noPage                  bool
}

func demoCommand() command {
	return command{
		name:    "demo",
		summary: "a page that shows what the gateway does, in front of a made-up TomTom server; no key needed",
		help: `Starts a TomTom-like MCP server with made-up roads, the gateway in front of it, and a page that is an MCP Apps host, all
on loopback. Open the URL that it prints: pick a call, and see what the agent reads, what the widget gets and the map
itself, at any limit. It prints a call to paste, too, and how to look at the map data in its answer. Ends with Ctrl-C.

'gateway preview' shows the same page in front of your own TomTom server.

An address that is taken is replaced by a free one, unless its flag was given. GATEWAY_ variables apply, save the
addresses; the log is text unless GATEWAY_LOG_FORMAT says otherwise.

examples:
  gateway demo
  gateway demo -no-page               # the servers alone
  gateway demo -limit 60000           # a host that takes less
  gateway demo -untrimmed             # in front of a server from before the map cache
  gateway --stdio -- gateway demo -upstream-stdio    # both over stdio, as in a desktop host
  GATEWAY_TEXT=minify gateway demo    # fewer characters for the agent's text, more for the map
`,
		bind: func(flags *flag.FlagSet) func(context.Context, invocation) error {
			var o demoOptions
			flags.StringVar(&o.listen, "listen", "127.0.0.1:8080", "loopback `address` of the gateway's MCP endpoint")
			flags.StringVar(&o.admin, "admin", "127.0.0.1:9090", "loopback `address` of /healthz, /readyz and /metrics")
			flags.StringVar(&o.upstream, "upstream", "127.0.0.1:3000", "loopback `address` of the made-up TomTom server")
			flags.IntVar(&o.limitChars, "limit", 0, "`characters` of a whole result, in place of GATEWAY_RESULT_LIMIT")
			flags.Uint64Var(&o.seed, "seed", 0, "`number` that picks another made-up world")
			flags.BoolVar(&o.genesis, "genesis", false, "answer as the older Genesis backend: no maps, results pass unchanged")
			flags.BoolVar(&o.untrimmed, "untrimmed", false, "answer as a server from before the map cache: the whole response as text")
			flags.BoolVar(&o.upstreamStdio, "upstream-stdio", false, "serve the made-up server alone, over standard input and output; nothing listens")
			flags.BoolVar(&o.noPage, "no-page", false, "serve no page")
			o.pages.bind(flags)
			o.given = o.pages.given
			return o.run
		},
	}
}

// run serves all of it until ctx is done. It prints its addresses once everything listens.
func (o *demoOptions) run(ctx context.Context, inv invocation) error {
	if o.limitChars < 0 || o.limitChars == 0 && o.given("limit") {
		return &usageError{command: "demo", reason: fmt.Sprintf("-limit %d: it has to be above 0", o.limitChars)}
	}
	if o.upstreamStdio {
		return o.serveUpstream(ctx, inv)
	}
	if err := o.check(); err != nil {
		return err
	}
	listeners, err := listenTo(ctx, inv, o.given, o.addresses())
	if err != nil {
		return err
	}
	defer closeAll(listeners)
	mcp, admin, behind := listeners[0], listeners[1], listeners[2]
	c, warnings, err := config.Load(o.environ(inv.environ, mcp, admin, behind), checks())
	if err != nil {
		return err
	}
	log := newLogger(inv.err, c.Log)
	warn(log, warnings)
	server := &http.Server{
		Handler:           upstream.New(o.world()),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       upstream.IdleTimeout,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	defer func() { _ = server.Close() }()
	go func() { _ = server.Serve(behind) }() // ends with Close; the gateway's log tells of calls that found nobody
	welcome := o.welcome(mcp, admin, behind)
	if !o.noPage {
		pages, err := o.openPages(ctx, inv, c, log)
		if err != nil {
			return err
		}
		welcome = pages.invitation() + welcome
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		wait := pages.start(ctx)
		defer wait()
		defer stop()
	}
	if err := write(inv.out, welcome); err != nil {
		return err
	}
	return serve(ctx, c, log, overHTTP(c), mcp, admin)
}

func (o *demoOptions) world() upstream.Options {
	return upstream.Options{Seed: o.seed, Genesis: o.genesis, Untrimmed: o.untrimmed}
}

// serveUpstream is the made-up server as a command, as a host or the gateway runs TomTom's. It takes its key and its map
// service from the variables that TomTom's server has for them.
func (o *demoOptions) serveUpstream(ctx context.Context, inv invocation) error {
	key := "demo"
	world := o.world()
	for _, v := range inv.environ {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "TOMTOM_API_KEY" && value != "":
			key = value
		case name == "MAPS":
			world.Genesis = world.Genesis || value == "tomtom-maps"
		}
	}
	done := make(chan error, 1)
	go func() { done <- upstream.New(world).ServeStdio(ctx, inv.in, inv.out, key) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return nil
	}
}

// openPages makes the page ready, in front of the made-up server.
func (o *demoOptions) openPages(ctx context.Context, inv invocation, c config.Config, log *slog.Logger) (*pages, error) {
	listeners, err := o.pages.listen(ctx, inv)
	if err != nil {
		return nil, err
	}
	up := overHTTP(c)
	return newPages(c, log, pageBehind{behind: up, credential: madeUpCredential(), label: "made-up TomTom server", url: up.name}, listeners)
}

// addresses are those of the gateway, its admin server and the made-up server.
func (o *demoOptions) addresses() []address {
	return []address{{"listen", o.listen}, {"admin", o.admin}, {"upstream", o.upstream}}
}

// check refuses addresses that would open what is for this machine to others.
func (o *demoOptions) check() error {
	for _, a := range o.addresses() {
		if !isLoopbackAddress(a.want) {
			return &usageError{command: "demo", reason: fmt.Sprintf(
				"-%s %s: the demo serves made-up data to anyone who asks, so it listens on loopback only, such as 127.0.0.1:8080",
				a.flag, a.want)}
		}
	}
	if o.noPage {
		return nil
	}
	return o.pages.check("demo")
}

func isLoopbackAddress(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// environ is the caller's environment with the demo's own values before or behind it: later entries win.
func (o *demoOptions) environ(callers []string, mcp, admin, behind net.Listener) []string {
	services := "http://" + behind.Addr().String()
	all := []string{"GATEWAY_LOG_FORMAT=text"}
	// Streets and traffic come from one place: made-up incidents have no business on somebody's real map.
	if !slices.ContainsFunc(callers, func(v string) bool { return strings.HasPrefix(v, "GATEWAY_TILES=") }) {
		all = append(all,
			"GATEWAY_TILES="+services+upstream.TilesTemplate,
			"GATEWAY_TILES_ATTRIBUTION="+upstream.Attribution,
			"GATEWAY_INCIDENTS="+services+upstream.IncidentsTemplate,
		)
	}
	all = append(all, callers...)
	all = append(all,
		"GATEWAY_UPSTREAM_URL=http://"+behind.Addr().String()+"/mcp",
		"GATEWAY_LISTEN="+mcp.Addr().String(),
		"GATEWAY_ADMIN_LISTEN="+admin.Addr().String(),
	)
	if o.limitChars > 0 {
		all = append(all, "GATEWAY_RESULT_LIMIT="+strconv.Itoa(o.limitChars))
	}
	return all
}

// demoCall is Lisbon to Warsaw, about 40,000 vertices: too many for any host as they are.
const demoCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":` +
	`{"locations":[[-9.1393,38.7223],[21.0122,52.2297]],"show_ui":true}}}`

// welcome says what runs where and what to try.
func (o *demoOptions) welcome(mcp, admin, behind net.Listener) string {
	var b strings.Builder
	fmt.Fprintf(&b, "made-up TomTom server  http://%s/mcp\n", behind.Addr())
	fmt.Fprintf(&b, "gateway                http://%s/mcp\n", mcp.Addr())
	fmt.Fprintf(&b, "admin                  http://%s/readyz, /metrics\n\n", admin.Addr())
	fmt.Fprintf(&b, `Ask for a route from Lisbon to Warsaw, as an MCP host does:

  curl -sS http://%s/mcp \
    -H 'Content-Type: application/json' \
    -H 'Accept: application/json, text/event-stream' \
    -H 'tomtom-api-key: demo' \
    -d '%s' \
    > lisbon-warsaw.txt

`, mcp.Addr(), demoCall)
	switch {
	case o.genesis:
		b.WriteString("The older backend has no maps: the answer is the server's, byte for byte.\n")
	default:
		b.WriteString(`How large the answer is, what became of the map data, and the map data itself:

  wc -c lisbon-warsaw.txt
  grep -o -e '"com.tomtom/app-data-status":"[a-z_]*"' -e '"com.tomtom/simplification":{[^}]*}' lisbon-warsaw.txt
  grep -o '"com.tomtom/app-data":"[^"]*' lisbon-warsaw.txt | cut -d '"' -f 4 | base64 -d | gunzip > route.json

route.json is the route as the map draws it: GeoJSON whose sections still point at the right vertices. Fit it tighter (from the
sources, 'go run ./cmd/gateway' stands for 'gateway'):

  gateway fit -limit 40000 -explain route.json

`)
	}
	b.WriteString("Ctrl-C ends all of it.\n\n")
	return b.String()
}
