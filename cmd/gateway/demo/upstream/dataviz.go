package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"
)

const (
	maxDataBytes   = 50 << 20
	dataURLTimeout = 30 * time.Second
)

// runDataViz answers tomtom-data-viz: a summary for the agent, the data as it was given for the widget. It has a handle
// whether or not a widget is to be shown.
func runDataViz(c *call) answer {
	data, err := c.callersData()
	if err != nil {
		return failureJSON(err.Error())
	}
	var given struct {
		Layers json.RawMessage `json:"layers"`
	}
	if err := json.Unmarshal(c.raw, &given); err != nil {
		return failureJSON("layers: " + err.Error())
	}
	stats, err := summarize(data)
	if err != nil {
		return failureJSON(err.Error())
	}
	full := object{{"geojson", compactJSON(data)}, {"layers", compactJSON(given.Layers)}}
	text := object{{"summary", stats.object()}, {"layers_applied", layerKinds(given.Layers)}}
	if title := c.args.text("title"); title != "" {
		full = append(full, member{"title", title})
		text = append(text, member{"title", title})
	}
	if stats.bounded {
		full = append(full, member{"bbox", stats.box})
	}
	if c.opts.Untrimmed {
		return textAnswer(string(pretty(render(full))))
	}
	meta := object{{"show_ui", c.args.flag("show_ui", false)}, {c.opts.handleName(), c.cache.put(escape(render(full)))}}
	return metaAnswer(escape(pretty(render(text))), meta, false)
}

func layerKinds(raw json.RawMessage) list {
	var layers []struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(raw, &layers) != nil {
		return list{}
	}
	kinds := list{}
	for _, l := range layers {
		kinds = append(kinds, l.Type)
	}
	return kinds
}

// callersData is the GeoJSON that the call gives inline or by URL.
func (c *call) callersData() (json.RawMessage, error) {
	inline, address := c.args.text("geojson"), c.args.text("data_url")
	switch {
	case inline != "" && address != "":
		return nil, apiError("Provide either data_url or geojson, not both")
	case inline != "":
		if !json.Valid([]byte(inline)) {
			return nil, apiError("Invalid GeoJSON: not valid JSON")
		}
		return json.RawMessage(inline), nil
	case address != "":
		return fetchData(c.ctx, address)
	}
	return nil, apiError("Provide data_url or geojson")
}

var errNotLoopback = errors.New("data_url must be a loopback address in this demonstration")

// loopbackClient connects to loopback addresses only, whatever a name resolves to and wherever a redirect points.
var loopbackClient = &http.Client{
	Timeout: dataURLTimeout,
	Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			if host == "localhost" {
				host = "127.0.0.1"
			}
			ip, err := netip.ParseAddr(host)
			if err != nil || !ip.Unmap().IsLoopback() {
				return nil, errNotLoopback
			}
			var d net.Dialer
			return d.DialContext(ctx, network, net.JoinHostPort(host, port))
		},
	},
}

func fetchData(ctx context.Context, address string) (json.RawMessage, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("data_url must be an http or https URL")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("data_url: %w", err)
	}
	res, err := loopbackClient.Do(req)
	switch {
	case errors.Is(err, errNotLoopback):
		return nil, errNotLoopback
	case err != nil:
		return nil, apiError("Failed to fetch data_url")
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, apiError(fmt.Sprintf("Failed to fetch data_url: HTTP %d", res.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxDataBytes+1))
	switch {
	case err != nil:
		return nil, apiError("Failed to fetch data_url")
	case len(body) > maxDataBytes:
		return nil, errors.New("data_url exceeds the 50 MB limit")
	case !json.Valid(body):
		return nil, apiError("Invalid GeoJSON: not valid JSON")
	}
	return body, nil
}

// dataStats is what the agent is told about a dataset.
type dataStats struct {
	features int
	types    []string
	box      bounds
	bounded  bool
	names    []string
	numeric  []string
	sample   json.RawMessage
}

// geoFeature is as much of a Feature as the summary needs.
type geoFeature struct {
	Type     string `json:"type"`
	Geometry *struct {
		Type        string            `json:"type"`
		Coordinates json.RawMessage   `json:"coordinates"`
		Geometries  []json.RawMessage `json:"geometries"`
	} `json:"geometry"`
	Properties json.RawMessage `json:"properties"`
}

func summarize(data json.RawMessage) (*dataStats, error) {
	var doc struct {
		geoFeature
		Features []geoFeature `json:"features"`
	}
	if json.Unmarshal(data, &doc) != nil || (doc.Type != "FeatureCollection" && doc.Type != "Feature") {
		return nil, apiError("Invalid GeoJSON: must be a FeatureCollection or Feature")
	}
	features := doc.Features
	if doc.Type == "Feature" {
		features = []geoFeature{doc.geoFeature}
	}
	s := &dataStats{features: len(features)}
	for _, f := range features {
		if f.Geometry != nil {
			if !slices.Contains(s.types, f.Geometry.Type) {
				s.types = append(s.types, f.Geometry.Type)
			}
			s.extend(f.Geometry.Coordinates)
		}
		s.addProperties(f.Properties)
	}
	return s, nil
}

// extend takes the positions of any kind of coordinates into the box.
func (s *dataStats) extend(raw json.RawMessage) {
	var numbers []float64
	dec := json.NewDecoder(bytes.NewReader(raw))
	for {
		tok, err := dec.Token()
		if err != nil {
			return
		}
		switch tok := tok.(type) {
		case float64:
			numbers = append(numbers, tok)
		case json.Delim:
			if tok == ']' && len(numbers) >= 2 {
				p := bounds{numbers[0], numbers[1], numbers[0], numbers[1]}
				if !s.bounded {
					s.box, s.bounded = p, true
				}
				s.box = s.box.union(p)
			}
			numbers = numbers[:0]
		}
	}
}

// addProperties notes the names, in the order in which they come, and which of them hold numbers.
func (s *dataStats) addProperties(raw json.RawMessage) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return
	}
	if s.sample == nil {
		s.sample = compactJSON(raw)
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return
		}
		name, _ := t.(string)
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return
		}
		if !slices.Contains(s.names, name) {
			s.names = append(s.names, name)
		}
		if c := value[0]; (c == '-' || c >= '0' && c <= '9') && !slices.Contains(s.numeric, name) {
			s.numeric = append(s.numeric, name)
		}
	}
}

func (s *dataStats) object() object {
	o := object{{"feature_count", s.features}, {"geometry_types", s.types}}
	if s.bounded {
		o = append(o, member{"bbox", s.box})
	}
	o = append(o, member{"property_names", s.names}, member{"numeric_properties", s.numeric})
	if s.sample != nil {
		o = append(o, member{"sample_properties", s.sample})
	}
	return o
}
