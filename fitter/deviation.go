package fitter

import "math"

// Position is a longitude and a latitude in degrees. On a line across the antimeridian longitudes go on past 180, so
// that the line is continuous.
type Position = [2]float64

// Lines returns the positions of the route lines that the plan finds in a document, in their order there. The error
// wraps [ErrNotJSON].
func Lines(doc []byte, plan Plan) ([][]Position, error) {
	var table pathTable
	table.build(&plan)
	var d document
	if err := d.scan(doc, &table, nil); err != nil {
		return nil, err
	}
	lines := make([][]Position, len(d.lines))
	for i, ln := range d.lines {
		lines[i] = make([]Position, ln.count)
		for k := range lines[i] {
			v := 2 * (int(ln.first) + k)
			lines[i][k] = Position{d.at[v], d.at[v+1]}
		}
	}
	return lines, nil
}

// Deviation is where lines as drawn are farthest from what they stand for.
type Deviation struct {
	At     Position // the original vertex
	Drawn  Position // the point of its drawn line that is nearest to it
	ErrorM float64  // the distance between the two in metres
}

// deviationSteps bounds the time of Farthest: a line that was made by Fit needs a small part of it.
const deviationSteps = 50_000_000

// Farthest finds the original vertex that is farthest from its drawn line: the directed Hausdorff distance, measured as
// [Result].MaxErrorM is, which it does not exceed. Line i of original is drawn as line i of drawn. ok is false where there
// are not as many of each, none has a vertex, or it would take too long.
func Farthest(original, drawn [][]Position) (worst Deviation, ok bool) {
	if len(original) != len(drawn) {
		return Deviation{}, false
	}
	steps, largest := deviationSteps, -1.0 // largest is squared
	for i, line := range original {
		if len(drawn[i]) == 0 {
			continue
		}
		near := 0 // the chord that the vertex before was near to: the next one is, too
		for _, vertex := range line {
			found := nearest(vertex, drawn[i], near, largest, &steps)
			if steps < 0 {
				return Deviation{}, false
			}
			near = found.chord
			if found.squared > largest {
				largest = found.squared
				worst = Deviation{At: vertex, Drawn: found.at, ErrorM: math.Sqrt(largest)}
			}
		}
	}
	return worst, largest >= 0
}

// placeOnLine is a point of one of a line's chords.
type placeOnLine struct {
	at      Position
	chord   int
	squared float64 // its distance
}

// nearest finds the point of a line that is nearest to a vertex. It looks at the chords around near first, and stops where
// one is within enough, squared: the vertex is not the farthest then.
func nearest(vertex Position, line []Position, near int, enough float64, steps *int) placeOnLine {
	best := placeOnLine{squared: math.Inf(1)}
	chords := max(1, len(line)-1)
	for before, after := near, near+1; before >= 0 || after < chords; before, after = before-1, after+1 {
		for _, j := range [2]int{before, after} {
			if j < 0 || j >= chords {
				continue
			}
			*steps--
			if squared, at := distanceTo(vertex, line[j], line[min(j+1, len(line)-1)]); squared < best.squared {
				best = placeOnLine{at, j, squared}
			}
		}
		if best.squared <= enough || *steps < 0 {
			break
		}
	}
	return best
}

// distanceTo returns the squared distance in metres from a vertex to a chord, as measure has it, and the nearest point.
func distanceTo(v, a, b Position) (squared float64, at Position) {
	kx := max(metresOfLongitude(math.Abs(a[1])), metresOfLongitude(math.Abs(b[1])))
	lowest := -1.0
	if a[1] > 0 == (b[1] > 0) {
		lowest = min(math.Abs(a[1]), math.Abs(b[1])) - lean*kx/metresPerDegree
	} else {
		kx = parallels[0]
	}
	c := flatChord(a[0], a[1], b[0], b[1], kx)
	squared = c.squared(v[0], v[1])
	if lat := math.Abs(v[1]); lat < lowest {
		wide := flatChord(a[0], a[1], b[0], b[1], metresOfLongitude(lat))
		squared = max(squared, wide.squared(v[0], v[1]))
	}
	along := 0.0
	if c.length > 0 {
		along = ((v[0]-c.x)*c.kx*c.dx + (v[1]-c.y)*metresPerDegree*c.dy) / c.length
		along = min(max(along, 0), 1)
	}
	return squared, Position{a[0] + along*(b[0]-a[0]), a[1] + along*(b[1]-a[1])}
}
