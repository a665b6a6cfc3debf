#!/usr/bin/env bash
# Builds a program of this module, unless that is done already, and prints where it is: beside Go's build cache, so that other
# checkouts find it. What the sources leave unsaid of their versions is said here; the chart asks for Kubernetes' version.
#   e2e/kube/tool.sh k8s.io/kubernetes/cmd/kube-apiserver
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export CGO_ENABLED=0 GOWORK=off GOFLAGS=-buildvcs=false
version=$(sed -n 's#^\tk8s.io/kubernetes \(v[0-9.]*\).*#\1#p' go.mod)
minor=$(cut -d . -f 2 <<<"$version")
flags="-s -w -X=k8s.io/component-base/version.gitVersion=$version"
for package in chartutil lint/rules; do
	flags+=" -X=helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X=helm.sh/helm/v3/pkg/$package.k8sVersionMinor=$minor"
done
program=$(dirname "$(go env GOCACHE)")/tomtom-mcp-gateway/kube/$(tr / - <<<"$1")
go build -ldflags "$flags" -o "$program" "$1" >&2
echo "$program"
