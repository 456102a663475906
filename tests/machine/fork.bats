#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016,SC2030,SC2031,SC2094,SC2154 # the commands' shell; what "run" sets
# Commands that fork while four loops keep the machine busy: a child that exits and has lost
# its CPU prevents the kernel from reading its parent's groups for a long time.  FORK_RUNS=
# is the number of runs of each.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2
# release: spr --smp 2,sockets=1,cores=1,threads=2
# release: spr --smp 2,sockets=1,cores=1,threads=2 --kernel 6.1

load helper

RUNS=${FORK_RUNS:-1}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	for _ in 1 2 3 4; do
		sh -c 'while :; do :; done' 3>&- &
	done
}

# goes_on STATUS COMMAND...: each run has the command's own status, and its last line ran;
# the only messages are about rows that lack a group.
goes_on() {
	for ((run = 0; run < RUNS; run++)); do
		rm -f last
		run --separate-stderr "${@:2}"
		[ "$status" = "$1" ] || return
		[ -e last ]
		! grep '^tdstat: ' <<<"$stderr" | grep -v 'not all counters could be read at once\|was stopped or overloaded\|no task ran in' || return
	done
}

# The group's count of instructions is that of the event alone, which the kernel
# always lets be read; both are of the same run.
same_counts() { # FILE
	python3 - "$1" <<-'EOS'
		import csv, sys
		group, alone = {}, {}
		for row in csv.reader(open(sys.argv[1])):
		    if len(row) < 6 or "instructions" not in row[2] or not row[0][0].isdigit():
		        continue
		    pmu = row[2].split("/")[0]
		    # rows without -I begin with the count: the group is asked for first
		    (alone if pmu in group else group)[pmu] = int(row[0])
		assert group and alone.keys() == group.keys(), (group, alone)
		print(group, alone)
		for pmu in group:
		    assert abs(group[pmu] - alone[pmu]) <= 0.02 * alone[pmu], pmu
	EOS
}

@test "make -j8, level 3" {
	printf 'all:%s\n\t@sleep 0; echo >last; exit 0\n' "$(printf ' t%d' {1..24})" >Makefile
	printf 't%d:\n\t@/bin/true; i=0; while [ $$i -lt 300 ]; do i=$$((i+1)); done\n' {1..24} >>Makefile
	goes_on 0 "$TDSTAT" -l 3 -- make -j8
}

@test "sixty children, one after the other, in intervals" {
	goes_on 5 "$TDSTAT" -I 100 -- sh -c 'for i in $(seq 60); do /bin/true; done; echo >last; exit 5'
}

@test "a hundred children at once" {
	goes_on 6 "$TDSTAT" -- sh -c 'for i in $(seq 100); do /bin/true & done; wait; echo >last; exit 6'
}

@test "sixty children, recorded" {
	goes_on 7 "$TDSTAT" record -o out.jsonl -I 100 -- \
		sh -c 'for i in $(seq 60); do /bin/true; done; echo >last; exit 7'
	"$TDSTAT" report out.jsonl >report
}

@test "a shell that forks, attached to" {
	for ((run = 0; run < RUNS; run++)); do
		rm -f last go
		sh -c 'until [ -e go ]; do :; done; for i in $(seq 60); do /bin/true; done; echo >last' 3>&- &
		pid=$!
		"$TDSTAT" -p "$pid" -I 100 -x, >out 2>err 3>&- &
		until [ -s out ]; do
			kill -0 $!
		done
		touch go
		wait $!
		wait "$pid"
		[ -e last ]
		! grep '^tdstat: ' err | grep -v 'not all counters could be read at once\|was stopped or overloaded\|no task ran in it'
	done
}

@test "a shell that forks all the time is attached to" {
	sh -c 'echo >running; until [ -e end ]; do /bin/true; done; echo >last' 3>&- &
	pid=$!
	wait_for_file running
	for ((run = 0; run < RUNS; run++)); do
		run --separate-stderr "$TDSTAT" -p "$pid" -I 500 --interval-count 4 -x,
		[ "$status" = 0 ]
		grep -q ',[0-9.]*,[0-9.]*,[0-9.]*,[0-9.]*$' <<<"$output"
	done
	touch end
	wait "$pid"
	[ -e last ]
}

@test "groups of a command that forks count the same as single events" {
	for ((run = 0; run < RUNS; run++)); do
		goes_on 0 "$TDSTAT" -x, -o out -e '{instructions,cycles,branches},instructions' -- \
			sh -c 'for i in $(seq 60); do /bin/true; done; echo >last'
		same_counts out
	done
}
