package proxy

import (
	"strings"
	"testing"
)

func TestOwnIDs(t *testing.T) {
	one, other := newOwnID(""), newOwnID("ask-")
	if one == other || !OwnsID(one) || !OwnsID(other) || !strings.HasPrefix(other, "gateway-ask-") || len(ownIDSuffix) < 22 {
		t.Errorf("%q, %q", one, other)
	}
	for _, foreign := range []string{"", "gateway-1", "gateway-ask-1", "x" + one, one + "x", ownIDSuffix} {
		if OwnsID(foreign) {
			t.Errorf("%q is a host's", foreign)
		}
	}
}
