#!/usr/bin/env bash
# Builds the container image for the given architectures into one OCI layout, dist/image/oci. Nothing is pulled, and nothing is left in
# the machine's own store.
#   .ci/image.sh VERSION REVISION amd64 arm64
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 revision=$2
shift 2

out=dist/image
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
builder=(buildah --root "$store/root" --runroot "$store/run" --storage-driver vfs)

rm -rf "$out"
mkdir -p "$out"
cp /etc/ssl/certs/ca-certificates.crt "$out/"
for arch; do
	folder=$out/linux/$arch
	mkdir -p "$folder"
	GOOS=linux GOARCH=$arch make build VERSION="$version" GATEWAY="$folder/gateway" >&2
	.ci/sbom.sh "$version" "$folder/gateway" >"$folder/sbom.cdx.json"
	"${builder[@]}" build --quiet --isolation chroot --platform "linux/$arch" --manifest gateway --timestamp "$(git log -1 --format=%ct)" \
		--build-arg VERSION="$version" --build-arg REVISION="$revision" --build-arg TARGETOS=linux --build-arg TARGETARCH="$arch" . >/dev/null
done
"${builder[@]}" manifest push --quiet --all gateway "oci:$out/oci:$version" >/dev/null
