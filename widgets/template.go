package widgets

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// DefaultTiles is TomTom's raster display API, Orbis v2.
const DefaultTiles = "https://api.tomtom.com/maps/orbis/display/raster/tile/{z}/{x}/{y}" +
	"?apiVersion=2&key={key}&style={style}&tileSize={size}"

// incidentsPath asks TomTom for the live traffic incidents in a bounding box, Orbis v1. The document fills in {bbox}
// and {key}, and adds which fields it draws.
const incidentsPath = "/maps/orbis/traffic/incidentDetails?apiVersion=1&bbox={bbox}&key={key}"

// defaultAttribution belongs to DefaultTiles: Orbis maps hold OpenStreetMap data.
const defaultAttribution = "© TomTom, © OpenStreetMap contributors"

// maxTemplateChars bounds what is embedded in the document and sent in every listing.
const maxTemplateChars = 2000

// Config is what an operator may choose. Its zero value draws TomTom's maps.
type Config struct {
	// Tiles is the URL template of the raster basemap: https, or http on a loopback address. It holds {z}, {x} and {y}
	// and may hold {key} (the caller's TomTom key), {style} (street-light, street-dark) and {size} (256, or 512 where
	// the screen is dense). Empty: DefaultTiles.
	Tiles string
	// Attribution is the line of text that the owner of the tiles asks for. Empty: TomTom's with DefaultTiles, else none.
	Attribution string
	// Incidents is the URL template of live traffic incidents, with {bbox} and {key}, answering as TomTom's Orbis v1.
	// Empty: TomTom's path at the origin of Tiles where Tiles holds {key}; where it doesn't, live traffic is off, since
	// the key must not go to a server that was not meant to have it.
	Incidents string
}

// choice is a checked configuration, with the origins that it makes a host let through.
type choice struct {
	settings
	connect, resource []string
}

// choose fills in what was left out and checks the rest.
func (c Config) choose() (choice, error) {
	chosen := choice{
		settings: settings(c),
		connect:  []string{},
	}
	if chosen.Tiles == "" {
		chosen.Tiles = DefaultTiles
	}
	if chosen.Attribution == "" && chosen.Tiles == DefaultTiles {
		chosen.Attribution = defaultAttribution
	}
	origin, err := templateOrigin(chosen.Tiles, []string{"z", "x", "y"}, []string{"key", "style", "size"})
	if err != nil {
		return choice{}, fmt.Errorf("tiles: %w", err)
	}
	chosen.resource = []string{origin}
	if chosen.Incidents == "" && strings.Contains(chosen.Tiles, "{key}") {
		chosen.Incidents = origin + incidentsPath
	}
	if chosen.Incidents != "" {
		if origin, err = templateOrigin(chosen.Incidents, []string{"bbox"}, []string{"key"}); err != nil {
			return choice{}, fmt.Errorf("incidents: %w", err)
		}
		chosen.connect = append(chosen.connect, origin)
	}
	return chosen, nil
}

var (
	placeholder = regexp.MustCompile(`\{([^{}]*)\}`)
	// A host goes into the content security policy, where a semicolon or a star would mean more than a host.
	plainHost = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
)

// templateOrigin checks a URL template and returns its origin: scheme, host and port, nothing of the path.
func templateOrigin(template string, required, optional []string) (string, error) {
	if len(template) > maxTemplateChars {
		return "", fmt.Errorf("longer than %d characters", maxTemplateChars)
	}
	found := map[string]bool{}
	for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
		name := match[1]
		if !slices.Contains(required, name) && !slices.Contains(optional, name) {
			return "", fmt.Errorf("unknown placeholder {%s}", name)
		}
		found[name] = true
	}
	for _, name := range required {
		if !found[name] {
			return "", fmt.Errorf("needs {%s}", name)
		}
	}
	filled := placeholder.ReplaceAllString(template, "0")
	if strings.ContainsAny(filled, "{}\\\"'`<> ") {
		return "", errors.New("has a brace, quote, angle bracket, backslash or space that does not belong in a URL")
	}
	address, err := url.Parse(filled)
	if err != nil {
		// The parse error holds the whole URL, and with it perhaps a key.
		return "", errors.New("is no URL")
	}
	// A filled-in host differs from the one that was written.
	if !strings.HasPrefix(template, address.Scheme+"://"+address.Host) {
		return "", errors.New("has a placeholder in its host, or a scheme in capitals")
	}
	return originOf(address)
}

func originOf(address *url.URL) (string, error) {
	switch {
	case address.User != nil:
		return "", errors.New("has a user name or password")
	case address.Fragment != "":
		return "", errors.New("has a fragment")
	}
	host := strings.ToLower(address.Hostname())
	if !plainHost.MatchString(host) && !isIPv6(host) {
		return "", errors.New("has no plain host name")
	}
	switch {
	case address.Scheme == "https":
	case address.Scheme == "http" && isLoopback(host):
	default:
		return "", errors.New("must be https, or http on a loopback address")
	}
	origin := address.Scheme + "://" + host
	if isIPv6(host) {
		origin = address.Scheme + "://[" + host + "]"
	}
	if port := address.Port(); port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", errors.New("has a bad port")
		}
		origin += ":" + port
	}
	return origin, nil
}

func isIPv6(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.Is6() && address.Zone() == ""
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
