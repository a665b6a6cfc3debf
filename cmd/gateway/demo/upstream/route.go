package upstream

import (
	"fmt"
	"slices"
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

const errNoRoute = apiError("Engine error while executing route request: NO_ROUTE_FOUND")

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
			return p, apiError(fmt.Sprintf("Invalid value for parameter %s: %s", name, s))
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
	if slices.Contains(p.avoid, "motorways") {
		motorways = "local"
	}
	return newRandom(seed, aspect, key(p.stops...), p.routeType, motorways)
}

// lines computes the best line and the alternatives to it.
func (p routeRequest) lines(seed uint64) []*line {
	best := &line{}
	r := p.seedOf(seed, "line")
	for i := 1; i < len(p.stops); i++ {
		layLine(best, r, way{from: p.stops[i-1], to: p.stops[i], noMotorways: slices.Contains(p.avoid, "motorways")})
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
		return nil, errPosition
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
	summary := s.summary(t, 0, l.last())
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
		summary := s.summary(t, start, end).without("historicTrafficTravelTimeInSeconds",
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

// times are how long a whole route takes in seconds: on empty roads and now.
type times struct {
	free, live float64
	departure  time.Time
}

// usual is how much longer a drive takes at the usual speeds than on empty roads.
const usual = 1.06

func (s *sectioner) times(p routeRequest) times {
	free := s.line.timeS[s.line.last()]
	delay, _ := s.jammedBetween(0, s.line.last())
	t := times{free: free, live: free*usual + float64(delay), departure: p.departure}
	if !p.arrival.IsZero() {
		t.departure = p.arrival.Add(-time.Duration(t.live) * time.Second)
	}
	return t
}

// jammedBetween is the delay in seconds and the length in metres of the traffic that starts between two vertices.
func (s *sectioner) jammedBetween(start, end int) (delayS int, metres float64) {
	for _, j := range s.jams {
		if j.start >= start && j.start < end {
			delayS += j.delayS
			metres += j.metres
		}
	}
	return delayS, metres
}

const timeLayout = "2006-01-02T15:04:05.000Z"

// summary is of the stretch between two vertices of the route that t is of.
func (s *sectioner) summary(t times, start, end int) object {
	freeS := s.line.timeS[end] - s.line.timeS[start]
	delay, jamM := s.jammedBetween(start, end)
	delayBefore, _ := s.jammedBetween(0, start)
	departure := t.departure.Add(time.Duration(s.line.timeS[start]*usual+float64(delayBefore)) * time.Second)
	travel := int(freeS*usual) + delay
	return object{
		{"lengthInMeters", int(s.line.distM[end] - s.line.distM[start])},
		{"travelTimeInSeconds", travel},
		{"trafficDelayInSeconds", delay},
		{"trafficLengthInMeters", int(jamM)},
		{"historicTrafficTravelTimeInSeconds", int(freeS * usual)},
		{"liveTrafficIncidentsTravelTimeInSeconds", travel},
		{"noTrafficTravelTimeInSeconds", int(freeS)},
		{"departureTime", departure.Format(timeLayout)},
		{"arrivalTime", departure.Add(time.Duration(travel) * time.Second).Format(timeLayout)},
	}
}
