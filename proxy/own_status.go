package proxy

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

const (
	maxStatusBytes  = 8 << 10 // of the arguments as they came
	maxDurationMS   = 3_600_000
	maxQuotedMember = 64 // bytes of an unknown member's name in an error
)

// statusField is one argument of tomtom-report-app-status. Its input schema and its validation are both made of it.
type statusField struct {
	name     string
	required bool
	maxChars int      // of a string; 0: a number from 0 to maxDurationMS
	oneOf    []string // nil: any text without control characters
}

var statusFields = []statusField{
	{name: "tool", required: true, maxChars: 64},
	{name: "outcome", required: true, maxChars: 16, oneOf: []string{"drawn", "hidden", "error"}},
	{name: "source", required: true, maxChars: 16, oneOf: []string{"inline", "fetched", "text", "none"}},
	{name: "reason", maxChars: 64},
	{name: "detail", maxChars: 500},
	{name: "duration_ms"},
	{name: "widget", maxChars: 128},
}

// statuses takes in what widgets report of themselves.
type statuses struct {
	limiter *rate.Limiter
	log     *slog.Logger
	good    sampler // of lines about results that were drawn or hidden
	counted *prometheus.CounterVec
}

// newStatuses registers the metric with metrics unless that is nil. One of sample lines about what went well is written.
func newStatuses(log *slog.Logger, sample int, metrics prometheus.Registerer) (*statuses, error) {
	s := &statuses{
		limiter: newBucket(),
		log:     log,
		good:    sampler{every: uint64(sample)},
		counted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_app_status_total",
			Help: "Results as widgets reported them: what was drawn, and from which source.",
		}, []string{"tool", "outcome", "source"}),
	}
	if metrics != nil {
		if err := metrics.Register(s.counted); err != nil {
			return nil, fmt.Errorf("app status metric: %w", err)
		}
	}
	return s, nil
}

// report logs and counts the arguments of m, once they are valid.
func (s *statuses) report(ctx context.Context, m message) (result []byte, failed *rpcError) {
	if !s.limiter.Allow() {
		return textResult("too many reports at once; this one was dropped", true), nil
	}
	status, failed := parseStatus(m.body, m.args)
	if failed != nil {
		return nil, failed
	}
	tool := status["tool"]
	if _, known := policy.For(tool); !known {
		tool = "other" // whoever reports chooses the name, which must not grow the metric
	}
	s.counted.WithLabelValues(tool, status["outcome"], status["source"]).Inc()
	s.note(ctx, status)
	return textResult("ok", false), nil
}

// note writes the line of a valid report.
func (s *statuses) note(ctx context.Context, status map[string]string) {
	level := slog.LevelInfo
	if status["outcome"] == "error" {
		level = slog.LevelWarn
	} else if !s.good.take() {
		return
	}
	attributes := make([]slog.Attr, 0, len(statusFields))
	for _, f := range statusFields {
		if value, given := status[f.name]; given {
			attributes = append(attributes, f.attribute(value))
		}
	}
	s.log.LogAttrs(ctx, level, "app status", attributes...)
}

// parseStatus checks the arguments at span args of doc against statusFields and returns them by name. The error
// names the member.
func parseStatus(doc []byte, args jsonspan.Span) (map[string]string, *rpcError) {
	wrong := func(member, why string) *rpcError {
		return invalidArgument(policy.ReportAppStatus, member, why)
	}
	switch {
	case args.Len() > maxStatusBytes:
		return nil, wrong("arguments", fmt.Sprintf("longer than %d bytes", maxStatusBytes))
	case !jsonspan.IsObject(doc, args):
		return nil, wrong("arguments", "want an object")
	}
	status := make(map[string]string, len(statusFields))
	for m := range jsonspan.Members(doc, args) {
		name := stringAt(doc, m.Name)
		i := slices.IndexFunc(statusFields, func(f statusField) bool { return f.name == name })
		if i < 0 {
			return nil, wrong(strconv.QuoteToASCII(name[:min(len(name), maxQuotedMember)]), "no such member")
		}
		value, why := statusFields[i].parse(doc, m.Value)
		if why != "" {
			return nil, wrong(name, why)
		}
		status[name] = value
	}
	for _, f := range statusFields {
		if _, given := status[f.name]; f.required && !given {
			return nil, wrong(f.name, "missing")
		}
	}
	return status, nil
}

// parse returns the value at span value of doc as text, or why it is not one of f.
func (f statusField) parse(doc []byte, value jsonspan.Span) (text, why string) {
	if f.maxChars == 0 {
		number, err := strconv.ParseFloat(string(value.Of(doc)), 64)
		if err != nil || number < 0 || number > maxDurationMS {
			return "", fmt.Sprintf("want a number from 0 to %d", maxDurationMS)
		}
		return strconv.FormatFloat(number, 'f', 0, 64), ""
	}
	if !jsonspan.IsString(doc, value) {
		return "", "want a string"
	}
	text = stringAt(doc, value)
	switch {
	case f.oneOf != nil && !slices.Contains(f.oneOf, text):
		return "", "want one of " + strings.Join(f.oneOf, ", ")
	case !utf8.ValidString(text):
		return "", "not UTF-8"
	case utf8.RuneCountInString(text) > f.maxChars:
		return "", fmt.Sprintf("longer than %d characters", f.maxChars)
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", "has control characters"
	case f.required && text == "":
		return "", "empty"
	}
	return text, ""
}

// attribute returns a parsed value as a log line has it.
func (f statusField) attribute(text string) slog.Attr {
	if f.maxChars == 0 {
		number, _ := strconv.ParseInt(text, 10, 64) // parse wrote it
		return slog.Int64(f.name, number)
	}
	if f.oneOf == nil {
		text = withoutSecrets(text)
	}
	return slog.String(f.name, text)
}

// schema returns the field's JSON schema.
func (f statusField) schema() []byte {
	switch {
	case f.maxChars == 0:
		return []byte(`{"type":"number","minimum":0,"maximum":` + strconv.Itoa(maxDurationMS) + `}`)
	case f.oneOf != nil:
		return object(newMember{"type", quoted("string")}, newMember{"enum", quotedArray(f.oneOf)})
	}
	members := []newMember{{"type", quoted("string")}}
	if f.required {
		members = append(members, newMember{"minLength", []byte("1")})
	}
	return object(append(members, newMember{"maxLength", []byte(strconv.Itoa(f.maxChars))})...)
}
