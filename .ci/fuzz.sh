#!/usr/bin/env bash
# Runs every fuzz target of the module for a while, as many at a time as there are processors, each with one worker:
# the time of a target is its own, and no processor waits while the next one is built.
#
# usage: fuzz.sh [TIME] [TIME FOR THE FITTER]
set -euo pipefail
cd "$(dirname "$0")/.."

fuzz() { # fuzz PACKAGE TARGET TIME OUTPUT
	go test -run '^$' -fuzz "^$2\$" -fuzztime "$3" -parallel 1 "$1" </dev/null >"$4" 2>&1
}

# On a busy machine go test can take the end of its own time for a failure. It found something only if it names an input.
ran_out_of_time() { # ran_out_of_time OUTPUT
	grep -q 'context deadline exceeded' "$1" && ! grep -q 'Failing input' "$1"
}

fuzz_and_tell() { # fuzz_and_tell PACKAGE TARGET TIME
	local output status=0
	output=$(mktemp)
	fuzz "$@" "$output" || status=1
	if ((status)) && ran_out_of_time "$output"; then
		status=0
		fuzz "$@" "$output" || status=1
	fi
	# In one piece, so that targets that run side by side do not mix their lines.
	printf 'fuzz %s %s %s\n%s\n' "$1" "$2" "$3" "$(grep -v '^fuzz: elapsed' "$output")"
	rm -f "$output"
	return "$status"
}

targets() { # targets TIME FITTERTIME: lines of PACKAGE TARGET TIME
	local packages package dir files time
	packages=$(go list -f '{{.ImportPath}} {{.Dir}} {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}' ./...)
	while read -r package dir files; do
		[[ -n $files ]] || continue
		time=$1
		[[ $package != */fitter ]] || time=$2 # its input is whatever an upstream sends
		# shellcheck disable=SC2086 # names of Go files hold no spaces
		(cd "$dir" && sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(.*|$package \1 $time|p" $files)
	done <<<"$packages"
}

if [[ ${1:-} == --one ]]; then
	fuzz_and_tell "$2" "$3" "$4"
else
	time=${1:-5s}
	targets "$time" "${2:-$time}" | xargs -P "$(nproc)" -L 1 "$0" --one
fi
