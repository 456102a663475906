#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Contents of samples: precise ones have the retire latencies, from which perf computes
# metrics, and those of a group the counts of all its members.  Perf stat gives perf record
# three seconds to begin: without kallsyms it is faster, and the kernel, for which the
# emulator is slow, must not take fewer samples.
# release: gnr --no-halt --sysctl kernel.kptr_restrict=2 --sysctl kernel.perf_cpu_time_max_percent=0 --smp 2,sockets=1,cores=2,threads=1 --truth tests/machine/samples.truth:locks
# release: mtl --no-halt --sysctl kernel.kptr_restrict=2 --sysctl kernel.perf_cpu_time_max_percent=0 --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/meteorlake.truth:page_walks

load helper

NEWEST=$BATS_TEST_DIRNAME/../../build/emulator/perf-newest
EVENTS=(MEM_INST_RETIRED.{LOCK_LOADS,SPLIT_STORES,STLB_HIT_LOADS})

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	[[ $TD_MACHINE_ARGS =~ --truth\ ([^ :]*):([^ ]*) ]]
	truth=$BATS_TEST_DIRNAME/../../${BASH_REMATCH[1]} scenario=${BASH_REMATCH[2]}
	pmu=cpu
	[ "$TD_MACHINE" != mtl ] || pmu=cpu_core
}

newest() {
	TD_PERF_SERIES=newest "$PERF" "$@"
}

# of_truth WORD NAME FIELD: of the line of the scenario that has this name
of_truth() {
	awk -v scenario="$scenario" -v word="$1" -v name="$2" -v field="$3" '
	$1 == "scenario" { here = $2 == scenario }
	$1 == "kind" { core = $2 == "core" }
	here && core && $1 == word && (name == "" || $5 == name) { print $field; exit }' "$truth"
}

# near VALUE WANTED PER_CENT
near() {
	awk -v v="$1" -v wanted="$2" -v error="$3" 'BEGIN {
		off = v - wanted
		if (off < 0)
			off = -off
		exit !(v != "" && wanted > 0 && off <= wanted * error / 100) }' || {
		echo "$1 is not $2"
		return 1
	}
}

# latencies_of PERF ARGUMENT...: perf stat, once more if it found perf record, which it
# gives three seconds to begin, too slow.
latencies_of() {
	for _ in 1 2 3 4 5 6; do
		status=0
		"$1" stat --record-tpebs -o out "${@:2}" >log 2>&1 || status=$?
		cat log out
		grep -q timeout log || return "$status"
	done
	return 1
}

# value: print perf's value of a metric from its JSON lines.
value() {
	sed -nE 's/.*"metric-value" : "([^"]*)", "metric-unit" : "[^"]* '"$1"'".*/\1/p' out | tail -n 1
}

@test "precise records tell the retire latency of their event" {
	options=()
	for event in "${EVENTS[@]}"; do
		options+=(-e "$event:p")
	done
	newest record -q -a -W -c 20011 -o data "${options[@]}" sleep 1
	newest script -i data -F event,retire_lat | sort | uniq -c >latencies
	cat latencies
	for event in "${EVENTS[@]}"; do
		# one of a hundred thousand was seen with the latency of another event
		awk -v event="$event" -v wanted="$(of_truth latency "$event" 4)" '
		index($2, event) { if ($3 == wanted) right += $1; else wrong += $1 }
		END { exit !(right > 30 && wrong <= 1 + right / 1000) }' latencies
	done
}

# It has what perf record sampled at the end of its second interval only, and none
# of what other processes than its command did.
@test "the newest perf counts it" {
	events=$(printf '%s:R,' "${EVENTS[@]}")
	latencies_of newest -a -I 1000 --interval-count 3 -x, -e "${events%,}"
	for event in "${EVENTS[@]}"; do
		last=$(awk -F, -v event="$event" 'index($4, event) { last = $2 } END { print last }' out)
		near "$last" "$(of_truth latency "$event" 4)" 0
	done
}

# The newest perf cannot: it does not understand the "cpu_core/EVENT/name=NAME/p"
# that it gives to perf record.
@test "perf's metrics of a hybrid processor use these samples" {
	[ "$pmu" = cpu_core ] || skip "not a hybrid one"
	nodes=(tma_{lock_latency,dtlb_load,l3_hit_latency})
	python3 "$BATS_TEST_DIRNAME/../emulator/truth" --values --cpus 2,4 meteorlake "$truth" "$scenario" >wanted
	latencies_of "$PERF" -a -j -M "$(IFS=,; echo "${nodes[*]}")" sleep 2
	for node in "${nodes[@]}"; do
		near "$(value "$node")" "$(awk -v node="$node" '$1 == node { print $2 }' wanted)" 5
	done
}

@test "the newest perf's metrics are made of it" {
	[ "$pmu" = cpu ] || skip "a hybrid processor"
	latencies_of newest -a -I 1000 --interval-count 3 -j -M tma_lock_latency,tma_ret_mispredicts
	while read -r node event; do
		wanted=$(awk "BEGIN { print 100 * $(of_truth event "$event" 4) * $(of_truth latency "$event" 4) }")
		near "$(value "$node")" "$wanted" 5
	done <<-TEXT
		tma_lock_latency MEM_INST_RETIRED.LOCK_LOADS
		tma_ret_mispredicts BR_MISP_RETIRED.RET_COST
	TEXT
}

# It may find perf record too slow; and where there are two such events, it may fail
# at a sample of the one that it closed first.
@test "the newest perf's own test" {
	for _ in 1 2 3 4 5 6; do
		run env PATH="$NEWEST:$PATH" bash "$NEWEST/usr/lib/perf-core/tests/shell/test_stat_intel_tpebs.sh"
		[ "$status" -ne 0 ] || return 0
		echo "$output"
		[[ $output == *"piped event processing failed"* || $output == *timeout* ]]
	done
	false
}

# Perf 6.12 cannot do this if the PMU is named: it tries to sample topdown-retiring.
@test "a group whose second member is sampled tells the counts of all" {
	group="{$pmu/slots/,$pmu/cycles/,$pmu/topdown-retiring/,$pmu/topdown-bad-spec/}:S"
	newest record -q -a -c 10000000 -e "$group" -o data sleep 1
	newest script -i data -F event,period | awk '
	{ split($2, words, "/"); sum[words[2]] += $1; n[words[2]]++ }
	END {
		print sum["slots"] / sum["cycles"]
		print 100 * sum["topdown-retiring"] / sum["slots"]
		print 100 * sum["topdown-bad-spec"] / sum["slots"]
		print n["cycles"]
	}' >sums
	cat sums
	{ read -r slots; read -r retiring; read -r bad; read -r samples; } <sums
	near "$slots" 6 0.1
	near "$retiring" "$(of_truth metrics "" 2)" 2
	near "$bad" "$(of_truth metrics "" 3)" 4
	[ "$samples" -gt 10 ]
}
