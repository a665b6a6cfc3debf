package widgets

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// embedded reads the configuration back out of a document, as the browser does: the text of the first element with the
// id, up to the first closing tag.
func embedded(t testing.TB, html []byte) settings {
	t.Helper()
	match := regexp.MustCompile(`(?s)<script type="application/json" id="widget-config">(.*?)</script`).FindSubmatch(html)
	if match == nil {
		t.Fatal("the document has no configuration element")
	}
	var values settings
	decoder := json.NewDecoder(bytes.NewReader(match[1]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&values); err != nil {
		t.Fatalf("configuration element: %v", err)
	}
	return values
}

func mustNew(t testing.TB, config Config) Document {
	t.Helper()
	document, err := New(config)
	if err != nil {
		t.Fatalf("New(%+v): %v", config, err)
	}
	return document
}

func TestNewFillsInTheConfiguration(t *testing.T) {
	for _, test := range []struct {
		name              string
		config            Config
		want              settings
		connect, resource []string
	}{
		{
			name: "TomTom by default",
			want: settings{
				Tiles:       DefaultTiles,
				Attribution: "© TomTom, © OpenStreetMap contributors",
				Incidents:   "https://api.tomtom.com/maps/orbis/traffic/incidentDetails?apiVersion=1&bbox={bbox}&key={key}",
			},
			connect:  []string{"https://api.tomtom.com"},
			resource: []string{"https://api.tomtom.com"},
		},
		{
			name:     "a server without keys gets no key and no incidents",
			config:   Config{Tiles: "https://tiles.example.org/{z}/{x}/{y}.png", Attribution: "© Example"},
			want:     settings{Tiles: "https://tiles.example.org/{z}/{x}/{y}.png", Attribution: "© Example"},
			connect:  []string{},
			resource: []string{"https://tiles.example.org"},
		},
		{
			name:   "a stand-in for TomTom on loopback",
			config: Config{Tiles: "http://127.0.0.1:8099/t/{z}/{x}/{y}?key={key}"},
			want: settings{
				Tiles:     "http://127.0.0.1:8099/t/{z}/{x}/{y}?key={key}",
				Incidents: "http://127.0.0.1:8099/maps/orbis/traffic/incidentDetails?apiVersion=1&bbox={bbox}&key={key}",
			},
			connect:  []string{"http://127.0.0.1:8099"},
			resource: []string{"http://127.0.0.1:8099"},
		},
		{
			name: "incidents of another origin",
			config: Config{
				Tiles:     "https://tiles.example.org/{z}/{x}/{y}.png",
				Incidents: "https://traffic.example.org/now?bbox={bbox}",
			},
			want: settings{
				Tiles:     "https://tiles.example.org/{z}/{x}/{y}.png",
				Incidents: "https://traffic.example.org/now?bbox={bbox}",
			},
			connect:  []string{"https://traffic.example.org"},
			resource: []string{"https://tiles.example.org"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			document := mustNew(t, test.config)
			if got := embedded(t, document.HTML); got != test.want {
				t.Errorf("configuration\n got %+v\nwant %+v", got, test.want)
			}
			if !slices.Equal(document.ConnectDomains, test.connect) {
				t.Errorf("connect domains: got %q, want %q", document.ConnectDomains, test.connect)
			}
			if !slices.Equal(document.ResourceDomains, test.resource) {
				t.Errorf("resource domains: got %q, want %q", document.ResourceDomains, test.resource)
			}
			if document.ConnectDomains == nil || document.ResourceDomains == nil {
				t.Error("a list of domains is nil: it would be null in a listing")
			}
			if document.MIMEType != "text/html;profile=mcp-app" {
				t.Errorf("MIME type %q", document.MIMEType)
			}
		})
	}
}

func TestNewKeepsValuesInTheirElement(t *testing.T) {
	plain := mustNew(t, Config{Tiles: "https://t.example/{z}/{x}/{y}"})
	scripts := bytes.Count(plain.HTML, []byte("</script"))
	for _, value := range []string{
		`</script><script>alert(1)</script>`,
		`<!-- <script>`,
		`"},"tiles":"https://evil.example/{z}/{x}/{y}`,
		`"@widget-config@"`,
		"line\u2028separator\u2029 and \x00 control",
		`$1 \1 &amp; ${x}`,
	} {
		t.Run(value, func(t *testing.T) {
			document := mustNew(t, Config{Tiles: "https://t.example/{z}/{x}/{y}", Attribution: value})
			got := embedded(t, document.HTML)
			if got.Attribution != value {
				t.Errorf("attribution came out as %q", got.Attribution)
			}
			if got.Tiles != "https://t.example/{z}/{x}/{y}" {
				t.Errorf("tiles came out as %q", got.Tiles)
			}
			if count := bytes.Count(document.HTML, []byte("</script")); count != scripts {
				t.Errorf("%d closing script tags, want %d", count, scripts)
			}
		})
	}
}

func TestNewRefusesTemplates(t *testing.T) {
	for name, config := range map[string]Config{
		"no z":                  {Tiles: "https://t.example/{x}/{y}"},
		"no x":                  {Tiles: "https://t.example/{z}/{y}"},
		"no y":                  {Tiles: "https://t.example/{z}/{x}"},
		"unknown placeholder":   {Tiles: "https://t.example/{z}/{x}/{y}?{token}"},
		"subdomain placeholder": {Tiles: "https://{s}.t.example/{z}/{x}/{y}"},
		"key in the host":       {Tiles: "https://{key}.example/{z}/{x}/{y}"},
		"z in the host":         {Tiles: "https://{z}.example/{x}/{y}"},
		"key in the port":       {Tiles: "https://t.example:{z}/{x}/{y}"},
		"http":                  {Tiles: "http://t.example/{z}/{x}/{y}"},
		"http, like loopback":   {Tiles: "http://127.0.0.1.example/{z}/{x}/{y}"},
		"http, private":         {Tiles: "http://10.0.0.1/{z}/{x}/{y}"},
		"no scheme":             {Tiles: "//t.example/{z}/{x}/{y}"},
		"javascript":            {Tiles: "javascript:alert({z}{x}{y})"},
		"data":                  {Tiles: "data:image/png,{z}{x}{y}"},
		"no host":               {Tiles: "https:///{z}/{x}/{y}"},
		"user":                  {Tiles: "https://u:p@t.example/{z}/{x}/{y}"},
		"fragment":              {Tiles: "https://t.example/{z}/{x}/{y}#a"},
		"more policy":           {Tiles: "https://t.example;script-src/{z}/{x}/{y}"},
		"two hosts":             {Tiles: "https://t.example,evil.example/{z}/{x}/{y}"},
		"star":                  {Tiles: "https://*/{z}/{x}/{y}"},
		"space":                 {Tiles: "https://t.example/{z}/{x}/{y} https://evil.example"},
		"quote":                 {Tiles: `https://t.example/{z}/{x}/{y}"`},
		"tag":                   {Tiles: "https://t.example/{z}/{x}/{y}</script>"},
		"stray brace":           {Tiles: "https://t.example/{z}/{x}/{y}/{"},
		"control character":     {Tiles: "https://t.example/{z}/{x}/{y}\n"},
		"bad port":              {Tiles: "https://t.example:99999/{z}/{x}/{y}"},
		"too long":              {Tiles: "https://t.example/{z}/{x}/{y}" + strings.Repeat("a", maxTemplateChars)},
		"incidents without box": {Incidents: "https://t.example/incidents"},
		"incidents over http":   {Incidents: "http://t.example/{bbox}"},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := New(config)
			if err == nil {
				t.Fatalf("accepted, with %q and %q", document.ConnectDomains, document.ResourceDomains)
			}
			if document.URI != "" || document.HTML != nil {
				t.Error("a document came with the error")
			}
			member := "tiles"
			if config.Incidents != "" {
				member = "incidents"
			}
			if !strings.HasPrefix(err.Error(), member+": ") {
				t.Errorf("the error does not name %s: %v", member, err)
			}
		})
	}
}

func TestErrorsDoNotRepeatAKey(t *testing.T) {
	_, err := New(Config{Tiles: "https://t.example:port/{z}/{x}/{y}?key=s3cret"})
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v, want an error without the key", err)
	}
}

func TestOrigins(t *testing.T) {
	for tiles, want := range map[string]string{
		"https://T.Example/{z}/{x}/{y}":          "https://t.example",
		"https://t.example:8443/{z}/{x}/{y}":     "https://t.example:8443",
		"http://localhost:9/{z}/{x}/{y}":         "http://localhost:9",
		"http://127.8.8.8/{z}/{x}/{y}":           "http://127.8.8.8",
		"http://[::1]:9/{z}/{x}/{y}":             "http://[::1]:9",
		"https://[2001:db8::1]/{z}/{x}/{y}":      "https://[2001:db8::1]",
		"https://t0.example/0/{z}/{x}/{y}?k=%7B": "https://t0.example",
	} {
		t.Run(tiles, func(t *testing.T) {
			document := mustNew(t, Config{Tiles: tiles})
			if !slices.Equal(document.ResourceDomains, []string{want}) {
				t.Errorf("got %q, want %q", document.ResourceDomains, want)
			}
		})
	}
}

func TestURI(t *testing.T) {
	first := mustNew(t, Config{})
	if again := mustNew(t, Config{}); again.URI != first.URI || !bytes.Equal(again.HTML, first.HTML) {
		t.Error("equal configurations gave different documents")
	}
	if !regexp.MustCompile(`^ui://tomtom-mcp-gateway/map-[0-9a-f]{20}\.html$`).MatchString(first.URI) {
		t.Errorf("URI %q", first.URI)
	}
	seen := map[string]string{first.URI: "defaults"}
	for name, config := range map[string]Config{
		"tiles":              {Tiles: "https://t.example/{z}/{x}/{y}"},
		"tiles, other path":  {Tiles: "https://t.example/v2/{z}/{x}/{y}"},
		"tiles, other host":  {Tiles: "https://u.example/{z}/{x}/{y}"},
		"attribution":        {Attribution: "© Example"},
		"incidents":          {Incidents: "https://t.example/{bbox}"},
		"incidents, no keys": {Tiles: "https://t.example/{z}/{x}/{y}", Incidents: "https://t.example/{bbox}"},
	} {
		uri := mustNew(t, config).URI
		if other, taken := seen[uri]; taken {
			t.Errorf("%s and %s have one URI", name, other)
		}
		seen[uri] = name
	}
}

func TestContentHashCoversEachPart(t *testing.T) {
	seen := map[string]int{}
	for i, parts := range []struct {
		html              string
		connect, resource []string
	}{
		{"a", []string{"b"}, []string{"c"}},
		{"b", []string{"b"}, []string{"c"}},
		{"a", []string{"d"}, []string{"c"}},
		{"a", []string{"b"}, []string{"d"}},
		{"a", []string{"b", "c"}, nil},
		{"a", nil, []string{"b", "c"}},
		{"a", []string{"bc"}, nil},
		{"ab", nil, []string{"c"}},
	} {
		hash := contentHash([]byte(parts.html), parts.connect, parts.resource)
		if other, taken := seen[hash]; taken {
			t.Errorf("cases %d and %d have one hash", i, other)
		}
		seen[hash] = i
	}
}

func TestFillWantsOnePlace(t *testing.T) {
	for name, html := range map[string]string{
		"none": "<script></script>",
		"two":  `"@widget-config@" "@widget-config@"`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := fill([]byte(html), settings{}); !errors.Is(err, ErrDocument) {
				t.Errorf("got %v, want ErrDocument", err)
			}
		})
	}
}

// What hosts' policies and people's patience demand of the built document; npm run build makes it.
func TestTheDocumentIsSelfContained(t *testing.T) {
	html := mustNew(t, Config{}).HTML
	if len(html) > 650_000 {
		t.Errorf("%d bytes, want at most 650,000", len(html))
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(html); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() > 200_000 {
		t.Errorf("%d bytes in gzip, want at most 200,000", packed.Len())
	}
	for what, pattern := range map[string]string{
		"a script of its own address": `<script[^>]*\ssrc=`,
		"a style sheet":               `<link\b`,
		"a frame":                     `<iframe\b`,
		"an event handler":            `<[a-z]+[^>]*\son[a-z]+=`,
		"a font or picture in CSS":    `url\(["']?(https?:|//|data:|blob:)`,
		"CSS of another address":      `@import`,
		"a worker":                    `new (Shared)?Worker\b`,
		"code made of text":           `\beval\(|new Function\b`,
		"WebGL":                       `(?i)webgl`,
		"a way out of its script":     `<!--`,
	} {
		if match := regexp.MustCompile(pattern).Find(html); match != nil {
			t.Errorf("the document holds %s: %.60s", what, match)
		}
	}
	// One holds the configuration, one the program.
	if count := bytes.Count(html, []byte("<script")); count != 2 {
		t.Errorf("%d script elements, want 2", count)
	}
}

// Whoever reads the document alone must be told what the repository's list tells.
func TestTheDocumentHoldsTheLicences(t *testing.T) {
	list, err := os.ReadFile("THIRD_PARTY_LICENCES")
	if err != nil {
		t.Fatal(err)
	}
	headings := regexp.MustCompile(`(?m)^-{80}\n(.+)$`).FindAllSubmatch(list, -1)
	if len(headings) < 2 {
		t.Fatalf("%d packages in the list, want OpenLayers and more", len(headings))
	}
	html := mustNew(t, Config{}).HTML
	for _, heading := range headings {
		if !bytes.Contains(html, heading[1]) {
			t.Errorf("the document does not name %s", heading[1])
		}
	}
}
