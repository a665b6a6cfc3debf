package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/caarlos0/env/v11"
)

// finding is a parser's own words about what is wrong with a value, ready for an operator.
type finding string

func (f finding) Error() string { return string(f) }

// parsers are the forms that env does not read as the manual promises.
func parsers() map[reflect.Type]env.ParserFunc {
	return map[reflect.Type]env.ParserFunc{
		reflect.TypeFor[map[string]int]():     func(v string) (any, error) { return parsePairs(v, parseChars) },
		reflect.TypeFor[map[string]float64](): func(v string) (any, error) { return parsePairs(v, parseMetres) },
		reflect.TypeFor[[]string]():           func(v string) (any, error) { return parseOrigins(v) },
		reflect.TypeFor[Hosts]():              func(v string) (any, error) { return parseHosts(v) },
	}
}

// parsePairs reads `tool=value,tool=value`. Spaces around names and values and empty entries are ignored.
func parsePairs[V any](v string, parse func(string) (V, error)) (map[string]V, error) {
	pairs := map[string]V{}
	for entry := range strings.SplitSeq(v, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		tool, text, ok := strings.Cut(entry, "=")
		tool, text = strings.TrimSpace(tool), strings.TrimSpace(text)
		if !ok || tool == "" {
			return nil, finding(fmt.Sprintf("entry %q has not the form tool=number", entry))
		}
		if _, twice := pairs[tool]; twice {
			return nil, finding(fmt.Sprintf("%s stands in it twice", tool))
		}
		value, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", tool, err)
		}
		pairs[tool] = value
	}
	return pairs, nil
}

func parseChars(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		return 0, finding(fmt.Sprintf("%q is no whole number of characters above 0", text))
	}
	return int(n), nil
}

func parseMetres(text string) (float64, error) {
	m, err := strconv.ParseFloat(text, 64)
	if err != nil || !isLength(m) {
		return 0, finding(fmt.Sprintf("%q is no number of metres above 0", text))
	}
	return m, nil
}

// isLength tells a usable number of metres from zero, negative ones, NaN and infinity.
func isLength(m float64) bool { return m > 0 && !math.IsInf(m, 1) }

// UnmarshalText reads auto, always or never.
func (a *Apps) UnmarshalText(text []byte) error {
	return choose(a, text, AppsAuto, AppsAlways, AppsNever)
}

// UnmarshalText reads auto, keep or minify.
func (t *Text) UnmarshalText(text []byte) error {
	return choose(t, text, TextAuto, TextKeep, TextMinify)
}

// UnmarshalText reads json or text.
func (f *LogFormat) UnmarshalText(text []byte) error {
	return choose(f, text, LogJSON, LogText)
}

func choose[T ~string](dst *T, text []byte, choices ...T) error {
	if !slices.Contains(choices, T(text)) {
		return fmt.Errorf("%q is none of %v", text, choices)
	}
	*dst = T(text)
	return nil
}

// ownKey is the variable's name in an env tag, without the options behind it.
func ownKey(tag string) string {
	name, _, _ := strings.Cut(tag, ",")
	return name
}
