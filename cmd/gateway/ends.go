package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"tomtom-mcp-gateway/config"
	"tomtom-mcp-gateway/proxy"
	"tomtom-mcp-gateway/proxy/stdio"
)

// ends is what the command line says about the two ends of the gateway.
type ends struct {
	stdio   bool     // the host is on standard input and output
	command []string // the upstream's program and arguments; nil: GATEWAY_UPSTREAM_URL
	help    bool     // is all that is wanted
}

// parseEnds reads `--stdio [-- COMMAND…]` and `-- COMMAND…`.
func parseEnds(args []string) (ends, error) {
	var e ends
	if args[0] != "--" {
		e.stdio, args = true, args[1:]
	}
	switch {
	case len(args) == 0:
		return e, nil
	case isHelp(args[0]):
		e.help = true
		return e, nil
	case args[0] != "--":
		return e, &usageError{reason: fmt.Sprintf("%s stands behind --stdio: put -- before the server's command, as in gateway --stdio -- %s", args[0], args[0])}
	case len(args) == 1:
		return e, &usageError{reason: "no command follows --: name the server's program and its arguments, or leave -- out"}
	}
	e.command = args[1:]
	return e, nil
}

func (e ends) use() config.Use { return config.Use{Stdio: e.stdio, Command: e.command != nil} }

// endpointPath is where a command's endpoint is over HTTP, as TomTom's server has it.
const endpointPath = "/mcp"

// How long a server may take to end, once nobody needs it any more. Hosts give a server two seconds or more after they
// have closed its input, and as many after SIGTERM: after a signal the gateway has to be quicker than that.
var (
	leisurely = stdio.Patience{Close: 2 * time.Second, Terminate: 2 * time.Second}
	hurried   = stdio.Patience{Close: 500 * time.Millisecond, Terminate: time.Second}
)

const (
	stderrBound = 1 << 20 // bytes of log and of the servers' standard error that nobody has read yet
	stderrFlush = 500 * time.Millisecond
)

// serveEnds serves with stdio at one end or both.
func serveEnds(ctx context.Context, inv invocation) error {
	e, err := parseEnds(inv.args)
	switch {
	case err != nil:
		return err
	case e.help:
		return printHelp(inv.out)
	}
	checks := checks()
	checks.Use = e.use()
	c, warnings, err := config.Load(inv.environ, checks)
	if err != nil {
		return err
	}
	stderr := stdio.NewOverflow(inv.err, stderrBound)
	defer stderr.Flush(stderrFlush)
	log := newLogger(stderr, c.Log)
	adoptLibraryLog(log)
	boundMemory(log)
	warn(log, append(warnings, memoryDoubts(c.Bounds, memoryLimit())...))
	ctx, stop := untilHangup(ctx)
	defer stop()
	run := server{command: e.command, environ: inv.environ, stderr: stderr, config: c, log: log}
	if e.stdio {
		return run.serveHost(ctx, inv)
	}
	return run.serveHTTP(ctx)
}

// untilHangup is done when the terminal is closed, too, unless that is to be ignored: a command that was started has to
// be ended.
func untilHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return ctx, func() {}
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

// server runs the upstream's command.
type server struct {
	command []string
	environ []string
	stderr  *stdio.Overflow
	config  config.Config
	log     *slog.Logger
}

// start runs the command. It has the gateway's environment without what is the gateway's own.
func (s server) start() (*stdio.Child, *stdio.Pipe, error) {
	child, err := stdio.Command{
		Args: s.command, Env: stdio.ChildEnvironment(s.environ, "GATEWAY_"), Stderr: s.stderr.Lines(), Log: s.log,
	}.Start()
	if err != nil {
		return nil, nil, err
	}
	// Answers above the first bound pass, up to the second.
	maxLine := max(s.config.Bounds.MaxResponseBytes, s.config.Bounds.MaxBufferedBytes)
	pipe := stdio.NewPipe(child.Stdout, child.Stdin, stdio.PipeOptions{
		Path: endpointPath, MaxLineBytes: maxLine, Version: buildVersion(), Own: proxy.OwnsID, Log: s.log,
	})
	return child, pipe, nil
}

// behind is the command as an upstream. The name is the program's alone: arguments may hold a key.
func (s server) behind() behind {
	return behind{
		name:  filepath.Base(s.command[0]),
		url:   &url.URL{Scheme: "http", Host: "localhost", Path: endpointPath},
		ready: func(context.Context) error { return nil },
	}
}

// serveHTTP serves HTTP hosts, each session with a server of its own.
func (s server) serveHTTP(ctx context.Context) error {
	mcp, err := listen(ctx, s.config.Listen.Address, "GATEWAY_LISTEN")
	if err != nil {
		return err
	}
	admin, err := listen(ctx, s.config.Listen.AdminAddress, "GATEWAY_ADMIN_LISTEN")
	if err != nil {
		_ = mcp.Close()
		return err
	}
	pool := s.pool(ctx)
	defer pool.Close(context.WithoutCancel(ctx))
	up := s.behind()
	up.transport, up.token = pool, s.config.Access.Token
	return serve(ctx, s.config, s.log, up, mcp, admin)
}

// pool runs the command, once for each session. Close it.
func (s server) pool(ctx context.Context) *stdio.Pool {
	return stdio.NewPool(s.config.Bounds.MaxProcesses, proxy.OwnsID, func() (stdio.Server, error) {
		child, pipe, err := s.start()
		if err != nil {
			return stdio.Server{}, err
		}
		return stdio.Server{Pipe: pipe, Stop: func() { child.Stop(context.WithoutCancel(ctx), leisurely) }}, nil
	}, s.log)
}
