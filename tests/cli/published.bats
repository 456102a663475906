#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat report of what perf stat wrote, as a tree: counts of real processors were
# published with the metrics that perf printed for them (tests/data/README), which
# the tree of the counts must equal to the last printed digit.

# shellcheck disable=SC2154 # helper.bash
load helper

setup_file() {
	export LC_ALL=C
}

published() {
	sed -n 's/^# published: //p' "$data/published/$1.csv"
}

# wanted FILE KINDS [NAME...]: kind,pmu,metric,percent lines of these kinds; not of
# another group's counts (@), nor the names
wanted() {
	published "$1" | awk -F, -v kinds="$2" -v without="${*:3}" '
		$1 ~ "^(" kinds ")$" && $2 !~ /@/ && index(" " without " ", " " $3 " ") == 0'
}

# agrees FILE KINDS OPTIONS [NAME...]: without the names, which others have a reason for
agrees() {
	local file=$data/published/$1.csv names

	wanted "$1" "$2" "${@:4}" >want
	[ -s want ]
	names=$(cut -d, -f3 want | sort -u | paste -sd,)
	# shellcheck disable=SC2086 # options
	"$TDSTAT" report $3 -j -M "$names" "$file" >got.json
	jq -r 'select(.value != null) | "\(.pmu),\(.metric),\(.value)"' got.json >got
	awk -F, 'NR == FNR { got[$1 "," $2] = $3; next }
		{ key = $2 "," $3; d = got[key] - $4; if (d < 0) d = -d
		  # what was printed has one decimal; more in JSON
		  if (!(key in got) || d > ($4 ~ /\.[0-9][0-9]/ ? 0.00051 : 0.0501)) {
			print key ": " got[key] ", published " $4; bad = 1 } }
		END { exit bad }' got want
}

# model FILE: --model of the processor that was published
model() {
	echo "--model $(sed -n 's/^# cpuid: //p' "$data/published/$1.csv")"
}

# with_model FILE [NAME...]
with_model() {
	agrees "$1" metrics "$(model "$1")" "${@:2}"
}

@test "deeper levels of counts without what corrects level 1: it is all there, as without -l" {
	file=$data/published/adl-core-L5.csv
	shown() {
		"$TDSTAT" report "$@" -j "$file" --model alderlake 2>/dev/null |
			jq -r 'select(.level == 1 and .value != null) | "\(.metric) \(.value * 100 | round)"' | sort
	}
	assert_equal "$(shown | wc -l)" 4
	assert_same "$(shown)" "$(shown -l 5 --all)"
	assert_same "$(shown)" "$(shown -M TopdownL1)"
}

@test "a file that does not tell its time: none, not 0" {
	file=$data/published/spr-L1-true.csv
	"$TDSTAT" report "$file" -j | jq -es 'length == 4 and all(.time == null and .value != null)'
	assert_equal "$("$TDSTAT" report "$file" -x, | sed -n 2p | cut -d, -f1,2)" ',all'
}

# --- level 1 and 2 of each processor ----------------------------------------------

@test "Alder Lake, both kinds of core" {
	for file in adl-hybrid-L1-a adl-hybrid-L1-b adl-hybrid-L1-perf6.16; do
		with_model $file
	done
}

@test "Alder Lake, two groups with slots: those of the first" {
	with_model adl-hybrid-L1-two-groups
}

@test "Alder Lake's P-cores" {
	with_model adl-core-L1-command
	with_model adl-core-L2-json
}

@test "fields over their sum, as perf computed them once: no model is needed" {
	for file in adl-core-L2-legacy adl-core-L2-2022 adl-core-L2-one-read \
		spr-L2-2021 gnr-99 tgl-multiplexed-sum; do
		agrees $file legacy ""
	done
}

@test "Sapphire Rapids, names without PMU, :u" {
	for file in spr-L1-true spr-host spr-guest spr-sched-host; do
		with_model $file
	done
}

@test "Ice Lake and Tiger Lake" {
	with_model tgl-L1-a-csv
	with_model icl-L1-memcpy
	# the excerpt lacks the events of the others
	with_model tgl-json tma_backend_bound tma_frontend_bound tma_bad_speculation
}

@test "Arrow Lake: no metric files, and both kinds of core" {
	with_model arl-hybrid-L1
}

@test "the metrics of one program, and its mispredicted branches" {
	with_model adl-hybrid-lab-mispredict
	with_model adl-hybrid-lab-lookup
}

# --- deeper levels, from the files ---------------------------------------------------

@test "a metric of level 3 or 4 alone" {
	with_model rpl-clears-resteers
}

@test "level 5: what was counted beside both threads of the cores" {
	# perf opened WALK_ACTIVE twice, and used the other one
	with_model adl-core-L5 tma_store_stlb_hit tma_load_stlb_hit
}

@test "AMD's pipeline" {
	# perf took the cycles of another group
	with_model zen4-L2-lab bad_speculation_mispredicts
}

# --- what is shown without being asked for ----------------------------------------------

# level_1 FILE PMU [OPTION...]: retiring,backend,frontend,bad
level_1() {
	"$TDSTAT" report -x, "${@:3}" "$data/published/$1.csv" |
		awk -F, -v pmu="$2" '$3 == pmu { print $8 "," $9 "," $10 "," $11 }'
}

@test "without options: level 1, or 2 if its fields were counted" {
	[ "$(level_1 adl-hybrid-L1-a cpu_core)" = 34.13,35.71,19.75,10.41 ]
	# perf printed 12.2 38.4 34.2 15.1; of E-cores the width must be known
	[ -z "$(level_1 adl-hybrid-L1-a cpu_atom 2>err)" ]
	grep -q 'cpu_atom is not shown: --model' err
	[ "$(level_1 adl-hybrid-L1-a cpu_atom --model alderlake)" = 12.22,38.43,34.22,15.13 ]
	try "$TDSTAT" report "$data/published/gnr-99.csv"
	assert_success
	assert_no_stderr
	assert_line --regexp '^ +71\.9 ±0\.[0-9] %  tma_retiring '
	assert_line --regexp '^ +69\.9 ±0\.[0-9] %  tma_light_operations'
	assert_line --regexp '^ +8\.2 ±0\.[0-9] %  tma_memory_bound'
}

@test "the share of the time is kept, and a sum that cannot be is marked" {
	try "$TDSTAT" report "$data/published/tgl-multiplexed-sum.csv"
	assert_line --regexp '^ cpu, counted 81\.9 % of the time$'
	assert_line '  ? cannot be: level 1 is not all of the slots'
}

@test "--no-tree: the events" {
	try "$TDSTAT" report --no-tree "$data/published/gnr-99.csv"
	assert_success
	assert_no_stderr
	assert_line --regexp '^ +329,813,157,222 +slots '
	refute_output --partial tma_
}

fields='topdown-retiring topdown-bad-spec topdown-fe-bound topdown-be-bound'

# rows [OPTION...]: of file, pmu and level 1
rows() {
	"$TDSTAT" report -x, "$@" file | sed 1d | cut -d, -f3,8-11
}

# write NAME...: slots is 400, the others 100 each
write() {
	for name; do
		case $name in
		*slots*) printf '400,,%s,1000,100.00,,\n' "$name" ;;
		*) printf '100,,%s,1000,100.00,,\n' "$name" ;;
		esac
	done >file
}

@test "names with and without PMU and modifiers" {
	quarter=25.00,25.00,25.00,25.00
	# shellcheck disable=SC2086 # words
	{
		write slots $fields
		[ "$(rows)" = cpu,$quarter ]
		write slots:u ${fields// /:u }:u
		[ "$(rows)" = cpu,$quarter ]
		write cpu/slots/ cpu/${fields// //\ cpu/}/
		[ "$(rows)" = cpu,$quarter ]
		write cpu_core/slots/k cpu_core/${fields// //k\ cpu_core/}/k
		[ "$(rows)" = cpu_core,$quarter ]
		write 'slots [cpu_core]' cpu_core/${fields// //\ cpu_core/}/
		[ "$(rows)" = cpu_core,$quarter ]
	}
}

@test "the four without slots: shares of their sum" {
	# shellcheck disable=SC2086 # words
	write $fields
	[ "$(rows)" = cpu,25.00,25.00,25.00,25.00 ]
}

@test "-j, -I and -A: the rows of perf" {
	for n in 1 2; do
		for cpu in 0 1; do
			for name in slots $fields; do
				printf '{"interval" : %d.000000000, "cpu" : "%d", "counter-value" : "%d.000000", "unit" : "", "event" : "%s", "event-runtime" : 5000, "pcnt-running" : 50.00}\n' \
					"$n" "$cpu" $((100 * n)) "$name"
			done
		done
	done >file
	[ "$("$TDSTAT" report -x, file | cut -d, -f1-3,6,8 | tr '\n' ' ')" = "time,id,pmu,running,tma_retiring \
1.000000000,CPU0,cpu,50.00,25.00 1.000000000,CPU1,cpu,50.00,25.00 \
2.000000000,CPU0,cpu,50.00,25.00 2.000000000,CPU1,cpu,50.00,25.00 " ]
	[ "$("$TDSTAT" report -x, --total file | grep -c ,all,cpu,)" -eq 2 ]
}

@test "--model gives names a PMU that only one kind of core has" {
	write slots topdown-retiring topdown-bad-spec
	printf '100,,%s,1000,100.00,,\n' TOPDOWN_RETIRING.ALL TOPDOWN_FE_BOUND.ALL \
		TOPDOWN_BE_BOUND.ALL CPU_CLK_UNHALTED.CORE >file
	# 100 of 5 slots in each of 100 cycles, thrice; the rest is bad speculation
	[ "$(rows --model alderlake)" = cpu_atom,20.00,20.00,20.00,40.00 ]
}

# --- what does not suffice -------------------------------------------------------------------

# lacking WHY [OPTION...]: of file: the events, and one sentence
lacking() {
	try "$TDSTAT" report "${@:2}" file
	assert_success
	assert_output --partial "$first"
	refute_output --partial tma_
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"$1"* ]]
}

@test "events as before, and what is missing" {
	first=slots
	write slots topdown-retiring topdown-bad-spec topdown-be-bound
	lacking 'file: no tree, as cpu has no topdown-fe-bound: its events are shown'
	first=topdown-retiring
	write topdown-retiring topdown-bad-spec
	lacking 'no tree, as cpu has no slots'
	first=cpu_atom/TOPDOWN_RETIRING.ALL/
	write cpu_atom/TOPDOWN_RETIRING.ALL/ cpu_atom/TOPDOWN_BE_BOUND.ALL/
	lacking 'no tree without --model NAME, which says what core cpu_atom is'
	first=topdown-retiring
	# both kinds of core have these
	# shellcheck disable=SC2086
	write slots $fields
	lacking 'no tree, as both kinds of core have topdown-retiring' --model alderlake
	# perf could not count it
	write slots topdown-retiring topdown-bad-spec topdown-be-bound
	echo '<not supported>,,topdown-fe-bound,0,100.00,,' >>file
	lacking 'no topdown-fe-bound'
}

@test "-l and -M of what does not suffice, and a --model that there is not: errors" {
	write slots topdown-retiring
	try "$TDSTAT" report -M tma_retiring file
	[ "$status" -ne 0 ]
	write slots
	try "$TDSTAT" report --model alderlakk file
	assert_failure 64
	assert_why_and_remedy 'no such processor' alderlake
}
