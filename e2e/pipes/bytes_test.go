package pipes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestStdioLinesPassAsTheyAre: what the gateway does not own reaches the server and comes back byte for byte, whatever
// its ids and spellings.
func TestStdioLinesPassAsTheyAre(t *testing.T) {
	g := scripted(t)
	var said []string
	for i, id := range []string{`1`, `1.0e1`, `"a"`, `"\u0062"`, `-3`, `9007199254740993`, `""`} {
		line := fmt.Sprintf(`{ "method":"tools/call","id" : %s,"jsonrpc":"2.0","x":0.10,"params":{"arguments":{"do":"big %d"},"name":"other-tool","n":12345678901234567890} }`, id, i)
		want := fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, testkit.TextResult(`{"n":"`+strings.Repeat("x", i)+`"}`), id)
		if got := g.Ask(t, id, line); got != want {
			t.Errorf("heard %s\nwant  %s", got, want)
		}
		said = append(said, line)
	}
	notification := `{"jsonrpc":"2.0", "method":"notifications/roots/list_changed","params":{"é":"\u00e9"}}`
	g.Say(t, notification)
	unknown := `{"jsonrpc":"2.0","id":"u","method":"x/y","params":{"a":[1]}}`
	if got, want := g.Ask(t, `"u"`, unknown), `{"jsonrpc":"2.0","id":"u","error":{"code":-32601,"message":"Method not found"}}`; got != want {
		t.Errorf("heard %s", got)
	}
	lines := heard(t, g)
	for _, line := range append(said, notification, unknown) {
		if !slices.Contains(lines, line) {
			t.Errorf("the server did not hear %s", line)
		}
	}
}

// TestStdioOwnedResult: around an owned result every byte is the server's; its handle is redeemed once, over the same
// pipe, and of that the host hears nothing.
func TestStdioOwnedResult(t *testing.T) {
	g := scripted(t, "GATEWAY_TEXT=keep")
	for _, id := range []string{`1`, `"gateway-1"`, `2.0`} {
		g.Say(t, testkit.CallMessage(id, "tomtom-routing", `{}`))
		line, before := g.HearResponse(t, id)
		if len(before) > 0 {
			t.Errorf("before it came %q", before)
		}
		if !strings.HasPrefix(line, `{"result":{"content":[`) || !strings.HasSuffix(line, `},"jsonrpc":"2.0","id":`+id+`}`) || strings.Contains(line, "secret-handle") {
			t.Errorf("%s", line)
		}
		r := testkit.ParseResult(t, []byte(strings.TrimSuffix(strings.TrimPrefix(line, `{"result":`), `,"jsonrpc":"2.0","id":`+id+`}`)))
		if r.Status(t) != "inline" || string(r.AppData(t)) != testkit.ChildDocument {
			t.Errorf("status %s", r.Status(t))
		}
		want := strings.SplitAfter(testkit.ChildText, "1.500")[0] + ",\n  \"show_ui\": true,\n  \"tool\": \"tomtom-routing\",\n  \"app_data_ref\": \""
		if text := r.OnlyText(t); !strings.HasPrefix(text, want) || len(text) != len(want)+22+len("\"\n}") {
			t.Errorf("text %s", text)
		}
	}
	lines := heard(t, g)
	if calls, redeemed := having(lines, `"name":"tomtom-routing","arguments":{}`), having(lines, `"tomtom-get-viz-data","arguments":{"viz_id":"`); len(calls) != 3 || len(redeemed) != 3 {
		t.Errorf("%d calls, %d redemptions", len(calls), len(redeemed))
	}
	if strings.Contains(g.LogText(), "secret-handle") {
		t.Error("the handle is in the log")
	}
}

// TestStdioMessagesPassBothWays: progress, logging, changed lists and the server's own requests, in their order.
func TestStdioMessagesPassBothWays(t *testing.T) {
	g := scripted(t)
	g.Say(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{"do":"progress log ask"},"_meta":{"progressToken":"p\u0031"}}}`)
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	heardOf := false
	for _, want := range []string{
		`{"method":"notifications/progress","params":{"progressToken":"p\u0031","progress":1.50},"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"ü"}}`,
		`{"jsonrpc":"2.0","id":900,"method":"elicitation/create","params":{"message":"?"}}`,
	} {
		got := g.Hear(t)
		if got == changed { // of no call, and so not in its order
			heardOf = true
			got = g.Hear(t)
		}
		if got != want {
			t.Errorf("heard %s\nwant  %s", got, want)
		}
	}
	if !heardOf && g.Hear(t) != changed {
		t.Error("not heard of the changed list")
	}
	answer := `{ "jsonrpc":"2.0","id":900,"result":{"action":"accept","content":{"n":1.0}} }`
	g.Say(t, answer)
	response, _ := g.HearResponse(t, "1")
	if got := textOf(t, response); got != answer {
		t.Errorf("the server heard %s", got)
	}
}

// TestStdioCallsShareThePipe: a call that takes long holds up no other, and each gets its own answer.
func TestStdioCallsShareThePipe(t *testing.T) {
	g := scripted(t)
	const waiting = 20
	for i := range waiting {
		g.Say(t, do(fmt.Sprint(i+100), fmt.Sprintf("wait big %d", i)))
	}
	for i := range waiting {
		if got := textOf(t, g.Ask(t, fmt.Sprint(i), do(fmt.Sprint(i), fmt.Sprintf("big %d", 1000+i)))); len(got) != 1000+i+len(`{"n":""}`) {
			t.Errorf("call %d got %d characters", i, len(got))
		}
	}
	g.Say(t, do(`"r"`, "release"))
	for range waiting + 1 {
		line := g.Hear(t)
		if strings.HasSuffix(line, `"id":"r"}`) {
			continue
		}
		text := textOf(t, line)
		if want := fmt.Sprintf(`"id":%d}`, 100+len(text)-len(`{"n":""}`)); !strings.HasSuffix(line, want) {
			t.Errorf("the answer of another: %s, want %s", line, want)
		}
	}
}

// TestStdioCancel: the host's cancellation reaches the server as it was written, no answer reaches the host, and nothing
// is redeemed any more.
func TestStdioCancel(t *testing.T) {
	for _, id := range []string{`1`, `"gateway-1"`} {
		t.Run(id, func(t *testing.T) { cancelled(t, id) })
	}
}

func cancelled(t *testing.T, id string) {
	t.Helper()
	g := scripted(t)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{ "requestId":` + id + `,"reason":"é" }}`
	g.Say(t, do(id, "wait"), cancel, do("2", "release"))
	if got := g.Hear(t); !strings.HasSuffix(got, `"id":2}`) {
		t.Errorf("heard %s", got)
	}
	lines := heard(t, g)
	if !slices.Contains(lines, cancel) {
		t.Errorf("the server heard %q", lines)
	}
	if redeemed := having(lines, "tomtom-get-viz-data"); len(redeemed) != 1 { // of the call that released
		t.Errorf("%d redemptions", len(redeemed))
	}
	g.CloseInput()
	if rest, code := g.Ended(t); len(rest) > 0 || code != 0 {
		t.Errorf("%q, exit code %d", rest, code)
	}
}

// TestStdioLongLines: ten megabytes, both ways.
func TestStdioLongLines(t *testing.T) {
	const size = 10 << 20
	g := scripted(t)
	if got := textOf(t, g.Ask(t, "1", do("1", fmt.Sprintf("big %d", size)))); len(got) != size+len(`{"n":""}`) {
		t.Errorf("%d characters", len(got))
	}
	line := testkit.CallMessage("2", "other-tool", `{"do":"pid","x":"`+strings.Repeat("y", size)+`"}`)
	g.Ask(t, "2", line)
	if lines := heard(t, g); !slices.Contains(lines, line) {
		t.Error("the server did not hear the long line")
	}
}
