package upstream

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// event is a kind of incident.
type event struct {
	category int
	code     int
	text     string
	share    float64
	closed   bool // has an end and no delay
}

var events = []event{
	{6, 101, "Stationary traffic", 0.25, false},
	{6, 115, "Slow traffic", 0.25, false},
	{7, 500, "Lane closed", 0.2, true},
	{8, 401, "Closed", 0.13, true},
	{9, 701, "Roadworks", 0.15, true},
	{1, 201, "Accident", 0.02, false},
}

// buildTraffic computes tomtom-traffic's document: incidents in a box, more of them in a larger one.
func buildTraffic(c *call) (object, error) {
	b, ok := c.args.bounds("bbox")
	if !ok {
		return nil, apiError("Provide bbox as [minLon, minLat, maxLon, maxLat]")
	}
	center := position{(b[0] + b[2]) / 2, (b[1] + b[3]) / 2}
	areaKm2 := (b[2] - b[0]) * cosLat(center[1]) * (b[3] - b[1]) * metresPerDegree * metresPerDegree / 1e6
	r := newRandom(c.opts.Seed, "traffic", key(position{b[0], b[1]}, position{b[2], b[3]}))
	incidents := list{}
	wanted := c.args.text("categoryFilter")
	for range int(math.Max(3, math.Min(400, areaKm2*0.154))) {
		at := position{r.between(b[0], b[2]), r.between(b[1], b[3])}
		if o := incident(r, at); wanted == "" || categoryIn(wanted, o) {
			incidents = append(incidents, o)
		}
	}
	return object{{"incidents", incidents}}, nil
}

func categoryIn(wanted string, incident object) bool {
	id, _ := incident.object("properties").get("iconCategory").(int)
	return slices.Contains(strings.Split(strings.ReplaceAll(wanted, " ", ""), ","), strconv.Itoa(id))
}

// pickEvent picks a kind in proportion to its share.
func pickEvent(r random) event {
	x := r.Float64()
	for _, e := range events {
		if x -= e.share; x < 0 {
			return e
		}
	}
	return events[0]
}

func incident(r random, at position) object {
	kind := pickEvent(r)
	town := nearestCity(at)
	land := countryOf(town.country)
	var l line
	to := move(at, r.between(0, 2*math.Pi), r.between(300, 3000))
	layLine(&l, r, way{from: at.round5(), to: to.round5(), through: true})
	var delay, ends any
	if kind.closed {
		ends = "2026-07-01T17:00:00Z"
	} else {
		delay = r.intBetween(60, 900)
	}
	numbers := list{}
	if r.chance(0.6) {
		numbers = list{roadNumber(r, land, motorway)}
	}
	certain := object{{"probabilityOfOccurrence", "certain"}, {"numberOfReports", nil}, {"lastReportTime", nil}}
	properties := object{
		{"id", fmt.Sprintf("TTI-%010x-TTR%d", r.Uint64()>>24, r.Uint64()>>14)},
		{"iconCategory", kind.category},
		{"magnitudeOfDelay", r.IntN(5)},
		{"events", list{object{{"description", kind.text}, {"code", kind.code}, {"iconCategory", kind.category}}}},
		{"startTime", "2026-06-24T07:12:00Z"},
		{"endTime", ends},
		{"from", pick(r, land.streets) + " (" + town.name + ")"},
		{"to", pick(r, land.streets)},
		{"length", l.distM[l.last()]},
		{"delay", delay},
		{"roadNumbers", numbers},
		{"timeValidity", "present"},
	}
	properties = append(append(properties, certain...), member{"tmc", nil}, member{"aci", certain})
	points := make([]position, len(l.points))
	for i, p := range l.points {
		points[i] = p.round5()
	}
	return object{
		{"type", "Feature"},
		{"properties", properties},
		{"geometry", object{{"type", "LineString"}, {"coordinates", linePositions(points)}}},
	}
}

// compactTraffic leaves the most severe incidents, flat, and a summary of all.
func compactTraffic(most int) func(object) object {
	return func(doc object) object {
		all := slices.Clone(doc.list("incidents"))
		byCategory := map[int]int{}
		for _, i := range all {
			byCategory[severityOf(i, "iconCategory")]++
		}
		slices.SortStableFunc(all, func(a, b any) int {
			return cmp.Compare(severityOf(b, "magnitudeOfDelay"), severityOf(a, "magnitudeOfDelay"))
		})
		kept := list{}
		for _, i := range all[:min(len(all), most)] {
			kept = append(kept, flatIncident(i.(object).object("properties")))
		}
		summary := object{
			{"totalIncidents", len(all)},
			{"returnedIncidents", len(kept)},
			{"truncated", len(kept) < len(all)},
			{"incidentsByIconCategory", countsOf(byCategory)},
		}
		if len(kept) < len(all) {
			summary = append(summary, member{"note", fmt.Sprintf("Showing the %d most severe of %d incidents. "+
				"Narrow the bbox, use categoryFilter, or raise maxResults for more.", len(kept), len(all))})
		}
		return object{{"incidents", kept}, {"incidentSummary", summary}}
	}
}

func severityOf(incident any, name string) int {
	o, _ := incident.(object)
	n, _ := o.object("properties").get(name).(int)
	return n
}

func countsOf(byCategory map[int]int) object {
	out := object{}
	for id := range 15 {
		if n := byCategory[id]; n > 0 {
			out = append(out, member{strconv.Itoa(id), n})
		}
	}
	return out
}

// flatIncident leaves out what is unknown.
func flatIncident(p object) object {
	out := object{}
	for _, name := range []string{"iconCategory", "magnitudeOfDelay", "from", "to", "length", "delay", "roadNumbers", "startTime", "endTime", "events"} {
		v := p.get(name)
		switch name {
		case "length":
			length, _ := v.(float64)
			v = math.Round(length)
		case "events":
			texts := list{}
			for _, e := range p.list("events") {
				texts = append(texts, e.(object).get("description"))
			}
			v = texts
		case "roadNumbers":
			if len(p.list(name)) == 0 {
				v = nil
			}
		}
		if v != nil {
			out = append(out, member{name, v})
		}
	}
	return out
}

// runTraffic answers tomtom-traffic; how many incidents the compact text has depends on the call.
func runTraffic(c *call) answer {
	most := int(c.args.number("maxResults", 100))
	c.tool.document = documentTool{build: buildTraffic, compact: compactTraffic(most), minified: true}
	return runDocument(c)
}
