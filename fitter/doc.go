// Package fitter makes the document behind a map small enough to travel inside a tool result: a JSON text with GeoJSON
// route lines goes in, the base64 of one gzip member within a budget of characters comes out. It knows GeoJSON, metres
// and gzip, and nothing of who sends the document or who draws it.
//
// # What Fit does
//
// A scanner reads the document once and notes the route lines, the numbers in their properties that are vertex indices, and
// the members that may go ([Plan]). All other bytes are copied as they are. Then comes a ladder:
//
//  1. The document as it is, compressed. If that fits, the result is [Exact].
//  2. Route lines rounded to five decimals and simplified, every vertex that an index names kept, the indices
//     renumbered. Where six decimals measure a lower error, it is six. This is [Fitted].
//  3. While the error is above what is comfortable, the plan's sheds, one after the other. One that does not lower the
//     error is taken back.
//  4. An error above the largest tolerated one is [TooLarge].
//
// Steps that are neither the last nor near what is comfortable are only estimated
// ([Step].Estimated). The result is always measured, and where it is not clearly
// below the estimate for the step before, that one is made and measured too.
//
// One tolerance holds for all lines of a document, so that their errors come out equal.
//
// # Which vertices stay
//
// The priority of a vertex is the tolerance at which the algorithm of Ramer (1972) and Douglas and Peucker (1973) drops it.
// One recursion yields all priorities, since a run with a given tolerance keeps the vertices whose own distance
// and those of all stretches around are above it; stretches that are too deep are halved, which keeps the bound and makes
// the time O(n log n) for every input. The n vertices that fill the budget are then one threshold.
//
// Where at least one vertex in eight stays and the tolerance is above that of rounding, this is only where the search starts:
// for a given tolerance, the vertices come from a shortest path over all valid chords (Imai and Iri 1988), each at the price
// of the digits that its end adds to the compressed text. Validity of chords is decided with cones of directions (Williams
// 1978; Sklansky and Gonzalez 1980), at most 64 vertices ahead and not from a vertex that a later
// one outdoes at the same price, so the time is O(n) for a given share of vertices that
// stay. The tolerance that fills the budget comes out about a fifth below that of Douglas–Peucker.
//
// Not every size has a tolerance. What is left of the budget is filled with one vertex more in each chord, the worst chords first, and at last
// with single ones, the cheapest first, as long as the error does not grow. [Fit] says what may still be left. That takes a bounded number of
// compressions.
//
// # The error
//
// [Result].MaxErrorM bounds the directed Hausdorff distance from the original vertices to the line as written: it is
// measured, after the choice, from every raw vertex to the chord between rounded positions that stands in for it, which is not
// less than the distance to the nearest one. A line between two positions is straight in longitude and latitude, as RFC 7946
// has it. Each chord has its own length of a degree of longitude, taken at its end nearer the equator, and a degree is as
// long as where the ellipsoid is flattest (111,694 m), so that no usual earth model gives a larger distance; it overstates them
// by 0.3 to 0.6 %. Longitudes are unwrapped across the antimeridian. Distances are to the segment, radial where both ends of
// a chord are one. Half a unit of the fifth decimal in both coordinates is 0.79 m at the equator, 0.66 m at 50°: no fit with five decimals does
// better than that.
//
// # Compression
//
// The output is plain gzip (RFC 1951, 1952), but made by an encoder of the package's own. Coordinates and everything
// else are compressed apart, in blocks of one stream. In coordinates the only matches considered begin where a number ends, reach
// back at most three positions, and cost fixed prices. Everything else gets a cheapest path over literals and matches, each 8 KB
// at the prices of what came before. See docs/fitting.md for what was tried, with figures.
//
// Equal inputs give equal bytes, and a document that came from Fit fits exactly: both ways through the package use one
// encoder. Memory is reused between calls.
package fitter
