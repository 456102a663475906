#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat-tutorial(7): its program compiles, and its changes do what the page says
# without changing the results; its commands are accepted.  How much faster the program
# becomes depends on the machine: tests/machine/tutorial.bats compares what the page shows.

# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # the status of try; what is shown; helper.bash and examples.bash
load helper
load examples

# The programs, and below "brief" the same with one step of each loop.
setup_file() {
	local program text

	cd "$BATS_FILE_TMPDIR" || return
	tutorial_programs
	mkdir brief
	for program in slow fast; do
		IFS= read -rd '' text <$program.c || true
		while [[ $text =~ (walk|split)\(([0-9]{2,})\) ]]; do
			text=${text//"${BASH_REMATCH[0]}"/"${BASH_REMATCH[1]}(1)"}
		done
		printf %s "$text" >brief/$program.c
	done
}

@test "its programs: no compiler warns, and they are short" {
	cd "$BATS_FILE_TMPDIR" || return
	mapfile -t text <slow.c
	[ "${#text[@]}" -le 40 ]
	for compiler in cc clang; do
		command -v "$compiler" >/dev/null || continue
		for program in slow fast; do
			try "$compiler" -Wall -Wextra -Werror -O2 -g -S -o /dev/null $program.c
			assert_success
		done
	done
}

# The list of the fast one follows the memory, and that of the slow one does not.
@test "its programs: both are silent, visit all items, and split the keys alike" {
	cat >check.c <<-'END'
		#include <stdio.h>
		#define main program
		#include "program.c"
		#undef main
		int main(void)
		{
		    static char *words[] = { "program", "walk", "split", "both" };
		    unsigned nr = 0, next = 0, below = 0, sum = 0;

		    program(1, words);
		    for (int i = 1; i < 4; i++) {
		        char *argv[] = { words[0], words[i], NULL };

		        program(2, argv);
		    }
		    item = items;
		    do next += item->next == item + 1, item = item->next, nr++; while (item != items && nr <= N);
		    walk(N);
		    printf("%u %d %d ", nr, item == items, next == N - 1 ? 'f' : next < N / 10 ? 's' : '?');
		    split(N);
		    for (unsigned i = 0; i < N; i++)
		        below += keys[i] < 128;
		    for (unsigned i = 0; i < N; i++)
		        sum = sum * 31 + (i < below ? small[i] : large[i - below]);
		    printf("%u %u\n", below, sum);
		}
	END
	for program in slow fast; do
		cp "$BATS_FILE_TMPDIR/brief/$program.c" program.c
		cc -O2 -o check check.c
		printf -v letter %d "'$program"
		try ./check
		assert_success
		assert_regex "$output" "^1048576 1 $letter 5[0-9]{5} [0-9]+$"
		results+=("${output/ $letter / }")
	done
	assert_equal "${results[0]}" "${results[1]}"
}

# tutorial SECTION MODEL: the program accepts each command of the section
tutorial() {
	local command shown nr=0

	saved "$2"
	while IFS= read -rd '' command && IFS= read -rd '' shown; do
		case $command in
		'cc '*)
			try eval "$command"
			;;
		# counts at once, or prints the reason; two runs of each are compared like
		# five
		'tdstat diff '*)
			try eval "${command/ -r 5 / -r 2 }"
			[ "$status" -eq 64 ] || status=0
			;;
		'tdstat locate '* | 'tdstat profile '*)
			try eval "${command/ -- / --dry-run -- }"
			;;
		'tdstat '*)
			command=${command/ -o both.csv/}
			try eval "${command/ / --dry-run }"
			;;
		'awk '*)
			printf '%s\n' time,tma_memory_bound,tma_branch_mispredicts 4.1,30,10 4.2,10,30 >both.csv
			try eval "$command"
			assert_output 4.2
			;;
		*) fail "not known here: $command" ;;
		esac
		[ "$status" -eq 0 ] || fail "$command: $stderr"
		nr=$((nr + 1))
	done < <(examples tdstat-tutorial.7 "$1")
	total=$((${total:-0} + nr))
}

@test "this program accepts its commands" {
	mkdir bin
	ln -s "$TDSTAT" bin/tdstat
	PATH=$PWD/bin:$PATH
	cp "$BATS_FILE_TMPDIR"/brief/*.c .
	tutorial 'Two core types' alderlake
	tutorial 'A program that waits for memory' sapphirerapids
	tutorial 'A program that mispredicts' sapphirerapids
	tutorial 'A program with phases' sapphirerapids
	tutorial 'A script' sapphirerapids
	mapfile -t page <"$man/tdstat-tutorial.7"
	commands=0
	for line in "${page[@]}"; do
		[[ $line != '$ '* ]] || commands=$((commands + 1))
	done
	assert_equal "$total" "$commands"
	[ "$total" -ge 13 ] || fail "only $total"
}

@test "the page is short, and the first pages name it" {
	mapfile -t page <"$man/tdstat-tutorial.7"
	[ "${#page[@]}" -le 200 ]
	IFS= read -rd '' readme <"$man/../README.md" || true
	[[ $readme == *$'\n## What next'* ]]
	next=${readme#*$'\n## What next'}
	[[ ${next%%$'\n## '*} == *'tdstat-tutorial(7)'* ]]
	IFS= read -rd '' text <"$man/tdstat.1" || true
	[[ $text == *$'\n.Sh FIRST STEPS'* ]]
	text=${text#*$'\n.Sh FIRST STEPS'}
	[[ ${text%%$'\n.Sh OPTIONS'*} == *$'\n.Xr tdstat-tutorial 7'* ]]
}
