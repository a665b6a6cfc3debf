package traffic

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestTrendOf: a leak shows in noise of its own size, and noise, a warm-up or single peaks alone are none.
func TestTrendOf(t *testing.T) {
	const megabyte, seconds = 1 << 20, 30
	noise := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		resident func(second float64) float64
		grown    float64 // megabytes
	}{
		"steady":  {func(float64) float64 { return 90 }, 0},
		"noise":   {func(float64) float64 { return 90 + 30*noise.Float64() }, 0},
		"warm-up": {func(s float64) float64 { return 90 - 60*math.Exp(-s) }, 0},
		"peaks": {func(s float64) float64 {
			if s > 25 {
				return 160
			}
			return 90
		}, 0},
		"leak":          {func(s float64) float64 { return 90 + 2*s }, 40},
		"leak in noise": {func(s float64) float64 { return 90 + 2*s + 30*noise.Float64() }, 40},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []Vitals
			for s := 0.0; s < seconds; s += 0.25 {
				seen = append(seen, Vitals{At: time.Duration(s * float64(time.Second)), Resident: int(c.resident(s) * megabyte)})
			}
			trend := TrendOf(seen, 10*time.Second, func(v Vitals) int { return v.Resident })
			if grown := trend.Growth / megabyte; math.Abs(grown-c.grown) > 12 {
				t.Errorf("grown by %.1f MB, want about %.0f", grown, c.grown)
			}
		})
	}
}
