package config

import (
	"fmt"
	"maps"
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
}

// check finds what parsed and still cannot be used. Fields that did not parse hold their zero value here; merge drops
// what is said about those.
func (c Config) check(checks Checks) []Problem {
	var found []Problem
	add := func(name, reason string) {
		if reason != "" {
			found = append(found, lookUp(name).problem(c.settings[name].value, reason))
		}
	}
	if c.Upstream.URL != nil {
		add("GATEWAY_UPSTREAM_URL", checkUpstreamURL(c.Upstream.URL))
	} else {
		add("GATEWAY_UPSTREAM_URL", "it is empty")
	}
	add("GATEWAY_LISTEN", checkAddress(c.Listen.Address))
	add("GATEWAY_ADMIN_LISTEN", c.checkAdminAddress())
	add("GATEWAY_TILES", checkTemplate(c.Widget.Tiles, checks.Tiles))
	add("GATEWAY_INCIDENTS", checkTemplate(c.Widget.Incidents, checks.Incidents))
	add("GATEWAY_MAP_KEY", checkMapKey(c.Widget.MapKey))
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
	} {
		if n <= 0 {
			add(name, "it is not above 0")
		}
	}
	return found
}

func (c Config) checkAdminAddress() string {
	reason := checkAddress(c.Listen.AdminAddress)
	if reason == "" && c.Listen.AdminAddress == c.Listen.Address && !strings.HasSuffix(c.Listen.Address, ":0") {
		return "it is the same as GATEWAY_LISTEN"
	}
	return reason
}

// checkMapKey refuses what is no key by its looks: a key goes into URLs and into a JSON text, and a line end that an
// editor left behind would make every tile fail.
func checkMapKey(key string) string {
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return "it holds a space, a line end or another character that no key has"
		}
	}
	return ""
}

func checkTemplate(template string, check func(string) error) string {
	if check == nil || template == "" {
		return ""
	}
	if err := check(template); err != nil {
		return err.Error()
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
