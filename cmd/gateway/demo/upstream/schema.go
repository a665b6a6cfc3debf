package upstream

import "slices"

// property is a member of a tool's input schema.
type property struct {
	name     string
	schema   object
	required bool
}

func required(name string, schema object) property { return property{name, schema, true} }

func optional(name string, schema object) property { return property{name, schema, false} }

// schemaOf is the tool's input schema in the member order of the real list.
func schemaOf(properties []property) object {
	return append(object{{"$schema", "http://json-schema.org/draft-07/schema#"}}, objectSchema(properties...)...)
}

func objectSchema(properties ...property) object {
	members, needed := object{}, list{}
	for _, p := range properties {
		members = append(members, member{p.name, p.schema})
		if p.required {
			needed = append(needed, p.name)
		}
	}
	o := object{{"type", "object"}, {"properties", members}}
	if len(needed) > 0 {
		o = append(o, member{"required", needed})
	}
	return o
}

// described puts a description into an object's schema, where the real list has it.
func described(o object, description string) object {
	return append(object{{"description", description}}, o...)
}

func text(description string) object { return object{{"description", description}, {"type", "string"}} }

func number(description string) object {
	return object{{"description", description}, {"type", "number"}}
}

// numberFrom is a number with a lower bound and, where hi is above lo, an upper bound.
func numberFrom(lo, hi int, description string) object {
	o := append(number(description), member{"minimum", lo})
	if hi > lo {
		o = append(o, member{"maximum", hi})
	}
	return o
}

func boolean(description string) object {
	return object{{"description", description}, {"type", "boolean"}}
}

// defaulted is a schema with a default value, which comes first.
func defaulted(value any, schema object) object { return append(object{{"default", value}}, schema...) }

func enum(description string, values ...string) object {
	return append(text(description), member{"enum", listOf(values)})
}

func array(items object, description string) object {
	return object{{"description", description}, {"type", "array"}, {"items", items}}
}

// sized is an array with bounds on its number of items; zero means none.
func sized(lo, hi int, array object) object {
	o := object{}
	for _, m := range array {
		if m.name == "type" {
			if lo > 0 {
				o = append(o, member{"minItems", lo})
			}
			if hi > 0 {
				o = append(o, member{"maxItems", hi})
			}
		}
		o = append(o, m)
	}
	return o
}

func texts(description string) object { return array(object{{"type", "string"}}, description) }

func positionSchema(description string) object {
	return sized(2, 2, array(object{{"type", "number"}}, description))
}

func boundsSchema(description string) object {
	return sized(4, 4, array(object{{"type", "number"}}, description))
}

// showUI and responseDetail are members of nearly every tool.
func showUI(otherwise bool) property {
	return optional("show_ui", defaulted(otherwise, boolean("Show the interactive map widget to the user")))
}

func responseDetail(o Options) property {
	values := []string{"compact", "full"}
	description := "How much to return. 'compact': the essential fields. 'full': the untrimmed API response with all coordinates"
	if o.Newer {
		values = []string{"compact", "geometry", "full"}
		description += ". 'geometry': compact and a GeoJSON FeatureCollection of the shapes"
	}
	return optional("response_detail", defaulted("compact", enum(description, values...)))
}

// joined concatenates lists of properties.
func joined(parts ...[]property) []property {
	var out []property
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func withoutProperties(properties []property, names ...string) []property {
	var out []property
	for _, p := range properties {
		if !slices.Contains(names, p.name) {
			out = append(out, p)
		}
	}
	return out
}
