package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/caarlos0/env/v11"
)

// setting is one variable as it was read.
type setting struct {
	value string // as given, or the default
	set   bool   // given, and not empty
}

// Load reads the environment, a list of NAME=value as os.Environ gives it. An empty value counts as unset.
//
// The error is nil or a *Error with every problem found, those of checks among them; the Config beside a *Error is good
// for Variables and Print alone. Warnings are about names that look meant for the gateway and are not read by it, and
// about values that contradict each other.
func Load(environ []string, checks Checks) (Config, []Warning, error) {
	given := env.ToMap(environ) // never nil: with a nil map, env would read the process's own environment
	c := Config{settings: map[string]setting{}}
	err := env.ParseWithOptions(&c, env.Options{
		Environment: given,
		FuncMap:     parsers(),
		OnSet: func(name string, value any, isDefault bool) {
			text := fmt.Sprint(value)
			c.settings[name] = setting{value: text, set: !isDefault && text != ""}
		},
	})
	failed := parseProblems(err, given)
	if err != nil && failed == nil {
		return c, nil, fmt.Errorf("read the environment: %w", err) // the structs are wrong, not the environment
	}
	if checks.Use.Command {
		failed = slices.DeleteFunc(failed, func(p Problem) bool { return p.Variable == "GATEWAY_UPSTREAM_URL" })
	}
	c = c.adapted(checks.Use)
	problems := merge(failed, c.check(checks))
	warnings := append(unknownNames(given), c.doubts(problems, checks.Use)...)
	if len(problems) == 0 {
		return c, warnings, nil
	}
	return c, warnings, &Error{Problems: problems}
}

// stdioDrain is how long answers are still waited for that a host which has closed its end may want.
const stdioDrain = 5 * time.Second

// adapted returns c without defaults that are none for this use.
func (c Config) adapted(use Use) Config {
	instead := func(applies bool, name, value string) bool {
		if !applies || c.settings[name].set {
			return false
		}
		c.settings[name] = setting{value: value}
		return true
	}
	if instead(use.shared(), "GATEWAY_LISTEN", "127.0.0.1:8080") {
		c.Listen.Address = "127.0.0.1:8080"
	}
	if instead(use.shared(), "GATEWAY_ADMIN_LISTEN", "127.0.0.1:9090") {
		c.Listen.AdminAddress = "127.0.0.1:9090"
	}
	if instead(use.Stdio, "GATEWAY_ADMIN_LISTEN", "") {
		c.Listen.AdminAddress = ""
	}
	if instead(use.Stdio, "GATEWAY_DRAIN_TIMEOUT", stdioDrain.String()) {
		c.Listen.DrainTimeout = stdioDrain
	}
	if use.Command {
		c.Upstream.URL = nil
	}
	return c
}

// parseProblems turns the library's errors, which speak of struct fields and Go types, into problems that speak of
// variables and forms. It returns nil if err is nil or holds anything that the environment cannot be blamed for.
func parseProblems(err error, given map[string]string) []Problem {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return nil
	}
	byField := map[string]field{}
	for _, f := range fields() {
		byField[f.fieldName] = f
	}
	var problems []Problem
	for _, one := range all.Errors {
		var parse env.ParseError
		var missing env.VarIsNotSetError
		switch {
		case errors.As(one, &parse):
			f, ok := byField[parse.Name]
			if !ok {
				return nil
			}
			problems = append(problems, f.problem(given[f.name], reason(parse.Err)))
		case errors.As(one, &missing):
			problems = append(problems, lookUp(missing.Key).problem("", ""))
		default:
			return nil
		}
	}
	return problems
}

// reason is what is worth saying of a parser's error beside the form: our own parsers' findings, not strconv's.
func reason(err error) string {
	if f, ok := errors.AsType[finding](err); ok {
		return f.Error()
	}
	return ""
}

// merge joins two lists in the order of the variables, one problem a variable: what could not be parsed was not
// checked, and its zero value says nothing.
func merge(failed, checked []Problem) []Problem {
	seen := map[string]bool{}
	for _, p := range failed {
		seen[p.Variable] = true
	}
	all := slices.Clone(failed)
	for _, p := range checked {
		if !seen[p.Variable] {
			all = append(all, p)
		}
	}
	order := map[string]int{}
	for i, f := range fields() {
		order[f.name] = i
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return order[a.Variable] - order[b.Variable] })
	return all
}

// field is what a struct field's type and tags say about its variable.
type field struct {
	section      string // the concern: a field of Config
	fieldName    string // unique over all concerns
	name         string // GATEWAY_…
	defaultValue string
	form         string
	secret       bool
}

// fields lists every variable in the order of the structs.
func fields() []field {
	var all []field
	for concern := range reflect.TypeFor[Config]().Fields() {
		if !concern.IsExported() {
			continue
		}
		for f := range concern.Type.Fields() {
			name, ok := f.Tag.Lookup("env")
			if !ok {
				continue
			}
			all = append(all, field{
				section:      concern.Name,
				fieldName:    f.Name,
				name:         ownKey(name),
				defaultValue: f.Tag.Get("envDefault"),
				form:         f.Tag.Get("form"),
				secret:       f.Tag.Get("secret") == "true",
			})
		}
	}
	return all
}

// lookUp returns the variable of that name; a name that does not exist gives a field that holds only the name.
func lookUp(name string) field {
	for _, f := range fields() {
		if f.name == name {
			return f
		}
	}
	return field{name: name}
}
