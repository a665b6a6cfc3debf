package config

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Checks is what others know about values. A nil member leaves its values unchecked.
type Checks struct {
	// KnownTool tells whether a tool exists that GATEWAY_TOOL_LIMITS or GATEWAY_TOOL_MAX_ERRORS_M names.
	KnownTool func(tool string) bool
	// Tiles and Incidents say what is wrong with a URL template, without repeating it.
	Tiles, Incidents func(template string) error
	// Certificate says what is wrong with the files of a certificate and its key, Authorities with one of certificates.
	Certificate func(cert, key string) error
	Authorities func(file string) error
	// Use is how the gateway was started.
	Use Use
}

// Use is what the command line says about the two ends of the gateway. It decides what has to be set.
type Use struct {
	Stdio   bool // the host is on standard input and output
	Command bool // the upstream is a command
}

// shared reports whether the gateway listens for HTTP hosts in front of a command.
func (u Use) shared() bool { return u.Command && !u.Stdio }

// check finds what parsed and still cannot be used. Fields that did not parse hold their zero value here; merge drops
// what is said about those.
func (c Config) check(checks Checks) []Problem {
	var found []Problem
	add := func(name, reason string) {
		if reason != "" {
			found = append(found, lookUp(name).problem(c.settings[name].value, reason))
		}
	}
	switch {
	case checks.Use.Command:
	case c.Upstream.URL != nil:
		add("GATEWAY_UPSTREAM_URL", checkUpstreamURL(c.Upstream.URL))
	default:
		add("GATEWAY_UPSTREAM_URL", "it is empty")
	}
	add("GATEWAY_UPSTREAM_KEY", checkKey(c.Upstream.Key))
	add("GATEWAY_TOKEN", checkKey(c.Access.Token))
	if checks.Use.shared() && c.Access.Token == "" {
		found = append(found, lookUp("GATEWAY_TOKEN").problem("", ""))
	}
	add("GATEWAY_LISTEN", c.checkListen(checks.Use))
	add("GATEWAY_ADMIN_LISTEN", c.checkAdminAddress())
	add("GATEWAY_TLS_CERT", checkPair(c.Listen.Cert, c.Listen.CertKey, "GATEWAY_TLS_KEY", checks.Certificate))
	add("GATEWAY_TLS_KEY", checkLonely(c.Listen.CertKey, c.Listen.Cert, "GATEWAY_TLS_CERT"))
	if reason := checkLonely(c.Listen.HostCA, c.Listen.Cert, "GATEWAY_TLS_CERT"); reason != "" {
		add("GATEWAY_TLS_CLIENT_CA", reason)
	} else {
		add("GATEWAY_TLS_CLIENT_CA", checkBy(c.Listen.HostCA, checks.Authorities))
	}
	add("GATEWAY_UPSTREAM_CERT", checkPair(c.Upstream.ClientCert, c.Upstream.ClientKey, "GATEWAY_UPSTREAM_CERT_KEY", checks.Certificate))
	add("GATEWAY_UPSTREAM_CERT_KEY", checkLonely(c.Upstream.ClientKey, c.Upstream.ClientCert, "GATEWAY_UPSTREAM_CERT"))
	add("GATEWAY_UPSTREAM_CA", checkBy(c.Upstream.CA, checks.Authorities))
	add("GATEWAY_TILES", checkBy(c.Widget.Tiles, checks.Tiles))
	add("GATEWAY_INCIDENTS", checkBy(c.Widget.Incidents, checks.Incidents))
	add("GATEWAY_MAP_KEY", checkKey(c.Widget.MapKey))
	add("GATEWAY_TOOL_LIMITS", checkTools(slices.Sorted(maps.Keys(c.Results.ToolLimitChars)), checks.KnownTool))
	add("GATEWAY_TOOL_MAX_ERRORS_M", checkTools(slices.Sorted(maps.Keys(c.Results.ToolMaxErrorM)), checks.KnownTool))
	if !isLength(c.Results.MaxErrorM) {
		add("GATEWAY_MAX_ERROR_M", "it is not above 0")
	}
	if c.Listen.DrainDelay < 0 {
		add("GATEWAY_DRAIN_DELAY", "it is below 0")
	}
	for name, d := range map[string]time.Duration{
		"GATEWAY_UPSTREAM_TIMEOUT": c.Upstream.Timeout,
		"GATEWAY_DRAIN_TIMEOUT":    c.Listen.DrainTimeout,
	} {
		if d <= 0 {
			add(name, "it is not above 0")
		}
	}
	for name, n := range map[string]int64{
		"GATEWAY_RESULT_LIMIT":       int64(c.Results.LimitChars),
		"GATEWAY_MAX_REQUEST_BYTES":  c.Bounds.MaxRequestBytes,
		"GATEWAY_MAX_RESPONSE_BYTES": c.Bounds.MaxResponseBytes,
		"GATEWAY_MAX_BUFFERED_BYTES": c.Bounds.MaxBufferedBytes,
		"GATEWAY_MAX_REQUESTS":       int64(c.Bounds.MaxRequests),
		"GATEWAY_MAX_PROCESSES":      int64(c.Bounds.MaxProcesses),
		"GATEWAY_LOG_SAMPLE":         int64(c.Log.Sample),
	} {
		if n <= 0 {
			add(name, "it is not above 0")
		}
	}
	return found
}

func (c Config) checkAdminAddress() string {
	if c.Listen.AdminAddress == "" {
		return "" // nothing listens
	}
	reason := checkAddress(c.Listen.AdminAddress)
	if reason == "" && c.Listen.AdminAddress == c.Listen.Address && !strings.HasSuffix(c.Listen.Address, ":0") {
		return "it is the same as GATEWAY_LISTEN"
	}
	return reason
}

// checkListen holds a gateway whose callers spend its own key to this machine.
func (c Config) checkListen(use Use) string {
	if reason := checkAddress(c.Listen.Address); reason != "" {
		return reason
	}
	host, _, _ := net.SplitHostPort(c.Listen.Address)
	ip, err := netip.ParseAddr(host)
	if use.shared() && host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return "it is not on loopback, such as 127.0.0.1:8080: whoever reaches it spends the key of the command"
	}
	return ""
}

// checkKey refuses what is no key or token by its looks: a key goes into URLs, headers and a JSON text, and a line end
// that an editor left behind would make every tile fail.
func checkKey(key string) string {
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return "it holds a space, a line end or another character that no key has"
		}
	}
	return ""
}

// checkBy asks others about a value that is set.
func checkBy(value string, check func(string) error) string {
	if check == nil || value == "" {
		return ""
	}
	if err := check(value); err != nil {
		return err.Error()
	}
	return ""
}

// checkPair asks others about a certificate, which needs the key that keyName names.
func checkPair(cert, key, keyName string, check func(cert, key string) error) string {
	switch {
	case cert != "" && key == "":
		return keyName + " is not set"
	case cert == "" || check == nil:
		return ""
	}
	if err := check(cert, key); err != nil {
		return err.Error()
	}
	return ""
}

// checkLonely refuses what is of no use without the other variable.
func checkLonely(value, other, otherName string) string {
	if value != "" && other == "" {
		return otherName + " is not set"
	}
	return ""
}

func checkTools(tools []string, known func(string) bool) string {
	if known == nil {
		return ""
	}
	tools = slices.DeleteFunc(tools, known)
	switch len(tools) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s is no tool that the gateway has a policy for", tools[0])
	}
	return fmt.Sprintf("%s are no tools that the gateway has a policy for", strings.Join(tools, ", "))
}
