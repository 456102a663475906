#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The machine itself: the kernel rewrites its code whenever the first event of a
# kind is opened and the last one is closed, which an emulator that translates
# code has to notice.  A guest that does not survive this ends without a status.
# machine: adl

load helper

STORM_SECONDS=${STORM_SECONDS:-8}

# as_long COMMAND: again and again
as_long() {
	while [ "$SECONDS" -lt "$STORM_SECONDS" ]; do
		"$@"
	done
}

toggle_schedstats() {
	echo 1 >/proc/sys/kernel/sched_schedstats
	echo 0 >/proc/sys/kernel/sched_schedstats
}

count_a_task() {
	"$TDSTAT" -e task-clock,cycles:u -o out -- /bin/true && echo >>counted
}

@test "forks, events of tasks and scheduler statistics, all at once" {
	emulated
	SECONDS=0
	for _ in 1 2 3 4; do
		as_long /bin/true &
	done
	as_long toggle_schedstats &
	as_long count_a_task
	wait
	[ -s counted ]
	run dmesg
	refute_oops "$output"
}

refute_oops() {
	! grep -E 'BUG:|Oops|int3:|WARNING:|rcu.*stall' <<<"$1"
}
