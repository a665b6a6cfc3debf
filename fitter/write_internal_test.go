package fitter

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestGridWritesAsJavaScriptPrints(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	values := []float64{0, -0.000001, 0.000004, 0.00001, -0.00001, 0.1, 9.999999, -9.999999, 10, 100, 179.999999, -180, 1000, -1000, 0.5, 12.5, 99.99999}
	for range 2000 {
		values = append(values, (rng.Float64()-0.5)*360, math.Round((rng.Float64()-0.5)*3600)/10)
	}
	for _, g := range []grid{metreGrid, fineGrid} {
		for _, v := range values {
			want := strconv.FormatFloat(g.round(v)+0, 'f', -1, 64)
			if g.round(v) == 0 {
				want = "0"
			}
			if got := string(appendCoordinate(nil, digitsOf(int64(math.Floor(v*g.scale+0.5))), g.decimals)); got != want {
				t.Errorf("%v to %d decimals is %s, not %s", v, g.decimals, got, want)
			}
		}
	}
	var w workspace
	w.doc.at, w.doc.turn = []float64{190.5, 0}, []int8{1}
	w.writeOn(metreGrid)
	if got := string(appendCoordinate(nil, w.digits[0], 5)); got != "-169.5" || w.written[0] != 190.5 {
		t.Errorf("190.5 less a turn is %s, and lies at %v", got, w.written[0])
	}
}

func TestLongitudesAreNotUnderrated(t *testing.T) {
	t.Parallel()
	for lat := 0.0; lat <= 90; lat += 0.0137 {
		want := metresPerDegree * math.Cos(lat*math.Pi/180)
		if got := metresOfLongitude(lat); got < want || got > want+0.05 {
			t.Fatalf("a degree at %v is %v m, not %v", lat, got, want)
		}
	}
}
