#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# A processor without a PMU.
# machine: none

load helper

@test "no PMU: the reason, the remedy, and the command runs" {
	emulated
	for how in '' -a '-C 0' '-a -I 100' 'record -o td.json'; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr "$TDSTAT" $how -- sh -c 'echo said; exit 3'
		[ "$output" = said ]
		[[ ${stderr_lines[0]} == "tdstat: "*PMU* ]]
		recorded=
		[ "${how%% *}" != record ] || recorded=' or recording'
		[ "${stderr_lines[2]}" = "tdstat: running sh without counting$recorded" ]
		grep -qE '^ +[0-9.]+ msec task-clock ' <<<"$stderr"
		grep -qE '^ +[0-9.]+ seconds time elapsed$' <<<"$stderr"
		[ ! -e td.json ]
	done
	for how in --require '--require -a' --dry-run 'record --require -o td.json'; do
		# shellcheck disable=SC2086
		run --separate-stderr "$TDSTAT" $how -- touch ran
		[ "$status" = 125 ] || [ "$how$status" = --dry-run1 ]
		assert_two_lines
		[[ ${stderr_lines[0]} == *PMU* ]]
		[ ! -e ran ]
		[ ! -e td.json ]
	done
	run -1 --separate-stderr "$TDSTAT" -p $$
	assert_two_lines
}

@test "a recording can be shown without one" {
	recording=$BATS_TEST_DIRNAME/../data/alderlake.jsonl
	[ -e "$recording" ] || skip "no recording"
	run -0 --separate-stderr "$TDSTAT" report -i "$recording" -x,
	[[ $output == *,cpu_core,* ]]
}
