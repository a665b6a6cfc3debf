package config

import "testing"

// Parse errors name struct fields, so two concerns must not share a field's name; and a name that looks like a
// Kubernetes service link would never be warned about when mistyped.
func TestFieldNamesAreUnique(t *testing.T) {
	seen := map[string]string{}
	for _, f := range fields() {
		if other := seen[f.fieldName]; other != "" {
			t.Errorf("%s and %s are both fields called %s", other, f.name, f.fieldName)
		}
		seen[f.fieldName] = f.name
		if serviceLink.MatchString(f.name) {
			t.Errorf("%s looks like a Kubernetes service link", f.name)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, v := range fields() {
		f.Add(v.name, v.defaultValue)
	}
	f.Add("GATEWAY_TILES", "https://{z}/{x}/{y}")
	f.Add("GATEWAY_ALLOWED_ORIGINS", "https://[::1")
	f.Fuzz(func(t *testing.T, name, value string) {
		c, _, err := Load([]string{"GATEWAY_UPSTREAM_URL=http://127.0.0.1:1/mcp", name + "=" + value}, Checks{})
		if err == nil && (c.Upstream.URL == nil || c.Results.LimitChars <= 0 || c.Bounds.MaxRequestBytes <= 0) {
			t.Errorf("%s=%q was accepted and gives %+v", name, value, c)
		}
	})
}
