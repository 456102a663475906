#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# System calls of what is done often.

load helper.bash

@test "a table is written as a whole, not word by word" {
	needs_strace
	needs_software_events
	strace -qq -e trace=write -o writes "$TDSTAT" -e task-clock -- true
	run -0 grep -c '^write(2,' writes
	[ "$output" -le 2 ]
}

# calls EVENTS: how many more 110 intervals take than 10, an interval
calls() {
	local intervals

	for intervals in 10 110; do
		strace -qq -o calls.$intervals "$TDSTAT" -a -I 5 --interval-count $intervals \
			-e "$1" -o out
	done
	echo $((($(wc -l <calls.110) - $(wc -l <calls.10) + 50) / 100))
}

@test "an interval: a read for each group on each CPU, and four calls" {
	needs_software_events -a
	cpus=$(getconf _NPROCESSORS_ONLN)
	[ "$(calls '{context-switches},{page-faults}')" -le $((2 * cpus + 4)) ]
	# what was typed alone needs no read of its own
	[ "$(calls context-switches,page-faults,task-clock)" -le $((cpus + 4)) ]
}
