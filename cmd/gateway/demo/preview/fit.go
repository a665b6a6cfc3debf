package preview

import (
	"encoding/json"
	"math"
	"net/http"
	"unicode"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
	"tomtom-mcp-gateway/proxy"
)

// maxDocument bounds app data once it is decompressed.
const maxDocument = 64 << 20

// maxOriginal bounds the positions of original lines that the page gets.
const maxOriginal = 60_000

// fitMembers is a fit beside the result itself: what an agent and a widget have of it.
type fitMembers struct {
	Limit          int             `json:"limit"`
	Characters     int             `json:"characters"` // of the whole result, in UTF-16 code units
	TextCharacters int             `json:"text_characters"`
	DataCharacters int             `json:"data_characters"`
	Tokens         int             `json:"tokens"`
	Status         string          `json:"status,omitempty"`
	Simplification json.RawMessage `json:"simplification,omitempty"`
	Agent          []string        `json:"agent"`

	Largest  *largest            `json:"largest,omitempty"`
	Original [][]fitter.Position `json:"original,omitempty"`
}

// largest is where a drawn line is farthest from the original.
type largest struct {
	At     fitter.Position `json:"at"`
	Drawn  fitter.Position `json:"drawn"`
	ErrorM float64         `json:"error_m"`
}

// toolResult is what is read of a CallToolResult.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Meta struct {
		AppData        string          `json:"com.tomtom/app-data"`
		Status         string          `json:"com.tomtom/app-data-status"`
		Simplification json.RawMessage `json:"com.tomtom/simplification"`
	} `json:"_meta"`
}

func readResult(raw []byte) (toolResult, error) {
	var result toolResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return toolResult{}, problemf(http.StatusBadGateway, "The tool's result cannot be read: %s.", jsonReason(err))
	}
	return result, nil
}

// fitOf describes the result of a call at a limit. withOriginal adds the lines that a fitted one came from.
func (p *Preview) fitOf(c *call, limit int, raw json.RawMessage, withOriginal bool) (reply, error) {
	result, err := readResult(raw)
	if err != nil {
		return reply{}, err
	}
	fit := fitMembers{
		Limit: limit, Characters: jsonspan.UTF16Len(raw), DataCharacters: len(result.Meta.AppData),
		Status: result.Meta.Status, Simplification: result.Meta.Simplification, Agent: []string{},
	}
	for _, item := range result.Content {
		if item.Type == "text" {
			fit.Agent = append(fit.Agent, item.Text)
			fit.TextCharacters += jsonspan.UTF16Len([]byte(item.Text))
			fit.Tokens += estimateTokens(item.Text)
		}
	}
	if fit.Status == "fitted" {
		original := c.originalLines()
		fit.Largest = largestOf(c.tool, original, result.Meta.AppData)
		if withOriginal {
			fit.Original = thinned(original, maxOriginal)
		}
	}
	return reply{members: fit, raw: []rawMember{{"result", raw}}}, nil
}

// originalLines are the route lines of the document that the upstream had for the widget.
func (c *call) originalLines() [][]fitter.Position {
	c.once.Do(func() {
		tool, ok := policy.For(c.tool)
		if !ok {
			return
		}
		plan := proxy.PlanFor(tool, 0)
		for _, doc := range c.tape.documents() {
			if lines, err := fitter.Lines(doc, plan); err == nil && len(lines) > 0 {
				c.lines = lines
				return
			}
		}
	})
	return c.lines
}

// documents are the texts on the tape that app data may have been made of, a redeemed one first.
func (t *tape) documents() (docs [][]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, kept := range [][]exchange{t.question, t.call} {
		for _, x := range kept {
			docs = append(docs, x.texts()...)
		}
	}
	return docs
}

// texts are those of the tool result in an upstream's answer.
func (x exchange) texts() (texts [][]byte) {
	a := answer{header: x.header}
	a.body.Write(x.body)
	for _, message := range a.messages() {
		var response struct {
			Result toolResult `json:"result"`
		}
		if json.Unmarshal(message, &response) != nil {
			continue
		}
		for _, item := range response.Result.Content {
			if item.Text != "" {
				texts = append(texts, []byte(item.Text))
			}
		}
	}
	return texts
}

// largestOf measures app data against the original lines.
func largestOf(toolName string, original [][]fitter.Position, appData string) *largest {
	tool, ok := policy.For(toolName)
	if !ok {
		return nil
	}
	doc, err := fitter.Decode([]byte(appData), maxDocument)
	if err != nil {
		return nil
	}
	drawn, err := fitter.Lines(doc, proxy.PlanFor(tool, 0))
	if err != nil {
		return nil
	}
	worst, ok := fitter.Farthest(original, drawn)
	if !ok {
		return nil
	}
	return &largest{At: sixDecimals(worst.At), Drawn: sixDecimals(worst.Drawn), ErrorM: math.Round(worst.ErrorM*100) / 100}
}

// thinned returns the lines with at most so many positions in all, ends kept, at six decimals.
func thinned(lines [][]fitter.Position, most int) [][]fitter.Position {
	total := 0
	for _, line := range lines {
		total += len(line)
	}
	step := 1 + total/(most+1)
	out := make([][]fitter.Position, len(lines))
	for i, line := range lines {
		for k := 0; k < len(line); k += step {
			out[i] = append(out[i], sixDecimals(line[k]))
		}
		if n := len(line); n > 0 && (n-1)%step != 0 {
			out[i] = append(out[i], sixDecimals(line[n-1]))
		}
	}
	return out
}

func sixDecimals(p fitter.Position) fitter.Position {
	return fitter.Position{math.Round(p[0]*1e6) / 1e6, math.Round(p[1]*1e6) / 1e6}
}

// estimateTokens says about how many tokens a model reads. Models cut text in ways of their own; what they have in common
// is counted: a word is a token for each six letters begun, a number one for each three digits begun, a run of
// punctuation or of white space is one. A single space before something belongs to that.
func estimateTokens(text string) int {
	const (
		other = iota
		letter
		digit
		space
	)
	perToken := [...]int{other: 4, letter: 6, digit: 3, space: math.MaxInt}
	tokens, run, before := 0, 0, -1
	for _, r := range text {
		class := other
		switch {
		case unicode.IsLetter(r):
			class = letter
		case unicode.IsDigit(r):
			class = digit
		case unicode.IsSpace(r):
			class = space
		}
		if class != before {
			if before == space && run == 1 {
				tokens--
			}
			run = 0
		}
		if run == 0 || run%perToken[class] == 0 {
			tokens++
		}
		run, before = run+1, class
	}
	return max(tokens, 0)
}
