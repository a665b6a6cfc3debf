package chart_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// apiClient trusts the certificate that the API server made for itself.
var apiClient = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

// request asks the API server and returns its status and answer; 0 where there is none.
func (c *cluster) request(tb testing.TB, method, path, contentType string, body []byte) (int, []byte) {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), method, c.server+path, bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := apiClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, answer
}

func (c *cluster) text(tb testing.TB, path string) string {
	tb.Helper()
	_, answer := c.request(tb, http.MethodGet, path, "", nil)
	return string(answer)
}

// get reads an object. The test ends where it is not there.
func get[T any](tb testing.TB, c *cluster, path string) T {
	tb.Helper()
	status, answer := c.request(tb, http.MethodGet, path, "", nil)
	var object T
	if err := json.Unmarshal(answer, &object); status != http.StatusOK || err != nil {
		tb.Fatalf("%s: %d %v %s", path, status, err, answer)
	}
	return object
}

// service reads a Service.
func (c *cluster) service(tb testing.TB, namespace, name string) core.Service {
	tb.Helper()
	return get[core.Service](tb, c, "/api/v1/namespaces/"+namespace+"/services/"+name)
}

// pods are those of a namespace with the labels that nobody has asked to end.
func (c *cluster) pods(tb testing.TB, namespace string, selector map[string]string) []core.Pod {
	tb.Helper()
	query := "?labelSelector=" + url.QueryEscape(labels.SelectorFromSet(selector).String())
	list := get[core.PodList](tb, c, "/api/v1/namespaces/"+namespace+"/pods"+query)
	return slices.DeleteFunc(list.Items, func(p core.Pod) bool { return p.DeletionTimestamp != nil })
}

// podOf waits for the pod of a Deployment that is as the Deployment now says. Where none comes, what the API server had against it
// is shown.
func (c *cluster) podOf(tb testing.TB, namespace, deployment string) core.Pod {
	tb.Helper()
	var found core.Pod
	var last apps.Deployment
	tb.Cleanup(func() {
		if tb.Failed() && found.Name == "" {
			tb.Logf("%s: %+v", deployment, last.Status.Conditions)
		}
	})
	within(tb, "a pod of "+deployment, func() bool {
		last = get[apps.Deployment](tb, c, "/apis/apps/v1/namespaces/"+namespace+"/deployments/"+deployment)
		if last.Status.ObservedGeneration < last.Generation {
			return false
		}
		revision := last.Annotations["deployment.kubernetes.io/revision"]
		sets := get[apps.ReplicaSetList](tb, c, "/apis/apps/v1/namespaces/"+namespace+"/replicasets")
		for _, set := range sets.Items {
			if len(set.OwnerReferences) == 0 || set.OwnerReferences[0].UID != last.UID ||
				set.Annotations["deployment.kubernetes.io/revision"] != revision {
				continue
			}
			if pods := c.pods(tb, namespace, set.Spec.Selector.MatchLabels); len(pods) > 0 {
				found = pods[0]
				return true
			}
		}
		return false
	})
	return found
}

// setStatus says of a pod what a node would say.
func (c *cluster) setStatus(tb testing.TB, pod core.Pod, status core.PodStatus) {
	tb.Helper()
	body, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		tb.Fatal(err)
	}
	path := "/api/v1/namespaces/" + pod.Namespace + "/pods/" + pod.Name + "/status"
	if code, answer := c.request(tb, http.MethodPatch, path, "application/merge-patch+json", body); code != http.StatusOK {
		tb.Fatalf("status of %s: %d %s", pod.Name, code, answer)
	}
}

// remaining lists the objects of a release in a namespace, those of cluster-wide kinds among them.
func (c *cluster) remaining(tb testing.TB, namespace, release string) []string {
	tb.Helper()
	kinds := "deployments,replicasets,pods,services,configmaps,serviceaccounts,ingresses,networkpolicies,poddisruptionbudgets," +
		"horizontalpodautoscalers,mutatingadmissionpolicies,mutatingadmissionpolicybindings"
	out := run(tb.Context(), c.environment(tb), nil, tool(tb, kubectl), "get", kinds, "--namespace", namespace,
		"--selector", "app.kubernetes.io/instance="+release, "--output", "name")
	if out.err != nil {
		tb.Fatalf("%v %s", out.err, out.stderr)
	}
	return slices.DeleteFunc(strings.Fields(out.stdout), func(name string) bool {
		return strings.HasPrefix(name, "mutatingadmissionpolic") && !strings.Contains(name, "."+namespace+".") // another namespace's
	})
}
