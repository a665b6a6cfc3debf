package upstream

import (
	"math"
	"testing"
)

var (
	amsterdam = position{4.897, 52.3779}
	berlin    = position{13.405, 52.52}
	madrid    = position{-3.7038, 40.4168}
	lisbon    = position{-9.1393, 38.7223}
	warsaw    = position{21.0122, 52.2297}
	utrecht   = position{5.1214, 52.0907}
)

func TestLineHasRoadLikeDensity(t *testing.T) {
	tests := []struct {
		name     string
		from, to position
		vertices [2]int
	}{
		{"Amsterdam to Berlin", amsterdam, berlin, [2]int{7200, 8900}},
		{"Amsterdam to Madrid", amsterdam, madrid, [2]int{18000, 22500}},
		{"Lisbon to Warsaw", lisbon, warsaw, [2]int{35500, 42500}},
		{"Amsterdam to Utrecht", amsterdam, utrecht, [2]int{400, 1100}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l line
			layLine(&l, newRandom(1, key(tt.from, tt.to)), way{from: tt.from, to: tt.to})
			if n := len(l.points); n < tt.vertices[0] || n > tt.vertices[1] {
				t.Errorf("%d vertices, want between %d and %d", n, tt.vertices[0], tt.vertices[1])
			}
			km := l.distM[l.last()] / 1000
			if perKm := float64(len(l.points)) / km; tt.from != lisbon && perKm > 25 || perKm < 9 {
				t.Errorf("%.1f vertices a km", perKm)
			}
			if detour := km * 1000 / distanceM(tt.from, tt.to); detour < 1.05 || detour > 1.35 {
				t.Errorf("the road is %.2f times as long as the direct line", detour)
			}
			if l.points[0] != tt.from || l.points[l.last()] != tt.to {
				t.Errorf("ends at %v and %v", l.points[0], l.points[l.last()])
			}
			counts := map[roadClass]int{}
			var longest, turns float64
			for i := 1; i < len(l.points); i++ {
				counts[l.class[i]]++
				longest = math.Max(longest, l.distM[i]-l.distM[i-1])
				if i > 1 {
					turns += math.Abs(turn(heading(l.points[i-1], l.points[i]) - heading(l.points[i-2], l.points[i-1])))
				}
			}
			t.Logf("%d vertices, %.0f km, %.1f a km, detour %.2f, classes %v, longest %.0f m, turning %.2f rad a km", len(l.points), km,
				float64(len(l.points))/km, km*1000/distanceM(tt.from, tt.to), counts, longest, turns/km)
		})
	}
}
