#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --no-multiplex: what the runs counted makes one tree, with every node as close
# to the truth as those of one group; and --bottlenecks, whose parts make a whole.
# machine: adl --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth
# release: spr --no-halt --smp 4,sockets=1,cores=4,threads=1 --truth tests/emulator/scenarios/sapphirerapids.truth

# shellcheck disable=SC2016,SC2154 # sh -c; what run sets
load helper

ACT=$BATS_TEST_DIRNAME/../../build/emulator/act

export PYTHONDONTWRITEBYTECODE=1

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	pmus=(cpu_core cpu_atom)
	[ -e /sys/bus/event_source/devices/cpu_core ] || pmus=(cpu)
}

# as_true [--errors] FILE PMU SCENARIO LEVEL CPUS: see nomultiplex.py
as_true() {
	run python3 "$BATS_TEST_DIRNAME/nomultiplex.py" "$@"
	echo "# $TD_MACHINE: ${lines[-1]}" >&3
	[ "$status" -eq 0 ]
}

# cpu_of PMU: one that it is on
cpu_of() {
	cut -d - -f 1 "/sys/bus/event_source/devices/$1/cpus" 2>/dev/null || echo 0
}

# sets OPTION...: how often the plan runs a command
sets() {
	"$TDSTAT" --dry-run "$@" -- true 2>/dev/null |
		sed -n 's/^--no-multiplex runs a command \([0-9]*\) times.*/\1/p'
}

@test "a command: every node is within half a point of the truth" {
	work='i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done'
	for pmu in "${pmus[@]}"; do
		"$ACT" -u dram_latency
		"$TDSTAT" -l 4 --all --no-multiplex --cputype "$pmu" -j -o out -- \
			taskset -c "$(cpu_of "$pmu")" sh -c "echo run >>started; $work"
		as_true out "$pmu" dram_latency 4 1
		[ "$(wc -l <started)" -eq "$(sets -l 4 --cputype "$pmu")" ]
		rm started
	done
}

@test "the machine while a command runs, with errors and the verdict" {
	"$ACT" -u ports
	"$TDSTAT" -l 3 --all --verdict --no-multiplex -a -j -o out -- sleep 3
	for pmu in "${pmus[@]}"; do
		as_true --errors out "$pmu" ports 3 "$(($(nproc) / ${#pmus[@]}))"
	done
	grep -q '"verdict":' out
}

@test "a command that works longer each time is noticed, once" {
	run --separate-stderr "$TDSTAT" -l 3 --no-multiplex --cputype "${pmus[-1]}" -o out -- \
		taskset -c "$(cpu_of "${pmus[-1]}")" sh -c 'end=$(cat end 2>/dev/null || echo 3000)
			echo $((end * 11 / 10)) >end
			i=0; while [ $i -lt "$end" ]; do i=$((i + 1)); done'
	[ "$status" -eq 0 ]
	[ "$(grep -c 'the runs differ by .* % in instructions (.* to .*)' <<<"$stderr")" -eq 1 ]
}

@test "--bottlenecks of all runs add up to 100 %, the largest is the scenario's" {
	"$ACT" -u dram_latency
	"$TDSTAT" --bottlenecks --no-multiplex -a -o out -- sleep 0.3
	cat out
	[ "$(grep -c ' in all$' out)" -eq "${#pmus[@]}" ]
	awk '/ in all$/ && ($1 < 99.5 || $1 > 100.5) { exit 1 }' out
	# the first of each PMU: what waits for memory
	grep -A 1 -E "^ cpu_core,|^ cpu( |,|$)" out | grep -q 'tma_info_bottleneck_cache_memory_latency'
	[ "${#pmus[@]}" -eq 1 ] || grep -A 1 '^ cpu_atom,' out | grep -q tma_resource_bound
}
