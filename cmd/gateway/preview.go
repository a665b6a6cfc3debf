package main

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"tomtom-mcp-gateway/config"
	"tomtom-mcp-gateway/proxy/stdio"
)

// previewOptions are the flags of gateway preview.
type previewOptions struct {
	upstream, keyEnv string
	limitChars       int
	pages            pageFlags
}

// serverKeyVariable is where TomTom's server, run as a command, has its key from.
const serverKeyVariable = "TOMTOM_API_KEY"

func previewCommand() command {
	return command{
		name:      "preview",
		arguments: "[-- SERVER [ARG...]]",
		summary:   "the page of 'gateway demo' in front of your own TomTom server",
		help: `Serves a page that is an MCP Apps host, with a gateway inside, in front of your own TomTom MCP server: -upstream URL, or
behind -- the command that starts it. Open the URL that it prints. Nothing but the page listens, on loopback; MCP hosts
connect to a gateway that serves (see 'gateway help').

What you run on the page is a call on your TomTom account: once for each press of the button. Another limit is tried on
the answer that is already there, and costs nothing. All GATEWAY_ variables apply but the addresses, so that the page
shows what a gateway with that environment would do; the log is text unless GATEWAY_LOG_FORMAT says otherwise.

The key comes from an environment variable, TOMTOM_API_KEY unless -key-env names another. Neither the page nor the map
gets to see it. For tiles and live traffic on the map set GATEWAY_MAP_KEY, too: a key restricted to map display.

examples:
  TOMTOM_API_KEY=… gateway preview -upstream http://127.0.0.1:3000/mcp
  MAPS=tomtom-orbis-maps TOMTOM_API_KEY=… gateway preview -- npx -y @tomtom-org/tomtom-mcp@latest
  gateway preview -limit 60000 -upstream https://maps.example.com/mcp    # begin at this limit
`,
		bind: func(flags *flag.FlagSet) func(context.Context, invocation) error {
			var o previewOptions
			flags.StringVar(&o.upstream, "upstream", "", "`URL` of the server's MCP endpoint, in place of GATEWAY_UPSTREAM_URL")
			flags.StringVar(&o.keyEnv, "key-env", serverKeyVariable, "`name` of the environment variable that holds the TomTom key")
			flags.IntVar(&o.limitChars, "limit", 0, "`characters` of a whole result, in place of GATEWAY_RESULT_LIMIT")
			o.pages.bind(flags)
			return o.run
		},
	}
}

func (o *previewOptions) refuse(format string, a ...any) error {
	return &usageError{command: "preview", reason: fmt.Sprintf(format, a...)}
}

// check refuses a command line or an environment that no page can be served with.
func (o *previewOptions) check(inv invocation) error {
	_, fromEnvironment := lookUp(inv.environ, "GATEWAY_UPSTREAM_URL")
	switch {
	case o.limitChars < 0 || o.limitChars == 0 && o.pages.given("limit"):
		return o.refuse("-limit %d: it has to be above 0", o.limitChars)
	case len(inv.args) > 0 && strings.Contains(inv.args[0], "://"):
		return o.refuse("an address stands behind -upstream, as in gateway preview -upstream http://127.0.0.1:3000/mcp")
	case len(inv.args) > 0 && o.upstream != "":
		return o.refuse("either -upstream or a command: one of the two is the server")
	case len(inv.args) == 0 && o.upstream == "" && !fromEnvironment:
		return o.refuse("which server? Name it with -upstream URL, or with -- and the command that starts it; 'gateway demo' needs none")
	}
	return o.pages.check("preview")
}

// isVariableName matches what environment variables are usually called. A key that stands in a name's place does not
// look so, and is not to be repeated on a screen.
var isVariableName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,63}$`).MatchString

// credential is the TomTom key, and an error that says what to do where there is none. A command may have it from
// elsewhere.
func (o *previewOptions) credential(inv invocation) (string, error) {
	name := "that -key-env names"
	if isVariableName(o.keyEnv) {
		name = o.keyEnv
	}
	key, set := lookUp(inv.environ, o.keyEnv)
	switch {
	case !set && len(inv.args) == 0:
		return "", o.refuse("there is no TomTom key: the environment variable %s is not set.\n"+
			"Set it to a key from https://developer.tomtom.com, or name another variable with -key-env. The key itself is never an\n"+
			"argument, since other programs can read those. Without a key there is 'gateway demo'", name)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", o.refuse("the environment variable %s holds no TomTom key: a space, a line end or another character that no key has is in it", name)
	}
	return key, nil
}

// lookUp finds a variable that is set and not empty.
func lookUp(environ []string, name string) (value string, set bool) {
	for _, v := range environ {
		if n, text, _ := strings.Cut(v, "="); n == name {
			value = text // of several the last counts
		}
	}
	return value, value != ""
}

// run serves the page until ctx is done.
func (o *previewOptions) run(ctx context.Context, inv invocation) error {
	if err := o.check(inv); err != nil {
		return err
	}
	key, err := o.credential(inv)
	if err != nil {
		return err
	}
	checks := checks()
	// As in front of a host on standard input there is one person, and nothing of the gateway's own listens.
	checks.Use = config.Use{Stdio: true, Command: len(inv.args) > 0}
	c, warnings, err := config.Load(o.environ(inv.environ), checks)
	if err != nil {
		return err
	}
	stderr := stdio.NewOverflow(inv.err, stderrBound)
	defer stderr.Flush(stderrFlush)
	log := newLogger(stderr, c.Log)
	adoptLibraryLog(log)
	warn(log, warnings)

	ctx, stop := untilHangup(ctx)
	defer stop()
	up := pageBehind{credential: key}
	if len(inv.args) == 0 {
		up.behind = overHTTP(c)
		up.url = up.name
	} else {
		environ := inv.environ
		if key != "" {
			environ = append(append([]string{}, environ...), serverKeyVariable+"="+key)
		}
		run := server{command: inv.args, environ: environ, stderr: stderr, config: c, log: log}
		pool := run.pool(ctx)
		defer pool.Close(context.WithoutCancel(ctx))
		up.behind = run.behind()
		up.transport, up.ownCredential = pool, true
	}
	listeners, err := o.pages.listen(ctx, inv)
	if err != nil {
		return err
	}
	pages, err := newPages(c, log, up, listeners)
	if err != nil {
		return err
	}
	if err := write(inv.out, pages.invitation()+o.welcome(up)); err != nil {
		closeAll(listeners)
		return err
	}
	return pages.run(ctx)
}

// environ is the caller's environment with what the flags say: later entries win.
func (o *previewOptions) environ(callers []string) []string {
	all := append([]string{"GATEWAY_LOG_FORMAT=text"}, callers...)
	if o.upstream != "" {
		all = append(all, "GATEWAY_UPSTREAM_URL="+o.upstream)
	}
	if o.limitChars > 0 {
		all = append(all, "GATEWAY_RESULT_LIMIT="+strconv.Itoa(o.limitChars))
	}
	return all
}

// welcome says what is behind the page.
func (o *previewOptions) welcome(up pageBehind) string {
	var b strings.Builder
	fmt.Fprintf(&b, "server  %s\n", up.name)
	if up.credential != "" {
		fmt.Fprintf(&b, "key     from %s; each run on the page is a call on its account\n", o.keyEnv)
	}
	b.WriteString("\nCtrl-C ends it.\n\n")
	return b.String()
}
