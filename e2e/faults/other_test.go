package faults

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestFaultsOfOtherTools: of a tool that the gateway does not know the host gets what the server sent, byte for byte, or an
// error under its own id; an answer that breaks off breaks off for the host, too, and never looks whole. Nothing is sent
// twice, although these calls share connections with others.
func TestFaultsOfOtherTools(t *testing.T) {
	passes := func(f *fault) bool { return !f.redeemed && (f.env == nil || f.slow) } // what passes has no limits
	eachFault(t, shapes[0], passes, site.other)
}

// other lets the fault meet the call of a tool of somebody else's.
func (s site) other(t *testing.T, f *fault) {
	t.Helper()
	s.up.Forget()
	var got received
	once := func() { got = s.post(t, testkit.CallMessage(hostID, otherTool, `{}`), nil) }
	s.callOnce(t, f, otherTool, once)
	all := got.responses()
	failed := len(all) == 1 && all[0].Error != nil && got.status >= http.StatusBadGateway && strings.Contains(string(*all[0].Error), "-32603")
	whole := got.err == nil && (bytes.Equal(got.body, s.in.gave()) || len(all) == 1 && all[0].Result != nil)
	switch {
	case failed || whole:
	case got.err != nil && got.status == http.StatusOK: // it had begun
	default:
		t.Errorf("the host got %d %q, %v", got.status, got.body, got.err)
	}
	s.in.arm(nil, "")
	if after := s.call(t).says(t, nil); after != theText {
		t.Errorf("the next call got %s", after)
	}
}
