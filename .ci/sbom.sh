#!/usr/bin/env bash
# Prints a gateway's bill of materials, CycloneDX: the Go modules in the binary, and the npm packages in what it embeds.
#   .ci/sbom.sh VERSION BINARY
set -euo pipefail
cd "$(dirname "$0")/.."
generator=$(e2e/kube/tool.sh github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod)
GOPROXY=off "$generator" bin -json -std -licenses -assert-licenses -noserial -notimestamp -version "$1" "$2" 2>/dev/null |
	CGO_ENABLED=0 go -C e2e/chart run ./sbom ../../widgets/THIRD_PARTY_LICENCES ../../cmd/gateway/demo/preview/page/THIRD_PARTY_LICENCES
