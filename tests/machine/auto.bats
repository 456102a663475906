#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -l auto finds what the machine waits for, and counts it for longer than -l 6 does.
# machine: adl --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth

load helper

ACT=$BATS_TEST_DIRNAME/../../build/emulator/act

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

# act SCENARIOS...: the command to count, on a P-core
act() {
	echo taskset -c 0 "$ACT" "$@"
}

# of FILE NODE MEMBER: of the first PMU
of() {
	python3 - "$@" <<-'PY'
		import json, sys
		file, node, member = sys.argv[1:]
		for line in open(file):
		    row = json.loads(line)
		    if row.get("pmu") in ("cpu", "cpu_core") and row.get("metric") == node:
		        print(row[member])
	PY
}

@test "the marked path is counted for three times as long as with -l 6" {
	for level in auto 6; do
		# shellcheck disable=SC2046 # words
		"$TDSTAT" -l $level -j -o "$level" -- $(act 6s:dram_latency)
	done
	for node in tma_dram_bound tma_mem_latency; do
		echo "# $TD_MACHINE: $node: $(of auto $node running) and $(of 6 $node running) %" >&3
		awk "BEGIN { exit !($(of auto $node running) >= 3 * $(of 6 $node running)) }"
		[ "$(of auto $node over_threshold)" = True ]
	done
	# their values are the same
	awk "BEGIN { d = $(of auto tma_mem_latency value) - $(of 6 tma_mem_latency value); exit d * d > 9 }"
	# what is not below it is not counted
	[ "$(of auto tma_divider value)" = None ]
	[ "$(of auto tma_icache_misses value)" = None ]
}

@test "a change of phase: both families are seen" {
	# shellcheck disable=SC2046 # words
	"$TDSTAT" record -l auto -o rec -- $(act 4s:dram_latency 4s:icache)
	"$TDSTAT" report -i rec -j -o out
	[ "$(of out tma_mem_latency value)" != None ]
	[ "$(of out tma_icache_misses value)" != None ]
	[ "$(of out tma_divider value)" = None ]
	# the shares of the time in which each was counted
	awk "BEGIN { exit !($(of out tma_mem_latency running) > 4 && $(of out tma_mem_latency running) < 40) }"
	awk "BEGIN { exit !($(of out tma_icache_misses running) > 4 && $(of out tma_icache_misses running) < 40) }"
	"$TDSTAT" report -i rec >text
	grep -q 'were not counted: --all shows all' text
	run ! grep -q tma_divider text
	"$TDSTAT" report -i rec --all -v 2>&1 | grep 'tma_divider .*the node above it was not over its threshold'
}

@test "in intervals, too, and the command's children" {
	"$ACT" -u dram_latency
	"$TDSTAT" -a -l auto -I 500 --interval-count 6 -j -o out
	[ "$(of out tma_mem_latency value | head -n 1)" = None ]
	[ "$(of out tma_mem_latency value | tail -n 1)" != None ]
	# shellcheck disable=SC2046 # words
	"$TDSTAT" -l auto -j -o child -- sh -c "$(act 3s:dram_latency); true"
	[ "$(of child tma_mem_latency over_threshold)" = True ]
}

@test "each thread, and each run of -r" {
	# the second thread begins while groups rest
	"$TDSTAT" -l auto --per-thread -j -o out -- taskset -c 0,1 "$ACT" -n 2 3s:dram_latency
	mapfile -t values < <(of out tma_dram_bound value)
	[ "${#values[@]}" -eq 2 ]
	for value in "${values[@]}"; do
		awk "BEGIN { exit !($value > 40 && $value < 60) }"
	done
	# shellcheck disable=SC2046 # words
	"$TDSTAT" -l auto -r 2 -j -o runs -- $(act 2s:dram_latency)
	[ "$(of runs tma_mem_latency over_threshold)" = True ]
}

@test "a short command has levels 1 and 2" {
	"$TDSTAT" -l auto -j -o out -- taskset -c 0 true
	[ "$(of out tma_memory_bound value)" != None ]
	[ "$(of out tma_dram_bound value)" = None ]
}
