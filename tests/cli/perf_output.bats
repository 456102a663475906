#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat report of files of perf stat -x and -j: the counts must be those of
# perf's own lines.

# shellcheck disable=SC2154 # helper.bash
load helper

report() {
	"$TDSTAT" report -i "$data/perf-$1" "${@:2}"
}

# counts FILE SEPARATOR: perf's lines that have a count, without what follows the
# percentage; times without 6.1's blanks
counts() {
	sed -e '/^#/d; /^$/d; s/^ *//; s/<not counted>/none/' "$data/perf-$1" |
		awk -F "$2" -v OFS=, '{ n = match($1, /\.[0-9]+$/) && RLENGTH == 10 ? 6 : 5 }
			$(n - 4) != "" && $(n - 2) ~ /[a-z]/ { NF = n; $1 = $1; print }'
}

# comes_back FILE SEPARATOR
comes_back() {
	counts "$@" >want
	report "$1" -x, | sed 's/<not counted>/none/' | awk -F, -v OFS=, -v n="$(
		awk -F, 'NR == 1 { print NF }' want)" '{ NF = n; print }' >got
	[ -s want ]
	diff -u want got
}

# ids_come_back FILE SEPARATOR: the same of files with ids, in any order; not how
# many CPUs an id has: the recording has one for it
ids_come_back() {
	awk -F "$2" -v OFS=';' '/^(S|CPU)/ { at = /^S/ ? 3 : 2
		print $1, $at, $(at + 1), $(at + 2), $(at + 3), $(at + 4) }' "$data/perf-$1" |
		LC_ALL=C sort >want
	report "$1" -x ';' | awk -F ';' -v OFS=';' '/^(S|CPU)/ { at = /^S/ ? 3 : 2
		print $1, $at, $(at + 1), $(at + 2), $(at + 3), $(at + 4) }' |
		LC_ALL=C sort >got
	[ -s want ]
	diff -u want got
}

# --- what perf counted comes back -----------------------------------------------

@test "6.1, -I, semicolons" { comes_back 6.1-interval.csv ';'; }
@test "6.12, hybrid, events that took turns" { comes_back 6.12-hybrid.csv ,; }
@test "6.12, the default events, and metrics between" { comes_back 6.12-default.csv ,; }

@test "JSON is what -x would have been" {
	jq -r '"\(."counter-value" | tonumber | . * 100 | round / 100) \(.event)"' \
		"$data/perf-6.12-total.jsonl" >want
	report 6.12-total.jsonl -j |
		jq -r '"\(."counter-value" | tonumber | . * 100 | round / 100) \(.event)"' >got
	[ -s want ]
	diff -u want got
}

@test "the intervals of JSON have their times" {
	grep -o '"interval" : [0-9.]*' "$data/perf-6.1-interval.jsonl" | tr -d ' ' | uniq >want
	report 6.1-interval.jsonl -j | grep -o '"interval" *: *[0-9.]*' | tr -d ' ' | uniq >got
	[ "$(wc -l <want)" -eq 3 ]
	diff -u want got
}

@test "CPUs, cores, clusters, caches and sockets: as the file has them" {
	ids_come_back 6.12-cpu.csv ';'
	for of in core cluster cache socket; do
		ids_come_back 6.12-$of.csv ,
	done
}

@test "an event with a comma, for whole cores" {
	sed -n 's/^\(S[^,]*\),\([0-9]*\),.*/\1 \2 cpu\/cycles,percore\//p' \
		"$data/perf-6.12-percore.csv" >want
	report 6.12-percore.csv -x ';' | awk -F ';' '{ print $1, $3, $5 }' >got
	[ "$(wc -l <want)" -eq 4 ]
	diff -u want got
}

@test "-A of a file of -A" {
	report 6.12-cpu.csv -A -x, | cut -d, -f1-4 | LC_ALL=C sort >got
	awk -F ';' -v OFS=, '/^CPU/ { print $1, $2, $3, $4 }' "$data/perf-6.12-cpu.csv" |
		LC_ALL=C sort >want
	[ "$(wc -l <want)" -eq 16 ]
	diff -u want got
}

# --- aggregated again -----------------------------------------------------------

# again OPTION FILE ID...: perf's sums over the lines whose ids begin with ID
again() {
	local id

	for id in "${@:3}"; do
		sed -n "/^${id}[,-]/p" "$data/perf-$2" | awk -F, -v id="$id" '
			{ if (!($5 in sum)) order[nr++] = $5; sum[$5] += $3 }
			END { for (i = 0; i < nr; i++) printf "%s %s %.0f\n", id, order[i], sum[order[i]] }'
	done | LC_ALL=C sort >want
	report "$2" "$1" -x, | awk -F, '{ printf "%s %s %.0f\n", $1, $5, $3 }' | LC_ALL=C sort >got
	[ -s want ]
	diff -u want got
}

@test "--per-socket and --per-die of cores, clusters and caches" {
	for of in core cluster cache; do
		again --per-socket 6.12-$of.csv S0 S1
		again --per-die 6.12-$of.csv S0-D0 S1-D1
	done
}

@test "--per-core, --per-cluster and --per-cache of a file of the same" {
	again --per-core 6.12-core.csv S0-D0-C0 S0-D0-C1 S1-D1-C0 S1-D1-C1
	again --per-cluster 6.12-cluster.csv S0-D0-CLS0 S0-D0-CLS2 S1-D1-CLS4 S1-D1-CLS6
	again --per-cache 6.12-cache.csv S0-D0-L3-ID0 S1-D1-L3-ID4
}

@test "--per-core of sockets is refused" {
	try report 6.12-socket.csv --per-core
	[ "$status" -ne 0 ]
	assert_complains 'perf-6.12-socket.csv'
}

@test "--per-thread of threads" {
	report 6.12-thread.csv --per-thread -x, | cut -d, -f1-6 >got
	sed -n '/^sh-/p' "$data/perf-6.12-thread.csv" | cut -d, -f1-6 >want
	[ "$(wc -l <want)" -eq 2 ]
	diff -u want got
}

@test "cgroups keep their names" {
	report 6.12-cgroup.csv -x, | cut -d, -f1-4 >got
	sed -n '/,\/,/p' "$data/perf-6.12-cgroup.csv" | cut -d, -f1-4 >want
	[ "$(wc -l <want)" -eq 3 ]
	diff -u want got
}

# --- for people -----------------------------------------------------------------

@test "text: the events, and ratios computed anew" {
	try report 6.12-hybrid.csv
	[ "$status" -eq 0 ]
	assert_no_stderr
	assert_line --regexp '^ +94,821,518 +cpu_core/cycles/ +\(42\.00%\)$'
	assert_line --regexp '^ +1,259,249 +cpu_atom/branch-misses/ +# +6\.25% of all branches'
}

@test "text: the time is what perf's CPUs utilized say" {
	try report 6.12-total.jsonl
	[ "$status" -eq 0 ]
	# 1051.009052 ms on 7.920493 CPUs
	assert_line --regexp '^ +1,051\.01 msec task-clock +# +7\.920 CPUs utilized'
	assert_line --regexp '^ +0\.1326949[0-9]* seconds time elapsed'
}

@test "not supported, and not counted" {
	printf '<not supported>,,cycles,0,100.00,,\n<not counted>,,faults,0,100.00,,\n5,,cs,9,100.00,,\n' >file
	try "$TDSTAT" report -i file -x,
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == '<not supported>,,cycles,0,100.00,'* ]]
	[[ ${lines[1]} == '<not counted>,,faults,0,100.00,'* ]]
	[[ ${lines[2]} == 5,,cs,9,100.00,* ]]
}

@test "from a pipe" {
	"$TDSTAT" report -i - -x, <"$data/perf-6.12-hybrid.csv" >want
	# shellcheck disable=SC2002 # a pipe is what is tested
	cat "$data/perf-6.12-hybrid.csv" | "$TDSTAT" report -i - -x, >got
	[ -s want ]
	diff -u want got
	# shellcheck disable=SC2002
	cat "$data/alderlake.jsonl" | "$TDSTAT" report -i - >/dev/null
}

# --- what cannot be shown ---------------------------------------------------------

@test "metrics alone" {
	for file in 6.12-metric-only.csv 6.12-metric-only.jsonl 6.1-metric-only.jsonl; do
		try report $file
		[ "$status" -eq 1 ]
		assert_why_and_remedy 'only metrics, no counts' '--metric-only'
	done
}

@test "other lines between: which one, and what was expected" {
	{ cat "$data/perf-6.12-hybrid.csv"; echo 'make: done'; } >file
	try "$TDSTAT" report -i file
	[ "$status" -eq 1 ]
	assert_complains '^tdstat: file:20: .*expected value, unit, event'
}

@test "a program is no recording, and that is said" {
	printf '\177ELF\2\1\1\0\0\n' >program
	try "$TDSTAT" report program
	assert_failure 1
	assert_equal "$stderr" 'tdstat: program:1: this is neither a recording nor what perf stat wrote'
	printf '# begun\n1,2\0\n' >program
	try "$TDSTAT" report program
	assert_equal "$stderr" 'tdstat: program:2: a NUL byte, or more than 1 MiB'
}

@test "two runs in one file" {
	cat "$data/perf-6.12-hybrid.csv" "$data/perf-6.12-hybrid.csv" >file
	try "$TDSTAT" report -i file
	[ "$status" -eq 1 ]
	assert_complains '^tdstat: file:20: a second run'
}

@test "cut off: up to the last whole line, with a note" {
	head -c -40 "$data/perf-6.12-hybrid.csv" >file
	try "$TDSTAT" report -i file -x,
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 16 ]
	assert_complains 'file: no end line'
}

@test "--level and -M ask for a tree, which counts alone are none of" {
	try report 6.12-hybrid.csv -l 2
	[ "$status" -eq 64 ]
	assert_complains 'has events and no tree'
}

@test "thousands of events are read in a second, not in a minute" {
	not_under_sanitizers "which take the time"
	for ((interval = 1; interval <= 2; interval++)); do
		for ((i = 1; i <= 9000; i++)); do
			printf '%d.000000000,%d,,r%x,1000,100.00,,\n' "$interval" "$i" "$i"
		done
	done >many.csv
	# six seconds where each is looked for among all
	(ulimit -t 3 && "$TDSTAT" report many.csv -x, >out)
	assert_equal "$(grep -c . out)" 18000
	grep -q '^2.000000000,9000,,r2328,' out
}

@test "software events run as long as their tasks: rates are perf's, whatever times it wrote" {
	grep '^[0-9]' "$data/perf-6.12-cgroup.csv" >want
	grep -q ',K/sec' want
	assert_same "$(<want)" "$("$TDSTAT" report "$data/perf-6.12-cgroup.csv" -x, | grep '^[0-9]')"
}
