package chart_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"tomtom-mcp-gateway/config"
	"tomtom-mcp-gateway/policy"
)

// notInPods are the variables without a value in the chart: the gateway reads them only where a host or a server is at its pipes,
// and warns about them elsewhere.
var notInPods = []string{"GATEWAY_UPSTREAM_KEY", "GATEWAY_TOKEN", "GATEWAY_MAX_PROCESSES"}

// TestEveryVariableHasAValue compares the chart with the gateway's own list of variables.
func TestEveryVariableHasAValue(t *testing.T) {
	text := mustTemplate(t, "--values", chartDir()+"/ci/every-setting-values.yaml")
	given := environmentOf(t, text)
	for _, v := range (config.Config{}).Variables() {
		value, ok := given[v.Name]
		delete(given, v.Name)
		switch {
		case slices.Contains(notInPods, v.Name):
			if ok {
				t.Errorf("%s is set, which a gateway in a pod does not read", v.Name)
			}
		case !ok:
			t.Errorf("no value of the chart sets %s, or ci/every-setting-values.yaml leaves it at its default", v.Name)
		case value == v.Default:
			t.Errorf("ci/every-setting-values.yaml sets %s to its default, %s", v.Name, value)
		}
	}
	if len(given) > 0 {
		t.Errorf("the chart sets what the gateway does not read: %v", slices.Sorted(maps.Keys(given)))
	}
}

// TestDefaultsAreTheGateways: where the chart says nothing special, it says what the gateway would do anyway.
func TestDefaultsAreTheGateways(t *testing.T) {
	differ := map[string]string{
		"GATEWAY_UPSTREAM_URL":  "http://tomtom-mcp:3000/mcp",
		"GATEWAY_DRAIN_DELAY":   "5s",  // endpoints take a moment to be taken out
		"GATEWAY_DRAIN_TIMEOUT": "20s", // and both have to fit into 30 s
	}
	given := environmentOf(t, mustTemplate(t, "--values", chartDir()+"/ci/default-values.yaml"))
	for _, v := range (config.Config{}).Variables() {
		want := v.Default
		if other, ok := differ[v.Name]; ok {
			want = other
		}
		if got, ok := given[v.Name]; ok && got != want {
			t.Errorf("%s=%s, want %s", v.Name, got, want)
		}
	}
}

// TestRenderedSettingsAreAccepted reads what the chart renders as the gateway would.
func TestRenderedSettingsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, file := range optionFiles(t) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var environ []string
			for name, value := range environmentOf(t, mustTemplate(t, "--values", file)) {
				if strings.HasPrefix(value, "/etc/tomtom-mcp-gateway/") {
					continue // a file that this machine has not
				}
				environ = append(environ, name+"="+value)
			}
			if _, warnings, err := config.Load(environ, config.Checks{}); err != nil || len(warnings) > 0 {
				t.Errorf("%v, %v", err, warnings)
			}
		})
	}
}

// environmentOf returns the gateway's variables in rendered text, secrets by a stand-in.
func environmentOf(tb testing.TB, text string) map[string]string {
	tb.Helper()
	given := map[string]string{}
	for _, object := range decode(tb, text) {
		switch o := object.(type) {
		case *core.ConfigMap:
			if !strings.HasSuffix(o.Name, "-dashboard") {
				maps.Copy(given, o.Data)
			}
		case *apps.Deployment:
			for _, v := range o.Spec.Template.Spec.Containers[0].Env {
				if strings.HasPrefix(v.Name, "GATEWAY_") {
					given[v.Name] = "stand-in"
				}
			}
		}
	}
	return given
}

// TestSchemaKnowsEveryValue: the schema has the members of values.yaml and no others.
func TestSchemaKnowsEveryValue(t *testing.T) {
	schema := parse[map[string]any](t, readFile(t, "helm/values.schema.json"))
	values := parse[map[string]any](t, readFile(t, "helm/values.yaml"))
	known := schemaMembers(schema, "")
	for _, dependency := range []string{"global", "enabled"} { // Helm's, and for a chart that depends on this one
		known = slices.DeleteFunc(known, func(path string) bool { return path == dependency })
	}
	var given []string
	for path := range leaves(values, "") {
		given = append(given, path)
	}
	for _, path := range given {
		if !slices.ContainsFunc(known, func(k string) bool {
			return path == k || strings.HasPrefix(path, k+".") || strings.HasPrefix(k, path+".")
		}) {
			t.Errorf("the schema does not know %s", path)
		}
	}
	for _, path := range known {
		tool := strings.HasPrefix(path, "limits.tools.") || strings.HasPrefix(path, "limits.toolErrorsM.")
		if !tool && path != "resources.claims" && !slices.ContainsFunc(given, func(g string) bool { return g == path || strings.HasPrefix(g, path+".") }) {
			t.Errorf("values.yaml does not have %s, which the schema knows", path)
		}
	}
}

// schemaMembers lists the paths that a schema names.
func schemaMembers(schema map[string]any, prefix string) []string {
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return []string{strings.TrimSuffix(prefix, ".")}
	}
	var all []string
	for name, member := range properties {
		all = append(all, schemaMembers(member.(map[string]any), prefix+name+".")...)
	}
	return all
}

// leaves lists the paths of values that are no maps, or empty ones.
func leaves(values map[string]any, prefix string) map[string]any {
	all := map[string]any{}
	for name, value := range values {
		if below, ok := value.(map[string]any); ok && len(below) > 0 {
			maps.Copy(all, leaves(below, prefix+name+"."))
		} else {
			all[prefix+name] = value
		}
	}
	return all
}

// TestSchemaKnowsEveryTool: a limit of a tool that the gateway has no policy for would end it at start.
func TestSchemaKnowsEveryTool(t *testing.T) {
	schema := parse[map[string]any](t, readFile(t, "helm/values.schema.json"))
	limits := schema["properties"].(map[string]any)["limits"].(map[string]any)["properties"].(map[string]any)
	var want []string
	for _, tool := range policy.Tools() {
		want = append(want, tool.Name)
	}
	slices.Sort(want)
	for _, name := range []string{"tools", "toolErrorsM"} {
		got := slices.Sorted(maps.Keys(limits[name].(map[string]any)["properties"].(map[string]any)))
		if !slices.Equal(got, want) {
			t.Errorf("limits.%s knows %q, the gateway %q", name, got, want)
		}
	}
}

// TestEveryValueIsAnOption demands a values file in helm/ci for every value, in which it is not what it is by default.
func TestEveryValueIsAnOption(t *testing.T) {
	set := map[string]bool{}
	defaults := parse[map[string]any](t, readFile(t, "helm/values.yaml"))
	for _, file := range optionFiles(t) {
		values := parse[map[string]any](t, readFile(t, strings.TrimPrefix(file, strings.TrimSuffix(chartDir(), "helm"))))
		for path, value := range leaves(values, "") {
			if was, ok := leaves(defaults, "")[path]; !ok || fmt.Sprint(was) != fmt.Sprint(value) {
				for path != "" {
					set[path] = true
					path = path[:max(strings.LastIndexByte(path, '.'), 0)]
				}
			}
		}
	}
	for path := range leaves(defaults, "") {
		if whole := freeform(path); whole != "" {
			path = whole
		}
		if !set[path] {
			t.Errorf("no file in helm/ci changes %s", path)
		}
	}
}

// freeform returns the value whose members are Kubernetes' or the user's, not the chart's, if path is below one.
func freeform(path string) string {
	for _, whole := range []string{
		"resources", "securityContext", "podSecurityContext", "startupProbe", "livenessProbe", "readinessProbe", "strategy",
		"sidecar.podLabels", "httpRoute.timeouts", "dashboard.labels",
	} {
		if strings.HasPrefix(path, whole+".") {
			return whole
		}
	}
	return ""
}

// TestQuantities: what the schema takes for a quantity, Kubernetes does too, through the whole chart.
func TestQuantities(t *testing.T) {
	for _, quantity := range []string{"1", "0.5", "100m", "64Mi", "1G", "2k"} {
		text := mustTemplate(t, "--values", chartDir()+"/ci/default-values.yaml", "--set-string", "resources.limits.memory="+quantity)
		limits := only[*apps.Deployment](t, text).Spec.Template.Spec.Containers[0].Resources.Limits
		if limits.Memory().IsZero() {
			t.Errorf("%s came out as %v", quantity, limits)
		}
	}
}

// TestReadmeIsFresh: the tables of the chart's README are those that the comments in values.yaml give.
func TestReadmeIsFresh(t *testing.T) {
	t.Parallel()
	out := run(t.Context(), nil, nil, tool(t, helmDocs), "--chart-search-root", chartDir(), "--chart-to-generate", chartDir(), "--sort-values-order", "file", "--dry-run", "--log-level", "error")
	if out.err != nil {
		t.Fatalf("%v\n%s", out.err, out.stderr)
	}
	if strings.TrimSpace(out.stdout) != strings.TrimSpace(string(readFile(t, "helm/README.md"))) {
		t.Error("helm/README.md is stale: run make generate-chart")
	}
}
