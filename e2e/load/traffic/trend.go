package traffic

import (
	"slices"
	"time"
)

// Trend is how a value went over a time: where it lay, and how much it grew.
type Trend struct {
	Median, Growth float64
}

// TrendOf reads a trend out of what was seen after warmUp. The growth is that of the line through all moments whose slope
// is the median of the slopes between any two of them (Theil and Sen), so that a few high ones, from a collector that is
// late, do not tilt it.
func TrendOf(seen []Vitals, warmUp time.Duration, value func(Vitals) int) Trend {
	seen = slices.DeleteFunc(slices.Clone(seen), func(v Vitals) bool { return v.At < warmUp })
	if len(seen) < 3 {
		return Trend{}
	}
	var values, slopes []float64
	for i, v := range seen {
		values = append(values, float64(value(v)))
		for _, later := range seen[i+1:] {
			slopes = append(slopes, float64(value(later)-value(v))/(later.At-v.At).Seconds())
		}
	}
	lasted := (seen[len(seen)-1].At - seen[0].At).Seconds()
	return Trend{Median: Median(values), Growth: Median(slopes) * lasted}
}

// Median returns the middle one of values in any order, which are not changed. There has to be one.
func Median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
