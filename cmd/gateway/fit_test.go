package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter"
)

// windingRoute is a Routes document with one line of n vertices, whose last section ends at the last one.
func windingRoute(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		x := float64(i)
		fmt.Fprintf(&b, "[%.7f,%.7f]", 4+x*0.0004+0.0002*math.Sin(x*1.7), 50+0.02*math.Sin(x/90)+0.0003*math.Cos(x*2.3))
	}
	fmt.Fprintf(&b, `]},"properties":{"index":0,"sections":{"traffic":[{"startPointIndex":0,"endPointIndex":%d}]}}}]}`, n-1)
	return b.String()
}

func fitDocument(t testing.TB, doc string, args ...string) (report fitReport, line, stderr string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "route.json")
	if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	line, stderr, code := runCommand(t, "", nil, append(append([]string{"fit"}, args...), path)...)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if err := json.Unmarshal([]byte(line), &report); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return report, line, stderr
}

func TestFitPrintsOneLine(t *testing.T) {
	_, line, stderr := fitDocument(t, windingRoute(100))
	form := `^\{"status":"inline","points":100,"original_points":100,"max_error_m":0,"characters":[1-9]\d*,"shed":\[\],"duration_ms":[0-9.]+\}\n$`
	if !regexp.MustCompile(form).MatchString(line) || stderr != "" {
		t.Errorf("got %s%s", line, stderr)
	}
}

func TestFitToALimit(t *testing.T) {
	const limit = 20_000
	doc := windingRoute(5000)
	whole, _, _ := fitDocument(t, doc)
	if whole.Status != "inline" && whole.Status != "fitted" || whole.Characters <= limit {
		t.Fatalf("the document is of no use for this test: %+v", whole)
	}
	got, _, _ := fitDocument(t, doc, "-limit", fmt.Sprint(limit), "-data")
	if got.Status != "fitted" || got.Characters > limit || got.Points >= 5000 || got.OriginalPoints != 5000 || got.MaxErrorM <= 0 || got.Shed == nil {
		t.Errorf("got %+v", got)
	}
	if len(got.AppData) != got.Characters {
		t.Errorf("%d characters of app data, %d reported", len(got.AppData), got.Characters)
	}
	fitted, err := fitter.Decode([]byte(got.AppData), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var routes struct {
		Features []struct {
			Geometry   struct{ Coordinates [][]float64 }
			Properties struct {
				Sections struct {
					Traffic []struct{ StartPointIndex, EndPointIndex int }
				}
			}
		}
	}
	if err := json.Unmarshal(fitted, &routes); err != nil {
		t.Fatal(err)
	}
	line, section := routes.Features[0].Geometry.Coordinates, routes.Features[0].Properties.Sections.Traffic[0]
	if len(line) != got.Points || section.StartPointIndex != 0 || section.EndPointIndex != got.Points-1 {
		t.Errorf("%d vertices, %d reported, section %+v", len(line), got.Points, section)
	}
}

// A route that was exported on its own is a Feature, not a collection of them.
func TestFitOneFeature(t *testing.T) {
	collection := windingRoute(3000)
	feature := strings.TrimSuffix(collection[strings.Index(collection, "[")+1:], "]}")
	got, line, _ := fitDocument(t, feature, "-limit", "9000")
	if got.Status != "fitted" || got.OriginalPoints != 3000 || got.Characters > 9000 {
		t.Errorf("got %s", line)
	}
}

func TestFitTooLarge(t *testing.T) {
	for name, args := range map[string][]string{
		"for the limit":    {"-limit", "100"},
		"for the error":    {"-limit", "3000", "-max-error", "0.0001"},
		"and never fitted": {"-limit", "3000", "-tool", "tomtom-data-viz"},
	} {
		t.Run(name, func(t *testing.T) {
			got, line, _ := fitDocument(t, windingRoute(3000), append(args, "-data")...)
			if got.Status != "too_large" || got.Shed == nil || strings.Contains(line, "app_data") {
				t.Errorf("got %s", line)
			}
		})
	}
}

func TestFitReadsStandardInput(t *testing.T) {
	stdout, stderr, code := runCommand(t, windingRoute(10), nil, "fit", "-")
	if code != exitOK || !strings.HasPrefix(stdout, `{"status":"inline","points":10,`) {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// A document without route lines is fitted all the same, or not at all.
func TestFitOtherDocuments(t *testing.T) {
	for _, doc := range []string{`{}`, `[]`, `null`, `1e400`, `{"features":"none"}`, `{"type":"FeatureCollection","features":[]}`} {
		if got, line, _ := fitDocument(t, doc); got.Status != "inline" || got.OriginalPoints != 0 {
			t.Errorf("%s gives %s", doc, line)
		}
	}
}

func TestFitExplains(t *testing.T) {
	_, _, stderr := fitDocument(t, windingRoute(5000), "-limit", "20000", "-explain")
	for _, want := range []string{"step", "exact", "simplify", "yes"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	if strings.Contains(stderr, "Inf") || strings.Contains(stderr, "NaN") {
		t.Errorf("a step without a figure shows one:\n%s", stderr)
	}
}

func TestFitExplainsWhatIsEstimated(t *testing.T) {
	var out strings.Builder
	steps := []fitter.Step{{Name: "simplify", Chars: 120, Vertices: 30, ErrorM: 2, Estimated: true}, {Name: "ids", Chars: 100, Vertices: 31, ErrorM: 1.5}}
	if err := explain(&out, fitter.Result{Steps: steps}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"~120", "~30", "~2.00", " 100", " 31", " 1.50"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestFitFails(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.json")
	for _, tt := range []struct{ name, stdin, file, stderr string }{
		{"no JSON", `{"type":`, "-", "fit -: "},
		{"two documents", `{} {}`, "-", "fit -: "},
		{"nothing", ``, "-", "fit -: "},
		{"no file", ``, missing, "read " + missing + ": no such file"},
		{"a folder", ``, filepath.Dir(missing), "is a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := runCommand(t, tt.stdin, nil, "fit", tt.file)
			if code != exitFailed || stdout != "" || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
			}
		})
	}
}
