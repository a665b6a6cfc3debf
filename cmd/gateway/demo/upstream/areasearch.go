package upstream

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// buildAreaSearch computes tomtom-area-search's document: places within a boundary, and the boundary.
func buildAreaSearch(c *call) (object, error) {
	s := c.newSearch(c.args.text("query"), 10)
	boundary, kind, err := areaOf(c.args)
	if err != nil {
		return nil, err
	}
	box, _ := boundsOf(boundary)
	s.near = position{(box[0] + box[2]) / 2, (box[1] + box[3]) / 2}
	s.radiusM = distanceM(position{box[0], box[1]}, position{box[2], box[3]}) / 2
	s.within = func(p position) bool { return inRing(boundary, p) }
	all := s.candidates(c.opts.Seed)
	features := list{}
	for _, k := range s.page(all) {
		features = append(features, c.place(s, k))
	}
	return append(s.collection(features, len(all), false), member{"_searchBoundary", object{
		{"type", "Feature"},
		{"geometry", object{{"type", "Polygon"}, {"coordinates", list{linePositions(boundary)}}}},
		{"properties", object{{"geometryType", kind}}},
	}}), nil
}

// areaOf is the closed ring that the arguments give, and what they gave it as.
func areaOf(args arguments) ([]position, string, error) {
	if center, ok := args.position("center"); ok {
		radius := args.number("radius", 1000)
		if radius <= 0 {
			return nil, "", errors.New("radius must be greater than 0")
		}
		return circle(center, radius), "circle", nil
	}
	if corners := args.positions("boundingBox"); len(corners) == 2 {
		b, _ := boundsOf(corners)
		return []position{{b[0], b[1]}, {b[2], b[1]}, {b[2], b[3]}, {b[0], b[3]}, {b[0], b[1]}}, "boundingBox", nil
	}
	if ring := args.positions("polygon"); len(ring) >= 3 {
		if ring[0] != ring[len(ring)-1] {
			ring = append(ring, ring[0])
		}
		return ring, "polygon", nil
	}
	return nil, "", apiError("Provide exactly one search area: center and radius, polygon, or boundingBox")
}

// circle is a ring of 64 sides.
func circle(center position, radiusM float64) []position {
	ring := make([]position, 0, 65)
	for i := range 64 {
		ring = append(ring, move(center, math.Pi/2-2*math.Pi*float64(i)/64, radiusM))
	}
	return append(ring, ring[0])
}

// inRing tells whether p is within a closed ring, by counting crossings.
func inRing(ring []position, p position) bool {
	in := false
	for i := 1; i < len(ring); i++ {
		a, b := ring[i-1], ring[i]
		if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0]+(p[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
			in = !in
		}
	}
	return in
}

// plug is a kind of connector of charging stations.
type plug struct {
	kind, current string
	powerKW       float64
	volts, amps   int
	speed         string
}

var plugs = []plug{
	{"IEC62196Type2Outlet", "AC3", 11, 400, 16, "slow"},
	{"IEC62196Type2CableAttached", "AC3", 22, 400, 32, "regular"},
	{"IEC62196Type2CCS", "DC", 150, 400, 375, "ultra-fast"},
	{"IEC62196Type2CCS", "DC", 300, 800, 375, "ultra-fast"},
	{"Chademo", "DC", 50, 400, 125, "fast"},
}

// buildStationSearch computes tomtom-ev-search's document.
func buildStationSearch(c *call) (object, error) {
	s := c.newSearch(c.args.text("query"), 10)
	s.category, _ = categoryByCode("ELECTRIC_VEHICLE_STATION")
	at, ok := c.args.position("position")
	if !ok {
		return nil, errPosition
	}
	s.near = at
	s.radiusM = math.Max(50, c.args.number("radius", 5000))
	wanted, leastKW := c.args.texts("connectorTypes"), c.args.number("minPowerKW", 0)
	all := s.candidates(c.opts.Seed)
	features := list{}
	for _, k := range all {
		if len(features) == s.limit {
			break
		}
		park := chargingPark(newRandom(c.opts.Seed, "park", key(k.at)), wanted, leastKW, c.args.flag("includeAvailability", true))
		if park == nil {
			continue
		}
		f := c.place(s, k)
		features = append(features, f.with("properties", append(f.object("properties"), member{"chargingPark", park})))
	}
	return s.collection(features, len(all), false), nil
}

// chargingPark is a station's equipment; nil if none of it is wanted.
func chargingPark(r random, wanted []string, leastKW float64, availability bool) object {
	connectors, states := list{}, list{}
	points, free := 0, 0
	for _, p := range plugs {
		n := r.IntN(5)
		if n == 0 || p.powerKW < leastKW || (len(wanted) > 0 && !slices.Contains(wanted, p.kind)) {
			continue
		}
		available := r.IntN(n + 1)
		points, free = points+n, free+available
		connectors = append(connectors, object{{"connector", object{
			{"id", fmt.Sprintf("%08x", r.Uint32())},
			{"type", p.kind},
			{"ratedPowerKW", p.powerKW},
			{"voltageV", p.volts},
			{"currentA", p.amps},
			{"currentType", p.current},
			{"chargingSpeed", p.speed},
		}}, {"count", n}})
		states = append(states, object{{"type", p.kind}, {"total", n}, {"statusCounts", object{{"Available", available}, {"Occupied", n - available}}}})
	}
	if len(connectors) == 0 {
		return nil
	}
	park := object{{"connectors", connectors}}
	if availability {
		park = append(park, member{"availability", object{
			{"id", seededUUID(r)},
			{"chargingPointAvailability", object{
				{"count", points},
				{"statusCounts", object{{"Available", free}, {"Occupied", points - free}}},
				{"updatedAt", defaultDeparture.Format(timeLayout)},
			}},
			{"connectorAvailabilities", states},
			{"accessType", "Public"},
		}})
	}
	return park
}
