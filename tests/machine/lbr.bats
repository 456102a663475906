#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Callers by the branches that a processor notes: calls that have not returned.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --lbr --sysctl kernel.perf_cpu_time_max_percent=0 --sysctl kernel.kptr_restrict=0

# shellcheck disable=SC2154 # stderr, of run
load helper

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

locate() {
	timeout -s KILL "$TD_HANGS" "$TDSTAT" locate "$@"
}

# build NAME CALLER: without frame pointers, so that only LBR finds callers
build() {
	sed "s/CALLER/$2/g" >"$1.c" <<-'C'
		#include <stdlib.h>
		#include <time.h>
		static volatile long sum;
		__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) sum += i; }
		__attribute__((noinline)) void CALLER(void) { leaf(30000); sum = 0; }
		__attribute__((noinline)) void rarely(void) { leaf(10000); sum = 0; }
		__attribute__((noinline)) void deeper(int depth)
		{
			if (depth)
				deeper(depth - 1);
			else
				CALLER();
			sum = 0;
		}
		int main(int argc, char **argv)
		{
			/* a busy host leaves an emulator little of a second */
			for (int i = 0; i < 2000 || clock() < CLOCKS_PER_SEC; i++)
				if (argc > 1) {
					deeper(atoi(argv[1]));
				} else {
					CALLER();
					rarely();
				}
			return 7;
		}
	C
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o "$1" "$1.c"
}

# part PATTERN: the share of the stacks that fit, in per cent
part() {
	{ grep -E "$1" stacks || :; echo all; cat stacks; } |
		awk '$1 == "all" { part = sum; sum = 0; next } { sum += $NF } END { printf "%d\n", 100 * part / sum }'
}

@test "callers of code without frame pointers, on both core types" {
	build bare often
	for cpu in 0 2; do
		run -7 --separate-stderr locate -e cycles:u --call-graph lbr --folded stacks -o out -- taskset -c $cpu ./bare
		[[ $stderr != *LBR* ]]
		[ "$(part ';main;often;leaf ')" -ge 50 ]
		[ "$(part ';main;rarely;leaf ')" -ge 5 ]
		[ "$(part 'rarely;leaf ')" -le 40 ]
		# frames of taskset, before execve()
		run ! grep '.unknown.;_start' stacks
	done
	run -7 "$TDSTAT" profile --all-user --call-graph lbr --folded stacks -o out -- taskset -c 0 ./bare
	[ "$(part ';main;often;leaf ')" -ge 50 ]
	run -7 "$TDSTAT" profile --call-graph lbr --folded stacks -o out -- taskset -c 0 ./bare
	run ! grep '.unknown.;_start' stacks
}

# The events of nodes are precise: their records have the branches, and no interrupt reads
# them.
@test "callers of precise samples" {
	build bare often
	for cpu in 0 2; do
		for event in cycles:Pu cycles:P; do
			run -7 locate -e $event --call-graph lbr --folded stacks -o out -- taskset -c $cpu ./bare
			[ "$(part ';main;often;leaf ')" -ge 50 ]
			[ "$(part ';main;rarely;leaf ')" -ge 5 ]
			[ "$(part 'rarely;leaf ')" -le 40 ]
			run ! grep '.unknown.;_start' stacks
		done
	done
	build deep often
	run -7 locate -e cycles:Pu --call-graph lbr --folded stacks -o out -- taskset -c 0 ./deep 40
	[ "$(part '/Pu;.unknown.(;deeper){30,31};often;leaf ')" -ge 60 ]
}

@test "more calls than a processor notes: the outer ones are not known" {
	build deep often
	run -7 locate -e cycles:u --call-graph lbr --folded stacks -o out -- taskset -c 0 ./deep 40
	# 32 calls: of leaf, of often, and 30 of deeper
	[ "$(part '/u;.unknown.(;deeper){30,31};often;leaf ')" -ge 60 ]
	run -7 locate -e cycles:u --call-graph lbr --folded stacks -o out -- taskset -c 0 ./deep 20
	[ "$(part ';main(;deeper){21};often;leaf ')" -ge 60 ]
}

@test "programs that share a CPU have callers of their own" {
	build one first
	build two second
	run -0 locate -e cycles:u --call-graph lbr --folded stacks -o out -- \
		taskset -c 1 sh -c './one & ./two & wait'
	[ "$(part ';main;first;leaf ')" -ge 15 ]
	[ "$(part ';main;second;leaf ')" -ge 15 ]
	[ "$(part 'first.*second|second.*first')" -eq 0 ]
}
