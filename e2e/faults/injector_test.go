package faults

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// injector stands between the gateway and an upstream. Requests and answers pass, except those of the tool that a fault is
// armed for: they meet the fault, as often as they come.
type injector struct {
	tb                testing.TB
	upstream, address string

	mu       sync.Mutex
	listener net.Listener
	conns    map[*net.TCPConn]struct{}
	fault    *fault
	tool     string
	seen     map[string]int // requests by tool, also those that were not read to their end
	sent     []byte         // the body of the last whole answer that a fault gave
}

// startInjector listens in front of the upstream's address until the test ends.
func startInjector(tb testing.TB, upstream string) *injector {
	tb.Helper()
	in := &injector{tb: tb, upstream: upstream, conns: map[*net.TCPConn]struct{}{}, seen: map[string]int{}}
	// At an address of this machine that nobody else here uses, so that nobody takes its port while it is down.
	for _, in.address = range []string{"127.0.0.77:0", "127.0.0.1:0"} {
		if in.listen() == nil {
			tb.Cleanup(in.cut)
			return in
		}
	}
	tb.Fatal("no address to listen at")
	return in
}

// listen begins to accept connections: at the address that it had before, if it had one.
func (in *injector) listen() error {
	l, err := net.Listen("tcp", in.address)
	if err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.listener, in.address = l, l.Addr().String()
	go in.accept(l)
	return nil
}

func (in *injector) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		tcp := conn.(*net.TCPConn)
		in.mu.Lock()
		in.conns[tcp] = struct{}{}
		in.mu.Unlock()
		go in.serve(tcp)
	}
}

// cut is what a process that dies does to its connections, and to whoever opens a new one.
func (in *injector) cut() {
	in.mu.Lock()
	defer in.mu.Unlock()
	_ = in.listener.Close()
	for conn := range in.conns {
		reset(conn)
	}
}

// reset closes a connection so that its other end sees a reset.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}

// arm lets every request of the tool meet the fault from now on; a nil fault lets all pass.
func (in *injector) arm(f *fault, tool string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.fault, in.tool = f, tool
	in.seen, in.sent = map[string]int{}, nil
}

// gave is the body of the last whole answer that a fault gave since arm.
func (in *injector) gave() []byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.sent
}

// came is how often a request of the tool came since arm.
func (in *injector) came(tool string) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.seen[tool]
}

// meets returns the fault that a request meets, by the beginning of its body.
func (in *injector) meets(body []byte) *fault {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, tool := range []string{callTool, redeemTool, fetchTool, otherTool} {
		if bytes.Contains(body, []byte(`"method":"tools/call","params":{"name":"`+tool+`"`)) {
			in.seen[tool]++
			if f := in.fault; f != nil && in.tool == tool {
				if f.once {
					in.fault = nil
				}
				return f
			}
		}
	}
	return nil
}

// identified is how much of a body is enough to know the tool.
const identified = 1024

func (in *injector) serve(conn *net.TCPConn) {
	defer func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		delete(in.conns, conn)
		_ = conn.Close()
	}()
	r := bufio.NewReader(conn)
	for {
		head, length, err := readHead(r)
		if err != nil {
			return
		}
		beginning, err := r.Peek(min(length, identified))
		if err != nil {
			return
		}
		f := in.meets(beginning)
		if f != nil && f.unread {
			reset(conn)
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		s := &strike{in: in, conn: conn, request: append(head, body...)}
		if f != nil {
			if f.inject(s); !s.whole {
				return
			}
			continue
		}
		if a, err := s.ask(); err != nil || s.write(a.head("Content-Length: "+strconv.Itoa(len(a.body)))+string(a.body)) != nil {
			return
		}
	}
}

// readHead returns the head of a request as it came, and how long its body is.
func readHead(r *bufio.Reader) (head []byte, length int, err error) {
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil, 0, err
		}
		head = append(head, line...)
		if name, value, _ := strings.Cut(string(line), ":"); strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(textproto.TrimString(value)); err != nil {
				return nil, 0, err
			}
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return head, length, nil
		}
	}
}

// strike is a request that meets a fault.
type strike struct {
	in      *injector
	conn    *net.TCPConn
	request []byte
	whole   bool // the answer has an end, and the connection goes on
}

// answer is what the upstream answers when nothing is in its way.
type answer struct {
	status      int
	contentType string
	body        []byte
}

// head is the answer's head with further header lines and without a word about its length.
func (a answer) head(lines ...string) string {
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\n", a.status, http.StatusText(a.status))
	if a.contentType != "" {
		head += "Content-Type: " + a.contentType + "\r\n"
	}
	for _, line := range lines {
		head += line + "\r\n"
	}
	return head + "\r\n"
}

// ask has the upstream do what the request says.
func (s *strike) ask() (a answer, err error) {
	conn, err := net.Dial("tcp", s.in.upstream)
	if err != nil {
		return a, err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write(s.request); err != nil {
		return a, err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return a, err
	}
	defer func() { _ = resp.Body.Close() }()
	a = answer{status: resp.StatusCode, contentType: resp.Header.Get("Content-Type")}
	a.body, err = io.ReadAll(resp.Body)
	return a, err
}

// asked is the upstream's answer; without one it is an empty answer, which no test takes for the right one.
func (s *strike) asked() answer {
	a, err := s.ask()
	if err != nil {
		return answer{status: http.StatusTeapot}
	}
	return a
}

func (s *strike) write(text string) error {
	_, err := io.WriteString(s.conn, text)
	return err
}

// say is write where nobody minds that the other end has had enough.
func (s *strike) say(text string) { _ = s.write(text) }

// answer answers with a whole, well-formed answer.
func (s *strike) answer(a answer, lines ...string) {
	s.whole = true
	s.in.mu.Lock()
	s.in.sent = a.body
	s.in.mu.Unlock()
	s.say(a.head(append(lines, "Content-Length: "+strconv.Itoa(len(a.body)))...) + string(a.body))
}

// awaitEnd returns when the gateway has closed the connection.
func (s *strike) awaitEnd() { _, _ = io.Copy(io.Discard, s.conn) }

// restart is what a supervisor does with a process that dies in the middle of its work.
func (in *injector) restart() {
	in.cut()
	if err := in.listen(); err != nil {
		in.tb.Errorf("the address is taken: %v", err)
	}
}

// down keeps everybody from the address while during runs.
func (in *injector) down(during func()) {
	in.cut()
	during()
	if err := in.listen(); err != nil {
		in.tb.Errorf("the address is taken: %v", err)
	}
}
