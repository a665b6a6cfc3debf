package chart_test

import (
	crypto "crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

// patience is how long something of Kubernetes may take that should happen within a second or two.
const patience = time.Minute

// cluster is what of Kubernetes makes Pods of Deployments: etcd, the API server and the controllers, on loopback. There is no node:
// see kubelet.
type cluster struct {
	server     string // URL
	token      string
	kubeconfig string // path
	dir        string
}

// startCluster starts one. It ends with the test.
func startCluster(tb testing.TB) *cluster {
	tb.Helper()
	c := &cluster{token: "e2e-admin", dir: tb.TempDir()}
	c.server = "https://127.0.0.1:" + freePort(tb)
	etcd, peers := "http://127.0.0.1:"+freePort(tb), "http://127.0.0.1:"+freePort(tb)
	key := c.write(tb, "service-accounts.key", string(signingKey(tb)))
	tokens := c.write(tb, "tokens.csv", c.token+",admin,admin,system:masters\n")
	c.kubeconfig = c.write(tb, "kubeconfig", fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: e2e, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: %s}}]
contexts: [{name: e2e, context: {cluster: e2e, user: admin}}]
current-context: e2e
`, c.server, c.token))

	c.start(tb, "etcd", "--data-dir="+memoryDir(tb), "--log-level=error",
		"--listen-client-urls="+etcd, "--advertise-client-urls="+etcd, "--listen-peer-urls="+peers,
		"--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers)
	c.start(tb, tool(tb, apiServer), "--etcd-servers="+etcd, "--bind-address=127.0.0.1",
		"--secure-port="+portOf(c.server), "--cert-dir="+filepath.Join(c.dir, "certificates"),
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+key,
		"--service-account-signing-key-file="+key, "--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none",
		"--disable-admission-plugins=ServiceAccount", "--authorization-mode=AlwaysAllow", "--token-auth-file="+tokens)
	within(tb, "the API server is ready", func() bool { return c.text(tb, "/readyz") == "ok" })
	c.start(tb, tool(tb, controllerManager), "--kubeconfig="+c.kubeconfig, "--leader-elect=false", "--bind-address=127.0.0.1",
		"--secure-port="+freePort(tb), "--controllers=deployment-controller,replicaset-controller,namespace-controller,"+
			"garbage-collector-controller,serviceaccount-controller")
	return c
}

// memoryDir is a folder in memory where the machine has that: etcd waits for the disk with every write.
func memoryDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "etcd-") //nolint:usetesting // the test's folder is on disk
	if err != nil {
		return tb.TempDir()
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// start runs a part of Kubernetes until the test ends. A failed test shows the end of its log.
func (c *cluster) start(tb testing.TB, program string, args ...string) {
	tb.Helper()
	name := filepath.Base(program)
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = testkit.CleanEnvironment()
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	if err := cmd.Start(); err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	tb.Cleanup(func() {
		_, _ = cmd.Process.Kill(), cmd.Wait() // nothing of it is kept
		if text, _ := os.ReadFile(log.Name()); tb.Failed() {
			tb.Logf("%s:\n%s", name, text[max(0, len(text)-1500):])
		}
		_ = log.Close()
	})
}

func (c *cluster) write(tb testing.TB, name, text string) string {
	tb.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// namespace makes a namespace that takes only what Pod Security restricted allows.
func (c *cluster) namespace(tb testing.TB, name string) string {
	tb.Helper()
	c.apply(tb, fmt.Sprintf(`apiVersion: v1
kind: Namespace
metadata:
  name: %s
  labels:
    pod-security.kubernetes.io/enforce: restricted
    pod-security.kubernetes.io/warn: restricted
`, name))
	return name
}

// apply gives objects to the API server as kubectl does, and demands that it has nothing to warn about.
func (c *cluster) apply(tb testing.TB, text string, args ...string) {
	tb.Helper()
	out := run(tb.Context(), c.environment(tb), []byte(text), tool(tb, kubectl), append([]string{"apply", "-f", "-"}, args...)...)
	if out.err != nil || out.stderr != "" {
		tb.Fatalf("apply: %v\n%s\n%s", out.err, out.all(), text)
	}
}

// helm runs a Helm and demands that it succeeds, with pods that Pod Security admits.
func (c *cluster) helm(tb testing.TB, pkg string, args ...string) string {
	tb.Helper()
	out := run(tb.Context(), c.environment(tb), nil, tool(tb, pkg), args...)
	if out.err != nil {
		tb.Fatalf("helm %q: %v\n%s", args, out.err, out.all())
	}
	if strings.Contains(out.all(), "would violate PodSecurity") {
		tb.Errorf("helm %q: %s", args, out.all())
	}
	return out.all()
}

func (c *cluster) environment(tb testing.TB) []string {
	tb.Helper()
	return append(helmHome(tb), "KUBECONFIG="+c.kubeconfig, "HOME="+c.dir)
}

// within returns when condition is true, and ends the test when it does not become so within patience.
func within(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	deadline := time.Now().Add(patience)
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for !condition() {
		if time.Now().After(deadline) {
			tb.Fatalf("%s: not within %v", what, patience)
		}
		<-poll.C
	}
}

// ports come one after the other from a range that the system gives nobody by itself, so that none is given twice.
var nextPort atomic.Int32

// freePort is a loopback port that nobody listens on.
func freePort(tb testing.TB) string {
	tb.Helper()
	const lowest, count = 20_000, 10_000
	nextPort.CompareAndSwap(0, rand.Int32N(count)+1) // tests of other processes have a range of their own, mostly
	for range count {
		port := strconv.Itoa(lowest + int(nextPort.Add(1))%count)
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	tb.Fatal("no port is free")
	return ""
}

func portOf(url string) string {
	_, port, _ := net.SplitHostPort(url[len("https://"):])
	return port
}

// signingKey is for the tokens that the API server insists on being able to sign.
func signingKey(tb testing.TB) []byte {
	tb.Helper()
	key, err := rsa.GenerateKey(crypto.Reader, 2048)
	if err != nil {
		tb.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
}
