package testkit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	childRole      = "stdio-child"
	grandchildRole = "stdio-grandchild"
)

// ScriptedChild returns a server that runs as a command: its program, and the environment that makes it one. What a call
// of one of its tools does is in the argument "do", steps separated by spaces:
//
//	garbage      write a line that is no JSON
//	half N       write half a message and exit with code N
//	exit N       exit with code N
//	never        do not answer
//	release      let the calls with "wait" answer
//	wait         answer when another call says "release"
//	stderr N     write N bytes of lines to standard error
//	big N        answer with a text of N bytes
//	progress     notify of progress, by the call's token
//	log          notify of a message and of a changed list
//	ask          ask the host by elicitation/create with id 900, and answer with its response
//	spawn        start a process that ignores signals and the end of its input; answer with its process id
//	stubborn     ignore the end of the input and SIGTERM from now on
//	heard        answer with everything that was heard so far, a line each
//	pid          answer with the process id
//
// A call without steps answers with a handle where its tool is one of TomTom's with app data.
func ScriptedChild(tb testing.TB) (program string, env []string) {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return self, []string{roleVariable + "=" + childRole}
}

// ChildDocument is the app data of every handle of a ScriptedChild.
const ChildDocument = `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[4.10, 52.0]},"properties":{"n":1.50}}]}`

// ChildText is the text of a call without steps.
const ChildText = "{\n  \"summary\": \"ü\\u00fc\",\n  \"n\": 1.500,\n  \"_meta\": {\n    \"show_ui\": true,\n    \"viz_id\": \"secret-handle\"\n  }\n}"

type child struct {
	mu       sync.Mutex
	out      *bufio.Writer
	heard    []string
	released chan struct{}
	answers  chan string // of the host, to "ask"
}

func runChild() int {
	c := &child{out: bufio.NewWriter(os.Stdout), released: make(chan struct{}), answers: make(chan string, 1)}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			c.take(line)
		}
		for err != nil {
			if !stubborn.Load() {
				return 0
			}
			time.Sleep(10 * time.Minute) // so that a broken test leaves nothing for ever
		}
	}
}

func (c *child) take(line string) {
	c.mu.Lock()
	c.heard = append(c.heard, line)
	c.mu.Unlock()
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name            string
			ProtocolVersion string
			Arguments       struct{ Do string }
			Meta            struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
	}
	if json.Unmarshal([]byte(line), &m) != nil {
		return
	}
	switch {
	case m.ID == nil:
	case m.Method == "":
		c.answers <- line
	case m.Method == "initialize":
		c.result(m.ID, `{"protocolVersion":"`+m.Params.ProtocolVersion+`","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"scripted","version":"1"}}`)
	case m.Method == "tools/list":
		c.result(m.ID, `{"tools":[`+ListedTool("tomtom-routing")+`,`+ListedTool("tomtom-geocode")+`,`+ListedTool("tomtom-data-viz")+`,`+ListedTool("tomtom-get-viz-data")+`]}`)
	case m.Method == "tools/call" && m.Params.Name == "tomtom-get-viz-data":
		c.result(m.ID, TextResult(ChildDocument))
	case m.Method == "tools/call":
		go c.call(m.ID, m.Params.Meta.ProgressToken, strings.Fields(m.Params.Arguments.Do))
	default:
		c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID))
	}
}

func (c *child) say(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.out.WriteString(line + "\n")
	_ = c.out.Flush()
}

func (c *child) result(id json.RawMessage, result string) {
	c.say(fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, result, id))
}

func (c *child) call(id, token json.RawMessage, do []string) {
	text := ChildText
	for i, step := range do {
		n := 0
		if i+1 < len(do) {
			n, _ = strconv.Atoi(do[i+1])
		}
		switch step {
		case "garbage":
			c.say("Listening on stdio {not JSON")
		case "half":
			c.mu.Lock()
			_, _ = c.out.WriteString(`{"result":{"content":[`)
			_ = c.out.Flush()
			os.Exit(n)
		case "exit":
			os.Exit(n)
		case "never":
			return
		case "release":
			close(c.released)
		case "wait":
			<-c.released
		case "stderr":
			line := bytes.Repeat([]byte("e"), 99)
			line = append(line, '\n')
			for range n / len(line) {
				_, _ = os.Stderr.Write(line)
			}
		case "big":
			text = `{"n":"` + strings.Repeat("x", n) + `"}`
		case "progress":
			c.say(fmt.Sprintf(`{"method":"notifications/progress","params":{"progressToken":%s,"progress":1.50},"jsonrpc":"2.0"}`, token))
		case "log":
			c.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"ü"}}`)
			c.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		case "ask":
			c.say(`{"jsonrpc":"2.0","id":900,"method":"elicitation/create","params":{"message":"?"}}`)
			text = <-c.answers
		case "spawn":
			text = c.spawn()
		case "stubborn":
			beStubborn()
		case "heard":
			c.mu.Lock()
			text = strings.Join(c.heard, "\n")
			c.mu.Unlock()
		case "pid":
			text = strconv.Itoa(os.Getpid())
		}
	}
	c.result(id, TextResult(text))
}

// spawn starts a process of the child's that wants to stay.
func (c *child) spawn() string {
	self, _ := os.Executable()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"="+grandchildRole)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err.Error()
	}
	if err := cmd.Start(); err != nil {
		return err.Error()
	}
	ready, _ := bufio.NewReader(out).ReadString('\n')
	return strings.TrimSpace(ready)
}

func runGrandchild() int {
	beStubborn()
	fmt.Println(os.Getpid())
	time.Sleep(10 * time.Minute) // so that a broken test leaves nothing for ever
	return 0
}
