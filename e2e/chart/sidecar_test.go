package chart_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// byInclude takes the example of a server's own chart, native and plain.
func byInclude(t *testing.T, c *cluster) {
	t.Helper()
	namespace := c.namespace(t, "by-include")
	charts := t.TempDir()
	if err := os.CopyFS(charts, os.DirFS(chartDir())); err != nil {
		t.Fatal(err)
	}
	chart := filepath.Join(charts, "examples", "library-chart")
	c.helm(t, helm4, "dependency", "update", chart)
	port := freePorts(t)
	set := append([]string{
		"--namespace", namespace, "--set", "replicas=1", "--set", "image=" + serverImage, "--set", "port=" + port.server,
		"--set", "args={-upstream,127.0.0.1:" + port.server + "}", "--set", "gateway.upstream.url=http://127.0.0.1:" + port.server + "/mcp",
	}, port.values("gateway.")...)

	c.helm(t, helm4, append([]string{"install", "tomtom", chart}, set...)...)
	p := startPod(t, c, c.podOf(t, namespace, "tomtom"))
	service := c.service(t, namespace, "tomtom")
	wantNative(t, p)
	checkLimit(t, p, service, 120_000)
	p.stop(t)

	c.helm(t, helm4, append([]string{"upgrade", "tomtom", chart, "--set", "gateway.limits.result=60000"}, set...)...)
	p = startPod(t, c, c.podOf(t, namespace, "tomtom"))
	checkLimit(t, p, service, 60_000)
	p.stop(t)

	template := filepath.Join(chart, "templates", "deployment.yaml")
	text, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(template, []byte(asPlain(t, string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	c.helm(t, helm4, append([]string{"upgrade", "tomtom", chart}, set...)...)
	p = startPod(t, c, c.podOf(t, namespace, "tomtom"))
	if len(p.pod.Spec.InitContainers) != 0 || len(p.pod.Spec.Containers) != 2 {
		t.Errorf("%d init containers, %d containers", len(p.pod.Spec.InitContainers), len(p.pod.Spec.Containers))
	}
	checkLimit(t, p, service, 120_000)
	p.stop(t)

	c.helm(t, helm4, "uninstall", "tomtom", "--namespace", namespace)
	gone(t, c, namespace, "tomtom")
}

// asPlain moves the include of the example to the server's containers, as its comment says.
func asPlain(tb testing.TB, text string) string {
	tb.Helper()
	const native = "      initContainers:\n        {{- include \"tomtom-mcp-gateway.nativeSidecar\" .Subcharts.gateway | nindent 8 }}\n"
	const containers = "      containers:\n"
	if !strings.Contains(text, native) || !strings.Contains(text, containers) {
		tb.Fatalf("the example has changed:\n%s", text)
	}
	text = strings.Replace(text, native, "", 1)
	return strings.Replace(text, containers, containers+"        {{- include \"tomtom-mcp-gateway.container\" .Subcharts.gateway | nindent 8 }}\n", 1)
}

// wantNative demands that the gateway was there before the server, and asked nothing of it.
func wantNative(tb testing.TB, p *runningPod) {
	tb.Helper()
	first := p.containers[0]
	if !first.native || first.spec.Name != "tomtom-mcp-gateway" {
		tb.Fatalf("%s is first, native %t", first.spec.Name, first.native)
	}
	wantProbes(tb, first)
	if first.probe(tb.Context(), first.spec.ReadinessProbe) != nil {
		tb.Error("the gateway is not ready beside a server that runs")
	}
}

// byAdmissionPolicy lets the API server add the container, native and plain.
func byAdmissionPolicy(t *testing.T, c *cluster) {
	t.Helper()
	for _, way := range []struct{ name, native, rendered string }{
		{"native", "true", "sidecar-admission-policy-values.yaml"},
		{"plain", "false", "sidecar-admission-policy-plain-values.yaml"},
	} {
		t.Run(way.name, func(t *testing.T) {
			namespace := c.namespace(t, "by-policy-"+way.name)
			port := freePorts(t)
			url := "http://127.0.0.1:" + port.server + "/mcp"
			c.helm(t, helm4, append([]string{
				"install", "maps", chartDir(), "--namespace", namespace, "--set", "mode=sidecar", "--set", "upstream.url=" + url,
				"--set", "sidecar.native=" + way.native, "--set", "sidecar.admissionPolicy.enabled=true",
			}, port.values("")...)...)
			server := labelledServer(t, port)
			within(t, "the policy is in force", func() bool { return c.mutates(t, namespace) })
			c.apply(t, server, "--namespace", namespace)

			p := startPod(t, c, c.podOf(t, namespace, "tomtom-mcp"))
			if way.name == "native" {
				wantNative(t, p)
			}
			sameContainer(t, p, port, way.native)
			service := c.service(t, namespace, "tomtom-mcp")
			checkLimit(t, p, service, 120_000)
			own := c.service(t, namespace, "maps-tomtom-mcp-gateway")
			checkLimit(t, p, own, 120_000)
			p.stop(t)

			c.helm(t, helm4, "upgrade", "maps", chartDir(), "--namespace", namespace, "--reset-then-reuse-values", "--set", "limits.result=60000")
			c.restart(t, namespace, "tomtom-mcp")
			p = startPod(t, c, c.podOf(t, namespace, "tomtom-mcp"))
			checkLimit(t, p, service, 60_000)
			p.stop(t)

			c.helm(t, helm4, "rollback", "maps", "1", "--namespace", namespace)
			c.restart(t, namespace, "tomtom-mcp")
			p = startPod(t, c, c.podOf(t, namespace, "tomtom-mcp"))
			checkLimit(t, p, service, 120_000)
			p.stop(t)

			c.helm(t, helm4, "uninstall", "maps", "--namespace", namespace)
			gone(t, c, namespace, "maps")
			within(t, "the policy is gone", func() bool { return !c.mutates(t, namespace) })
			c.restart(t, namespace, "tomtom-mcp")
			within(t, "pods without the gateway come", func() bool {
				pod := c.podOf(t, namespace, "tomtom-mcp")
				return len(pod.Spec.InitContainers)+len(pod.Spec.Containers) == 1
			})
		})
	}
}

// labelledServer is the example's server in the test's image, its pods labelled too.
func labelledServer(tb testing.TB, port ports) string {
	tb.Helper()
	text := string(readFile(tb, "helm/examples/kustomize/server.yaml"))
	for _, change := range [][2]string{
		{"labels: {app: tomtom-mcp}", "labels: {app: tomtom-mcp, tomtom-mcp-gateway/sidecar: \"true\"}"},
		{"replicas: 2", "replicas: 1"},
		{"image: registry.example.com/tomtom-mcp:latest", "image: " + serverImage + "\n          args: [\"-upstream\", \"127.0.0.1:" + port.server + "\"]"},
		{"containerPort: 3000", "containerPort: " + port.server},
	} {
		if !strings.Contains(text, change[0]) {
			tb.Fatalf("the example has no %q any more", change[0])
		}
		text = strings.ReplaceAll(text, change[0], change[1])
	}
	return text
}

// mutates asks the API server what it would make of a Service and a pod with the labels.
func (c *cluster) mutates(tb testing.TB, namespace string) bool {
	tb.Helper()
	pod := `---
apiVersion: v1
kind: Pod
metadata: {name: asked, labels: {tomtom-mcp-gateway/sidecar: "true"}}
spec:
  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  containers: [{name: a, image: b, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]
`
	service := "---\napiVersion: v1\nkind: Service\nmetadata: {name: asked, labels: {tomtom-mcp-gateway/sidecar: \"true\"}}\nspec: {ports: [{port: 80}]}\n"
	out := run(tb.Context(), c.environment(tb), []byte(pod+service), tool(tb, kubectl), "apply", "--dry-run=server", "--namespace", namespace, "--output", "yaml", "-f", "-")
	if out.err != nil {
		tb.Fatalf("%v\n%s", out.err, out.stderr)
	}
	return strings.Contains(out.stdout, "targetPort: gateway-mcp") && strings.Contains(out.stdout, "name: tomtom-mcp-gateway")
}

// sameContainer demands that the policy adds what the chart's own template gives.
func sameContainer(tb testing.TB, p *runningPod, port ports, native string) {
	tb.Helper()
	text := mustTemplate(tb, append([]string{"--set", "upstream.url=http://a/mcp"}, port.values("")...)...)
	var want core.Container
	for _, doc := range documents(text) {
		var object struct {
			Kind string `json:"kind"`
			Spec struct {
				Template struct {
					Spec struct {
						Containers []core.Container `json:"containers"`
					} `json:"spec"`
				} `json:"template"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal([]byte(doc), &object); err == nil && object.Kind == "Deployment" {
			want = object.Spec.Template.Spec.Containers[0]
		}
	}
	got := p.named(tb, "tomtom-mcp-gateway").spec
	if native == "true" {
		always := core.ContainerRestartPolicyAlways
		want.RestartPolicy = &always
	}
	g, w := withoutDefaults(tb, got), withoutDefaults(tb, want)
	if g != w {
		tb.Errorf("the policy adds\n%s\nthe chart has\n%s", g, w)
	}
}

// withoutDefaults is a container without what the API server fills in.
func withoutDefaults(tb testing.TB, one core.Container) string {
	tb.Helper()
	one.TerminationMessagePath, one.TerminationMessagePolicy = "", ""
	for _, probe := range []*core.Probe{one.StartupProbe, one.LivenessProbe, one.ReadinessProbe} {
		probe.TimeoutSeconds, probe.SuccessThreshold, probe.HTTPGet.Scheme = 0, 0, ""
	}
	text, err := json.Marshal(one)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// restarts tells one restart from another: kubectl rollout restart has seconds for that, and refuses a second one in the same.
var restarts atomic.Int32

// restart makes a Deployment's pods anew, as kubectl rollout restart does.
func (c *cluster) restart(tb testing.TB, namespace, deployment string) {
	tb.Helper()
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"%d"}}}}}`, restarts.Add(1))
	path := "/apis/apps/v1/namespaces/" + namespace + "/deployments/" + deployment
	if code, answer := c.request(tb, http.MethodPatch, path, "application/merge-patch+json", []byte(patch)); code != http.StatusOK {
		tb.Fatalf("restart of %s: %d %s", deployment, code, answer)
	}
}

func wantIn(tb testing.TB, text string, all ...string) {
	tb.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			tb.Errorf("no %q in\n%s", want, text)
		}
	}
}
