package fitter_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"testing"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
)

// The published method, as the yardstick: coordinates rounded to five decimals, Douglas–Peucker that keeps the vertices
// which indices name, the indices renumbered, gzip level 6 of the whole document, and of all tolerances the one
// that keeps most vertices within the budget. Written for clarity, with nothing of the fitter's.

// referenceFit returns how many vertices the method keeps, with what error, and in how many characters.
func referenceFit(tb testing.TB, doc []byte, plan fitter.Plan, chars int) (points int, errorM float64, used int) {
	tb.Helper()
	routes := routesOf(tb, doc, plan)
	var tolerances []float64
	priorities := make([][][]float64, len(routes))
	for i, r := range routes {
		pinned := map[int]bool{}
		for _, s := range r.indices {
			if v, ok := vertexAt(doc, s, len(r.vertices())); ok {
				pinned[v] = true
			}
		}
		at := 0
		for _, part := range r.parts {
			p := referencePriorities(unwrapped(part), func(v int) bool { return pinned[at+v] })
			priorities[i] = append(priorities[i], p)
			tolerances = append(tolerances, p...)
			at += len(part)
		}
	}
	slices.Sort(tolerances)
	size := func(tolerance float64) int {
		text, _ := referenceWrite(doc, routes, priorities, tolerance)
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, 6)
		_, _ = w.Write(text)
		_ = w.Close()
		return base64.StdEncoding.EncodedLen(b.Len())
	}
	low, high := -1, len(tolerances)-1 // at tolerances[low] it does not fit; −1 keeps all
	if size(-1) <= chars {
		high = -1
	} else {
		for low+1 < high {
			if mid := (low + high) / 2; size(tolerances[mid]) <= chars {
				high = mid
			} else {
				low = mid
			}
		}
	}
	tolerance := -1.0
	if high >= 0 {
		tolerance = tolerances[high]
	}
	_, kept := referenceWrite(doc, routes, priorities, tolerance)
	for i, r := range routes {
		for j, part := range r.parts {
			errorM = max(errorM, referenceError(unwrapped(part), kept[i][j]))
			points += len(kept[i][j])
		}
	}
	return points, errorM, size(tolerance)
}

// referencePriorities is the tolerance at which plain Douglas–Peucker drops each vertex.
func referencePriorities(line [][2]float64, pinned func(int) bool) []float64 {
	p := make([]float64, len(line))
	if len(line) == 0 {
		return p
	}
	var split func(a, b int, limit float64)
	split = func(a, b int, limit float64) {
		if b-a < 2 {
			return
		}
		far, at := -1.0, a
		for i := a + 1; i < b; i++ {
			if d := segmentDistance(line[i], line[a], line[b]); d > far {
				far, at = d, i
			}
		}
		p[at] = min(far, limit)
		split(a, at, p[at])
		split(at, b, p[at])
	}
	from := 0
	p[0], p[len(line)-1] = math.Inf(1), math.Inf(1)
	for i := 1; i < len(line); i++ {
		if pinned(i) || i == len(line)-1 {
			p[i] = math.Inf(1)
			split(from, i, math.Inf(1))
			from = i
		}
	}
	return p
}

// referenceWrite writes the document with the vertices above a tolerance, and returns which these are.
func referenceWrite(doc []byte, routes []route, priorities [][][]float64, tolerance float64) ([]byte, [][][]int) {
	var edits []jsonspan.Edit
	kept := make([][][]int, len(routes))
	for i, r := range routes {
		moved := map[int]int{}
		at := 0
		for j, part := range r.parts {
			var line [][2]float64
			kept[i] = append(kept[i], nil)
			for v := range part {
				if priorities[i][j][v] > tolerance {
					moved[at+v] = len(moved)
					kept[i][j] = append(kept[i][j], v)
					line = append(line, [2]float64{math.Round(part[v][0]*1e5) / 1e5, math.Round(part[v][1]*1e5) / 1e5})
				}
			}
			at += len(part)
			edits = append(edits, jsonspan.Edit{Span: r.spans[j], With: appendLine(nil, line)})
		}
		for _, s := range r.indices {
			if v, ok := vertexAt(doc, s, at); ok {
				edits = append(edits, jsonspan.Edit{Span: s, With: strconv.AppendInt(nil, int64(moved[v]), 10)})
			}
		}
	}
	jsonspan.Sort(edits)
	return jsonspan.Apply(nil, doc, edits), kept
}

// referenceError is the largest distance from a vertex to the rounded line of the kept ones, measured as the fitter's
// is compared: against the chord that stands in for it.
func referenceError(line [][2]float64, kept []int) float64 {
	round := func(v int) [2]float64 {
		return [2]float64{math.Round(line[v][0]*1e5) / 1e5, math.Round(line[v][1]*1e5) / 1e5}
	}
	worst := 0.0
	for k := 1; k < len(kept); k++ {
		for v := kept[k-1]; v <= kept[k]; v++ {
			worst = max(worst, segmentDistance(line[v], round(kept[k-1]), round(kept[k])))
		}
	}
	return worst
}
