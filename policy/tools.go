package policy

import "slices"

// Tolerances that hold for every tool unless its entry says otherwise.
const (
	comfortableM = 10
	maxErrorM    = 1000
)

// tools is the one table of all tools, by name.
var tools = table(
	Tool{
		Name:      "tomtom-routing",
		AppData:   SourceResponse,
		Lines:     []Path{{"features", "*"}},
		Untrimmed: []Path{{"features", "*", "geometry", "coordinates"}},
		Compact:   compactRouting,
	},
	Tool{
		Name:    "tomtom-ev-routing",
		AppData: SourceResponse,
		Lines:   []Path{{"features", "*"}},
		// Compact text keeps two positions of a line. A third one tells, and for a line that has none, its progress.
		Untrimmed: []Path{
			{"features", "*", "geometry", "coordinates", "2"},
			{"features", "*", "properties", "progress"},
		},
		Compact: compactEVRouting,
	},
	Tool{
		Name:    "tomtom-search-along-route",
		AppData: SourceResponse,
		Lines:   []Path{{"route", "features", "*"}},
		Untrimmed: []Path{
			{"route", "features", "*", "geometry", "coordinates", "2"},
			{"route", "features", "*", "properties", "progress"},
			{"route", "features", "*", "properties", "sections"},
		},
		Compact: compactSearchAlongRoute,
	},
	Tool{
		Name:      "tomtom-reachable-range",
		AppData:   SourceResponse,
		Untrimmed: []Path{{"features", "*", "geometry", "coordinates"}},
		Compact:   compactReachableRange,
	},
	search("tomtom-fuzzy-search", places, compactSearch),
	search("tomtom-poi-search", places, compactSearch),
	search("tomtom-nearby", places, compactSearch),
	search("tomtom-geocode", places, compactSearch),
	search("tomtom-area-search", places, compactAreaSearch, Path{"_searchBoundary"}),
	search("tomtom-ev-search", places, compactEVSearch, chargingPark.then("connectors", "*", "connector")),
	search("tomtom-reverse-geocode", place, compactReverseGeocode),
	Tool{
		Name:      "tomtom-dynamic-map",
		AppData:   SourceResponse,
		Lines:     []Path{{"sources", "routes", "data", "features", "*"}},
		Untrimmed: []Path{{"sources"}},
		Compact:   compactDynamicMap,
	},
	Tool{
		Name:      "tomtom-data-viz",
		AppData:   SourceResponse,
		Verbatim:  true,
		Fetchable: true,
		Untrimmed: []Path{{"geojson"}},
		Compact:   compactDataViz,
	},
	// Its widget draws live traffic for the bbox that the tool was called with.
	Tool{Name: "tomtom-traffic", AppData: SourceNone},
	// A list of categories; its upstream always answers show_ui false.
	Tool{Name: "tomtom-poi-categories", AppData: SourceNone},
)

// search is the policy of a tool that answers with places at at. Compact text keeps their points, so what tells an
// untrimmed text is any member of a place that compact drops, or one at more.
func search(name string, at Path, compact Projection, more ...Path) Tool {
	return Tool{
		Name:      name,
		AppData:   SourceResponse,
		Untrimmed: slices.Concat(placeMembers(at), more),
		Compact:   compact,
	}
}

// table fills in what holds for every tool.
func table(entries ...Tool) map[string]Tool {
	byName := make(map[string]Tool, len(entries))
	for _, t := range entries {
		t.Widget = true
		t.ComfortableM = comfortableM
		t.MaxErrorM = maxErrorM
		byName[t.Name] = t
	}
	return byName
}
