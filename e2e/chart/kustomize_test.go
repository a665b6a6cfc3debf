package chart_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
