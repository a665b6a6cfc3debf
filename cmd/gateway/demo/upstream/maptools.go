package upstream

// mapTools are traffic and the two tools that draw what the caller gives them.
func mapTools(o Options) []tool {
	detail := optional("detail", defaulted("compact", enum(
		"'compact': an image under 1 MB. 'full': the original image", "compact", "full")))
	return []tool{
		{
			name: "tomtom-traffic", title: "TomTom Traffic", resource: "ui://tomtom-traffic/incidents/app.html",
			description: "Show traffic incidents in an area. Use it first for traffic, accidents, closures and congestion.",
			input: []property{
				showUI(false), responseDetail(o),
				optional("bbox", boundsSchema("Box [minLon, minLat, maxLon, maxLat]. Example: [4.7, 52.2, 5.1, 52.5].")),
				optional("language", text("Language of the descriptions. Default: 'en-GB'.")),
				optional("categoryFilter", text("Only these icon categories, comma-separated. Example: '6,8'")),
				optional("timeValidityFilter", text("'present' (default), 'future', or both, comma-separated")),
				optional("maxResults", numberFrom(1, 1000, "Number of incidents, the most severe first. Default: 100")),
				optional("fields", text("Fields to return, nested as in the response's schema")),
			},
			run: runTraffic,
		},
		{
			name: "tomtom-dynamic-map", title: "TomTom Dynamic Map", resource: "ui://tomtom-map/dynamic-map/app.html",
			description: "Draw markers, lines, polygons, circles and routes on one map image. For plain directions use tomtom-routing, " +
				"for incidents tomtom-traffic, for large datasets tomtom-data-viz.",
			input: joined(mapViewOptions, mapShapes, []property{detail, showUI(o.Newer)}),
			run:   runDynamicMap,
		},
		{
			name: "tomtom-data-viz", title: "TomTom Data Visualization", resource: "ui://tomtom-data-viz/byod/app.html",
			description: "Draw your own GeoJSON on a map: markers, heatmaps, clusters, lines, fills, choropleths. Give it inline or as a URL.",
			input: []property{
				optional("data_url", append(text("URL of a GeoJSON FeatureCollection or Feature, at most 50 MB. Not together with geojson. "+
					"Example: 'https://example.com/data.geojson'."), member{"format", "uri"})),
				optional("geojson", text("GeoJSON FeatureCollection or Feature as a string. Not together with data_url.")),
				required("layers", sized(1, 10, array(vizLayer, "How to draw the data; several lie over each other. "+
					"Example: [{type: 'heatmap'}, {type: 'markers', label_property: 'name'}]."))),
				optional("title", text("Title on the map. Example: 'Store locations'.")),
				showUI(false),
			},
			run: runDataViz,
		},
	}
}

var vizLayer = objectSchema(
	required("type", enum("Kind of drawing. 'choropleth' needs color_property.", "markers", "heatmap", "clusters", "line", "fill", "choropleth")),
	optional("color_property", text("Property that decides the colour. Example: 'population'.")),
	optional("color_scale", sized(2, 2, texts("Colours of the least and the largest value. Example: ['#2196F3', '#F44336']."))),
	optional("size_property", text("Property that decides the size. Example: 'magnitude'.")),
	optional("label_property", text("Property that titles the popup. Example: 'name'.")),
	optional("popup_fields", texts("Properties in the popup. Omit for all.")),
	optional("cluster_radius", number("Radius of clusters in pixels. Default: 50.")),
	optional("heatmap_weight", text("Property that weighs points")),
	optional("heatmap_intensity", number("Multiplier of the heatmap. Default: 1.")),
	optional("line_width", number("Width of lines in pixels. Default: 2.")),
	optional("fill_opacity", numberFrom(0, 1, "Opacity of fills. Default: 0.7.")),
	optional("filter_property", text("Property that filters this layer's features")),
	optional("filter_values", array(object{{"anyOf", list{object{{"type", "string"}}, object{{"type", "number"}}}}}, "Values to keep")),
)

func place(description string, needed ...string) object {
	properties := []property{
		{"lat", number("Latitude. Example: 52.3676"), true}, {"lon", number("Longitude. Example: 4.9041"), true},
	}
	for _, n := range needed {
		properties = append(properties, optional(n, text("Text for the map. Example: 'Amsterdam Centraal'")))
	}
	return described(objectSchema(properties...), description)
}

var mapViewOptions = []property{
	optional("center", place("Centre of the map. With zoom; not together with bbox.", "label")),
	optional("bbox", boundsSchema("Box [west, south, east, north] to show. Example: [4.87, 52.355, 4.915, 52.385].")),
	optional("zoom", numberFrom(0, 22, "Zoom level: 6 a country, 10 a city, 15 a neighbourhood")),
	optional("width", numberFrom(100, 2048, "Width in pixels. Example: 800")),
	optional("height", numberFrom(100, 2048, "Height in pixels. Example: 600")),
}

var mapShapes = []property{
	optional("markers", array(objectSchema(
		required("lat", number("Latitude")), required("lon", number("Longitude")),
		optional("label", text("Label of the marker")), optional("color", text("Colour, hex. Example: '#FF4444'")),
		optional("priority", enum("Which labels win", "low", "normal", "high", "critical")),
		optional("category", text("Category for an icon")), optional("description", text("Text of the popup")),
		optional("address", text("Address in the popup")), optional("tags", texts("Tags in the popup")),
	), "Markers. Example: [{lat: 52.3676, lon: 4.9041, label: 'Amsterdam', color: '#FF4444'}].")),
	optional("routes", array(objectSchema(
		required("points", array(place("A point of the line", "label"), "Points of the line, in order")),
		optional("name", text("Name of the line")), optional("color", text("Colour, hex. Example: '#0066cc'")),
	), "Straight lines between points; roads are not followed.")),
	optional("polygons", array(objectSchema(
		optional("type", enum("Shape. Default: 'polygon'.", "polygon", "circle")),
		optional("coordinates", sized(3, 0, array(positionSchema("Corner as [longitude, latitude]"), "Corners of a polygon, the first repeated at the end"))),
		optional("center", place("Centre of a circle")),
		optional("radius", numberFrom(1, 0, "Radius of a circle in metres")),
		optional("label", text("Label in the middle")), optional("fillColor", text("CSS colour. Example: 'rgba(255,0,0,0.3)'")),
		optional("strokeColor", text("CSS colour")), optional("strokeWidth", numberFrom(0, 10, "Width of the border in pixels")),
		optional("name", text("Name, not drawn")),
	), "Polygons and circles. Example: [{type: 'circle', center: {lat: 52.3676, lon: 4.9041}, radius: 1000}].")),
	optional("routePlans", array(objectSchema(
		required("origin", place("Start", "label")), required("destination", place("Destination", "label")),
		optional("waypoints", array(place("Stop", "label"), "Stops in order")), optional("label", text("Name of the route")),
		optional("routeType", enum("What to optimise", "fastest", "shortest", "eco", "thrilling")),
		optional("travelMode", enum("Means of transport", "car", "truck", "bicycle", "pedestrian")),
		optional("avoid", texts("What to avoid. Example: ['tollRoads', 'motorways']")),
		optional("traffic", boolean("Consider live traffic")), optional("color", text("Colour, hex")),
	), "Routes to compute and draw. Example: [{origin: {lat: 52.37, lon: 4.89}, destination: {lat: 52.52, lon: 13.4}, label: 'Trip'}].")),
	optional("showLabels", boolean("Show labels on markers, routes and shapes")),
	optional("routeInfoDetail", enum("What to say about routes", "basic", "compact", "detailed", "distance-time")),
}
