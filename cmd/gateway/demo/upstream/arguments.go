package upstream

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// arguments are a call's arguments after they were checked against the tool's schema.
type arguments map[string]any

func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a arguments) number(name string, otherwise float64) float64 {
	if f, ok := a[name].(float64); ok {
		return f
	}
	return otherwise
}

func (a arguments) flag(name string, otherwise bool) bool {
	if b, ok := a[name].(bool); ok {
		return b
	}
	return otherwise
}

func (a arguments) texts(name string) []string {
	var out []string
	in, _ := a[name].([]any)
	for _, e := range in {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// position is a [longitude, latitude] argument; false without one.
func (a arguments) position(name string) (position, bool) { return asPosition(a[name]) }

func (a arguments) positions(name string) []position {
	var out []position
	in, _ := a[name].([]any)
	for _, e := range in {
		if p, ok := asPosition(e); ok {
			out = append(out, p)
		}
	}
	return out
}

// asPosition reads [longitude, latitude] and refuses what is not on the globe.
func asPosition(v any) (position, bool) {
	in, _ := v.([]any)
	if len(in) != 2 {
		return position{}, false
	}
	lon, ok1 := in[0].(float64)
	lat, ok2 := in[1].(float64)
	return position{lon, lat}, ok1 && ok2 && lon >= -180 && lon <= 180 && lat >= -85 && lat <= 85
}

// bounds is a [west, south, east, north] argument; false without one.
func (a arguments) bounds(name string) (bounds, bool) {
	in, _ := a[name].([]any)
	var b bounds
	if len(in) != 4 {
		return b, false
	}
	for i := range b {
		f, ok := in[i].(float64)
		if !ok {
			return b, false
		}
		b[i] = f
	}
	return b, b[0] < b[2] && b[1] < b[3]
}

// decode fills a struct from one argument.
func (a arguments) decode(name string, into any) error {
	b, err := json.Marshal(a[name])
	if err != nil {
		return fmt.Errorf("argument %s: %w", name, err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("argument %s: %w", name, err)
	}
	return nil
}

// accept checks a call's arguments and fills in defaults. Members that the schema does not know are kept: the
// demonstration's own switches come as such. A refusal is the text that the real server's validation gives.
func (t tool) accept(raw json.RawMessage) (arguments, string) {
	var v any = map[string]any{}
	if raw != nil && json.Unmarshal(raw, &v) != nil {
		v = nil
	}
	var issues []object
	schema := schemaOf(t.input)
	check(schema, v, nil, &issues)
	if len(issues) > 0 {
		return nil, "MCP error -32602: Input validation error: Invalid arguments for tool " + t.name + ": " +
			string(pretty(render(issues)))
	}
	args, _ := v.(map[string]any)
	for _, p := range t.input {
		if d := p.schema.get("default"); d != nil && args[p.name] == nil {
			args[p.name] = d
		}
	}
	return args, ""
}

// check collects where v breaks the schema, in the form of zod's issues.
func check(schema object, v any, path list, issues *[]object) {
	report := func(o object, message string) {
		*issues = append(*issues, append(o, member{"path", append(list{}, path...)}, member{"message", message}))
	}
	want, _ := schema.get("type").(string)
	if got := typeOf(v); want != "" && got != want {
		report(object{{"expected", want}, {"code", "invalid_type"}}, "Invalid input: expected "+want+", received "+got)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		checkMembers(schema, v, path, issues)
	case []any:
		lo, isLo := schema.get("minItems").(int)
		hi, isHi := schema.get("maxItems").(int)
		switch {
		case isLo && len(v) < lo:
			report(object{{"origin", "array"}, {"code", "too_small"}, {"minimum", lo}, {"inclusive", true}},
				fmt.Sprintf("Too small: expected array to have >=%d items", lo))
		case isHi && len(v) > hi:
			report(object{{"origin", "array"}, {"code", "too_big"}, {"maximum", hi}, {"inclusive", true}},
				fmt.Sprintf("Too big: expected array to have <=%d items", hi))
		}
		for i, e := range v {
			check(schema.object("items"), e, append(path, i), issues)
		}
	case string:
		values := schema.list("enum")
		if values != nil && !slices.Contains(values, any(v)) {
			report(object{{"code", "invalid_value"}, {"values", values}}, "Invalid option: expected one of "+alternatives(values))
		}
	case float64:
		lo, isLo := schema.get("minimum").(int)
		hi, isHi := schema.get("maximum").(int)
		switch {
		case isLo && v < float64(lo):
			report(object{{"origin", "number"}, {"code", "too_small"}, {"minimum", lo}, {"inclusive", true}},
				fmt.Sprintf("Too small: expected number to be >=%d", lo))
		case isHi && v > float64(hi):
			report(object{{"origin", "number"}, {"code", "too_big"}, {"maximum", hi}, {"inclusive", true}},
				fmt.Sprintf("Too big: expected number to be <=%d", hi))
		}
	}
}

func checkMembers(schema object, v map[string]any, path list, issues *[]object) {
	needed := schema.list("required")
	for _, m := range schema.object("properties") {
		inner, _ := m.value.(object)
		got, present := v[m.name]
		if !present && !slices.Contains(needed, any(m.name)) {
			continue
		}
		if !present {
			got = undefined{}
		}
		check(inner, got, append(path, m.name), issues)
	}
}

// undefined stands for a member that is not there.
type undefined struct{}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case undefined:
		return "undefined"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func alternatives(values list) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = string(render(v))
	}
	return strings.Join(quoted, "|")
}
