#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# td_read() in programs whose scenarios are known (regions.c), and in benchmarks.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth
# release: spr --smp 2,sockets=1,cores=2,threads=1 --truth tests/emulator/scenarios/sapphirerapids.truth
# release: skx --smp 2,sockets=1,cores=2,threads=1 --truth tests/emulator/scenarios/skylakex.truth
# machine: none

# shellcheck disable=SC2154 # stderr, of run
load helper
load nobody

MACHINE=${TDSTAT%/*}/tests/machine
PROGRAM=$MACHINE/regions

export PYTHONDONTWRITEBYTECODE=1

# kinds: print the PMU and a CPU of each core type, one line each
kinds() {
	case $TD_MACHINE in
	adl) printf '%s\n' 'cpu_core 0' 'cpu_atom 3' ;;
	*) echo 'cpu 0' ;;
	esac
}

levels_or_skip() {
	[[ $TD_MACHINE == @(adl|spr) ]] || skip "no level 1"
}

# is FILE PMU: dram and icache are each what they are, within a point
is() {
	sed -i "s/cpu_core/$([ "$2" = cpu ] && echo cpu || echo cpu_core)/" "$1"
	for scenario in dram:dram_latency icache:icache; do
		TD_ERRORS=1 TD_NEAR=1 python3 "$BATS_TEST_DIRNAME/own.py" is "$1" "$2" "${scenario#*:}" "${scenario%:*}"
	done
}

# ipc FILE ID WANTED: within 2 %
ipc() {
	command jq -s -e --arg id "$2" --argjson want "$3" '[.[] | select(.id == $id and has("ipc")).ipc / $want] |
		length == 1 and .[0] > 0.98 and .[0] < 1.02' "$1"
}

# truth_ipc SCENARIO KIND: print the rate of fixed counter 0, the instructions per cycle
truth_ipc() {
	awk -v scenario="$1" -v kind="$2" '
		$1 == "scenario" { in_it = $2 == scenario }
		$1 == "kind" { of_kind = $2 == kind }
		in_it && of_kind && $1 == "fixed" && $2 == 0 { print $3; exit }' \
		"$BATS_TEST_DIRNAME/../emulator/scenarios/$(sed -n 's/.*scenarios\/\(.*\.truth\).*/\1/p' <<<"$TD_MACHINE_ARGS")"
}

@test "level 1 and IPC of long intervals, and of many short ones together" {
	levels_or_skip
	while read -r pmu cpu; do
		kind=core
		[ "$pmu" != cpu_atom ] || kind=atom
		taskset -c "$cpu" "$PROGRAM" read 1 200000 >long
		taskset -c "$cpu" "$PROGRAM" read 300 500 >short
		for file in long short; do
			is "$file" "$pmu"
			ipc "$file" dram "$(truth_ipc dram_latency $kind)"
			ipc "$file" icache "$(truth_ipc icache $kind)"
		done
	done < <(kinds)
}

# On a busy host, too, which takes CPUs away between two reads of the kernel.
@test "no interval is without cycles: the thread worked in it" {
	levels_or_skip
	taskset -c 0 "$PROGRAM" read 20000 40 >out
	cat out
	grep -F '"ipc"' out
	run ! grep -F -e still -e lost out
}

@test "the same by read(), and within tdstat regions" {
	levels_or_skip
	while read -r pmu cpu; do
		GLIBC_TUNABLES=glibc.pthread.rseq=0 taskset -c "$cpu" "$PROGRAM" read 100 1000 >out
		is out "$pmu"
		taskset -c "$cpu" "$TDSTAT" regions -o ignored -- "$PROGRAM" read 300 500 >out
		is out "$pmu"
		# events that are not counted get no number
		run ! grep ipc out
		taskset -c "$cpu" "$TDSTAT" regions -e cycles,instructions -o ignored -- "$PROGRAM" read 10 500 >out
		grep -F '"ipc"' out
		run ! grep '"value":[0-9-]' out
	done < <(kinds)
}

@test "a thread that moves: the sum of both kinds, and how much is of each" {
	[ "$TD_MACHINE" = adl ] || skip "one kind of core"
	"$PROGRAM" read-moving 1 100000 >out
	# by the time of each: 6 slots at 3 GHz, and 5 at 2 GHz or what the truth has
	command jq -s -e '.[-1] | .atom > 0.2 * .slots and .atom < 0.6 * .slots' out
	# backend bound is between that of both
	command jq -s -e '[.[] | select(.metric == "tma_backend_bound").value] | length == 1 and .[0] > 69 and .[0] < 72.1' out
}

@test "each thread, and a child of fork(), has its own" {
	levels_or_skip
	"$PROGRAM" readers 20 5000 4 >out
	[ "$(command jq -s '[.[] | select(.metric == "tma_backend_bound" and .value > 68 and .value < 73)] | length' out)" -eq 4 ]
	taskset -c 0 "$PROGRAM" read-fork 1 100000 >out
	command jq -s -e '[.[] | select(.id == "child" and .metric == "tma_frontend_bound").value][0] > 40' out
	command jq -s -e '[.[] | select(.id == "parent" and .metric == "tma_backend_bound").value][0] > 60' out
}

@test "without the right to count the kernel, user space; without any right, the reason" {
	[ "$TD_MACHINE" != none ] || skip "nothing is counted"
	as_nobody 2 "$PROGRAM" read 1 100000 >out
	grep -F '"ipc"' out
	run ! grep lost out
	as_nobody 3 "$PROGRAM" read 1 1000 >out
	[ "$(grep -c '"lost":1,"why":"Permission denied"' out)" -eq 2 ]
	[ "$(wc -l <out)" -eq 2 ]
}

@test "a processor without level 1: only IPC; without a PMU no values" {
	case $TD_MACHINE in
	skx)
		taskset -c 0 "$PROGRAM" read 1 100000 >out
		ipc out dram "$(truth_ipc dram_latency core)"
		[ "$(grep -c '"value":null' out)" -eq 8 ]
		;;
	none)
		"$PROGRAM" read 3 100 >out
		[ "$(grep -c '"lost":3,"why":"No such device"' out)" -eq 2 ]
		[ "$(wc -l <out)" -eq 2 ]
		;;
	*) skip "it has level 1" ;;
	esac
}

# near VALUE WANTED POINTS
near() {
	awk -v got="$1" -v want="$2" -v by="$3" 'BEGIN { exit !(got > want - by && got < want + by) }'
}

@test "google-benchmark shows level 1 and IPC as counters" {
	[ -x "$MACHINE/benchmark" ] || skip "no google-benchmark"
	taskset -c 0 "$MACHINE/benchmark" --benchmark_min_time=0.2 --benchmark_format=json 2>/dev/null >out
	[ "$(command jq '.benchmarks | length' out)" -eq 3 ]
	if [ "$TD_MACHINE" = none ]; then
		run ! grep -F -e retiring -e IPC out
		return
	fi
	near "$(command jq '.benchmarks[1].IPC' out)" "$(truth_ipc icache core)" 0.02
	levels_or_skip
	# each field of PERF_METRICS as the truth has it, but for dropped uops
	near "$(command jq '.benchmarks[0]["backend_bound%"]' out)" "$(truth_field dram_latency 4)" 1
	near "$(command jq '.benchmarks[0]["retiring%"]' out)" "$(truth_field dram_latency 1)" 1
	near "$(command jq '.benchmarks[1]["frontend_bound%"]' out)" "$(truth_field icache 3)" 1
	near "$(command jq '.benchmarks[1]["bad_speculation%"]' out)" "$(truth_field icache 2)" 1
	near "$(command jq '.benchmarks[2]["backend_bound%"]' out)" "$(truth_field dram_latency 4)" 1
}

# truth_field SCENARIO N: in percent
truth_field() {
	awk -v scenario="$1" -v n="$2" '
		$1 == "scenario" { in_it = $2 == scenario }
		in_it && $1 == "metrics" { print $(n + 1); exit }' \
		"$BATS_TEST_DIRNAME/../emulator/scenarios/$(sed -n 's/.*scenarios\/\(.*\.truth\).*/\1/p' <<<"$TD_MACHINE_ARGS")"
}

# shown BENCHMARK WHAT: of its line on standard error
shown() {
	sed -nE "s/^$1:.* ([0-9.]+) ?$2( .*|\$)/\1/p" <<<"$stderr"
}

@test "Catch2 has a line of them for each benchmark" {
	[ -x "$MACHINE/catch" ] || skip "no Catch2"
	run -0 --separate-stderr taskset -c 0 "$MACHINE/catch" --benchmark-samples 10 --benchmark-no-analysis
	if [ "$TD_MACHINE" = none ]; then
		[ -z "$stderr" ]
		return
	fi
	near "$(shown icache IPC)" "$(truth_ipc icache core)" 0.05
	levels_or_skip
	near "$(shown dram '% retiring')" "$(truth_field dram_latency 1)" 1
	near "$(shown dram '% backend bound')" "$(truth_field dram_latency 4)" 1
	near "$(shown icache '% frontend bound')" "$(truth_field icache 3)" 1
}
