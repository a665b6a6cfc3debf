package upstream

import (
	"slices"
	"strings"
)

// The densities of a real route of 5,601 vertices, as one in so many vertices.
const (
	verticesPerProgress   = 45
	verticesPerLanes      = 85
	verticesPerSpeedLimit = 71
	verticesPerUrban      = 130
	verticesPerShield     = 160
	verticesPerTunnel     = 233
)

// Traffic varies by the hour; these are a quiet one and a bad one.
const (
	verticesPerTraffic         = 3500
	verticesPerRushHourTraffic = 258
)

// sectioner makes the sections of one route feature.
type sectioner struct {
	r       random
	ids     *ids
	line    *line
	nations []nation
	kinds   object // the sections so far, in the order of the real server
	jams    []jam
}

// jam is what a traffic section adds to the summaries.
type jam struct {
	start  int // vertex
	delayS int
	metres float64
}

// add puts sections of a kind in; a kind without sections has no member.
func (s *sectioner) add(kind string, runs []run, extra func(run) object) {
	if len(runs) == 0 {
		return
	}
	sections := make(list, len(runs))
	for i, r := range runs {
		o := object{{"id", s.ids.next()}, {"startPointIndex", r.start}, {"endPointIndex", r.end}}
		if extra != nil {
			o = append(o, extra(r)...)
		}
		sections[i] = o
	}
	s.kinds = append(s.kinds, member{kind, sections})
}

// countryAt is the country that a vertex is in.
func (s *sectioner) countryAt(vertex int) country {
	for _, n := range s.nations {
		if vertex <= n.end {
			return n.country
		}
	}
	return s.nations[len(s.nations)-1].country
}

// where keeps the stretches whose start is in a country that fits.
func (s *sectioner) where(fits func(country) bool) []run {
	var out []run
	for _, n := range s.nations {
		if fits(n.country) {
			out = append(out, n.run)
		}
	}
	return out
}

// all makes every kind but the legs, which the caller has put in first.
func (s *sectioner) all(p routeRequest) {
	n := len(s.line.points)
	s.crossings()
	motorways := runsOf(s.line, motorway, 60, 85)
	s.add("tunnel", scatter(s.r, n, verticesPerTunnel, 9), nil)
	s.add("motorway", motorways, nil)
	if !slices.Contains(p.avoid, "tollRoads") {
		s.add("toll", overlap(motorways, s.where(func(c country) bool { return c.toll })), nil)
	}
	s.add("urban", append(runsOf(s.line, urban, 12, 12), scatter(s.r, n, verticesPerUrban, 22)...), nil)
	s.add("unpaved", scatter(s.r, n, 9000, 7), nil)
	s.add("lowEmissionZone", scatter(s.r, n, 4000, 60), nil)
	countries := make([]run, len(s.nations))
	for i, c := range s.nations {
		countries[i] = c.run
	}
	s.add("country", countries, func(r run) object { return object{{"countryCodeISO3", s.countryAt(r.start + 1).code3}} })
	if n > 6 {
		s.add("vehicleRestricted", []run{{0, 2}, {n - 3, n - 1}}, nil)
	}
	s.traffic(p, n)
	if slices.Contains(p.sectionTypes, "lanes") {
		s.add("lanes", scatter(s.r, n, verticesPerLanes, 6), s.lanes)
	}
	s.add("speedLimit", cover(s.r, n, verticesPerSpeedLimit), s.speedLimit)
	s.add("roadShields", cover(s.r, n, verticesPerShield), s.shield)
	s.add("tollVignette", s.where(func(c country) bool { return c.vignette }), func(r run) object {
		return object{{"countryCodeISO3", s.countryAt(r.start + 1).code3}}
	})
	index := -1
	s.add("importantRoadStretch", scatter(s.r, n, 2000, 800), func(r run) object {
		index++
		c := s.countryAt(r.start)
		o := object{{"index", index}}
		if s.r.chance(0.4) {
			o = append(o, member{"streetName", pick(s.r, c.streets)})
		}
		return append(o, member{"roadNumbers", list{roadNumber(s.r, c, motorway)}})
	})
}

// crossings puts the water in: a ferry or a car train where a route reaches an island, and now and then elsewhere.
func (s *sectioner) crossings() {
	var ferries, trains []run
	at := func(vertex, length int) run {
		start := max(0, min(vertex, s.line.last()-length))
		return run{start, min(s.line.last(), start+length)}
	}
	for i, n := range s.nations {
		switch {
		case i == 0 || n.country.island == s.nations[i-1].country.island:
		case s.r.chance(0.5):
			trains = append(trains, at(n.start, 40))
		default:
			ferries = append(ferries, at(n.start, 60))
		}
	}
	if len(s.line.points) > 30000 {
		ferries = append(ferries, at(s.r.intBetween(9000, 14000), 9))
		trains = append(trains, at(s.r.intBetween(18000, 23000), 6))
	}
	s.add("carTrain", trains, nil)
	s.add("ferry", ferries, nil)
}

func (s *sectioner) traffic(p routeRequest, n int) {
	if p.historicTraffic {
		return
	}
	every := verticesPerTraffic
	if p.rushHour {
		every = verticesPerRushHourTraffic
	}
	s.add("traffic", scatter(s.r, n, every, 28), s.jammed)
}

func (s *sectioner) jammed(r run) object {
	metres := s.line.distM[r.end] - s.line.distM[r.start]
	free := s.line.timeS[r.end] - s.line.timeS[r.start]
	kmh := s.r.intBetween(12, 80)
	delay := max(15, int(metres*3.6/float64(kmh)-free))
	s.jams = append(s.jams, jam{r.start, delay, metres})
	kind := pick(s.r, []struct {
		category  string
		cause     int
		sub       int
		magnitude string
	}{
		{"jam", 1, 0, "moderate"},
		{"jam", 1, 0, "minor"},
		{"roadworks", 3, 0, "minor"},
		{"lane-closed", 16, 6, "major"},
		{"danger", 9, 2, "unknown"},
		{"accident", 2, 1, "major"},
		{"road-closed", 5, 8, "indefinite"},
	})
	cause := object{{"mainCauseCode", kind.cause}}
	if kind.sub > 0 {
		cause = append(cause, member{"subCauseCode", kind.sub})
	}
	return object{
		{"delayInSeconds", delay},
		{"effectiveSpeedInKmh", kmh},
		{"categories", list{kind.category}},
		{"magnitudeOfDelay", kind.magnitude},
		{"tec", object{{"causes", list{cause}}, {"effectCode", s.r.intBetween(2, 6)}}},
	}
}

func (s *sectioner) speedLimit(r run) object {
	limits := [...][]int{urban: {30, 50, 50}, rural: {60, 80, 100}, ramp: {60, 80}, motorway: {100, 120, 130}}
	return object{{"maxSpeedLimitInKmh", pick(s.r, limits[s.line.class[r.end]])}}
}

func (s *sectioner) shield(r run) object {
	c := s.countryAt(r.start)
	number := roadNumber(s.r, c, s.line.class[r.end])
	affixes := list{}
	if s.r.chance(0.08) {
		affixes = append(affixes, "Ring")
	}
	return object{{"roadShieldReferences", list{object{
		{"reference", "7d9d6c2a-" + strings.ToLower(number[:1]) + "-" + strings.ToLower(c.code2)},
		{"shieldContent", number},
		{"affixes", affixes},
	}}}}
}

func (s *sectioner) lanes(run) object {
	n := s.r.intBetween(2, 5)
	exit := s.r.IntN(n)
	lanes, separators := list{}, list{"SINGLE_SOLID"}
	for i := range n {
		lane := object{{"directions", list{"STRAIGHT"}}}
		switch {
		case i == n-1:
			lane = object{{"directions", list{"STRAIGHT", "SLIGHT_RIGHT"}}}
			fallthrough
		case i >= exit:
			lane = append(lane, member{"follow", "STRAIGHT"})
		}
		lanes = append(lanes, lane)
		separators = append(separators, pick(s.r, []string{"SHORT_DASHED", "LONG_DASHED", "SINGLE_SOLID"}))
	}
	return object{{"lanes", lanes}, {"laneSeparators", separators}, {"properties", list{"IS_MANEUVER"}}}
}

// progress is distance and time at some of the vertices, both ends among them.
func progress(r random, l *line, stretch float64) list {
	var out list
	for i := 0; ; {
		out = append(out, object{
			{"pointIndex", i}, {"distanceInMeters", int(l.distM[i])}, {"travelTimeInSeconds", int(l.timeS[i] * stretch)},
		})
		if i == l.last() {
			return out
		}
		i = min(l.last(), i+1+int(r.ExpFloat64()*(verticesPerProgress-1)))
	}
}
