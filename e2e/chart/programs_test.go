package chart_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// Programs of e2e/kube, by the packages that they are built from.
const (
	helm4             = "helm.sh/helm/v4/cmd/helm"
	helm3             = "helm.sh/helm/v3/cmd/helm"
	helmDocs          = "github.com/norwoodj/helm-docs/cmd/helm-docs"
	kubectl           = "k8s.io/kubernetes/cmd/kubectl"
	apiServer         = "k8s.io/kubernetes/cmd/kube-apiserver"
	controllerManager = "k8s.io/kubernetes/cmd/kube-controller-manager"
)

var toolPaths sync.Map // package → func() (string, error)

// tool returns the path of a program of e2e/kube, which is built where it is not there yet.
func tool(tb testing.TB, pkg string) string {
	tb.Helper()
	find, _ := toolPaths.LoadOrStore(pkg, sync.OnceValues(func() (string, error) {
		cmd := exec.Command(filepath.Join(testkit.ModuleRoot(), "e2e/kube/tool.sh"), pkg)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}))
	path, err := find.(func() (string, error))()
	if err != nil {
		tb.Fatalf("%s: %v", pkg, err)
	}
	return path
}

// output is what a command wrote and how it ended.
type output struct {
	stdout, stderr string
	err            error
}

// all is everything that the command wrote.
func (o output) all() string { return o.stdout + o.stderr }

// run runs a program to its end.
func run(ctx context.Context, env []string, stdin []byte, program string, args ...string) output {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(testkit.CleanEnvironment(), env...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return output{stdout.String(), stderr.String(), err}
}

// helms are both Helms.
var helms = []struct{ name, pkg string }{{"v4", helm4}, {"v3", helm3}}

// template renders the chart as release maps in namespace tomtom.
func template(tb testing.TB, args ...string) output {
	tb.Helper()
	args = append([]string{"template", "maps", chartDir(), "--namespace", "tomtom"}, args...)
	return run(tb.Context(), helmHome(tb), nil, tool(tb, helm4), args...)
}

// mustTemplate is the rendered text.
func mustTemplate(tb testing.TB, args ...string) string {
	tb.Helper()
	out := template(tb, args...)
	if out.err != nil {
		tb.Fatalf("template %q: %v\n%s", args, out.err, out.stderr)
	}
	return out.stdout
}

// helmHome keeps Helm from whatever this machine's user has configured.
func helmHome(tb testing.TB) []string {
	tb.Helper()
	dir := tb.TempDir()
	return []string{"HELM_CACHE_HOME=" + dir, "HELM_CONFIG_HOME=" + dir, "HELM_DATA_HOME=" + dir, "KUBECONFIG=/dev/null"}
}
