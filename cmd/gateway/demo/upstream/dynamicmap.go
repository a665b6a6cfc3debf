package upstream

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
)

// spot is a place as tomtom-dynamic-map takes it.
type spot struct {
	Lat, Lon float64
	Label    string
	Color    string
	Priority string
}

func (p spot) position() position { return position{p.Lon, p.Lat} }

// drawing is what the call asks to draw.
type drawing struct {
	markers []spot
	lines   []struct {
		Points      []spot
		Name, Color string
	}
	shapes []struct {
		Type                                string
		Coordinates                         []position
		Center                              *spot
		Radius                              float64
		Label, FillColor, StrokeColor, Name string
		StrokeWidth                         *float64
	}
	plans []struct {
		Origin, Destination spot
		Waypoints           []spot
		Label, RouteType    string
		Avoid               []string
		Traffic             bool
		Color               string
	}
}

func newDrawing(args arguments) (drawing, error) {
	var d drawing
	err := errors.Join(args.decode("markers", &d.markers), args.decode("routes", &d.lines),
		args.decode("polygons", &d.shapes), args.decode("routePlans", &d.plans))
	return d, err
}

// mapState is what a dynamic map consists of, as sources of a style, and all of its points for the view.
type mapState struct {
	routes, labels, markers, polygons, centers list
	points                                     []position
	tracks                                     [][]position // lines to draw in the image
	pins                                       []position   // markers to draw in the image
}

// runDynamicMap answers tomtom-dynamic-map: a sentence, an image, and `_meta` in a text of its own.
func runDynamicMap(c *call) answer {
	doc, err := c.memo.get(c.question(), func() (*document, error) { return c.drawMap() })
	if err != nil {
		return failureJSON(err.Error())
	}
	showUI := c.args.flag("show_ui", false)
	meta := object{{"show_ui", showUI}}
	if showUI {
		meta = append(meta, member{c.opts.handleName(), c.cache.put(doc.appData())})
	}
	items := textAnswer(doc.sentence(c.args.text("detail"))).items
	if !c.opts.Newer {
		items = append(items, item{image: doc.image(), mimeType: "image/png"})
	}
	if !c.opts.Untrimmed {
		items = append(items, textAnswer(string(pretty(render(object{{"_meta", meta}})))).items...)
	}
	return answer{items: items}
}

func (c *call) drawMap() (*document, error) {
	d, err := newDrawing(c.args)
	if err != nil {
		return nil, err
	}
	var m mapState
	if err := m.addPlans(c, d); err != nil {
		return nil, err
	}
	m.addMarkers(d)
	m.addLines(d)
	m.addShapes(d)
	view, err := m.view(c.args)
	if err != nil {
		return nil, err
	}
	width, height := int(c.args.number("width", 600)), int(c.args.number("height", 400))
	full := object{
		{"style", object{
			{"endpoint", "maps/orbis/assets/styles/0.5.0-0/style.json"},
			{"params", object{{"apiVersion", "1"}, {"map", "basic_street-light"}}},
			{"useOrbis", true},
		}},
		{"view", view.object()},
		{"sources", m.sources()},
		{"layers", mapLayers(m)},
		{"options", object{{"width", width}, {"height", height}, {"showLabels", c.args.flag("showLabels", false)}}},
	}
	doc := newDocument(full, documentTool{compact: func(object) object { return nil }})
	doc.image = sync.OnceValue(func() []byte {
		return mapImage(newRandom(c.opts.Seed, "image", c.question()), width, height, view.box, m.tracks, m.pins)
	})
	doc.sentence = func(detail string) string {
		kb := float64(base64.StdEncoding.DecodedLen(len(doc.image()))) / 1024
		return fmt.Sprintf("Dynamic map generated successfully (%dx%d, %.2fKB, detail: %s)", width, height, kb, detail)
	}
	return doc, nil
}

// addPlans computes the routes and what is said about them.
func (m *mapState) addPlans(c *call, d drawing) error {
	for i, plan := range d.plans {
		stops := []position{plan.Origin.position()}
		for _, w := range plan.Waypoints {
			stops = append(stops, w.position())
		}
		stops = append(stops, plan.Destination.position())
		asked := &call{Server: c.Server, tool: c.tool, args: arguments{}, key: c.key}
		p, err := asked.newRouteRequest(stops)
		if err != nil {
			return err
		}
		p.avoid = plan.Avoid
		l := p.lines(c.opts.Seed)[0]
		properties := asked.routeProperties(p, l, 0, newIDs(newRandom(c.opts.Seed)), nil)
		name := plan.Label
		if name == "" {
			name = fmt.Sprintf("Route %d", i+1)
		}
		m.addPlan(i, l, name, plan.Color, properties.object("summary"))
		m.addMarker(labelled(plan.Origin, "Start"))
		m.addMarker(labelled(plan.Destination, "End"))
	}
	return nil
}

func labelled(p spot, otherwise string) spot {
	if p.Label == "" {
		p.Label = otherwise
	}
	return p
}

func (m *mapState) addPlan(id int, l *line, name, color string, summary object) {
	metres, _ := summary.get("lengthInMeters").(int)
	seconds, _ := summary.get("travelTimeInSeconds").(int)
	delay, _ := summary.get("trafficDelayInSeconds").(int)
	distance, travel := fmt.Sprintf("%dkm", metres/1000), duration(seconds)
	label, late := fmt.Sprintf("%s (%s, %s)", name, distance, travel), ""
	if delay > 60 {
		late = "+" + duration(delay)
		label += " " + late + " delay"
		late = " (" + late + ")"
	}
	if color == "" {
		color = trafficColor(delay, seconds)
	}
	m.routes = append(m.routes, object{
		{"type", "Feature"},
		{"geometry", object{{"type", "LineString"}, {"coordinates", linePositions(l.points)}}},
		{"properties", object{
			{"id", id},
			{"label", label},
			{"routeName", name},
			{"distance", distance},
			{"travelTime", travel},
			{"trafficDelay", duration(delay)},
			{"trafficColor", color},
			{"hasTrafficData", true},
			{"lengthInMeters", metres},
			{"travelTimeInSeconds", seconds},
			{"trafficDelayInSeconds", delay},
		}},
	})
	start, end := l.points[0], l.points[l.last()]
	m.labels = append(m.labels,
		routeLabel(position{start[0], start[1] + 0.0005}, "Start: "+name, distance+", "+travel, id, "start"),
		routeLabel(position{end[0], end[1] - 0.0005}, "End: "+label, distance+", "+travel+late, id, "end"))
	box, _ := boundsOf(l.points)
	m.points = append(m.points, position{box[0], box[1]}, position{box[2], box[3]})
	m.tracks = append(m.tracks, l.points)
}

func routeLabel(at position, label, summary string, id int, kind string) object {
	return mapFeature(at.round7(), object{{"label", label}, {"summary", summary}, {"routeId", id}, {"type", kind}})
}

func mapFeature(at position, properties object) object {
	return object{
		{"type", "Feature"}, {"geometry", object{{"type", "Point"}, {"coordinates", at}}}, {"properties", properties},
	}
}

func trafficColor(delay, seconds int) string {
	switch share := float64(delay) / math.Max(1, float64(seconds)); {
	case share > 0.3:
		return "#ef4444"
	case share > 0.1:
		return "#f97316"
	}
	return "#22c55e"
}

// duration is 6h 39m, or minutes alone.
func duration(seconds int) string {
	if h := seconds / 3600; h > 0 {
		return fmt.Sprintf("%dh %dm", h, seconds%3600/60)
	}
	return fmt.Sprintf("%dm", seconds/60)
}

func (m *mapState) addMarkers(d drawing) {
	for _, p := range d.markers {
		m.addMarker(p)
	}
}

func (m *mapState) addMarker(p spot) {
	if p.Color == "" {
		p.Color = "#4285F4"
	}
	if p.Priority == "" {
		p.Priority = "normal"
	}
	m.points = append(m.points, p.position())
	m.pins = append(m.pins, p.position())
	m.markers = append(m.markers, mapFeature(p.position(), object{
		{"id", len(m.markers)}, {"label", p.Label}, {"color", p.Color}, {"markerType", "pin"}, {"priority", p.Priority},
	}))
}

// addLines draws straight lines between the given points.
func (m *mapState) addLines(d drawing) {
	for _, l := range d.lines {
		var points []position
		for _, p := range l.Points {
			points = append(points, p.position())
		}
		if len(points) < 2 {
			continue
		}
		color := l.Color
		if color == "" {
			color = "#1976d2"
		}
		m.routes = append(m.routes, object{
			{"type", "Feature"},
			{"geometry", object{{"type", "LineString"}, {"coordinates", linePositions(points)}}},
			{"properties", object{{"id", len(m.routes)}, {"label", l.Name}, {"routeName", l.Name}, {"trafficColor", color}, {"hasTrafficData", false}}},
		})
		m.points = append(m.points, points...)
		m.tracks = append(m.tracks, points)
	}
}

func (m *mapState) addShapes(d drawing) {
	for i, s := range d.shapes {
		ring := s.Coordinates
		if s.Type == "circle" && s.Center != nil {
			ring = circle(s.Center.position(), s.Radius)
		}
		if len(ring) < 3 {
			continue
		}
		if ring[0] != ring[len(ring)-1] {
			ring = append(ring, ring[0])
		}
		width := 2.0
		if s.StrokeWidth != nil {
			width = *s.StrokeWidth
		}
		box, _ := boundsOf(ring)
		m.polygons = append(m.polygons, object{
			{"type", "Feature"},
			{"geometry", object{{"type", "Polygon"}, {"coordinates", list{linePositions(ring)}}}},
			{"properties", object{
				{"id", i},
				{"label", s.Label},
				{"name", s.Name},
				{"fillColor", either(s.FillColor, "rgba(0,123,255,0.3)")},
				{"strokeColor", either(s.StrokeColor, "#007bff")},
				{"strokeWidth", width},
			}},
		})
		m.centers = append(m.centers, mapFeature(position{(box[0] + box[2]) / 2, (box[1] + box[3]) / 2}, object{{"label", s.Label}}))
		m.points = append(m.points, ring...)
		m.tracks = append(m.tracks, ring)
	}
}

func either(s, otherwise string) string {
	if strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}
