package fitter

import "runtime"

// workspace is the memory of one Fit, kept for the next one.
type workspace struct {
	table pathTable
	doc   document

	live   []edit // in force
	levels []int  // by shed: how often it was taken
	ids    shortIDs

	estimated       estimation
	ratio           float64 // bits of the lines for a price of one bit; 0: not yet known
	estimatedLevels []int

	ranked         ranking
	keys           []uint32 // priorities by vertex
	stack          []stretch
	ordered, spare []uint32
	counts         [digits]int32
	kept           []int32 // vertices that stay, in order
	moved          []int32 // by vertex: where a kept one stands in its feature
	base, from     []int32 // kept vertices that others are added to
	splits, some   []split
	closed         []bool // by line: one more vertex does not fit

	on      grid      // of the following three
	written []float64 // x, y of every vertex as it is written, in degrees
	digits  []uint64  // the same, as digits and without the turns of unwrapping
	degrees []float64 // by vertex: metres of a degree of longitude where it is written
	way     []waypoint

	rest, coords []byte // the new document's text
	places       []place
	all          restBits
	pieces       []piece
	pieceStart   int

	encoder  encoder
	packed   []byte // the gzip member just made
	found    []byte // the best of a search
	other    []byte // the best with the other number of decimals
	best     []byte // the best of the ladder
	spareOut []byte

	spareText          []byte
	lineBits, restBits int // of the member just made
}

// keptMemory bounds what a workspace that is kept may have been used for, in bytes of a document. It takes about five times as much.
const keptMemory = 4 << 20

// idle holds the workspaces that nobody uses, one for each processor. A sync.Pool would lose them at every other garbage
// collection, and a call in a gateway that does little else would then grow each of its arrays anew.
var idle = make(chan *workspace, runtime.GOMAXPROCS(0))

func borrowWorkspace() *workspace {
	select {
	case w := <-idle:
		return w
	default:
		return new(workspace)
	}
}

// release gives the workspace back. It keeps no reference to the caller's document.
func (w *workspace) release() {
	if len(w.doc.text) > keptMemory {
		return
	}
	w.doc.text = nil
	select {
	case idle <- w:
	default: // as many as there are processors are idle
	}
}
