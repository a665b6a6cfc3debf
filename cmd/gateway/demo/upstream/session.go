package upstream

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// session answers the requests of one POST.
type session struct {
	s     *Server
	tools []tool
	key   string // the caller's credential
	out   *stream
	// genesis tells that the tools are the older back end's.
	genesis bool
}

// answer gives each request its event; several are worked on at the same time, in one stream.
func (c session) answer(ctx context.Context, messages []message) {
	if len(messages) == 1 {
		c.one(ctx, messages[0])
		return
	}
	c.out.open()
	var wg sync.WaitGroup
	for _, m := range messages {
		if m.isRequest() {
			wg.Go(func() { c.one(ctx, m) })
		}
	}
	wg.Wait()
}

func (c session) one(ctx context.Context, m message) {
	id := compactJSON(m.ID)
	switch m.Method {
	case "initialize":
		c.out.send(resultData(id, render(c.initialize(m.Params))))
	case "ping":
		c.out.send(resultData(id, []byte("{}")))
	case "tools/list":
		c.out.send(resultData(id, c.listTools()))
	case "resources/list":
		c.out.send(resultData(id, render(object{{"resources", c.resources()}})))
	case "resources/templates/list":
		c.out.send(resultData(id, render(object{{"resourceTemplates", list{}}})))
	case "resources/read":
		c.readResource(id, m.Params)
	case "tools/call":
		c.callTool(ctx, id, m.Params)
	default:
		c.out.send(errorData(id, -32601, "Method not found"))
	}
}

func (c session) initialize(params json.RawMessage) object {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	version := protocolVersions[0]
	if json.Unmarshal(params, &p) == nil && slices.Contains(protocolVersions, p.ProtocolVersion) {
		version = p.ProtocolVersion
	}
	capabilities := object{{"tools", object{{"listChanged", true}}}}
	name := "TomTom Maps MCP Server"
	if !c.genesis {
		capabilities = append(capabilities, member{"resources", object{{"listChanged", true}}})
		name = "TomTom Orbis Maps MCP Server"
	}
	return object{
		{"protocolVersion", version},
		{"capabilities", capabilities},
		{"serverInfo", object{{"name", name}, {"version", Version}}},
	}
}

func (c session) listTools() []byte {
	out := make(list, len(c.tools))
	for i, t := range c.tools {
		out[i] = t.listing()
	}
	return render(object{{"tools", out}})
}

// callTool runs a tool. Its answers are chunked, because the real server starts the stream before the tool is done.
func (c session) callTool(ctx context.Context, id, params json.RawMessage) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		c.out.send(errorData(id, -32602, "Invalid request parameters"))
		return
	}
	c.s.count(p.Name)
	c.out.open()
	if p.Meta.ProgressToken != nil {
		c.out.send(progressData(compactJSON(p.Meta.ProgressToken), 0, 1, "Asking TomTom"))
	}
	i := slices.IndexFunc(c.tools, func(t tool) bool { return t.name == p.Name })
	if i < 0 {
		c.out.send(resultData(id, failure("MCP error -32602: Tool "+p.Name+" not found").result()))
		return
	}
	t := c.tools[i]
	if !t.appOnly && !c.s.wait(ctx) {
		return // the caller went away
	}
	c.out.send(resultData(id, c.run(ctx, t, p.Arguments).result()))
}

func (c session) run(ctx context.Context, t tool, arguments json.RawMessage) answer {
	args, text := t.accept(arguments)
	if text != "" {
		return failure(text)
	}
	return t.run(&call{Server: c.s, tool: t, ctx: ctx, args: args, raw: arguments, key: c.key})
}

// wait holds a call back for the artificial latency; false if the caller went away.
func (s *Server) wait(ctx context.Context) bool {
	if s.opts.Latency <= 0 {
		return true
	}
	timer := time.NewTimer(s.opts.Latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
