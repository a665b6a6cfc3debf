package proxy

import (
	"math/bits"
	"sync"
)

// Large buffers are used again by later calls. New memory costs more than what goes through it: the kernel clears it
// page by page as it is touched, and the collector runs the more often for it.

const (
	smallestBuffer = 32 << 10
	bufferSizes    = 10 // powers of two, up to 16 MiB; larger ones are rare, and not kept
)

// buffers are those that nobody uses, by size.
var buffers [bufferSizes]sync.Pool

// wipe is called with every slice that is given back. Tests write over its bytes there, so that whoever still looks at
// them is found.
var wipe = func([]byte) {}

// bufferClass returns which of buffers have room for size bytes; bufferSizes or more: none.
func bufferClass(size int) int {
	return bits.Len(uint(max(size-1, 0) / smallestBuffer))
}

// takeBuffer returns an empty slice with room for size bytes.
func takeBuffer(size int) []byte {
	class := bufferClass(size)
	if class >= bufferSizes {
		return make([]byte, 0, size)
	}
	if b, ok := buffers[class].Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 0, smallestBuffer<<class)
}

// giveBuffer is for a slice of takeBuffer's whose bytes nobody is going to look at.
func giveBuffer(b []byte) {
	wipe(b[:cap(b)])
	class := bufferClass(cap(b))
	if class >= bufferSizes || cap(b) != smallestBuffer<<class {
		return
	}
	b = b[:0]
	buffers[class].Put(&b)
}
