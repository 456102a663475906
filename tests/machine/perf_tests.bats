#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# perf's own tests of "perf stat", with tdstat in perf's place (tests/perf/run).
# machine: spr --smp 8,sockets=2,cores=2,threads=2
# release: adl

load helper

# The kernel rewrites itself for the first event of some kinds and after the
# last one, which the emulator may not survive: of each, one stays open until
# this process ends.
setup_file() {
	[ "$TD_MACHINE" != here ] || return 0
	"$TDSTAT" -e task-clock,cs,migrations,faults tail -s 0.2 -f /dev/null --pid=$$ \
		>/dev/null 2>&1 3>&- &
	sleep 1
}

# perf_test NAME [MAY_SKIP]: what the test asks for is there, but for a part or so
perf_test() {
	"$BATS_TEST_DIRNAME/../perf/run" --may-skip "${2:-^$}" \
		"$BATS_TEST_DIRNAME/../../build/perf-tests/tools/perf/tests/shell" "$1"
}

# perf 6.12 itself refuses --no-merge there, without -a.
@test "stat.sh" {
	perf_test stat.sh '^Topdown weak groups'
}

@test "stat+std_output.sh" {
	perf_test stat+std_output.sh
}

@test "stat+csv_output.sh" {
	perf_test stat+csv_output.sh
}

@test "stat+csv_summary.sh" {
	perf_test stat+csv_summary.sh
}

@test "stat+json_output.sh" {
	perf_test stat+json_output.sh
}

@test "stat+shadow_stat.sh" {
	[ ! -e /sys/bus/event_source/devices/cpu_atom ] || skip "it does not know hybrid machines"
	perf_test stat+shadow_stat.sh
}
