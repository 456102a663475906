#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# A processor that is newer than the kernel.
# machine: mtl --kernel 6.1

load helper

@test "a kernel that does not know the processor: both are named" {
	emulated
	[[ $(uname -r) == 6.1.* ]]
	for how in '' -a '-C 0' --dry-run; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr "$TDSTAT" $how -- touch ran
		assert_two_lines
		[[ ${stderr_lines[0]} == *"Meteor Lake"* ]]
		[[ ${stderr_lines[0]} == *"Linux $(uname -r)"* ]]
		[ ! -e ran ]
	done
}
