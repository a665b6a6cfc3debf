#!/bin/sh
# Reads what a chart renders and writes it with the gateway in its pods.
#   Helm 3: helm upgrade --install RELEASE CHART --post-renderer path/to/add-gateway.sh
#   Helm 4: helm plugin install path/to/this/folder; helm upgrade --install RELEASE CHART --post-renderer tomtom-mcp-gateway
set -eu
here=$(cd -P "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/examples"
cp -R "$here/../../kustomize" "$work/kustomize"
cp -R "$here" "$work/examples/post-renderer"
cat >"$work/examples/post-renderer/labelled/all.yaml"
kubectl kustomize "$work/examples/post-renderer"
