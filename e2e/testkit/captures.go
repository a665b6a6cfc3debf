package testkit

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Capture is one recorded exchange with the TomTom server.
type Capture struct {
	// Name is the file's name without .json.
	Name string
	// Request is the message that was sent, Result the answer's result on one line, as the server wrote it; nil where
	// the answer was an error.
	Request json.RawMessage
	Result  json.RawMessage

	HTTP struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
	}
	Response json.RawMessage
}

// Shared returns the path of a file of the recorded material beside the module, and skips the test where it is absent.
func Shared(tb testing.TB, elements ...string) string {
	tb.Helper()
	path := filepath.Join(append([]string{filepath.Dir(ModuleRoot()), "shared"}, elements...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("the recorded material is not there: %v", err)
	}
	return path
}

// LoadCapture reads one capture, and skips the test where captures are absent.
func LoadCapture(tb testing.TB, name string) Capture {
	tb.Helper()
	return readCapture(tb, Shared(tb, "captures", name+".json"))
}

func readCapture(tb testing.TB, path string) Capture {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var c Capture
	if err := json.Unmarshal(data, &c); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	c.Name = strings.TrimSuffix(filepath.Base(path), ".json")
	var r struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(c.Response, &r); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	if r.Result != nil {
		c.Result = compact(r.Result)
	}
	c.Request, c.Response = compact(c.Request), compact(c.Response)
	return c
}

// Captures reads all captures, and skips the test where they are absent.
func Captures(tb testing.TB) []Capture {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(Shared(tb, "captures"), "[a-z]*.json"))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("captures: %v", err)
	}
	all := make([]Capture, len(paths))
	for i, path := range paths {
		all[i] = readCapture(tb, path)
	}
	return all
}

// Message is the capture's request, read.
func (c Capture) Message(tb testing.TB) Message {
	tb.Helper()
	messages := ParseMessages(c.Request)
	if len(messages) != 1 {
		tb.Fatalf("%s: %d messages", c.Name, len(messages))
	}
	return messages[0]
}

// Replay is an upstream that answers every captured request with what was recorded: the same call gets the same result,
// and a handle is redeemed with the data recorded for it.
func Replay(tb testing.TB, captures []Capture) *Script {
	tb.Helper()
	s := NewScript()
	byTool := map[string]map[string]json.RawMessage{}
	for _, c := range captures {
		m := c.Message(tb)
		if c.Result == nil {
			continue
		}
		if m.Method != "tools/call" {
			s.On(m.Method, Event(string(c.Result)))
			continue
		}
		if byTool[m.Params.Name] == nil {
			byTool[m.Params.Name] = map[string]json.RawMessage{}
		}
		byTool[m.Params.Name][string(compact(m.Params.Arguments))] = c.Result
	}
	for tool, byArguments := range byTool {
		s.Tool(tool, replayTool(byArguments))
	}
	return s
}

func replayTool(byArguments map[string]json.RawMessage) Reply {
	return func(w http.ResponseWriter, r *http.Request, m Message) {
		result, ok := byArguments[string(compact(m.Params.Arguments))]
		if !ok {
			Event(`{"content":[{"type":"text","text":"Visualization data not found or expired"}],"isError":true}`)(w, r, m)
			return
		}
		Event(string(result))(w, r, m)
	}
}

func compact(doc json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, doc) != nil {
		return doc
	}
	return b.Bytes()
}

// SampleData returns the data of the first event of a recorded answer that was kept as it stood on the wire, and skips
// the test where it is absent.
func SampleData(tb testing.TB, name string) []byte {
	tb.Helper()
	raw, err := os.ReadFile(Shared(tb, "captures", name))
	if err != nil {
		tb.Fatal(err)
	}
	_, body, ok := bytes.Cut(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	all := Answer{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}.Data()
	if !ok || len(all) == 0 {
		tb.Fatalf("%s has no event", name)
	}
	return all[0]
}
