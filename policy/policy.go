// Package policy says what the gateway knows about each TomTom tool, as data: where its app data comes from, which
// of its lines may be simplified and how far, which members point at vertices, what the upstream's compact text
// leaves out, and what may be shed for room. It parses nothing and speaks no protocol; a tool's name is looked at
// here and nowhere else.
//
// Everything it returns is shared: callers read it and change nothing.
package policy

import (
	"maps"
	"slices"
)

// Path leads from a document's root, or from where its use says, to members of a JSON document: one member name a
// step. "*" stands for any element of an array or any member of an object, a decimal number for that element of an
// array. The empty path is the starting point itself.
type Path []string

// Source says where a tool's app data comes from.
type Source int

const (
	// SourceNone marks a tool whose widget draws without app data.
	SourceNone Source = iota
	// SourceResponse marks a tool whose upstream response is the app data: behind a handle, or as untrimmed text.
	SourceResponse
)

// Tool is what the gateway does with the results of one upstream tool.
type Tool struct {
	// Name is the tool's name on the wire.
	Name string
	// Widget is whether the tool has a widget, which wants show_ui and tool beside every successful result.
	Widget bool
	// AppData is where the widget's data comes from.
	AppData Source
	// Lines lead to the features (objects with geometry and properties) whose lines are routes. When empty, nothing
	// in the app data may be simplified.
	Lines []Path
	// Verbatim marks data that a caller gave: it is never altered, and an apiKey in it stays.
	Verbatim bool
	// Fetchable is whether the widget may fetch the data later, whole, by running this tool again.
	Fetchable bool
	// LimitChars is the limit of a whole result in UTF-16 code units. 0: the gateway's own default.
	LimitChars int
	// ComfortableM is the error in metres up to which nothing is shed.
	ComfortableM float64
	// MaxErrorM is the largest error in metres at which a line is still drawn.
	MaxErrorM float64
	// Untrimmed are members that only the untrimmed response has: a text JSON with any of them is that response. When
	// empty, no text of the tool is.
	Untrimmed []Path
	// Compact is what turns the untrimmed response into the upstream's compact text.
	Compact Projection
}

// For returns the policy of the tool called tool. ok is false when there is none; such a tool's results pass
// untouched.
func For(tool string) (t Tool, ok bool) {
	t, ok = tools[tool]
	return t, ok
}

// Tools returns all tools with a policy, sorted by name.
func Tools() []Tool {
	all := make([]Tool, 0, len(tools))
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		all = append(all, tools[name])
	}
	return all
}

// Tools for widgets only. Hosts list them for the app and keep them from the model.
const (
	// GetAppData is the gateway's own: it fetches what a Fetchable tool could not carry inline.
	GetAppData = "tomtom-get-app-data"
	// ReportAppStatus is the gateway's own: a widget tells what it drew.
	ReportAppStatus = "tomtom-report-app-status"
	// GetAPIKey is the upstream's: it answers the key for map tiles.
	GetAPIKey = "tomtom-get-api-key" //nolint:gosec // the name of a tool, not a key
	// GetVizData is the upstream's: it redeems a viz_id. Hosts never see it.
	GetVizData = "tomtom-get-viz-data"
	// GetDataset is what later upstreams call GetVizData. Hosts never see it.
	GetDataset = "tomtom-get-dataset"
)

// Handle is one way in which an upstream hands out app data: a member of the text JSON's _meta, and the tool that
// redeems it. The tool takes it as an argument of the same name.
type Handle struct {
	Member, Tool string
}

// Handles returns the known handles. An upstream uses one of them.
func Handles() []Handle { return handles }

var handles = []Handle{
	{Member: "viz_id", Tool: GetVizData},
	{Member: "dataset_id", Tool: GetDataset},
}
