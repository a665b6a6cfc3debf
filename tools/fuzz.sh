#!/usr/bin/env bash
# Runs every fuzz target of the module for a while, one after the other: go test -fuzz takes one at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
fuzztime=${1:-5s}

packages=$(go list -f '{{.ImportPath}} {{.Dir}} {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}' ./...)
while read -r package dir files; do
	[[ -n $files ]] || continue
	# shellcheck disable=SC2086 # names of Go files hold no spaces
	for target in $(cd "$dir" && sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $files); do
		echo "fuzz $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" "$package" </dev/null
	done
done <<<"$packages"
