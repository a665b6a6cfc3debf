package chart_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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

// byKustomize takes the example's own folders into a kustomization with the test's image and ports, native and plain.
func byKustomize(t *testing.T, c *cluster) {
	t.Helper()
	for _, way := range []struct{ name, component, list string }{
		{"native", "helm/kustomize", "initContainers"},
		{"plain", "helm/kustomize/plain", "containers"},
	} {
		t.Run(way.name, func(t *testing.T) {
			namespace := c.namespace(t, "by-kustomize-"+way.name)
			port := freePorts(t)
			dir := overlay(t, way.component, way.list, port)
			apply := func(limit string) *runningPod {
				c.kustomize(t, dir, namespace, limit)
				return startPod(t, c, c.podOf(t, namespace, "tomtom-mcp"))
			}
			p := apply("120000")
			if way.name == "native" {
				wantNative(t, p)
			}
			service := c.service(t, namespace, "tomtom-mcp")
			checkLimit(t, p, service, 120_000)
			p.stop(t)
			p = apply("60000")
			checkLimit(t, p, service, 60_000)
			p.stop(t)
		})
	}
}

// overlay writes a kustomization of the example's server with a component, and returns its folder.
func overlay(tb testing.TB, component, list string, port ports) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := os.CopyFS(dir, os.DirFS(chartDir())); err != nil {
		tb.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay")
	if err := os.MkdirAll(overlay, 0o755); err != nil {
		tb.Fatal(err)
	}
	server, err := os.ReadFile(filepath.Join(dir, "examples/kustomize/server.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	text := `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [server.yaml]
components: [../` + strings.TrimPrefix(component, "helm/") + `]
images:
  - {name: tomtom-mcp-gateway, newName: registry.example.com/tomtom-mcp-gateway, newTag: e2e}
  - {name: registry.example.com/tomtom-mcp, newTag: e2e}
replicas: [{name: tomtom-mcp, count: 1}]
configMapGenerator:
  - name: tomtom-mcp-gateway
    literals:
      - GATEWAY_UPSTREAM_URL=http://127.0.0.1:` + port.server + `/mcp
      - GATEWAY_LISTEN=:` + port.mcp + `
      - GATEWAY_ADMIN_LISTEN=:` + port.admin + `
      - GATEWAY_RESULT_LIMIT=LIMIT
patches:
  - target: {kind: Deployment, name: tomtom-mcp}
    patch: |
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: tomtom-mcp}
      spec:
        template:
          spec:
            containers:
              - name: server
                args: ["-upstream", "127.0.0.1:` + port.server + `"]
                ports:
                  - {$patch: replace}
                  - {name: http, containerPort: ` + port.server + `}
  - target: {kind: Deployment, name: tomtom-mcp}
    patch: |
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: tomtom-mcp}
      spec:
        template:
          spec:
            ` + list + `:
              - name: tomtom-mcp-gateway
                ports:
                  - {$patch: replace}
                  - {name: gateway-mcp, containerPort: ` + port.mcp + `, protocol: TCP}
                  - {name: gateway-admin, containerPort: ` + port.admin + `, protocol: TCP}
`
	for name, content := range map[string]string{"kustomization.yaml.in": text, "server.yaml": string(server)} {
		if err := os.WriteFile(filepath.Join(overlay, name), []byte(content), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return overlay
}

// kustomize builds a folder with a limit and gives the objects to the API server: kubectl kustomize | kubectl apply.
func (c *cluster) kustomize(tb testing.TB, dir, namespace, limit string) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml.in"))
	if err != nil {
		tb.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "=LIMIT", "="+limit, 1))
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), text, 0o600); err != nil {
		tb.Fatal(err)
	}
	out := run(tb.Context(), c.environment(tb), nil, tool(tb, kubectl), "kustomize", dir)
	if out.err != nil {
		tb.Fatalf("%v\n%s", out.err, out.stderr)
	}
	c.apply(tb, out.stdout, "--namespace", namespace)
}

// byPostRenderer adds the gateway to a chart that knows nothing of it, by both Helms' ways of post-rendering.
func byPostRenderer(t *testing.T, c *cluster) {
	t.Helper()
	renderer := filepath.Join(chartDir(), "examples", "post-renderer")
	chart := foreignChart(t)
	path := filepath.Dir(kubectlInPath(t)) + ":" + os.Getenv("PATH")
	home := t.TempDir()
	environment := append(c.environment(t), "PATH="+path, "HELM_DATA_HOME="+home, "HELM_PLUGINS="+filepath.Join(home, "plugins"))
	helm := func(pkg string, args ...string) {
		t.Helper()
		if out := run(t.Context(), environment, nil, tool(t, pkg), args...); out.err != nil {
			t.Fatalf("helm %q: %v\n%s", args, out.err, out.all())
		}
	}
	helm(helm4, "plugin", "install", renderer)
	for _, way := range []struct{ namespace, pkg, renderer string }{
		{"post-rendered-v4", helm4, "tomtom-mcp-gateway"},
		{"post-rendered-v3", helm3, filepath.Join(renderer, "add-gateway.sh")},
	} {
		c.namespace(t, way.namespace)
		helm(way.pkg, "install", "maps", chart, "--namespace", way.namespace, "--post-renderer", way.renderer)
		pod := c.podOf(t, way.namespace, "maps-tomtom-mcp")
		if got := pod.Spec.InitContainers; len(got) != 1 || got[0].Name != "tomtom-mcp-gateway" {
			t.Errorf("%s: init containers %+v", way.namespace, got)
		}
		if target := c.service(t, way.namespace, "maps-tomtom-mcp").Spec.Ports[0].TargetPort; target.StrVal != "gateway-mcp" {
			t.Errorf("%s: the Service leads to %v", way.namespace, target)
		}
		helm(way.pkg, "uninstall", "maps", "--namespace", way.namespace)
	}
}

// foreignChart is a chart of a server without anything of the gateway in it.
func foreignChart(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	server := string(readFile(tb, "helm/examples/kustomize/server.yaml"))
	server = strings.ReplaceAll(server, "  labels: {tomtom-mcp-gateway/sidecar: \"true\"}\n", "")
	server = strings.ReplaceAll(server, "name: tomtom-mcp\n", "name: {{ .Release.Name }}-tomtom-mcp\n")
	if err := os.MkdirAll(filepath.Join(dir, "templates"), 0o755); err != nil {
		tb.Fatal(err)
	}
	for name, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: server\nversion: 0.1.0\n", "templates/server.yaml": server,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// kubectlInPath is the program under its own name, for scripts that call it.
func kubectlInPath(tb testing.TB) string {
	tb.Helper()
	link := filepath.Join(tb.TempDir(), "kubectl")
	if err := os.Symlink(tool(tb, kubectl), link); err != nil {
		tb.Fatal(err)
	}
	return link
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

// restart makes a Deployment's pods anew.
func (c *cluster) restart(tb testing.TB, namespace, deployment string) {
	tb.Helper()
	out := run(tb.Context(), c.environment(tb), nil, tool(tb, kubectl), "rollout", "restart", "deployment/"+deployment, "--namespace", namespace)
	if out.err != nil {
		tb.Fatalf("%v\n%s", out.err, out.all())
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
