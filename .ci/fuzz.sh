#!/usr/bin/env bash
# Runs every fuzz target of the module for a while, one after the other: go test -fuzz takes one at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
fuzztime=${1:-5s}
fittertime=${2:-$fuzztime} # for the fitter, whose input is whatever an upstream sends
output=$(mktemp)
trap 'rm -f "$output"' EXIT

fuzz() { # fuzz PACKAGE TARGET
	local time=$fuzztime
	[[ $1 != */fitter ]] || time=$fittertime
	go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" "$1" </dev/null 2>&1 | tee "$output" | grep -v '^fuzz: '
}

packages=$(go list -f '{{.ImportPath}} {{.Dir}} {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}' ./...)
while read -r package dir files; do
	[[ -n $files ]] || continue
	# shellcheck disable=SC2086 # names of Go files hold no spaces
	for target in $(cd "$dir" && sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $files); do
		echo "fuzz $package $target"
		if ! fuzz "$package" "$target"; then
			# On a busy machine go test can take the end of its own time for a failure. It found something only if it
			# names an input.
			grep -q 'context deadline exceeded' "$output" && ! grep -q 'Failing input' "$output" || exit 1
			echo "once more: go test ran out of time"
			fuzz "$package" "$target"
		fi
	done
done <<<"$packages"
