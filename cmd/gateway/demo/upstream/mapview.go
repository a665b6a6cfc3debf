package upstream

import (
	"math"
)

// mapView is what part of the world a map shows.
type mapView struct {
	center position
	zoom   float64
	box    bounds
}

// view is the one that the arguments ask for, else one around everything that is drawn.
func (m *mapState) view(args arguments) (mapView, error) {
	width, height := args.number("width", 600), args.number("height", 400)
	box, ok := args.bounds("bbox")
	if !ok {
		box, ok = boundsOf(m.points)
	}
	var center spot
	if args["center"] != nil {
		if err := args.decode("center", &center); err != nil {
			return mapView{}, err
		}
		zoom := args.number("zoom", 12)
		return mapView{center.position(), zoom, boxAround(center.position(), zoom, width, height)}, nil
	}
	if !ok {
		return mapView{}, apiError("Provide center and zoom, bbox, or content to show: markers, routes, polygons, routePlans")
	}
	middle := position{(box[0] + box[2]) / 2, (box[1] + box[3]) / 2}
	across := math.Max(box[2]-box[0], 0.002) / 360 * 256
	along := math.Max(box[3]-box[1], 0.002) / cosLat(middle[1]) / 360 * 256
	zoom := math.Floor(math.Log2(math.Min(width*0.8/across, height*0.8/along)))
	zoom = args.number("zoom", math.Max(0, math.Min(17, zoom)))
	return mapView{middle, zoom, boxAround(middle, zoom, width, height)}, nil
}

// boxAround is what a map of that many pixels shows at a zoom level.
func boxAround(center position, zoom, width, height float64) bounds {
	perPixel := 360 / 256. / math.Exp2(zoom)
	dx, dy := width/2*perPixel, height/2*perPixel*cosLat(center[1])
	return bounds{center[0] - dx, math.Max(-85, center[1]-dy), center[0] + dx, math.Min(85, center[1]+dy)}
}

func (v mapView) object() object {
	return object{
		{"center", v.center},
		{"zoom", v.zoom},
		{"bounds", object{{"north", v.box[3]}, {"south", v.box[1]}, {"east", v.box[2]}, {"west", v.box[0]}}},
	}
}

// sources are the style's data; one without features is left out.
func (m *mapState) sources() object {
	out := object{}
	for _, s := range []struct {
		name     string
		features list
	}{
		{"routes", m.routes}, {"routeLabels", m.labels}, {"markers", m.markers}, {"polygons", m.polygons}, {"polygonCenters", m.centers},
	} {
		if len(s.features) > 0 {
			out = append(out, member{s.name, object{
				{"type", "geojson"}, {"data", object{{"type", "FeatureCollection"}, {"features", s.features}}},
			}})
		}
	}
	return out
}

// mapLayers draw the sources in the style's language.
func mapLayers(m mapState) list {
	out := list{}
	layer := func(id, kind, source string, more ...member) {
		out = append(out, append(object{{"id", id}, {"type", kind}, {"source", source}}, more...))
	}
	property := func(name string) list { return list{"get", name} }
	paint := func(o object) member { return member{"paint", o} }
	if len(m.polygons) > 0 {
		layer("polygon-fill", "fill", "polygons", paint(object{{"fill-color", property("fillColor")}}))
		layer("polygon-outline", "line", "polygons", paint(object{{"line-color", property("strokeColor")}, {"line-width", property("strokeWidth")}}))
	}
	if len(m.routes) > 0 {
		layer("route-outline", "line", "routes", paint(object{{"line-width", 8}, {"line-color", "#ffffff"}, {"line-opacity", 0.8}}))
		layer("route-layer", "line", "routes", paint(object{{"line-width", 6}, {"line-color", property("trafficColor")}, {"line-opacity", 1}}))
	}
	if len(m.labels) > 0 {
		layer("route-labels", "symbol", "route-labels",
			member{"layout", object{{"text-field", property("summary")}, {"text-font", list{"Noto-Bold"}}, {"text-size", 11}}},
			paint(object{{"text-color", "#1976d2"}, {"text-halo-color", "#ffffff"}, {"text-halo-width", 3}}))
	}
	if len(m.markers) > 0 {
		layer("marker-pin", "symbol", "markers", member{"filter", list{"==", property("markerType"), "pin"}},
			member{"layout", object{{"icon-image", "pin-marker"}, {"icon-allow-overlap", true}, {"icon-anchor", "bottom"}}})
		for i, priority := range []string{"critical", "high", "normal", "low"} {
			layer("marker-labels-"+priority, "symbol", "markers", member{"filter", list{"==", property("priority"), priority}},
				member{"layout", object{{"text-field", property("label")}, {"text-font", list{"Noto-Bold"}}, {"text-size", 15 - i}}})
		}
	}
	return out
}
