package upstream

// searchTools are the tools that look places up, in the order of the real list.
func searchTools(o Options) []tool {
	common := []property{showUI(false), responseDetail(o)}
	query := func(description string) []property { return []property{required("query", text(description))} }
	place := func(build func(*call) (object, error), compact func(object) object) documentTool {
		return documentTool{build: build, compact: compact}
	}
	return []tool{
		{
			name: "tomtom-geocode", title: "TomTom Geocode", resource: "ui://tomtom-search/geocode/app.html",
			description: "Find the coordinates of an address or a town, with an interactive map",
			input: joined(query("Address, as complete as possible. Examples: 'Damrak 1, Amsterdam', 'Berlin'"), common,
				placeOptions, biasOptions, []property{entityTypes, offset}),
			run: runDocument, document: place(buildGeocode, compactSearch),
		},
		{
			name: "tomtom-reverse-geocode", title: "TomTom Reverse Geocode", resource: "ui://tomtom-search/reverse-geocode/app.html",
			description: "Find the address at a position, with an interactive map",
			input: joined([]property{required("position", positionSchema(
				"Position as [longitude, latitude], four decimals or more. Example: [4.89707, 52.377956]."))}, common, placeOptions, reverseOptions),
			run: runDocument, document: place(buildReverseGeocode, compactPlace),
		},
		{
			name: "tomtom-fuzzy-search", title: "TomTom Fuzzy Search", resource: "ui://tomtom-search/fuzzy-search/app.html",
			description: "Search addresses, places of interest and towns, tolerant of typing errors, with an interactive map",
			input: joined(query("Free text. Examples: 'restaurants in Amsterdam', 'IKEA', '52.3791,4.8994'"), common, placeOptions,
				biasOptions, poiOptions, fuzzyOptions, []property{entityTypes, offset, relatedPois, poiCategories}),
			run: runDocument, document: place(buildPlaceSearch, compactSearch),
		},
		{
			name: "tomtom-poi-search", title: "TomTom POI Search", resource: "ui://tomtom-search/poi-search/app.html",
			description: "Search a business by name or all of a category. For what is around a position use tomtom-nearby, for a strict area tomtom-area-search.",
			input: joined(query("Name or kind of place. Examples: 'Starbucks', 'pharmacy Berlin'"), common, placeOptions, biasOptions,
				poiOptions, []property{
					typeahead, optional("chargingAvailability", boolean("Add how many charging points are free now")),
					offset, relatedPois, extended, poiCategories,
				}),
			run: runDocument, document: place(buildPlaceSearch, compactSearch),
		},
		{
			name: "tomtom-nearby", title: "TomTom Nearby Search", resource: "ui://tomtom-search/nearby-search/app.html",
			description: "Find places around a position, the nearest first.",
			input: joined([]property{required("position", positionSchema("Centre as [longitude, latitude]. Example: [4.89707, 52.377956]."))},
				common, placeOptions, poiOptions, []property{
					optional("radius", number("Radius in metres. Default: 1000")),
					optional("parkingAvailability", boolean("Add how many parking spaces are free now")), extended, offset, relatedPois, poiCategories,
				}),
			run: runDocument, document: place(buildPlaceSearch, compactSearch),
		},
		{
			name: "tomtom-poi-categories", title: "TomTom POI Categories", resource: "ui://tomtom-search/poi-categories/app.html", closedWorld: true,
			description: "Look up the category codes for poiCategories from plain words. Ask this before using a code.",
			input:       []property{optional("filters", texts("Words to find in names and synonyms. Examples: ['gym'], ['italian restaurant']. Omit for all."))},
			run:         runCategories,
		},
		{
			name: "tomtom-area-search", title: "TomTom Area Search", resource: "ui://tomtom-search/area-search/app.html",
			description: "Find places strictly within a circle, a box or a polygon.",
			input:       joined(query("What to search. Examples: 'restaurant', 'coffee'"), areaOptions, common),
			run:         runDocument, document: place(buildAreaSearch, compactArea),
		},
		{
			name: "tomtom-ev-search", title: "TomTom EV Charging Search", resource: "ui://tomtom-search/ev-search/app.html",
			description: "Find charging stations with connectors, power and how many are available now.",
			input:       joined(stationOptions, common),
			run:         runDocument, document: place(buildStationSearch, compactStations),
		},
		{
			name: "tomtom-search-along-route", title: "TomTom Search Along Route", resource: "ui://tomtom-search/search-along-route/app.html",
			description: "Find places along the road between two positions: computes the route, then searches a corridor about it.",
			input:       joined(alongOptions, common),
			run:         runDocument, document: place(buildAlongRoute, compactAlongRoute),
		},
	}
}

var (
	typeahead     = optional("typeahead", boolean("The query is the beginning of what is typed"))
	extended      = optional("ext", text("Extended parameters"))
	entityTypes   = optional("entityTypeSet", text("Only these kinds of areas. Example: 'Municipality,PostalCodeArea'. Not for places of interest."))
	offset        = optional("ofs", number("Results to skip, for paging"))
	relatedPois   = optional("relatedPois", text("Include places within or around a result: 'child', 'parent', 'all'"))
	poiCategories = optional("poiCategories", texts("Category codes such as 'RESTAURANT', from tomtom-poi-categories"))
)

var placeOptions = []property{
	optional("limit", numberFrom(1, 100, "Number of results, 1 to 100. Default: 5")),
	optional("language", text("Language of the results, an IETF tag. Examples: 'en-US', 'de-DE'")),
	optional("countries", texts("Only these countries, ISO alpha-2. Example: ['NL', 'DE']")),
	optional("view", text("Geopolitical view. Examples: 'Unified', 'IN'")),
	optional("extendedPostalCodesFor", text("Index types that get extended postal codes. Example: 'PAD,Addr'")),
	optional("mapcodes", texts("Kinds of mapcodes to add. Example: ['Local']")),
	optional("timeZone", text("'iana' adds the time zone")),
}

var biasOptions = []property{
	optional("position", positionSchema("Prefer what is near [longitude, latitude]. Example: [4.89707, 52.377956].")),
	optional("radius", number("Radius in metres about the position. Examples: 1000, 20000")),
	optional("boundingBox", boundsSchema("Box [minLon, minLat, maxLon, maxLat]. Example: [4.8, 52.3, 4.95, 52.45].")),
}

var poiOptions = []property{
	optional("brandSet", text("Only these brands. Example: 'Starbucks,Costa'")),
	optional("connectorSet", text("Only charging stations with these connectors. Example: 'IEC62196Type2CableAttached'")),
	optional("fuelSet", text("Only stations with these fuels. Example: 'Petrol,Diesel'")),
	optional("vehicleTypeSet", text("Only places for these vehicles: 'Car', 'Truck'")),
	optional("minPowerKW", number("Least charging power in kW")),
	optional("maxPowerKW", number("Largest charging power in kW")),
	optional("openingHours", text("'nextSevenDays' adds opening hours")),
}

var fuzzyOptions = []property{
	typeahead,
	optional("maxFuzzyLevel", number("Largest tolerance, 1 to 4")),
	optional("minFuzzyLevel", number("Least tolerance, 1 to 4")),
	optional("idxSet", text("Only these indexes. Example: 'POI,Str'")),
	extended,
}

var reverseOptions = []property{
	optional("radius", number("Radius in metres. Default: 100")),
	optional("returnMatchType", boolean("Say what kind of match it is")),
	optional("returnSpeedLimit", boolean("Add the speed limit of the street")),
	optional("allowFreeformNewLine", boolean("Allow line breaks in freeform addresses")),
	optional("heading", number("Heading in degrees, 0 to 360, for the side of the road")),
	optional("returnRoadClass", text("'Functional' adds the class of the road")),
	optional("entityType", text("Only these kinds of areas. Example: 'Municipality'")),
	optional("callback", text("Name of a callback for JSONP")),
	optional("filter", text("'BackRoads' leaves out unofficial roads")),
}

var areaOptions = []property{
	optional("center", positionSchema("Centre of a circle as [longitude, latitude]. With radius. Example: [4.897, 52.3779]")),
	optional("radius", number("Radius of the circle in metres. Example: 2000")),
	optional("polygon", array(positionSchema("Corner as [longitude, latitude]"), "Corners of a polygon. Example: [[4.88, 52.36], [4.92, 52.36], [4.9, 52.39]]")),
	optional("boundingBox", sized(2, 2, array(positionSchema("Corner as [longitude, latitude]"), "Two opposite corners. Example: [[4.8, 52.3], [4.95, 52.45]]"))),
	optional("limit", numberFrom(1, 100, "Number of results, 1 to 100. Default: 10")),
	poiCategories,
	optional("language", text("Language of the results, an IETF tag")),
	optional("countries", texts("Only these countries, ISO alpha-2")),
}

var stationOptions = []property{
	optional("query", defaulted("", text("Name or brand of stations. Empty: all. Example: 'Fastned'"))),
	required("position", positionSchema("Centre as [longitude, latitude]. Example: [4.89707, 52.377956].")),
	optional("radius", numberFrom(1, 0, "Radius in metres. Default: 5000")),
	optional("connectorTypes", texts("Only these connectors. Example: ['IEC62196Type2CCS', 'Chademo']")),
	optional("minPowerKW", number("Least power in kW. Examples: 22, 50, 150")),
	optional("limit", numberFrom(1, 100, "Number of results, 1 to 100. Default: 10")),
	optional("includeAvailability", defaulted(true, boolean("Add how many charging points are free now"))),
	optional("language", text("Language of the results, an IETF tag")),
	optional("countries", texts("Only these countries, ISO alpha-2")),
}

var alongOptions = []property{
	required("origin", positionSchema("Start as [longitude, latitude]. Example: [4.89707, 52.377956].")),
	required("destination", positionSchema("Destination as [longitude, latitude]. Example: [13.404954, 52.520008].")),
	required("query", text("What to search. Examples: 'coffee', 'petrol station'")),
	optional("corridorWidth", number("Width of the corridor in metres. Default: 5000")),
	optional("limit", numberFrom(1, 100, "Number of results, 1 to 100. Default: 10")),
	poiCategories,
	optional("language", text("Language of the results, an IETF tag")),
	routeType("fast", "short", "efficient"),
}
