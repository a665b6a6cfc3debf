#!/usr/bin/env bash
# Builds other MCP proxies into a folder, each by its registry's own client and outside this module. Whatever cannot be built
# is skipped, and FOLDER/NAME.skipped says why.
set -uo pipefail
folder=$(realpath "${1:?usage: build.sh FOLDER}")

try() { # try NAME COMMAND...: a program called NAME in the folder, or the reason why there is none
	local name=$1
	shift
	[[ -x $folder/$name ]] && return
	rm -f "$folder/$name.skipped"
	echo "building $name" >&2
	if ! "$@" >"$folder/$name.log" 2>&1; then
		grep -v '^go: downloading' "$folder/$name.log" | tail -n 1 >"$folder/$name.skipped"
		[[ -s $folder/$name.skipped ]] || echo "building it takes too long" >"$folder/$name.skipped"
		echo "  skipped: $(<"$folder/$name.skipped")" >&2
	fi
}

go_program() { # go_program NAME PACKAGE VERSION
	GOFLAGS=-mod=mod GOBIN=$folder/gobin timeout 1500 go install "$2@$3" && ln -sf "gobin/$(basename "$2")" "$folder/$1"
}

npm_program() { # npm_program NAME PACKAGE VERSION
	timeout 300 npm install --silent --no-audit --no-fund --prefix "$folder/npm" "$2@$3" && ln -sf "npm/node_modules/.bin/$2" "$folder/$1"
}

mkdir -p "$folder"
try npm-mcp-proxy npm_program npm-mcp-proxy mcp-proxy 6.7.19
try tbxark-mcp-proxy go_program tbxark-mcp-proxy github.com/tbxark/mcp-proxy latest
try toolhive go_program toolhive github.com/stacklok/toolhive/cmd/thv v0.47.0 # later ones need Go 1.27
