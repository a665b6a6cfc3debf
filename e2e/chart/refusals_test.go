package chart_test

import (
	"strings"
	"testing"
)

// TestRefusals: a bad value is refused by both Helms, before anything reaches a cluster, with its name and what is wrong.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const url = "upstream.url=http://tomtom-mcp:3000/mcp"
	for _, test := range []struct {
		name string
		set  []string
		want []string // in the message
	}{
		{"unknown value", []string{url, "colour=red"}, []string{"'colour' not allowed"}},
		{"unknown value below another", []string{url, "limits.results=1"}, []string{"'/limits'", "'results' not allowed"}},
		{"tool limit of 0", []string{url, "limits.tools.tomtom-routing=0"}, []string{"/limits/tools/tomtom-routing", "got 0, want 1"}},
		{"tool limit that is no number", []string{url, "limits.tools.tomtom-routing=abc"}, []string{"/limits/tools/tomtom-routing", "got string, want integer"}},
		{"limit of an unknown tool", []string{url, "limits.tools.tomtom-rooting=1"}, []string{"/limits/tools", "'tomtom-rooting' not allowed"}},
		{"error of 0", []string{url, "limits.toolErrorsM.tomtom-routing=0"}, []string{"/limits/toolErrorsM/tomtom-routing"}},
		{"bad quantity", []string{url, "resources.limits.memory=64Mib"}, []string{"/resources/limits/memory", "'64Mib'"}},
		{"duration without unit", []string{url, "upstream.timeout=120"}, []string{"/upstream/timeout"}},
		{"bad choice", []string{url, "limits.text=zip"}, []string{"/limits/text", "'auto', 'keep', 'minify'"}},
		{"port out of range", []string{url, "ports.mcp=70000"}, []string{"/ports/mcp", "65,535"}},
		{"URL with a query", []string{"upstream.url=http://tomtom-mcp/mcp?key=1"}, []string{"/upstream/url"}},
		{"origin with a path", []string{url, "allowedOrigins={https://claude.ai/chat}"}, []string{"/allowedOrigins/0"}},
		{"digest that is none", []string{url, "image.digest=latest"}, []string{"/image/digest"}},
		{"probe that leads elsewhere", []string{url, "startupProbe.httpGet.path=/"}, []string{"/startupProbe"}},
		{"no such mode", []string{url, "mode=both"}, []string{"/mode", "'gateway', 'sidecar'"}},
		{"two modes", []string{url, "mode={gateway,sidecar}"}, []string{"/mode", "got array, want string"}},
		{"both modes' values", []string{url, "sidecar.admissionPolicy.enabled=true"}, []string{"sidecar.admissionPolicy.enabled needs mode: sidecar"}},
		{"missing upstream", nil, []string{"upstream.url is not set", "http://tomtom-mcp.maps.svc:3000/mcp"}},
		{
			"several at once",
			[]string{"mode=sidecar", "autoscaling.enabled=true", "podDisruptionBudget.enabled=true", "ports.admin=8080"},
			[]string{"ports.admin is the same as ports.mcp", "autoscaling.enabled needs mode: gateway", "podDisruptionBudget.enabled needs mode: gateway"},
		},
		{"policy for every pod", []string{url, "networkPolicy.enabled=true"}, []string{"networkPolicy.upstreamPods is empty"}},
		{"sidecar for every pod", []string{"mode=sidecar", "sidecar.podLabels=null"}, []string{"sidecar.podLabels"}},
		{"ways in without a Service", []string{url, "service.enabled=false", "ingress.enabled=true"}, []string{"ingress.enabled needs service.enabled"}},
		{"route without a Gateway", []string{url, "httpRoute.enabled=true"}, []string{"httpRoute.parentRefs is empty"}},
		{"two monitors", []string{url, "metrics.serviceMonitor.enabled=true", "metrics.podMonitor.enabled=true"}, []string{"metrics.serviceMonitor.enabled and metrics.podMonitor.enabled"}},
		{"callers' certificates over http", []string{url, "tls.clientCASecretName=authority"}, []string{"tls.clientCASecretName needs tls.secretName"}},
		{"fewest above most", []string{url, "autoscaling.enabled=true", "autoscaling.minReplicas=20"}, []string{"autoscaling.minReplicas is above"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, helm := range helms {
				args := []string{"template", "maps", chartDir()}
				for _, value := range test.set {
					args = append(args, "--set", value)
				}
				out := run(t.Context(), helmHome(t), nil, tool(t, helm.pkg), args...)
				if out.err == nil {
					t.Errorf("%s took it", helm.name)
				}
				for _, want := range test.want {
					if !strings.Contains(out.stderr, want) {
						t.Errorf("%s does not say %q:\n%s", helm.name, want, out.stderr)
					}
				}
			}
		})
	}
}
