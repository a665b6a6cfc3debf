package fitter

// workspace is the memory of one Fit, kept for the next one.
type workspace struct {
	table pathTable
	doc   document

	live   []edit // in force
	levels []int  // by shed: how often it was taken
	ids    shortIDs

	estimated       estimation
	estimatedLevels []int

	ranked         ranking
	keys           []uint32 // priorities by vertex
	stack          []stretch
	ordered, spare []uint32
	counts         [digits]int32
	kept           []int32 // vertices that stay, in order
	moved          []int32 // by vertex: where a kept one stands in its feature

	written []float64 // x, y of every vertex as it is written, in degrees
	digits  []uint64  // the same, as digits
	way     []waypoint

	rest, coords []byte // the new document's text
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

// keptMemory bounds what a workspace may hold, in bytes of documents, when it goes back to the pool.
const keptMemory = 16 << 20

// release gives the workspace back. It keeps no reference to the caller's document.
func (w *workspace) release() {
	if len(w.doc.text) > keptMemory {
		return
	}
	w.doc.text = nil
	workspaces.Put(w)
}
