package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// seenUpstream is an upstream that notes the requests that reach it.
type seenUpstream struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // method, target and body of each
	head []http.Header
}

func newSeenUpstream(t testing.TB) *seenUpstream {
	t.Helper()
	u := &seenUpstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		u.mu.Lock()
		u.seen = append(u.seen, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.RequestURI, body)))
		u.head = append(u.head, r.Header)
		u.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	t.Cleanup(u.Close)
	return u
}

// take returns what has been seen since it was last asked.
func (u *seenUpstream) take() (requests []string, headers []http.Header) {
	u.mu.Lock()
	defer u.mu.Unlock()
	requests, headers = u.seen, u.head
	u.seen, u.head = nil, nil
	return requests, headers
}

// exchangeRaw sends bytes over a connection of its own and reads all answers until the gateway closes it or has nothing
// more to say: the last request asks for the connection's end.
func exchangeRaw(t testing.TB, address, bytes string) (statuses []int) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, bytes); err != nil {
		return nil // refused before all was sent
	}
	for r := bufio.NewReader(c); ; {
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			return statuses
		}
		statuses = append(statuses, response.StatusCode)
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if response.Close {
			return statuses
		}
	}
}

// TestRequestsThatAreReadInTwoWays: what one server takes for one request and another for two, or for none, is refused,
// or reaches the upstream as exactly what the gateway took it for, with nothing of it left on the host's connection.
func TestRequestsThatAreReadInTwoWays(t *testing.T) {
	const (
		ping     = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		smuggled = "POST /smuggled HTTP/1.1\r\nHost: g\r\nContent-Length: 0\r\n\r\n"
		asked    = "POST /x " + ping
	)
	post := func(body string, lines ...string) string {
		return "POST /x HTTP/1.1\r\nHost: g\r\n" + strings.Join(append(lines, "", ""), "\r\n") + body
	}
	length := "Content-Length: " + strconv.Itoa(len(ping))
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(ping), ping)
	last := "Connection: close"
	tests := []struct {
		name, sends string
		status      int    // of the first answer; 0: the connection is closed without one
		reaches     string // the one request that may reach the upstream; "": none
	}{
		{"as it should be", post(ping, length, last), 200, asked},
		{"in chunks", post(chunked, "Transfer-Encoding: chunked"), 200, asked},

		{"two lengths", post(ping+smuggled, length, "Content-Length: 0"), 400, ""},
		{"two lengths on one line", post(ping+smuggled, length+", 0"), 400, ""},
		{"one length twice", post(ping, length, length, last), 200, asked},
		{"a signed length", post(ping, "Content-Length: +"+strconv.Itoa(len(ping))), 400, ""},
		{"a negative length", post(ping, "Content-Length: -1"), 400, ""},
		{"a hexadecimal length", post(ping, "Content-Length: 0x28"), 400, ""},
		{"a length beyond 64 bits", post(ping, "Content-Length: 18446744073709551656"), 400, ""},
		{"an empty length", post(ping, "Content-Length: "), 400, ""},

		{"a length and chunks", post(chunked+smuggled, "Content-Length: 4", "Transfer-Encoding: chunked"), 200, asked},
		{"chunks and a length that goes on", post(chunked+smuggled, "Transfer-Encoding: chunked", "Content-Length: 400"), 200, asked},
		{"an unknown coding", post(chunked+smuggled, "Transfer-Encoding: xchunked", length), 501, ""},
		{"two codings", post(chunked+smuggled, "Transfer-Encoding: gzip, chunked"), 501, ""},
		{"two lines of codings", post(chunked+smuggled, "Transfer-Encoding: chunked", "Transfer-Encoding: identity"), 501, ""},
		{"a coding behind a tab", post(chunked+smuggled, "Transfer-Encoding:\tchunked", "Content-Length: 4"), 200, asked},
		{"a space before the colon", post(chunked+smuggled, "Transfer-Encoding : chunked", "Content-Length: 4"), 400, ""},
		{"a coding in HTTP/1.0", "POST /x HTTP/1.0\r\nHost: g\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: " +
			strconv.Itoa(len(ping)) + "\r\n\r\n" + ping + smuggled, 200, asked},
		{"a chunk's length that is none", post("zz\r\n"+ping+"\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 400, ""},
		{"a chunk's length beyond 64 bits", post("1ffffffffffffffff\r\n"+ping+"\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 400, ""},
		{"a chunk without its line end", post(fmt.Sprintf("%x\r\n%sXX0\r\n\r\n", len(ping), ping), "Transfer-Encoding: chunked"), 400, ""},
		{"a chunk whose extension ends in a bare line feed", post(fmt.Sprintf("%x;a\n%s\r\n0\r\n\r\n", len(ping), ping), "Transfer-Encoding: chunked"), 400, ""},

		{"a bare carriage return in a value", post(ping, length, "X-A: b\rX-Smuggled: c"), 400, ""},
		{"a zero byte in a value", post(ping, length, "X-A: b\x00c"), 400, ""},
		{"a space in a name", post(ping, length, "X A: b"), 400, ""},
		{"a name of nothing", post(ping, length, ": b"), 400, ""},
		{"a line without a colon", post(ping, length, "nonsense"), 400, ""},
		{"a first line that goes on", "POST /x HTTP/1.1\r\n Host: g\r\n\r\n", 400, ""},
		{"a bare carriage return in the target", "POST /x\rGET HTTP/1.1\r\nHost: g\r\n\r\n", 400, ""},
		{"an escaped line end in the target", "GET /x%0d%0aHost:%20evil HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n", 200, "GET /x%0d%0aHost:%20evil"},

		{"no host", "POST /x HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 400, ""},
		{"two hosts", "POST /x HTTP/1.1\r\nHost: g\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 400, ""},
		{"a host with a path", "POST /x HTTP/1.1\r\nHost: g/x\r\nContent-Length: 0\r\n\r\n", 400, ""},
		{"a target with a host", "POST http://g/x HTTP/1.1\r\nHost: g\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 400, ""},
		{"a target with another host", "POST http://other.example/x HTTP/1.1\r\nHost: g\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 400, ""},
		{"a target without a slash", "POST x HTTP/1.1\r\nHost: g\r\n\r\n", 400, ""},
		{"a tunnel", "CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\nConnection: close\r\n\r\n", 405, ""},
		{"a tunnel to a path", "CONNECT /x HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n", 405, ""},
		{"HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, ""},
		{"a version that does not exist", "GET / HTTP/1.9x\r\nHost: g\r\n\r\n", 400, ""},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, ""},

		{"a header of a hundred kilobytes", post(ping, length, "X-A: "+strings.Repeat("a", 100<<10)), 431, ""},
		{"two hundred headers", post(ping, append([]string{length, last}, strings.Split(strings.Repeat("X-A: b,", 199)+"X-A: b", ",")...)...), 431, ""},
		{"a hundred headers", post(ping, append([]string{length, last}, strings.Split(strings.Repeat("X-A: b,", 99)+"X-A: b", ",")...)...), 200, asked},
	}
	up := newSeenUpstream(t)
	record, _, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+up.URL+"/mcp", "GATEWAY_ALLOWED_HOSTS=*")
	address := record["listen"].(string)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up.take()
			statuses := exchangeRaw(t, address, tt.sends)
			if status := append(statuses, 0)[0]; status != tt.status || len(statuses) > 1 {
				t.Errorf("answered %v, want one %d", statuses, tt.status)
			}
			seen, headers := up.take()
			if got := strings.Join(seen, "; "); got != tt.reaches {
				t.Errorf("the upstream got %q, want %q", got, tt.reaches)
			}
			for _, h := range headers {
				if h.Get("Transfer-Encoding") != "" || h.Get("X-Smuggled") != "" {
					t.Errorf("headers %v", h)
				}
			}
		})
	}
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// TestBareLineFeeds: they end header lines, as RFC 9112 section 2.2 allows, and go no further as such.
func TestBareLineFeeds(t *testing.T) {
	up := newSeenUpstream(t)
	record, _, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+up.URL+"/mcp", "GATEWAY_ALLOWED_HOSTS=*")
	statuses := exchangeRaw(t, record["listen"].(string), "POST /x HTTP/1.1\nHost: g\nX-A: b\nContent-Length: 2\nConnection: close\n\n{}")
	seen, headers := up.take()
	if len(statuses) != 1 || statuses[0] != http.StatusOK || len(seen) != 1 || seen[0] != "POST /x {}" || headers[0].Get("X-A") != "b" {
		t.Errorf("answered %v; the upstream got %q with %v", statuses, seen, headers)
	}
	stop()
	wait()
}

// TestHostNames: on loopback only names of this machine lead to the gateway, unless others are named; the admin address
// has no other.
func TestHostNames(t *testing.T) {
	up := newSeenUpstream(t)
	for _, tt := range []struct {
		named string
		host  string
		ok    bool
	}{
		{"", "localhost", true},
		{"", "localhost:8080", true},
		{"", "127.0.0.1", true},
		{"", "127.9.9.9:1", true},
		{"", "[::1]:8080", true},
		{"", "LOCALHOST.", true},
		{"", "app.localhost", true},
		{"", "rebound.example", false},
		{"", "rebound.example:8080", false},
		{"", "localhost.rebound.example", false},
		{"", "127.0.0.1.rebound.example", false},
		{"", "192.168.0.1", false},
		{"", "[::2]", false},
		{"maps.example", "maps.example:443", true},
		{"maps.example", "Maps.Example", true},
		{"maps.example", "localhost", true},
		{"maps.example", "other.example", false},
		{"maps.example", "sub.maps.example", false},
		{"*", "rebound.example", true},
	} {
		t.Run(tt.named+" asked as "+tt.host, func(t *testing.T) {
			record, _, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+up.URL+"/mcp", "GATEWAY_ALLOWED_HOSTS="+tt.named)
			defer wait()
			defer stop()
			up.take()
			get := "GET %s HTTP/1.1\r\nHost: " + tt.host + "\r\nConnection: close\r\n\r\n"
			want := map[bool]int{true: 200, false: 403}
			if got := exchangeRaw(t, record["listen"].(string), fmt.Sprintf(get, "/x")); len(got) != 1 || got[0] != want[tt.ok] {
				t.Errorf("answered %v", got)
			}
			if seen, _ := up.take(); (len(seen) == 1) != tt.ok {
				t.Errorf("the upstream got %q", seen)
			}
			loopback := tt.named == "" && tt.ok || strings.HasPrefix(tt.host, "localhost") && !strings.Contains(tt.host, "example")
			if got := exchangeRaw(t, record["admin"].(string), fmt.Sprintf(get, "/metrics")); len(got) != 1 || got[0] != want[loopback] {
				t.Errorf("the admin address answered %v", got)
			}
		})
	}
}
