package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Exit codes, as `gateway help` lists them.
const (
	exitOK     = 0
	exitFailed = 1 // something went wrong while running
	exitUsage  = 2 // the command line or the configuration is of no use
)

// streams are where a command reads and writes: results to out, everything else to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// invocation is one run of one command, after its flags were read.
type invocation struct {
	streams
	args    []string // what followed the flags
	environ []string // NAME=value, as os.Environ gives it
}

// command is one of the gateway's commands.
type command struct {
	name      string
	arguments string // what the usage line shows behind the name
	summary   string // one line of `gateway help`
	help      string // what `-h` says below the usage line
	// bind declares the command's flags and returns what runs it once they are read.
	bind func(*flag.FlagSet) func(context.Context, invocation) error
}

// commands lists every command but serving, which has no name, and help.
func commands() []command {
	return []command{demoCommand(), previewCommand(), fitCommand(), configCommand(), versionCommand()}
}

// usageError is a mistake on the command line.
type usageError struct {
	command string // "": none was found
	reason  string
}

func (e *usageError) Error() string {
	about := strings.TrimSpace("gateway " + e.command)
	return fmt.Sprintf("%s\nrun '%s -h' to see how it is used", e.reason, about)
}

// run is the whole program: args are the command line without the program's name. It returns the exit code once
// everything that it started has ended. A done ctx asks a serving command to drain and end.
func run(ctx context.Context, args, environ []string, s streams) int {
	err := dispatch(ctx, invocation{streams: s, args: args, environ: environ})
	if err == nil {
		return exitOK
	}
	_, _ = fmt.Fprintf(s.err, "gateway: %v\n", err) // with standard error gone there is nobody to tell
	return exitCode(err)
}

// isHelp reports whether an argument asks for help.
func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// dispatch finds the command and runs it.
func dispatch(ctx context.Context, inv invocation) error {
	if len(inv.args) == 0 {
		return serveEnvironment(ctx, inv)
	}
	name, rest := inv.args[0], inv.args[1:]
	switch {
	case name == "--stdio" || name == "-stdio" || name == "--":
		return serveEnds(ctx, inv)
	case name == "help" || isHelp(name):
		return help(inv, rest)
	}
	switch name {
	case "-version", "--version":
		name = "version"
	}
	for _, c := range commands() {
		if c.name == name {
			inv.args = rest
			return c.run(ctx, inv)
		}
	}
	if strings.HasPrefix(name, "-") {
		return &usageError{reason: fmt.Sprintf("serving takes no flag %s: --stdio is the only one, the environment says the rest", name)}
	}
	return &usageError{reason: fmt.Sprintf("there is no command %q", name)}
}

// run reads the command's flags and runs it. -h prints its help.
func (c command) run(ctx context.Context, inv invocation) error {
	flags, execute := c.flags()
	err := flags.Parse(inv.args)
	if errors.Is(err, flag.ErrHelp) {
		return c.printHelp(inv.out)
	}
	if err != nil {
		return &usageError{command: c.name, reason: err.Error()}
	}
	inv.args = flags.Args()
	if c.arguments == "" && len(inv.args) > 0 {
		return &usageError{command: c.name, reason: fmt.Sprintf("%s takes no arguments such as %q", c.name, inv.args[0])}
	}
	return execute(ctx, inv)
}

func (c command) flags() (*flag.FlagSet, func(context.Context, invocation) error) {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags, c.bind(flags)
}
