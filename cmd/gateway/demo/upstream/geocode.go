package upstream

import (
	"fmt"
	"math"
	"strings"
)

// buildGeocode computes tomtom-geocode's document: the town that the query names and, where more words are given, an
// address in it; no features where it names none.
func buildGeocode(c *call) (object, error) {
	query := c.args.text("query")
	features := list{}
	limit := int(c.args.number("limit", 5))
	if town, ok := findCity(query); ok {
		r := newRandom(c.opts.Seed, "geocode", plain(query))
		if !namesOnlyTown(query, town) {
			features = append(features, streetFeature(r, query, town))
		}
		features = append(features, townFeature(r, town))
	}
	features = features[:min(len(features), limit)]
	doc := object{{"type", "FeatureCollection"}, {"features", features}}
	if len(features) > 0 {
		box, _ := features[0].(object).get("bbox").(bounds)
		doc = append(doc, member{"bbox", box})
	}
	return doc, nil
}

// namesOnlyTown tells that a query is the town's name, perhaps with its country.
func namesOnlyTown(query string, town city) bool {
	land := countryOf(town.country)
	rest := " " + plain(query) + " "
	for _, name := range append([]string{town.name, land.name, land.english, land.code2}, exonyms[town.name]...) {
		rest = strings.ReplaceAll(rest, " "+plain(name)+" ", " ")
	}
	return strings.TrimSpace(rest) == ""
}

func boxAbout(p position, halfM float64) bounds {
	sw, ne := move(p, 1.25*math.Pi, halfM), move(p, 0.25*math.Pi, halfM)
	return bounds{sw[0], sw[1], ne[0], ne[1]}.round5()
}

func townFeature(r random, town city) object {
	land := countryOf(town.country)
	address := object{
		{"municipality", town.name},
		{"countrySubdivision", town.region},
		{"countrySubdivisionName", town.region},
		{"countrySubdivisionCode", town.regionID},
		{"countryCode", land.code2},
		{"country", land.name},
		{"countryCodeISO3", land.code3},
		{"freeformAddress", town.name},
		{"localName", town.name},
	}
	box := boxAbout(town.position(), 9000)
	f := geocoded(r, town.position(), box, "Geography", address, land)
	return f.with("properties", append(f.object("properties"), member{"geographyType", list{"Municipality"}},
		member{"viewport", object{{"topLeftPoint", position{box[0], box[3]}}, {"btmRightPoint", position{box[2], box[1]}}}}))
}

func streetFeature(r random, query string, town city) object {
	land := countryOf(town.country)
	at := move(town.position(), r.between(0, 2*math.Pi), r.between(200, 2500)).round5()
	address := addressAt(r, town, land)
	street, _, _ := strings.Cut(query, ",")
	if street = strings.TrimSpace(street); street != "" && !namesOnlyTown(street, town) {
		kind := "Street"
		code, _ := address.get("postalCode").(string)
		address = address.with("streetName", strings.TrimRight(street, " 0123456789")).
			with("freeformAddress", street+", "+code+" "+town.name)
		if strings.ContainsAny(street, "0123456789") {
			kind = "Point Address"
			address = address.with("streetNumber", street[strings.LastIndexByte(street, ' ')+1:])
		}
		return geocoded(r, at, boxAbout(at, 120), kind, address, land)
	}
	return geocoded(r, at, boxAbout(at, 120), "Street", address, land)
}

func geocoded(r random, at position, box bounds, kind string, address object, land country) object {
	return object{
		{"type", "Feature"},
		{"geometry", object{{"type", "Point"}, {"coordinates", at}}},
		{"bbox", box},
		{"id", fmt.Sprintf("gQh9%011x", r.Uint64()>>20)},
		{"properties", object{
			{"type", kind},
			{"score", 1},
			{"matchConfidence", object{{"score", 1}}},
			{"address", address},
			{"mapcodes", list{mapcode(r, land)}},
			{"dataSources", object{{"geometry", object{{"id", seededUUID(r)}}}}},
		}},
	}
}

// buildReverseGeocode computes tomtom-reverse-geocode's document: one Feature.
func buildReverseGeocode(c *call) (object, error) {
	at, ok := c.args.position("position")
	if !ok {
		return nil, errPosition
	}
	r := newRandom(c.opts.Seed, "reverse", key(at))
	town := nearestCity(at)
	land := countryOf(town.country)
	address := addressAt(r, town, land)
	house, street := address.get("streetNumber"), address.get("streetName")
	address = append(address, member{"buildingNumber", house}, member{"street", street}, member{"routeNumbers", list{}})
	code := mapcode(r, land).only("type", "fullMapcode")
	return object{
		{"type", "Feature"},
		{"geometry", object{{"type", "Point"}, {"coordinates", at}}},
		{"bbox", boxAbout(at, 60)},
		{"id", newIDs(r).next()},
		{"properties", object{
			{"type", "Point Address"},
			{"address", address},
			{"mapcodes", list{code}},
			{"sideOfStreet", pick(r, []string{"L", "R"})},
			{"offsetPosition", move(at, r.between(0, 2*math.Pi), r.between(2, 14)).round5()},
			{"originalPosition", at},
		}},
	}, nil
}
