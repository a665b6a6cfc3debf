package upstream

import (
	"slices"
	"strings"
)

// category is a kind of place that can be searched for.
type category struct {
	code    string
	words   []string // under which people ask for it, the first its name
	names   []string // of places; %s is a street or a town
	density float64  // places a square kilometre of town
}

var categories = []category{
	{"RESTAURANT", []string{"restaurant", "restaurants", "dinner", "eat"}, []string{"Restaurant De Kas", "Bistro %s", "Brasserie Central", "Trattoria Bella", "Zum Goldenen Hirsch", "La Terrasse", "Golden Wok", "El Rincón"}, 12},
	{"ITALIAN_RESTAURANT", []string{"italian restaurant", "italian", "pizzeria"}, []string{"Trattoria Bella", "Da Marco", "Pizzeria Napoli", "Osteria %s"}, 4},
	{"CAFE_PUB", []string{"café", "cafe", "coffee", "coffee shop", "pub"}, []string{"Café %s", "Coffee Company", "Espressobar Noord", "The Daily Grind", "Kaffeehaus %s"}, 9},
	{"HOTEL_MOTEL", []string{"hotel", "hotels", "motel"}, []string{"Hotel %s", "Grand Hotel Central", "City Inn", "Hotel de Ville", "Park Hotel"}, 4},
	{"PETROL_STATION", []string{"petrol station", "gas station", "fuel", "petrol", "gas stations"}, []string{"Shell", "BP %s", "TotalEnergies", "Esso Express", "Q8"}, 1.5},
	{"ELECTRIC_VEHICLE_STATION", []string{"charging station", "ev charging", "charger", "ev"}, []string{"Fastned %s", "Allego", "IONITY %s", "EnBW", "Shell Recharge"}, 5},
	{"PARKING_GARAGE", []string{"parking garage", "parking", "garage"}, []string{"Parking %s", "P1 Centrum", "Q-Park %s"}, 2},
	{"SUPERMARKETS_HYPERMARKETS", []string{"supermarket", "grocery", "groceries"}, []string{"Albert Heijn", "REWE", "Carrefour City", "Mercadona", "Lidl", "Spar %s"}, 5},
	{"PHARMACY", []string{"pharmacy", "drugstore"}, []string{"Apotheek %s", "Apotheke am Markt", "Pharmacie Centrale"}, 3},
	{"HOSPITAL_POLYCLINIC", []string{"hospital", "clinic"}, []string{"Stadsziekenhuis", "Klinikum %s", "Hôpital Central"}, 0.3},
	{"MUSEUM", []string{"museum", "museums"}, []string{"Stadsmuseum", "Museum %s", "Museo de Arte", "Kunsthalle"}, 1},
	{"FITNESS_CLUB_CENTER", []string{"gym", "fitness"}, []string{"Basic-Fit", "Fitness %s", "Sportschool Noord"}, 2},
	{"BANK", []string{"bank", "atm"}, []string{"ING", "Sparkasse", "BNP Paribas", "Santander"}, 2},
	{"RAILWAY_STATION", []string{"railway station", "train station", "station"}, []string{"%s Centraal", "Gare de %s", "%s Hauptbahnhof"}, 0.1},
	{"PARK_RECREATION_AREA", []string{"park", "playground"}, []string{"Stadspark", "Park %s", "Parque Central"}, 1},
}

// findCategory is the category whose words stand in the query, the longest first; false where none does.
func findCategory(query string) (category, bool) {
	padded := " " + plain(query) + " "
	best, length := category{}, 0
	for _, c := range categories {
		for _, w := range c.words {
			if len(w) > length && strings.Contains(padded, " "+plain(w)+" ") {
				best, length = c, len(w)
			}
		}
	}
	return best, length > 0
}

func categoryByCode(code string) (category, bool) {
	i := slices.IndexFunc(categories, func(c category) bool { return c.code == code })
	if i < 0 {
		return category{}, false
	}
	return categories[i], true
}

// runCategories answers tomtom-poi-categories, which never shows a widget.
func runCategories(c *call) answer {
	filters := c.args.texts("filters")
	found := list{}
	for _, k := range categories {
		words := plain(strings.Join(k.words, " "))
		matches := len(filters) == 0
		for _, f := range filters {
			matches = matches || strings.Contains(words, plain(f))
		}
		if matches {
			found = append(found, object{{"code", k.code}, {"name", k.words[0]}, {"synonyms", k.words[1:]}})
		}
	}
	doc := object{{"categories", found}, {"totalCategories", len(found)}}
	if c.opts.Untrimmed {
		return textAnswer(string(pretty(render(doc))))
	}
	return metaAnswer(escape(pretty(render(doc))), object{{"show_ui", false}}, false)
}
