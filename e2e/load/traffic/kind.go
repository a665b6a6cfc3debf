package traffic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

// Number tells one call of one host from all others of a run. It has at most ten digits.
type Number uint64

// callsPerHost is how many numbers each host has.
const callsPerHost = 1_000_000

func (n Number) name() string   { return fmt.Sprintf("%010d", uint64(n)) }
func (n Number) digits() string { return fmt.Sprintf("%05d", uint64(n)%100_000) }         // of the longitude
func (n Number) more() string   { return fmt.Sprintf("%05d", uint64(n)/100_000%100_000) } // of the latitude

// Kind is one question that hosts ask.
type Kind struct {
	Name string
	Tool string
	// Status is what becomes of the map data where there is room; "" where the answer is not the gateway's to change.
	Status string

	index     int
	arguments string   // members of the object
	moved     bool     // the result holds the map data itself
	data      template // the map data of the handle; nil: there is none
	answers
}

// answers are the results that an upstream has for a kind.
type answers struct {
	Call       template
	Redemption template // nil: there is no handle
}

// template is an answer in pieces; the slots stand between them.
type template []string

// The slots, by what is filled in.
const (
	slotCaller = "@caller@"
	slotHandle = "@handle@"
	slotEast   = "@east@"
	slotNorth  = "@north@"
)

var slots = regexp.MustCompile(slotCaller + "|" + slotHandle + "|" + slotEast + "|" + slotNorth)

func newTemplate(text string) (t template) {
	at := 0
	for _, slot := range slots.FindAllStringIndex(text, -1) {
		t = append(t, text[at:slot[0]], text[slot[0]:slot[1]])
		at = slot[1]
	}
	return append(t, text[at:])
}

// fill returns the text for one call.
func (t template) fill(n Number, handle string) []byte {
	var b []byte
	for _, piece := range t {
		switch piece {
		case slotCaller:
			piece = n.name()
		case slotHandle:
			piece = handle
		case slotEast:
			piece = n.digits()
		case slotNorth:
			piece = n.more()
		}
		b = append(b, piece...)
	}
	return b
}

// question is what a kind is made of.
type question struct {
	name, tool, arguments, status string
	rushHour, untrimmed           bool // options of the upstream
}

const (
	amsterdam = `[4.897,52.3779]`
	berlin    = `[13.405,52.52]`
	madrid    = `[-3.7038,40.4168]`
	lisbon    = `[-9.1393,38.7223]`
	warsaw    = `[21.0122,52.2297]`
)

// questions are a mix in which every second call is a route, and long ones are the rule, not the exception.
var questions = []question{
	{name: "long route", tool: "tomtom-routing", arguments: `"locations":[` + lisbon + `,` + warsaw + `]`, status: "fitted"},
	{name: "long route in the rush hour", tool: "tomtom-routing", arguments: `"locations":[` + lisbon + `,` + warsaw + `]`, status: "fitted", rushHour: true},
	{name: "long route in the text", tool: "tomtom-routing", arguments: `"locations":[` + lisbon + `,` + warsaw + `]`, status: "fitted", untrimmed: true},
	{name: "route with alternatives", tool: "tomtom-routing", arguments: `"maxAlternatives":2,"locations":[` + amsterdam + `,` + berlin + `]`, status: "fitted"},
	{name: "route", tool: "tomtom-routing", arguments: `"locations":[` + amsterdam + `,` + berlin + `]`, status: "inline"},
	{name: "places along a long route", tool: "tomtom-search-along-route", arguments: `"origin":` + amsterdam + `,"destination":` + madrid + `,"query":"coffee"`, status: "fitted"},
	{name: "route with charging stops", tool: "tomtom-ev-routing", arguments: `"origin":` + amsterdam + `,"destination":` + berlin + `,"currentChargePercent":80,"maxChargeKWH":75`, status: "inline"},
	{name: "range", tool: "tomtom-reachable-range", arguments: `"origin":` + amsterdam + `,"timeBudgetInSec":1800`, status: "inline"},
	{name: "places", tool: "tomtom-poi-search", arguments: `"query":"pharmacy"`, status: "inline"},
	{name: "address", tool: "tomtom-geocode", arguments: `"query":"Amsterdam"`, status: "inline"},
	{name: "traffic", tool: "tomtom-traffic", arguments: `"bbox":[4.7,52.2,5.1,52.5]`, status: "none"},
	{name: "dynamic map", tool: "tomtom-dynamic-map", arguments: `"markers":[{"lat":52.37,"lon":4.9,"label":"A"}],"routePlans":[` +
		`{"origin":{"lat":52.3779,"lon":4.897},"destination":{"lat":52.52,"lon":13.405}}]`, status: "inline"},
	{name: "tool of somebody else", tool: "weather", arguments: `"days":3`},
}

// Kinds returns the whole mix, made once by the demonstration's upstream.
func Kinds() ([]*Kind, error) { return kinds() }

var kinds = sync.OnceValues(func() ([]*Kind, error) {
	var all []*Kind
	for i, q := range questions {
		k, err := q.ask(upstream.New(upstream.Options{Seed: 42, RushHour: q.rushHour, Untrimmed: q.untrimmed}))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		k.index = i
		all = append(all, k)
	}
	return all, nil
})

// Named returns the kinds of these names.
func Named(names ...string) ([]*Kind, error) {
	all, err := Kinds()
	if err != nil {
		return nil, err
	}
	var some []*Kind
	for _, name := range names {
		found := false
		for _, k := range all {
			if k.Name == name {
				some, found = append(some, k), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no kind %q", name)
		}
	}
	return some, nil
}

// ask makes a kind of what the upstream answers.
func (q question) ask(from http.Handler) (*Kind, error) {
	k := &Kind{Name: q.name, Tool: q.tool, Status: q.status, arguments: q.arguments, moved: q.untrimmed}
	if q.status == "" {
		result := testkit.TextResult(`{"forecast":"` + strings.Repeat("dry, later wet; ", 500) + `","caller":"` + slotCaller + `"}`)
		k.Call = newTemplate(result)
		return k, nil
	}
	k.arguments = `"show_ui":true,` + q.arguments
	result, err := call(from, q.tool, k.arguments)
	if err != nil {
		return nil, err
	}
	handle := ""
	for i, item := range result.Content {
		if text, found := strings.CutPrefix(item.Text, "{"); found {
			if match := handleInText.FindStringSubmatch(text); match != nil {
				handle = match[1]
				text = strings.Replace(text, handle, slotHandle, 1)
			}
			if q.untrimmed {
				text = markPosition(text)
			}
			result.Content[i].Text = `{"caller": "` + slotCaller + `",` + text
		}
	}
	if k.Call, err = templateOf(result); err != nil || q.status == "none" || q.untrimmed {
		return k, err
	}
	data, err := call(from, "tomtom-get-viz-data", fmt.Sprintf(`"viz_id":%q`, handle))
	if err != nil {
		return nil, err
	}
	document := markPosition(strings.Replace(data.Content[0].Text, "{", `{"caller":"`+slotCaller+`",`, 1))
	k.data, k.Redemption = newTemplate(document), newTemplate(testkit.TextResult(document))
	return k, nil
}

// markPosition puts slots in place of the digits of a document's first position.
func markPosition(document string) string {
	at := firstPosition.FindStringSubmatchIndex(document)
	if at == nil {
		return document
	}
	return document[:at[4]] + slotEast + document[at[5]:at[8]] + slotNorth + document[at[9]:]
}

var (
	handleInText = regexp.MustCompile(`"viz_id":\s*"([^"]+)"`)
	// firstPosition has the digits before and behind the points of a longitude and a latitude.
	firstPosition = regexp.MustCompile(`"coordinates":[\s[]+(-?\d+)\.(\d+),\s*(-?\d+)\.(\d+)`)
)

// toolResult is a result as the upstream writes it, and content one item of it.
type toolResult struct {
	Content []content `json:"content"`
}

type content struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
}

// call calls a tool of an upstream that is a handler.
func call(of http.Handler, tool, arguments string) (toolResult, error) {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(testkit.CallMessage("1", tool, "{"+arguments+"}")))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Tomtom-Api-Key", testkit.Key)
	w := httptest.NewRecorder()
	of.ServeHTTP(w, r)
	var answer struct {
		Result toolResult `json:"result"`
	}
	err := json.Unmarshal(dataOf(w.Body.Bytes()), &answer)
	if err == nil && len(answer.Result.Content) == 0 {
		err = fmt.Errorf("no result in %.300s", w.Body)
	}
	return answer.Result, err
}

func templateOf(r toolResult) (template, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(r)
	return newTemplate(strings.TrimSpace(b.String())), err
}
