package chart_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"tomtom-mcp-gateway/e2e/testkit"
)

// The images that tests put into pods.
const (
	gatewayImage = "registry.example.com/tomtom-mcp-gateway:e2e"
	serverImage  = "registry.example.com/tomtom-mcp:e2e"
	curlImage    = "registry.example.com/curl:e2e"
)

// image is what a container of an image runs: its entry point, which a container's command replaces, and its environment.
type image struct{ entry, environ []string }

// images knows what is in them. The server is the demonstration's, whose own gateway nobody asks.
func images(tb testing.TB) map[string]image {
	tb.Helper()
	gateway := testkit.Binary(tb)
	return map[string]image{
		gatewayImage: {entry: []string{gateway}},
		serverImage:  {entry: []string{gateway, "demo", "-listen", "127.0.0.1:0", "-admin", "127.0.0.1:0"}},
	}
}

// runToEnd runs a pod of one container to its end and says so to the API server. The container finds the Service at the address, which
// its name would lead to in a cluster.
func runToEnd(tb testing.TB, c *cluster, pod core.Pod, service, address string) string {
	tb.Helper()
	spec := pod.Spec.Containers[0]
	if spec.Image != curlImage {
		tb.Fatalf("nothing runs for image %s", spec.Image)
	}
	home := tb.TempDir()
	config := "connect-to = \"" + service + ":" + address + "\"\n"
	if err := os.WriteFile(filepath.Join(home, ".curlrc"), []byte(config), 0o600); err != nil {
		tb.Fatal(err)
	}
	command := append(slices.Clone(spec.Command), spec.Args...)
	out := run(tb.Context(), append(c.environmentOf(tb, pod, spec), "CURL_HOME="+home), nil, command[0], command[1:]...)
	phase := core.PodSucceeded
	if out.err != nil {
		phase = core.PodFailed
	}
	c.setStatus(tb, pod, core.PodStatus{Phase: phase})
	return out.all()
}

// runningPod is a pod whose containers run as processes of this machine, with exactly the environment and the ports that the
// admitted pod gives them, started in its order. It stands in for the kubelet.
type runningPod struct {
	c          *cluster
	pod        core.Pod
	containers []*container // in the order of their start
}

// container is one process.
type container struct {
	spec   core.Container
	native bool // an init container that keeps running
	cmd    *exec.Cmd
	log    string
	exited chan struct{}
	probes []string // kinds of probes that succeeded, in their order
}

// startPod starts a pod's containers: init containers one after the other, native sidecars up to the success of their startup
// probe, then the containers. It returns when all of them are ready, and says so to the API server. Everything ends with the test.
func startPod(tb testing.TB, c *cluster, pod core.Pod) *runningPod {
	tb.Helper()
	p := &runningPod{c: c, pod: pod}
	tb.Cleanup(func() { p.stop(tb) })
	for _, spec := range pod.Spec.InitContainers {
		if spec.RestartPolicy == nil || *spec.RestartPolicy != core.ContainerRestartPolicyAlways {
			tb.Fatalf("init container %s does not keep running", spec.Name)
		}
		p.start(tb, spec, true).await(tb, "startup", spec.StartupProbe)
	}
	for _, spec := range pod.Spec.Containers {
		p.start(tb, spec, false)
	}
	for _, one := range slices.Backward(p.containers) { // in any order: a node asks them all at once
		if !one.native {
			one.await(tb, "startup", one.spec.StartupProbe)
		}
		one.await(tb, "readiness", one.spec.ReadinessProbe)
		one.await(tb, "liveness", one.spec.LivenessProbe)
	}
	p.reportReady(tb)
	return p
}

// start starts one container's process.
func (p *runningPod) start(tb testing.TB, spec core.Container, native bool) *container {
	tb.Helper()
	image, known := images(tb)[spec.Image]
	if !known {
		tb.Fatalf("nothing runs for image %s", spec.Image)
	}
	log, err := os.Create(filepath.Join(tb.TempDir(), spec.Name+".log"))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	one := &container{spec: spec, native: native, log: log.Name(), exited: make(chan struct{})}
	args := image.entry
	if len(spec.Command) > 0 {
		args = spec.Command
	}
	args = append(slices.Clone(args), spec.Args...)
	one.cmd = exec.Command(args[0], args[1:]...)
	one.cmd.Env = append(slices.Clone(image.environ), p.c.environmentOf(tb, p.pod, spec)...)
	one.cmd.Dir, one.cmd.Stdout, one.cmd.Stderr = tb.TempDir(), log, log
	if len(spec.VolumeMounts) > 0 {
		confine(one.cmd, p.rootWith(tb, spec, one.cmd.Path))
	}
	if err := one.cmd.Start(); err != nil {
		tb.Fatalf("%s: %v", spec.Name, err)
	}
	go func() {
		_ = one.cmd.Wait()
		close(one.exited)
	}()
	p.containers = append(p.containers, one)
	return one
}

// rootWith is a root file system with a program, /program, and the Secrets that a container mounts.
func (p *runningPod) rootWith(tb testing.TB, spec core.Container, program string) string {
	tb.Helper()
	if os.Getuid() != 0 {
		tb.Skip("needs to be root to give a process files of its own")
	}
	root := openTempDir(tb)
	text, err := os.ReadFile(program)
	if err != nil {
		tb.Fatal(err)
	}
	writeFile(tb, filepath.Join(root, "program"), text, 0o755)
	for _, mount := range spec.VolumeMounts {
		for _, volume := range p.pod.Spec.Volumes {
			if volume.Name != mount.Name || volume.Secret == nil {
				continue
			}
			secret := get[core.Secret](tb, p.c, "/api/v1/namespaces/"+p.pod.Namespace+"/secrets/"+volume.Secret.SecretName)
			for name, value := range secret.Data {
				writeFile(tb, filepath.Join(root, mount.MountPath, name), value, 0o644)
			}
		}
	}
	return root
}

// await returns when a probe has succeeded, asked in its own period. A container without that probe needs none.
func (one *container) await(tb testing.TB, kind string, probe *core.Probe) {
	tb.Helper()
	if probe == nil {
		return
	}
	failures, successes := 0, int32(0)
	for {
		if err := one.probe(tb.Context(), probe); err == nil {
			if successes++; successes >= max(probe.SuccessThreshold, 1) {
				one.probes = append(one.probes, kind)
				return
			}
		} else if failures++; kind == "startup" && failures > int(max(probe.FailureThreshold, 3)) || failures > 100 {
			tb.Fatalf("%s probe of %s: %v\n%s", kind, one.spec.Name, err, one.logText())
		}
		select {
		case <-one.exited:
			tb.Fatalf("%s ended before its %s probe succeeded: %v\n%s", one.spec.Name, kind, one.cmd.ProcessState, one.logText())
		case <-time.After(100 * time.Millisecond): // sooner than the period, which is for clusters
		}
	}
}

// probe asks once.
func (one *container) probe(ctx context.Context, probe *core.Probe) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if probe.TCPSocket != nil {
		connection, err := new(net.Dialer).DialContext(ctx, "tcp", one.address(probe.TCPSocket.Port))
		if err != nil {
			return err
		}
		return connection.Close()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+one.address(probe.HTTPGet.Port)+probe.HTTPGet.Path, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s: %s", probe.HTTPGet.Path, response.Status)
	}
	return nil
}

// address is where a port listens that is given by number or by name.
func (one *container) address(port intstr.IntOrString) string {
	number := port.IntValue()
	if number == 0 {
		number = one.port(port.StrVal)
	}
	return "127.0.0.1:" + strconv.Itoa(number)
}

// port is the number of a port by its name, 0 where the container has none of that name.
func (one *container) port(name string) int {
	for _, port := range one.spec.Ports {
		if port.Name == name {
			return int(port.ContainerPort)
		}
	}
	return 0
}

func (one *container) logText() string {
	text, err := os.ReadFile(one.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// named returns the container of that name.
func (p *runningPod) named(tb testing.TB, name string) *container {
	tb.Helper()
	for _, one := range p.containers {
		if one.spec.Name == name {
			return one
		}
	}
	tb.Fatalf("no container %s in %s", name, p.pod.Name)
	return nil
}

// behind returns the URL to which a Service's only port leads in this pod.
func (p *runningPod) behind(tb testing.TB, service core.Service) string {
	tb.Helper()
	for label, value := range service.Spec.Selector {
		if p.pod.Labels[label] != value {
			tb.Fatalf("Service %s selects %v, the pod has %v", service.Name, service.Spec.Selector, p.pod.Labels)
		}
	}
	target := service.Spec.Ports[0].TargetPort
	port := target.IntValue()
	for _, one := range p.containers {
		if port == 0 {
			port = one.port(target.StrVal)
		}
	}
	if port == 0 {
		tb.Fatalf("no container has the port %s of Service %s", target.String(), service.Name)
	}
	return "http://127.0.0.1:" + strconv.Itoa(port)
}

// stop ends the pod as a node does: its containers, then its native sidecars. It may be called twice.
func (p *runningPod) stop(tb testing.TB) {
	tb.Helper()
	grace := 30 * time.Second
	if s := p.pod.Spec.TerminationGracePeriodSeconds; s != nil {
		grace = time.Duration(*s) * time.Second
	}
	for _, native := range []bool{false, true} {
		for _, one := range slices.Backward(p.containers) {
			if one.native != native {
				continue
			}
			_ = one.cmd.Process.Signal(syscall.SIGTERM)
			select {
			case <-one.exited:
			case <-time.After(grace):
				tb.Errorf("%s did not end within %v", one.spec.Name, grace)
				_ = one.cmd.Process.Kill()
				<-one.exited
			}
			if tb.Failed() {
				tb.Logf("%s:\n%s", one.spec.Name, one.logText())
			}
		}
	}
	p.containers = nil
}

// reportReady makes the Deployment see its pod.
func (p *runningPod) reportReady(tb testing.TB) {
	tb.Helper()
	now := meta.Now()
	status := core.PodStatus{Phase: core.PodRunning, StartTime: &now}
	for _, kind := range []core.PodConditionType{core.PodScheduled, core.PodInitialized, core.ContainersReady, core.PodReady} {
		status.Conditions = append(status.Conditions, core.PodCondition{Type: kind, Status: core.ConditionTrue, LastTransitionTime: now})
	}
	p.c.setStatus(tb, p.pod, status)
}

// environmentOf is a container's environment as the kubelet makes it: of ConfigMaps and Secrets, later ones before earlier ones, then
// what the container names itself. It is sorted.
func (c *cluster) environmentOf(tb testing.TB, pod core.Pod, spec core.Container) []string {
	tb.Helper()
	environ := map[string]string{}
	for _, from := range spec.EnvFrom {
		switch {
		case from.ConfigMapRef != nil:
			maps.Copy(environ, get[core.ConfigMap](tb, c, "/api/v1/namespaces/"+pod.Namespace+"/configmaps/"+from.ConfigMapRef.Name).Data)
		case from.SecretRef != nil:
			for name, value := range get[core.Secret](tb, c, "/api/v1/namespaces/"+pod.Namespace+"/secrets/"+from.SecretRef.Name).Data {
				environ[name] = string(value)
			}
		}
	}
	for _, v := range spec.Env {
		switch from := v.ValueFrom; {
		case from == nil:
			environ[v.Name] = v.Value
		case from.SecretKeyRef != nil:
			secret := get[core.Secret](tb, c, "/api/v1/namespaces/"+pod.Namespace+"/secrets/"+from.SecretKeyRef.Name)
			environ[v.Name] = string(secret.Data[from.SecretKeyRef.Key])
		case from.ResourceFieldRef != nil && from.ResourceFieldRef.Resource == "limits.memory":
			limit := spec.Resources.Limits[core.ResourceMemory]
			environ[v.Name] = strconv.FormatInt(limit.Value(), 10)
		default:
			text, _ := json.Marshal(v)
			tb.Fatalf("no value for %s", text)
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(environ)) {
		all = append(all, name+"="+strings.TrimSuffix(environ[name], "\n"))
	}
	return all
}
