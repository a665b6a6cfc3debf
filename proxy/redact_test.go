package proxy

import "testing"

func TestFreeTextIsLoggedWithoutSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		"decode":                               "decode",
		"Drawn within 3.8 m":                   "Drawn within 3.8 m",
		"is it 5?":                             "is it 5?",
		"ResizeObserver loop completed":        "ResizeObserver loop completed",
		"UnrecognisedSymbolLayerInstruction":   "UnrecognisedSymbolLayerInstruction",
		"map-1 of widget 1.12.0":               "map-1 of widget 1.12.0",
		"GET https://t.example/4/8/5?key=a b":  "GET https://t.example/4/8/5… b",
		"at 52.379189,4.899431 and -0.1278":    "at …,… and …",
		"key aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v3": "key …",
		"viz 123e4567-e89b-12d3-a456-42661417": "viz …",
		"Bearer eyJhbGciOiJIUzI1NiJ9.e30.x":    "Bearer ….e30.x",
		"„Zürich“ 🙂":                           "„Zürich“ 🙂",
	} {
		if got := withoutSecrets(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
