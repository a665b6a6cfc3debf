package chart_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
)

var update = flag.Bool("update", false, "write the golden files anew")

// optionFiles are the values files of helm/ci, one an option.
func optionFiles(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(chartDir(), "ci", "*"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, "-values.yaml") {
			tb.Errorf("%s is not called …-values.yaml, so tools that look for those miss it", file)
		}
	}
	return files
}

// TestOptions renders every option: it lints, both Helms give the same objects, Kubernetes' types know every member, and the text
// is the golden one.
func TestOptions(t *testing.T) {
	t.Parallel()
	for _, file := range optionFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), "-values.yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rendered []string
			for _, helm := range helms {
				program := tool(t, helm.pkg)
				if out := run(t.Context(), helmHome(t), nil, program, "lint", chartDir(), "--strict", "--values", file); out.err != nil {
					t.Errorf("%s lint: %v\n%s", helm.name, out.err, out.all())
				}
				out := run(t.Context(), helmHome(t), nil, program, "template", "maps", chartDir(), "--namespace", "tomtom", "--values", file)
				if out.err != nil {
					t.Fatalf("%s template: %v\n%s", helm.name, out.err, out.stderr)
				}
				rendered = append(rendered, strings.Join(documents(out.stdout), "\n---"))
			}
			if tidy(rendered[0]) != tidy(rendered[1]) {
				t.Errorf("Helm 4 and Helm 3 differ:\n%s\n%s", rendered[0], rendered[1])
			}
			decode(t, rendered[0])
			golden(t, filepath.Join("testdata", "golden", name+".yaml"), tidy(withoutFiles(t, rendered[0])))
		})
	}
}

// withoutFiles has the names of the chart's files in place of what is in them, which changes for its own reasons.
func withoutFiles(tb testing.TB, text string) string {
	tb.Helper()
	for _, name := range []string{"files/dashboard.json", "files/alerts.yaml"} {
		for _, indent := range []string{"  ", "    "} {
			content := strings.ReplaceAll(string(readFile(tb, "helm/"+name)), "\n", "\n"+indent)
			text = strings.ReplaceAll(text, strings.TrimSpace(content), name)
		}
	}
	return text
}

// tidy leaves out blank lines, which the two Helms set differently.
func tidy(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	return b.String()
}

// golden compares a text with a committed file.
func golden(tb testing.TB, path, got string) {
	tb.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if got != string(want) {
		tb.Errorf("%s differs; if it should, run the test with -update and look at the difference\n%s", path, got)
	}
}

// TestGoldenFilesHaveAnOption demands that no golden file outlives its option.
func TestGoldenFilesHaveAnOption(t *testing.T) {
	files, _ := filepath.Glob("testdata/golden/*.yaml")
	for _, file := range files {
		values := filepath.Join(chartDir(), "ci", strings.TrimSuffix(filepath.Base(file), ".yaml")+"-values.yaml")
		if _, err := os.Stat(values); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestBudgetRollsPods: whatever changes what the gateway reads changes the pods, and nothing else does.
func TestBudgetRollsPods(t *testing.T) {
	base := []string{"--set", "upstream.url=http://tomtom-mcp:3000/mcp"}
	podOf := func(args ...string) core.PodTemplateSpec {
		return only[*apps.Deployment](t, mustTemplate(t, append(args, base...)...)).Spec.Template
	}
	plain := podOf()
	for _, changed := range []string{"limits.result=90000", "limits.tools.tomtom-routing=90000", "limits.text=keep", "log.level=debug"} {
		if a := podOf("--set", changed).Annotations; a["checksum/settings"] == plain.Annotations["checksum/settings"] {
			t.Errorf("%s changes no annotation of the pods: %v", changed, a)
		}
	}
	if a := podOf("--set", "service.port=81").Annotations; a["checksum/settings"] != plain.Annotations["checksum/settings"] {
		t.Error("a change of the Service replaces pods")
	}
}

// TestComponentHasTheChartsContainer: the kustomize component, native and plain, adds the container that the chart's template writes.
func TestComponentHasTheChartsContainer(t *testing.T) {
	t.Parallel()
	text := mustTemplate(t, "--set", "upstream.url=http://tomtom-mcp:3000/mcp", "--set", "fullnameOverride=tomtom-mcp-gateway")
	want := only[*apps.Deployment](t, text).Spec.Template.Spec.Containers[0]
	plain := only[*apps.Deployment](t, string(readFile(t, "helm/kustomize/plain/deployment.yaml"))).Spec.Template.Spec.Containers[0]
	native := only[*apps.Deployment](t, string(readFile(t, "helm/kustomize/deployment.yaml"))).Spec.Template.Spec.InitContainers[0]
	if native.RestartPolicy == nil || *native.RestartPolicy != core.ContainerRestartPolicyAlways {
		t.Error("the native sidecar does not keep running")
	}
	native.RestartPolicy = nil
	for name, got := range map[string]core.Container{"plain": plain, "native": native} {
		if g, w := withoutDefaults(t, got), withoutDefaults(t, want); g != w {
			t.Errorf("%s:\n%s\nthe chart:\n%s", name, g, w)
		}
	}
}
