#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Retire latencies, which tdstat samples while it counts: the true ones, and those of the
# newest perf; and messages if there are no samples.
# machine: mtl --no-halt --sysctl kernel.kptr_restrict=2 --sysctl kernel.perf_cpu_time_max_percent=0 --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/meteorlake.truth:page_walks
# release: mtl --no-halt --no-pebs --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/meteorlake.truth:page_walks

load helper

EVENTS=(MEM_INST_RETIRED.{LOCK_LOADS,SPLIT_LOADS,STLB_HIT_LOADS} MEM_LOAD_RETIRED.L3_HIT)
NODES=tma_lock_latency,tma_split_loads,tma_dtlb_load,tma_l3_hit_latency

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	[[ $TD_MACHINE_ARGS =~ --truth\ ([^ :]*):([^ ]*) ]]
	truth=$BATS_TEST_DIRNAME/../../${BASH_REMATCH[1]} scenario=${BASH_REMATCH[2]}
	no_pebs=
	[[ $TD_MACHINE_ARGS != *--no-pebs* ]] || no_pebs=1
}

# The P-core's latency of an event in the truth file.
wanted() {
	awk -v scenario="$scenario" -v name="$1" '
	$1 == "scenario" { here = $2 == scenario }
	$1 == "kind" { core = $2 == "core" }
	here && core && $1 == "latency" && $5 == name { print $4; exit }' "$truth"
}

# samples_of EVENT FILE: print "MEAN NUMBER" from the event's last line in a recording
samples_of() {
	jq -rs --arg event "cpu_core/$1/" 'map(select(.latencies | objects) | .latencies[$event]) | last |
		"\(.[0] / .[1]) \(.[1])"' "$2"
}

# all_equal FILE EVENT...: are the means of a recording the truth's, within 1 % or $percent?
all_equal() {
	local mean nr file=$1

	for event in "${@:2}"; do
		read -r mean nr <<<"$(samples_of "$event" "$file")"
		echo "$event: $mean of $nr, not $(wanted "$event")"
		awk -v mean="$mean" -v nr="$nr" -v wanted="$(wanted "$event")" -v percent="${percent:-1}" 'BEGIN {
			off = 100 * (mean - wanted) / wanted
			exit !(nr >= 30 && off * off <= percent * percent) }'
	done
}

# value NODE FILE: of JSON
value() {
	grep '^{' "$2" | jq -r --arg node "$1" 'select(.metric == $node and .pmu == "cpu_core") | .value' | tail -n 1
}

# all_true FILE: are the nodes what their formulas make of the truth's counts and latencies?
all_true() {
	python3 "$BATS_TEST_DIRNAME/../emulator/truth" --values --cpus 2,4 meteorlake "$truth" "$scenario" >values
	for node in ${NODES//,/ }; do
		awk -v value="$(value "$node" "$1")" -v wanted="$(awk -v node="$node" '$1 == node { print $2 }' values)" \
			-v node="$node" 'BEGIN {
			print node ": " value ", not " wanted
			off = value - wanted
			exit !(wanted > 0 && off * off <= wanted * wanted / 400) }'
	done
}

@test "on CPUs: latencies and nodes are the true ones" {
	[ -z "$no_pebs" ] || skip "no samples"
	"$TDSTAT" record -a --cputype core -M $NODES -j -o rec -- sleep 5 2>printed
	# other programs that start on these CPUs have other latencies
	percent=5 all_equal rec "${EVENTS[@]}"
	all_true printed
}

@test "the newest perf has the same latencies" {
	[ -z "$no_pebs" ] || skip "no samples"
	newest_or_skip
	typed=$(printf '%s:R,' "${EVENTS[@]}")
	# so long that a busy host, too, leaves thirty samples of each
	"$TDSTAT" -a -x, -o ours -e "${typed%,}" -- sleep 10
	for _ in 1 2 3 4 5 6; do
		TD_PERF_SERIES=newest "$PERF" stat --record-tpebs -o out -a -I 1000 --interval-count 3 -x, \
			-e "${typed%,}" 2>log || true
		grep -q timeout log || break
	done
	cat log out ours
	for event in "${EVENTS[@]}"; do
		theirs=$(awk -F, -v event="$event" 'index($4, event) { last = $2 } END { print last }' out)
		ours=$(awk -F, -v event="$event" 'index($3, event) { print $1 }' ours)
		[ "$ours" = "$theirs" ]
		[ "$ours" = "$(wanted "$event")" ]
	done
}

@test "a command and its children" {
	[ -z "$no_pebs" ] || skip "no samples"
	"$TDSTAT" record --cputype core -M $NODES -j -o rec -- taskset -c 0,1 sh -c "$WORK; $WORK; $WORK" 2>printed
	# a few records of processes that begin have no latency
	percent=5 all_equal rec "${EVENTS[@]}"
	"$TDSTAT" record --cputype core -M tma_lock_latency -o rec -- taskset -c 0,1 sh -c "sh -c '$WORK' & sh -c '$WORK'; wait"
	percent=5 all_equal rec MEM_INST_RETIRED.LOCK_LOADS
}

@test "a process that runs, in intervals: each has a line of its own" {
	[ -z "$no_pebs" ] || skip "no samples"
	taskset -c 0 sh -c "$WORK_ON" 3>&- &
	wait_for_file running
	"$TDSTAT" record --cputype core -M tma_lock_latency -p $! -I 500 --interval-count 4 -j -o rec &>printed
	touch end
	all_equal rec MEM_INST_RETIRED.LOCK_LOADS
	[ "$(jq -s 'map(select(.latencies | objects)) | length' rec)" -eq 4 ]
	grep '^{' printed >rows
	[ "$(jq -s 'map(select(.metric == "tma_lock_latency" and .value)) | length' rows)" -ge 3 ]
	"$TDSTAT" report rec -j >reported
	diff <(jq -c '[.time, .metric, .value]' rows) <(jq -c '[.time, .metric, .value]' reported)
}

@test "typed events with R: live, in rows of CPUs, in intervals and from the recording" {
	[ -z "$no_pebs" ] || skip "no samples"
	"$TDSTAT" record -a -A -I 3000 --interval-count 2 -e "MEM_INST_RETIRED.LOCK_LOADS:R,cpu_core/cycles/" -x, -o rec >printed
	grep LOCK_LOADS printed >rows
	cat rows
	[ "$(wc -l <rows)" -eq 2 ]
	[ "$(grep -c ',CPU0,20,' rows)" -eq 2 ]
	"$TDSTAT" report rec -x, | diff printed -
}

@test "-l auto samples once it comes to such a node" {
	[ -z "$no_pebs" ] || skip "no samples"
	"$TDSTAT" record -a -l auto -o rec -- sleep 5
	percent=5 all_equal rec MEM_INST_RETIRED.STLB_HIT_LOADS
	"$TDSTAT" report rec -j >reported
	python3 "$BATS_TEST_DIRNAME/../emulator/truth" --values --cpus 2,4 meteorlake "$truth" "$scenario" >values
	awk -v value="$(value tma_dtlb_load reported)" -v wanted="$(awk '$1 == "tma_dtlb_load" { print $2 }' values)" \
		'BEGIN { exit !(value > wanted - 2 && value < wanted + 2) }'
}

@test "latencies are not sampled unless they are needed" {
	for options in '-l 2' '-M tma_lock_latency,tma_retiring --no-record-tpebs'; do
		# shellcheck disable=SC2086
		"$TDSTAT" record -a -v --cputype core $options -o rec -- sleep 0.2 2>printed
		[ "$(jq -s 'map(select(.latencies | objects)) | length' rec)" -eq 0 ]
		! grep -q 'cycles, [0-9]* samples' printed
	done
}

@test "latencies with too few samples have no value, with the reason" {
	"$TDSTAT" -a -j --cputype core -M tma_contested_accesses,tma_retiring -- sleep 0.2 2>printed
	cat printed
	[ "$(value tma_contested_accesses printed)" = null ]
	[ "$(value tma_retiring printed)" != null ]
	grep -q '"why":"[^"]*fewer than 30 samples' printed
}

@test "without PEBS there is a note, and all other metrics have values" {
	[ -n "$no_pebs" ] || skip "there is PEBS"
	"$TDSTAT" -a -j --cputype core -M tma_lock_latency,tma_retiring -- sleep 1 2>printed
	cat printed
	grep -q '^tdstat: retire latencies are not sampled' printed
	[ "$(value tma_lock_latency printed)" = null ]
	[ "$(value tma_retiring printed)" != null ]
}
