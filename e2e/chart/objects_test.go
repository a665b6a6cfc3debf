package chart_test

import (
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	gateways "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"
)

// strict decodes objects by Kubernetes' own types and refuses members that these do not have, and members that stand twice.
var strict = func() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		core.AddToScheme, apps.AddToScheme, autoscaling.AddToScheme, policy.AddToScheme, networking.AddToScheme,
		admissionregistration.AddToScheme, monitoring.AddToScheme, gateways.Install,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}()

// documents splits rendered text into its objects.
func documents(text string) []string {
	var all []string
	for doc := range strings.SplitSeq("\n"+text, "\n---") {
		for line := range strings.Lines(doc) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				all = append(all, doc)
				break
			}
		}
	}
	return all
}

// decode reads every object of rendered text.
func decode(tb testing.TB, text string) []runtime.Object {
	tb.Helper()
	var all []runtime.Object
	for _, doc := range documents(text) {
		object, _, err := strict.Decode([]byte(doc), nil, nil)
		if err != nil {
			tb.Errorf("%v in\n%s", err, doc)
			continue
		}
		all = append(all, object)
	}
	return all
}

// only returns the one object of its type in rendered text.
func only[T runtime.Object](tb testing.TB, text string) T {
	tb.Helper()
	var found []T
	for _, object := range decode(tb, text) {
		if one, ok := object.(T); ok {
			found = append(found, one)
		}
	}
	if len(found) != 1 {
		var none T
		tb.Fatalf("%d objects of type %T in\n%s", len(found), none, text)
	}
	return found[0]
}

// parse reads one YAML document into a value.
func parse[T any](tb testing.TB, text []byte) T {
	tb.Helper()
	var value T
	if err := yaml.UnmarshalStrict(text, &value); err != nil {
		tb.Fatalf("%v in\n%s", err, text)
	}
	return value
}
