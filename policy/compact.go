package policy

import "slices"

// Projection says how compact text comes from an untrimmed response: what is cut out of it. Nothing is computed, so
// that every value that stays can stay as it is written. All paths start at the document's root and refer to the
// untrimmed response; where nothing stands at one, nothing happens. The zero Projection cuts nothing.
type Projection struct {
	// Remove are members that go, with their values.
	Remove []Path
	// Keep are objects that lose all but some members.
	Keep []Keep
	// Ends are arrays that keep their first and last element, if they have more than two.
	Ends []Path
	// Hoist are objects whose nested object is replaced by some of its members.
	Hoist []Hoist
	// Require are members that go unless they hold something.
	Require []Require
}

// Keep says which members the objects at At keep. Without Members they keep none.
type Keep struct {
	At      Path
	Members []string
}

// Hoist says that an object at At which has a member Outer keeps only the members Beside it, and in place of Outer
// has those of Outer's own members that Inner lists. An object without Outer stays as it is.
type Hoist struct {
	At     Path
	Outer  string
	Inner  []string
	Beside []string
}

// Require says that the member at At goes unless it is an object whose Member is there and is neither null, false,
// zero nor the empty string.
type Require struct {
	At     Path
	Member string
}

var (
	// places are the features of a search result, place the only one of a reverse geocoding.
	places = Path{"features", "*"}
	place  = Path{}

	placeProperties = []string{
		"dataSources", "matchConfidence", "info", "score", "viewport", "boundingBox", "entryPoints", "mapcodes",
		"addressRanges", "relatedPois",
	}
	placePOI = []string{
		"classifications", "categorySet", "categoryIds", "timeZone", "features", "brands", "openingHours",
	}
	placeAddress = []string{
		"countryCodeISO3", "countrySubdivisionCode", "countrySubdivisionName", "localName", "extendedPostalCode",
	}
)

var compactRouting = Projection{
	Remove: slices.Concat(
		members(places, "bbox"),
		members(places.then("geometry"), "coordinates"),
		members(places.then("properties"), "guidance", "progress"),
		members(places.then("properties", "sections"), "roadShields", "speedLimit", "urban", "tunnel",
			"lowEmissionZone", "pedestrian", "vehicleRestricted"),
		members(places.then("properties", "sections", "*", "*"), "geometry"),
	),
}

// The charging stop at the end of a leg of an electric route, and its properties.
var (
	chargingStop = places.then("properties", "sections", "leg", "*", "summary", "chargingInformationAtEndOfLeg")
	stopDetails  = chargingStop.then("properties")
)

var compactEVRouting = Projection{
	Remove: members(places.then("properties"), "progress"),
	Keep: []Keep{
		{At: places.then("properties", "sections"), Members: []string{"leg", "country", "toll"}},
		{At: chargingStop, Members: []string{"type", "geometry", "properties"}},
		{At: stopDetails, Members: []string{
			"chargingParkName", "chargingParkPowerInkW", "chargingTimeInSeconds", "targetChargeInkWh", "address",
		}},
		{At: stopDetails.then("address"), Members: []string{"freeformAddress"}},
	},
	Ends:    []Path{places.then("geometry", "coordinates")},
	Require: []Require{{At: stopDetails.then("address"), Member: "freeformAddress"}},
}

var compactSearchAlongRoute = Projection{
	Remove: slices.Concat(
		members(Path{"route", "features", "*", "properties"}, "sections", "progress", "guidance"),
		placeMembers(Path{"pois", "features", "*"}),
	),
	Ends: []Path{{"route", "features", "*", "geometry", "coordinates"}},
}

var compactReachableRange = Projection{
	Remove: slices.Concat(
		members(Path{}, "bbox"),
		members(places, "properties"),
		members(places.then("geometry"), "coordinates"),
	),
}

var compactSearch = Projection{
	Remove: slices.Concat(placeMembers(places), members(Path{}, "queryTime", "geoBias")),
}

var compactAreaSearch = Projection{
	Remove: slices.Concat(members(Path{}, "_searchBoundary"), placeMembers(places)),
}

var compactReverseGeocode = Projection{Remove: placeMembers(place)}

// The charging park of a place with charging points.
var (
	chargingPark = places.then("properties", "chargingPark")
	availability = chargingPark.then("availability")
)

var compactEVSearch = Projection{
	Remove: placeMembers(places),
	Keep: []Keep{
		{At: availability, Members: []string{"chargingPointAvailability"}},
		{At: availability.then("chargingPointAvailability"), Members: []string{"count", "statusCounts"}},
	},
	Hoist: []Hoist{{
		At:     chargingPark.then("connectors", "*"),
		Outer:  "connector",
		Inner:  []string{"type", "ratedPowerKW", "currentType", "chargingSpeed"},
		Beside: []string{"count"},
	}},
	Require: []Require{{At: availability, Member: "chargingPointAvailability"}},
}

// The map's whole state is the widget's; the agent has the picture.
var compactDynamicMap = Projection{Keep: []Keep{{At: Path{}}}}

// The upstream answers a summary that it computes; of a response that carries the caller's data instead, the data
// goes and what was asked of it stays.
var compactDataViz = Projection{Remove: members(Path{}, "geojson")}

// placeMembers are the members that compact text drops from the place at at.
func placeMembers(at Path) []Path {
	return slices.Concat(
		members(at.then("properties", "address"), placeAddress...),
		members(at.then("properties"), placeProperties...),
		members(at.then("properties", "poi"), placePOI...),
	)
}

// then returns the path that goes on from p by steps. p is not changed.
func (p Path) then(steps ...string) Path { return slices.Concat(p, steps) }

// members returns the paths to the members called names of the value at at.
func members(at Path, names ...string) []Path {
	paths := make([]Path, len(names))
	for i, name := range names {
		paths[i] = at.then(name)
	}
	return paths
}
