package preview

import (
	"encoding/json"
	"net/http"

	"tomtom-mcp-gateway/policy"
)

// limitSteps are the limits that the page offers beside the operator's, in characters: from small hosts' up to more than
// any host takes.
var limitSteps = []int{20_000, 40_000, 60_000, 90_000, 120_000, 150_000, 1_000_000}

type sessionMembers struct {
	Gateway struct {
		Version string `json:"version"`
	} `json:"gateway"`
	Upstream struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		URL     string `json:"url,omitempty"`
	} `json:"upstream"`
	Tools    []json.RawMessage    `json:"tools"`
	Examples map[string][]example `json:"examples"`
	Prompts  []prompt             `json:"prompts"`
	Limits   struct {
		Default int            `json:"default"`
		Tools   map[string]int `json:"tools"`
		Steps   []int          `json:"steps"`
	} `json:"limits"`
	Sandbox string `json:"sandbox"`
	MapKey  bool   `json:"mapKey"`
}

// getSession says what the page has to do with. It lists the tools anew.
func (p *Preview) getSession(r *http.Request) (reply, error) {
	p.host.deck.forget()
	tools, err := p.host.tools(r.Context(), true)
	if err != nil {
		return reply{}, err
	}
	var s sessionMembers
	s.Gateway.Version = p.options.Gateway.Version
	if opened := p.host.current(); opened != nil {
		s.Upstream.Name, s.Upstream.Version = opened.name, opened.version
	}
	if p.options.UpstreamName != "" {
		s.Upstream.Name = p.options.UpstreamName
	}
	s.Upstream.URL = p.options.UpstreamURL
	s.Tools, s.Examples, s.Prompts = []json.RawMessage{}, map[string][]example{}, []prompt{}
	s.Limits.Tools = map[string]int{}
	for _, t := range tools {
		s.Tools = append(s.Tools, t.raw)
		if found := examplesOf(t); len(found) > 0 {
			s.Examples[t.name] = found
		}
		if _, known := policy.For(t.name); known && p.limitFor(t.name) != p.options.Gateway.LimitChars {
			s.Limits.Tools[t.name] = p.limitFor(t.name)
		}
	}
	for _, candidate := range prompts {
		if t, ok := findTool(tools, candidate.Tool); ok && t.visibleTo("model") {
			s.Prompts = append(s.Prompts, candidate)
		}
	}
	s.Limits.Default, s.Limits.Steps = p.options.Gateway.LimitChars, limitSteps
	s.Sandbox, s.MapKey = p.options.SandboxOrigin, p.options.Gateway.MapKey != ""
	return reply{members: s}, nil
}
