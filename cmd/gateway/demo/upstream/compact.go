package upstream

// compactRoutes is what tomtom-routing leaves for the agent: no line, no progress, and of the sections those that a
// traveller asks about.
func compactRoutes(doc object) object {
	return mapFeatures(doc, func(f object) object {
		properties := f.object("properties").without("guidance", "progress")
		sections := object{}
		for _, kind := range properties.object("sections").without("roadShields", "speedLimit", "urban", "tunnel",
			"lowEmissionZone", "pedestrian", "vehicleRestricted") {
			sections = append(sections, member{kind.name, eachObject(kind.value, func(s object) object { return s.without("geometry") })})
		}
		return f.without("bbox").
			with("geometry", f.object("geometry").without("coordinates")).
			with("properties", properties.with("sections", sections))
	})
}

// compactEVRoutes leaves both ends of the line, legs, countries and tolls, and of a charging stop what a driver needs.
func compactEVRoutes(doc object) object {
	return mapFeatures(doc, func(f object) object {
		properties := f.object("properties").without("guidance", "progress")
		sections := properties.object("sections").only("leg", "country", "toll")
		// The real server lists the kept kinds in its own order.
		ordered := object{}
		for _, kind := range []string{"leg", "country", "toll"} {
			if s := sections.get(kind); s != nil {
				ordered = append(ordered, member{kind, s})
			}
		}
		ordered = ordered.with("leg", eachObject(ordered.get("leg"), compactLeg))
		return f.with("geometry", endsOnly(f.object("geometry"))).
			with("properties", properties.with("sections", ordered))
	})
}

func compactLeg(leg object) object {
	summary := leg.object("summary")
	stop := summary.object("chargingInformationAtEndOfLeg")
	if stop == nil {
		return leg
	}
	properties := stop.object("properties").only("chargingParkName", "chargingParkPowerInkW", "chargingTimeInSeconds", "targetChargeInkWh", "address")
	properties = properties.with("address", properties.object("address").only("freeformAddress"))
	stop = stop.without("id").with("properties", properties)
	return leg.with("summary", summary.with("chargingInformationAtEndOfLeg", stop))
}

// compactAlongRoute leaves both ends of the line and the places.
func compactAlongRoute(doc object) object {
	route := mapFeatures(doc.object("route"), func(f object) object {
		return f.with("geometry", endsOnly(f.object("geometry"))).
			with("properties", f.object("properties").without("guidance", "progress", "sections"))
	})
	return doc.with("route", route).with("pois", compactPlaces(doc.object("pois")))
}

// compactRange leaves no more of the areas than their boxes.
func compactRange(doc object) object {
	return mapFeatures(doc.without("bbox"), func(f object) object {
		return f.without("properties").with("geometry", f.object("geometry").without("coordinates"))
	})
}

// compactSearch is for the searches whose top level is trimmed too.
func compactSearch(doc object) object {
	return compactPlaces(doc.without("queryTime", "geoBias"))
}

// compactArea leaves the boundary out.
func compactArea(doc object) object {
	return compactPlaces(doc.without("_searchBoundary"))
}

// compactPlaces trims each place of a collection.
func compactPlaces(doc object) object { return mapFeatures(doc, compactPlace) }

// compactPlace trims one place.
func compactPlace(f object) object {
	p := f.object("properties").without("dataSources", "matchConfidence", "info", "score", "viewport", "boundingBox",
		"entryPoints", "mapcodes", "addressRanges", "relatedPois")
	if a := p.object("address"); a != nil {
		p = p.with("address", a.without("countryCodeISO3", "countrySubdivisionCode", "countrySubdivisionName", "localName", "extendedPostalCode"))
	}
	if poi := p.object("poi"); poi != nil {
		p = p.with("poi", poi.without("classifications", "categorySet", "categoryIds", "timeZone", "features", "brands", "openingHours"))
	}
	return f.with("properties", p)
}

// compactStations trims places with charging points: connectors become flat, availability a count.
func compactStations(doc object) object {
	return mapFeatures(doc, func(f object) object {
		f = compactPlace(f)
		p := f.object("properties")
		park := p.object("chargingPark")
		if park == nil {
			return f
		}
		park = park.with("connectors", eachObject(park.get("connectors"), func(c object) object {
			flat := c.object("connector").only("type", "ratedPowerKW", "currentType", "chargingSpeed")
			return append(flat, c.only("count")...)
		}))
		if a := park.object("availability"); a != nil {
			points := a.object("chargingPointAvailability").only("count", "statusCounts")
			park = park.with("availability", object{{"chargingPointAvailability", points}})
		}
		return f.with("properties", p.with("chargingPark", park))
	})
}

// mapFeatures replaces each feature of a collection.
func mapFeatures(doc object, change func(object) object) object {
	return doc.with("features", eachObject(doc.get("features"), change))
}

// eachObject replaces each object of an array; anything else stays.
func eachObject(v any, change func(object) object) any {
	in, ok := v.(list)
	if !ok {
		return v
	}
	out := make(list, len(in))
	for i, e := range in {
		out[i] = e
		if o, ok := e.(object); ok {
			out[i] = change(o)
		}
	}
	return out
}

// endsOnly is a line's geometry with its first and last position.
func endsOnly(geometry object) object {
	points, _ := geometry.get("coordinates").(linePositions)
	if len(points) < 2 {
		return geometry
	}
	return geometry.with("coordinates", list{points[0], points[len(points)-1]})
}

// geometryOf collects the shapes of a document as a FeatureCollection, for `response_detail: "geometry"`.
func geometryOf(doc object) object {
	shapes := list{}
	collect := func(collection object) {
		for _, f := range collection.list("features") {
			if f, ok := f.(object); ok {
				shapes = append(shapes, f.only("type", "geometry", "id"))
			}
		}
	}
	collect(doc)
	collect(doc.object("route"))
	collect(doc.object("pois"))
	if doc.get("geometry") != nil {
		shapes = append(shapes, doc.only("type", "geometry", "id"))
	}
	return object{{"type", "FeatureCollection"}, {"features", shapes}}
}
