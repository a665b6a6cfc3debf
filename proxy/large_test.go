package proxy

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// TestVeryLargeAppData: megabytes on the way of an ordinary call, 60 but for what no packing makes smaller. Whether they fit, do not, or cannot be held, the text
// arrives, and what was held is given back.
func TestVeryLargeAppData(t *testing.T) {
	if testing.Short() {
		t.Skip("packs 60 MB more than once")
	}
	random := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random)
	const size = 60 << 20
	regular := `{"features":[],"pad":"` + strings.Repeat("0123456789 abcde", size/16) + `"}`
	tests := []struct {
		name             string
		doc              string
		set              func(*Options)
		status, reason   string
		redemptionFailed bool
	}{
		{"fits, and is held once", regular, func(o *Options) { o.LimitChars, o.MaxBufferedBytes = 400_000, 64<<20 }, statusInline, "", false},
		{"does not fit", `{"features":[],"pad":"` + base64.StdEncoding.EncodeToString(random) + `"}`, nil, statusTooLarge, "data", false},
		{"above the limit of an answer", regular, func(o *Options) { o.MaxResponseBytes = 32 << 20 }, statusUnavailable, "unusable", true},
		{"cannot be held", regular, func(o *Options) { o.MaxBufferedBytes = 48 << 20 }, statusUnavailable, "busy", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newUpstreamServer(t, tomtom(map[string]string{"tomtom-routing": handleText, "tomtom-get-viz-data": tt.doc}))
			g := newGateway(t, up.URL, func(o *Options) {
				o.UpstreamTimeout = 0
				if tt.set != nil {
					tt.set(o)
				}
			})
			res, doc := parseResult(t, g.call(t, "tomtom-routing", `{}`))
			if res.Meta.Status != tt.status || res.Content[0].Text != plainText {
				t.Errorf("status %s, text %.200q", res.Meta.Status, res.Content[0].Text)
			}
			if tt.status == statusInline && !bytes.Equal(doc, []byte(tt.doc)) || tt.status != statusInline && doc != nil {
				t.Errorf("%d bytes of app data", len(doc))
			}
			if calls, redemptions := len(up.calls("tomtom-routing")), len(up.calls("tomtom-get-viz-data")); calls != 1 || redemptions != 1 {
				t.Errorf("%d calls, %d redemptions", calls, redemptions)
			}
			lines := g.logged.calls(t)
			if len(lines) != 1 || lines[0]["status"] != tt.status || lines[0]["reason"] != tt.reason || (lines[0]["err"] != nil) != tt.redemptionFailed {
				t.Errorf("log %v", lines)
			}
			if held := g.room.held.Load(); held != 0 {
				t.Errorf("%d bytes are still held", held)
			}
		})
	}
}

// TestAnnouncedBodyIsNotBelieved: a host that announces megabytes takes the memory for what it sends.
func TestAnnouncedBodyIsNotBelieved(t *testing.T) {
	for _, sent := range []int{0, 10, firstBodyBuffer, firstBodyBuffer + 1, 5 * firstBodyBuffer} {
		r := &http.Request{ContentLength: 16 << 20, Body: http.NoBody}
		r.Body = readCloser{strings.NewReader(strings.Repeat("x", sent))}
		body, err := readBody(nil, r, 16<<20, &hold{room: newRoom(64 << 20)})
		if err == nil || len(body) != sent || cap(body) > max(firstBodyBuffer, 8*sent) {
			t.Errorf("%d bytes sent: %d read into %d, %v", sent, len(body), cap(body), err)
		}
	}
	for _, length := range []int{1, firstBodyBuffer - 1, firstBodyBuffer, firstBodyBuffer + 1, 3 << 20} {
		want := strings.Repeat("abc", length/3+1)[:length]
		r := &http.Request{ContentLength: int64(length), Body: readCloser{strings.NewReader(want)}}
		if body, err := readBody(nil, r, 16<<20, &hold{room: newRoom(64 << 20)}); err != nil || string(body) != want || cap(body) > length+length/4+64 {
			t.Errorf("%d bytes: %d read into %d, %v", length, len(body), cap(body), err)
		}
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
