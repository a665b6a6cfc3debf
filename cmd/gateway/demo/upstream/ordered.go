package upstream

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// object is a JSON object whose members keep their order, as JavaScript's do. Values are what appendJSON accepts.
type object []member

type member struct {
	name  string
	value any
}

// list is a JSON array.
type list []any

// get returns the value of the member with that name, or nil.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// object returns the member's value where that is an object, else nil.
func (o object) object(name string) object {
	v, _ := o.get(name).(object)
	return v
}

// list returns the member's value where that is an array, else nil.
func (o object) list(name string) list {
	v, _ := o.get(name).(list)
	return v
}

// without returns a copy that lacks the named members.
func (o object) without(names ...string) object {
	out := make(object, 0, len(o))
	for _, m := range o {
		if !slices.Contains(names, m.name) {
			out = append(out, m)
		}
	}
	return out
}

// only returns a copy that has no other members than the named ones, in the order of o.
func (o object) only(names ...string) object {
	out := make(object, 0, len(names))
	for _, m := range o {
		if slices.Contains(names, m.name) {
			out = append(out, m)
		}
	}
	return out
}

// with returns a copy in which the member has that value: in its old place, or last.
func (o object) with(name string, value any) object {
	out := make(object, 0, len(o)+1)
	found := false
	for _, m := range o {
		if m.name == name {
			m.value, found = value, true
		}
		out = append(out, m)
	}
	if !found {
		out = append(out, member{name, value})
	}
	return out
}

// render writes v without white space, as JSON.stringify(v) would.
func render(v any) []byte { return appendJSON(nil, v) }

// appendJSON appends v minified. It knows the types that this package builds documents from; json.RawMessage is taken
// as it is and must be minified JSON; an empty one is null.
func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case json.RawMessage:
		if len(v) == 0 {
			return append(dst, "null"...)
		}
		return append(dst, v...)
	case string:
		return appendString(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case float64:
		return appendNumber(dst, v)
	case object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.name), ':')
			dst = appendJSON(dst, m.value)
		}
		return append(dst, '}')
	case list:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, e)
		}
		return append(dst, ']')
	}
	return appendConverted(dst, v)
}

func appendConverted(dst []byte, v any) []byte {
	switch v := v.(type) {
	case position:
		return appendPosition(dst, v)
	case bounds:
		return appendJSON(dst, list{v[0], v[1], v[2], v[3]})
	case linePositions:
		dst = append(dst, '[')
		for i, p := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendPosition(dst, p)
		}
		return append(dst, ']')
	case []string:
		return appendJSON(dst, listOf(v))
	case []object:
		return appendJSON(dst, listOf(v))
	}
	// A type that is missing here is a mistake in this package; the text says which.
	return appendString(dst, fmt.Sprintf("unsupported %T", v))
}

func listOf[T any](in []T) list {
	out := make(list, len(in))
	for i, e := range in {
		out[i] = e
	}
	return out
}

// appendNumber writes f as JavaScript does in the range that documents use.
func appendNumber(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// appendString writes s quoted and escaped as JSON.stringify does: only quotes, backslashes and control characters.
func appendString[T ~string | ~[]byte](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
