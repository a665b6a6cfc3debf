package upstream

import (
	"math"
	"strconv"
)

// position is longitude, latitude in degrees, as in GeoJSON.
type position [2]float64

// linePositions are the coordinates of a line or a ring.
type linePositions []position

// bounds is west, south, east, north in degrees.
type bounds [4]float64

const (
	earthRadiusM    = 6371008.8
	metresPerDegree = earthRadiusM * math.Pi / 180
)

// cosLat is the length of a degree of longitude in degrees of latitude; never zero, so that steps near a pole stay finite.
func cosLat(lat float64) float64 {
	return math.Max(math.Cos(lat*math.Pi/180), 0.01)
}

// distanceM is the great-circle distance in metres.
func distanceM(a, b position) float64 {
	la, lb := a[1]*math.Pi/180, b[1]*math.Pi/180
	s1, s2 := math.Sin((lb-la)/2), math.Sin((b[0]-a[0])*math.Pi/360)
	h := s1*s1 + math.Cos(la)*math.Cos(lb)*s2*s2
	return 2 * earthRadiusM * math.Asin(math.Sqrt(math.Min(1, h)))
}

// heading is the direction from a to b in radians, counterclockwise from east, on a plane about a.
func heading(a, b position) float64 {
	dx := math.Remainder(b[0]-a[0], 360) * cosLat((a[1]+b[1])/2)
	return math.Atan2(b[1]-a[1], dx)
}

// move goes a number of metres from p in a direction (radians, counterclockwise from east).
func move(p position, dir, metres float64) position {
	d := metres / metresPerDegree
	lat := math.Max(-85, math.Min(85, p[1]+d*math.Sin(dir)))
	return position{math.Remainder(p[0]+d*math.Cos(dir)/cosLat(p[1]), 360), lat}
}

// between is the point a fraction of the way from a to b, straight in longitude and latitude.
func between(a, b position, t float64) position {
	return position{a[0] + t*math.Remainder(b[0]-a[0], 360), a[1] + t*(b[1]-a[1])}
}

// turn brings an angle to (-π, π].
func turn(rad float64) float64 { return math.Remainder(rad, 2*math.Pi) }

// round7 rounds degrees to seven decimals, the precision of the routing API.
func round7(deg float64) float64 { return math.Round(deg*1e7) / 1e7 }

func round5(deg float64) float64 { return math.Round(deg*1e5) / 1e5 }

func (p position) round7() position { return position{round7(p[0]), round7(p[1])} }

func (p position) round5() position { return position{round5(p[0]), round5(p[1])} }

func appendPosition(dst []byte, p position) []byte {
	dst = append(dst, '[')
	dst = strconv.AppendFloat(dst, p[0], 'f', -1, 64)
	dst = append(dst, ',')
	dst = strconv.AppendFloat(dst, p[1], 'f', -1, 64)
	return append(dst, ']')
}

// boundsOf returns the box around the points; false where there are none.
func boundsOf(points []position) (bounds, bool) {
	if len(points) == 0 {
		return bounds{}, false
	}
	b := bounds{points[0][0], points[0][1], points[0][0], points[0][1]}
	for _, p := range points[1:] {
		b = b.union(bounds{p[0], p[1], p[0], p[1]})
	}
	return b, true
}

func (b bounds) union(c bounds) bounds {
	return bounds{math.Min(b[0], c[0]), math.Min(b[1], c[1]), math.Max(b[2], c[2]), math.Max(b[3], c[3])}
}

func (b bounds) contains(p position) bool {
	return p[0] >= b[0] && p[0] <= b[2] && p[1] >= b[1] && p[1] <= b[3]
}

func (b bounds) round5() bounds {
	return bounds{round5(b[0]), round5(b[1]), round5(b[2]), round5(b[3])}
}
