package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"tomtom-mcp-gateway/config"
)

const helpHead = `gateway stands in front of a TomTom map MCP server and puts the data of each map into the tool result itself, small
enough for the host. Any replica then serves any widget, and the agent's text stays as the server wrote it.

usage:
  gateway                        serve HTTP hosts in front of GATEWAY_UPSTREAM_URL
  gateway -- SERVER [ARG...]     serve HTTP hosts, each session with a server of its own that runs as this command
  gateway --stdio [-- SERVER …]  serve the one host on standard input and output, as desktop hosts start a server
  gateway COMMAND [flags]        see below; 'gateway COMMAND -h' explains it

The environment says the rest. With --stdio, standard output is the protocol's and the log is on standard error; the
gateway ends when its input is closed, and nothing listens unless GATEWAY_ADMIN_LISTEN is set. Without it, a server
that is a command is for callers on this machine who send GATEWAY_TOKEN as a bearer token: they spend its key.

commands:
`

const helpExamples = `
examples:
  # See it work, without a TomTom key: it prints the address of a page
  gateway demo

  # The same page in front of your own server: what would users see, and at which limit?
  TOMTOM_API_KEY=… gateway preview -upstream http://127.0.0.1:3000/mcp

  # In front of a server on this machine; MCP hosts connect to http://127.0.0.1:8080/mcp
  GATEWAY_UPSTREAM_URL=http://127.0.0.1:3000/mcp gateway

  # The made-up server behind it over stdio, again without a key: type or pipe JSON-RPC, one message a line
  gateway --stdio -- gateway demo -upstream-stdio

  # What a desktop host starts instead of TomTom's server, with that server's variables in the environment
  MAPS=tomtom-orbis-maps TOMTOM_API_KEY=… gateway --stdio -- npx -y @tomtom-org/tomtom-mcp@latest

  # What would it run with, and is anything wrong?
  gateway config

  # How exactly is a route drawn if the host takes only 60,000 characters of map data?
  gateway fit -limit 60000 route.json

`

const helpCodes = `
exit codes:
  0  done; for serving: ended by SIGINT or SIGTERM, after the requests in flight, or by the end of standard input
  1  failed while running: a port is taken, a file cannot be read, a document is no JSON
  2  the command line or the environment is wrong; standard error says what, all of it at once
  n  with --stdio -- SERVER: what the server ended with; 128 and the signal's number, where a signal ended it
`

// help answers `gateway help` and `gateway help COMMAND`.
func help(inv invocation, about []string) error {
	if len(about) == 0 || isHelp(about[0]) || about[0] == "help" {
		return printHelp(inv.out)
	}
	for _, c := range commands() {
		if c.name == about[0] {
			return c.printHelp(inv.out)
		}
	}
	return &usageError{reason: fmt.Sprintf("there is no command %q", about[0])}
}

func printHelp(w io.Writer) error {
	var b strings.Builder
	b.WriteString(helpHead)
	for _, c := range append(commands(), command{name: "help", summary: "print this, or what a command does"}) {
		fmt.Fprintf(&b, "  %-8s %s\n", c.name, c.summary)
	}
	b.WriteString(helpExamples)
	b.WriteString("environment (all but the first may stay unset, and that too in front of a command; 'gateway config -h' explains each):\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, v := range (config.Config{}).Variables() {
		_, _ = fmt.Fprintf(table, "  %s\t%s\n", v.Name, shortDefault(v)) // a strings.Builder takes everything
	}
	_ = table.Flush()
	b.WriteString(helpCodes)
	return write(w, b.String())
}

// printHelp says how the command is used and what its flags mean.
func (c command) printHelp(w io.Writer) error {
	var b strings.Builder
	flags, _ := c.flags()
	flags.SetOutput(&b)
	usage := "gateway " + c.name
	var declared strings.Builder
	flags.SetOutput(&declared)
	flags.PrintDefaults()
	if declared.Len() > 0 {
		usage += " [flags]"
	}
	if c.arguments != "" {
		usage += " " + c.arguments
	}
	fmt.Fprintf(&b, "usage: %s\n\n%s", usage, c.help)
	if declared.Len() > 0 {
		fmt.Fprintf(&b, "\nflags:\n%s", declared.String())
	}
	return write(w, b.String())
}

func shortDefault(v config.Variable) string {
	switch {
	case v.Name == "GATEWAY_UPSTREAM_URL":
		return "required"
	case v.Default == "":
		return "unset"
	case strings.HasPrefix(v.Default, "https://api.tomtom.com/"):
		return "TomTom's"
	}
	return v.Default
}

// write is the last step of a command that prints.
func write(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}
