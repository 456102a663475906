#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: regions
# The calls of a region by how long they took: their numbers and times are those of the
# program's own clock, and the slow ones are in the scenario that they were in.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth
# release: spr --smp 2,sockets=1,cores=2,threads=1 --truth tests/emulator/scenarios/sapphirerapids.truth

load helper

PROGRAM=${TDSTAT%/*}/tests/machine/regions
# Each call lasts long beside what its marks cost, which is not in its scenario.
CALLS=600 MICROSECONDS=490
FAST='one 410 - 614 us' SLOW='one 3.28 - 4.92 ms'

export PYTHONDONTWRITEBYTECODE=1

own() {
	TD_ERRORS=1 TD_NEAR=1 python3 "$BATS_TEST_DIRNAME/own.py" "$@"
}

# kinds: print "CPU PMU" for each core type
kinds() {
	if [ "${TD_MACHINE-}" = spr ]; then
		echo 0 cpu
	else
		printf '%s\n' '0 cpu_core' '3 cpu_atom'
	fi
}

# own_clock WHAT: calls and seconds, or seconds, as the program printed them
own_clock() {
	sed -n "s/^$1 //p" printed
}

# durations FILE FILTER: of the line with the durations
durations() {
	jq -r ".durations | select(.) | $2" "$1"
}

# near A B PERCENT
near() {
	awk -v a="$1" -v b="$2" -v percent="$3" 'BEGIN {
		print a, b
		exit !(a >= b * (1 - percent / 100) && a <= b * (1 + percent / 100))
	}'
}

# row FILE ID: "CALLS SECONDS"
row() {
	jq -r --arg id "$2" 'select(.id == $id and .metric == "tma_retiring") | "\(.calls) \(.seconds)"' "$1"
}

# is_as_printed FILE ID WHAT: nearly as many calls, and their mean within 2 %
is_as_printed() {
	local calls seconds own_calls own_seconds

	read -r calls seconds < <(row "$1" "$2")
	read -r own_calls own_seconds < <(own_clock "$3")
	near "$calls" "$own_calls" 5
	near "$(jq -n "$seconds / $calls")" "$(jq -n "$own_seconds / $own_calls")" 2
}

@test "two populations of calls, on each core type" {
	emulated
	while read -r cpu pmu; do
		taskset -c "$cpu" "$TDSTAT" regions --calls -j -o out -- "$PROGRAM" mixed $CALLS $MICROSECONDS >printed
		[ "$(durations out .calls)" -eq $CALLS ]
		[ "$(jq -s 'map(select(.metric == "tma_retiring" and .took_from and (.slow | not)).calls) | add' out)" -eq $CALLS ]
		is_as_printed out "$FAST" fast
		is_as_printed out "$SLOW" slow
		own is out "$pmu" icache "$FAST"
		own is out "$pmu" dram_latency "$SLOW"
		# a region is the same with and without its buckets
		[ "$(row out one | cut -d' ' -f1)" -eq $CALLS ]
	done < <(kinds)
}

# They are much longer than what a busy host makes of others.
@test "slow calls lose slots of the back end: their cause is named" {
	emulated
	taskset -c 0 "$TDSTAT" regions --calls -j -o out --record rec -- "$PROGRAM" mixed 160 7500
	durations out .slow
	[ "$(durations out '.slow.causes[0].node')" = tma_backend_bound ]
	[ "$(durations out '.slow.causes[0].clear')" = true ]
	durations out '[.slow.causes[].share] | add | . > 99.9 and . < 100.1' | grep -qx true
	# three of four are fast
	durations out '.p50 > 0.0074 and .p50 < 0.0085' | grep -qx true
	durations out '.p90 > 0.059 and .p90 < 0.08' | grep -qx true
	durations out '[.slowest[].seconds] | . == (sort | reverse) and length == 10' | grep -qx true
	durations out '.max == .slowest[0].seconds' | grep -qx true
	now=$(date +%s)
	durations out "[.slowest[].start | . > $now - 120 and . <= $now] | all" | grep -qx true
	"$TDSTAT" report -j rec | diff - out
}

@test "slow calls wait without a CPU: their wait is measured and named" {
	emulated
	taskset -c 0 "$TDSTAT" regions --calls -j -o out -- "$PROGRAM" asleep 120 2000 >printed
	# by the program's clock, the sleep lasts until it continues on a CPU, which the
	# host may stop
	waited=$(jq -s 'map(select(.metric == "tma_retiring" and .took_from and (.slow | not)) | .waited * .calls) | add' out)
	awk -v waited="$waited" -v slept="$(own_clock slept)" 'BEGIN {
		print waited, slept
		exit !(waited > 0.85 * slept && waited < 1.01 * slept)
	}'
	[ "$(durations out '.slow.causes[0].cause')" = "not running" ]
}

@test "threads, processes and one of four calls" {
	emulated
	"$TDSTAT" regions --calls -j -o out -- "$PROGRAM" threads 64 50 4
	durations out 'select(.function == "dram").calls' | grep -qx 256
	"$TDSTAT" regions --calls -j -o out -- "$PROGRAM" fork 64
	durations out 'select(.function == "dram").calls' | grep -qx 64
	run -137 "$TDSTAT" regions --calls -j -o out -- "$PROGRAM" kill 64
	durations out 'select(.function == "icache").calls' | grep -qx 64
	"$TDSTAT" regions --calls -j -o out -- "$PROGRAM" recursion 64 50
	durations out .calls | grep -qx 64
	"$TDSTAT" regions --calls --every 4 -j -o out -- "$PROGRAM" mixed 800 20
	skipped=$(jq -s 'map(select(.id == "one" and .metric == "tma_retiring").skipped)[0]' out)
	[ $(($(durations out .calls) + skipped)) -eq 800 ]
	[ "$skipped" -gt 500 ]
}
