package upstream

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// search is what places are looked for by.
type search struct {
	query    string
	category category
	near     position
	radiusM  float64
	limit    int
	offset   int
	within   func(position) bool // nil: anywhere about near
}

// newSearch reads the arguments that searches share. The place named in the query beats a position beside it.
func (c *call) newSearch(query string, limit int) search {
	s := search{query: query, limit: int(c.args.number("limit", float64(limit))), offset: int(c.args.number("ofs", 0))}
	s.radiusM = math.Max(50, c.args.number("radius", 2500))
	s.category = categories[0]
	if found, ok := findCategory(query); ok {
		s.category = found
	}
	for _, code := range c.args.texts("poiCategories") {
		if found, ok := categoryByCode(code); ok {
			s.category = found
			break
		}
	}
	s.near = cities[0].position()
	if p, ok := c.args.position("position"); ok {
		s.near = p
	}
	if b, ok := c.args.bounds("boundingBox"); ok {
		s.near = position{(b[0] + b[2]) / 2, (b[1] + b[3]) / 2}
		s.within = b.contains
		s.radiusM = distanceM(position{b[0], b[1]}, position{b[2], b[3]}) / 2
	}
	if town, ok := findCity(query); ok {
		s.near = town.position()
	}
	return s
}

// candidate is a place that a search found.
type candidate struct {
	at        position
	distanceM float64
	number    int
}

// candidates are places about the centre, the nearest first. The same centre, category and radius give the same ones.
func (s search) candidates(seed uint64) []candidate {
	r := newRandom(seed, "places", s.category.code, key(s.near), fmt.Sprint(s.radiusM))
	n := int(math.Min(240, 8+s.category.density*math.Pi*s.radiusM*s.radiusM/1e6))
	var out []candidate
	for i := range n {
		at := move(s.near, r.between(0, 2*math.Pi), s.radiusM*math.Sqrt(r.Float64())).round5()
		if s.within == nil || s.within(at) {
			out = append(out, candidate{at, distanceM(s.near, at), i})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.distanceM, b.distanceM) })
	return out
}

// page is the part of the candidates that is asked for.
func (s search) page(all []candidate) []candidate {
	all = all[min(len(all), max(0, s.offset)):]
	return all[:min(len(all), max(0, s.limit))]
}

// collection wraps places as search results are.
func (s search) collection(features list, total int, intent bool) object {
	properties := object{
		{"geoBias", s.near},
		{"query", s.query},
		{"queryType", "NON_NEAR"},
		{"queryTime", 41},
		{"numResults", len(features)},
		{"offset", s.offset},
		{"totalResults", total},
		{"fuzzyLevel", 1},
	}
	if intent {
		properties = append(properties, member{"queryIntent", list{}})
	}
	return withBox(object{{"type", "FeatureCollection"}, {"properties", properties}, {"features", features}})
}

// withBox adds the box about a collection's points; none without points.
func withBox(doc object) object {
	var points []position
	for _, f := range doc.list("features") {
		if f, ok := f.(object); ok {
			if p, ok := f.object("geometry").get("coordinates").(position); ok {
				points = append(points, p)
			}
		}
	}
	if b, ok := boundsOf(points); ok {
		doc = append(doc, member{"bbox", b})
	}
	return doc
}

// buildPlaceSearch computes the document of the fuzzy, the POI and the nearby search.
func buildPlaceSearch(c *call) (object, error) {
	s := c.newSearch(c.args.text("query"), 5)
	if _, given := c.args["position"]; c.tool.name == "tomtom-nearby" && given {
		s.radiusM = math.Max(50, c.args.number("radius", 1000))
	}
	all := s.candidates(c.opts.Seed)
	features := list{}
	for _, k := range s.page(all) {
		features = append(features, c.place(s, k))
	}
	return s.collection(features, len(all), c.tool.name == "tomtom-fuzzy-search"), nil
}

// place is a place of interest as a Feature.
func (c *call) place(s search, k candidate) object {
	r := newRandom(c.opts.Seed, "place", s.category.code, key(k.at))
	town := nearestCity(k.at)
	land := countryOf(town.country)
	address := addressAt(r, town, land)
	street, _ := address.get("streetName").(string)
	name := s.category.names[k.number%len(s.category.names)]
	if strings.Contains(name, "%s") {
		name = fmt.Sprintf(name, pick(r, []string{street, town.name}))
	}
	properties := object{
		{"type", "POI"},
		{"score", round3(1 - 0.013*float64(min(k.number, 60)))},
		{"info", fmt.Sprintf("search:ta:%d-%s", 1280090+r.IntN(1<<20), land.code2)},
		{"matchConfidence", object{{"score", 1}}},
		{"address", address},
		{"mapcodes", list{mapcode(r, land)}},
		{"dataSources", object{
			{"poiDetails", list{object{{"id", fmt.Sprintf("%024x", r.Uint64())}, {"sourceName", "Foursquare"}}}},
			{"geometry", object{{"id", seededUUID(r)}}},
		}},
		{"distance", round3(k.distanceM)},
		{"entryPoints", list{
			object{{"type", "main"}, {"position", move(k.at, 2, 12).round5()}},
			object{{"type", "minor"}, {"position", move(k.at, 5, 14).round5()}},
		}},
		{"poi", poi(r, s.category, name, land)},
	}
	return point(k.at, fmt.Sprintf("gQh9%011x", r.Uint64()>>20), properties)
}

func point(at position, id string, properties object) object {
	return object{
		{"type", "Feature"}, {"geometry", object{{"type", "Point"}, {"coordinates", at}}}, {"id", id}, {"properties", properties},
	}
}

func poi(r random, k category, name string, land country) object {
	word := k.words[0]
	return object{
		{"name", name},
		{"categories", list{k.code}},
		{"localizedCategories", []string{word, strings.ToLower(land.english)}},
		{"phone", fmt.Sprintf("%s %d %07d", land.phone, r.intBetween(10, 89), r.IntN(1e7))},
		{"brands", list{strings.Fields(name)[0]}},
		{"url", "www.example.com"},
		{"classifications", list{object{{"code", k.code}, {"names", list{object{{"nameLocale", "en-US"}, {"name", word}}}}}}},
		{"categorySet", list{object{{"id", 7000000 + len(k.code)*1000 + len(word)}}}},
		{"openingHours", openingHours(r)},
		{"timeZone", object{{"ianaId", land.zone}}},
	}
}

func openingHours(r random) object {
	opens, closes := r.intBetween(7, 10), r.intBetween(17, 23)
	ranges := list{}
	for day := range 7 {
		date := defaultDeparture.AddDate(0, 0, day)
		at := func(hour int) object {
			return object{
				{"dateYYYYMMDD", date.Format("2006-01-02")},
				{"year", date.Year()},
				{"month", int(date.Month())},
				{"day", date.Day()},
				{"hour", hour},
				{"minute", 0},
				{"date", fmt.Sprintf("%sT%02d:00:00.000Z", date.Format("2006-01-02"), hour)},
			}
		}
		ranges = append(ranges, object{{"start", at(opens)}, {"end", at(closes)}})
	}
	return object{{"mode", "nextSevenDays"}, {"timeRanges", ranges}, {"alwaysOpenThisPeriod", false}}
}

// addressAt invents an address in a real town.
func addressAt(r random, town city, land country) object {
	street, house, code := pick(r, land.streets), strconv.Itoa(r.intBetween(1, 240)), postcode(r, land)
	return object{
		{"streetNumber", house},
		{"streetName", street},
		{"municipality", town.name},
		{"municipalitySubdivision", town.name},
		{"countrySubdivision", town.region},
		{"countrySubdivisionName", town.region},
		{"countrySubdivisionCode", town.regionID},
		{"postalCode", code},
		{"extendedPostalCode", strings.ReplaceAll(code, " ", "")},
		{"countryCode", land.code2},
		{"country", land.name},
		{"countryCodeISO3", land.code3},
		{"freeformAddress", street + " " + house + ", " + code + " " + town.name},
		{"localName", town.name},
	}
}

func mapcode(r random, land country) object {
	const letters = "0123456789BCDFGHJKLMNPQRSTVWXYZ"
	code := []byte("00.00")
	for i := range code {
		if code[i] == '0' {
			code[i] = letters[r.IntN(len(letters))]
		}
	}
	return object{
		{"type", "Local"}, {"fullMapcode", land.code3 + " " + string(code)}, {"territory", land.code3}, {"code", string(code)},
	}
}

// buildAlongRoute computes tomtom-search-along-route's document.
func buildAlongRoute(c *call) (object, error) {
	from, ok1 := c.args.position("origin")
	to, ok2 := c.args.position("destination")
	if !ok1 || !ok2 {
		return nil, errPosition
	}
	p, err := c.newRouteRequest([]position{from, to})
	if err != nil {
		return nil, err
	}
	l := p.lines(c.opts.Seed)[0]
	route := c.routes(p, []*line{l}, nil)
	width := math.Max(100, c.args.number("corridorWidth", 5000))

	s := c.newSearch(c.args.text("query"), 10)
	s.near = from
	r := p.seedOf(c.opts.Seed, "along "+s.category.code)
	features := list{}
	total := min(1840, 3+int(l.distM[l.last()]/4000))
	limit := min(total, s.limit)
	for i := range limit {
		vertex := (i*2 + 1) * l.last() / (2 * limit) // spread over the way
		at := move(l.points[vertex], r.between(0, 2*math.Pi), r.between(20, width/2)).round5()
		features = append(features, c.place(s, candidate{at, l.distM[vertex], i}))
	}
	summary := route.list("features")[0].(object).object("properties").object("summary")
	return object{
		{"route", route},
		{"pois", s.collection(features, total, false)},
		{"summary", object{
			{"routeLengthMeters", summary.get("lengthInMeters")},
			{"routeTravelTimeSeconds", summary.get("travelTimeInSeconds")},
			{"poiCount", limit},
			{"corridorWidthMeters", width},
		}},
	}, nil
}
