#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The example of a tree in README.md is today's output, and its commands work.
# machine: spr --truth tests/emulator/scenarios/sapphirerapids.truth:dram_latency

load helper
load ../cli/examples

# nodes FILE: "name mark value" of each line of a tree
nodes() {
	without_errors "$1" |
		awk '$2 == "%" && $3 ~ /^tma_/ { print $3, $4 == "<--" ? "over" : "-", $1 }'
}

# The words of the verdict, and what to type next, without values.
verdict_of() {
	grep -E '^ *(Biggest|Explain|What|Where)' "$1" | sed 's/, [0-9].*//; s/^ *//'
}

@test "the tree: its nodes, their values within two points, their marks" {
	emulated
	tutorial_programs
	cc -O2 -g -finstrument-functions -o slow slow.c "$BATS_TEST_DIRNAME/../emulator/slow.c"
	sed -n '/^    \$ tdstat -- /,/seconds time elapsed/p' "$BATS_TEST_DIRNAME/../../README.md" >shown
	command=$(sed -n 's/^    \$ tdstat //p' shown)
	eval "'$TDSTAT' -o out $command"
	nodes shown >want
	# README leaves small nodes out
	nodes out | awk 'NR == FNR { shown[$1]; next } $1 in shown' want - >got
	[ "$(wc -l <want)" -ge 9 ]
	diff <(cut -d ' ' -f 1,2 want) <(cut -d ' ' -f 1,2 got)
	paste -d ' ' want got | awk '$3 - $6 > 2 || $6 - $3 > 2 { print; wrong = 1 } END { exit wrong }'
	diff <(verdict_of shown) <(verdict_of out)
	diff <(grep -o '[0-9]* unmarked nodes are hidden.*' shown) <(grep -o '[0-9]* unmarked nodes are hidden.*' out)
}

@test "each command of the README succeeds, and prints its result" {
	emulated
	for program in program old new; do
		printf '#!/bin/sh\nexec %s 300ms:dram_latency\n' "$BATS_TEST_DIRNAME/../../build/emulator/act" >$program
		chmod +x $program
	done
	parser parser
	nr=0
	while read -r command; do
		# minutes (evidence.bats)
		[[ $command != *' --evidence' ]] || continue
		# a script has no functions
		[[ $command != *' calls '* ]] || command=${command/.\/program/.\/parser}
		# a terminal, and a port (top.bats, serve.bats)
		[[ $command != *' ./slow '* && $command != *' top' && $command != *' serve' ]] || continue
		[[ $command != 'tdstat -a '* ]] || command="timeout --preserve-status -s INT 3 $command"
		echo "$command"
		eval "${command/tdstat/\"\$TDSTAT\"}" >out 2>&1 || {
			cat out
			# whose loops all count the same on this machine
			[[ $command == *' doctor' ]]
		}
		[ -s out ] || [[ $command == *--html* ]]
		nr=$((nr + 1))
	done < <(readme_commands)
	[ "$nr" -ge 11 ]
	[ -s tree.html ]
}
