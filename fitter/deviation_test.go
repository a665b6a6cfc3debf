package fitter_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"tomtom-mcp-gateway/fitter"
)

// The farthest vertex is where a search of every vertex and every chord finds it, and no farther than Fit says.
func TestFarthest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(2, 400).Draw(t, "vertices")
		doc := routeDocument(rng, roadLine(rng, n, 7), false)
		plan := noSheds(routePlan())
		fitted, err := fitter.Fit(doc, plan, fitter.Budget{Chars: rapid.IntRange(600, 3000).Draw(t, "characters")})
		if err != nil {
			t.Fatal(err)
		}
		if fitted.Status != fitter.Fitted {
			return
		}
		original, drawn := linesOf(t, doc, plan), linesOf(t, unpack(t, fitted.AppData), plan)
		worst, ok := fitter.Farthest(original, drawn)
		if !ok {
			t.Fatal("nothing found")
		}
		if worst.ErrorM > fitted.MaxErrorM {
			t.Errorf("%.6f m, above the %.6f m of Fit", worst.ErrorM, fitted.MaxErrorM)
		}
		want := 0.0
		for _, v := range original[0] {
			nearest := math.Inf(1)
			for i := range len(drawn[0]) - 1 {
				nearest = min(nearest, segmentDistance(v, drawn[0][i], drawn[0][i+1]))
			}
			want = max(want, nearest)
		}
		if math.Abs(worst.ErrorM-want) > 0.02+0.01*want { // the two earths differ
			t.Errorf("%.3f m, and by looking at every chord %.3f m", worst.ErrorM, want)
		}
		if d := segmentDistance(worst.At, worst.Drawn, worst.Drawn); math.Abs(worst.ErrorM-d) > 0.02+0.01*d {
			t.Errorf("%.3f m, and between the two places %.3f m", worst.ErrorM, d)
		}
	})
}

func linesOf(t failer, doc []byte, plan fitter.Plan) [][]fitter.Position {
	t.Helper()
	lines, err := fitter.Lines(doc, plan)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestFarthestOf(t *testing.T) {
	t.Parallel()
	type lines = [][]fitter.Position
	tests := []struct {
		name            string
		original, drawn lines
		want            fitter.Deviation
		ok              bool
	}{
		{"a bend cut off", lines{{{4, 0}, {5, 0.001}, {6, 0}}}, lines{{{4, 0}, {6, 0}}}, fitter.Deviation{At: fitter.Position{5, 0.001}, Drawn: fitter.Position{5, 0}, ErrorM: 111.69}, true},
		{"the worse of two lines", lines{{{4, 0}, {5, 0}}, {{7, 0}, {8, 0}}}, lines{{{4, 0}, {5, 0}}, {{7, 0}, {8, 0.001}}}, fitter.Deviation{At: fitter.Position{8, 0}, Drawn: fitter.Position{8, 0.001}, ErrorM: 111.69}, true},
		{"a line of one vertex", lines{{{4, 0}}}, lines{{{4, 0.001}}}, fitter.Deviation{At: fitter.Position{4, 0}, Drawn: fitter.Position{4, 0.001}, ErrorM: 111.69}, true},
		{"across the antimeridian", lines{{{179.5, 0}, {180, 0.001}, {180.5, 0}}}, lines{{{179.5, 0}, {180.5, 0}}}, fitter.Deviation{At: fitter.Position{180, 0.001}, Drawn: fitter.Position{180, 0}, ErrorM: 111.69}, true},
		{"unchanged", lines{{{4, 0}, {5, 0}}}, lines{{{4, 0}, {5, 0}}}, fitter.Deviation{At: fitter.Position{4, 0}, Drawn: fitter.Position{4, 0}}, true},
		{"other lines", lines{{{4, 0}, {5, 0}}}, lines{}, fitter.Deviation{}, false},
		{"nothing drawn", lines{{{4, 0}}}, lines{{}}, fitter.Deviation{}, false},
		{"no lines", nil, nil, fitter.Deviation{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := fitter.Farthest(tt.original, tt.drawn)
			if ok != tt.ok || math.Abs(got.ErrorM-tt.want.ErrorM) > 0.01 || !near(got.At, tt.want.At) || !near(got.Drawn, tt.want.Drawn) {
				t.Errorf("%+v, %v", got, ok)
			}
		})
	}
}

func near(a, b fitter.Position) bool {
	return math.Abs(a[0]-b[0]) < 1e-6 && math.Abs(a[1]-b[1]) < 1e-6
}

// Lines made to take long are given up.
func TestFarthestGivesUp(t *testing.T) {
	t.Parallel()
	var original, drawn []fitter.Position
	for i := range 40_000 {
		x := float64(i) / 1000
		original, drawn = append(original, fitter.Position{x, 1 + x/100}), append(drawn, fitter.Position{x, 0})
	}
	if _, ok := fitter.Farthest([][]fitter.Position{original}, [][]fitter.Position{drawn}); ok {
		t.Error("it went on to the end")
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	doc := `{"features":[{"geometry":{"type":"MultiLineString","coordinates":[[[1,2],[3,4,5]],[[179,0],[-179,0]]]},"properties":{}},
		{"geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}]}`
	got := linesOf(t, []byte(doc), routePlan())
	if len(got) != 2 || len(got[0]) != 2 || got[0][1] != (fitter.Position{3, 4}) || got[1][1] != (fitter.Position{181, 0}) {
		t.Errorf("%v", got)
	}
	if _, err := fitter.Lines([]byte("{"), routePlan()); !errors.Is(err, fitter.ErrNotJSON) {
		t.Errorf("error %v", err)
	}
}

func BenchmarkFarthest(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	doc := routeDocument(rng, roadLine(rng, 40_000, 7), false)
	plan := routePlan()
	fitted, err := fitter.Fit(doc, plan, fitter.Budget{Chars: 60_000})
	if err != nil || fitted.Status != fitter.Fitted {
		b.Fatal(fitted.Status, err)
	}
	original, drawn := linesOf(b, doc, plan), linesOf(b, unpack(b, fitted.AppData), plan)
	for b.Loop() {
		if _, ok := fitter.Farthest(original, drawn); !ok {
			b.Fatal("given up")
		}
	}
}
