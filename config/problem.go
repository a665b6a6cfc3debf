package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Problem is one variable that the gateway cannot run with.
type Problem struct {
	Variable string // its name
	Value    string // as given, secrets masked; "" if it is not set
	Reason   string // what is wrong with it; "" if it has another form altogether
	Form     string // what it should look like
}

// String is the problem as one sentence.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Variable)
	if p.Value == "" {
		b.WriteString(" is not set")
	} else {
		fmt.Fprintf(&b, "=%s", p.Value)
	}
	if p.Reason != "" && p.Value != "" {
		fmt.Fprintf(&b, ": %s", p.Reason)
	}
	fmt.Fprintf(&b, "; it has to be %s", p.Form)
	return b.String()
}

// Error is every problem of one environment.
type Error struct {
	Problems []Problem // at least one, in the order of the manual
}

// Error lists the problems, one a line.
func (e *Error) Error() string {
	var b strings.Builder
	if len(e.Problems) == 1 {
		b.WriteString("the configuration has a problem:")
	} else {
		fmt.Fprintf(&b, "the configuration has %d problems:", len(e.Problems))
	}
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

func (f field) problem(value, reason string) Problem {
	return Problem{Variable: f.name, Value: f.show(value), Reason: reason, Form: f.form}
}

// masked stands where a secret was.
const masked = "********"

// show returns a value as it may be printed and logged: without what is secret in it, on one line.
func (f field) show(value string) string {
	switch {
	case value == "":
		return ""
	case f.secret:
		return masked
	}
	value = userInfo.ReplaceAllString(value, "//"+masked+"@")
	value = secretParameter.ReplaceAllStringFunc(value, func(parameter string) string {
		name, secret, _ := strings.Cut(parameter, "=")
		if placeholder.MatchString(secret) {
			return parameter
		}
		return name + "=" + masked
	})
	return oneLine(value)
}

var (
	// userInfo is the user and password of a URL, whether the rest of it parses or not.
	userInfo = regexp.MustCompile(`//[^/?#,]*@`)
	// placeholder stands for what the widget fills in.
	placeholder = regexp.MustCompile(`\{[^{}]*\}`)
	// secretParameter is a query parameter that a tile server takes a key in.
	secretParameter = regexp.MustCompile(`(?i)[?&](?:[a-z_-]*key|[a-z_-]*token|sig|signature|password|secret)=[^&#]*`)
)

// oneLine escapes what would break a line or drive a terminal.
func oneLine(value string) string {
	return controls.ReplaceAllStringFunc(value, func(c string) string { return strings.Trim(strconv.QuoteToASCII(c), `"`) })
}

var controls = regexp.MustCompile(`[\p{C}\x{2028}\x{2029}]`)
