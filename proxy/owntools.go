package proxy

import (
	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// appOnlyVisibility is the _meta.ui.visibility by which hosts keep a tool from the model.
var appOnlyVisibility = []byte(`["app"]`)

// statusTool is the list entry of tomtom-report-app-status.
var statusTool = appOnlyTool(policy.ReportAppStatus, "Report App Status",
	"Internal tool for apps to report whether a result was drawn", statusSchema(), false)

// appDataTool returns the list entry of tomtom-get-app-data. Its input is the input of the tool that it runs.
func appDataTool(inputSchema []byte) []byte {
	return appOnlyTool(policy.GetAppData, "Get App Data",
		"Internal tool for apps to fetch the data of a visualization that was too large for its result", inputSchema, true)
}

// refSchema is what tomtom-get-app-data takes in place of the other tool's input where recent app data is kept.
var refSchema = object(
	newMember{"type", quoted("string")},
	newMember{"description", quoted("Reference of a recent result's data, from " + memberAppDataRef + " in its text. Alone: no tool runs.")})

// withRef returns schema, the input schema of the tool that tomtom-get-app-data runs, with app_data_ref beside what
// was there. Nothing is required any more: which of the two inputs is whole the gateway checks itself, because a choice
// at the top of a schema is more than some hosts take.
func withRef(schema []byte) []byte {
	root, err := jsonspan.Scan(schema)
	if err != nil {
		return schema
	}
	edits := jsonspan.Remove(nil, schema, root, func(m jsonspan.Member) bool { return m.Named(schema, "required") })
	schema = jsonspan.Apply(nil, schema, edits)
	root, err = jsonspan.Scan(schema)
	if err != nil {
		return schema
	}
	edits = setMembers(schema, root, []metaMember{{name: "properties", inner: memberAppDataRef, value: refSchema}})
	jsonspan.Sort(edits)
	return jsonspan.Apply(nil, schema, edits)
}

func statusSchema() []byte {
	var properties []newMember
	var required []string
	for _, f := range statusFields {
		properties = append(properties, newMember{f.name, f.schema()})
		if f.required {
			required = append(required, f.name)
		}
	}
	return object(
		newMember{"type", quoted("object")},
		newMember{"properties", object(properties...)},
		newMember{"required", quotedArray(required)},
		newMember{"additionalProperties", []byte("false")})
}

// appOnlyTool returns a list entry. Neither tool changes anything that a person would be asked about.
func appOnlyTool(name, title, description string, inputSchema []byte, openWorld bool) []byte {
	world := []byte("false")
	if openWorld {
		world = []byte("true")
	}
	return object(
		newMember{"name", quoted(name)},
		newMember{"title", quoted(title)},
		newMember{"description", quoted(description)},
		newMember{"inputSchema", inputSchema},
		newMember{"annotations", object(
			newMember{"title", quoted(title)},
			newMember{"readOnlyHint", []byte("true")},
			newMember{"destructiveHint", []byte("false")},
			newMember{"idempotentHint", []byte("true")},
			newMember{"openWorldHint", world})},
		newMember{"_meta", object(newMember{metaUI, object(newMember{metaVisibility, appOnlyVisibility})})})
}
