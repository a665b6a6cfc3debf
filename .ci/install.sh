#!/usr/bin/env bash
# Installs one tool that the checks need, if this machine lacks it: golangci-lint and a new Node.js below bin/, what
# Debian has from Debian (as root). Versions are pinned here.
set -euo pipefail
cd "$(dirname "$0")/.."

golangci_lint=v2.15.0
node_oldest=22.19  # what the MCP Inspector asks for; Vite and TypeScript are content with 20.19
node_version=22    # installed where the machine's is older
npm_version=10

debian() { # debian PACKAGE...
	if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
		echo "please install: $* (this script does so only as root on Debian or Ubuntu)" >&2
		exit 1
	fi
	echo "installing $* from Debian" >&2
	{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } >&2
}

new_enough() { # new_enough VERSION OLDEST
	[[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

node_works() {
	command -v node >/dev/null && command -v npm >/dev/null && new_enough "$(node --version | tr -d v)" "$node_oldest"
}

case ${1:-} in
golangci-lint)
	if [[ $(bin/golangci-lint version --short 2>/dev/null) != "${golangci_lint#v}" ]]; then
		echo "building golangci-lint $golangci_lint; this takes some minutes once" >&2
		GOBIN=$PWD/bin go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$golangci_lint"
	fi
	;;
node)
	node_works && exit
	command -v npm >/dev/null || debian nodejs npm
	node_works && exit
	case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
	echo "installing Node.js $node_version below bin/node" >&2
	mkdir -p bin/node/bin
	npm install --silent --no-audit --no-fund --prefix bin/node "node-linux-$arch@$node_version" "npm@$npm_version" >&2
	ln -sf "../node_modules/node-linux-$arch/bin/node" bin/node/bin/node
	ln -sf ../node_modules/npm/bin/npm-cli.js bin/node/bin/npm
	ln -sf ../node_modules/npm/bin/npx-cli.js bin/node/bin/npx
	;;
chromium)
	command -v chromium >/dev/null || debian chromium
	;;
cc)
	command -v gcc >/dev/null || command -v cc >/dev/null || debian gcc libc6-dev
	;;
image)
	command -v buildah >/dev/null && [[ -s /etc/ssl/certs/ca-certificates.crt ]] || debian buildah ca-certificates
	;;
kube)
	if ! command -v etcd >/dev/null; then
		debian etcd-server
		service etcd stop >/dev/null 2>&1 || : # the tests start their own
	fi
	command -v curl >/dev/null || debian curl
	;;
*)
	echo "usage: .ci/install.sh golangci-lint|node|chromium|cc|image|kube" >&2
	exit 2
	;;
esac
