package traffic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

const role = "marked"

// Main runs the tests of a package that uses the marked upstream.
func Main(m *testing.M) {
	testkit.AddRole(role, newMarked)
	testkit.Main(m)
}

// upstreamOptions are what an upstream process is given.
type upstreamOptions struct {
	Answers string        // file with a list of answers, by the index of the kind
	Ledger  string        // file to write to; "": none
	Process string        // part of its handles, so that no other process takes them
	Latency time.Duration // of each call of a tool, as the real API's round trip
}

// StartUpstream starts a marked upstream in a process of its own. Calls are written to the ledger, which may be nil, and
// take the latency at least.
func StartUpstream(tb testing.TB, ledger *Ledger, latency time.Duration) *testkit.Process {
	tb.Helper()
	o := upstreamOptions{Answers: filepath.Join(tb.TempDir(), "answers"), Latency: latency}
	if err := writeAnswers(o.Answers); err != nil {
		tb.Fatal(err)
	}
	if ledger != nil {
		o.Ledger, o.Process = ledger.path, strconv.FormatInt(ledger.processes.Add(1), 10)
	}
	args, err := json.Marshal(o)
	if err != nil {
		tb.Fatal(err)
	}
	return testkit.StartProcess(tb, role, string(args))
}

// writeAnswers writes what an upstream process answers from: making it in each of them would take a second.
func writeAnswers(path string) error {
	kinds, err := Kinds()
	if err != nil {
		return err
	}
	all := make([]answers, len(kinds))
	for i, k := range kinds {
		all[i] = k.answers
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// marked answers each call from memory, marked with the call's number, and redeems the handles that it gave out, for the
// caller whom it gave them to.
type marked struct {
	kinds   []answers
	options upstreamOptions
	ledger  *os.File // nil: none
}

func newMarked(args string) (http.Handler, error) {
	m := &marked{}
	err := json.Unmarshal([]byte(args), &m.options)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(m.options.Answers)
	if err == nil {
		err = json.Unmarshal(text, &m.kinds)
	}
	if err == nil && m.options.Ledger != "" {
		m.ledger, err = os.OpenFile(m.options.Ledger, os.O_APPEND|os.O_WRONLY, 0)
	}
	return m, err
}

func (m *marked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	messages := testkit.ParseMessages(body)
	if len(messages) != 1 || messages[0].ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	id := string(messages[0].ID)
	switch {
	case messages[0].Method == "initialize":
		answer(w, id, []byte(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"marked","version":"1"}}`))
	case messages[0].Method != "tools/call":
		notFound := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
		event(w, []byte(notFound))
	case messages[0].Params.Name == "tomtom-get-viz-data":
		answer(w, id, m.redeem(messages[0].Params.Arguments, r.Header))
	default:
		answer(w, id, m.call(messages[0].Params.Arguments, r.Header))
	}
}

// call answers a call of a tool. What is asked is the kind with the index in "kind".
func (m *marked) call(arguments json.RawMessage, header http.Header) []byte {
	var asked struct {
		Caller Number `json:"caller"`
		Kind   int    `json:"kind"`
	}
	if json.Unmarshal(arguments, &asked) != nil || asked.Kind < 0 || asked.Kind >= len(m.kinds) {
		return failed("no such kind")
	}
	m.note(noteCall, asked.Caller)
	if m.options.Latency > 0 {
		time.Sleep(m.options.Latency) // what the real server spends on the API behind it
	}
	handle := fmt.Sprintf("%s.%s.%d.%d", m.options.Process, asked.Caller.name(), asked.Kind, credential(header))
	return m.kinds[asked.Kind].Call.fill(asked.Caller, handle)
}

// redeem answers with the map data of a handle, if this process gave it to this caller.
func (m *marked) redeem(arguments json.RawMessage, header http.Header) []byte {
	var asked struct {
		Handle string `json:"viz_id"`
	}
	_ = json.Unmarshal(arguments, &asked) // what is no handle is not found
	parts := strings.Split(asked.Handle, ".")
	if len(parts) != 4 {
		return failed("Visualization data not found or expired")
	}
	caller, _ := strconv.ParseUint(parts[1], 10, 64)
	kind, _ := strconv.Atoi(parts[2])
	switch {
	case parts[3] != strconv.FormatUint(uint64(credential(header)), 10):
		m.note(noteStranger, Number(caller))
		return failed("Visualization data not found or expired")
	case parts[0] != m.options.Process:
		m.note(noteMiss, Number(caller))
		return failed("Visualization data not found or expired")
	}
	m.note(noteRedemption, Number(caller))
	return m.kinds[kind].Redemption.fill(Number(caller), "")
}

// credential is the caller's key, hashed.
func credential(h http.Header) uint32 {
	sum := fnv.New32a()
	_, _ = io.WriteString(sum, h.Get("Tomtom-Api-Key"))
	return sum.Sum32()
}

func failed(text string) []byte {
	return fmt.Appendf(nil, `{"content":[{"type":"text","text":%q}],"isError":true}`, text)
}

func answer(w http.ResponseWriter, id string, result []byte) {
	event(w, bytes.Join([][]byte{[]byte(`{"result":`), result, []byte(`,"jsonrpc":"2.0","id":` + id + `}`)}, nil))
}

func event(w http.ResponseWriter, message []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Length", strconv.Itoa(len("event: message\ndata: ")+len(message)+2))
	_, _ = io.WriteString(w, "event: message\ndata: ") // a host that is gone needs nothing
	_, _ = w.Write(message)
	_, _ = io.WriteString(w, "\n\n")
}

func (m *marked) note(what string, n Number) {
	if m.ledger == nil {
		return
	}
	if _, err := fmt.Fprintf(m.ledger, "%s %s\n", what, n.name()); err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
		os.Exit(1)
	}
}
