#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# A processor without a PMU.
# machine: none

load helper

@test "no PMU: why, what to do, and nothing run" {
	emulated
	for how in '' -a '-C 0' '-a -I 100' --dry-run 'record -o td.json'; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr "$TDSTAT" $how -- touch ran
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
