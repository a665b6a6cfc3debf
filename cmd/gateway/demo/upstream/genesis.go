package upstream

import (
	"errors"
	"fmt"
)

// genesisTools are the nine tools of the older back end. They have the current ones' names and answer trimmed REST JSON:
// no GeoJSON, no `_meta`, no handle, no widget.
func genesisTools() []tool {
	query := required("query", text("What to search. Example: 'restaurants in Amsterdam'"))
	limit := optional("limit", numberFrom(1, 100, "Number of results. Default: 5"))
	lat, lon := optional("lat", number("Latitude")), optional("lon", number("Longitude"))
	end := func(name string) property {
		return optional(name, place("A place as {lat, lon}"))
	}
	locations := optional("locations", array(positionSchema("Position as [longitude, latitude]"), "Positions in order"))
	at := optional("position", positionSchema("Position as [longitude, latitude]"))
	tools := []tool{
		{name: "tomtom-geocode", title: "TomTom Geocode", input: []property{query, limit}, run: runGenesisSearch},
		{name: "tomtom-reverse-geocode", title: "TomTom Reverse Geocode", input: []property{lat, lon, at}, run: runGenesisReverse},
		{name: "tomtom-fuzzy-search", title: "TomTom Fuzzy Search", input: []property{query, limit, lat, lon}, run: runGenesisSearch},
		{name: "tomtom-poi-search", title: "TomTom POI Search", input: []property{query, limit, lat, lon}, run: runGenesisSearch},
		{name: "tomtom-nearby", title: "TomTom Nearby Search", input: []property{lat, lon, at, limit}, run: runGenesisSearch},
		{name: "tomtom-routing", title: "TomTom Routing", input: []property{end("origin"), end("destination"), locations}, run: runGenesisRoute},
		{
			name: "tomtom-waypoint-routing", title: "TomTom Waypoint Routing",
			input: []property{optional("waypoints", array(place("A place as {lat, lon}"), "Places in order"))}, run: runGenesisRoute,
		},
		{name: reachableRange, title: "TomTom Reachable Range", input: joined([]property{end("origin")}, rangeBudgets), run: runGenesisRange},
		{
			name: "tomtom-traffic", title: "TomTom Traffic", input: []property{optional("bbox", boundsSchema("Box [minLon, minLat, maxLon, maxLat]"))},
			run: runGenesisTraffic,
		},
	}
	for i := range tools {
		tools[i].description = tools[i].title + " (REST)"
		tools[i].listMeta = object{{"backend", "tomtom-maps"}}
	}
	return tools
}

func genesisAnswer(doc object, err error) answer {
	if err != nil {
		return failureJSON(err.Error())
	}
	return textAnswer(string(pretty(render(doc))))
}

// genesisPlace is a position in either of the forms that callers use.
func (c *call) genesisPlace(names ...string) (position, bool) {
	for _, n := range names {
		if p, ok := c.args.position(n); ok {
			return p, true
		}
		var s *spot
		if c.args.decode(n, &s) == nil && s != nil {
			return s.position(), true
		}
	}
	if _, given := c.args["lat"]; given {
		return position{c.args.number("lon", 0), c.args.number("lat", 0)}, true
	}
	return position{}, false
}

func latLon(p position) object { return object{{"lat", p[1]}, {"lon", p[0]}} }

func runGenesisRoute(c *call) answer { return genesisAnswer(genesisRoute(c)) }

func genesisRoute(c *call) (object, error) {
	stops := c.args.positions("locations")
	var waypoints []spot
	if err := c.args.decode("waypoints", &waypoints); err != nil {
		return nil, err
	}
	for _, w := range waypoints {
		stops = append(stops, w.position())
	}
	if from, ok := c.genesisPlace("origin"); ok {
		to, _ := c.genesisPlace("destination")
		stops = []position{from, to}
	}
	if len(stops) < 2 {
		return nil, errors.New("origin and destination are required")
	}
	p, err := c.newRouteRequest(stops)
	if err != nil {
		return nil, err
	}
	l := p.lines(c.opts.Seed)[0]
	properties := c.routeProperties(p, l, 0, newIDs(newRandom(c.opts.Seed)), nil)
	legs, sections := list{}, list{}
	for _, leg := range properties.object("sections").list("leg") {
		legs = append(legs, object{{"summary", leg.(object).get("summary")}})
	}
	for _, s := range properties.object("sections").list("traffic") {
		sections = append(sections, append(object{{"sectionType", "TRAFFIC"}}, s.(object).without("id", "categories")...))
	}
	return object{{"formatVersion", "0.0.12"}, {"routes", list{object{
		{"summary", properties.get("summary")}, {"legs", legs}, {"sections", sections},
	}}}}, nil
}

func runGenesisSearch(c *call) answer {
	s := c.newSearch(c.args.text("query"), 5)
	if p, ok := c.genesisPlace("position"); ok {
		s.near = p
	}
	all := s.candidates(c.opts.Seed)
	results := list{}
	for _, k := range s.page(all) {
		p := c.place(s, k).object("properties")
		results = append(results, object{
			{"type", "POI"},
			{"id", fmt.Sprintf("genesis%d", k.number)},
			{"score", p.get("score")},
			{"dist", p.get("distance")},
			{"poi", p.object("poi").only("name", "phone", "url", "categories")},
			{"address", compactPlace(object{{"properties", p}}).object("properties").get("address")},
			{"position", latLon(k.at)},
		})
	}
	return genesisAnswer(object{
		{"summary", object{{"query", s.query}, {"numResults", len(results)}, {"totalResults", len(all)}, {"offset", s.offset}}},
		{"results", results},
	}, nil)
}

func runGenesisReverse(c *call) answer {
	at, ok := c.genesisPlace("position")
	if !ok {
		return failureJSON("lat and lon are required")
	}
	r := newRandom(c.opts.Seed, "reverse", key(at))
	town := nearestCity(at)
	address := addressAt(r, town, countryOf(town.country))
	return genesisAnswer(object{
		{"summary", object{{"queryTime", 9}, {"numResults", 1}}},
		{"addresses", list{object{{"address", address}, {"position", fmt.Sprintf("%f,%f", at[1], at[0])}}}},
	}, nil)
}

func runGenesisRange(c *call) answer {
	origin, ok := c.genesisPlace("origin")
	budget, budgeted := rangeBudget(c.args)
	if !ok || !budgeted {
		return failureJSON("At least one budget parameter (time, distance, energy, or fuel) must be provided")
	}
	r := newRandom(c.opts.Seed, "range", key(origin))
	boundary := list{}
	for i, p := range rangeRing(r, origin, budget.reachM, rangeShape(r)) {
		if i%10 == 0 {
			boundary = append(boundary, latLon(p.round5()))
		}
	}
	return genesisAnswer(object{
		{"formatVersion", "0.0.1"}, {"reachableRange", object{{"center", latLon(origin)}, {"boundary", boundary}}},
	}, nil)
}

func runGenesisTraffic(c *call) answer {
	doc, err := buildTraffic(c)
	if err != nil {
		return failureJSON(err.Error())
	}
	incidents := list{}
	for _, i := range doc.list("incidents") {
		incidents = append(incidents, object{
			{"type", "Feature"}, {"properties", flatIncident(i.(object).object("properties"))},
		})
	}
	return genesisAnswer(object{{"incidents", incidents}}, nil)
}
