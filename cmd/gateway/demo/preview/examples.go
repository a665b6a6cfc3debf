package preview

import "encoding/json"

// example is a set of arguments that shows what a tool does.
type example struct {
	Title     string          `json:"title"`
	Arguments json.RawMessage `json:"arguments"`
}

// prompt is something that a person might say, and the tool call that an agent would make of it.
type prompt struct {
	Text      string          `json:"text"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Cities, as longitude and latitude.
const (
	amsterdam = `[4.9003,52.3791]`
	madrid    = `[-3.7038,40.4168]`
	lisbon    = `[-9.1393,38.7223]`
	warsaw    = `[21.0122,52.2297]`
	berlin    = `[13.405,52.52]`
	utrecht   = `[5.1214,52.0907]`
	arnhem    = `[5.8987,51.9851]`
	paris     = `[2.3522,48.8566]`
	london    = `[-0.51,51.29,0.33,51.69]` // a box
)

// prompts are what the page offers to say, in the order of a conversation.
var prompts = []prompt{
	{
		"Show me the area around the Eiffel Tower", "tomtom-dynamic-map",
		args(`{"center":{"lat":48.8584,"lon":2.2945},"zoom":14,"markers":[{"lat":48.8584,"lon":2.2945,"label":"Eiffel Tower"},` +
			`{"lat":48.8616,"lon":2.2893,"label":"Trocadéro"},{"lat":48.853,"lon":2.3499,"label":"Notre-Dame"}],"show_ui":true}`),
	},
	{
		"Route from Amsterdam to Madrid", "tomtom-routing",
		args(`{"locations":[` + amsterdam + `,` + madrid + `],"show_ui":true}`),
	},
	{
		"What is reachable in 30 minutes from Amsterdam Centraal?", "tomtom-reachable-range",
		args(`{"origin":` + amsterdam + `,"timeBudgetInSec":1800,"show_ui":true}`),
	},
	{
		"Coffee along the way from Utrecht to Arnhem", "tomtom-search-along-route",
		args(`{"origin":` + utrecht + `,"destination":` + arnhem + `,"query":"coffee","show_ui":true}`),
	},
	{
		"What is the traffic like in London?", "tomtom-traffic",
		args(`{"bbox":` + london + `,"show_ui":true}`),
	},
	{
		"Plan an electric drive from Amsterdam to Berlin", "tomtom-ev-routing",
		args(`{"origin":` + amsterdam + `,"destination":` + berlin + `,"currentChargePercent":80,"maxChargeKWH":60,"show_ui":true}`),
	},
	{"Put our stores on a map", "tomtom-data-viz", args(stores)},
}

// stores is a made-up data set of a caller.
const stores = `{"geojson":"{\"type\":\"FeatureCollection\",\"features\":[` +
	`{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[4.9003,52.3791]},\"properties\":{\"name\":\"Amsterdam\",\"visitors\":4200}},` +
	`{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[5.1214,52.0907]},\"properties\":{\"name\":\"Utrecht\",\"visitors\":2900}},` +
	`{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[4.4777,51.9244]},\"properties\":{\"name\":\"Rotterdam\",\"visitors\":3600}},` +
	`{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[5.4697,51.4416]},\"properties\":{\"name\":\"Eindhoven\",\"visitors\":1800}}]}",` +
	`"layers":[{"type":"markers","label_property":"name","size_property":"visitors"}],"title":"Stores","show_ui":true}`

// examples are arguments for tools that no prompt shows, or more of those that one does.
var examples = map[string][]example{
	"tomtom-routing": {
		{"Lisbon to Warsaw: a long one", args(`{"locations":[` + lisbon + `,` + warsaw + `],"show_ui":true}`)},
		{"Utrecht to Arnhem: a short one", args(`{"locations":[` + utrecht + `,` + arnhem + `],"show_ui":true}`)},
		{"Amsterdam to Berlin, with alternatives", args(`{"locations":[` + amsterdam + `,` + berlin + `],"maxAlternatives":2,"show_ui":true}`)},
	},
	"tomtom-dynamic-map": {
		{"A route on a map", args(`{"routePlans":[{"origin":{"lat":52.3791,"lon":4.9003},"destination":{"lat":48.8566,"lon":2.3522},"label":"Trip"}],"show_ui":true}`)},
	},
	"tomtom-geocode":         {{"Amsterdam", args(`{"query":"Amsterdam","show_ui":true}`)}},
	"tomtom-reverse-geocode": {{"Where is this?", args(`{"position":` + paris + `,"show_ui":true}`)}},
	"tomtom-fuzzy-search":    {{"Museums in Amsterdam", args(`{"query":"museum","position":` + amsterdam + `,"limit":20,"show_ui":true}`)}},
	"tomtom-poi-search":      {{"Restaurants in Paris", args(`{"query":"restaurant","position":` + paris + `,"limit":20,"show_ui":true}`)}},
	"tomtom-nearby":          {{"Around Amsterdam Centraal", args(`{"position":` + amsterdam + `,"radius":1500,"limit":20,"show_ui":true}`)}},
	"tomtom-poi-categories":  {{"Codes for food", args(`{"filters":["italian restaurant","coffee"]}`)}},
	"tomtom-area-search":     {{"Coffee in the middle of Amsterdam", args(`{"query":"coffee","center":` + amsterdam + `,"radius":2000,"show_ui":true}`)}},
	"tomtom-ev-search":       {{"Fast chargers in Utrecht", args(`{"position":` + utrecht + `,"minPowerKW":50,"show_ui":true}`)}},
}

func args(text string) json.RawMessage { return json.RawMessage(text) }

// examplesOf are the arguments that the page offers for a tool: what the prompts say of it first.
func examplesOf(t tool) (all []example) {
	if !t.visibleTo("model") {
		return nil
	}
	for _, p := range prompts {
		if p.Tool == t.name {
			all = append(all, example{p.Text, p.Arguments})
		}
	}
	return append(all, examples[t.name]...)
}
