#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The number of system calls of frequent operations.

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

@test "events that the kernel refuses: each is opened once, and so are the others" {
	needs_strace
	needs_software_events
	# of the kernel's software events there is none of these numbers
	list=$(for ((i = 100; i < 140; i++)); do echo "page-faults,cpu/event=$i/"; done | paste -sd,)
	strace -f -qq -e trace=perf_event_open -o opened "$TDSTAT" -e "$list" -x, -o out -- true 2>said
	assert_equal "$(grep -c 'page-faults' out)" 40
	assert_equal "$(grep -c '<not supported>' out)" 40
	assert_equal "$(grep -c perf_event_open opened)" 80
}

@test "a recording by core: the place of each CPU is read once" {
	needs_strace
	real -a
	strace -qq -e trace=openat -o opened "$TDSTAT" record -o file -a --per-core -e task-clock --timeout 50
	sed -n 's|.*"\(.*cpu[0-9]*/topology/core_id\)".*|\1|p' opened | sort >places
	[ -s places ]
	uniq -d places >twice
	assert_same "$(cat twice)" ""
}
