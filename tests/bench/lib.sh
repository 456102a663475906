# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # what the benchmarks set, and use
# What the benchmarks share: medians, a table's lines, the same as JSON lines.
# A figure that is not reached is no failure; one that cannot be measured is.
set -euo pipefail

tdstat=${TDSTAT:-build/tdstat} perf=${PERF:-perf} json=${BENCH_JSON:-/dev/null}
built=${tdstat%/*}/tests/bench # the programs among the benchmarks

die() {
	echo "bench: $*" >&2
	exit 1
}

need() {
	local tool

	for tool; do
		command -v "$tool" >/dev/null || die "no $tool here: nothing is measured"
	done
}

# percentile P: of the numbers on standard input
percentile() {
	sort -g | awk -v p="$1" '{ v[NR] = $1 } END { i = int(NR * p / 100); print v[i < 1 ? 1 : i] }'
}

median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

list() { local IFS=,; echo "[$*]"; }

title() {
	printf '%-56s %18s %9s %9s %6s  %s\n' what 'to reach' tdstat perf ratio reached
}

footer() { echo '"no" is a figure that is not reached, which is no failure: the exit status is 0'; }

# line WHAT GOAL OURS THEIRS RATIO REACHED UNIT: one of the table; "-": none.
# The raw values are in the arrays ours and theirs.
line() {
	printf '%-56s %18s %9s %9s %6s  %s\n' "$1, $7" "$2" "$3" "$4" "$5" "$6"
	printf '{"what":"%s","unit":"%s","to_reach":"%s","tdstat":%s,"perf":%s,"ratio":%s,"reached":%s,"tdstat_raw":%s,"perf_raw":%s}\n' \
		"$1" "$7" "$2" "$3" "${4/#-/null}" "${5/#-/null}" \
		"$([ "$6" = yes ] && echo true || echo false)" \
		"$(list "${ours[@]}")" "$(list "${theirs[@]}")" >>"$json"
}

# holds A OP B: yes, or no
holds() {
	awk -v a="$1" -v op="$2" -v b="$3" 'BEGIN {
		print (op == "<=" && a + 0 <= b + 0 || op == ">=" && a + 0 >= b + 0 ||
			op == "=" && a + 0 == b + 0) ? "yes" : "no"
	}'
}

# beside WHAT UNIT RATIO: at most so much of perf's, in ours and theirs
beside() {
	local a b ratio

	a=$(median "${ours[@]}") b=$(median "${theirs[@]}")
	ratio=$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", a / b }')
	line "$1" "<= $3 of perf's" "$a" "$b" "$ratio" "$(holds "$ratio" '<=' "$3")" "$2"
}

# within WHAT UNIT OP LIMIT: by itself; theirs, if there is any, beside it
within() {
	local a b=- ratio=-

	a=$(median "${ours[@]}")
	if [ ${#theirs[@]} -gt 0 ]; then
		b=$(median "${theirs[@]}")
		ratio=$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", a / b }')
	fi
	line "$1" "$3 $4" "$a" "$b" "$ratio" "$(holds "$a" "$3" "$4")" "$2"
}

# field N COMMAND...: of what spend says: 1 CPU time in us, 2 elapsed, 3 KB
field() {
	local n=$1 said

	shift
	said=$("$built/spend" "$@") || die "$* failed"
	cut -d' ' -f"$n" <<<"$said"
}
