package proxy

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

func TestReportIsLoggedAndCounted(t *testing.T) {
	var log bytes.Buffer
	registry := prometheus.NewPedanticRegistry()
	s, err := newStatuses(slog.New(slog.NewJSONHandler(&log, nil)), 1, registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		`{"tool":"tomtom-routing","outcome":"drawn","source":"inline","duration_ms":12.6,"widget":"0123456789"}`,
		`{"tool":"tomtom-routing","outcome":"drawn","source":"inline"}`,
		`{"tool":"a-name-of-their-own","outcome":"error","source":"none","reason":"data_missing","detail":"Zürich \"x\" 🙂"}`,
	} {
		result, failed := s.report(t.Context(), toolCall(t, policy.ReportAppStatus, args))
		if failed != nil {
			t.Fatal(failed)
		}
		if text, isError := textOf(t, result); text != "ok" || isError {
			t.Errorf("%q, error %t", text, isError)
		}
	}
	const want = `
# HELP gateway_app_status_total Results as widgets reported them: what was drawn, and from which source.
# TYPE gateway_app_status_total counter
gateway_app_status_total{outcome="drawn",source="inline",tool="tomtom-routing"} 2
gateway_app_status_total{outcome="error",source="none",tool="other"} 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
	if len(lines) != 3 {
		t.Fatalf("%d log lines", len(lines))
	}
	var line map[string]any
	if err := json.Unmarshal(lines[2], &line); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"level": "WARN", "msg": "app status", "tool": "a-name-of-their-own", "outcome": "error", "source": "none",
		"reason": "data_missing", "detail": `Zürich "x" 🙂`,
	} {
		if line[name] != want {
			t.Errorf("%s: %v, want %v", name, line[name], want)
		}
	}
	if err := json.Unmarshal(lines[0], &line); err != nil || line["duration_ms"] != 13.0 {
		t.Errorf("duration_ms %v (%v)", line["duration_ms"], err)
	}
}

func TestReportIsValidated(t *testing.T) {
	const valid = `"tool":"t","outcome":"drawn","source":"inline"`
	for name, test := range map[string]struct{ args, member string }{
		"no arguments":          {``, "arguments"},
		"an array":              {`[]`, "arguments"},
		"megabytes":             {`{` + valid + `,"detail":"` + strings.Repeat("x", 3<<20) + `"}`, "arguments"},
		"a tool is missing":     {`{"outcome":"drawn","source":"inline"}`, "tool"},
		"no outcome":            {`{"tool":"t","source":"inline"}`, "outcome"},
		"no source":             {`{"tool":"t","outcome":"drawn"}`, "source"},
		"an empty tool":         {`{"tool":"","outcome":"drawn","source":"inline"}`, "tool"},
		"a long tool":           {`{"tool":"` + strings.Repeat("t", 65) + `","outcome":"drawn","source":"inline"}`, "tool"},
		"another outcome":       {`{"tool":"t","outcome":"Drawn","source":"inline"}`, "outcome"},
		"another source":        {`{"tool":"t","outcome":"drawn","source":null}`, "source"},
		"an unknown member":     {`{` + valid + `,"zoom":3}`, `"zoom"`},
		"an odd unknown member": {`{` + valid + `,"a\u0000\nb":3}`, `"a\x00\nb"`},
		"a control character":   {`{` + valid + `,"reason":"a\u001bb"}`, "reason"},
		"a line feed":           {`{` + valid + `,"detail":"a\nb"}`, "detail"},
		"a C1 control":          {`{` + valid + `,"detail":"a\u0085b"}`, "detail"},
		"a long reason":         {`{` + valid + `,"reason":"` + strings.Repeat("ü", 65) + `"}`, "reason"},
		"a long detail":         {`{` + valid + `,"detail":"` + strings.Repeat("x", 501) + `"}`, "detail"},
		"a long widget":         {`{` + valid + `,"widget":"` + strings.Repeat("x", 129) + `"}`, "widget"},
		"no UTF-8":              {`{` + valid + `,"detail":"` + "\xff" + `"}`, "detail"},
		"a number for a text":   {`{` + valid + `,"detail":7}`, "detail"},
		"a text for a number":   {`{` + valid + `,"duration_ms":"7"}`, "duration_ms"},
		"a negative duration":   {`{` + valid + `,"duration_ms":-1}`, "duration_ms"},
		"an endless duration":   {`{` + valid + `,"duration_ms":1e400}`, "duration_ms"},
		"a long duration":       {`{` + valid + `,"duration_ms":3600001}`, "duration_ms"},
	} {
		t.Run(name, func(t *testing.T) {
			m := toolCall(t, policy.ReportAppStatus, test.args)
			_, failed := parseStatus(m.body, m.args)
			if failed == nil || failed.code != codeInvalidParams || !strings.Contains(failed.message, test.member) || len(failed.message) > 300 {
				t.Errorf("%v, want one that names %s", failed, test.member)
			}
		})
	}
	t.Run("at their bounds", func(t *testing.T) {
		m := toolCall(t, policy.ReportAppStatus, `{"tool":"`+strings.Repeat("t", 64)+`","outcome":"hidden","source":"fetched","reason":"`+
			strings.Repeat("ü", 64)+`","detail":"`+strings.Repeat("🙂", 500)+`","duration_ms":3600000,"widget":"`+strings.Repeat("w", 128)+`"}`)
		if _, failed := parseStatus(m.body, m.args); failed != nil {
			t.Error(failed)
		}
	})
}

func TestReportsAreBounded(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	s, err := newStatuses(slog.New(slog.DiscardHandler), 1, registry)
	if err != nil {
		t.Fatal(err)
	}
	m := toolCall(t, policy.ReportAppStatus, `{"tool":"t","outcome":"drawn","source":"inline"}`)
	dropped := 0
	for range 10 * ownAtOnce {
		result, failed := s.report(t.Context(), m)
		if failed != nil {
			t.Fatal(failed)
		}
		if text, isError := textOf(t, result); isError {
			if text == "ok" {
				t.Fatalf("%q", text)
			}
			dropped++
		}
	}
	if counted := testutil.ToFloat64(s.counted); dropped == 0 || int(counted)+dropped != 10*ownAtOnce || counted < ownAtOnce {
		t.Errorf("%d dropped, %v counted", dropped, counted)
	}
}

// TestStatusSchemaAgrees reads the published schema as a host does and holds it against the validation.
func TestStatusSchemaAgrees(t *testing.T) {
	var tool struct {
		InputSchema struct {
			Properties map[string]struct {
				Type      string
				Enum      []string
				MaxLength int
				MinLength int
				Maximum   *float64
			}
			Required             []string
			AdditionalProperties *bool
		}
	}
	if err := json.Unmarshal(statusTool, &tool); err != nil {
		t.Fatal(err)
	}
	schema := tool.InputSchema
	if schema.AdditionalProperties == nil || *schema.AdditionalProperties || len(schema.Properties) != len(statusFields) {
		t.Errorf("schema %+v", schema)
	}
	for _, f := range statusFields {
		p := schema.Properties[f.name]
		if slices.Contains(schema.Required, f.name) != f.required || !slices.Equal(p.Enum, f.oneOf) {
			t.Errorf("%s: %+v", f.name, p)
		}
		switch {
		case f.maxChars == 0 && (p.Maximum == nil || *p.Maximum != maxDurationMS):
			t.Errorf("%s: %+v", f.name, p)
		case f.maxChars > 0 && f.oneOf == nil && p.MaxLength != f.maxChars:
			t.Errorf("%s: %+v", f.name, p)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte(`{"tool":"t","outcome":"drawn","source":"inline","duration_ms":1}`))
	f.Fuzz(func(t *testing.T, args []byte) {
		root, err := jsonspan.Scan(args)
		if err != nil {
			return
		}
		status, failed := parseStatus(args, root)
		if failed != nil {
			if len(failed.message) > 500 || strings.ContainsAny(failed.message, "\x00\n\x1b") {
				t.Errorf("error %q", failed.message)
			}
			return
		}
		for name, value := range status {
			if len(value) > 2000 || strings.ContainsAny(value, "\x00\n\x1b") {
				t.Errorf("%s is %q", name, value)
			}
		}
	})
}
