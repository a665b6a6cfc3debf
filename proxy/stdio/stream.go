package stdio

import (
	"bytes"
	"io"
	"sync"
)

// maxQueued is how many bytes of lines wait in a stream for its reader before whoever writes has to wait too.
const maxQueued = 16 << 20

// stream is the body of an answer: lines that a pipe puts in, read as one JSON body or as server-sent events. It is safe
// for concurrent use by one reader and one writer.
type stream struct {
	mu      sync.Mutex
	changed sync.Cond
	queue   [][]byte
	queued  int
	started chan struct{} // closed by the first line, or by the end
	begun   bool
	whole   bool // the first line is all there is
	ended   bool
	err     error // what reading fails with at the end; nil: io.EOF

	// Of the reader.
	events  bool // lines are read as events
	reading [][]byte
	onClose func()
}

func newStream() *stream {
	s := &stream{started: make(chan struct{}), onClose: func() {}}
	s.changed.L = &s.mu
	return s
}

// begin closes started, once. s.mu is held.
func (s *stream) begin() {
	if !s.begun {
		s.begun = true
		close(s.started)
	}
}

// push appends a line. It waits while the reader is far behind. last ends the stream with it.
func (s *stream) push(line []byte, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.queued > maxQueued && !s.ended {
		s.changed.Wait()
	}
	if s.ended {
		return
	}
	s.queue = append(s.queue, line)
	s.queued += len(line)
	if !s.begun {
		s.whole = last
	}
	s.ended = last
	s.begin()
	s.changed.Broadcast()
}

// end ends the stream: after what is queued, reading fails with err, or with io.EOF where that is nil.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended, s.err = true, err
	s.begin()
	s.changed.Broadcast()
}

// failure is what the stream ended with before it held anything; nil while it did not.
func (s *stream) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 && s.ended {
		return s.err
	}
	return nil
}

// length is that of the body where it is one line of JSON, else -1.
func (s *stream) length() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.whole && len(s.queue) == 1 {
		return int64(len(s.queue[0]))
	}
	return -1
}

var eventHead, eventEnd = []byte("event: message\ndata: "), []byte("\n\n")

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.reading) == 0 {
		line, err := s.pop()
		if err != nil {
			return 0, err
		}
		if s.events {
			// A carriage return would end the event's line.
			s.reading = [][]byte{eventHead, withoutReturns(line), eventEnd}
		} else {
			s.reading = [][]byte{line}
		}
	}
	n := copy(p, s.reading[0])
	if s.reading[0] = s.reading[0][n:]; len(s.reading[0]) == 0 {
		s.reading = s.reading[1:]
	}
	return n, nil
}

func withoutReturns(line []byte) []byte {
	if bytes.IndexByte(line, '\r') < 0 {
		return line
	}
	return bytes.ReplaceAll(line, []byte{'\r'}, []byte{' '})
}

func (s *stream) pop() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 {
		switch {
		case s.ended && s.err != nil:
			return nil, s.err
		case s.ended:
			return nil, io.EOF
		}
		s.changed.Wait()
	}
	line := s.queue[0]
	s.queue = s.queue[1:]
	s.queued -= len(line)
	s.changed.Broadcast()
	return line, nil
}

// Close ends the stream from the reader's side: nothing more is kept for it.
func (s *stream) Close() error {
	s.mu.Lock()
	s.ended, s.queue, s.queued = true, nil, 0
	s.begin()
	s.changed.Broadcast()
	s.mu.Unlock()
	s.onClose()
	return nil
}
