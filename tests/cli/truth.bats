#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The truth that the emulated machine counts: the kernel tree's formulas, read
# by another evaluator, give what the tables beside the files want; and a file
# that does not hold is found out.

# shellcheck disable=SC2154 # helper.bash
load helper

emulator=$here/../emulator
scenarios=$emulator/scenarios
export PYTHONDONTWRITEBYTECODE=1

setup_file() {
	not_under_valgrind "no program of ours runs here"
	command -v python3 >/dev/null || skip "no python3"
}

truth() {
	try python3 "$emulator/truth" "$@"
}

# holds MODEL: the file that is kept
holds() {
	truth --check --quiet "$1" "$scenarios/$1.truth"
	echo "$output"
	assert_success
	assert_no_stderr
	[[ ${lines[-1]} == "$1: 12 scenarios, "*" nodes, 0 wrong" ]]
}

# holds_but MODEL SCENARIO...: all of the others do
holds_but() {
	local but=${*:2}

	truth --check --quiet "$1" "$scenarios/$1.truth"
	assert_no_stderr
	[[ ${lines[-1]} == "$1: 12 scenarios, "* ]]
	for line in "${lines[@]}"; do
		[[ " $but $1: " == *" ${line%% *} "* ]] || fail "$line"
	done
}

# broken MODEL SED-SCRIPT: the file that is kept, changed
broken() {
	sed "$2" "$scenarios/$1.truth" >broken.truth
	cmp -s "$scenarios/$1.truth" broken.truth && fail "nothing was changed"
	truth --check --quiet "$1" broken.truth
	assert_failure 1
}

# values FORMULA...: what the evaluator makes of those without events
values() {
	try python3 "$here/truth.py" value "$@"
	assert_success
}

# --- the files that are kept ------------------------------------------------------

@test "Alder Lake, both core types" { holds alderlake; }
@test "Lunar Lake, both core types" { holds lunarlake; }
@test "Meteor Lake, both core types" { holds meteorlake; }
@test "Sapphire Rapids" { holds sapphirerapids; }
@test "Skylake-SP" { holds skylakex; }
@test "Zen 4" { holds amdzen4; }
# the expected values contradict Ice Lake's formulas of memory_bound and ports
@test "Ice Lake-SP, all but two scenarios" { holds_but icelakex icache ports; }

@test "no file is left out" {
	IFS= read -rd '' text <"$here/truth.bats" || true
	for file in "$scenarios"/*.truth; do
		model=${file##*/}
		model=${model%.truth}
		[[ $text =~ $'\n@test '[^$'\n']*" { holds"(_but)?" $model"[\ \;] ]] || fail "$model"
	done
}

@test "every event of sysfs has a rate" {
	for model in alderlake lunarlake meteorlake sapphirerapids skylakex; do
		saved "$model"
		pairs+=("$scenarios/$model.truth" "${SYSFS_PATH%/sys}")
	done
	try python3 "$here/truth.py" sysfs "${pairs[@]}"
	assert_success
	assert_output ""
}

@test "a file is made again to the byte" {
	/usr/bin/python3 -c 'import scipy' 2>/dev/null || skip "no scipy"
	/usr/bin/python3 "$emulator/truth" amdzen4 2>/dev/null | cmp - "$scenarios/amdzen4.truth"
	/usr/bin/python3 "$emulator/truth" lunarlake 2>/dev/null | cmp - "$scenarios/lunarlake.truth"
}

# --- files that do not hold ---------------------------------------------------------

@test "a changed rate of the tree moves its node" {
	broken sapphirerapids '/ MEMORY_ACTIVITY.STALLS_L3_MISS$/ s/- [0-9.]*/- 0.1/'
	assert_line --partial "dram_latency core: tma_dram_bound is 10.00 %, not 48.00 %"
}

@test "a changed rate that no formula uses contradicts its rule" {
	broken skylakex '/ LOAD_HIT_PRE.SW_PF$/ s/- [0-9.]*/- 0.2/'
	assert_line --partial "balanced core: LOAD_HIT_PRE.SW_PF counts 0.2, by its rule 0.0001"
}

@test "an event without a rate, and one that the files do not have" {
	broken amdzen4 '/ EX_DIV_BUSY$/d; s/^event 76 .*/&\nevent fff - 1 NOTHING/'
	assert_line "divider core: no rate for EX_DIV_BUSY"
	assert_line "divider core: the files have no event fff"
}

@test "PERF_METRICS in other parts" {
	broken alderlake '0,/^metrics / s/^metrics [0-9.]*/metrics 50.00/'
	assert_line --partial "balanced core: PERF_METRICS: [127, 23,"
}

@test "a missing retire latency, and one that contradicts its rule" {
	broken meteorlake '/^latency .* MEM_LOAD_RETIRED.L3_HIT$/d
		s/^\(latency .*\) 20 MEM_INST_RETIRED.LOCK_LOADS$/\1 30 MEM_INST_RETIRED.LOCK_LOADS/'
	assert_line "ports core: no latency for MEM_LOAD_RETIRED.L3_HIT"
	assert_line "ports core: MEM_INST_RETIRED.LOCK_LOADS takes 30 cycles, not 20"
}

@test "an event that is nested in another cannot be the more frequent" {
	broken sapphirerapids '/ MEM_LOAD_RETIRED.L1_MISS$/ s/- [0-9.]*/- 5/'
	assert_line --partial "not MEM_LOAD_RETIRED.L1_MISS + MEM_LOAD_RETIRED.FB_HIT <= "
}

@test "a node above its parent" {
	broken skylakex '/ ARITH.DIVIDER_ACTIVE$/ s/- [0-9.]*/- 0.3/'
	assert_line --partial "l2_bound core: tma_divider is above tma_core_bound"
	assert_line --partial "ports core: tma_divider is 30.00 %, not 2.00 %"
}

@test "another node over its threshold, as far down as the bottleneck" {
	broken skylakex '/ UOPS_DISPATCHED_PORT.PORT_0$/ s/- [0-9.]*/- 0.4/'
	assert_line "balanced core: over their thresholds: ['tma_port_0'], not [] alone"
	assert_line "page_walks core: over their thresholds: ['tma_load_stlb_miss', 'tma_port_0'], not ['tma_load_stlb_miss'] alone"
}

@test "a scenario that is missing" {
	broken lunarlake '/^scenario ports$/,/^scenario retiring_vector$/ { /^scenario r/!d }'
	assert_line "ports core: is missing"
	assert_line "ports atom: is missing"
}

@test "a line without effect, and the file of another model" {
	echo "event 3c -" >broken.truth
	truth --check amdzen4 broken.truth
	assert_failure 1
	assert_equal "${stderr%%:*}" truth
	truth --check alderlake "$scenarios/amdzen4.truth"
	assert_failure 1
	assert_output "the file is of amdzen4"
}

# --- values ---------------------------------------------------------------------------

@test "--values: the four of level 1 are all slots, in per cent" {
	truth --values sapphirerapids "$scenarios/sapphirerapids.truth" dram_latency
	assert_success
	sum=0
	for line in "${lines[@]}"; do
		[[ ! $line =~ ^tma_(retiring|bad_speculation|frontend_bound|backend_bound)\ ([0-9.]+)$ ]] ||
			sum+=+${BASH_REMATCH[2]}
	done
	assert_regex "$sum" '^0(\+[0-9.]+){4}$'
	assert_equal "$(awk "BEGIN { print $sum }")" 100
	assert_line --regexp '^tma_mem_latency (36|36\.0.*|35\.9.*)$'
}

@test "--values: of one core type" {
	truth --values --kind atom alderlake "$scenarios/alderlake.truth" mispredict
	assert_success
	assert_line --regexp '^tma_branch_mispredicts (37|37\.0.*|36\.9.*)$'
	refute_line --partial tma_mem_latency
}

@test "--values: with the retire latencies of the file" {
	sed 's/^\(latency .*\) 20 MEM_INST_RETIRED.LOCK_LOADS$/\1 10 MEM_INST_RETIRED.LOCK_LOADS/' \
		"$scenarios/meteorlake.truth" >half.truth
	for file in "$scenarios/meteorlake.truth" half.truth; do
		truth --values meteorlake "$file" page_walks
		assert_success
		[[ $output =~ tma_lock_latency\ ([0-9.]+) ]]
		latencies+=("${BASH_REMATCH[1]}")
	done
	awk -v a="${latencies[0]}" -v b="${latencies[1]}" \
		'BEGIN { exit !(a > 0.1 && a / b > 1.999 && a / b < 2.001) }'
}

@test "--values --cpus: the frequency adds up the TSC of all CPUs, the rest stays" {
	truth --values --cpus 4,8 alderlake "$scenarios/alderlake.truth" dram_latency
	assert_success
	# 8 CPUs of 2.8 GHz
	assert_line --regexp '^tma_info_system_core_frequency (22\.4|22\.39999)'
	assert_line --regexp '^tma_mem_latency (36|36\.0.*|35\.9.*)$'
}

# --- the evaluator ----------------------------------------------------------------------
# tools/perf/util/expr.y: from loosest, | ^ & then < > then + - then * / %

@test "& binds looser than >, and if takes all before it" {
	values '2 > 1 & 0.2 > 0.1' '1 + 2 if 0 else 7 - 3 - 1' '1 + 2 * 3 < 7 | 1'
	assert_equal "${lines[*]}" '1 3 1'
}

@test "min, max, d_ratio, a division by zero" {
	values 'min(3, max(1, 2)) - -1' 'd_ratio(1, 0)' '1 / 0' '7 % 4 / 2'
	assert_equal "${lines[*]}" '3 0 nan 1.5'
}
