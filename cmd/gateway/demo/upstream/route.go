package upstream

import (
	"errors"
	"fmt"
	"time"
)

// routeRequest is what a route is computed for.
type routeRequest struct {
	stops           []position
	avoid           []string
	sectionTypes    []string
	routeType       string
	alternatives    int
	historicTraffic bool
	rushHour        bool
	guidance        bool
	departure       time.Time
	arrival         time.Time // zero: departure counts
}

// defaultDeparture is when routes start that do not say when: fixed, so that equal questions have equal answers.
var defaultDeparture = time.Date(2026, 6, 24, 8, 0, 0, 0, time.UTC)

var errNoRoute = errors.New("Engine error while executing route request: NO_ROUTE_FOUND") //nolint:staticcheck // TomTom's spelling

// newRouteRequest reads the arguments that all routing tools share.
func (c *call) newRouteRequest(stops []position) (routeRequest, error) {
	p := routeRequest{
		stops: stops, avoid: c.args.texts("avoid"), sectionTypes: c.args.texts("sectionType"),
		routeType: c.args.text("routeType"), historicTraffic: c.args.text("traffic") == "historical",
		rushHour: c.opts.RushHour, guidance: c.opts.Guidance, departure: defaultDeparture,
	}
	for name, at := range map[string]*time.Time{"departAt": &p.departure, "arriveAt": &p.arrival} {
		s := c.args.text(name)
		if s == "" {
			continue
		}
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return p, fmt.Errorf("Invalid value for parameter %s: %s", name, s) //nolint:staticcheck // an API message
		}
		*at = t.UTC()
	}
	for i := 1; i < len(stops); i++ {
		if distanceM(stops[i-1], stops[i]) > 6e6 {
			return p, errNoRoute
		}
	}
	return p, nil
}

// seedOf is a generator for one aspect of a request.
func (p routeRequest) seedOf(seed uint64, aspect string) random {
	motorways := ""
	if contains(p.avoid, "motorways") {
		motorways = "local"
	}
	return newRandom(seed, aspect, key(p.stops...), p.routeType, motorways)
}

// lines computes the best line and the alternatives to it.
func (p routeRequest) lines(seed uint64) []*line {
	best := &line{}
	r := p.seedOf(seed, "line")
	for i := 1; i < len(p.stops); i++ {
		layLine(best, r, way{from: p.stops[i-1], to: p.stops[i], noMotorways: contains(p.avoid, "motorways")})
		best.legEnds = append(best.legEnds, best.last())
	}
	out := []*line{best}
	for range p.alternatives {
		out = append(out, best.alternative(r))
	}
	return out
}

// alternative is a line that leaves l somewhere, goes another way, and joins it again: within one leg, so that it
// passes the same stops. The shared vertices are the same.
func (l *line) alternative(r random) *line {
	leg := r.IntN(len(l.legEnds))
	start, end := 0, l.legEnds[leg]
	if leg > 0 {
		start = l.legEnds[leg-1] + 1
	}
	n := float64(end - start)
	leave := start + int(n*r.between(0.04, 0.3))
	join := start + int(n*r.between(0.6, 0.96))
	from, to := l.points[leave], l.points[join]
	d := distanceM(from, to)
	via := move(between(from, to, r.between(0.35, 0.65)), heading(from, to)+1.5708, (0.04+r.Float64()*0.12)*d*pick(r, []float64{-1, 1}))

	out := &line{}
	for i := range leave {
		out.append(l.points[i], l.class[i])
	}
	layLine(out, r, way{from: from, to: to, via: []position{via}, through: true})
	shift := out.last() - join
	for i := join + 1; i <= l.last(); i++ {
		out.append(l.points[i], l.class[i])
	}
	for i, e := range l.legEnds {
		if i >= leg {
			e += shift
		}
		out.legEnds = append(out.legEnds, e)
	}
	return out
}

// buildRouting computes tomtom-routing's document.
func buildRouting(c *call) (object, error) {
	p, err := c.newRouteRequest(c.args.positions("locations"))
	if err != nil {
		return nil, err
	}
	p.alternatives = max(0, min(5, int(c.args.number("maxAlternatives", 0))))
	if len(p.stops) < 2 {
		return nil, errors.New("Coordinates must be within longitude -180 to 180 and latitude -90 to 90") //nolint:staticcheck // an API message
	}
	return c.routes(p, p.lines(c.opts.Seed), nil), nil
}

// routes makes the FeatureCollection of the lines. charging, where given, belongs to the ends of the first line's legs.
func (c *call) routes(p routeRequest, lines []*line, charging *chargingPlan) object {
	features := list{}
	var whole bounds
	idSource := newIDs(p.seedOf(c.opts.Seed, "ids"))
	for i, l := range lines {
		box, _ := boundsOf(l.points)
		if i == 0 {
			whole = box
		}
		whole = whole.union(box)
		features = append(features, object{
			{"type", "Feature"},
			{"geometry", object{{"type", "LineString"}, {"coordinates", linePositions(l.points)}}},
			{"id", idSource.next()},
			{"bbox", box},
			{"properties", c.routeProperties(p, l, i, idSource, charging)},
		})
	}
	return object{{"type", "FeatureCollection"}, {"bbox", whole}, {"features", features}}
}

func (c *call) routeProperties(p routeRequest, l *line, index int, idSource *ids, charging *chargingPlan) object {
	s := &sectioner{r: p.seedOf(c.opts.Seed, fmt.Sprint("sections", index)), ids: idSource, line: l, nations: nationsOf(l)}
	s.all(p)
	t := s.times(p)
	legs := s.legs(t, charging)
	s.kinds = append(object{{"leg", legs}}, s.kinds...)
	summary := t.summary(l, 0, l.last())
	if charging != nil {
		summary = append(summary, charging.total()...)
	}
	out := object{
		{"index", index},
		{"summary", summary},
		{"sections", s.kinds},
		{"progress", progress(s.r, l, t.live/max(1, l.timeS[l.last()]))},
	}
	if p.guidance {
		out = append(out, member{"guidance", guidance(s)})
	}
	return out
}

func (s *sectioner) legs(t times, charging *chargingPlan) list {
	var legs list
	start := 0
	for i, end := range s.line.legEnds {
		summary := t.summary(s.line, start, end).without("historicTrafficTravelTimeInSeconds",
			"liveTrafficIncidentsTravelTimeInSeconds", "noTrafficTravelTimeInSeconds")
		if charging != nil {
			summary = append(summary, charging.leg(i)...)
		}
		legs = append(legs, object{
			{"startPointIndex", start}, {"endPointIndex", end}, {"summary", summary}, {"id", s.ids.next()},
		})
		start = end
	}
	return legs
}

// times are the travel times of a whole route in seconds.
type times struct {
	free, historic, live float64
	delay                int
	jamM                 float64
	departure            time.Time
}

func (s *sectioner) times(p routeRequest) times {
	free := s.line.timeS[s.line.last()]
	t := times{free: free, historic: free * 1.06, delay: s.delayS, jamM: s.jamM, departure: p.departure}
	t.live = t.historic + float64(s.delayS)
	if !p.arrival.IsZero() {
		t.departure = p.arrival.Add(-time.Duration(t.live) * time.Second)
	}
	return t
}

const timeLayout = "2006-01-02T15:04:05.000Z"

// summary is of the stretch between two vertices, with its share of the delays.
func (t times) summary(l *line, start, end int) object {
	share := (l.timeS[end] - l.timeS[start]) / max(1, t.free)
	before := l.timeS[start] / max(1, t.free) * t.live
	departure := t.departure.Add(time.Duration(before) * time.Second)
	travel := int(t.live * share)
	return object{
		{"lengthInMeters", int(l.distM[end] - l.distM[start])},
		{"travelTimeInSeconds", travel},
		{"trafficDelayInSeconds", int(float64(t.delay) * share)},
		{"trafficLengthInMeters", int(t.jamM * share)},
		{"historicTrafficTravelTimeInSeconds", int(t.historic * share)},
		{"liveTrafficIncidentsTravelTimeInSeconds", travel},
		{"noTrafficTravelTimeInSeconds", int(t.free * share)},
		{"departureTime", departure.Format(timeLayout)},
		{"arrivalTime", departure.Add(time.Duration(travel) * time.Second).Format(timeLayout)},
	}
}
