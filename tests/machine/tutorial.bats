#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The examples of tdstat-tutorial(7) are the output of its commands for its programs, in a
# terminal of 80 columns.  tests/emulator/slow.c gives their functions the scenarios that
# they would have on silicon.
# machine: spr --smp 4,sockets=1,cores=2,threads=2 --sysctl kernel.perf_cpu_time_max_percent=0 --truth tests/emulator/scenarios/sapphirerapids.truth
# machine: adl --sysctl kernel.perf_cpu_time_max_percent=0 --truth tests/emulator/scenarios/alderlake.truth

load helper
load ../cli/examples

export PYTHONDONTWRITEBYTECODE=1

# Make the files that the page asks its reader to make.
prepare() {
	emulated
	command -v script || skip "no script(1), which makes a terminal"
	mkdir bin
	ln -s "$TDSTAT" bin/tdstat
	PATH=$PWD/bin:$PATH
	tutorial_programs
	for program in slow fast; do
		cc -O2 -g -finstrument-functions -o $program $program.c "$BATS_TEST_DIRNAME/../emulator/slow.c"
	done
}

# in_terminal COMMAND: what it prints there
in_terminal() {
	local words="stty cols 80; $1"

	TERM=dumb script -qec "$words" /dev/null </dev/null | tr -d '\r'
}

# section NAME NR: all its examples, NR at least
section() {
	local command shown nr=0

	prepare
	while IFS= read -rd '' command && IFS= read -rd '' shown; do
		[[ $command != cc\ * ]] || continue # prepare() does
		echo "$command"
		in_terminal "$command" >out
		python3 "$BATS_TEST_DIRNAME/tutorial.py" "$shown" "$(cat out)"
		nr=$((nr + 1))
	done < <(examples tdstat-tutorial.7 "$1")
	[ "$nr" -ge "$2" ]
}

# on MODEL: for what the page shows of this one
on() {
	[ "$TD_MACHINE" = "$1" ] || skip "the page shows another processor"
}

@test "a program that waits for memory" {
	on spr
	section 'A program that waits for memory' 3
}

@test "a program that mispredicts" {
	on spr
	section 'A program that mispredicts' 2
}

@test "a program with phases" {
	on spr
	section 'A program with phases' 3
}

@test "two core types" {
	on adl
	section 'Two core types' 1
}

@test "a script" {
	on spr
	section 'A script' 2
}
