#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Shared libraries: those that a start loads, and messages about missing ones that few
# subcommands need.

# shellcheck disable=SC2016,SC2154 # the inner shell expands it; helper.bash
load helper

# A sanitizer's runtime makes calls of its own.
plain() {
	not_under_valgrind "the calls are valgrind's"
	[[ $(ldd "$TDSTAT") != *lib@(a|ub)san* ]] || skip "a build with sanitizers"
}

@test "a start loads at most the C library and json-c" {
	plain
	try ldd "$TDSTAT"
	assert_success
	for line in "${lines[@]}"; do
		[[ $line =~ ^[[:space:]]*([^ ]*/)?(linux-vdso|ld-linux-x86-64|libc|libm|libjson-c)\.so\. ]] || fail "$line"
	done
}

@test "a start makes fewer than 60 system calls" {
	plain
	needs_strace
	strace -f -qq -o calls "$TDSTAT" --version
	! has_lines calls 60 || fail "$(wc -l <calls) calls"
}

# without LIBRARY COMMAND...: "try", where the file of that library is not one
without() {
	mkdir -p "not-$1"
	: >"not-$1/$1"
	LD_LIBRARY_PATH=$PWD/not-$1 try "${@:2}"
}

@test "without libtracefs: tracepoints are refused, with its package" {
	real
	without libtracefs.so.1 "$TDSTAT" --require -e sched:sched_switch -- true
	assert_why_and_remedy 'sched:sched_switch: .*libtracefs\.so\.1: ' 'libtracefs1'
	without libtracefs.so.1 "$TDSTAT" -e task-clock -x, -o out -- true
	assert_equal "$status:$stderr" 0:
}

@test "without libzstd: .zst is refused, with its package, and the command runs" {
	real
	without libzstd.so.1 "$TDSTAT" record -o out.jsonl.zst -e task-clock -- sh -c 'exit 3'
	assert_equal "$status" 3
	[[ $stderr == *'libzstd'* && $stderr == *'libzstd1'* ]]
	assert [ ! -e out.jsonl.zst ]
	zstd -q "$data/alderlake.jsonl" -o some.zst || skip "no zstd here"
	without libzstd.so.1 "$TDSTAT" report some.zst
	assert_why_and_remedy 'libzstd\.so\.1: ' 'zstd -dc FILE'
	# it may be a recording, and nothing is written over it
	without libzstd.so.1 "$TDSTAT" --require -e task-clock -o some.zst -- true
	[[ $stderr == *'some.zst is a recording: no result is written over it'* ]]
	zstd -dcq some.zst | cmp - "$data/alderlake.jsonl"
}

@test "without ncurses: top is refused, with its package" {
	needs_wing top
	terminal='import os, pty, sys
os.environ["TERM"] = "xterm"
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'
	without libncursesw.so.6 within python3 -c "$terminal" "$TDSTAT" top -i "$data/alderlake.jsonl"
	assert_equal "$status" 1
	[[ ${lines[0]} == 'tdstat: top: '*'libncursesw.so.6: '* ]]
	[[ ${lines[1]} == 'tdstat: '*libncursesw6* ]]
}

@test "without libdw: samples have addresses instead of names, with the reason" {
	real
	# long enough for a sample, at any rate
	without libdw.so.1 within "$TDSTAT" locate -e cpu-clock -x, -o out -- "${BURN[@]}" 500
	assert_equal "$status" 0
	[[ $stderr == *': cannot be read without libdw.so.1 of elfutils: addresses without names'* ]]
	has_lines out 2
}

@test "without libdw: stacks cannot be unwound, and the command runs all the same" {
	without libdw.so.1 within "$TDSTAT" locate -e cpu-clock --call-graph dwarf -o out -- sh -c 'echo ran; exit 3'
	assert_runs_all_the_same '--call-graph dwarf: .*libdw' '--call-graph fp' 3
	assert_same ran "$output"
}
