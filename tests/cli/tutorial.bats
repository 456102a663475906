#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat-tutorial(7): its program can be compiled, and its changes make it fast and
# do the same; its commands are taken.  tests/machine/tutorial.bats compares what it shows.

# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # the status of try; what is shown; helper.bash and examples.bash
load helper
load examples

# elapsed_ms COMMAND...: all that it prints is on standard error
elapsed_ms() {
	local begin

	begin=$(date +%s%N)
	"$@" >&2 || return
	echo $((($(date +%s%N) - begin) / 1000000))
}

@test "its programs: no compiler warns, they print nothing, and the fast one is fast" {
	tutorial_programs
	[ "$(wc -l <slow.c)" -le 40 ]
	for compiler in cc clang; do
		command -v "$compiler" >/dev/null || continue
		for program in slow fast; do
			try "$compiler" -Wall -Wextra -Werror -O2 -g -o $program $program.c
			assert_success
		done
	done
	for program in slow fast; do
		for what in walk split both ''; do
			[ "$program" = fast ] || [ -n "$what" ] || continue
			# shellcheck disable=SC2086
			try elapsed_ms ./$program $what
			assert_equal "$status: $stderr" "0: "
			[ "$what" != walk ] || took+=("$output")
		done
	done
	[ "${took[1]}" -lt $((took[0] / 2)) ] || fail "walk: ${took[*]} ms"
}

@test "its programs: both walk through all items, and split the keys alike" {
	tutorial_programs
	cat >check.c <<-'END'
		#include <stdio.h>
		#define main program
		#include "program.c"
		#undef main
		int main(int argc, char **argv)
		{
		    unsigned nr = 0, below = 0, sum = 0;

		    program(argc, argv);
		    item = items;
		    do item = item->next, nr++; while (item != items && nr <= N);
		    walk(N);
		    printf("%u %d ", nr, item == items);
		    split(N);
		    for (unsigned i = 0; i < N; i++)
		        below += keys[i] < 128;
		    for (unsigned i = 0; i < N; i++)
		        sum = sum * 31 + (i < below ? small[i] : large[i - below]);
		    printf("%u %u\n", below, sum);
		}
	END
	for program in slow fast; do
		sed -E 's/(walk|split)\([0-9]+\)/\1(1)/' $program.c >program.c
		cc -O2 -o check check.c
		./check >$program.out
	done
	assert_regex "$(cat slow.out)" '^1048576 1 5[0-9]{5} [0-9]+$'
	assert_same "$(cat slow.out)" "$(cat fast.out)"
}

# tutorial SECTION MODEL: each command is one that this program takes
tutorial() {
	local command shown nr=0

	saved "$2"
	while IFS= read -rd '' command && IFS= read -rd '' shown; do
		case $command in
		'cc '*)
			try bash -c "$command"
			;;
		# counts at once, or says why not; two runs of each are taken as five are
		'tdstat diff '*)
			command=${command/ -r 5 / -r 2 }
			try bash -c "${command/tdstat/\"\$TDSTAT\"}"
			[ "$status" -eq 64 ] || status=0
			;;
		'tdstat locate '* | 'tdstat profile '*)
			try bash -c "${command/ -- / --dry-run -- }"
			;;
		'tdstat '*)
			command=${command/ -o both.csv/}
			try bash -c "${command/ / --dry-run }"
			;;
		'awk '*)
			printf '%s\n' time,tma_memory_bound,tma_branch_mispredicts 4.1,30,10 4.2,10,30 >both.csv
			try bash -c "$command"
			assert_output 4.2
			;;
		*) fail "not known here: $command" ;;
		esac
		[ "$status" -eq 0 ] || fail "$command: $stderr"
		nr=$((nr + 1))
	done < <(examples tdstat-tutorial.7 "$1")
	total=$((${total:-0} + nr))
}

@test "its commands are those that this program takes" {
	mkdir bin
	ln -s "$TDSTAT" bin/tdstat
	PATH=$PWD/bin:$PATH
	tutorial_programs
	tutorial 'Two kinds of core' alderlake
	tutorial 'A program that waits for memory' sapphirerapids
	tutorial 'A program that mispredicts' sapphirerapids
	tutorial 'A program with phases' sapphirerapids
	tutorial 'A script' sapphirerapids
	assert_equal "$total" "$(grep -c '^\$ ' "$man/tdstat-tutorial.7")"
	[ "$total" -ge 13 ] || fail "only $total"
}

@test "the page is short, and the first pages name it" {
	[ "$(wc -l <"$man/tdstat-tutorial.7")" -le 200 ]
	grep -q '^## What next' "$man/../README.md"
	sed -n '/^## What next/,/^## /p' "$man/../README.md" | grep -q 'tdstat-tutorial(7)'
	sed -n '/^\.Sh FIRST STEPS/,/^\.Sh OPTIONS/p' "$man/tdstat.1" | grep -q '^\.Xr tdstat-tutorial 7'
}
