package policy

// Indices returns the paths, below the properties of a route feature, to the numbers that are indices of the line's
// vertices: 0-based, an end inclusive. Section kinds are not listed: start and end mean the same in every one, also
// in those that a later upstream adds. Other numbers named like an index (index, routeOffsetInMeters) are none.
func Indices() []Path { return indices }

var indices = []Path{
	{"sections", "*", "*", "startPointIndex"},
	{"sections", "*", "*", "endPointIndex"},
	{"progress", "*", "pointIndex"},
	{"guidance", "instructions", "*", "pathPointIndex"},
}

// ShedAction is what shedding does to the values at a path.
type ShedAction int

const (
	// ShortenIDs replaces random ids by short ones, unique in the document.
	ShortenIDs ShedAction = iota + 1
	// Remove takes the member away.
	Remove
	// Halve takes every second element of an array away. It may be repeated.
	Halve
)

// Shed is one step by which a document that does not fit gives up something for a lower error.
type Shed struct {
	// Name is the step's name on the wire, in simplification.shed.
	Name string
	// Path leads, below the properties of a route feature, to what is shed.
	Path Path
	// Action is what happens to it.
	Action ShedAction
}

// Sheds returns the steps of shedding, the first to be taken first. Traffic, tolls, countries, ferries, tunnels and
// legs are in none of them.
func Sheds() []Shed { return sheds }

var sheds = []Shed{
	{Name: "ids", Path: Path{"sections", "*", "*", "id"}, Action: ShortenIDs},
	{Name: "lanes", Path: Path{"sections", "lanes"}, Action: Remove},
	{Name: "roadShields", Path: Path{"sections", "roadShields"}, Action: Remove},
	{Name: "speedLimit", Path: Path{"sections", "speedLimit"}, Action: Remove},
	{Name: "guidance", Path: Path{"guidance"}, Action: Remove},
	{Name: "progress", Path: Path{"progress"}, Action: Halve},
}
