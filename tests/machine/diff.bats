#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat diff of two builds, which differ by five points of one node (diff.truth), on a
# machine whose rates walk by 3 %.  unit/diff_chance.c simulates how often it finds one
# point, and how often it finds a change where there is none.
# machine: spr --no-halt --noise 3,7 --smp 2,sockets=1,cores=2,threads=1 --truth tests/machine/diff.truth:old

# shellcheck disable=SC2154 # what run sets
load helper

act=$BATS_TEST_DIRNAME/../../build/emulator/act

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

@test "-r 10 runs both builds in turn, and finds it" {
	# the slots of a run are those of its time, which varies; on a busy host its
	# beginning, which is the same for both, is a larger part
	"$TDSTAT" diff -r 10 -l 2 -x, --per slots -o out -- "$act" 100ms:old : "$act" 100ms:new
	awk -F, '
		$4 == "tma_memory_bound" && $NF == 1 && $9 > 0.5 && $9 < 6 { found++ }
		$4 == "tma_core_bound" && $NF == 1 && $9 < -0.5 { found++ }
		END { exit found != 2 }' out
	run --separate-stderr "$TDSTAT" diff -- "$act" 50ms:old : "$act" 50ms:new
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[[ $stderr == *"act 50ms:new, 5 runs"* ]]
	[[ $stderr == *"slots per run"* ]]
	# the first words are of the time, whatever the host did to it
	[[ $stderr == *'B takes '*' time'* || $stderr == *'show no difference in time'* ||
		$stderr == *'No significant difference in time'* ]]
	[[ $stderr == *"cpu tma_retiring "* ]]
	[[ $stderr != *tma_memory_bound* ]]
}

@test "--fail-above of commands that are run" {
	limit=tma_memory_bound:0.3
	run -0 --separate-stderr "$TDSTAT" diff -r 5 -l 2 --fail-above $limit -- "$act" 100ms:new : "$act" 100ms:old
	run -1 --separate-stderr "$TDSTAT" diff -r 10 -l 2 --fail-above $limit -- "$act" 100ms:old : "$act" 100ms:new
	[[ $stderr == *"tma_memory_bound of cpu grew by"* ]]
}
