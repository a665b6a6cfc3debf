package proxy

import "tomtom-mcp-gateway/policy"

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
