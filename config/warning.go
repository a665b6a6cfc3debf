package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const prefix = "GATEWAY_"

// Warning is something that the gateway runs with and that is probably not meant so.
type Warning struct {
	Variable string // its name
	Text     string // one sentence about it, without its value
}

// String is the warning as one line.
func (w Warning) String() string { return w.Variable + " " + w.Text }

// serviceLink matches what Kubernetes puts into every container for each Service of the namespace: one called gateway
// gives GATEWAY_SERVICE_HOST, GATEWAY_PORT_8080_TCP_ADDR and so on. Nobody mistyped those.
var serviceLink = regexp.MustCompile(
	`^GATEWAY_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$`)

// unknownNames warns about each variable with the gateway's prefix that it does not read, sorted by name.
func unknownNames(given map[string]string) []Warning {
	var names []string
	for _, f := range fields() {
		names = append(names, f.name)
	}
	var warnings []Warning
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !strings.HasPrefix(name, prefix) || slices.Contains(names, name) || serviceLink.MatchString(name) {
			continue
		}
		text := "is not read by this version"
		if near := nearest(name, names); near != "" {
			text += fmt.Sprintf("; did you mean %s?", near)
		}
		warnings = append(warnings, Warning{Variable: name, Text: text})
	}
	return warnings
}

// doubts warns about values that contradict each other without being wrong. Where there are problems, values may be
// missing, and nothing is said.
func (c Config) doubts(problems []Problem, use Use) []Warning {
	if len(problems) > 0 {
		return nil
	}
	var all []Warning
	add := func(doubtful bool, variable, text string) {
		if doubtful {
			all = append(all, Warning{Variable: variable, Text: text})
		}
	}
	set := func(name string) bool { return c.settings[name].set }
	add(use.Command && set("GATEWAY_UPSTREAM_URL"), "GATEWAY_UPSTREAM_URL", "is not used: the upstream is the command")
	add(set("GATEWAY_UPSTREAM_KEY") && (use.Command || !use.Stdio), "GATEWAY_UPSTREAM_KEY",
		"is not used: it is for a host on standard input in front of an HTTP upstream")
	add(set("GATEWAY_TOKEN") && !use.shared(), "GATEWAY_TOKEN", "is not used: it is for HTTP hosts in front of a command")
	add(use.Command && (set("GATEWAY_UPSTREAM_CA") || set("GATEWAY_UPSTREAM_CERT")), "GATEWAY_UPSTREAM_CA",
		"and GATEWAY_UPSTREAM_CERT are not used: the upstream is the command")
	add(!use.Command && c.Upstream.URL.Scheme == "http" && (set("GATEWAY_UPSTREAM_CA") || set("GATEWAY_UPSTREAM_CERT")), "GATEWAY_UPSTREAM_URL",
		"is http: GATEWAY_UPSTREAM_CA and GATEWAY_UPSTREAM_CERT are not used")
	add(use.Stdio && set("GATEWAY_TLS_CERT"), "GATEWAY_TLS_CERT", "is not used: the host is on standard input")
	add(c.Bounds.MaxBufferedBytes < c.Bounds.MaxResponseBytes, "GATEWAY_MAX_BUFFERED_BYTES",
		"is below GATEWAY_MAX_RESPONSE_BYTES: an answer between the two never gets app data")
	add(c.Bounds.MaxBufferedBytes < c.Bounds.MaxRequestBytes, "GATEWAY_MAX_BUFFERED_BYTES",
		"is below GATEWAY_MAX_REQUEST_BYTES: a request between the two always gets 503")
	return all
}

// nearest returns the name that needs the fewest typed changes to become name; "" if none is near.
func nearest(name string, names []string) string {
	best, bestDistance := "", (len(name)-len(prefix))/3+1
	for _, candidate := range names {
		if d := distance(name, candidate); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is Levenshtein's: insertions, deletions and substitutions of one byte.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, substituted)
		}
	}
	return row[len(b)]
}
