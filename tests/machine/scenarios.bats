#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The whole tree, down to the last level, where every event counts what makes each
# node known: beside another evaluator of the same formulas, and perf.
# machine: adl --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth
# release: spr --no-halt --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/sapphirerapids.truth
# machine: sprvm --no-halt --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/sapphirerapids.truth
# release: adlvm --no-halt --smp 4,sockets=1,cores=4,threads=1 --truth tests/emulator/scenarios/alderlake.truth
# release: iclvm --no-halt --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/icelakex.truth
# release: mtl --no-halt --sysctl kernel.kptr_restrict=2 --sysctl kernel.perf_cpu_time_max_percent=0 --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/meteorlake.truth
# release: lnl --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/lunarlake.truth
# release: skx --no-halt --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/skylakex.truth
# release: zen4 --no-halt --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/amdzen4.truth

load helper

# A part of the twelve suffices for each change, all of them for a release: one that waits
# for memory, one that does not, and one that is held up in the front end.
setup_file() {
	export PYTHONDONTWRITEBYTECODE=1
	[ "$TD_MACHINE" != here ] || return 0
	some=(dram_latency ports icache)
	[ -z "$TD_EVERYTHING" ] || some=()
	PERF=$PERF python3 "$BATS_TEST_DIRNAME/scenarios.py" measure "$BATS_FILE_TMPDIR" "${some[@]}"
}

# scenarios WHAT: see scenarios.py
scenarios() {
	emulated
	run python3 "$BATS_TEST_DIRNAME/scenarios.py" "$1" "$BATS_FILE_TMPDIR"
	echo "# $TD_MACHINE: ${lines[-1]}" >&3
	[ "$status" -eq 0 ]
}

@test "every node is within half a point of the truth, two where groups take turns" {
	scenarios values
}

@test "the children of a sum add up to it" {
	scenarios sums
}

@test "the deepest marked node is that of the scenario's name" {
	scenarios bottleneck
}

@test "perf's levels 1 and 2 are the same" {
	[ "$TD_MACHINE" != lnl ] || skip "perf 6.12 has no metrics for Lunar Lake"
	[[ $TD_MACHINE != *vm ]] || skip "perf needs PERF_METRICS"
	perf_or_skip
	scenarios perf
}

@test "perf's nodes that take retire latencies are within two points of the truth" {
	[ "$TD_MACHINE" = mtl ] || skip "the files' formulas take none"
	perf_or_skip
	scenarios latencies
}
