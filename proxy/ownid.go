package proxy

import (
	"strconv"
	"strings"
	"sync/atomic"
)

// The ids of requests that the gateway sends for itself, redemptions and questions, begin and end alike. The end makes
// them unlike any id of a host's, with which they may share a pipe. The number makes them unlike each other.
const ownIDPrefix = "gateway-"

var (
	ownIDs      atomic.Uint64
	ownIDSuffix = "-" + newNonce()
)

// newOwnID returns an id; what says in the server's log what it is for, "" nothing.
func newOwnID(what string) string {
	return ownIDPrefix + what + strconv.FormatUint(ownIDs.Add(1), 10) + ownIDSuffix
}

// OwnsID reports whether a gateway of this process sent the request with the id, a JSON string without its quotes, for
// itself. It is for transports that carry requests of hosts beside it.
func OwnsID(id string) bool {
	return strings.HasPrefix(id, ownIDPrefix) && strings.HasSuffix(id, ownIDSuffix)
}
