package upstream

import "strconv"

// run is a stretch of a line, from a vertex to a vertex, both inclusive.
type run struct{ start, end int }

// nation is a stretch of a line in one country.
type nation struct {
	run
	country country
}

// nationsOf divides a line by country: each stretch has the country of the nearest known city. That guess wavers near a
// border, so a stretch of less than leastNationM belongs to the one before, unless it is the last.
func nationsOf(l *line) []nation {
	const sample, leastNationM = 40, 45000
	var out []nation
	for i := 0; i <= l.last(); i += sample {
		code := nearestCity(l.points[i]).country
		if n := len(out) - 1; n < 0 || out[n].country.code2 != code {
			out = append(out, nation{run{i, i}, countryOf(code)})
		}
	}
	kept := out[:1]
	for i, n := range out[1:] {
		end := l.last()
		if i+2 < len(out) {
			end = out[i+2].start
		}
		same := n.country.code2 == kept[len(kept)-1].country.code2
		if !same && (l.distM[end]-l.distM[n.start] >= leastNationM || end == l.last()) {
			kept = append(kept, n)
		}
	}
	for i := range kept {
		kept[i].end = l.last()
		if i+1 < len(kept) {
			kept[i].end = kept[i+1].start
		}
	}
	return kept
}

// runsOf finds the stretches of a class that are at least so many vertices long; a gap of up to gap vertices, such as an
// interchange within a motorway, belongs to them.
func runsOf(l *line, class roadClass, least, gap int) []run {
	var out []run
	for i, c := range l.class {
		if c != class {
			continue
		}
		if n := len(out) - 1; n >= 0 && i-out[n].end <= gap {
			out[n].end = i
			continue
		}
		out = append(out, run{max(0, i-1), i})
	}
	kept := out[:0]
	for _, r := range out {
		if r.end-r.start >= least {
			kept = append(kept, r)
		}
	}
	return kept
}

// scatter places stretches on a line of n vertices at random: one in so many vertices, each of a middle length.
func scatter(r random, n, everyVertices, lengthVertices int) []run {
	var out []run
	for at := 0; ; {
		at += 1 + int(r.ExpFloat64()*float64(everyVertices-lengthVertices))
		end := at + max(1, int(r.spread(float64(lengthVertices), 0.6)))
		if end >= n {
			return out
		}
		out = append(out, run{at, end})
		at = end
	}
}

// cover divides a line of n vertices without gaps into stretches of a middle length.
func cover(r random, n, middleVertices int) []run {
	var out []run
	for at := 0; at < n-1; {
		end := min(n-1, at+max(1, int(r.ExpFloat64()*float64(middleVertices))))
		out = append(out, run{at, end})
		at = end
	}
	return out
}

// overlap keeps what of the stretches lies within others.
func overlap(runs, within []run) []run {
	var out []run
	for _, a := range runs {
		for _, b := range within {
			if lo, hi := max(a.start, b.start), min(a.end, b.end); hi > lo {
				out = append(out, run{lo, hi})
			}
		}
	}
	return out
}

// roadNumber names a road of a country.
func roadNumber(r random, c country, class roadClass) string {
	switch {
	case class >= ramp && r.chance(0.3):
		return "E" + strconv.Itoa(5*r.intBetween(1, 20))
	case class >= ramp:
		return c.motorway + strconv.Itoa(r.intBetween(1, 79))
	}
	return "N" + strconv.Itoa(r.intBetween(101, 380))
}
