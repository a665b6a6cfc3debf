package fitter_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter"
)

// failer is the part of testing.TB that rapid's own T has too.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// routePlan is what a gateway asks for a route: the members of TomTom's response.
func routePlan() fitter.Plan {
	plan := fitter.Plan{
		Lines: []fitter.Path{{"features", "*"}, {"route", "features", "*"}, {"sources", "routes", "data", "features", "*"}, {}},
		Indices: []fitter.Path{
			{"sections", "*", "*", "startPointIndex"},
			{"sections", "*", "*", "endPointIndex"},
			{"progress", "*", "pointIndex"},
			{"guidance", "instructions", "*", "pathPointIndex"},
		},
		Sheds: []fitter.Shed{
			{Name: "ids", Path: fitter.Path{"sections", "*", "*", "id"}, Action: fitter.ShortenIDs},
			{Name: "lanes", Path: fitter.Path{"sections", "lanes"}, Action: fitter.Remove},
			{Name: "roadShields", Path: fitter.Path{"sections", "roadShields"}, Action: fitter.Remove},
			{Name: "speedLimit", Path: fitter.Path{"sections", "speedLimit"}, Action: fitter.Remove},
			{Name: "guidance", Path: fitter.Path{"guidance"}, Action: fitter.Remove},
			{Name: "progress", Path: fitter.Path{"progress"}, Action: fitter.Halve},
		},
		Drop:         []string{"apiKey"},
		ComfortableM: 10,
		LargestM:     1000,
	}
	return plan
}

// noSheds is plan without its ladder.
func noSheds(plan fitter.Plan) fitter.Plan {
	plan.Sheds = nil
	return plan
}

// sharedFile reads a file of the reference material and skips the test where that is absent.
func sharedFile(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "shared", filepath.FromSlash(name)))
	if err != nil {
		tb.Skipf("reference material is absent: %v", err)
	}
	return b
}

// capturedText returns the text of the first text item of a recorded tool result.
func capturedText(tb testing.TB, name string) []byte {
	tb.Helper()
	var message struct {
		Response struct {
			Result struct {
				Content []struct{ Type, Text string }
			}
		}
	}
	if err := json.Unmarshal(sharedFile(tb, "captures/"+name), &message); err != nil {
		tb.Fatalf("recorded message %s: %v", name, err)
	}
	for _, item := range message.Response.Result.Content {
		if item.Type == "text" {
			return []byte(item.Text)
		}
	}
	tb.Fatalf("recorded message %s has no text", name)
	return nil
}

// unpack reads app data with nothing of the fitter's: the standard library's base64 and gzip.
func unpack(tb failer, appData []byte) []byte {
	tb.Helper()
	packed, err := base64.StdEncoding.Strict().DecodeString(string(appData))
	if err != nil {
		tb.Fatalf("base64: %v", err)
	}
	in := bytes.NewReader(packed)
	r, err := gzip.NewReader(in)
	if err != nil {
		tb.Fatalf("gzip: %v", err)
	}
	r.Multistream(false)
	doc, err := io.ReadAll(r)
	if err != nil {
		tb.Fatalf("gunzip: %v", err)
	}
	if in.Len() > 0 {
		tb.Fatalf("%d bytes follow the gzip member", in.Len())
	}
	return doc
}

// roadLine makes a line like a road's: headings that wander, bends that cluster, about twelve vertices a kilometre.
func roadLine(rng *rand.Rand, n, decimals int) [][2]float64 {
	line := make([][2]float64, n)
	lon, lat, heading, bend := 4.9, 52.37, rng.Float64()*2*math.Pi, 0.0
	scale := math.Pow(10, float64(decimals))
	for i := range line {
		line[i] = [2]float64{math.Round(lon*scale) / scale, math.Round(lat*scale) / scale}
		if rng.IntN(25) == 0 {
			bend = rng.NormFloat64() * 0.12
		}
		heading += bend + rng.NormFloat64()*0.02
		stepM := 15 + 140*rng.Float64()*rng.Float64()
		lat += stepM * math.Cos(heading) / 111200
		lon += stepM * math.Sin(heading) / (111200 * math.Cos(lat*math.Pi/180))
		if lat > 70 || lat < 30 {
			heading = math.Pi - heading
		}
	}
	return line
}

// appendLine writes a line as coordinates.
func appendLine(dst []byte, line [][2]float64) []byte {
	dst = append(dst, '[')
	for i, p := range line {
		if i > 0 {
			dst = append(dst, ',')
		}
		b, _ := json.Marshal(p)
		dst = append(dst, b...)
	}
	return append(dst, ']')
}

// routeDocument makes a response with one route, its sections at the densities of real ones. rich adds road shields,
// lanes and speed limits, and random ids.
func routeDocument(rng *rand.Rand, line [][2]float64, rich bool) []byte {
	return []byte(`{"type":"FeatureCollection","features":[` + string(routeFeature(rng, line, rich)) + `]}`)
}

func routeFeature(rng *rand.Rand, line [][2]float64, rich bool) []byte {
	var b bytes.Buffer
	b.WriteString(`{"type":"Feature","geometry":{"type":"LineString","coordinates":`)
	b.Write(appendLine(nil, line))
	n := len(line)
	fmt.Fprintf(&b, `},"id":%q,"properties":{"index":0,"summary":{"lengthInMeters":%d,"travelTimeInSeconds":%d},"sections":{`,
		randomID(rng), n*80, n*3)
	fmt.Fprintf(&b, `"leg":[{"startPointIndex":0,"endPointIndex":%d,"summary":{"lengthInMeters":%d}}]`, n-1, n*80)
	kinds := []struct {
		name string
		each int
		more string
		rich bool
	}{
		{"traffic", 259, `"delayInSeconds":%d,"categories":["jam"],"magnitudeOfDelay":"moderate"`, false},
		{"tunnel", 233, "", false},
		{"urban", 130, "", false},
		{"country", 6569, `"countryCodeISO3":"N%dD"`, false},
		{"speedLimit", 71, `"maxSpeedLimitInKmh":%d0`, true},
		{"lanes", 85, `"lanes":[{"directions":["STRAIGHT"],"follow":"STRAIGHT"},{"directions":["RIGHT"]}],"properties":["IS_MANEUVER"],"count":%d`, true},
		{"roadShields", 160, `"roadShieldReferences":[{"reference":"%d91aa-nl-n","shieldContent":"N201","affixes":["Ring"]}]`, true},
	}
	for _, k := range kinds {
		if k.rich && !rich {
			continue
		}
		fmt.Fprintf(&b, `,%q:[`, k.name)
		sep := ""
		for at := rng.IntN(k.each); at+2 < n; at += 1 + rng.IntN(2*k.each) {
			end := min(n-1, at+1+rng.IntN(k.each))
			b.WriteString(sep + "{")
			if rich {
				fmt.Fprintf(&b, `"id":%q,`, randomID(rng))
			}
			fmt.Fprintf(&b, `"startPointIndex":%d,"endPointIndex":%d`, at, end)
			if strings.Contains(k.more, "%") {
				fmt.Fprintf(&b, ","+k.more, 1+rng.IntN(9))
			}
			b.WriteString("}")
			sep = ","
		}
		b.WriteString("]")
	}
	b.WriteString(`},"progress":[`)
	sep := ""
	for at := 0; at < n; at += 30 + rng.IntN(30) {
		fmt.Fprintf(&b, `%s{"pointIndex":%d,"distanceInMeters":%d,"travelTimeInSeconds":%d}`, sep, at, at*80, at*3)
		sep = ","
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

func randomID(rng *rand.Rand) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	b := []byte("mx33r2")
	for range 13 {
		b = append(b, digits[rng.IntN(36)])
	}
	return string(b)
}
