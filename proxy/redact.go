package proxy

import (
	"regexp"
	"strings"
)

// secrets are the parts of a free text, such as a widget's account of an error, that no line of the log may hold,
// whoever wrote them: what follows the ? of an address, numbers as coordinates are written, and long runs of letters and
// digits, as keys, tokens and handles are.
var secrets = regexp.MustCompile(`\?[^\s"'<>]*|[+-]?\d+\.\d{3,}|[A-Za-z0-9_~+=-]{16,}`)

// withoutSecrets returns text with … in place of what may be a secret.
func withoutSecrets(text string) string {
	return secrets.ReplaceAllStringFunc(text, func(part string) string {
		if part == "?" || !strings.ContainsAny(part, "0123456789?") {
			return part // the end of a question, a long word
		}
		return "…"
	})
}
