package chart_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
	"tomtom-mcp-gateway/e2e/testkit"
)

// TestInCluster installs the chart on a real API server, in every way, and runs what was admitted. It needs etcd and the programs of
// e2e/kube: make kube.
func TestInCluster(t *testing.T) {
	t.Parallel()
	if os.Getenv("E2E_KUBE") == "" {
		t.Skip("needs etcd and the API server: make kube installs and builds them")
	}
	if _, err := exec.LookPath("etcd"); err != nil {
		t.Fatal(err)
	}
	c := startCluster(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *cluster)
	}{
		{"every option is accepted", everyOptionIsAccepted},
		{"in front, by Helm 4", func(t *testing.T, c *cluster) { inFront(t, c, helm4, "front-v4") }},
		{"in front, by Helm 3", func(t *testing.T, c *cluster) { inFront(t, c, helm3, "front-v3") }},
		{"beside the server, by include", byInclude},
		{"beside the server, by kustomize", byKustomize},
		{"beside the server, by a post-renderer", byPostRenderer},
		{"beside the server, by admission policy", byAdmissionPolicy},
		{"https on both sides", httpsOnBothSides},
		{"a bad variable", badVariable},
		{"what Pod Security refuses", podSecurityRefuses},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, c)
		})
	}
}

// lisbonWarsaw is a route that no limit in use has room for as it is.
const lisbonWarsaw = `{"locations":[[-9.1393,38.7223],[21.0122,52.2297]],"show_ui":true}`

// checkLimit calls through a Service and demands a fitted map in a result that makes use of the limit and keeps it.
func checkLimit(tb testing.TB, p *runningPod, service core.Service, limit int) {
	tb.Helper()
	r := testkit.Client{URL: p.behind(tb, service) + "/mcp"}.Call(tb, "tomtom-routing", lisbonWarsaw)
	if chars := testkit.Chars(r.Raw); r.Status(tb) != "fitted" || chars >= limit || chars < limit*9/10 {
		tb.Errorf("a limit of %d: status %q, %d characters", limit, r.Status(tb), chars)
	}
}

// ports are those of one pod on this machine.
type ports struct{ mcp, admin, server string }

func freePorts(tb testing.TB) ports {
	tb.Helper()
	return ports{freePort(tb), freePort(tb), freePort(tb)}
}

// values are arguments of Helm, below prefix, that give a gateway the test's image and ports, and let it end at once.
func (p ports) values(prefix string) []string {
	return []string{
		"--set", prefix + "image.repository=registry.example.com/tomtom-mcp-gateway", "--set", prefix + "image.tag=e2e",
		"--set", prefix + "drain.delay=0s", "--set", prefix + "ports.mcp=" + p.mcp, "--set", prefix + "ports.admin=" + p.admin,
	}
}

// everyOptionIsAccepted asks the API server to check what each values file renders, as a release of the file's name. What it has no
// definition for is left out.
func everyOptionIsAccepted(t *testing.T, c *cluster) {
	t.Helper()
	c.namespace(t, "tomtom")
	c.namespace(t, "maps")
	var text strings.Builder
	for _, file := range optionFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), "-values.yaml")
		out := run(t.Context(), helmHome(t), nil, tool(t, helm4), "template", name, chartDir(), "--namespace", "tomtom", "--values", file)
		if out.err != nil {
			t.Fatal(out.stderr)
		}
		for _, doc := range documents(out.stdout) {
			var object struct {
				APIVersion string `json:"apiVersion"`
			}
			if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
				t.Fatal(err)
			}
			switch object.APIVersion {
			case "monitoring.coreos.com/v1", "gateway.networking.k8s.io/v1":
			default:
				text.WriteString("---\n" + doc + "\n")
			}
		}
	}
	out := run(t.Context(), c.environment(t), []byte(text.String()), tool(t, kubectl), "apply", "--dry-run=server", "-f", "-")
	if out.err != nil || out.stderr != "" {
		t.Errorf("%v\n%s", out.err, out.stderr)
	}
}

// inFront is the life of a release: installed, tested, its budget changed, rolled back, removed.
func inFront(t *testing.T, c *cluster, helm, namespace string) {
	t.Helper()
	c.namespace(t, namespace)
	port := freePorts(t)
	server := testkit.StartDemoProcess(t, 42)
	install := append([]string{
		"install", "maps", chartDir(), "--namespace", namespace, "--set", "replicas=1", "--set", "upstream.url=" + server.URL,
		"--set", "podDisruptionBudget.enabled=true", "--set", "networkPolicy.enabled=true", "--set", "networkPolicy.upstreamPods.app=tomtom-mcp",
		"--set", "ingress.enabled=true", "--set", "dashboard.enabled=true", "--set", "test.image=" + curlImage,
	}, port.values("")...)
	notes := c.helm(t, helm, install...)
	wantIn(t, notes, "helm -n "+namespace+" test maps", "A result may have 120000 characters", server.URL)

	deployment := "maps-tomtom-mcp-gateway"
	at := func() (*runningPod, core.Service) {
		pod := c.podOf(t, namespace, deployment)
		if len(pod.Spec.Containers) != 1 || *pod.Spec.AutomountServiceAccountToken || len(pod.Spec.Volumes) > 0 {
			t.Errorf("the pod has more than the gateway: %+v", pod.Spec)
		}
		return startPod(t, c, pod), c.service(t, namespace, deployment)
	}
	p, service := at()
	checkLimit(t, p, service, 120_000)
	wantProbes(t, p.named(t, "tomtom-mcp-gateway"))
	rolledOut(t, c, namespace, deployment)
	helmTest(t, c, helm, namespace, p, service, "the server answers at")
	p.stop(t)

	c.helm(t, helm, "upgrade", "maps", chartDir(), "--namespace", namespace, "--reset-then-reuse-values",
		"--set", "limits.result=90000", "--set", "limits.tools.tomtom-routing=60000", "--set", "test.key.secretName=tomtom")
	c.apply(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: tomtom}\nstringData: {key: e2e-key}\n", "--namespace", namespace)
	p, service = at()
	checkLimit(t, p, service, 60_000)
	helmTest(t, c, helm, namespace, p, service, "the server's tools are listed at")
	p.stop(t)

	c.helm(t, helm, "rollback", "maps", "1", "--namespace", namespace)
	p, service = at()
	checkLimit(t, p, service, 120_000)
	p.stop(t)

	c.helm(t, helm, "uninstall", "maps", "--namespace", namespace)
	gone(t, c, namespace, "maps")
}

// helmTest runs helm test and the pod that it starts.
func helmTest(tb testing.TB, c *cluster, helm, namespace string, p *runningPod, service core.Service, want string) {
	tb.Helper()
	environment := c.environment(tb)
	ended := make(chan output, 1)
	go func() {
		ended <- run(tb.Context(), environment, nil, tool(tb, helm), "test", "maps", "--namespace", namespace, "--timeout", "1m")
	}()
	var pods []core.Pod
	within(tb, "the pod of helm test", func() bool {
		pods = c.pods(tb, namespace, map[string]string{"app.kubernetes.io/name": "tomtom-mcp-gateway-test"})
		return len(pods) == 1
	})
	name := fmt.Sprintf("%s:%d", service.Name, service.Spec.Ports[0].Port)
	said := runToEnd(tb, c, pods[0], name, strings.TrimPrefix(p.behind(tb, service), "http://"))
	wantIn(tb, said, want+" http://"+name+"/mcp")
	if out := <-ended; out.err != nil {
		tb.Errorf("%v\n%s", out.err, out.all())
	}
}

// httpsOnBothSides gives the gateway a certificate for hosts and an authority for the server, from Secrets of the cluster.
func httpsOnBothSides(t *testing.T, c *cluster) {
	t.Helper()
	namespace := c.namespace(t, "https")
	server := httptest.NewTLSServer(upstream.New(upstream.Options{Seed: 42}))
	t.Cleanup(server.Close)
	certificate := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, der []byte) string {
		return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	authority := text("CERTIFICATE", certificate.Certificate[0])
	c.apply(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: maps-tls}\ntype: kubernetes.io/tls\ndata: {tls.crt: "+authority+
		", tls.key: "+text("PRIVATE KEY", key)+"}\n---\n"+
		"apiVersion: v1\nkind: Secret\nmetadata: {name: authority}\ndata: {ca.crt: "+authority+"}\n", "--namespace", namespace)
	c.helm(t, helm4, append([]string{
		"install", "maps", chartDir(), "--namespace", namespace, "--set", "replicas=1", "--set", "upstream.url=" + server.URL + "/mcp",
		"--set", "tls.secretName=maps-tls", "--set", "upstream.tls.caSecretName=authority",
	}, freePorts(t).values("")...)...)
	p := startPod(t, c, c.podOf(t, namespace, "maps-tomtom-mcp-gateway"))
	url := strings.Replace(p.behind(t, c.service(t, namespace, "maps-tomtom-mcp-gateway")), "http://", "https://", 1) + "/mcp"
	r := testkit.Client{URL: url, HTTP: server.Client()}.Call(t, "tomtom-routing", lisbonWarsaw)
	if r.Status(t) != "fitted" {
		t.Errorf("status %q", r.Status(t))
	}
}

// rolledOut demands that the Deployment counts its pod as available.
func rolledOut(tb testing.TB, c *cluster, namespace, deployment string) {
	tb.Helper()
	out := run(tb.Context(), c.environment(tb), nil, tool(tb, kubectl), "rollout", "status", "deployment/"+deployment, "--namespace", namespace, "--timeout=30s")
	if out.err != nil {
		tb.Errorf("%v\n%s", out.err, out.all())
	}
}

// gone demands that nothing of a release is left.
func gone(tb testing.TB, c *cluster, namespace, release string) {
	tb.Helper()
	var left []string
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("left of %s: %q", release, left)
		}
	})
	within(tb, "the release's objects are gone", func() bool {
		left = c.remaining(tb, namespace, release)
		return len(left) == 0
	})
}

// badVariable: a gateway that cannot run with its environment ends with 2 and names every problem at once, in what the pod's log shows.
func badVariable(t *testing.T, c *cluster) {
	t.Helper()
	namespace := c.namespace(t, "bad-variable")
	values := c.write(t, "bad-values.yaml", `
upstream: {url: "http://127.0.0.1:1/mcp"}
extraEnv:
  - {name: GATEWAY_RESULT_LIMIT, value: abc}
  - {name: GATEWAY_TOOL_LIMITS, value: tomtom-routing=0}
  - {name: GATEWAY_TEXT, value: zip}
`)
	c.helm(t, helm4, append([]string{"install", "maps", chartDir(), "--namespace", namespace, "--values", values}, freePorts(t).values("")...)...)
	p := &runningPod{c: c, pod: c.podOf(t, namespace, "maps-tomtom-mcp-gateway")}
	one := p.start(t, p.pod.Spec.Containers[0], false)
	testkit.Receive(t, "the container ends", one.exited)
	if code := one.cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("exit code %d", code)
	}
	wantIn(t, one.logText(), "GATEWAY_RESULT_LIMIT=abc", "GATEWAY_TOOL_LIMITS=tomtom-routing=0", "GATEWAY_TEXT=zip")
}

// podSecurityRefuses shows that the namespaces of these tests do enforce what they claim to.
func podSecurityRefuses(t *testing.T, c *cluster) {
	t.Helper()
	namespace := c.namespace(t, "refused")
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: loose}\nspec: {containers: [{name: a, image: b}]}\n"
	out := run(t.Context(), c.environment(t), []byte(pod), tool(t, kubectl), "apply", "--namespace", namespace, "-f", "-")
	if out.err == nil {
		t.Error("a pod without a security context was admitted")
	}
	wantIn(t, out.stderr, "violates PodSecurity \"restricted")
}

func wantProbes(tb testing.TB, one *container) {
	tb.Helper()
	if len(one.probes) != 3 || one.probes[0] != "startup" {
		tb.Errorf("probes of %s: %q", one.spec.Name, one.probes)
	}
}
