package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"tomtom-mcp-gateway/config"
	"tomtom-mcp-gateway/policy"
	"tomtom-mcp-gateway/widgets"
)

func configCommand() command {
	return command{
		name:    "config",
		summary: "print every variable with its effective value, secrets masked, and what is wrong with it",
		help:    configHelp(),
		bind: func(flags *flag.FlagSet) func(context.Context, invocation) error {
			var use config.Use
			flags.BoolVar(&use.Stdio, "stdio", false, "for gateway --stdio")
			flags.BoolVar(&use.Command, "command", false, "in front of a server that is a command: gateway -- SERVER")
			return func(_ context.Context, inv invocation) error { return printConfig(inv, use) }
		},
	}
}

// printConfig prints the configuration also where it is wrong, so that the problems have something to refer to.
func printConfig(inv invocation, use config.Use) error {
	checks := checks()
	checks.Use = use
	c, warnings, loadErr := config.Load(inv.environ, checks)
	if err := c.Print(inv.out); err != nil {
		return err
	}
	for _, w := range warnings {
		_, _ = fmt.Fprintf(inv.err, "gateway: warning: %s\n", w)
	}
	return loadErr
}

// checks are what the configuration asks others about.
func checks() config.Checks {
	return config.Checks{
		KnownTool: func(tool string) bool {
			_, known := policy.For(tool)
			return known
		},
		Tiles: func(template string) error {
			_, err := widgets.New(widgets.Config{Tiles: template})
			return err
		},
		Incidents: func(template string) error {
			_, err := widgets.New(widgets.Config{Incidents: template})
			return err
		},
		Certificate: func(cert, key string) error {
			_, err := readCertificate(cert, key)()
			return err
		},
		Authorities: func(file string) error {
			_, err := readAuthorities(file)()
			return err
		},
	}
}

func configHelp() string {
	var b strings.Builder
	b.WriteString("Prints each variable, whether it is set, and its effective value. Secrets are masked. Nothing is started.\n" +
		"Exits with 2 if the gateway could not run with it, and says why on standard error.\n")
	section := ""
	for _, v := range (config.Config{}).Variables() {
		if v.Section != section {
			section = v.Section
			fmt.Fprintf(&b, "\n%s\n", section)
		}
		fmt.Fprintf(&b, "  %s (%s)\n      %s.\n      Value: %s.\n", v.Name, shortDefault(v), v.Synopsis, v.Form)
	}
	b.WriteString("\ndocs/configuration.md says more about each.\n")
	return b.String()
}
