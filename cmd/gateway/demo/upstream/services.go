package upstream

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// What TomTom's services on the web are to a widget, so that a demonstration without a network has streets under its
// maps and live traffic on them.
const (
	TilesTemplate     = "/tile/{z}/{x}/{y}?style={style}"
	IncidentsTemplate = "/incidents?bbox={bbox}"
	Attribution       = "Made-up streets"
)

const incidentsPath = "/incidents"

var tileAddress = regexp.MustCompile(`^/tile/(\d{1,2})/(\d{1,8})/(\d{1,8})$`)

// serveTile answers false for what is no address of a tile.
func (s *Server) serveTile(w http.ResponseWriter, r *http.Request) bool {
	part := tileAddress.FindStringSubmatch(r.URL.Path)
	if part == nil {
		return false
	}
	z, _ := strconv.Atoi(part[1]) // digits, and few of them
	x, _ := strconv.Atoi(part[2])
	y, _ := strconv.Atoi(part[3])
	if z > maxZoom || x >= 1<<z || y >= 1<<z {
		return false
	}
	style := r.URL.Query().Get("style")
	if _, ok := looks[style]; !ok {
		style = "street-light"
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	writeBody(w, http.StatusOK, s.tiles.get(z, x, y, style))
	return true
}

// serveIncidents answers a box's incidents in the form of the traffic service: those of tomtom-traffic for that box.
func (s *Server) serveIncidents(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	box := []any{}
	for degrees := range strings.SplitSeq(query.Get("bbox"), ",") {
		f, err := strconv.ParseFloat(degrees, 64)
		if err != nil {
			writeJSON(w, http.StatusBadRequest, render(object{{"error", "bbox has to be four numbers"}}))
			return
		}
		box = append(box, f)
	}
	args := arguments{"bbox": box, "categoryFilter": query.Get("categoryFilter")}
	doc, err := buildTraffic(&call{Server: s, args: args})
	if err != nil {
		writeJSON(w, http.StatusBadRequest, render(object{{"error", err.Error()}}))
		return
	}
	writeJSON(w, http.StatusOK, render(doc))
}
