package proxy

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestEventReader(t *testing.T) {
	tests := []struct {
		name, stream string
		events       []string // name, colon, data; "!" for what is no message
	}{
		{"one", "event: message\ndata: {}\n\n", []string{"message:{}"}},
		{"no name", "data: {}\n\n", []string{":{}"}},
		{"no space", "data:{}\n\n", []string{":{}"}},
		{"two spaces", "data:  {}\n\n", []string{": {}"}},
		{"CRLF", "event: message\r\ndata: {}\r\n\r\n", []string{"message:{}"}},
		{"CR", "event: message\rdata: {}\r\r", []string{"message:{}"}},
		{"mixed ends", "data: a\rdata: b\ndata: c\r\n\rdata: d\n\r\n", []string{":a\nb\nc", ":d"}},
		{"several lines", "data: {\ndata:\ndata: }\n\n", []string{":{\n\n}"}},
		{"comment", ": hi\n\n", []string{"!"}},
		{"fields alone", "id: 1\nretry: 5\n\n", []string{"!"}},
		{"field without a colon", "data\n\n", []string{":"}},
		{"other name", "event: other\ndata: {}\n\n", []string{"!"}},
		{"blank lines", "\n\n\ndata: x\n\n", []string{"!", "!", "!", ":x"}},
		{"byte order mark", "\ufeffdata: x\n\n\ufeffdata: y\n\n", []string{":x", "!"}},
		{"no end", "data: x\n\ndata: y\n", []string{":x", "!"}},
		{"no line end", "data: x", []string{"!"}},
		{"nothing", "", nil},
		{"case counts", "Data: x\n\n", []string{"!"}},
	}
	for _, tt := range tests {
		for _, chunk := range []struct {
			name string
			of   func(io.Reader) io.Reader
		}{{"at once", func(r io.Reader) io.Reader { return r }}, {"byte by byte", iotest.OneByteReader}, {"end with data", iotest.DataErrReader}} {
			t.Run(tt.name+" "+chunk.name, func(t *testing.T) {
				events := newEventReader(chunk.of(strings.NewReader(tt.stream)), 1<<20, newMemory)
				var got []string
				var raw []byte
				for {
					ev, err := events.next()
					if err != nil {
						if !errors.Is(err, io.EOF) {
							t.Fatal(err)
						}
						break
					}
					raw = append(raw, ev.raw...)
					if ev.isMessage() {
						got = append(got, ev.name+":"+string(ev.data()))
					} else if string(ev.raw) != "\n" || tt.name == "blank lines" { // else: the LF of a CR that was end enough
						got = append(got, "!")
					}
				}
				if string(raw) != tt.stream {
					t.Errorf("bytes %q", raw)
				}
				if strings.Join(got, "|") != strings.Join(tt.events, "|") {
					t.Errorf("events %q, want %q", got, tt.events)
				}
			})
		}
	}
}

// TestEventIsNotHeldForTheNext: a blank line that ends with CR is the end, whether or not LF follows.
func TestEventIsNotHeldForTheNext(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	events := newEventReader(r, 1<<20, newMemory)
	go func() { _, _ = io.WriteString(w, "data: x\r\r") }()
	ev, err := events.next()
	if err != nil || string(ev.data()) != "x" {
		t.Fatalf("%q, %v", ev.raw, err)
	}
	go func() { _, _ = io.WriteString(w, "\ndata: y\r\n\r\n") }()
	if ev, err = events.next(); err != nil || string(ev.raw) != "\ndata: y\r\n\r\n" || string(ev.data()) != "y" {
		t.Fatalf("%q, %v", ev.raw, err)
	}
}

func TestEventWithOtherData(t *testing.T) {
	tests := []struct{ stream, data, want string }{
		{"id: 1\ndata: old\nretry: 2\n\n", "new", "id: 1\ndata: new\nretry: 2\n\n"},
		{"data:old\r\n\r\n", "new", "data:new\r\n\r\n"},
		{"data: a\n: c\ndata: b\nid: 1\ndata:c\n\n", "x\ny", "data: x\ndata: y\n: c\nid: 1\n\n"},
		{"data: a\rdata: b\n\n", "x", "data: x\r\n\n"},
		{"data: a\nid: 1\rdata: b\n\n", "x", "data: x\nid: 1\r\n\n"},
		{"data\ndata: {}\n\n", "\n[]", "data: \ndata: []\n\n"},
	}
	for _, tt := range tests {
		ev, err := newEventReader(strings.NewReader(tt.stream), 1<<20, newMemory).next()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(ev.appendWith(nil, []byte(tt.data))); got != tt.want {
			t.Errorf("%q with %q: %q, want %q", tt.stream, tt.data, got, tt.want)
		}
	}
}

// TestNewEventHoldsItsData, whatever line ends stand between the tokens: they do not end the event.
func TestNewEventHoldsItsData(t *testing.T) {
	for _, data := range []string{
		`{"id":1}`, "{\n\n\"id\":1\r\n\r\r}", "{\"id\":{\n\n}}\n", "\ndata: x\n\nevent: y\n", "",
	} {
		events := newEventReader(bytes.NewReader(newEvent([]byte(data))), 1<<20, newMemory)
		ev, err := events.next()
		if err != nil || !ev.isMessage() || ev.name != "message" {
			t.Fatalf("%q: %v, event %q", data, err, ev.raw)
		}
		if got, want := string(ev.data()), strings.ReplaceAll(data, "\r", "\n"); got != want {
			t.Errorf("data %q, want %q", got, want)
		}
		if _, err := events.next(); !errors.Is(err, io.EOF) {
			t.Errorf("%q: another event, %v", data, err)
		}
	}
}

func TestEventReaderLimits(t *testing.T) {
	stream := "data: small\n\ndata: " + strings.Repeat("x", 100_000) + "\n\ndata: after\n\n"
	refuse := errors.New("no")
	for name, tt := range map[string]struct {
		limit int
		grow  grower
		want  error
	}{
		"too large":                   {50_000, newMemory, errEventTooLarge},
		"too large in a first buffer": {20, newMemory, errEventTooLarge},
		"no memory": {1 << 20, func(b []byte, size int) ([]byte, error) {
			if cap(b) > 0 {
				return nil, refuse
			}
			return newMemory(b, size)
		}, refuse},
	} {
		t.Run(name, func(t *testing.T) {
			src := strings.NewReader(stream)
			events := newEventReader(src, tt.limit, tt.grow)
			first, err := events.next()
			if err != nil || string(first.data()) != "small" {
				t.Fatalf("%q, %v", first.raw, err)
			}
			got := string(first.raw)
			if _, err = events.next(); !errors.Is(err, tt.want) {
				t.Fatalf("%v", err)
			}
			got += string(events.rest())
			behind, _ := io.ReadAll(src)
			if got+string(behind) != stream {
				t.Error("bytes are lost")
			}
		})
	}
}

func TestDetachedEventKeepsItsBytes(t *testing.T) {
	events := newEventReader(strings.NewReader("data: one\n\ndata: two\n\ndata: three\n\n"), 1<<20, newMemory)
	one, _ := events.next()
	events.detach()
	two, _ := events.next()
	if string(one.raw) != "data: one\n\n" || string(two.raw) != "data: two\n\n" {
		t.Errorf("%q, %q", one.raw, two.raw)
	}
	if string(events.rest()) != "data: three\n\n" {
		t.Errorf("rest %q", events.rest())
	}
}

// FuzzEventReader: no bytes are lost or made up, whatever the chunks, and chunks make no difference.
func FuzzEventReader(f *testing.F) {
	f.Add([]byte("event: message\r\ndata: {}\r\n\r\n: c\n\ndata: a\rdata: b\r\r"), uint8(3))
	f.Add([]byte("\ufeffid: 1\ndata\n\n\r\n\r"), uint8(1))
	f.Add([]byte("data:\ndata:  \n\r"), uint8(5))
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		whole := readEvents(t, bytes.NewReader(stream))
		chunked := readEvents(t, &chunks{stream, int(size)%7 + 1})
		if !bytes.Equal(bytes.Join(whole.raw, nil), stream) || !bytes.Equal(bytes.Join(chunked.raw, nil), stream) {
			t.Fatalf("%q became %q, %q", stream, whole.raw, chunked.raw)
		}
		if strings.Join(whole.data, "|") != strings.Join(chunked.data, "|") {
			t.Fatalf("%q: data %q, chunked %q", stream, whole.data, chunked.data)
		}
	})
}

type readStream struct {
	raw  [][]byte
	data []string
}

func readEvents(t testing.TB, r io.Reader) (read readStream) {
	t.Helper()
	events := newEventReader(r, 1<<30, newMemory)
	for {
		ev, err := events.next()
		if err != nil {
			return read
		}
		read.raw = append(read.raw, bytes.Clone(ev.raw))
		if !ev.isMessage() {
			continue
		}
		read.data = append(read.data, string(ev.data()))
		replaced := ev.appendWith(nil, ev.data())
		replaced = bytes.TrimPrefix(replaced, []byte("\n")) // of the CR before
		again, err := newEventReader(bytes.NewReader(replaced), 1<<30, newMemory).next()
		if err != nil || !again.isMessage() || !bytes.Equal(again.data(), ev.data()) {
			t.Fatalf("%q with its own data: %q", ev.raw, replaced)
		}
	}
}

type chunks struct {
	rest []byte
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
