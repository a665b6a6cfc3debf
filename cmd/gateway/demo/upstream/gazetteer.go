package upstream

import (
	"math"
	"strings"
)

// city is a real place. Coordinates are of the centre, to about a kilometre.
type city struct {
	name     string
	lon, lat float64
	country  string // ISO 3166 alpha-2
	region   string
	regionID string
}

func (c city) position() position { return position{c.lon, c.lat} }

// country is what addresses and roads need to know of one.
type country struct {
	code2, code3  string
	name, english string // as its people call it, and in English
	zone          string
	phone         string
	language      string
	motorway      string // letter of its motorways
	toll          bool   // tolls on motorways
	vignette      bool   // a vignette instead
	island        bool   // reached from the mainland by ferry or tunnel
	postal        string // 9 a digit, A a letter
	streets       []string
}

var countries = []country{
	{
		"NL", "NLD", "Nederland", "Netherlands", "Europe/Amsterdam", "+31", "nl", "A", false, false, false, "9999 AA",
		[]string{"Damstraat", "Stationsplein", "Hoofdstraat", "Kerkstraat", "Marktplein", "Oranjelaan", "Molenweg", "Prinsengracht"},
	},
	{
		"BE", "BEL", "België", "Belgium", "Europe/Brussels", "+32", "nl", "A", false, false, false, "9999",
		[]string{"Grote Markt", "Stationsstraat", "Kerkstraat", "Rue de la Loi", "Nieuwstraat", "Avenue Louise"},
	},
	{
		"LU", "LUX", "Lëtzebuerg", "Luxembourg", "Europe/Luxembourg", "+352", "fr", "A", false, false, false, "9999",
		[]string{"Avenue de la Liberté", "Rue du Fort", "Boulevard Royal"},
	},
	{
		"DE", "DEU", "Deutschland", "Germany", "Europe/Berlin", "+49", "de", "A", false, false, false, "99999",
		[]string{"Hauptstraße", "Bahnhofstraße", "Schillerstraße", "Marktplatz", "Gartenweg", "Lindenallee", "Goethestraße"},
	},
	{
		"FR", "FRA", "France", "France", "Europe/Paris", "+33", "fr", "A", true, false, false, "99999",
		[]string{"Rue de la République", "Avenue Victor Hugo", "Place de la Gare", "Rue Pasteur", "Boulevard Gambetta", "Rue du Moulin"},
	},
	{
		"ES", "ESP", "España", "Spain", "Europe/Madrid", "+34", "es", "AP-", true, false, false, "99999",
		[]string{"Calle Mayor", "Avenida de la Constitución", "Plaza de España", "Calle Real", "Paseo del Prado", "Calle de Goya"},
	},
	{
		"PT", "PRT", "Portugal", "Portugal", "Europe/Lisbon", "+351", "pt", "A", true, false, false, "9999-999",
		[]string{"Rua Augusta", "Avenida da Liberdade", "Rua de Santa Catarina", "Praça do Comércio"},
	},
	{
		"IT", "ITA", "Italia", "Italy", "Europe/Rome", "+39", "it", "A", true, false, false, "99999",
		[]string{"Via Roma", "Corso Garibaldi", "Piazza del Duomo", "Via Dante", "Viale Europa", "Via Mazzini"},
	},
	{
		"CH", "CHE", "Schweiz", "Switzerland", "Europe/Zurich", "+41", "de", "A", false, true, false, "9999",
		[]string{"Bahnhofstrasse", "Seestrasse", "Dorfstrasse", "Rue du Rhône"},
	},
	{
		"AT", "AUT", "Österreich", "Austria", "Europe/Vienna", "+43", "de", "A", false, true, false, "9999",
		[]string{"Mariahilfer Straße", "Hauptplatz", "Ringstraße", "Wiener Straße"},
	},
	{
		"PL", "POL", "Polska", "Poland", "Europe/Warsaw", "+48", "pl", "A", true, false, false, "99-999",
		[]string{"ulica Piotrkowska", "Aleje Jerozolimskie", "ulica Długa", "Rynek Główny", "ulica Polna"},
	},
	{
		"CZ", "CZE", "Česko", "Czechia", "Europe/Prague", "+420", "cs", "D", false, true, false, "999 99",
		[]string{"Hlavní", "Nádražní", "Václavské náměstí", "Masarykova"},
	},
	{
		"SK", "SVK", "Slovensko", "Slovakia", "Europe/Bratislava", "+421", "sk", "D", false, true, false, "999 99",
		[]string{"Hlavná", "Štúrova", "Obchodná"},
	},
	{
		"HU", "HUN", "Magyarország", "Hungary", "Europe/Budapest", "+36", "hu", "M", false, true, false, "9999",
		[]string{"Kossuth Lajos utca", "Petőfi utca", "Andrássy út"},
	},
	{
		"SI", "SVN", "Slovenija", "Slovenia", "Europe/Ljubljana", "+386", "sl", "A", false, true, false, "9999",
		[]string{"Slovenska cesta", "Dunajska cesta"},
	},
	{
		"HR", "HRV", "Hrvatska", "Croatia", "Europe/Zagreb", "+385", "hr", "A", true, false, false, "99999",
		[]string{"Ilica", "Ulica kralja Tomislava"},
	},
	{
		"DK", "DNK", "Danmark", "Denmark", "Europe/Copenhagen", "+45", "da", "E", false, false, false, "9999",
		[]string{"Vesterbrogade", "Strandvejen", "Nørregade"},
	},
	{
		"SE", "SWE", "Sverige", "Sweden", "Europe/Stockholm", "+46", "sv", "E", false, false, false, "999 99",
		[]string{"Drottninggatan", "Storgatan", "Kungsgatan"},
	},
	{
		"NO", "NOR", "Norge", "Norway", "Europe/Oslo", "+47", "no", "E", true, false, false, "9999",
		[]string{"Karl Johans gate", "Storgata", "Kirkegata"},
	},
	{
		"GB", "GBR", "United Kingdom", "United Kingdom", "Europe/London", "+44", "en", "M", false, false, true, "AA9 9AA",
		[]string{"High Street", "Station Road", "Church Lane", "Victoria Street", "London Road"},
	},
	{
		"IE", "IRL", "Ireland", "Ireland", "Europe/Dublin", "+353", "en", "M", true, false, true, "A99 A9A9",
		[]string{"O'Connell Street", "Grafton Street", "Main Street"},
	},
}

func countryOf(code2 string) country {
	for _, c := range countries {
		if c.code2 == code2 {
			return c
		}
	}
	return countries[0]
}

// nearestCity is the city of the gazetteer that is nearest to p.
func nearestCity(p position) city {
	best, bestD := cities[0], math.Inf(1)
	for _, c := range cities {
		dx := math.Remainder(c.lon-p[0], 360) * cosLat(p[1])
		dy := c.lat - p[1]
		if d := dx*dx + dy*dy; d < bestD {
			best, bestD = c, d
		}
	}
	return best
}

// findCity is the city whose name stands in the query as words, the longest name first; false where none does.
func findCity(query string) (city, bool) {
	padded := " " + plain(query) + " "
	var best city
	for _, c := range cities {
		for _, name := range append([]string{c.name}, exonyms[c.name]...) {
			if len(name) > len(best.name) && strings.Contains(padded, " "+plain(name)+" ") {
				best = c
			}
		}
	}
	return best, best.name != ""
}

// plain is a query in lower case with what separates words as single spaces and the commonest accents removed.
func plain(s string) string {
	s = accents.Replace(strings.ToLower(s))
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,.;:/()-'’", r) }), " ")
}

var accents = strings.NewReplacer("ü", "u", "ö", "o", "ä", "a", "é", "e", "è", "e", "ó", "o", "ł", "l", "ń", "n", "á", "a", "í", "i",
	"ß", "ss", "ø", "o", "å", "a", "ã", "a", "ñ", "n", "ç", "c", "ź", "z", "ž", "z", "č", "c", "š", "s")

// exonyms are other names under which people ask for a city.
var exonyms = map[string][]string{
	"Den Haag": {"The Hague"}, "Brussel": {"Brussels", "Bruxelles"}, "Antwerpen": {"Antwerp"}, "Köln": {"Cologne"},
	"München": {"Munich"}, "Nürnberg": {"Nuremberg"}, "Lisboa": {"Lisbon"}, "Sevilla": {"Seville"}, "Milano": {"Milan"},
	"Roma": {"Rome"}, "Torino": {"Turin"}, "Napoli": {"Naples"}, "Firenze": {"Florence"}, "Venezia": {"Venice"},
	"Zürich": {"Zurich"}, "Genève": {"Geneva"}, "Wien": {"Vienna"}, "Warszawa": {"Warsaw"}, "Kraków": {"Cracow", "Krakow"},
	"Praha": {"Prague"}, "København": {"Copenhagen"}, "Göteborg": {"Gothenburg"}, "Gent": {"Ghent"}, "Genova": {"Genoa"},
	"Brugge": {"Bruges"}, "Luxembourg": {"Luxemburg"}, "Hannover": {"Hanover"}, "Liège": {"Luik"},
}
